r"""Hodges-Lehmann shift between two algorithms, with an interval that respects clusters.

Let :math:`R_i(\mu)` be the sum of the signed ranks of :math:`x_{ij} - \mu` in cluster i. Every
signed rank can only fall as μ grows (each pair of tasks hands its point from the larger to the
smaller difference when μ passes their mean), so each :math:`R_i`, and the sum over any subset of
clusters, is monotone. The sign-flip test of :math:`T = \sum R_i` rejects when too few subsets A
have :math:`\sum_{i \in A} R_i(\mu) \le 0`, so its p-value is monotone in μ as well and can be
inverted by bisection. (The weighted statistic of Rosner, Glynn and Lee need not be monotone.)

All tasks count alike in T, so that the shift is dominated by the data sets with many tasks.

References
----------
.. [1] J. L. Hodges, E. L. Lehmann (1963). Estimates of location based on rank tests.
   Annals of Mathematical Statistics 34(2), 598-611.
.. [2] J. A. Hartigan (1969). Using subsample values as typical values. JASA 64(328), 1303-1317.
.. [3] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
   comparisons of clustered data. Biometrics 62(1), 185-192.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from occstats.stats.arrays import FloatArray as Array
from occstats.stats.clusters import Clusters
from occstats.stats.pairs import antisymmetric, mirror
from occstats.stats.sample import Sample

ENUMERATED_CLUSTERS = 13
# Signs that are held at once (800 MB): with more than 20,000 clusters, fewer flips than asked for.
MOST_SIGNS = 200_000_000
# Subsets that are searched first to know where to begin.
_PILOT = 200
# Signs that are copied rather than picked out again at each step.
_SMALL = 4_000_000


@dataclass(frozen=True)
class HodgesLehmannResult:
    """Shift and its confidence interval.

    Attributes
    ----------
    estimate : float
        The median of the means of all pairs of differences (a task paired with itself included).
    low, high : float
        Confidence limits; infinite when there are too few clusters for the level.
    n_observations, n_clusters : int
        How many tasks and clusters the estimate rests on.
    """

    estimate: float
    low: float
    high: float
    n_observations: int
    n_clusters: int


@dataclass(frozen=True, eq=False)
class HodgesLehmannPairs:
    """Shift and limits of all pairs as k × k matrices, [a, b] for a minus b."""

    estimate: Array
    low: Array
    high: Array


def hodges_lehmann_shift(
    x: ArrayLike,
    clusters: ArrayLike,
    *,
    confidence: float = 0.95,
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> HodgesLehmannResult:
    """Clustered Hodges-Lehmann shift of differences `x`, by inverting the sign-flip test.

    Up to 13 clusters all sign flips are enumerated; beyond, the same `n_resamples` random flips
    serve every μ, which keeps the p-value exactly monotone.

    Parameters
    ----------
    x : array_like
        Paired differences, one per task; NaN is left out.
    clusters : array_like
        The cluster of each task.
    confidence : float
        Confidence level of the (equal-tailed) interval.
    tie_tolerance : float
        Differences are rounded to multiples of it; 0 keeps them, up to a 2⁻⁴⁰th of their range.
    n_resamples : int
        Random sign flips where there are too many clusters to enumerate.
    random_state : int or None
        Seed of the flips.

    Returns
    -------
    HodgesLehmannResult

    Examples
    --------
    >>> x = [0.1, 0.2, 0.3, 0.4, 0.1, 0.2, 0.5]
    >>> result = hodges_lehmann_shift(x, list("aabcdef"), tie_tolerance=1e-9)
    >>> round(result.estimate, 6), round(result.low, 6), round(result.high, 6)
    (0.25, 0.1, 0.5)
    """
    x = np.asarray(x, dtype=float)
    known = ~np.isnan(x)
    if not known.any():
        return HodgesLehmannResult(np.nan, np.nan, np.nan, 0, 0)
    grouping = Clusters.of(np.asarray(clusters)[known])
    m = grouping.n_clusters
    subsets = _subsets(m, n_resamples, random_state)
    estimate, low, high = _shift(x[known], grouping, subsets, 1 - confidence, tie_tolerance)
    return HodgesLehmannResult(estimate, low, high, int(known.sum()), m)


def hodges_lehmann_pairs(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> HodgesLehmannPairs:
    """Clustered Hodges-Lehmann shift of every pair of columns of `scores`.

    Parameters are those of `hodges_lehmann_shift`; the random flips are shared by all pairs, so
    that the order of the algorithms does not matter.

    Examples
    --------
    >>> scores = [[0.9, 0.8], [0.8, 0.6], [0.7, 0.6], [0.9, 0.7], [0.6, 0.5], [0.8, 0.5]]
    >>> result = hodges_lehmann_pairs(scores, list("abcdef"), tie_tolerance=1e-9)
    >>> result.estimate.round(6).tolist()
    [[0.0, 0.15], [-0.15, 0.0]]
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k = sample.n_algorithms
    limits = np.full((3, sample.n_pairs), np.nan)
    position = 0
    for block in sample.blocks():
        for x in block.differences.T:
            known = ~np.isnan(x)
            if known.any():
                used = sample.clusters if known.all() else sample.clusters.keep(known)
                subsets = _subsets(used.n_clusters, n_resamples, random_state)
                limits[:, position] = _shift(
                    x[known], used, subsets, 1 - confidence, sample.tie_tolerance
                )
            position += 1
    estimate, low, high = limits
    return HodgesLehmannPairs(
        antisymmetric(estimate, k) + 0.0,
        mirror(low, -high, k, 0.0) + 0.0,
        mirror(high, -low, k, 0.0) + 0.0,
    )


@lru_cache(maxsize=8)
def _subsets(n_clusters: int, n_resamples: int, random_state: int | None) -> NDArray[np.float32]:
    """Which clusters flip, flips × clusters; the first row, nothing flipped, is the data itself."""
    if n_clusters <= ENUMERATED_CLUSTERS:
        patterns = np.arange(2**n_clusters)[:, None] >> np.arange(n_clusters)
        return (patterns & 1).astype(np.float32)
    rng = np.random.default_rng(random_state)
    n_flips = min(n_resamples, MOST_SIGNS // n_clusters)
    subsets = np.zeros((n_flips + 1, n_clusters), dtype=np.float32)
    step = max(1, 1_000_000 // n_clusters)
    for start in range(1, n_flips + 1, step):
        part = subsets[start : start + step]
        part[:] = rng.integers(2, size=part.shape)
    return subsets


class _SignedRanks:
    """Cluster sums of the signed ranks of x − μ, for any μ, from one sort."""

    def __init__(self, lattice: Array, grouping: Clusters) -> None:
        order = np.argsort(lattice, kind="stable")
        self.x = lattice[order]
        self.codes = grouping.codes[order]
        self.n_clusters = grouping.n_clusters
        smaller = np.searchsorted(self.x, self.x, side="left")
        up_to = np.searchsorted(self.x, self.x, side="right")
        self.midranks = (smaller + up_to + 1) / 2

    def sums(self, doubled: float) -> Array:
        """R_i(μ) with 2μ = `doubled`, which must not be a sum of two of the values."""
        opposite = np.searchsorted(self.x, doubled - self.x)
        ranks = self.midranks - opposite - (2 * self.x < doubled)
        sums = np.bincount(self.codes, weights=ranks, minlength=self.n_clusters)
        return np.asarray(sums, dtype=np.float64)


def _shift(
    x: Array,
    grouping: Clusters,
    subsets: NDArray[np.float32],
    alpha: float,
    tie_tolerance: float,
) -> tuple[float, float, float]:
    # On an integer lattice every comparison is exact; 2⁻⁴⁰ of the range loses nothing one can see.
    step = tie_tolerance or float(np.max(np.abs(x))) * 2.0**-40 or 1.0
    lattice = np.rint(x / step)
    ranks = _SignedRanks(lattice, grouping)
    middle = _typical(ranks, np.ones((1, grouping.n_clusters), dtype=np.float32), 0.5)
    low = _typical(ranks, subsets, alpha / 2)
    # Seen from above: the limits of −x, turned round.
    turned = _SignedRanks(-lattice, grouping)
    high = -_typical(turned, subsets, alpha / 2)
    other = -_typical(turned, np.ones((1, grouping.n_clusters), dtype=np.float32), 0.5)
    half = step / 2
    return float((middle + other) / 2 * half), float(low * half), float(high * half)


def _typical(ranks: _SignedRanks, subsets: NDArray[np.float32], share: float) -> float:
    """Smallest 2μ above which more than `share` of the subset sums of R_i(μ) are ≤ 0.

    Each subset turns from positive to not positive at a value of its own; the search for the
    quantile of these values drops the subsets that are decided, as quickselect does, and starts
    between two quantiles of a few of them.
    """
    # Half-way between lattice points no difference is zero and no two opposite ones tie.
    least, most = int(2 * ranks.x[0]) - 1, int(2 * ranks.x[-1])
    bounds = [least, most]
    if len(subsets) > 8 * _PILOT:
        pilot = (_typical(ranks, subsets[:_PILOT], factor * share) for factor in (0.3, 3.0))
        bounds = [least, *(int(bound) for bound in pilot if least < bound < most), most]
    allowed = share * len(subsets)
    undecided = np.arange(len(subsets))
    turned = _turned(subsets, undecided, ranks.sums(least + 0.5))
    settled, undecided = int(turned.sum()), undecided[~turned]
    if settled > allowed:
        return -np.inf
    low, high = least, most
    while high - low > 1:
        inside = [bound for bound in bounds if low < bound < high]
        middle = inside[0] if inside else (low + high) // 2
        turned = _turned(subsets, undecided, ranks.sums(middle + 0.5))
        if settled + int(turned.sum()) > allowed:
            high, undecided = middle, undecided[turned]
        else:
            settled += int(turned.sum())
            low, undecided = middle, undecided[~turned]
        if undecided.size * subsets.shape[1] <= _SMALL and 2 * undecided.size < len(subsets):
            subsets, undecided = subsets[undecided], np.arange(len(undecided))
    return float(high)


def _turned(subsets: NDArray[np.float32], rows: NDArray[np.intp], sums: Array) -> NDArray[np.bool_]:
    """Which of some subsets' sums are at most 0, exactly.

    Single precision adds whole numbers exactly below 2²⁴, at half the cost of double: the doubled
    sums are taken apart into digits small enough for that.
    """
    rest = np.rint(2 * sums)
    unit = 2.0 ** max(0, int(np.ceil(np.log2(max(1.0, np.abs(rest).max()) * len(sums))) - 23))
    high = np.rint(rest / unit)
    digits = [high] if unit == 1 else [high, rest - unit * high]
    weights = np.array(digits, dtype=np.float32).T
    step = max(1, 4_000_000 // len(sums))
    everything = len(rows) == len(subsets)
    total = np.empty(len(rows))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        found = (subsets[part] if everything else subsets[rows[part]]) @ weights
        total[part] = found.astype(np.float64) @ np.array([unit, 1.0])[: len(digits)]
    return np.asarray(total <= 0)
