"""The clustered signed-rank test of Rosner, Glynn and Lee.

References
----------
.. [1] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
   comparisons of clustered data. Biometrics 62(1), 185-192.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from occstats.stats._arrays import (
    AnyFloats,
    BoolArray,
    FloatArray,
    IntArray,
    signed_ranks,
)
from occstats.stats.clusters import Clusters, intraclass_correlation
from occstats.stats.signed_rank.interface import (
    PAIRS_AT_ONCE,
    Flips,
    Observed,
    Prepared,
    Ranked,
    Statistics,
    few_clusters,
)
from occstats.stats.signed_rank.null import Signs

if TYPE_CHECKING:
    from occstats.stats.hodges_lehmann import Merged

# Flips × samples in memory at a time: few enough to stay in the cache.
_FLIPS_AT_ONCE = 20_000
NEGATIVE_WEIGHTS = (
    "with two clusters the corrected intraclass correlation is negative here, which leaves no "
    "valid weights"
)
NO_VARIANCE = "the signed ranks cancel within every cluster: no variance is left"


def size_inflation(rho: FloatArray, sizes: FloatArray, m: FloatArray) -> FloatArray:
    r"""Return the variance inflation of the mean rank of clusters of the given sizes.

    It is :math:`1 + (g - 1)\rho_c` with the bias-corrected intraclass correlation
    :math:`\rho_c = \min(1, \rho (1 + (1 - \rho^2)/(m - 2.5)))` of m clusters; a cluster's weight is
    its reciprocal.
    """
    return np.asarray(1 + (sizes - 1) * _corrected(rho, m))


def _corrected(rho: AnyFloats, m: FloatArray | int) -> AnyFloats:
    return np.minimum(1.0, rho * (1 + (1 - rho**2) / (m - 2.5)))


def rank_sum_statistics(
    rank_sums: FloatArray, sizes: FloatArray, squares: FloatArray
) -> Statistics:
    """Return T and its variance for each row of the clusters' rank sums R_i.

    Sizes g_i count nonzero differences; a cluster of size 0 is absent. `squares` are the sums of
    the squared signed ranks of a row.
    """
    present = sizes > 0
    g = np.where(present, sizes, 1.0)
    m, n = present.sum(axis=1), sizes.sum(axis=1)
    total = rank_sums.sum(axis=1)
    balanced = _balanced(sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        constant = squares - total**2 / n <= 1e-9 * squares
        between = (rank_sums**2 / g).sum(axis=1)
        rho = intraclass_correlation(between, squares, total, (sizes**2).sum(axis=1), n, m)
        # Where all signed ranks are equal no variance can be estimated: each cluster then counts as
        # one observation, and Z is the root of their number.
        rho = np.where(constant, 1.0, rho)
        inflation = size_inflation(rho[:, None], g, m[:, None])
        spread = np.where(constant, 1.0, (squares - total**2 / n) / (n - 1))
        scale = np.where(balanced[:, None], 1.0, spread[:, None] * inflation)
        statistic = (rank_sums / scale).sum(axis=1)
        variance = (rank_sums**2 / scale**2).sum(axis=1)
    problem = np.full(len(rank_sums), None, dtype=object)
    problem[variance == 0] = NO_VARIANCE
    problem[~balanced & (present & (inflation <= 0)).any(axis=1)] = NEGATIVE_WEIGHTS
    for row in np.flatnonzero(m < 2):
        problem[row] = few_clusters(int(m[row]), " with differences other than zero")
    undefined = np.array([found not in (None, NO_VARIANCE) for found in problem], dtype=bool)
    return Statistics(
        statistic=np.where(undefined, np.nan, statistic),
        variance=np.where(undefined, np.nan, variance),
        correlation=rho,
        problem=problem,
    )


def _balanced(sizes: FloatArray) -> BoolArray:
    """Return the rows whose clusters all have one size, but for absent ones."""
    largest = sizes.max(axis=1, keepdims=True, initial=0.0)
    return np.asarray(((sizes == largest) | (sizes == 0)).all(axis=1))


def flipped_z(
    rank_sums: FloatArray, sizes: FloatArray, squares: FloatArray, signs: FloatArray
) -> FloatArray:
    """Return Z of `rank_sum_statistics` for many flips of signs: samples × flips.

    The squares of the rank sums do not change, so that ρ depends on a flip through the total alone,
    and clusters of one size share a weight: sums over sizes replace sums over clusters. The sizes
    are the same in all samples, none of them 0.
    """
    n, m = sizes.sum(), len(sizes)
    if m < 2:
        return np.full((len(rank_sums), signs.shape[1]), np.nan)
    order = np.argsort(sizes, kind="stable")
    distinct, starts = np.unique(sizes[order], return_index=True)
    with np.errstate(invalid="ignore"):
        shares = rank_sums / np.sqrt((rank_sums**2).sum(axis=1, keepdims=True))
    if len(distinct) == 1:
        return np.asarray(shares @ signs)
    parts = list(map(slice, starts, [*starts[1:], m]))
    between = (rank_sums**2 / sizes).sum(axis=1, keepdims=True)
    # ρ = 1 − g₀ MSW / D with D = MSB + (g₀ − 1) MSW; only MSB depends on the total.
    size = (n - (sizes**2).sum() / n) / (m - 1)
    within = np.maximum(0.0, squares[:, None] - between) / (n - m)
    without_total = (between + (m - 1) * (size - 1) * within) * n
    constant = (1 - 1e-9) * n * squares[:, None]
    scaled = (m - 1) * n * size * within
    shares, turned = shares[:, order], signs[order]
    own_squares = [(shares[:, part] ** 2).sum(axis=1, keepdims=True) for part in parts]
    z = np.empty((len(rank_sums), signs.shape[1]))
    step = max(1, _FLIPS_AT_ONCE // len(rank_sums))
    for start in range(0, signs.shape[1], step):
        flips = slice(start, start + step)
        total = np.square(rank_sums @ signs[:, flips])
        equal = total >= constant
        with np.errstate(invalid="ignore", divide="ignore"):
            rho = np.subtract(without_total, total, out=total)
            np.subtract(1, np.divide(scaled, rho, out=rho), out=rho)
            np.clip(rho, 0, 1, out=rho)
            rho[equal] = 1
            rho = _corrected(rho, m)
            statistic, variance = np.zeros((2, *rho.shape))
            for cluster_size, part, own in zip(distinct, parts, own_squares, strict=True):
                # BLAS is slow at products with a single cluster.
                product = np.multiply if part.stop - part.start == 1 else np.matmul
                sums = product(shares[:, part], turned[part, flips])
                weights = rho * (cluster_size - 1)
                weights += 1
                np.divide(1, weights, out=weights)
                statistic += np.multiply(sums, weights, out=sums)
                variance += np.multiply(own, np.square(weights, out=sums), out=sums)
            # The largest clusters, the last ones, are the first to leave no valid weight.
            variance[weights <= 0] = np.nan
            np.divide(statistic, np.sqrt(variance, out=variance), out=z[:, flips])
    return z


def upper_bounds(weights: FloatArray, signs: AnyFloats, error: FloatArray | float) -> AnyFloats:
    """Return |weights · signs| plus an error, with that of single precision: pairs × flips."""
    error = error + 1e-6 * len(signs) ** 0.5 * np.abs(weights).sum(axis=1)
    found = weights.astype(np.float32) @ signs.astype(np.float32, copy=False)
    np.abs(found, out=found)
    found += np.asarray(error, dtype=np.float32)[:, None]
    return found


class RankSums(Prepared):
    """Sums of signed ranks of several pairs, without zeros and clusters of zeros."""

    def __init__(self, grid: FloatArray, clusters: Clusters, ranked: Ranked | None = None) -> None:
        super().__init__(grid, clusters)
        signed, counted = ranked or signed_ranks(grid)
        self._sums, self._sizes = clusters.sums(signed).T, clusters.sums(counted).T
        self._squares = (signed**2).sum(axis=0)

    @cached_property
    def observed(self) -> Observed:
        found = rank_sum_statistics(self._sums, self._sizes, self._squares)
        n = self._sizes.sum(axis=1).astype(np.intp)
        return Observed(
            **vars(found),
            n_observations=n,
            n_clusters=(self._sizes > 0).sum(axis=1),
            all_zero=(n == 0) & (self._known.sum(axis=1) > 0),
        )

    @cached_property
    def _inflation(self) -> FloatArray:
        """Divisors of the clusters' rank sums, by the weights of the test."""
        rho = np.nan_to_num(self.observed.correlation)
        m = self.observed.n_clusters.astype(np.float64)
        inflation = size_inflation(rho[:, None], np.maximum(self._sizes, 1.0), m[:, None])
        return np.where(inflation > 0, inflation, 1.0)

    @cached_property
    def _failures(self) -> FloatArray:
        """Rank sums of infinite differences, which rank above all others at any shift."""
        infinite = np.isinf(self.grid)
        n = infinite.sum(axis=0)
        signs = self.clusters.sums(np.where(infinite, np.sign(self.grid), 0.0)).T
        return np.asarray(signs * (self.observed.n_observations - n + (n + 1) / 2)[:, None])

    def moved(self, pairs: IntArray, by: FloatArray) -> RankSums:
        x = self.grid[:, pairs]
        return RankSums(np.where(x == 0, np.nan, x - by), self.clusters)

    def z_of(self, pairs: IntArray, merged: Merged) -> FloatArray:
        sums = merged.sums(merged.signs * merged.ranks) + self._failures[pairs]
        parts = sums / self._inflation[pairs]
        total, spread = parts.sum(axis=1), np.sqrt((parts**2).sum(axis=1))
        return np.asarray(np.divide(total, spread, out=np.zeros(len(pairs)), where=spread > 0))

    def rank_sums(self, pair: int) -> FloatArray:
        return np.asarray(self._sums[pair, self.units(pair)])

    def flips(self, pairs: IntArray) -> Iterator[Flips]:
        sizes = self._sizes[pairs]
        # Without zeros among the differences all pairs have clusters of the same sizes.
        usual = (sizes == sizes.max(axis=0, initial=0.0)).all(axis=1)
        groups, (rest,) = [np.flatnonzero(usual)], np.nonzero(~usual)
        if len(rest):
            _, group = np.unique(sizes[rest], axis=0, return_inverse=True)
            order = np.argsort(group, kind="stable")
            groups += np.split(rest[order], np.flatnonzero(np.diff(group[order])) + 1)
        for group in groups:
            for start in range(0, len(group), PAIRS_AT_ONCE):
                tile = group[start : start + PAIRS_AT_ONCE]
                yield Flips(tile, partial(self._flipped, pairs[tile]))

    def _flipped(self, pairs: IntArray, signs: FloatArray) -> FloatArray:
        """Return Z of pairs with clusters of the same sizes: pairs × flips."""
        sizes = self._sizes[pairs[0]]
        there = np.flatnonzero(sizes)
        signs = signs if len(there) == len(sizes) else signs[there]
        return flipped_z(self._sums[pairs][:, there], sizes[there], self._squares[pairs], signs)

    def flipped(self, pairs: IntArray, signs: Signs) -> FloatArray:
        sums, squares, moments = self._sums[pairs], self._squares[pairs], self._moments[:, pairs]
        between, squared_sizes, n, m, balanced = moments
        sums *= signs
        total = sums.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            rho = intraclass_correlation(between, squares, total, squared_sizes, n, m)
            rho[squares - total**2 / n <= 1e-9 * squares] = 1.0
            rho[balanced == 1] = 0.0
            inflation = size_inflation(rho[:, None], self._least_sizes[pairs], m[:, None])
            sums /= inflation
            z = sums.sum(axis=1) / np.sqrt((sums**2).sum(axis=1))
        return np.where((m >= 2) & (inflation > 0).all(axis=1), z, np.nan)

    @cached_property
    def _least_sizes(self) -> FloatArray:
        """Sizes of the clusters; 1 for absent ones, whose rank sums are 0."""
        return np.maximum(self._sizes, 1.0)

    @cached_property
    def _moments(self) -> FloatArray:
        """ΣR²/g, Σg², N, m and balance of each pair, which flips do not change."""
        g = self._sizes
        between = (self._sums**2 / self._least_sizes).sum(axis=1)
        rows = between, (g**2).sum(axis=1), g.sum(axis=1), (g > 0).sum(axis=1), _balanced(g)
        return np.array(rows, dtype=np.float64)

    def bounds(self, pairs: IntArray, signs: AnyFloats) -> AnyFloats:
        r"""Return upper bounds of \|Z\| from the weights at the extreme ρ of all flips.

        Z is a · s for signs s, with a = b / ‖b‖ and the rank sums b over their inflation, which
        depends on ρ. ρ falls from that of a total of 0 to that of the largest total; the logarithms
        of the inflations of any two clusters diverge monotonically. From their means of the two
        ends, and relative to one cluster, they differ by at most half of their change. Where each b
        changes by a share of at most ε, \|Z\| ≤ (\|a · s\| + Σ \|a\| ε) / (1 − 2 Σ a² ε)^½.
        """
        sums, g, squares = self._sums[pairs], self._sizes[pairs], self._squares[pairs]
        n, m = g.sum(axis=1), (g > 0).sum(axis=1)
        norm = np.sqrt((sums**2).sum(axis=1, keepdims=True))
        shares = np.divide(sums, norm, out=np.zeros_like(sums), where=norm > 0)
        largest = norm[:, 0] * upper_bounds(shares, signs, 0.0).max(axis=1)
        between = (sums**2 / np.maximum(g, 1)).sum(axis=1)
        totals = np.stack([np.zeros_like(largest), largest])
        rho = intraclass_correlation(between, squares, totals, (g**2).sum(axis=1), n, m)
        first, last = size_inflation(np.nan_to_num(rho)[..., None], np.maximum(g, 1), m[:, None])
        with np.errstate(invalid="ignore", divide="ignore"):
            weights = sums / np.sqrt(first * last)
            weights /= np.sqrt((weights**2).sum(axis=1, keepdims=True))
            sizes, change = np.abs(weights), np.log(first / last)
            mean = (sizes * change).sum(axis=1) / sizes.sum(axis=1)
            one = np.abs(change - mean[:, None]).argmin(axis=1)
            change -= change[np.arange(len(change)), one][:, None]
            epsilon = np.expm1(np.abs(change) / 2)
            scale = 1 / np.sqrt(1 - 2 * (sizes**2 * epsilon).sum(axis=1))
        # With few clusters ρ need not be monotone, and it jumps where all signed ranks are equal.
        unsure = (m < 5) | (largest**2 >= (1 - 1e-4) * n * squares) | ~(scale >= 1)
        error = np.where(unsure, np.inf, scale * (sizes * epsilon).sum(axis=1))
        return upper_bounds(np.where(unsure, 0.0, scale)[:, None] * weights, signs, error)


PREPARED = RankSums
