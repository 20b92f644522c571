"""Mean ranks with confidence intervals over datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from occstats.comparison.text.columns import interval_kinds
from occstats.figures._base import (
    ROWS,
    Order,
    Plot,
    by_mean_rank,
    confidence_intervals,
    draw_intervals,
    write_column,
)
from occstats.figures._labels import clean
from occstats.figures._style import Width

if TYPE_CHECKING:
    import pandas as pd

    from occstats.comparison import Comparison


def mean_ranks(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw the mean rank of each algorithm with a confidence interval over datasets.

    The intervals describe single algorithms and do not compare pairs: algorithms are compared on
    the same tasks, so that two with overlapping intervals may still differ significantly, and all
    pairs are tested together, so that two with disjoint intervals may not.

    Parameters
    ----------
    comparison : Comparison
        Its frame `summary` is drawn.
    algorithms, order, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.mean_ranks(highlight="ALP")
    """
    with Plot(ax, width, note) as plot:
        names = plot.algorithms(
            comparison, ROWS, algorithms, order, labels, highlight,
            ranked=by_mean_rank(comparison),
        )  # fmt: skip
        table = comparison.summary.set_index("algorithm").loc[names].reset_index()
        axes = plot.rows(names)
        columns = ("mean_rank", "mean_rank_ci_low", "mean_rank_ci_high")
        draw_intervals(axes, table, columns, [(plot.tint(name), "o") for name in names])
        write_column(axes, [f"{rank:.2f}" for rank in table["mean_rank"]])
        axes.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
        axes.set_xlabel("mean rank (1 = best)")
        name = interval_kinds(comparison.results.n_independent)["mean_rank"].name
        kind = f"{confidence_intervals(comparison)} ({name})"
        plot.note(
            "No intervals: too few datasets to resample."
            if table["mean_rank_ci_low"].isna().all()
            else f"{kind} of single algorithms; they do not compare pairs."
        )
        return plot.finish(axes, _alternative_text(table, kind, len(comparison.summary)))


def _alternative_text(table: pd.DataFrame, kind: str, total: int) -> str:
    numbers = table[["mean_rank", "mean_rank_ci_low", "mean_rank_ci_high"]].to_numpy(float)
    parts = [
        f"{clean(name)} {rank:.2f}" + (f" ({low:.2f} to {high:.2f})" if np.isfinite(low) else "")
        for name, (rank, low, high) in zip(table["algorithm"], numbers, strict=True)
    ]
    return f"Mean ranks of {total} algorithms with {kind}: {', '.join(parts[:12])}."
