"""Mean ranks with intervals over data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from occstats.comparison.words.explain import interval_kinds
from occstats.figures.drawing import drawing
from occstats.figures.frames import records
from occstats.figures.marks import intervals, plain_rows, row_height
from occstats.figures.options import SERIES
from occstats.figures.pen import Pen
from occstats.figures.text import clean

if TYPE_CHECKING:
    import pandas as pd

    from occstats.comparison import Comparison

__all__ = ["mean_ranks"]

MOST_ALGORITHMS = 40


@drawing("ax", SERIES)
def mean_ranks(pen: Pen, comparison: Comparison) -> None:
    """Draw each algorithm's weighted mean rank with its interval over data sets.

    The intervals are confidence intervals of mean ranks over all data sets of the same kind; two
    that overlap may still differ, because the algorithms are compared on the same tasks.

    Parameters
    ----------
    comparison : Comparison
        Its frame `summary` is drawn.
    {options}

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.mean_ranks(highlight="ALP")
    """
    names = pen.series(comparison, MOST_ALGORITHMS)
    table = comparison.summary.set_index("algorithm").loc[names].reset_index()
    drawn = pen.row_names(names, roomy=len(names) <= 25)
    crowded = len(names) > 25
    row = 0.16 if crowded else row_height(drawn)
    axes = pen.axes(0.45 + row * len(names))
    intervals(
        axes,
        table,
        ("mean_rank", "mean_rank_ci_low", "mean_rank_ci_high"),
        [pen.look(name) for name in names],
    )
    for place, rank in enumerate(table["mean_rank"]):
        # Between rows that are close, a number would touch the interval above it.
        axes.annotate(
            f"{rank:.2f}",
            (1.0 if crowded else rank, place),
            xycoords=("axes fraction" if crowded else "data", "data"),
            xytext=(26, 0) if crowded else (0, 2.8),
            textcoords="offset points",
            ha="right" if crowded else "center",
            va="center" if crowded else "baseline",
            fontsize="small",
        )
    pen.write_rows(axes, names, drawn)
    plain_rows(axes, len(names))
    axes.set_xlabel("weighted mean rank (1 = best)")
    kind = interval_words(comparison)
    pen.note(
        "No intervals: too few data sets to resample."
        if table["mean_rank_ci_low"].isna().all()
        else f"{kind}."
    )
    pen.describe(_words(table, kind, len(comparison.summary)))


def interval_words(comparison: Comparison) -> str:
    """Return of what level and kind the intervals of mean ranks are."""
    kind = interval_kinds(comparison.results.n_independent)["mean_rank"]
    return f"{comparison.settings.confidence:.0%} intervals ({kind.name})"


def _words(table: pd.DataFrame, kind: str, total: int) -> str:
    parts = [
        f"{clean(row.algorithm)} {row.mean_rank:.2f}"
        + (
            f" ({row.mean_rank_ci_low:.2f} to {row.mean_rank_ci_high:.2f})"
            if np.isfinite(row.mean_rank_ci_low)
            else ""
        )
        for row in records(table.head(12))
    ]
    return f"Weighted mean ranks of {total} algorithms with {kind}: {', '.join(parts)}."
