"""The signed-rank test of Datta and Satten.

References
----------
.. [1] S. Datta, G. A. Satten (2008). A signed-rank test for clustered data. Biometrics 64(2),
   501-507.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from occstats.stats._arrays import (
    LARGEST,
    AnyFloats,
    FloatArray,
    IntArray,
    count_tied,
    midranks,
)
from occstats.stats.clusters import Clusters
from occstats.stats.signed_rank.interface import (
    Observed,
    Prepared,
    Ranked,
    few_clusters,
)
from occstats.stats.signed_rank.null import Signs
from occstats.stats.signed_rank.rosner_glynn_lee import RankSums, in_single

if TYPE_CHECKING:
    from occstats.stats.hodges_lehmann import Merged

NO_VARIANCE = "the signs cancel within every cluster: no variance is left"


class Contributions(Prepared):
    """Contributions of the clusters of several pairs; zeros are kept, with sign 0."""

    keeps_zeros = True

    def __init__(self, grid: FloatArray, clusters: Clusters, ranked: Ranked | None = None) -> None:
        super().__init__(grid, clusters)
        self.sizes = self._known
        self._present = (self.sizes > 0).astype(np.float64)
        self._terms, self._variance_terms = cluster_contributions(grid, clusters, self.sizes)
        self._ranked = ranked

    @cached_property
    def observed(self) -> Observed:
        m = self._present.sum(axis=1)
        variance = (self._present * self._variance_terms**2).sum(axis=1)
        # The residual is floating-point cancellation error.
        variance = np.where(variance <= 1e-24 * np.maximum(m, 1.0) ** 2, 0.0, variance)
        few, problem = m < 2, np.full(len(m), None, dtype=object)
        problem[variance == 0] = NO_VARIANCE
        problem[few] = [few_clusters(int(found)) for found in m[few]]
        # The intraclass correlation is that of the signed ranks.
        return replace(
            RankSums(self.grid, self.clusters, self._ranked).observed,
            statistic=np.where(few, np.nan, (self._present * self._terms).sum(axis=1)),
            variance=np.where(few, np.nan, variance),
            problem=problem,
            n_observations=self.sizes.sum(axis=1).astype(np.intp),
            n_clusters=m.astype(np.intp),
        )

    def moved(self, pairs: IntArray, by: FloatArray) -> Contributions:
        return Contributions(self.grid[:, pairs] - by, self.clusters)

    def z_of(self, pairs: IntArray, merged: Merged) -> FloatArray:
        sizes = self.sizes[pairs]
        shares = self._present[pairs] / np.maximum(sizes, 1.0)
        n, m = np.maximum(sizes.sum(axis=1), 1.0), self.observed.n_clusters[pairs]
        # The last cell of a row gathers absent differences.
        weights = np.pad(shares, ((0, 0), (0, 1))).ravel()[merged.cells]
        cumulated = np.cumsum(weights, axis=1) - weights / 2
        signs = merged.signs
        balance, others = merged.sums(signs), merged.sums(signs * cumulated)
        pooled = merged.sums(signs * (merged.ranks - 0.5))
        own = merged.sums(signs * merged.within_clusters())
        # Infinite differences, tied with each other, lie above all others at any shift.
        infinite = np.isinf(self.grid[:, pairs])
        if infinite.any():
            lost = self.clusters.sums(infinite).T
            sure = self.clusters.sums(np.where(infinite, np.sign(self.grid[:, pairs]), 0.0)).T
            total, heavy = lost.sum(axis=1), (shares * lost).sum(axis=1)
            balance = balance + sure
            others += sure * ((shares * sizes).sum(axis=1) - heavy / 2)[:, None]
            pooled += sure * (n - total / 2)[:, None]
            own += sure * (sizes - lost / 2)
        total = (shares * (balance + others - shares * own)).sum(axis=1)
        terms = shares * (balance + ((m - 1) / n)[:, None] * pooled)
        spread = np.sqrt((terms**2).sum(axis=1))
        known = spread > 1e-12 * m
        return np.asarray(np.divide(total, spread, out=np.zeros(len(pairs)), where=known))

    @cached_property
    def _weights(self) -> FloatArray:
        # Flips change neither absolute values nor the variance.
        variance = self.observed.variance
        return np.asarray(self._terms / np.sqrt(np.where(variance > 0, variance, np.nan))[:, None])

    def flipped(self, pairs: IntArray, signs: Signs) -> FloatArray:
        return np.asarray(np.einsum("pu,pu->p", self._weights[pairs], signs))

    def approximate(self, pairs: IntArray, signs: AnyFloats) -> tuple[AnyFloats, AnyFloats]:
        z, error = in_single(self._weights[pairs], signs)
        return z, np.nan_to_num(error, nan=np.inf).astype(np.float32)[:, None]


def cluster_contributions(
    x: FloatArray, clusters: Clusters, sizes: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the terms of the statistic and its variance: pairs × clusters, in O(N log N).

    F_i(x) = (#{|x_ij| ≤ x} + #{|x_ij| < x}) / (2 g_i) is, at an observation, a midrank minus one
    half: within the cluster for F_i, over all observations for the pooled F; the sum of all F_k is
    the same with a weight of 1/g_k for each observation.
    """
    x, codes = np.ascontiguousarray(x.T), clusters.codes
    known, g = ~np.isnan(x), np.maximum(sizes, 1.0)
    magnitudes = np.where(known, np.minimum(np.abs(x), LARGEST), np.inf)
    signs = np.where(known, np.sign(x), 0.0)
    ranks, tied = midranks(magnitudes), count_tied(magnitudes)
    within = midranks(np.where(known, codes * (x.shape[1] + 1.0) + ranks, np.inf))
    own = within - 0.5 - (np.cumsum(sizes, axis=1) - sizes)[:, codes]
    shares = np.where(known, 1 / g[:, codes], 0.0)
    order, cumulated = np.argsort(magnitudes, axis=1), np.zeros((len(x), x.shape[1] + 1))
    np.cumsum(np.take_along_axis(shares, order, axis=1), axis=1, out=cumulated[:, 1:])
    first = (ranks - (tied + 1) / 2).astype(np.intp)
    places = first, first + tied.astype(np.intp)
    below, up_to = (np.take_along_axis(cumulated, place, axis=1) for place in places)
    balance, others, pooled = (
        clusters.sums((signs * values).T).T
        for values in (np.ones(x.shape[1]), (below + up_to) / 2 - own * shares, ranks - 0.5)
    )
    # Multiples of one half until the last division: a variance of zero is exactly zero.
    n, m = np.maximum(sizes.sum(axis=1), 1.0)[:, None], (sizes > 0).sum(axis=1)[:, None]
    return (balance + others) / g, (n * balance + (m - 1) * pooled) / (n * g)


PREPARED = Contributions
