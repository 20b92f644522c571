"""Camera-ready figures of a comparison, of a tuning sweep and of run times.

Each figure is a function: a comparison (or a tidy frame) in, a Matplotlib figure out.

>>> from occstats import figures
>>> sorted(figures.FIGURES)[:3]
['alp_diagram', 'alp_example', 'critical_difference']

`comparison.plot` offers those of a comparison as methods; `save` writes any of them as PDF, SVG,
PNG or PGF with reproducible bytes and alternative text. Matplotlib is imported when first used.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from occstats.figures.registry import FIGURES, FigureEntry

if TYPE_CHECKING:
    from occstats.figures.accessor import Plotter
    from occstats.figures.canvas import Drawing, alt_text
    from occstats.figures.panels import side_by_side
    from occstats.figures.saving import save
    from occstats.figures.style import PRESETS, FigureError
    from occstats.figures.svg import svg_markup

_ELSEWHERE = {
    "Plotter": "accessor",
    "alt_text": "canvas",
    "save": "saving",
    "side_by_side": "panels",
    "svg_markup": "svg",
    "PRESETS": "style",
    "FigureError": "style",
}
__all__ = [
    "FIGURES",
    "PRESETS",
    "FigureEntry",
    "FigureError",
    "Plotter",
    "alt_text",
    "save",
    "side_by_side",
    "svg_markup",
]
__all__ += list(FIGURES)


def __getattr__(name: str) -> "Callable[..., Drawing]":
    if name in FIGURES:
        return FIGURES[name].function()
    if name in _ELSEWHERE:
        found: Callable[..., Drawing] = getattr(
            import_module(f"occstats.figures.{_ELSEWHERE[name]}"), name
        )
        return found
    raise AttributeError(f"module 'occstats.figures' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
