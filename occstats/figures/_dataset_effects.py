"""A forest plot of one pair: its mean difference on each dataset, summary and prediction."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from occstats.comparison import Comparison
from occstats.comparison.heterogeneity import dataset_effects as effects_of
from occstats.comparison.heterogeneity import new_dataset_sentence
from occstats.comparison.settings import ESTIMANDS
from occstats.comparison.text.verdict import difference_of
from occstats.errors import FigureError
from occstats.figures._base import (
    Plot,
    chosen_pair,
    confidence_intervals,
    fence,
    format_rows,
    score_label,
)
from occstats.figures._labels import clean
from occstats.figures._style import BLUE, ORANGE, Width, ink

MOST_DATASETS = 60


def dataset_effects(
    comparison: Comparison,
    a: str | None = None,
    b: str | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw the mean difference of two algorithms on every dataset, largest first.

    Lines are confidence intervals of single datasets, from their tasks or folds. Below, the diamond
    is the difference that decides, with its interval, and the bar is the prediction interval for
    the mean difference on a new dataset.

    Parameters
    ----------
    comparison : Comparison
        Its `results`, `pairwise` and `heterogeneity` are drawn.
    a, b : str, optional
        The algorithms; by default the best two, or the control and its best rival.
    labels : optional
        Labels to write instead of names; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.dataset_effects("ALP", "LOF")
    """
    with Plot(ax, width, note) as plot:
        first, second = chosen_pair(comparison, a, b)
        results, settings = comparison.results, comparison.settings
        table = effects_of(results, first, second).sort_values("difference", ascending=False)
        sentence = new_dataset_sentence(comparison, first, second)
        if len(table) < 2 or not sentence:
            raise FigureError(f"{first!r} and {second!r} need mean scores on at least two datasets")
        if len(table) > MOST_DATASETS:
            half = MOST_DATASETS // 2
            plot.note(f"The {half} largest and the {half} smallest of {len(table):,} differences.")
            table = pd.concat([table.head(half), table.tail(half)])
        plot.style(comparison.algorithms, labels)
        n = len(table)
        axes = plot.axes(0.6 + (0.13 if n > 25 else 0.17) * (n + 3))
        _draw_datasets(axes, table, settings.alpha)
        _draw_summary(axes, comparison, first, second, n)
        names = plot.row_labels([str(name) for name in table["dataset"]], lines=1)
        names += [f"all {results.unit}s", f"new {results.unit}"]
        axes.set_yticks([*range(n), n + 1, n + 2], names)
        format_rows(axes, n + 3)
        axes.axvline(0, color=ink(), lw=0.7, zorder=0)
        pair = difference_of(comparison.results, plot.label(first), plot.label(second))
        plot.label_values(axes, f"difference in {score_label(comparison)}, {pair}")
        plot.note(
            f"Points: mean difference on each {results.unit}; diamond: "
            f"{ESTIMANDS[settings.estimand or 'typical']} over all, which decides; lines: "
            f"{confidence_intervals(comparison)}; bar: {100 * (1 - settings.alpha):.4g}\u00a0% "
            f"prediction interval for the mean difference on a new {results.unit}."
        )
        return plot.finish(
            axes,
            f"Forest plot of the mean difference between {clean(first)} and {clean(second)} on "
            f"{n} {results.unit}s, from {table['difference'].iloc[0]:+.3f} on "
            f"{clean(str(table['dataset'].iloc[0]))} to {table['difference'].iloc[-1]:+.3f} on "
            f"{clean(str(table['dataset'].iloc[-1]))}. {sentence}",
        )


def _draw_datasets(axes: Axes, table: pd.DataFrame, alpha: float) -> None:
    from scipy.special import ndtri

    centre, rows = table["difference"].to_numpy(float), np.arange(len(table))
    reach = ndtri(1 - alpha / 2) * table["standard_error"].to_numpy(float)
    colours = np.where(centre > 0, BLUE, ORANGE)
    axes.hlines(rows, centre - reach, centre + reach, colors=list(colours), lw=0.8)
    axes.scatter(centre, rows, c=list(colours), s=9, zorder=3)
    low, high = fence([*centre, *(centre - reach), *(centre + reach)])
    pad = 0.04 * (high - low) or 0.05
    axes.set_xlim(min(low - pad, -pad), max(high + pad, pad))


def _draw_summary(axes: Axes, comparison: Comparison, a: str, b: str, below: int) -> None:
    """Draw the difference that decides, its interval, and the prediction interval."""
    pairs, frame = comparison.pairwise_full, comparison.heterogeneity
    row = pairs[(pairs["a"] == a) & (pairs["b"] == b)].iloc[0]
    axes.plot(row["difference"], below + 1, "D", color=ink(), markersize=4.5)
    found = frame[frame["a"].isin([a, b]) & frame["b"].isin([a, b])].iloc[0]
    ends = found[["prediction_low", "prediction_high"]].to_numpy(float)
    ends = ends if found["a"] == a else -ends[::-1]
    lines = [(below + 2, *ends, {"colors": "#8C8C8C", "lw": 5})]
    if comparison.settings.has_intervals:
        lines.append((below + 1, row["ci_low"], row["ci_high"], {"colors": ink(), "lw": 1.4}))
    # Infinite limits are drawn to the edge.
    finite = [end for _, low, high, _ in lines for end in (low, high) if np.isfinite(end)]
    edges = [*axes.get_xlim(), *(1.03 * end for end in finite)]
    axes.set_xlim(min(edges), max(edges))
    for place, low, high, style in lines:
        axes.hlines(place, *np.clip([low, high], *axes.get_xlim()), **style)
