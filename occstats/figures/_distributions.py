"""Distribution of the scores of each algorithm, every dataset with the same weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from numpy.typing import NDArray

from occstats._format import count
from occstats.figures.drawing import drawing
from occstats.figures.marks import plain_rows, points, quantiles, unnamed
from occstats.figures.options import SERIES
from occstats.figures._base import Pen
from occstats.figures.selection import fence, score_label
from occstats.figures._labels import clean

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["distributions"]

MOST_ALGORITHMS = 20
MOST_POINTS = 400


@drawing("ax", SERIES)
def distributions(pen: Pen, comparison: Comparison) -> None:
    """Draw half a violin, a box and the tasks themselves for each algorithm.

    Density, quartiles and the area of each point follow the weights of the tasks, so that a data
    set with many classes counts no more than one with two. The diamond is the weighted mean.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    {options}

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.distributions()
    """
    names = pen.series(comparison, MOST_ALGORITHMS)
    scores = comparison.results.scores[names].to_numpy(dtype=float)
    weights = np.asarray(comparison.results.weights, dtype=float)
    axes = pen.axes(0.45 + 0.308 * len(names))
    pen.write_rows(axes, names, pen.row_names(names, roomy=True))
    plain_rows(axes, len(names))
    _limit(axes, pen, scores)
    strips = []
    for place, name in enumerate(names):
        here = np.isfinite(scores[:, place])
        if here.any():
            colour = pen.look(name).color
            _one(axes, pen, place, scores[here, place], weights[here], colour)
            strips.append(_strip(place, scores[here, place], weights[here], colour))
    tasks = pd.concat(strips)
    points(
        axes, tasks["score"], tasks["place"], tasks["weight"],
        largest=2.8, colours=tasks["colour"], alpha=0.55,
    )  # fmt: skip
    axes.set_xlabel(f"{score_label(comparison)} of a task")
    pen.note(
        "Curve: density; thick line: quartiles, thin: 5 to 95\u2009%, gap: median, diamond: mean; "
        "points: tasks, area by weight."
    )
    pen.describe(_words(comparison, names, scores, weights))


def _limit(axes: Axes, pen: Pen, scores: NDArray[np.float64]) -> None:
    low, high = fence(scores)
    beyond = int(((scores < low) | (scores > high)).sum())
    if beyond:
        pen.note(f"{count(beyond, 'score')} beyond the axis.")
    margin = 0.03 * (high - low) or 0.05
    axes.set_xlim(low - margin, high + margin)


def _one(
    axes: Axes,
    pen: Pen,
    place: int,
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    colour: str,
) -> None:
    left, right = axes.get_xlim()
    # A run that diverged would make the curve of all others wide and flat.
    shown = (left <= values) & (values <= right)
    if shown.any() and np.ptp(values[shown]) > 1e-12:
        _density(axes, place, values[shown], weights[shown], colour)
    low, first, middle, third, high = quantiles(values, weights, [0.05, 0.25, 0.5, 0.75, 0.95])
    level = place + 0.06
    axes.plot([low, high], [level] * 2, color=pen.ink, lw=0.6)
    axes.plot([first, third], [level] * 2, color=pen.ink, lw=2.6, solid_capstyle="butt")
    axes.plot(middle, level, marker="|", color=pen.paper, markersize=3.5, markeredgewidth=1.2)
    axes.plot(
        float(np.average(values, weights=weights)),
        level,
        "D",
        color=pen.paper,
        markersize=3,
        markeredgecolor=pen.ink,
        markeredgewidth=0.7,
    )


def _strip(
    place: int, values: NDArray[np.float64], weights: NDArray[np.float64], colour: str
) -> pd.DataFrame:
    # A generator of its own: the same figure twice has the same bytes.
    generator = np.random.default_rng(place)
    table = pd.DataFrame({"score": values, "weight": weights, "colour": colour})
    if len(table) > MOST_POINTS:
        table = table.iloc[generator.choice(len(table), MOST_POINTS, replace=False)]
    return table.assign(place=place + generator.uniform(0.18, 0.42, len(table)))


def _density(
    axes: Axes,
    place: int,
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    colour: str,
) -> None:
    """A weighted density above the row, in axes of its own: its heights are not places of rows."""
    bottom, top = axes.get_ylim()
    low, high = ((bottom - edge) / (bottom - top) for edge in (place - 0.06, place - 0.48))
    strip = axes.inset_axes((0, low, 1, high - low), sharex=axes)
    # A density has no business beyond the scores that were seen.
    with unnamed(strip):
        sns.kdeplot(
            x=values,
            weights=weights,
            cut=0,
            fill=True,
            color=colour,
            alpha=0.35,
            linewidth=0.8,
            ax=strip,
        )
    strip.axis("off")
    strip.set_ylim(bottom=0)


def _words(
    comparison: Comparison,
    names: list[str],
    scores: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> str:
    parts = []
    for place, name in enumerate(names[:12]):
        here = np.isfinite(scores[:, place])
        if here.any():
            first, middle, third = quantiles(scores[here, place], weights[here], [0.25, 0.5, 0.75])
            parts.append(f"{clean(name)} {middle:.3f} ({first:.3f} to {third:.3f})")
    return (
        f"Distributions of {clean(comparison.results.score_name)} of {len(names)} algorithms over "
        f"{comparison.results.n_tasks} tasks in {comparison.results.n_clusters} datasets. "
        f"Weighted median and quartiles: {', '.join(parts)}."
    )
