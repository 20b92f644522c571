"""Choose enough decimals to distinguish printed scores, means and mean ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

# Different values may look alike in this share of the tasks, and for this share of the means.
ALIKE_TASKS, ALIKE_MEANS = 0.1, 0.5
MORE_DECIMALS = 3
MOST_DECIMALS = 20


def usual_digits(comparison: Comparison) -> int:
    """Return three decimals for scores up to 1; larger ones have fewer, smaller ones more."""
    return _choices(comparison.study.results.scores.to_numpy(float))[0]


def score_digits(comparison: Comparison) -> int:
    """Return the decimals for the scores of tasks, at most those of the input.

    In most tasks, no other score rounds to the best one.
    """
    results, tolerance = comparison.study.results, comparison.settings.tie_tolerance
    values = results.scores.to_numpy(float)
    oriented = values if results.higher_is_better else -values
    best = np.where(np.isnan(oriented), -np.inf, oriented).max(axis=1, keepdims=True)
    digits = _distinguishing(best, oriented, tolerance, _choices(values), ALIKE_TASKS)
    size = np.nanmax(np.abs(values))
    for fewer in range(digits):
        if np.nanmax(np.abs(np.round(values, fewer) - values)) <= 1e-12 * size:
            return fewer
    return digits


def mean_digits(comparison: Comparison) -> int:
    """Return the decimals for mean scores; most are distinct, and none rounds to the first."""
    scores = comparison.study.results.scores.to_numpy(float)
    means = comparison.study.means["mean_score"].to_numpy(float)[None]
    choices, tolerance = _choices(scores), 1e-12 * np.nanmax(np.abs(scores))
    some = _distinguishing(means.T, means, tolerance, choices, ALIKE_MEANS)
    return max(some, _distinguishing(means[:, :1], means, tolerance, choices, 0.0))


def rank_digits(comparison: Comparison) -> int:
    """Return the decimals for mean ranks: two, or more if another one rounds to the first."""
    ranks = comparison.study.means["mean_rank"].to_numpy(float)[None]
    return _distinguishing(ranks[:, :1], ranks, 1e-9, range(2, 6), 0.0)


def _choices(values: np.ndarray) -> range:
    """Return the usual decimals, and more."""
    sizes = np.abs(values)
    # A few scores beyond 1, such as a correlation of 1.002, do not reduce the decimals.
    largest = max(min(np.nanmax(sizes), 1.0), np.nanquantile(sizes, 0.95))
    if largest == 0:
        return range(3, 4)
    least = int(np.clip(3 - np.ceil(np.log10(largest)), 0, MOST_DECIMALS))
    return range(least, least + MORE_DECIMALS + 1)


def _distinguishing(
    first: np.ndarray, second: np.ndarray, tolerance: float, choices: range, share: float
) -> int:
    """Return the fewest decimals with which different values look alike in few rows.

    Rows in which they look alike even with the most decimals do not count.
    """
    with np.errstate(invalid="ignore"):
        differ = np.abs(first - second) > tolerance

    def alike(digits: int) -> float:
        half = 0.5 + 1e-6  # rounded away from zero, as they are printed
        printed = (np.trunc(v * 10.0**digits + np.copysign(half, v)) for v in (first, second))
        return float((differ & np.equal(*printed)).any(axis=1).mean())

    allowed = alike(choices[-1]) + share
    return next(digits for digits in choices if alike(digits) <= allowed)
