"""Interface of the signed-rank tests: statistics of many pairs, and under sign flips."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from occstats.stats._arrays import (
    AnyFloats,
    BoolArray,
    FloatArray,
    IntArray,
    ObjectArray,
)
from occstats.stats.clusters import Clusters
from occstats.stats.signed_rank.null import Signs

if TYPE_CHECKING:
    from occstats.stats.hodges_lehmann import Merged

#: Signed ranks of differences, and a mask of those that are ranked.
Ranked = tuple[FloatArray, BoolArray]
#: Pairs that are flipped at a time: few enough for their values to stay in the cache.
PAIRS_AT_ONCE = 128
#: Signs of pairs × clusters that are evaluated at a time, likewise.
_CHUNK_ELEMENTS = 50_000


@dataclass(frozen=True, eq=False)
class Observed:
    """Statistics of several pairs, with the numbers of differences and clusters used.

    Each has the intraclass correlation of its signed ranks, and the problem of a pair without a
    test.
    """

    statistic: FloatArray
    variance: FloatArray
    correlation: FloatArray
    problem: ObjectArray
    n_observations: IntArray
    n_clusters: IntArray
    all_zero: BoolArray

    @property
    def z(self) -> FloatArray:
        """The statistic over its standard deviation; NaN where there is no test."""
        known = np.array([reason is None for reason in self.problem], dtype=bool)
        root = np.sqrt(np.where(known & (self.variance > 0), self.variance, 1.0))
        return np.where(known, self.statistic / root, np.nan)


class Prepared(ABC):
    """The samples of several pairs of algorithms, ready to be tested in any way."""

    #: Whether tasks without a difference are part of the sample.
    keeps_zeros = False
    #: Number of differences in the sample: pairs × clusters.
    sizes: FloatArray

    def __init__(self, grid: FloatArray, clusters: Clusters, ranked: Ranked | None = None) -> None:
        #: Differences in units of the tie tolerance (tasks × pairs), and their clusters.
        self.grid, self.clusters = grid, clusters

    @cached_property
    def _known(self) -> FloatArray:
        """Number of differences in each cluster: pairs × clusters."""
        return self.clusters.sums(~np.isnan(self.grid)).T

    @property
    def n_known_clusters(self) -> IntArray:
        """Number of clusters with a difference, zero or not, for each pair."""
        return np.asarray((self._known > 0).sum(axis=1))

    @property
    @abstractmethod
    def observed(self) -> Observed:
        """The statistics of all pairs."""

    @abstractmethod
    def moved(self, pairs: IntArray, by: FloatArray) -> Prepared:
        """Prepare some pairs again after subtracting a shift from their differences."""

    @abstractmethod
    def z_of(self, pairs: IntArray, merged: Merged) -> FloatArray:
        """Return Z of some pairs less a shift, with the weights that they have without it."""

    @abstractmethod
    def flipped(self, pairs: IntArray, signs: Signs) -> FloatArray:
        """Return Z of each of some pairs for a row of signs of its own."""

    @abstractmethod
    def approximate(self, pairs: IntArray, signs: AnyFloats) -> tuple[AnyFloats, AnyFloats]:
        """Return Z of some pairs in single precision, pairs × flips, and bounds of the errors."""

    def exact(
        self, pairs: IntArray, signs: Signs, wanted: BoolArray
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return the positions of the wanted pairs and flips, and Z there."""
        pair, flip = np.nonzero(wanted)
        z, step = np.empty(len(pair)), max(1, _CHUNK_ELEMENTS // signs.shape[1])
        for start in range(0, len(pair), step):
            part = slice(start, start + step)
            z[part] = self.flipped(pairs[pair[part]], signs[flip[part]])
        return pair, flip, z

    def largest(self, pairs: IntArray, signs: Signs, known: FloatArray) -> FloatArray:
        """Return the largest |Z| of some pairs for each row of signs, or a known larger one.

        A pair is evaluated only where its upper bound reaches the largest value found so far,
        beginning with the highest bound of each flip.
        """
        z, error = self.approximate(pairs, signs.T.astype(np.float32))
        bounds = np.abs(z, out=z)
        bounds += error
        largest, highest = known.copy(), bounds.max(axis=0)
        (flips,) = np.nonzero(~(highest < largest))
        bounds, signs = bounds[:, flips], signs[flips]
        first = bounds == highest[flips]
        for turn in (first, ~first):
            reaches = ~(bounds < largest[flips].astype(bounds.dtype))
            _, flip, values = self.exact(pairs, signs, turn & reaches)
            np.maximum.at(largest, flips[flip], np.nan_to_num(np.abs(values)))
        return largest


def few_clusters(n_clusters: int, which: str = "") -> str:
    """Return the reason why too few clusters have no test."""
    plural = "" if n_clusters == 1 else "s"
    return f"{n_clusters} cluster{plural}{which}: the test needs at least two"
