"""Mean rank by difficulty of the task (a figure of Lenz et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import FigureBase
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from occstats._format import decimals, minus_signs
from occstats.comparison import Comparison
from occstats.comparison.study import clusters_of
from occstats.comparison.text.digits import mean_digits
from occstats.figures._base import ROWS, Order, Plot, confidence_intervals, score_label
from occstats.figures._labels import clean
from occstats.figures._style import FADED, Width
from occstats.stats.ranks import strata_intervals


def strata(
    comparison: Comparison,
    *,
    algorithms: int | Sequence[str] | None = None,
    order: Order = "rank",
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    figure: FigureBase | None = None,
    width: Width = "column",
    note: bool = True,
) -> NDArray[Any]:
    """Draw the mean rank in strata of the tasks' median score, one panel per algorithm.

    Each panel has the line of its algorithm, with a confidence interval from resampling whole
    datasets at each stratum, in front of the lines of the others. A stratum with tasks of a single
    dataset has no interval.

    Parameters
    ----------
    comparison : Comparison
        Its frame `strata` is drawn.
    algorithms, order, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    figure, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Returns
    -------
    ndarray of Axes
        One for each panel.

    Examples
    --------
    The selection of Lenz et al. (2021):

    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> axes = comparison.plot.strata(algorithms=["ALP", "SVM", "LOF", "IF"])
    """
    with Plot(figure, width, note) as plot:
        names = plot.algorithms(comparison, ROWS, algorithms, order, labels, highlight)
        table = comparison.strata
        strata = table.drop_duplicates("stratum").sort_values("low").reset_index(drop=True)
        means = table.pivot(index="stratum", columns="algorithm", values="mean_rank")
        means = means.reindex(index=strata["stratum"], columns=names)
        direction = "hard → easy" if comparison.results.higher_is_better else "easy → hard"
        panels = plot.panel_each(names, f"difficulty ({direction})", "mean rank")
        ends = _ends(comparison, strata, names)
        places = np.arange(len(strata))
        for column, (axes, name) in enumerate(zip(panels, names, strict=True)):
            colour = plot.tint(name)
            axes.plot(places, means.drop(columns=name), color=FADED, lw=0.5, zorder=1)
            axes.plot(places, means[name], "o-", color=colour, ms=3, lw=1.2, zorder=3)
            axes.vlines(places, *ends[:, :, column], color=colour, lw=1.2, zorder=2)
            axes.grid(axis="y")
            axes.set_xticks(places, [str(place + 1) for place in places])
        panels[0].yaxis.set_major_locator(MaxNLocator(4, integer=True))
        panels[0].invert_yaxis()
        panels[0].margins(x=0.1)
        write = decimals(mean_digits(comparison))
        bounds = [
            f"{place}:\u00a0{write(low)}\u00a0to\u00a0{write(high)}\u00a0({tasks})"
            for place, (low, high, tasks) in enumerate(
                strata[["low", "high", "n_tasks"]].itertuples(index=False), 1
            )
        ]
        plot.note(
            f"Strata of tasks by median {score_label(comparison)} (number of tasks): "
            f"{minus_signs('; '.join(bounds))}."
        )
        if np.isfinite(ends).any():
            plot.note(f"{confidence_intervals(comparison)} (cluster bootstrap).")
        return plot.finish_panels(panels, _alternative_text(means, strata))


def _ends(comparison: Comparison, places: pd.DataFrame, names: list[str]) -> NDArray[np.float64]:
    """Return the ends of the intervals (2 × strata × algorithms) in the order of the axis."""
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
        confidence=1 - comparison.settings.alpha,
        random_state=comparison.settings.random_state,
    )
    # Strata are numbered from the hardest; if lower is better, the axis starts at the easiest.
    order = places["stratum"].to_numpy(dtype=int) - 1
    return np.asarray(found)[:, order]


def _alternative_text(means: pd.DataFrame, places: pd.DataFrame) -> str:
    parts = []
    for (_, row), place in zip(means.iterrows(), places.itertuples(), strict=True):
        if row.notna().any():
            best = str(row.idxmin())
            parts.append(
                f"{place.low:.2g} to {place.high:.2g} ({place.n_tasks} tasks): "
                f"{clean(best)} with {row[best]:.2f}"
            )
    return (
        f"Lines of the mean rank of {means.shape[1]} algorithms over strata of the task's "
        f"median score. Best in each stratum: {'; '.join(parts)}."
    )
