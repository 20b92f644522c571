"""Wilcoxon's signed-rank test of tasks, or of dataset means.

References
----------
.. [1] F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, 80-83.
"""

from collections.abc import Iterator

import numpy as np

from occstats.stats._arrays import FloatArray, IntArray, round_to_grid, signed_ranks
from occstats.stats.clusters import Clusters
from occstats.stats.sample import PairBlock
from occstats.stats.signed_rank.interface import Flips, Statistics
from occstats.stats.signed_rank.rosner_glynn_lee import RankSums


def independent_statistics(
    rank_sums: FloatArray, sizes: FloatArray, squares: FloatArray, counts: FloatArray | None = None
) -> Statistics:
    """Return the sum of the signed ranks of each row, and its variance."""
    c = np.ones(1) if counts is None else counts
    n = np.broadcast_to((c * sizes).sum(axis=1), squares.shape)
    problem = np.full(len(squares), None, dtype=object)
    few = n < 2
    problem[few] = [f"{int(found)} nonzero difference(s): too few" for found in n[few]]
    total, unknown = (c * rank_sums).sum(axis=1), np.full(len(squares), np.nan)
    return Statistics(
        np.where(few, np.nan, total), np.where(few, np.nan, squares), unknown, problem
    )


class IndependentRanks(RankSums):
    """Signed ranks of differences that are treated as independent."""

    statistics = staticmethod(independent_statistics)

    @property
    def n_units(self) -> int:
        return len(self.grid)

    def units(self, pair: int) -> IntArray:
        return np.flatnonzero(signed_ranks(self.grid[:, pair])[1])

    def rank_sums(self, pair: int) -> FloatArray:
        ranks, counted = signed_ranks(self.grid[:, pair])
        return ranks[counted]

    def flips(self, pairs: IntArray) -> Iterator[Flips]:
        weights = (signed_ranks(self.grid[:, pairs])[0] / np.sqrt(self._squares[pairs])).T
        yield Flips(np.arange(len(pairs)), lambda signs: np.asarray(weights @ signs))


def _dataset_means(block: PairBlock, tie_tolerance: float) -> RankSums:
    """Prepare the mean difference in each cluster; means of one suite are a cluster."""
    means = round_to_grid(block.clusters.means(block.differences), tie_tolerance)
    if block.clusters.suites is not None:
        return RankSums(means, block.clusters.suites)
    return IndependentRanks(means, Clusters.of(np.arange(len(means))))


PREPARE = {"wilcoxon": IndependentRanks.of, "dataset-means": _dataset_means}
