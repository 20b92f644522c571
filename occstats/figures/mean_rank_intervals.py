"""Mean ranks with cluster-bootstrap intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from occstats.figures.canvas import describe, drawn_on, note, one_axes
from occstats.figures.frames import records
from occstats.figures.style import Preset, series_styles
from occstats.figures.text import clean, labels

if TYPE_CHECKING:
    import pandas as pd

    from occstats.comparison import Comparison

__all__ = ["mean_ranks"]

MOST_ALGORITHMS = 30


def mean_ranks(
    comparison: Comparison, *, ax: Axes | None = None, width: str | float | Preset = "column"
) -> Figure | Axes:
    """Draw each algorithm's weighted mean rank with its interval over resampled data sets.

    The intervals tell how far a mean rank would move with other data sets of the same kind; two
    that overlap may still differ, because the algorithms are compared on the same tasks.

    Parameters
    ----------
    comparison : Comparison
        Its frame `summary` is drawn.
    ax : Axes, optional
        Axes to draw on; by default a new figure.
    width : str, float or Preset
        Width of the new figure: a venue's preset, a number of inches or a length.

    Returns
    -------
    Figure or Axes

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.mean_ranks()
    """
    table = comparison.summary.head(MOST_ALGORITHMS)
    total = len(comparison.summary)
    with one_axes(ax, width, 0.6 + 0.196 * len(table)) as axes:
        _dots(axes, table, list(comparison.summary["algorithm"]))
        level = getattr(comparison.settings, "confidence", 0.95)
        axes.set_xlabel("weighted mean rank (1 = best)")
        notes = []
        if table["mean_rank_ci_low"].isna().all():
            notes.append("No intervals: too few data sets to resample.")
        else:
            notes.append(f"{level:.0%} cluster-bootstrap intervals.")
        if len(table) < total:
            notes.append(f"The best {len(table)} of {total} algorithms.")
        note(axes, " ".join(notes))
        describe(axes, _words(table, level, total))
        return drawn_on(axes, ax)  # type: ignore[no-any-return]


def _dots(axes: Axes, table: pd.DataFrame, everyone: list[str]) -> None:
    looks = series_styles(everyone)
    for place, row in enumerate(records(table)):
        look = looks[str(row.algorithm)]
        axes.plot(
            [row.mean_rank_ci_low, row.mean_rank_ci_high],
            [place, place],
            color=look.color,
            lw=1.4,
            solid_capstyle="butt",
        )
        axes.plot(row.mean_rank, place, marker=look.marker, color=look.color, markersize=5)
        axes.annotate(
            f"{row.mean_rank:.2f}",
            (row.mean_rank, place),
            xytext=(0, 3.2),
            textcoords="offset points",
            ha="center",
            fontsize="small",
        )
    axes.set_yticks(np.arange(len(table)), labels(list(table["algorithm"]), limit=22))
    axes.set_ylim(len(table) - 0.5, -0.8)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _words(table: pd.DataFrame, level: float, total: int) -> str:
    parts = [
        f"{clean(row.algorithm)} {row.mean_rank:.2f}"
        + (
            f" ({row.mean_rank_ci_low:.2f} to {row.mean_rank_ci_high:.2f})"
            if np.isfinite(row.mean_rank_ci_low)
            else ""
        )
        for row in records(table.head(12))
    ]
    return (
        f"Weighted mean ranks of {total} algorithms with {level:.0%} cluster-bootstrap intervals, "
        f"best first: {', '.join(parts)}."
    )
