"""Distribution of the scores of each algorithm, every dataset with the same weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from occstats._format import count, listing
from occstats.comparison import Comparison
from occstats.figures._base import (
    ROWS,
    Order,
    Plot,
    density,
    draw_points,
    fence,
    score_label,
)
from occstats.figures._labels import clean
from occstats.figures._style import ArtistOptions, Width, ink, paper

MOST_POINTS = 400


def distributions(
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
    """Draw a half violin, a box and the individual tasks for each algorithm.

    Density, quartiles and the area of the points follow the weights of the tasks, so that a
    dataset with many classes counts no more than one with two. The diamond is the weighted mean.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    algorithms, order, labels, highlight : optional
        Algorithms to draw, their order and labels; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.distributions()
    """
    with Plot(ax, width, note) as plot:
        names = plot.algorithms(comparison, ROWS, algorithms, order, labels, highlight)
        scores = comparison.results.scores[names].to_numpy(dtype=float)
        weights = np.asarray(comparison.results.weights, dtype=float)
        # At most as tall as a page.
        axes = plot.axes(min(0.45 + 0.308 * len(names), 8.6))
        plot.label_rows(axes, names, plot.row_labels(names, lines=2))
        low, high = fence(scores)
        beyond = int(((scores < low) | (scores > high)).sum())
        if beyond:
            plot.note(f"{count(beyond, 'score')} beyond the axis.")
        margin = 0.03 * (high - low) or 0.05
        axes.set_xlim(low - margin, high + margin)
        unknown = comparison.summary.set_index("algorithm")["mean_score"].isna()
        if failed := [plot.label(name) for name in names if unknown[name]]:
            plot.note(f"Failures of {listing(failed)} are not drawn, and their means are unknown.")
        strips = []
        for place, name in enumerate(names):
            here = np.isfinite(scores[:, place])
            if here.any():
                colour = plot.tint(name)
                _draw_one(axes, place, scores[here, place], weights[here], colour)
                if not unknown[name]:
                    mean = float(np.average(scores[here, place], weights=weights[here]))
                    style: ArtistOptions = {"markeredgecolor": ink(), "markeredgewidth": 0.7}
                    axes.plot(mean, place + 0.06, "D", color=paper(), markersize=3, **style)
                # Seeded, so that the bytes are reproducible.
                generator = np.random.default_rng(place)
                points = {"score": scores[here, place], "weight": weights[here], "colour": colour}
                strip = pd.DataFrame(points)
                if len(strip) > MOST_POINTS:
                    kept = generator.choice(len(strip), MOST_POINTS, replace=False)
                    strip = strip.iloc[kept]
                heights = place + generator.uniform(0.18, 0.42, len(strip))
                strips.append(strip.assign(place=heights))
        tasks = pd.concat(strips)
        draw_points(axes, tasks, "score", "place", largest=2.8, alpha=0.55)
        axes.set_xlabel(f"{score_label(comparison)} of a task")
        plot.note(
            "Curve: density; thick line: quartiles, thin: 5 to 95\u2009%, gap: median, diamond: "
            "mean; points: tasks, area by weight."
        )
        return plot.finish(axes, _alternative_text(comparison, names, scores, weights))


def _draw_one(
    axes: Axes, place: int, values: NDArray[np.float64], weights: NDArray[np.float64], colour: str
) -> None:
    left, right = axes.get_xlim()
    # A diverged run would make the density wide and flat.
    shown = (left <= values) & (values <= right)
    if shown.any() and np.ptp(values[shown]) > 1e-12:
        # No density beyond the observed scores.
        x = np.linspace(values[shown].min(), values[shown].max(), 128)
        height = density(x, values[shown], weights[shown])
        curve = place - 0.06 - 0.4 * height / height.max()
        axes.fill_between(x, place - 0.06, curve, color=colour, alpha=0.35, lw=0)
        axes.plot(x, curve, color=colour, alpha=0.6, lw=0.8)
    low, first, middle, third, high = _quantiles(values, weights, [0.05, 0.25, 0.5, 0.75, 0.95])
    level = place + 0.06
    axes.plot([low, high], [level] * 2, color=ink(), lw=0.6)
    axes.plot([first, third], [level] * 2, color=ink(), lw=2.6, solid_capstyle="butt")
    axes.plot(middle, level, marker="|", color=paper(), markersize=3.5, markeredgewidth=1.2)


def _quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], at: list[float]
) -> NDArray[np.float64]:
    """Return weighted quantiles: the smallest value whose cumulative weight reaches each share.

    >>> _quantiles(np.array([1.0, 2.0, 3.0]), np.array([1, 1, 2]), [0.5, 1.0]).tolist()
    [2.0, 3.0]
    """
    found = np.quantile(values, at, weights=weights, method="inverted_cdf")
    return np.asarray(found, dtype=float)


def _alternative_text(
    comparison: Comparison,
    names: list[str],
    scores: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> str:
    parts = []
    for place, name in enumerate(names[:12]):
        here = np.isfinite(scores[:, place])
        if here.any():
            first, middle, third = _quantiles(scores[here, place], weights[here], [0.25, 0.5, 0.75])
            parts.append(f"{clean(name)} {middle:.3f} ({first:.3f} to {third:.3f})")
    return (
        f"Distributions of {clean(comparison.results.score_name)} of {len(names)} algorithms over "
        f"{comparison.results.n_tasks} tasks in {comparison.results.n_clusters} datasets. "
        f"Weighted median and quartiles: {', '.join(parts)}."
    )
