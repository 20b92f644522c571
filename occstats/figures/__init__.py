"""Figures of a comparison, of a tuning sweep and of run times, ready for print.

Each figure is a function that draws on Matplotlib axes, as in seaborn, and returns them (an array
of axes if it has several panels); `comparison.plot` offers those of a comparison as methods.

>>> from occstats import figures
>>> sorted(figures.FIGURES)[:3]
['alp_diagram', 'alp_example', 'critical_difference']

`save` writes reproducible PDF, SVG or PNG files with alternative text; `alt_text` returns that
text. A new figure belongs to pyplot and has its final size. Title and height are Matplotlib's
own: ``axes.set_title("…")``, ``axes.figure.set_figheight(4)``. No global setting is changed, and
Matplotlib is imported when the first figure is drawn.

Options of figures of algorithms:

algorithms : int or sequence of str, optional
    Number of the best algorithms to draw, or their names. By default the best 30, or as many as
    fit the width of a matrix; 9 if only colours and markers tell them apart. The note gives their
    number.
order : {"rank", "name", "similarity"} or sequence of str
    Best first, by name, by similarity (average linkage on 1 − Kendall's τ), or the listed
    algorithms first and then the others, best first.
labels : dict, optional
    Labels to write instead of the names of algorithms.
highlight : str or sequence of str, optional
    Algorithms to emphasise; the others are grey.
palette : str, sequence or dict, optional
    Name of a seaborn palette, a list of colours, or a dictionary from algorithm to colour, if
    colours distinguish algorithms.

Options of all figures:

ax : Axes, optional
    Axes to draw on; by default those of a new figure.
figure : Figure or SubFigure, optional
    Figure to draw in, in place of `ax`, if there are several panels.
width : str, float or Preset
    Width of a new figure: a name in `PRESETS` (``"ieee"``, ``"ieee-wide"`` …), a number of inches,
    or a length such as ``"90mm"``.
note : bool
    Whether to write the note below a new figure. Figures of the user have no note.
"""

from typing import Any

from occstats._lazy import attach
from occstats.figures.registry import FIGURES

# The other names are listed in the stub beside this file.
_named, _, __all__ = attach(__name__, __file__, FIGURES)
__all__ += list(FIGURES)


def __getattr__(name: str) -> Any:
    return FIGURES[name].function() if name in FIGURES else _named(name)


def __dir__() -> list[str]:
    return sorted(__all__)
