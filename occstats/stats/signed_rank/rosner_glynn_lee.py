"""The clustered signed-rank test of Rosner, Glynn and Lee.

References
----------
.. [1] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
   comparisons of clustered data. Biometrics 62(1), 185-192.
"""

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from occstats.stats._arrays import FloatArray, IntArray
from occstats.stats.clusters import Clusters
from occstats.stats.intraclass import intraclass_correlation
from occstats.stats.sample import PairBlock
from occstats.stats.signed_rank.interface import (
    Engine,
    Flips,
    Prepared,
    Statistics,
    count_chunks,
    few_clusters,
)
from occstats.stats.signed_rank.ranking import Magnitudes, Merged, signed_ranks

# Flips × samples that are held at once: few enough to stay in the cache.
_FLIPS_AT_ONCE = 20_000
NEGATIVE_WEIGHTS = (
    "with two clusters the corrected intraclass correlation is negative here and leaves no valid "
    "weights"
)
NO_VARIANCE = "the signed ranks cancel within every cluster: no variance is left"


def size_inflation(rho: FloatArray, sizes: FloatArray, m: FloatArray) -> FloatArray:
    r"""Return the variance inflation of the mean rank of clusters of the given sizes.

    It is :math:`1 + (g - 1)\rho_c` with the bias-corrected intraclass correlation
    :math:`\rho_c = \min(1, \rho (1 + (1 - \rho^2)/(m - 2.5)))` [1]_; a cluster's weight is its
    reciprocal.

    Parameters
    ----------
    rho : ndarray
        Intraclass correlation of the signed ranks.
    sizes : ndarray
        Sizes g of the clusters.
    m : ndarray
        Number of clusters. All three broadcast against each other.

    References
    ----------
    .. [1] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
       comparisons of clustered data. Biometrics 62(1), 185-192.

    Examples
    --------
    >>> size_inflation(np.array(0.5), np.array([1.0, 3.0]), np.array(10.0))
    array([1. , 2.1])
    """
    corrected = np.minimum(1.0, rho * (1 + (1 - rho**2) / (m - 2.5)))
    return np.asarray(1 + (sizes - 1) * corrected)


def rank_sum_statistics(
    rank_sums: FloatArray, sizes: FloatArray, squares: FloatArray, counts: FloatArray | None = None
) -> Statistics:
    """Return T and its variance for each row of rank sums.

    Parameters
    ----------
    rank_sums : ndarray, rows × clusters
        R_i, the sum of the signed ranks in each cluster.
    sizes : ndarray, rows (or 1) × clusters
        g_i, the differences other than zero in each cluster; a cluster of size 0 is not there.
    squares : ndarray of shape (rows,)
        Sum of the squared signed ranks.
    counts : ndarray, rows (or 1) × clusters, optional
        How often each cluster is there.
    """
    c = np.where(sizes > 0, 1.0 if counts is None else counts, 0.0)
    g = np.where(sizes > 0, sizes, 1.0)
    m, n = c.sum(axis=1), (c * sizes).sum(axis=1)
    total = (c * rank_sums).sum(axis=1)
    present = c > 0
    smallest = np.where(present, sizes, np.inf).min(axis=1, initial=np.inf)
    balanced = np.where(present, sizes, 0.0).max(axis=1, initial=0.0) == smallest
    with np.errstate(invalid="ignore", divide="ignore"):
        constant = squares - total**2 / n <= 1e-9 * squares
        between = (c * rank_sums**2 / g).sum(axis=1)
        rho = intraclass_correlation(between, squares, total, (c * sizes**2).sum(axis=1), n, m)
        # Where one algorithm wins every task by the same rank no variance can be estimated: each
        # cluster then counts as one observation, and Z is the root of their number.
        rho = np.where(constant, 1.0, rho)
        inflation = size_inflation(rho[:, None], g, m[:, None])
        spread = np.where(constant, 1.0, (squares - total**2 / n) / (n - 1))
        scale = np.where(balanced[:, None], 1.0, spread[:, None] * inflation)
        parts = np.where(present, rank_sums / scale, 0.0)
    variance = (c * parts**2).sum(axis=1)
    problem = np.full(len(rank_sums), None, dtype=object)
    problem[variance == 0] = NO_VARIANCE
    problem[~balanced & (present & (inflation <= 0)).any(axis=1)] = NEGATIVE_WEIGHTS
    for row in np.flatnonzero(m < 2):
        problem[row] = few_clusters(int(m[row]), " with differences other than zero")
    undefined = np.array([found not in (None, NO_VARIANCE) for found in problem], dtype=bool)
    return Statistics(
        statistic=np.where(undefined, np.nan, (c * parts).sum(axis=1)),
        variance=np.where(undefined, np.nan, variance),
        correlation=rho,
        problem=problem,
    )


def flipped_z(
    rank_sums: FloatArray, sizes: FloatArray, squares: FloatArray, signs: FloatArray
) -> FloatArray:
    """Return Z of `rank_sum_statistics` for many flips of signs: samples × flips.

    The squares of the rank sums stay as they are, so that ρ depends on a flip through the total
    alone, and clusters of one size share a weight: sums over sizes take the place of those over
    clusters.

    Parameters
    ----------
    rank_sums : ndarray, samples × clusters
        R_i, the sum of the signed ranks in each cluster.
    sizes : ndarray of shape (clusters,)
        g_i, the same in all samples, none of them 0.
    squares : ndarray of shape (samples,)
        Sum of the squared signed ranks.
    signs : ndarray, clusters × flips
        The signs of the clusters.
    """
    if len(sizes) < 2:
        return np.full((len(rank_sums), signs.shape[1]), np.nan)
    order = np.argsort(sizes, kind="stable")
    distinct, starts = np.unique(sizes[order], return_index=True)
    if len(distinct) == 1:
        with np.errstate(invalid="ignore"):
            spread = np.sqrt((rank_sums**2).sum(axis=1, keepdims=True))
            return np.asarray(rank_sums @ signs / spread)
    parts = [order[part] for part in np.split(np.arange(len(order)), starts[1:])]
    n, m, squared_sizes = sizes.sum(), np.asarray(float(len(sizes))), (sizes**2).sum()
    squares = squares[:, None]
    between = (rank_sums**2 / sizes).sum(axis=1, keepdims=True)
    own_squares = [(rank_sums[:, part] ** 2).sum(axis=1, keepdims=True) for part in parts]
    z = np.empty((len(rank_sums), signs.shape[1]))
    step = max(1, _FLIPS_AT_ONCE // len(rank_sums))
    for start in range(0, signs.shape[1], step):
        flips = signs[:, start : start + step]
        by_size = [rank_sums[:, part] @ flips[part] for part in parts]
        total = sum(by_size[1:], by_size[0].copy())
        with np.errstate(invalid="ignore", divide="ignore"):
            rho = intraclass_correlation(between, squares, total, squared_sizes, n, m)
            rho = np.where(squares - total**2 / n <= 1e-9 * squares, 1.0, rho)
            statistic, variance = np.zeros_like(total), np.zeros_like(total)
            for size, sums, own in zip(distinct, by_size, own_squares, strict=True):
                inflation = size_inflation(rho, size, m)
                statistic += sums / inflation
                variance += own / inflation**2
            # The largest clusters, the last ones, are the first to leave no valid weight.
            found = np.where(inflation <= 0, np.nan, statistic / np.sqrt(variance))
        z[:, start : start + step] = found
    return z


class RankSums(Prepared):
    """Sums of signed ranks of several pairs, without zeros and clusters of zeros."""

    def __init__(
        self,
        grid: FloatArray,
        clusters: Clusters,
        ranked: tuple[FloatArray, NDArray[np.bool_]] | None = None,
    ) -> None:
        signed, counted = ranked or signed_ranks(grid)
        self.grid, self.clusters, self._codes = grid, clusters, clusters.codes
        self._sums = clusters.sums(signed).T
        self._sizes = clusters.sums(counted).T
        self._squares = (signed**2).sum(axis=0)
        self._known = clusters.sums(~np.isnan(grid)).T
        self.n_units = self._count_units(clusters)
        self.observed = self.statistics(self._sums, self._sizes, self._squares)
        self.n_observations = self._sizes.sum(axis=1).astype(np.intp)
        self.n_clusters = (self._sizes > 0).sum(axis=1)
        self.all_zero = (self.n_observations == 0) & (self._known.sum(axis=1) > 0)

    @cached_property
    def _inflation(self) -> FloatArray:
        """Divisors of the clusters' rank sums, by the weights of the test."""
        rho, m = np.nan_to_num(self.observed.correlation), self.n_clusters.astype(np.float64)
        inflation = size_inflation(rho[:, None], np.maximum(self._sizes, 1.0), m[:, None])
        return np.where(inflation > 0, inflation, 1.0)

    @cached_property
    def _failures(self) -> FloatArray:
        """Rank sums of infinite differences, which rank above all others at any shift."""
        infinite = np.isinf(self.grid)
        if not infinite.any():
            return np.zeros((1, 1))
        n = infinite.sum(axis=0)
        signs = self.clusters.sums(np.where(infinite, np.sign(self.grid), 0.0)).T
        return np.asarray(signs * (self.n_observations - n + (n + 1) / 2)[:, None])

    def moved(self, pairs: IntArray, by: FloatArray) -> "RankSums":
        x = self.grid[:, pairs]
        return RankSums(np.where(x == 0, np.nan, x - by), self.clusters)

    def z_of(self, pairs: IntArray, merged: Merged) -> FloatArray:
        failures = self._failures if len(self._failures) == 1 else self._failures[pairs]
        sums = merged.sums(merged.signs * merged.ranks) + failures
        parts = sums / self._inflation[pairs]
        total, spread = parts.sum(axis=1), np.sqrt((parts**2).sum(axis=1))
        return np.asarray(np.divide(total, spread, out=np.zeros(len(pairs)), where=spread > 0))

    def _count_units(self, clusters: Clusters) -> int:
        """Return the number of signs that can flip."""
        return clusters.n_clusters

    def statistics(
        self,
        rank_sums: FloatArray,
        sizes: FloatArray,
        squares: FloatArray,
        counts: FloatArray | None = None,
    ) -> Statistics:
        """Return the statistic of each row of rank sums."""
        return rank_sum_statistics(rank_sums, sizes, squares, counts)

    def rank_sums(self, pair: int) -> FloatArray:
        return np.asarray(self._sums[pair, self._sizes[pair] > 0])

    def units(self, pair: int) -> IntArray:
        return np.flatnonzero(self._sizes[pair] > 0)

    def flipped(self, pair: int, signs: FloatArray) -> FloatArray:
        present = self.units(pair)
        sums, sizes = self._sums[[pair]][:, present], self._sizes[pair, present]
        return np.asarray(flipped_z(sums, sizes, self._squares[[pair]], signs.T)[0])

    def flips(self, pairs: IntArray) -> Flips:
        rank_sums, sizes, squares = self._sums[pairs], self._sizes[pairs], self._squares[pairs]
        # Without zeros among the differences all pairs have clusters of the same sizes.
        groups: dict[bytes, list[int]] = {}
        for pair, own in enumerate(sizes):
            groups.setdefault(own.tobytes(), []).append(pair)

        def z_of_signs(signs: FloatArray) -> FloatArray:
            z = np.empty((len(sizes), len(signs)))
            signs = np.ascontiguousarray(signs.T)
            for group in groups.values():
                present = np.flatnonzero(sizes[group[0]])
                flips = signs if len(present) == len(signs) else signs[present]
                sums = rank_sums[group][:, present]
                z[group] = flipped_z(sums, sizes[group[0], present], squares[group], flips)
            return z.T

        return z_of_signs

    def resampled(self, pair: int, counts: FloatArray) -> FloatArray:
        data, sizes = self._magnitudes(pair), self._sizes[[pair]]
        z = np.empty(len(counts))
        halves = 0.5 * np.bincount(data.codes, np.sign(data.x), data.n_clusters)
        for rows, part in count_chunks(counts):
            sums = np.tile(halves, (len(part), 1))
            for columns, below in data.signed_counts():
                sums += part[:, columns] @ below.T
            found = self.statistics(sums, sizes, data.squares(part), part)
            z[rows] = self._or_zero(pair, found.z, part @ sizes[0], part @ self._known[pair])
        return z

    def left_out(self, pair: int) -> FloatArray:
        data, sizes = self._magnitudes(pair), self._sizes[[pair]]
        squares = data.squares_without()
        z = np.empty(data.n_clusters)
        for columns, below in data.signed_counts():
            # Each rank falls by the differences of the missing cluster that were below it.
            sums = self._sums[pair] - below.T
            others = np.ones(sums.shape)
            own = np.arange(columns.start, columns.stop)
            others[own - columns.start, own] = 0.0
            z[columns] = self.statistics(sums, sizes, squares[columns], others).z
        left, known = sizes[0].sum() - sizes[0], self._known[pair].sum() - self._known[pair]
        return self._or_zero(pair, z, left, known)

    def _or_zero(self, pair: int, z: FloatArray, n: FloatArray, known: FloatArray) -> FloatArray:
        """Return Z, or 0 where all differences of a resample are zero."""
        return np.where((n == 0) & (known > 0), 0.0, z)

    def _magnitudes(self, pair: int) -> Magnitudes:
        x = self.grid[:, pair]
        kept = ~np.isnan(x) & (x != 0)
        return Magnitudes(x[kept], self._codes[kept], self._sums.shape[1])


class RosnerGlynnLee(Engine):
    """Rosner, Glynn and Lee's test."""

    def prepare(self, grid: FloatArray, clusters: Clusters) -> RankSums:
        return RankSums(grid, clusters)

    def of_block(self, block: PairBlock, tie_tolerance: float) -> RankSums:
        return RankSums(block.grid, block.clusters.independent, block.signed_ranks)


ENGINES = {"rgl": RosnerGlynnLee()}
