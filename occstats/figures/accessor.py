"""`comparison.plot`: the figures of a comparison as methods."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from occstats._format import did_you_mean
from occstats.figures.registry import FIGURES

if TYPE_CHECKING:
    from pathlib import Path

    from occstats.comparison import Comparison
    from occstats.figures.canvas import Drawing

__all__ = ["Plotter"]

_OFFERED = [name for name, entry in FIGURES.items() if "comparison" in entry.needs]


@dataclass(frozen=True, eq=False)
class Plotter:
    """Draw a comparison: ``comparison.plot.ranks()``, ``comparison.plot.kendall(ax=axes)`` …

    Every figure in `occstats.figures.FIGURES` that feeds on a comparison is a method. Methods with
    `ax` draw on it and return it; without, and for figures of several panels, they return a new
    figure at its final size. Nothing global is changed and nothing needs closing. Matplotlib and
    seaborn are imported at the first call.

    Examples
    --------
    >>> import occstats
    >>> plot = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"]).plot
    >>> type(plot.kendall()).__name__
    'Sheet'
    """

    comparison: Comparison = field(repr=False)

    def __getattr__(self, name: str) -> Callable[..., Drawing]:
        if name not in _OFFERED:
            raise AttributeError(
                f"a comparison has no figure {name!r}{did_you_mean(name, _OFFERED)}; "
                f"the figures are {', '.join(_OFFERED)}"
            )
        return _bound(FIGURES[name].function(), self.comparison)

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), *_OFFERED])

    def save_all(
        self, folder: str | Path, *, formats: Sequence[str] = ("pdf",), **options: Any
    ) -> list[Path]:
        """Write every figure of the comparison into a folder and return the files.

        Parameters
        ----------
        folder : path
            Where to write.
        formats : sequence of {"pdf", "svg", "png", "pgf"}
            Which files to write of each figure.
        **options
            Options of every figure: `width`, `height`, `theme`, `title`, `note`; and, for those
            that take them, those of figures of algorithms, such as `show` or `labels`.
        """
        from occstats.figures.batch import draw_figures

        return [
            path
            for drawn in draw_figures(self.comparison, **options)
            for path in drawn.save(folder, formats)
        ]


def _bound(function: Callable[..., Drawing], comparison: Comparison) -> Callable[..., Drawing]:
    """The function with its comparison given: gone from the signature and the documentation."""

    @functools.wraps(function)
    def draw(*arguments: Any, **options: Any) -> Drawing:
        return function(comparison, *arguments, **options)

    signature = inspect.signature(function)
    rest = [p for p in signature.parameters.values() if p.name != "comparison"]
    draw.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
    own = re.compile(r"^comparison : .*\n(?: {4}.*\n)+", flags=re.MULTILINE)
    draw.__doc__ = own.sub("", function.__doc__ or "")
    return draw
