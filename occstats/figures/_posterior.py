"""Posterior density of the mean difference of two algorithms, with the practical equivalence."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from occstats._format import percent, shares
from occstats.comparison import Comparison
from occstats.comparison.text.verdict import difference_of
from occstats.errors import FigureError
from occstats.figures._base import Plot, chosen_pair, density, score_label
from occstats.figures._labels import clean
from occstats.figures._style import BLUE, ORANGE, Width, ink

_DRAWS, _POINTS = 10_000, 256
# Columns of ``pairwise``, colour and word of each region.
_REGIONS = {
    "difference_below": (ORANGE, "worse"),
    "difference_within": ("#8C8C8C", "equivalent"),
    "difference_above": (BLUE, "better"),
}


def posterior(
    comparison: Comparison,
    a: str | None = None,
    b: str | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    ax: Axes | None = None,
    width: Width = "column",
    note: bool = True,
) -> Axes:
    """Draw the posterior density of the mean difference of two algorithms.

    The areas below, within and above the region of practical equivalence are the probabilities
    that `a` is worse than, equivalent to, and better than `b`, by the Bayesian bootstrap of
    datasets (Rubin 1981). They describe the mean difference and enter no decision.

    Parameters
    ----------
    comparison : Comparison
        The scores in its `results` are drawn.
    a, b : str, optional
        The two algorithms; by default the best two, or the control
        and its best rival.
    labels : optional
        Labels to write instead of names; see `occstats.figures`.
    ax, width, note : optional
        Where to draw, width and note; see `occstats.figures`.

    References
    ----------
    Rubin, D. B. (1981). The Bayesian bootstrap. Annals of Statistics, 9(1), 130–134.

    Examples
    --------
    >>> import occstats
    >>> comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"])
    >>> axes = comparison.plot.posterior("ALP", "LOF")
    """
    with Plot(ax, width, note) as plot:
        first, second = chosen_pair(comparison, a, b)
        draws, rope = _draws(comparison, first, second), float(comparison.settings.rope)
        pairs = comparison.pairwise_full
        row = pairs[(pairs["a"] == first) & (pairs["b"] == second)].iloc[0]
        areas = row.reindex([*_REGIONS]).to_numpy(dtype=float)
        if np.isnan(areas).any():
            below, above = np.mean(draws < -rope), np.mean(draws > rope)
            areas = np.array([below, 1 - below - above, above])
        # Rounded together, as in the table of effect sizes; "< 1 %" instead of 0.
        together = shares(*areas[::-1]).split(" / ")[::-1]
        percentages = [
            percent(area) if rounded in ("0", "100") else f"{rounded} %"
            for area, rounded in zip(areas, together, strict=True)
        ]
        plot.style(comparison.algorithms, labels)
        axes = plot.axes(min(0.55 * plot.inches, 2.6))
        reach = np.quantile(draws, [0.0005, 0.9995]) + np.array([-0.1, 0.1]) * np.ptp(draws)
        low, high = min(reach[0], -1.3 * rope), max(reach[1], 1.3 * rope)
        x = np.unique([*np.linspace(low, high, _POINTS), -rope, rope])
        y = density(x, draws)
        edges = [(low, -rope), (-rope, rope), (rope, high)]
        for (colour, _), (left, right) in zip(_REGIONS.values(), edges, strict=True):
            inside = (left <= x) & (x <= right)
            axes.fill_between(x[inside], y[inside], color=colour, alpha=0.45, lw=0)
        axes.plot(x, y, color=ink(), lw=0.8)
        axes.vlines([-rope, rope], 0, 1.02 * y.max(), color=ink(), lw=0.6, ls=(0, (4, 2)))
        axes.set(xlim=(low, high), ylim=(0, 1.3 * y.max()), yticks=[])
        axes.spines["left"].set_visible(False)
        # Below the top corners and at the middle: three texts never meet.
        places = (0.0, "left"), (0.5, "center"), (1.0, "right")
        for (x_text, side), (colour, word), percentage in zip(
            places, _REGIONS.values(), percentages, strict=True
        ):
            axes.text(
                x_text, 0.99, f"{word}\n{percentage}", transform=axes.transAxes, ha=side,
                va="top", color=colour if word != "equivalent" else ink(), fontsize="small",
            )  # fmt: skip
        sides = difference_of(comparison.results, plot.label(first), plot.label(second))
        plot.label_values(axes, f"mean difference in {score_label(comparison)}, {sides}", 0.9)
        plot.note(
            "From the Bayesian bootstrap of datasets: the probability that "
            f"{plot.label(first)} is worse than, equivalent to (within ±{rope:g}, dashed) or "
            f"better than {plot.label(second)}."
        )
        words = [
            f"{word} {percentage}"
            for (_, word), percentage in zip(_REGIONS.values(), percentages, strict=True)
        ]
        return plot.finish(
            axes,
            f"Posterior density of the mean difference of {clean(first)} from {clean(second)}, "
            f"with a region of practical equivalence of ±{rope:g}: {', '.join(words)}.",
        )


def _draws(comparison: Comparison, first: str, second: str) -> NDArray[np.float64]:
    results = comparison.results
    sign = 1.0 if results.higher_is_better else -1.0
    difference = sign * (results.scores[first] - results.scores[second])
    means = difference.groupby(np.asarray(results.clusters)).mean().dropna().to_numpy(dtype=float)
    if len(means) < 2 or np.ptp(means) == 0:
        raise FigureError(
            f"the posterior of {first!r} and {second!r} needs two datasets with different results"
        )
    rng = np.random.default_rng(comparison.settings.random_state)
    weights = rng.standard_exponential((_DRAWS, len(means)))
    return np.asarray(weights @ means / weights.sum(axis=1), dtype=float)
