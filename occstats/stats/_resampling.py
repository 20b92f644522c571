"""Random weights of clusters, generated in chunks from the same seed in every iteration.

Small sets of rows are cached, since many statistics of a comparison use the same ones.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from occstats.stats._arrays import FloatArray
from occstats.stats.clusters import Clusters
from occstats.stats.signed_rank.null import RandomState, repeatable

# Rows × clusters that are drawn at a time, and that are cached.
CHUNK_ELEMENTS = 2_000_000


@dataclass(frozen=True)
class Draws:
    """Rows of random weights of independent units, shared by the clusters of a suite.

    `members` are the positions of the clusters' weights; empty where each cluster has its own.
    """

    n_units: int
    n_rows: int
    seed: int
    members: tuple[int, ...] = ()

    @classmethod
    def of(cls, clusters: int | Clusters, n_rows: int, random_state: RandomState = None) -> Self:
        """Return rows of weights for clusters, or for a number of them.

        Examples
        --------
        >>> nested = Clusters.nested(["uci", "uci", "mnist"], ["iris", "wine", "digits"])
        >>> row = Counts.of(nested, 1, random_state=1).array()[0]  # digits, iris, wine
        >>> bool(row[1] == row[2])
        True
        """
        seed = repeatable(random_state)
        if isinstance(clusters, int | np.integer):
            return cls(clusters, n_rows, seed)
        if clusters.suites is None:
            return cls(clusters.n_clusters, n_rows, seed)
        suites = clusters.suites
        return cls(suites.n_clusters, n_rows, seed, tuple(suites.codes.tolist()))

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.members) or self.n_units

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> Iterator[FloatArray]:
        if self.n_rows * self.n_clusters <= CHUNK_ELEMENTS:
            return iter(_kept(self))
        return self._chunks(np.random.default_rng(self.seed))

    def array(self) -> FloatArray:
        """Return all rows."""
        return np.concatenate([np.zeros((0, self.n_clusters)), *self])

    def _chunks(self, rng: np.random.Generator) -> Iterator[FloatArray]:
        step = max(1, CHUNK_ELEMENTS // max(1, self.n_clusters))
        for start in range(0, self.n_rows, step):
            rows = self._draw(rng, min(step, self.n_rows - start))
            yield rows[:, self.members] if self.members else rows

    @abstractmethod
    def _draw(self, rng: np.random.Generator, rows: int) -> FloatArray:
        """Draw the next rows."""


@lru_cache(maxsize=8)
def _kept(draws: Draws) -> tuple[FloatArray, ...]:
    chunks = tuple(draws._chunks(np.random.default_rng(draws.seed)))
    for chunk in chunks:
        chunk.flags.writeable = False
    return chunks


@dataclass(frozen=True)
class Counts(Draws):
    """Counts of the clusters in bootstrap resamples."""

    def _draw(self, rng: np.random.Generator, rows: int) -> FloatArray:
        drawn = rng.integers(self.n_units, size=(rows, self.n_units))
        drawn += self.n_units * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=drawn.size)
        return counts.reshape(drawn.shape).astype(float)


@dataclass(frozen=True)
class PosteriorWeights(Draws):
    """Unnormalised Dirichlet weights of the clusters.

    Without the common divisor, clusters that a pair lacks are left out by dropping columns.
    """

    def _draw(self, rng: np.random.Generator, rows: int) -> FloatArray:
        return rng.standard_exponential((rows, self.n_units))

    def prior(self, weight: float) -> FloatArray:
        """Draw the weight of a pseudo-observation in each row, after all others."""
        rng = np.random.default_rng(self.seed)
        for _ in self._chunks(rng):
            pass
        return rng.standard_gamma(weight, self.n_rows)


def over_rows(
    statistic: Callable[[FloatArray], FloatArray], rows: FloatArray | Draws
) -> FloatArray:
    """Evaluate a statistic on chunks of rows and concatenate the results."""
    parts = [rows] if isinstance(rows, np.ndarray) else rows
    return np.concatenate([statistic(part) for part in parts])
