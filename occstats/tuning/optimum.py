"""Uncertainty of the best value of a parameter: the optimum of a sweep under resampling.

A sweep gives the mean score of each dataset at each value of a parameter. The best value is where
the mean over datasets is highest; it depends on the datasets. For each cluster-bootstrap resample
the curve is computed (and smoothed) again, and its optimum located.

References
----------
.. [1] A. C. Davison, D. V. Hinkley (1997). Bootstrap Methods and their Application, section 5.
.. [2] C. A. Field, A. H. Welsh (2007). Bootstrapping clustered data. JRSS B 69(3), 369-390.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from occstats._checks import check_fraction, check_integer
from occstats.errors import ArgumentError
from occstats.stats._arrays import FloatArray as Array
from occstats.stats._arrays import as_scores, as_vector
from occstats.stats.bootstrap import column_quantiles, resample_counts
from occstats.stats.cluster_means import weighted_means

# Values of curves that are held at once.
BLOCK_ELEMENTS = 1_000_000

Smoother = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class OptimumInterval:
    """The best value of a parameter and its uncertainty over datasets.

    Attributes
    ----------
    estimate, low, high : float
        The value with the highest mean score, and the percentile interval of that value.
    score, score_low, score_high : float
        The (smoothed) mean score at the estimate, with its percentile interval.
    probability : ndarray
        For each value, the share of resamples in which it is the best.
    at_edge : bool
        Whether the interval touches an end of the grid: the optimum may lie beyond.
    """

    estimate: float
    low: float
    high: float
    score: float
    score_low: float
    score_high: float
    probability: Array = field(repr=False)
    at_edge: bool = False


def optimum_interval(
    grid: ArrayLike,
    means: ArrayLike,
    *,
    smoother: Smoother | None = None,
    confidence: float = 0.95,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> OptimumInterval:
    """Compute a cluster-bootstrap interval of the value at which the mean score is highest.

    Parameters
    ----------
    grid : array_like of length g
        Values of the parameter, increasing; those of the smoothed curve where the smoother returns
        a finer one.
    means : array_like, clusters × values
        Mean score of each dataset at each value; NaN where it has none. Higher is better.
    smoother : callable, optional
        From curves (rows) to smoothed curves (rows) on `grid`.
    confidence, n_resamples, random_state
        Level, resamples and their seed.

    Returns
    -------
    OptimumInterval
        Limits are NaN with a single dataset. Where several values tie, the middle one counts.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> grid = np.linspace(0, 1, 21)
    >>> means = 0.8 - (grid - 0.4) ** 2 + rng.normal(0, 0.02, (30, 21))
    >>> found = optimum_interval(grid, means, random_state=0)
    >>> found.low <= found.estimate <= found.high, bool(found.at_edge)
    (True, False)
    """
    values = as_vector("grid", grid)
    table = as_scores("means", means, allow_nan=True)
    check_fraction("confidence", confidence)
    check_integer("n_resamples", n_resamples)
    m = len(table)
    if m == 0 or not len(values):
        raise ArgumentError(
            f"means must have at least one dataset and grid one value; got {m} and {len(values)}."
        )

    def curves(counts: Array) -> Array:
        raw = weighted_means(table, counts)
        smooth = raw if smoother is None else np.asarray(smoother(raw), dtype=float)
        if smooth.shape != (len(counts), len(values)):
            raise ArgumentError(
                f"grid must have one value per column of the curves; got {len(values)} values and "
                f"curves of shape {smooth.shape}."
            )
        return smooth

    whole = curves(np.ones((1, m)))
    position = int(_best(whole)[0])
    score = float(whole[0, position])
    if m < 2:
        only = np.zeros(len(values))
        only[position] = 1.0
        nan = float("nan")
        return OptimumInterval(float(values[position]), nan, nan, score, nan, nan, only)
    # Resamples of few datasets are often the same; curves of different ones come in chunks.
    distinct, times = np.unique(
        resample_counts(m, n_resamples, random_state), axis=0, return_inverse=True
    )
    step = max(1, BLOCK_ELEMENTS // len(values))
    parts = []
    for start in range(0, len(distinct), step):
        resampled = curves(distinct[start : start + step])
        parts.append((_best(resampled), resampled[:, position]))
    best, scores = (np.concatenate(part)[times.ravel()] for part in zip(*parts, strict=True))
    tails = np.array([[(1 - confidence) / 2], [(1 + confidence) / 2]])
    # A limit is a value of the grid, not a mixture of two.
    low, high = np.quantile(values[best], tails[:, 0], method="closest_observation")
    score_low, score_high = column_quantiles(scores[:, None], tails)
    ends = (min(low, values[position]), max(high, values[position]))
    return OptimumInterval(
        estimate=float(values[position]),
        low=float(ends[0]),
        high=float(ends[1]),
        score=score,
        score_low=float(score_low[0]),
        score_high=float(score_high[0]),
        probability=np.bincount(best, minlength=len(values)) / len(best),
        at_edge=bool(ends[0] <= values.min() or ends[1] >= values.max()),
    )


def _best(curves: Array) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the position of the highest value of each row, the middle one of several."""
    filled = np.where(np.isnan(curves), -np.inf, curves)
    tied = filled >= filled.max(axis=1, keepdims=True)
    wanted = (tied.sum(axis=1) + 1) // 2
    return np.asarray(np.argmax(np.cumsum(tied, axis=1) == wanted[:, None], axis=1))
