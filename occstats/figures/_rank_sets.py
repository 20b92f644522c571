"""Rank ranges: the ranks of each algorithm that are consistent with the decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from occstats.comparison import Comparison
from occstats.figures._base import (
    ROWS,
    Order,
    Plot,
    draw_intervals,
    format_rows,
    records,
    significance,
)
from occstats.figures._labels import clean
from occstats.figures._style import Palette, Width


def rank_sets(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    palette: Palette | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool | None = None,
) -> Axes:
    """Draw the ranks of each algorithm that are consistent with the decisions about all pairs.

    An algorithm that is significantly worse than three others has rank 4 at best; one that is
    significantly better than two of nine has rank 7 at worst. If the tests control the
    family-wise error rate over all pairs, these ranges are simultaneous confidence sets for the
    ranks (Mogstad et al. 2024). The symbol is the place in the summary table.

    Parameters
    ----------
    comparison : Comparison
        Its frames `pairwise` and `summary` are drawn.
    algorithms, order, labels, highlight, palette : optional
        Algorithms to draw, their order, labels and colours; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    References
    ----------
    Mogstad, M., Romano, J. P., Shaikh, A. M. & Wilhelm, D. (2024). Inference for ranks with
    applications to mobility across neighbourhoods and academic achievement across countries.
    Review of Economic Studies, 91(1), 476–518.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.rank_sets()
    """
    with Plot(ax, width, note) as plot:
        names = plot.algorithms(comparison, ROWS, algorithms, order, labels, highlight, palette)
        table = possible_ranks(comparison).loc[names]
        axes, drawn = plot.row_axes(names, 0.45)
        draw_intervals(
            axes, table, ("place", "best", "worst"), [plot.plain_look(name) for name in names]
        )
        plot.label_rows(axes, names, drawn)
        format_rows(axes, len(names))
        total = len(comparison.summary)
        axes.set_xlim(0.5, total + 0.5)
        round_numbers = MaxNLocator(8, integer=True).tick_values(1, total)
        axes.set_xticks([1, *(rank for rank in round_numbers if 1 < rank <= total)])
        axes.set_xlabel("rank (1 = best)")
        plot.note(
            f"Ranks consistent with the decisions {significance(comparison)}. "
            "Symbol: place in the table."
        )
        return plot.finish(axes, _alternative_text(table))


def possible_ranks(comparison: Comparison) -> pd.DataFrame:
    """Return the place of each algorithm in the table, and its best and worst possible rank."""
    table = comparison.summary.set_index("algorithm")[["rank_low", "rank_high"]]
    table.insert(0, "place", np.arange(1, len(table) + 1))
    return table.set_axis(["place", "best", "worst"], axis=1)


def _alternative_text(table: pd.DataFrame) -> str:
    parts = [
        f"{clean(row.Index)} {row.best} to {row.worst}" if row.best < row.worst
        else f"{clean(row.Index)} {row.best}"
        for row in records(table.head(20))
    ]  # fmt: skip
    return (
        f"Ranks of {len(table)} algorithms that are consistent with the decisions about all pairs: "
        f"{', '.join(parts)}."
    )
