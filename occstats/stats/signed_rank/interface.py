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
from occstats.stats.signed_rank import ALTERNATIVES
from occstats.stats.signed_rank.null import (
    RandomState,
    Signs,
    Tails,
    can_list,
    exact_is_feasible,
    exact_tails,
    flip_tails,
    tail,
)

if TYPE_CHECKING:
    from occstats.stats.hodges_lehmann import Merged

#: Signed ranks of differences, and a mask of those that are ranked.
Ranked = tuple[FloatArray, BoolArray]
#: Pairs that are flipped at a time: few enough for their values to stay in the cache.
PAIRS_AT_ONCE = 128
#: Signs of pairs × clusters that are evaluated at a time, likewise.
_CHUNK_ELEMENTS = 50_000
ALL_ZERO = "all differences are zero"


@dataclass(frozen=True)
class Evaluation:
    """A test of one sample, with the p-values of all alternatives (None: no test)."""

    statistic: float
    z: float
    variance: float
    n_observations: int
    n_clusters: int
    intraclass_correlation: float
    tails: Tails | None
    reason: str | None = None
    notes: tuple[str, ...] = ()

    def pvalue(self, alternative: str) -> float | None:
        return None if self.tails is None else self.tails[alternative]


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
    _sizes: FloatArray

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

    def units(self, pair: int) -> IntArray:
        """Return the clusters of a pair whose signs matter."""
        return np.flatnonzero(self._sizes[pair] > 0)

    def rank_sums(self, pair: int) -> FloatArray:
        """Return the sums of signed ranks of a pair in its clusters, for the exact null."""
        raise NotImplementedError

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

    def evaluate(
        self, pair: int, null: str, n_resamples: int, random_state: RandomState
    ) -> Evaluation:
        """Test one pair under a null distribution."""
        found = self.observed
        sizes = int(found.n_observations[pair]), int(found.n_clusters[pair])
        rho, reason = float(found.correlation[pair]), found.problem[pair]
        if found.all_zero[pair]:
            certain = dict.fromkeys(ALTERNATIVES, 1.0)
            return Evaluation(0.0, 0.0, 0.0, *sizes, rho, certain, notes=(ALL_ZERO,))
        statistic, variance = float(found.statistic[pair]), float(found.variance[pair])
        sums = self.rank_sums(pair) if null == "exact" else np.zeros(0)
        if len(sums) >= 2:
            statistic, variance, reason = float(sums.sum()), float(sums @ sums), None
        if reason is not None:
            return Evaluation(statistic, float("nan"), variance, *sizes, rho, None, reason)
        z = np.float64(statistic / np.sqrt(variance) if variance > 0 else 0.0)
        notes: tuple[str, ...] = ()
        units = self.units(pair) if null == "permutation" else np.arange(len(sums))
        if null == "asymptotic":
            tails = {side: float(tail(z, side)) for side in ALTERNATIVES}
        elif null == "exact" and exact_is_feasible(sums):
            tails = exact_tails(sums)
        elif null == "exact":
            notes = (
                "the exact null would take too long (the limit is 2e9 additions or 5e7 sums): "
                f"estimated from {n_resamples} random sign flips",
            )
            scaled = sums / np.sqrt(variance)
            tails = flip_tails(
                lambda signs: np.asarray(signs @ scaled), len(sums), n_resamples, random_state
            )
        else:

            def flipped(signs: Signs) -> FloatArray:
                everywhere = np.ones((len(signs), self.clusters.n_clusters), dtype=np.int8)
                everywhere[:, units] = signs
                return self.flipped(np.full(len(signs), pair), everywhere)

            if can_list(len(units), n_resamples):
                notes = ("all sign flips were enumerated: the p-value is exact",)
            tails = flip_tails(flipped, len(units), n_resamples, random_state, list_all=bool(notes))
        return Evaluation(statistic, float(z), variance, *sizes, rho, tails, notes=notes)


def few_clusters(n_clusters: int, which: str = "") -> str:
    """Return the reason why too few clusters have no test."""
    plural = "" if n_clusters == 1 else "s"
    return f"{n_clusters} cluster{plural}{which}: the test needs at least two"
