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
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from occstats.stats.arrays import FloatArray as Array
from occstats.stats.arrays import IntArray
from occstats.stats.clusters import Clusters
from occstats.stats.pairs import antisymmetric, mirror
from occstats.stats.sample import Sample
from occstats.stats.walsh import WalshSums

ENUMERATED_CLUSTERS = 13
# Signs that are held (200 MB): with more than 20,000 clusters, fewer flips than asked for.
MOST_SIGNS = 200_000_000
# Signs that are taken for numbers at once, or for good where there are no more.
_SIGNS_AT_ONCE = 1_000_000
# Values of μ that are tried at once, and the first ones beside where the limit should be.
_TRIES = 8
_AROUND = np.array([0.5, 0.75, 0.88, 0.96, 1.04, 1.12, 1.25, 1.5])


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
    grouping = Clusters.of(clusters, len(x)).independent.keep(known)
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
    limits, grouping = np.full((3, sample.n_pairs), np.nan), sample.clusters.independent
    position = 0
    for block in sample.blocks():
        for x in block.differences.T:
            known = ~np.isnan(x)
            if known.any():
                used = grouping if known.all() else grouping.keep(known)
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


@dataclass(frozen=True, eq=False)
class _Subsets:
    """Which clusters flip, flips × clusters; the first row, nothing flipped, is the data itself."""

    members: NDArray[np.uint8] | NDArray[np.float32]

    @cached_property
    def n_empty(self) -> int:
        return int(np.sum(~self.members.any(axis=1)))


@lru_cache(maxsize=2)
def _subsets(n_clusters: int, n_resamples: int, random_state: int | None) -> _Subsets:
    if n_clusters <= ENUMERATED_CLUSTERS:
        patterns = np.arange(2**n_clusters)[:, None] >> np.arange(n_clusters)
        return _Subsets((patterns & 1).astype(np.float32))
    rng = np.random.default_rng(random_state)
    n_flips = flips_within(n_clusters, n_resamples)
    few = n_flips * n_clusters <= _SIGNS_AT_ONCE
    subsets = np.zeros((n_flips + 1, n_clusters), dtype=np.float32 if few else np.uint8)
    step = max(1, 1_000_000 // n_clusters)
    for start in range(1, n_flips + 1, step):
        part = subsets[start : start + step]
        part[:] = rng.integers(2, size=part.shape)
    return _Subsets(subsets)


def flips_within(n_clusters: int, n_resamples: int) -> int:
    """Random flips that are held for so many clusters."""
    return min(n_resamples, MOST_SIGNS // n_clusters)


def _shift(
    x: Array,
    grouping: Clusters,
    subsets: _Subsets,
    alpha: float,
    tie_tolerance: float,
) -> tuple[float, float, float]:
    # On an integer lattice every comparison is exact; 2⁻⁴⁰ of the range loses nothing one can see.
    step = tie_tolerance or float(np.max(np.abs(x))) * 2.0**-40 or 1.0
    lattice = np.rint(x / step)
    order = np.argsort(lattice, kind="stable")
    sums = WalshSums(lattice[order])
    low = _typical(_SignedRanks(sums, grouping.codes[order], grouping), subsets, alpha / 2)
    # Seen from above: the limits of −x, turned round.
    turned = _SignedRanks(sums.turned(), grouping.codes[order][::-1], grouping)
    high = -_typical(turned, subsets, alpha / 2)
    half = step / 2
    return float(sums.median() * half), float(low * half), float(high * half)


class _SignedRanks:
    """Cluster sums of the signed ranks of x − μ, for any μ, from one sort."""

    def __init__(self, sums: WalshSums, codes: IntArray, grouping: Clusters) -> None:
        self.sums, self.codes, self.n_clusters = sums, codes, grouping.n_clusters
        smaller = np.searchsorted(sums.x, sums.x, side="left")
        up_to = np.searchsorted(sums.x, sums.x, side="right")
        self.midranks = (smaller + up_to + 1) / 2

    def at(self, doubled: Array) -> Array:
        """R_i(μ) for some 2μ, none of them a sum of two of the values: clusters × values of 2μ."""
        x = self.sums.x
        opposite = np.searchsorted(x, doubled[:, None] - x)
        ranks = self.midranks - opposite - (2 * x < doubled[:, None])
        places = self.codes + self.n_clusters * np.arange(len(doubled))[:, None]
        size = len(doubled) * self.n_clusters
        found = np.bincount(places.ravel(), ranks.ravel(), size).astype(float, copy=False)
        return found.reshape(len(doubled), self.n_clusters).T


def _typical(ranks: _SignedRanks, subsets: _Subsets, share: float) -> float:
    """Smallest 2μ above which more than `share` of the subset sums of R_i(μ) are ≤ 0.

    Each subset turns from positive to not positive at a sum of two values of its own; the search
    for the quantile of these sums tries several of them at once and drops the subsets that are
    decided, as quickselect does.
    """
    sums = ranks.sums
    low, high = sums.least - 1, sums.most
    settled, rows = 0, subsets.members
    allowed = share * len(rows)
    # Below all sums every cluster's sum of ranks is positive: only empty subsets have turned.
    if subsets.n_empty > allowed:
        return -np.inf
    tried = _first_tries(ranks, share)
    while True:
        inside = tried[(tried > low) & (tried < high)]
        if inside.size == 0:
            inside = sums.some_between(low, high, _TRIES)
            if inside.size == 0:
                return float(high)
        turned = _turned(rows, ranks.at(inside + 0.5))
        # A row at a time, which takes less than half as long as a sum over an axis.
        counts = settled + np.array([np.count_nonzero(row) for row in turned])
        first = int(np.argmax(counts > allowed)) if counts[-1] > allowed else len(inside)
        keep = np.ones(len(rows), dtype=bool)
        if first > 0:
            low = inside[first - 1]
            settled = int(counts[first - 1])
            keep &= ~turned[first - 1]
        if first < len(inside):
            high = inside[first]
            keep &= turned[first]
        rows = rows[keep]


def _first_tries(ranks: _SignedRanks, share: float) -> Array:
    """Where the limit is about, the sums of subsets being normal."""
    sums = ranks.sums
    spread = float(np.sqrt(np.sum(ranks.at(np.array([np.floor(sums.median()) + 0.5])) ** 2)))
    place = 0.5 + special.ndtri(share) * spread / (len(sums.x) * (len(sums.x) + 1.0))
    return sums.quantiles(np.maximum(place, 0.0) * _AROUND)


def _turned(subsets: NDArray[Any], sums: Array) -> NDArray[np.bool_]:
    """Which of some subsets' sums are at most 0, exactly: columns of sums × subsets.

    Single precision adds whole numbers exactly below 2²⁴, at half the cost of double: the doubled
    sums are taken apart into digits small enough for that.
    """
    rest = np.rint(2 * sums.T)
    n_columns, m = rest.shape
    unit = 2.0 ** max(0, int(np.ceil(np.log2(max(1.0, np.abs(rest).max()) * m)) - 23))
    high = np.rint(rest / unit)
    digits = [high] if unit == 1 else [high, rest - unit * high]
    weights = np.vstack(digits).astype(np.float32)
    step = max(1, _SIGNS_AT_ONCE // m)
    turned = np.empty((n_columns, len(subsets)), dtype=bool)
    for start in range(0, len(subsets), step):
        found = weights @ subsets[start : start + step].astype(np.float32, copy=False).T
        total = found[:n_columns]
        if unit != 1:
            total = unit * total.astype(np.float64) + found[n_columns:]
        turned[:, start : start + step] = total <= 0
    return turned
