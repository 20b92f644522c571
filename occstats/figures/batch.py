"""Draw several figures by name from whatever feeds them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from occstats._format import did_you_mean
from occstats.figures.registry import FIGURES, FigureEntry
from occstats.figures._style import FigureError

if TYPE_CHECKING:
    import pandas as pd

    from occstats.comparison import Comparison
    from occstats.figures.canvas import Drawing

__all__ = ["DrawnFigure", "draw_figures", "wanted_figures"]


@dataclass(frozen=True, eq=False)
class DrawnFigure:
    """A figure with its name, or the reason why the data do not allow it."""

    entry: FigureEntry
    figure: Drawing | None = None
    reason: str = ""

    def save(self, folder: str | Path, formats: Sequence[str], dpi: float = 300) -> list[Path]:
        """Write the figure under its name; nothing where there is none."""
        from occstats.figures.saving import save

        if self.figure is None:
            return []
        return save(
            self.figure,
            Path(folder) / self.entry.name,
            formats=formats,
            title=self.entry.caption,
            dpi=dpi,
        )


def wanted_figures(only: Sequence[str] | None, available: set[str]) -> list[FigureEntry]:
    """Return the figures asked for, or all that the given data can feed.

    >>> [entry.name for entry in wanted_figures(None, {"times"})]
    ['times']
    """
    if not only:
        return [e for e in FIGURES.values() if e.needs and available.issuperset(e.needs)]
    entries = []
    for name in dict.fromkeys(only):
        key = name.strip().replace("-", "_").lower()
        if key not in FIGURES:
            raise FigureError(
                f"there is no figure {name!r}{did_you_mean(key, FIGURES)}; "
                f"the figures are {', '.join(FIGURES)}"
            )
        for needed in FIGURES[key].needs:
            if needed not in available:
                source = "RESULTS" if needed == "comparison" else f"a table of {needed}"
                raise FigureError(f"figure {key!r} needs {source}, which was not given")
        entries.append(FIGURES[key])
    return entries


def draw_figures(
    comparison: Comparison | None = None,
    *,
    sweep: pd.DataFrame | None = None,
    times: pd.DataFrame | None = None,
    only: Sequence[str] | None = None,
    **options: Any,
) -> Iterator[DrawnFigure]:
    """Draw the figures one by one; what the data do not allow comes with its reason.

    Parameters
    ----------
    comparison, sweep, times
        What to draw from; see the functions of this package for the frames.
    only : sequence of str, optional
        Names of figures; by default all that the data feed. What was asked for by name and cannot
        be drawn is an error, not a reason.
    **options
        Options of all figures: `width` (by default each has its own: one column, or two for wide
        ones), `height`, `theme`, `title`, `note`; and those of figures of algorithms (`algorithms`,
        `order`, `show`, `labels`, `highlight`, `hue`, `palette`), for those that take them.

    Examples
    --------
    >>> [drawn.entry.name for drawn in draw_figures(only=["alp-diagram"])]
    ['alp_diagram']
    """
    from occstats.figures.options import SERIES

    feeds = {"comparison": comparison, "sweep": sweep, "times": times}
    available = {name for name, value in feeds.items() if value is not None}
    asked = {name: value for name, value in options.items() if value is not None}
    for entry in wanted_figures(only, available):
        function, arguments = entry.function(), [feeds[needed] for needed in entry.needs]
        # What the user asks of all figures, a figure without algorithms does not take.
        taken = inspect.signature(function).parameters
        own = {name: value for name, value in asked.items() if name in taken or name not in SERIES}
        try:
            yield DrawnFigure(entry, function(*arguments, **own))
        except FigureError as error:
            if only:
                raise
            yield DrawnFigure(entry, reason=str(error))
