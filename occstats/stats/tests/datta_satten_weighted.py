r"""Datta and Satten's statistic with a variance in which every cluster counts the same.

Their variance ranks magnitudes among all observations, :math:`F = \sum_k g_k F_k / N`, so that
large clusters decide what is a large difference. Where the spread of the differences goes with the
size of a cluster, the test then errs far more (or less) often than its level. Here
:math:`F = \sum_k F_k / m`, the distribution that the statistic itself is made with.
"""

import numpy as np

from occstats.stats.arrays import FloatArray, IntArray
from occstats.stats.clusters import Clusters
from occstats.stats.tests.datta_satten import (
    Contributions,
    DattaSatten,
    _within_clusters,
    contribution_statistics,
)
from occstats.stats.tests.engine import Statistics

__all__ = ["ENGINES"]


class WeightedContributions(Contributions):
    """What the clusters contribute, magnitudes being ranked with the same weight for each."""

    def __init__(self, grid: FloatArray, clusters: Clusters) -> None:
        super().__init__(grid, clusters)
        # What each cluster's own distribution adds: the statistic leaves it out, F does not.
        self._own = np.zeros_like(self._terms)
        for pair in range(grid.shape[1]):
            known = ~np.isnan(grid[:, pair])
            self._own[pair] = _own_shares(
                grid[known, pair], clusters.codes[known], self._sizes[pair]
            )
        m = self._present.sum(axis=1, keepdims=True)
        balance = self._balances()
        others = self._terms - balance
        self._variance_terms = self._present * (
            balance + (m - 1) / np.maximum(m, 1) * (others + self._own)
        )
        found = contribution_statistics(self._terms, self._variance_terms, self._present)
        self.observed = Statistics(
            found.statistic, found.variance, self.observed.correlation, found.problem
        )

    def _balances(self) -> FloatArray:
        """Positive minus negative differences, as a share of the tasks of each cluster."""
        signs = np.sign(np.nan_to_num(self._grid))
        m = self._sizes.shape[1]
        sums = np.stack([np.bincount(self._codes, column, m) for column in signs.T])
        return np.asarray(sums / np.maximum(self._sizes, 1.0))

    def _z(
        self, pair: int, balance: FloatArray, others: FloatArray, pooled: FloatArray, c: FloatArray
    ) -> FloatArray:
        m = c.sum(axis=1)
        share = np.divide(m - 1, m, out=np.zeros_like(m), where=m > 0)
        variance_terms = balance + share[:, None] * (others + self._own[pair])
        found = contribution_statistics(balance + others, variance_terms, c).z
        nonzero = c @ np.bincount(self._codes, self._grid[:, pair] != 0, c.shape[1])
        return np.where((m >= 2) & (nonzero == 0), 0.0, found)


def _own_shares(x: FloatArray, codes: IntArray, sizes: FloatArray) -> FloatArray:
    """Σ_j sign(x_ij) F_i(|x_ij|) / g_i of each cluster; 0 of one that is not there."""
    order = np.argsort(np.abs(x))
    present = sizes > 0
    places = (np.cumsum(present) - 1).astype(np.intp)[codes[order]]
    counts = sizes[present].astype(np.intp)
    within = _within_clusters(np.abs(x)[order], places, counts)
    shares = np.zeros_like(sizes)
    shares[present] = np.bincount(places, np.sign(x)[order] * within, len(counts)) / counts**2
    return shares


class WeightedDattaSatten(DattaSatten):
    """Datta and Satten's test with the cluster-weighted variance."""

    def prepare(self, grid: FloatArray, clusters: Clusters) -> WeightedContributions:
        return WeightedContributions(grid, clusters)


ENGINES = {"ds-weighted": WeightedDattaSatten()}
