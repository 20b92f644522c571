"""Rank ranges: the ranks of each algorithm that are consistent with the decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.ticker import MaxNLocator

from occstats.figures.drawing import drawing
from occstats.figures.frames import records, significance
from occstats.figures.marks import intervals, plain_rows, row_height
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures._labels import clean

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["possible_ranks", "rank_sets"]

MOST_ALGORITHMS = 40


@drawing("ax", SERIES)
def rank_sets(pen: Pen, comparison: Comparison) -> None:
    """Draw the ranks of each algorithm that are consistent with the decisions about all pairs.

    An algorithm that is significantly worse than three others has rank 4 at best; one that is
    significantly better than two of nine has rank 7 at worst. If the tests control the
    family-wise error rate over all pairs, these ranges are simultaneous confidence sets for the
    ranks (Mogstad et al. 2024). The symbol is the place in the summary table.

    Parameters
    ----------
    comparison : Comparison
        Its frames `pairwise` and `summary` are drawn.
    {options}

    References
    ----------
    Mogstad, M., Romano, J. P., Shaikh, A. M. & Wilhelm, D. (2024). Inference for ranks with
    applications to mobility across neighbourhoods and academic achievement across countries.
    Review of Economic Studies, 91(1), 476–518.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.rank_sets()
    """
    names = pen.series(comparison, MOST_ALGORITHMS)
    table = possible_ranks(comparison).loc[names]
    drawn = pen.row_names(names, roomy=len(names) <= 25)
    row = row_height(drawn) if len(names) <= 25 else 0.16
    axes = pen.axes(0.45 + row * len(names))
    intervals(axes, table, ("place", "best", "worst"), [pen.plain_look(name) for name in names])
    pen.write_rows(axes, names, drawn)
    plain_rows(axes, len(names))
    total = len(comparison.summary)
    axes.set_xlim(0.5, total + 0.5)
    round_numbers = MaxNLocator(8, integer=True).tick_values(1, total)
    axes.set_xticks([1, *(rank for rank in round_numbers if 1 < rank <= total)])
    axes.set_xlabel("rank (1 = best)")
    pen.note(
        f"Ranks consistent with the decisions {significance(comparison)}. "
        "Symbol: place in the table."
    )
    pen.describe(_words(table))


def possible_ranks(comparison: Comparison) -> pd.DataFrame:
    """Return the place of each algorithm in the table, and its best and worst possible rank."""
    summary = comparison.summary.set_index("algorithm")
    return pd.DataFrame(
        {
            "place": np.arange(1, len(summary) + 1),
            "best": summary["rank_low"],
            "worst": summary["rank_high"],
        }
    )


def _words(table: pd.DataFrame) -> str:
    parts = [
        f"{clean(row.Index)} {row.best} to {row.worst}" if row.best < row.worst
        else f"{clean(row.Index)} {row.best}"
        for row in records(table.head(20))
    ]  # fmt: skip
    return (
        f"Ranks of {len(table)} algorithms that are consistent with the decisions about all pairs: "
        f"{', '.join(parts)}."
    )
