"""Samples of scores and clusters, with the derived quantities that all statistics share."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from occstats.errors import ArgumentError
from occstats.stats._arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    as_scores,
    midranks,
    round_to_grid,
    signed_ranks,
    upper_pairs,
)
from occstats.stats.clusters import Clusters

#: Differences (tasks × pairs) in memory at a time (8 MB), and those that are cached.
BLOCK_ELEMENTS = 1_000_000
CACHED_ELEMENTS = 1_000_000


@dataclass(frozen=True, eq=False)
class PairBlock:
    """The differences of some pairs of algorithms a < b, tasks × pairs.

    `grid` has them in whole units of the tie tolerance, so that 0.3 − 0.2 and 0.2 − 0.1 are equal;
    where it is 0, the raw differences. `prepared` caches the samples of tests.
    """

    a: IntArray
    b: IntArray
    differences: FloatArray
    grid: FloatArray
    clusters: Clusters
    prepared: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def signed_ranks(self) -> tuple[FloatArray, BoolArray]:
        """Signed midranks of each pair's differences, zeros dropped, and a mask of ranked ones."""
        return signed_ranks(self.grid)

    @cached_property
    def cluster_means(self) -> FloatArray:
        """Mean difference in each cluster, clusters × pairs, without failures (infinite ones)."""
        infinite = np.isinf(self.differences)
        if infinite.any():
            return self.clusters.means(np.where(infinite, np.nan, self.differences))
        return self.clusters.means(self.differences)


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores of several algorithms on tasks that come in clusters, prepared for all statistics.

    Every statistic of several algorithms accepts a sample in place of ``(scores, clusters)``, and
    shares the quantities derived from it with the others.

    Attributes
    ----------
    scores : ndarray, tasks × algorithms
        Higher is better; NaN marks a missing score, −inf a failure, which ranks below all scores.
    clusters : Clusters
        The dataset of each task: codes, labels, sizes, weights, sums and means by cluster.
    tie_tolerance : float
        Scores, and differences of scores, are rounded to multiples of it before they are compared.

    Examples
    --------
    >>> sample = Sample.of([[0.3, 0.2], [0.2, 0.1]], ["iris", "wine"], tie_tolerance=1e-9)
    >>> sample.ranks.tolist(), sample.n_pairs
    ([[1.0, 2.0], [1.0, 2.0]], 1)
    """

    scores: FloatArray
    clusters: Clusters
    tie_tolerance: float = 0.0

    @classmethod
    def of(
        cls,
        scores: "ArrayLike | Sample",
        clusters: ArrayLike | Clusters | None = None,
        *,
        tie_tolerance: float = 0.0,
    ) -> "Sample":
        """Prepare scores and the label of each task; return a sample unchanged."""
        if isinstance(scores, Sample):
            return scores
        table = as_scores("scores", scores, allow_nan=True)
        if clusters is None:
            raise ArgumentError("clusters must hold one label per task; got None.")
        return cls(table, Clusters.of(clusters, len(table)), tie_tolerance)

    def __getstate__(self) -> dict[str, Any]:
        # Without the quantities derived from them.
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @property
    def n_tasks(self) -> int:
        """Number of tasks."""
        return len(self.scores)

    @property
    def n_algorithms(self) -> int:
        """Number of algorithms."""
        return int(self.scores.shape[1])

    @property
    def n_clusters(self) -> int:
        """Number of clusters (datasets)."""
        return self.clusters.n_clusters

    @property
    def n_pairs(self) -> int:
        """Number of unordered pairs of algorithms."""
        return self.n_algorithms * (self.n_algorithms - 1) // 2

    @cached_property
    def complete(self) -> BoolArray:
        """Mask of the tasks that all algorithms have."""
        return np.asarray(~np.isnan(self.scores).any(axis=1))

    @cached_property
    def complete_cases(self) -> "Sample":
        """The tasks that all algorithms have, on which they can be ranked."""
        if self.complete.all():
            return self
        kept = self.complete
        return Sample(self.scores[kept], self.clusters.keep(kept), self.tie_tolerance)

    @cached_property
    def rounded(self) -> FloatArray:
        """Scores in whole units of the tie tolerance."""
        return round_to_grid(self.scores, self.tie_tolerance)

    @cached_property
    def ranks(self) -> FloatArray:
        """Ranks of the algorithms within each task; 1 is best, NaN where one is missing."""
        if self.complete.all():
            return midranks(-self.rounded)
        ranks = np.full(self.scores.shape, np.nan)
        ranks[self.complete] = midranks(-self.rounded[self.complete])
        return ranks

    def pair_differences(self, a: IntArray, b: IntArray) -> FloatArray:
        """Return the differences a − b of some pairs, tasks × pairs; two failures (−inf) tie."""
        first, second = self.scores[:, a], self.scores[:, b]
        with np.errstate(invalid="ignore"):
            return np.where(np.isinf(first) & (first == second), 0.0, first - second)

    def blocks(
        self,
        elements: int = BLOCK_ELEMENTS,
        *,
        per_pair: int = 500,
        pairs: IntArray | None = None,
    ) -> Iterator[PairBlock]:
        """Yield all pairs, or those at some positions, in blocks of bounded memory.

        At most `elements` numbers are in memory, of which the caller needs `per_pair` for each
        pair.
        """
        first, second = upper_pairs(self.n_algorithms)
        if pairs is not None:
            first, second = first[pairs], second[pairs]
        step = max(1, elements // (2 * self.n_tasks + per_pair + 1))
        small = self.n_pairs * self.n_tasks <= CACHED_ELEMENTS
        if pairs is None and small and 0 < len(first) <= step:
            yield self._whole
            return
        for start in range(0, len(first), step):
            yield self._block(first[start : start + step], second[start : start + step])

    @cached_property
    def _whole(self) -> PairBlock:
        """All pairs of a small sample."""
        return self._block(*upper_pairs(self.n_algorithms))

    def _block(self, a: IntArray, b: IntArray) -> PairBlock:
        differences = self.pair_differences(a, b)
        grid = round_to_grid(differences, self.tie_tolerance)
        return PairBlock(a, b, differences, grid, self.clusters)

    def select(self, algorithms: Sequence[int] | IntArray) -> "Sample":
        """Select some of the algorithms, by position."""
        return Sample(self.scores[:, list(algorithms)], self.clusters, self.tie_tolerance)
