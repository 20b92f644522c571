"""Wilcoxon's signed-rank test on tasks or dataset means."""

import numpy as np

from occstats.stats._arrays import FloatArray, IntArray, round_to_grid
from occstats.stats.clusters import Clusters
from occstats.stats.sample import PairBlock
from occstats.stats.signed_rank.interface import Engine, Statistics
from occstats.stats.signed_rank.ranking import signed_ranks
from occstats.stats.signed_rank.rosner_glynn_lee import RankSums


class PlainSums(RankSums):
    """Signed ranks of independent values."""

    def _count_units(self, clusters: Clusters) -> int:
        return len(self.grid)

    def statistics(
        self,
        rank_sums: FloatArray,
        sizes: FloatArray,
        squares: FloatArray,
        counts: FloatArray | None = None,
    ) -> Statistics:
        c = np.ones(1) if counts is None else counts
        n = np.broadcast_to((c * sizes).sum(axis=1), squares.shape)
        problem = np.full(len(squares), None, dtype=object)
        few = n < 2
        problem[few] = [f"{int(found)} difference(s) other than zero: too few" for found in n[few]]
        unknown = np.full(len(squares), np.nan)
        total = (c * rank_sums).sum(axis=1)
        return Statistics(
            np.where(few, np.nan, total), np.where(few, np.nan, squares), unknown, problem
        )

    def units(self, pair: int) -> IntArray:
        return np.flatnonzero(signed_ranks(self.grid[:, pair])[1])

    def rank_sums(self, pair: int) -> FloatArray:
        ranks, counted = signed_ranks(self.grid[:, pair])
        return ranks[counted]

    def flipped(self, pair: int, signs: FloatArray) -> FloatArray:
        return np.asarray(signs @ self.rank_sums(pair) / np.sqrt(self._squares[pair]))


class PlainWilcoxon(Engine):
    """Wilcoxon's test of tasks, which ignores clusters."""

    def prepare(self, grid: FloatArray, clusters: Clusters) -> PlainSums:
        return PlainSums(grid, clusters)

    def of_block(self, block: PairBlock, tie_tolerance: float) -> PlainSums:
        return PlainSums(block.grid, block.clusters.independent, block.signed_ranks)


class DatasetMeans(Engine):
    """Wilcoxon's test of dataset means, clustered by suite."""

    def prepare(self, grid: FloatArray, clusters: Clusters) -> PlainSums:
        return PlainSums(grid, Clusters.of(np.arange(len(grid))))

    def sample(
        self, differences: FloatArray, grid: FloatArray, clusters: Clusters, tie_tolerance: float
    ) -> RankSums:
        means = round_to_grid(clusters.means(differences), tie_tolerance)
        if clusters.suites is not None:
            return RankSums(means, clusters.suites)
        return self.prepare(means, clusters)


ENGINES = {"wilcoxon": PlainWilcoxon(), "dataset-means": DatasetMeans()}
