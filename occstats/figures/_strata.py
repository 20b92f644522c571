"""Mean rank by difficulty of the task (a figure of Lenz et al. 2021)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from occstats.comparison import Comparison
from occstats.comparison.study import clusters_of
from occstats.figures._base import (
    Order,
    Plot,
    confidence_intervals,
    draw_lines,
    records,
    score_label,
)
from occstats.figures._labels import clean
from occstats.figures._style import Palette, Theme, Width
from occstats.stats.strata import strata_intervals

MOST_ALGORITHMS = 6
# Share of the distance between strata over which their algorithms are spread.
_SPREAD = 0.4


def strata(
    comparison: Comparison,
    *,
    algorithms: Sequence[str] | None = None,
    order: Order = "rank",
    show: int | None = None,
    labels: Mapping[str, str] | None = None,
    highlight: str | Sequence[str] | None = None,
    hue: Mapping[str, str] | None = None,
    palette: Palette | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    height: float | None = None,
    theme: Theme = "house",
    title: str | None = None,
    note: bool = True,
) -> Axes:
    """Draw the weighted mean rank of some algorithms in strata of the tasks' median score.

    Thin lines are confidence intervals from resampling whole datasets, side by side so that all
    are visible. A stratum with tasks of a single dataset has none.

    Parameters
    ----------
    comparison : Comparison
        Its frame `strata` is drawn.
    algorithms, order, show, labels, highlight, hue, palette : optional
        Algorithms to draw, their order, labels and colours; see `occstats.figures`.
    ax, width, height, theme, title, note : optional
        Where to draw, size, style, title and note; see `occstats.figures`.

    Examples
    --------
    The selection of Lenz et al. (2021):

    >>> import occstats
    >>> comparison = occstats.compare("lenz2021")
    >>> axes = comparison.plot.strata(algorithms=["ALP", "SVM", "LOF", "IF"])
    """
    with Plot(ax, width, height, theme, title, note) as plot:
        names = plot.algorithms(
            comparison, MOST_ALGORITHMS, algorithms, order, show, labels, highlight, hue, palette
        )
        table = comparison.strata
        places = table.drop_duplicates("stratum").sort_values("low").reset_index(drop=True)
        means = table.pivot(index="stratum", columns="algorithm", values="mean_rank")
        means = means.reindex(index=places["stratum"], columns=names)
        axes = plot.axes(min(0.78 * plot.inches, 3.2))
        ends = _ends(comparison, places, names)
        _draw(axes, plot, means, ends)
        strata_labels = [
            f"{row.low:.2g}–{row.high:.2g}"
            + (f"\n({row.n_tasks} tasks)" if len(places) <= 7 else "")
            for row in records(places)
        ]
        axes.set_xticks(np.arange(len(places)), strata_labels)
        direction = " (hard → easy)" if comparison.results.higher_is_better else " (easy → hard)"
        axes.set_xlabel(f"median {score_label(comparison)} of the task{direction}")
        axes.set_ylabel("weighted mean rank (1 = best)")
        if np.isfinite(ends).any():
            plot.note(f"{confidence_intervals(comparison)} (cluster bootstrap).")
        return plot.finish(_alternative_text(means, places))


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


def _draw(axes: Axes, plot: Plot, means: pd.DataFrame, ends: NDArray[np.float64]) -> None:
    names = [str(name) for name in means.columns]
    tidy = means.set_axis(np.arange(len(means))).melt(
        ignore_index=False, var_name="algorithm", value_name="mean_rank"
    )
    looks = {name: plot.look(name) for name in names}
    shifts = _SPREAD * (np.arange(len(names)) - (len(names) - 1) / 2) / max(len(names), 4)
    tidy = tidy.reset_index(names="place")
    tidy["place"] += tidy["algorithm"].map(dict(zip(names, shifts, strict=True)))
    draw_lines(axes, tidy, "place", "mean_rank", "algorithm", looks)
    for column, name in enumerate(names):
        axes.vlines(
            np.arange(len(means)) + shifts[column], *ends[:, :, column],
            color=looks[name].color, lw=0.7, alpha=0.7, zorder=1,
        )  # fmt: skip
    axes.invert_yaxis()
    axes.margins(x=0.06, y=0.08)
    axes.grid(axis="y")
    plot.legend(axes, names)


def _alternative_text(means: pd.DataFrame, places: pd.DataFrame) -> str:
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
