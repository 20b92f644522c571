"""Interface of the tests: statistics of all pairs, for flipped signs and resampled clusters."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from occstats.stats._arrays import FloatArray, IntArray, absent, round_to_grid
from occstats.stats.clusters import Clusters
from occstats.stats.sample import PairBlock
from occstats.stats.signed_rank.null import (
    RandomState,
    TailProbabilities,
    can_list,
    exact_is_feasible,
    exact_tails,
    listed_tails,
    monte_carlo_tails,
    normal_tails,
)
from occstats.stats.signed_rank.ranking import Merged

#: Resamples × clusters that are held at once.
_CHUNK_ELEMENTS = 4_000_000
ALL_ZERO = "all differences are zero"

#: From signs, flips × units, to Z, flips × pairs.
Flips = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Evaluation:
    """A test of one sample, with the p-values of all alternatives (None: no test)."""

    statistic: float
    z: float
    variance: float
    n_observations: int
    n_clusters: int
    intraclass_correlation: float
    tails: TailProbabilities | None
    reason: str | None = None
    notes: tuple[str, ...] = ()

    def pvalue(self, alternative: str) -> float | None:
        if self.tails is None:
            return None
        return float(getattr(self.tails, alternative.replace("-", "_")))


@dataclass(frozen=True, eq=False)
class Statistics:
    """A statistic and its variance for several samples, one per row.

    Attributes
    ----------
    statistic, variance : ndarray
    correlation : ndarray
        Intraclass correlation of the signed ranks.
    problem : ndarray of object
        Why there is no test; None where there is one.
    """

    statistic: FloatArray
    variance: FloatArray
    correlation: FloatArray
    problem: NDArray[np.object_]

    @property
    def z(self) -> FloatArray:
        """The statistic over its standard deviation; NaN where there is no test."""
        known = absent(self.problem)
        root = np.sqrt(np.where(known & (self.variance > 0), self.variance, 1.0))
        return np.where(known, self.statistic / root, np.nan)


@dataclass(frozen=True, eq=False)
class Observed:
    """Statistics of several pairs, for the normal approximation.

    Attributes
    ----------
    observed : Statistics
        Statistic of each pair.
    n_observations, n_clusters : ndarray of int
        Differences and clusters that each test rests on.
    all_zero : ndarray of bool
        Whether a pair has differences, and all are zero.
    """

    observed: Statistics
    n_observations: IntArray
    n_clusters: IntArray
    all_zero: NDArray[np.bool_]


class Prepared(ABC):
    """The samples of several pairs of algorithms, ready to be tested in any way."""

    #: As in `Observed`.
    observed: Statistics
    n_observations: IntArray
    n_clusters: IntArray
    all_zero: NDArray[np.bool_]

    @property
    def alone(self) -> Observed:
        """The statistics without the data."""
        return Observed(self.observed, self.n_observations, self.n_clusters, self.all_zero)

    #: How many signs can flip at most: one per cluster, or per task.
    n_units: int
    #: Differences in units of the tie tolerance (tasks × pairs), and their clusters.
    grid: FloatArray
    clusters: Clusters
    #: Whether tasks without a difference are part of the sample.
    keeps_zeros = False

    @property
    def n_known_clusters(self) -> IntArray:
        """Clusters with a difference, zero or not, for each pair."""
        return np.asarray((self.clusters.sums(~np.isnan(self.grid)) > 0).sum(axis=0))

    @abstractmethod
    def moved(self, pairs: IntArray, by: FloatArray) -> "Prepared":
        """Prepare some pairs again after subtracting a shift from their differences."""

    @abstractmethod
    def z_of(self, pairs: IntArray, merged: Merged) -> FloatArray:
        """Return Z of some pairs less a shift, with the weights that they have without it."""

    @abstractmethod
    def units(self, pair: int) -> IntArray:
        """Return the units of a pair."""

    def n_signs(self, pair: int) -> int:
        """Return the number of signs of a pair that can flip."""
        return len(self.units(pair))

    @abstractmethod
    def rank_sums(self, pair: int) -> FloatArray:
        """Return the sums of signed ranks of a pair in its clusters."""

    @abstractmethod
    def flipped(self, pair: int, signs: FloatArray) -> FloatArray:
        """Return Z of a pair for each row of signs of its clusters."""

    @abstractmethod
    def flips(self, pairs: IntArray) -> Flips:
        """Return a function from signs (flips × units) to Z of some pairs (flips × pairs)."""

    @abstractmethod
    def resampled(self, pair: int, counts: FloatArray) -> FloatArray:
        """Return Z of a pair for each row of counts of the clusters."""

    @abstractmethod
    def left_out(self, pair: int) -> FloatArray:
        """Return Z of a pair without each cluster in turn."""

    def evaluate(
        self, pair: int, null: str, n_resamples: int, random_state: RandomState
    ) -> Evaluation:
        """Test one pair under a null distribution."""
        found = self.observed
        rho = float(found.correlation[pair])
        sizes = int(self.n_observations[pair]), int(self.n_clusters[pair])
        if self.all_zero[pair]:
            certain = TailProbabilities(1.0, 1.0, 1.0)
            return Evaluation(0.0, 0.0, 0.0, *sizes, rho, certain, notes=(ALL_ZERO,))
        statistic, variance = float(found.statistic[pair]), float(found.variance[pair])
        sums = np.zeros(0)
        reason = found.problem[pair]
        if null == "exact":
            sums = self.rank_sums(pair)
            if len(sums) >= 2:
                statistic, variance, reason = float(sums.sum()), float(sums @ sums), None
        if reason is not None:
            return Evaluation(statistic, float("nan"), variance, *sizes, rho, None, reason)
        z = statistic / np.sqrt(variance) if variance > 0 else 0.0
        notes: tuple[str, ...] = ()
        if null == "asymptotic":
            tails = normal_tails(z)
        elif null == "exact" and exact_is_feasible(sums):
            tails = exact_tails(sums)
        else:
            if null == "exact":
                notes = (
                    "the exact null would take too long (2e9 additions or 5e7 sums are the "
                    f"limit): estimated from {n_resamples} random changes of sign",
                )

            def z_of_signs(signs: FloatArray) -> FloatArray:
                if null == "exact":
                    return np.asarray(signs @ sums / np.sqrt(variance))
                return self.flipped(pair, signs)

            n_signs = self.n_signs(pair)
            if null == "permutation" and can_list(n_signs, n_resamples):
                tails = listed_tails(z_of_signs, n_signs)
                notes = ("every change of sign was listed: the p-value is exact",)
            else:
                tails = monte_carlo_tails(
                    z_of_signs, n_signs, n_resamples=n_resamples, random_state=random_state
                )
        return Evaluation(statistic, float(z), variance, *sizes, rho, tails, notes=notes)


class Engine(ABC):
    """A test: how its samples are prepared."""

    @abstractmethod
    def prepare(self, grid: FloatArray, clusters: Clusters) -> Prepared:
        """Prepare differences (tasks × pairs) that are rounded already; NaN is missing."""

    def sample(
        self, differences: FloatArray, grid: FloatArray, clusters: Clusters, tie_tolerance: float
    ) -> Prepared:
        """Prepare differences as they are, with the same in units of the tie tolerance.

        Clusters that come in suites are tested by suite.
        """
        return self.prepare(grid, clusters.independent)

    def of_block(self, block: PairBlock, tie_tolerance: float) -> Prepared:
        """Prepare some pairs of a sample, with what is known of them already."""
        return self.sample(block.differences, block.grid, block.clusters, tie_tolerance)

    def single(self, x: FloatArray, clusters: Clusters, tie_tolerance: float = 0.0) -> Prepared:
        """Prepare the differences of one pair; NaN is missing."""
        column = x[:, None]
        return self.sample(column, round_to_grid(column, tie_tolerance), clusters, tie_tolerance)


def count_chunks(counts: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
    """Yield rows of counts in chunks of bounded size."""
    step = max(1, _CHUNK_ELEMENTS // max(1, counts.shape[1]))
    for start in range(0, len(counts), step):
        yield slice(start, start + step), counts[start : start + step]


def few_clusters(n_clusters: int, what: str = "") -> str:
    """Return the reason why too few clusters have no test."""
    plural = "" if n_clusters == 1 else "s"
    return f"{n_clusters} cluster{plural}{what}: the test needs at least two"
