"""Mean ranks with confidence intervals over datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from occstats.comparison.text.columns import interval_kinds
from occstats.figures.drawing import drawing
from occstats.figures.frames import confidence_intervals, records
from occstats.figures.marks import intervals, plain_rows, row_height
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures.selection import by_mean_rank
from occstats.figures._labels import clean, measure

if TYPE_CHECKING:
    import pandas as pd

    from occstats.comparison import Comparison

__all__ = ["mean_ranks"]

MOST_ALGORITHMS = 40


@drawing("ax", SERIES)
def mean_ranks(pen: Pen, comparison: Comparison) -> None:
    """Draw the weighted mean rank of each algorithm with a confidence interval over datasets.

    The intervals describe each algorithm by itself. They decide nothing about a pair: algorithms
    are compared on the same tasks, so that two with overlapping intervals may still differ
    significantly, and all pairs are tested together, so that two with disjoint intervals may not.

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
    ranked = by_mean_rank(comparison)
    names = pen.series(comparison, MOST_ALGORITHMS, ranked=ranked)
    table = comparison.summary.set_index("algorithm").loc[names].reset_index()
    drawn = pen.row_names(names, roomy=len(names) <= 25)
    row = 0.16 if len(names) > 25 else row_height(drawn)
    axes = pen.axes(0.45 + row * len(names))
    intervals(
        axes,
        table,
        ("mean_rank", "mean_rank_ci_low", "mean_rank_ci_high"),
        [pen.plain_look(name) for name in names],
    )
    numbers = [f"{rank:.2f}" for rank in table["mean_rank"]]
    # Points from the axes to the right end of the numbers.
    right = 72 * max(measure(number, "small") for number in numbers) + 5
    for place, number in enumerate(numbers):
        axes.annotate(
            number,
            (1.0, place),
            xycoords=("axes fraction", "data"),
            xytext=(right, 0),
            textcoords="offset points",
            ha="right",
            va="center_baseline",
            fontsize="small",
        )
    pen.write_rows(axes, names, drawn)
    plain_rows(axes, len(names))
    axes.set_xlabel("weighted mean rank (1 = best)")
    kind = interval_words(comparison)
    pen.note(
        "No intervals: too few datasets to resample."
        if table["mean_rank_ci_low"].isna().all()
        else f"{kind} of single algorithms; they do not compare pairs."
    )
    pen.describe(_words(table, kind, len(comparison.summary)))


def interval_words(comparison: Comparison) -> str:
    """Return the level and the kind of the confidence intervals of mean ranks."""
    kind = interval_kinds(comparison.results.n_independent)["mean_rank"]
    return f"{confidence_intervals(comparison)} ({kind.name})"


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
