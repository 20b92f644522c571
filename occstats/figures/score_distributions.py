"""Distribution of the scores of each algorithm, every data set with the same weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from occstats.figures.canvas import describe, drawn_on, note, one_axes
from occstats.figures.selection import chosen_algorithms, score_label
from occstats.figures.style import INK, Preset, series_styles
from occstats.figures.text import clean, labels
from occstats.figures.weighted import density, points, quantiles

if TYPE_CHECKING:
    from occstats.comparison import Comparison

__all__ = ["distributions"]

MOST_ALGORITHMS = 20
MOST_POINTS = 400


def distributions(
    comparison: Comparison,
    *,
    algorithms: Sequence[str] | None = None,
    ax: Axes | None = None,
    width: str | float | Preset = "column",
) -> Figure | Axes:
    """Draw half a violin, a box and the tasks themselves for each algorithm.

    Density, quartiles and the area of each point follow the weights of the tasks, so that a data
    set with many classes counts no more than one with two. The diamond is the weighted mean.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    algorithms : sequence of str, optional
        Which algorithms to draw; by default the best twenty.
    ax : Axes, optional
        Axes to draw on; by default a new figure.
    width : str, float or Preset
        Width of the new figure: a venue's preset, a number of inches or a length.

    Returns
    -------
    Figure or Axes

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> figure = comparison.plot.distributions()
    """
    ranked = [str(name) for name in comparison.summary["algorithm"]]
    names = chosen_algorithms(algorithms, ranked, MOST_ALGORITHMS)
    scores = comparison.results.scores[names].to_numpy(dtype=float)
    weights = np.asarray(comparison.results.weights, dtype=float)
    looks = series_styles(ranked)
    with one_axes(ax, width, 0.56 + 0.308 * len(names)) as axes:
        span = np.linspace(np.nanmin(scores), np.nanmax(scores), 200)
        for place, name in enumerate(names):
            here = np.isfinite(scores[:, place])
            _one(axes, place, scores[here, place], weights[here], span, looks[name].color)
        axes.set_yticks(np.arange(len(names)), labels(names, limit=18))
        axes.set_ylim(len(names) - 0.45, -0.6)
        axes.set_xlabel(f"{score_label(comparison)} of a task")
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        if algorithms is None and len(names) < len(ranked):
            note(axes, f"The best {len(names)} of {len(ranked)} algorithms.")
        describe(axes, _words(comparison, names, scores, weights))
        return drawn_on(axes, ax)  # type: ignore[no-any-return]


def _one(
    axes: Axes,
    place: int,
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    span: NDArray[np.float64],
    colour: str,
) -> None:
    if not len(values):
        return
    height = density(values, weights, span)
    if height.max() > 0:
        # A density has no business beyond the scores that were seen.
        height[(span < values.min()) | (span > values.max())] = np.nan
        top = place - 0.06 - 0.42 * height / np.nanmax(height)
        axes.fill_between(span, place - 0.06, top, color=colour, alpha=0.35, lw=0)
        axes.plot(span, top, color=colour, lw=0.8)
    low, first, middle, third, high = quantiles(values, weights, [0.05, 0.25, 0.5, 0.75, 0.95])
    axes.plot([low, high], [place + 0.06] * 2, color=INK, lw=0.6)
    axes.plot([first, third], [place + 0.06] * 2, color=INK, lw=2.6, solid_capstyle="butt")
    axes.plot(middle, place + 0.06, marker="|", color="white", markersize=3.5, markeredgewidth=1.2)
    mean = float(np.average(values, weights=weights))
    axes.plot(
        mean,
        place + 0.06,
        "D",
        color="white",
        markersize=3,
        markeredgecolor=INK,
        markeredgewidth=0.7,
    )
    # A fixed generator: the same figure twice has the same bytes.
    generator = np.random.default_rng(place)
    if len(values) > MOST_POINTS:
        keep = generator.choice(len(values), MOST_POINTS, replace=False)
        values, weights = values[keep], weights[keep]
    jitter = generator.uniform(0.18, 0.42, len(values))
    points(axes, values, place + jitter, weights, largest=2.8, color=colour, alpha=0.55)


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
        f"{comparison.results.n_tasks} tasks in {comparison.results.n_clusters} data sets. "
        f"Weighted median and quartiles: {', '.join(parts)}."
    )
