"""`comparison.plot`: the figures of a comparison as methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from occstats.figures.registry import FIGURES

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, FigureBase

    from occstats.comparison import Comparison
    from occstats.figures.style import Preset

__all__ = ["Plotter"]


@dataclass(frozen=True, eq=False)
class Plotter:
    """Draw a comparison: ``comparison.plot.ranks()``, ``comparison.plot.kendall(ax=axes)`` …

    Methods with `ax` draw on it and return it; without, and for figures of several panels, they
    return a new figure at its final size. Nothing global is changed and nothing needs closing.
    Matplotlib is imported at the first call.

    Examples
    --------
    >>> import occstats
    >>> plot = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"]).plot
    >>> type(plot.kendall()).__name__
    'Sheet'
    """

    comparison: Comparison

    def _draw(self, name: str, *arguments: Any, **options: Any) -> Any:
        return FIGURES[name].function()(self.comparison, *arguments, **options)

    def ranks(
        self, *, figure: FigureBase | None = None, width: str | float | Preset = "column"
    ) -> FigureBase:
        """How often each algorithm takes each rank; see `occstats.figures.ranks`."""
        return self._draw("ranks", figure=figure, width=width)  # type: ignore[no-any-return]

    def mean_ranks(
        self, *, ax: Axes | None = None, width: str | float | Preset = "column"
    ) -> Figure | Axes:
        """Mean ranks with cluster-bootstrap intervals; see `occstats.figures.mean_ranks`."""
        return self._draw("mean_ranks", ax=ax, width=width)  # type: ignore[no-any-return]

    def critical_difference(
        self, *, ax: Axes | None = None, width: str | float | Preset = "column"
    ) -> Figure | Axes:
        """Mean ranks joined where no test finds a difference; see `occstats.figures`."""
        return self._draw("critical_difference", ax=ax, width=width)  # type: ignore[no-any-return]

    def pairwise(
        self, *, ax: Axes | None = None, width: str | float | Preset = "column"
    ) -> Figure | Axes:
        """Difference, wins/ties/losses and corrected p of every pair; see `occstats.figures`."""
        return self._draw("pairwise", ax=ax, width=width)  # type: ignore[no-any-return]

    def kendall(
        self,
        *,
        ax: Axes | None = None,
        width: str | float | Preset = "column",
        order: Literal["rank", "similarity"] = "rank",
    ) -> Figure | Axes:
        """Heat map of weighted Kendall's τ; see `occstats.figures.kendall`."""
        return self._draw("kendall", ax=ax, width=width, order=order)  # type: ignore[no-any-return]

    def strata(
        self,
        *,
        algorithms: Sequence[str] | None = None,
        ax: Axes | None = None,
        width: str | float | Preset = "column",
    ) -> Figure | Axes:
        """Mean rank by difficulty of the task; see `occstats.figures.strata`."""
        return self._draw(  # type: ignore[no-any-return]
            "strata", algorithms=algorithms, ax=ax, width=width
        )

    def distributions(
        self,
        *,
        algorithms: Sequence[str] | None = None,
        ax: Axes | None = None,
        width: str | float | Preset = "column",
    ) -> Figure | Axes:
        """Distribution of the scores of each algorithm; see `occstats.figures.distributions`."""
        return self._draw(  # type: ignore[no-any-return]
            "distributions", algorithms=algorithms, ax=ax, width=width
        )

    def scatter(
        self,
        a: str | None = None,
        b: str | None = None,
        *,
        ax: Axes | None = None,
        width: str | float | Preset = "column",
        name_data_sets: int = 2,
    ) -> Figure | Axes:
        """Two algorithms task by task; see `occstats.figures.scatter`."""
        return self._draw(  # type: ignore[no-any-return]
            "scatter", a, b, ax=ax, width=width, name_data_sets=name_data_sets
        )

    def regression(
        self,
        *,
        algorithms: Sequence[str] | None = None,
        figure: FigureBase | None = None,
        width: str | float | Preset = "column",
    ) -> FigureBase:
        """Effects of the tasks' traits on the ranks; see `occstats.figures.regression`."""
        return self._draw(  # type: ignore[no-any-return]
            "regression", algorithms=algorithms, figure=figure, width=width
        )

    def save_all(
        self,
        folder: str | Path,
        *,
        formats: Sequence[str] = ("pdf",),
        width: str | float | Preset = "column",
    ) -> list[Path]:
        """Write every figure of the comparison into a folder and return the files."""
        from occstats.figures.batch import draw_figures

        return [
            path
            for drawn in draw_figures(self.comparison, width=width)
            for path in drawn.save(folder, formats)
        ]
