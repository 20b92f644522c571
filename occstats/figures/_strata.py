"""Mean rank by difficulty of the task (the paper's figure of ranks by difficulty)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from occstats.comparison.study import clusters_of
from occstats.figures.drawing import drawing
from occstats.figures.frames import confidence, confidence_intervals, records
from occstats.figures.legends import series_legend
from occstats.figures.marks import lines
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures.selection import score_label
from occstats.figures._style import bounded
from occstats.figures._labels import clean
from occstats.stats.strata import strata_intervals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from occstats.comparison import Comparison

__all__ = ["strata"]

MOST_ALGORITHMS = 6
# How much of the way to the next stratum the algorithms of one share.
_SPREAD = 0.4


@drawing("ax", SERIES)
def strata(pen: Pen, comparison: Comparison) -> None:
    """Draw the weighted mean rank of some algorithms in strata of the tasks' median score.

    Thin lines are intervals from resampling whole datasets; they stand beside each other so that
    all can be seen. A stratum with tasks of a single dataset has none.

    Parameters
    ----------
    comparison : Comparison
        Its frame `strata` is drawn.
    {options}

    Examples
    --------
    The selection of the paper:

    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> figure = comparison.plot.strata(algorithms=["ALP", "SVM", "LOF", "IF"])
    """
    names = pen.series(comparison, MOST_ALGORITHMS)
    table = comparison.strata
    places = table.drop_duplicates("stratum").sort_values("low").reset_index(drop=True)
    means = table.pivot(index="stratum", columns="algorithm", values="mean_rank")
    means = means.reindex(index=places["stratum"], columns=names)
    axes = pen.axes(bounded(pen.inches, 0.78, 3.2))
    ends = _ends(comparison, places, names)
    _lines(axes, pen, means, ends)
    axes.set_xticks(np.arange(len(places)), _intervals(places))
    direction = " (hard → easy)" if comparison.results.higher_is_better else " (easy → hard)"
    axes.set_xlabel(f"median {score_label(comparison)} of the task{direction}")
    axes.set_ylabel("weighted mean rank (1 = best)")
    if np.isfinite(ends).any():
        pen.note(f"{confidence_intervals(comparison)} (cluster bootstrap).")
    pen.describe(_words(means, places))


def _ends(comparison: Comparison, places: pd.DataFrame, names: list[str]) -> NDArray[np.float64]:
    """Return the ends of the intervals: two × strata × algorithms, in the order of the axis."""
    ranks, results = comparison.ranks, comparison.results
    sign = 1.0 if results.higher_is_better else -1.0
    trait = sign * results.scores.loc[ranks.index].median(axis=1).to_numpy(dtype=float)
    edges = np.unique(sign * places[["low", "high"]].to_numpy(dtype=float))
    shape = (2, len(places), len(names))
    if len(edges) != len(places) + 1 or results.n_independent < 2:
        return np.full(shape, np.nan)
    found = strata_intervals(
        ranks[names].to_numpy(dtype=float),
        np.clip(trait, edges[0], edges[-1]),
        clusters_of(results).keep(results.scores.index.isin(ranks.index)),
        edges.tolist(),
        confidence=confidence(comparison),
        random_state=comparison.settings.random_state,
    )
    # Strata are counted from the hardest; where lower is better the axis begins with the easiest.
    order = places["stratum"].to_numpy(dtype=int) - 1
    return np.asarray(found)[:, order]


def _lines(axes: Axes, pen: Pen, means: pd.DataFrame, ends: NDArray[np.float64]) -> None:
    names = [str(name) for name in means.columns]
    tidy = means.set_axis(np.arange(len(means))).melt(
        ignore_index=False, var_name="algorithm", value_name="mean_rank"
    )
    looks = {name: pen.look(name) for name in names}
    shifts = _SPREAD * (np.arange(len(names)) - (len(names) - 1) / 2) / max(len(names), 4)
    tidy = tidy.reset_index(names="place")
    tidy["place"] += tidy["algorithm"].map(dict(zip(names, shifts, strict=True)))
    lines(axes, tidy, "place", "mean_rank", "algorithm", looks)
    for column, name in enumerate(names):
        axes.vlines(
            np.arange(len(means)) + shifts[column], *ends[:, :, column],
            color=looks[name].color, lw=0.7, alpha=0.7, zorder=1,
        )  # fmt: skip
    axes.invert_yaxis()
    axes.margins(x=0.06, y=0.08)
    axes.grid(axis="y")
    series_legend(axes, pen, names)


def _intervals(places: pd.DataFrame) -> list[str]:
    many = len(places) > 7
    return [
        f"{row.low:.2g}–{row.high:.2g}" + ("" if many else f"\n({row.n_tasks} tasks)")
        for row in records(places)
    ]


def _words(means: pd.DataFrame, places: pd.DataFrame) -> str:
    parts = []
    for (_, row), place in zip(means.iterrows(), records(places), strict=True):
        if row.notna().any():
            best = str(row.idxmin())
            parts.append(
                f"{place.low:.2g} to {place.high:.2g} ({place.n_tasks} tasks): "
                f"{clean(best)} with {row[best]:.2f}"
            )
    return (
        f"Lines of the weighted mean rank of {means.shape[1]} algorithms over strata of the task's "
        f"median score. Best in each stratum: {'; '.join(parts)}."
    )
