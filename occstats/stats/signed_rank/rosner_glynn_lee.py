"""The clustered signed-rank test of Rosner, Glynn and Lee.

References
----------
.. [1] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
   comparisons of clustered data. Biometrics 62(1), 185-192.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from occstats.stats._arrays import (
    AnyFloats,
    FloatArray,
    IntArray,
    signed_ranks,
)
from occstats.stats.clusters import Clusters, intraclass_correlation
from occstats.stats.signed_rank.interface import (
    Observed,
    Prepared,
    Ranked,
    few_clusters,
)
from occstats.stats.signed_rank.null import Signs

if TYPE_CHECKING:
    from occstats.stats.hodges_lehmann import Merged

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
    corrected = np.minimum(1.0, rho * (1 + (1 - rho**2) / (m - 2.5)))
    return np.asarray(1 + (sizes - 1) * corrected)


def in_single(weights: FloatArray, signs: AnyFloats) -> tuple[AnyFloats, FloatArray]:
    """Return weights · signs in single precision, pairs × flips, and bounds of the errors."""
    error = 1e-6 * len(signs) ** 0.5 * np.abs(weights).sum(axis=1)
    return weights.astype(np.float32) @ signs, error


class RankSums(Prepared):
    """Sums of signed ranks of several pairs, without zeros and clusters of zeros."""

    def __init__(self, grid: FloatArray, clusters: Clusters, ranked: Ranked | None = None) -> None:
        super().__init__(grid, clusters)
        signed, counted = ranked or signed_ranks(grid)
        self._sums, self.sizes = clusters.sums(signed).T, clusters.sums(counted).T
        self._squares = (signed**2).sum(axis=0)

    @cached_property
    def observed(self) -> Observed:
        sums, squares, total = self._sums, self._squares, self._sums.sum(axis=1)
        between, squared_sizes, n, m, balanced = self._moments
        with np.errstate(invalid="ignore", divide="ignore"):
            rest = squares - total**2 / n
            rho = intraclass_correlation(between, squares, total, squared_sizes, n, m)
            # Where all signed ranks are equal no variance can be estimated: each cluster then
            # counts as one observation, and Z is the root of their number.
            constant = rest <= 1e-9 * squares
            rho = np.where(constant, 1.0, rho)
            inflation = size_inflation(rho[:, None], self._least_sizes, m[:, None])
            spread = np.where(constant, 1.0, rest / (n - 1))
            scale = np.where(balanced[:, None] == 1, 1.0, spread[:, None] * inflation)
            variance = ((sums / scale) ** 2).sum(axis=1)
        problem = np.full(len(sums), None, dtype=object)
        problem[variance == 0] = NO_VARIANCE
        problem[(balanced == 0) & (inflation <= 0).any(axis=1)] = NEGATIVE_WEIGHTS
        for row in np.flatnonzero(m < 2):
            problem[row] = few_clusters(int(m[row]), " with differences other than zero")
        undefined = np.array([found not in (None, NO_VARIANCE) for found in problem], dtype=bool)
        return Observed(
            statistic=np.where(undefined, np.nan, (sums / scale).sum(axis=1)),
            variance=np.where(undefined, np.nan, variance),
            correlation=rho,
            problem=problem,
            n_observations=n.astype(np.intp),
            n_clusters=m.astype(np.intp),
            all_zero=(n == 0) & (self._known.sum(axis=1) > 0),
        )

    @cached_property
    def _inflation(self) -> FloatArray:
        """Divisors of the clusters' rank sums, by the weights of the test."""
        rho = np.nan_to_num(self.observed.correlation)
        inflation = size_inflation(rho[:, None], self._least_sizes, self._moments[3][:, None])
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
        return np.maximum(self.sizes, 1.0)

    @cached_property
    def _moments(self) -> FloatArray:
        """ΣR²/g, Σg², N, m and balance of each pair, which flips do not change."""
        g = self.sizes
        between = (self._sums**2 / self._least_sizes).sum(axis=1)
        largest = g.max(axis=1, keepdims=True, initial=0.0)
        balanced = ((g == largest) | (g == 0)).all(axis=1)
        rows = between, (g**2).sum(axis=1), g.sum(axis=1), (g > 0).sum(axis=1), balanced
        return np.array(rows, dtype=np.float64)

    def approximate(self, pairs: IntArray, signs: AnyFloats) -> tuple[AnyFloats, AnyFloats]:
        r"""Return Z from its values at the extreme ρ of all flips, and bounds of the errors.

        Z is b · s / ‖b‖ for signs s and the rank sums b over their inflation, which depends on ρ.
        ρ falls from that of a total of 0 to that of the largest total. Between these ends b is a
        mean of b₁ and b₂, less at most e, as the reciprocal of the inflation is convex. The norm of
        the mean is at most that of the ends, and at least that times the cosine c of half their
        angle. With the smaller ‖b‖, Z lies between Z₁ and Z₂ but for an error of Σ e / ‖b‖ and a
        factor of at most 1 / (c − ‖e‖ / ‖b‖).
        """
        sums, g, squares = self._sums[pairs], self._least_sizes[pairs], self._squares[pairs]
        between, squared_sizes, n, m, _ = self._moments[:, pairs]
        norm = np.sqrt((sums**2).sum(axis=1))
        with np.errstate(invalid="ignore", divide="ignore"):
            shares, error = in_single(np.nan_to_num(sums / norm[:, None]), signs)
            largest = norm * (np.abs(shares, out=shares).max(axis=1) + error)
            totals = np.stack([np.zeros_like(largest), largest])
            rho = intraclass_correlation(between, squares, totals, squared_sizes, n, m)
            inflation = size_inflation(np.nan_to_num(rho)[..., None], g, m[:, None])
            ends = sums / inflation
            norms = np.sqrt((ends**2).sum(axis=2))
            ends /= norms[..., None]
            bend = np.subtract(*1 / np.sqrt(inflation)) ** 2 / norms.min(axis=0)[:, None]
            bend *= np.abs(sums)
            cosine = np.sqrt((1 + ends.prod(axis=0).sum(axis=1)) / 2)
            scale = 1 / (cosine - np.sqrt((bend**2).sum(axis=1)))
        # With few clusters ρ need not be monotone, and it jumps where all signed ranks are equal.
        unsure = (m < 5) | (largest**2 >= (1 - 1e-4) * n * squares)
        unsure |= ~(scale >= 1) | np.isinf(scale)
        ends[:, unsure], scale[unsure] = 0.0, 1.0
        (z, error), (spread, more) = (
            in_single(weights, signs) for weights in (ends.mean(axis=0), np.subtract(*ends) / 2)
        )
        np.abs(spread, out=spread)
        highest = np.abs(z).max(axis=1) + spread.max(axis=1)
        error += more + scale * bend.sum(axis=1) + (scale - 1) * highest
        spread += np.where(unsure, np.inf, error).astype(np.float32)[:, None]
        return z, spread


PREPARED = RankSums
