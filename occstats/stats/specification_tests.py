"""The tests of clustered differences that a specification table goes through."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import special

from occstats.stats.arrays import FloatArray as Array
from occstats.stats.arrays import round_to_grid
from occstats.stats.pairs import antisymmetric, mirror
from occstats.stats.sample import Sample
from occstats.stats.signed_rank_pairs import pairwise_tests
from occstats.stats.tests.null import tail
from occstats.stats.tests.ranking import signed_ranks

N_TESTS = 20


@dataclass(frozen=True)
class Analysis:
    """The choices of one analysis.

    Attributes
    ----------
    test : str
        "rgl", "ds", "dataset-means" (signed ranks of the clusters' means), "rank-sum" (signed ranks
        summed by cluster), "mean" (the mean difference).
    null : str
        "asymptotic", "permutation" or "exact" (whole clusters change sign).
    weighting : str
        "precision" (Rosner-Glynn-Lee's), "dataset" (clusters alike) or "task" (tasks alike).
    zeros : str
        "dropped" before ranking, or "kept": ranked with the others, then without a sign.
    """

    test: str
    null: str
    weighting: str
    zeros: str


@dataclass(frozen=True, eq=False)
class PairsTested:
    """An analysis and its p-values and statistics of all ordered pairs."""

    analysis: Analysis
    p: Array
    z: Array


def reasonable_tests(
    sample: Sample, alternative: str, n_resamples: int, random_state: int | None
) -> Iterator[PairsTested]:
    """All pairs by `N_TESTS` different tests, one after the other."""
    for test, null, analysis in (
        ("rgl", "asymptotic", Analysis("rgl", "asymptotic", "precision", "dropped")),
        ("rgl", "permutation", Analysis("rgl", "permutation", "precision", "dropped")),
        ("rgl", "exact", Analysis("rank-sum", "exact", "task", "dropped")),
        ("ds", "asymptotic", Analysis("ds", "asymptotic", "dataset", "kept")),
        ("ds", "permutation", Analysis("ds", "permutation", "dataset", "kept")),
        ("dataset-means", "exact", Analysis("dataset-means", "exact", "dataset", "dropped")),
    ):
        found = pairwise_tests(
            sample,
            test=test,
            null=null,
            alternative=alternative,
            n_resamples=n_resamples,
            random_state=random_state,
        )
        yield PairsTested(analysis, found.p, found.z)
    tests = _SignFlipTests(sample, alternative, n_resamples, random_state)
    yield from _rank_tests(tests, sample)
    yield from _mean_tests(tests, sample.differences)


class _SignFlipTests:
    """Tests of sums of cluster values under flipped signs; the same flips for all pairs.

    Clusters of one suite flip together.
    """

    def __init__(
        self, sample: Sample, alternative: str, n_resamples: int, random_state: int | None
    ) -> None:
        self.grouping = sample.clusters
        self.n_algorithms = sample.n_algorithms
        self.alternative = alternative
        rng = np.random.default_rng(random_state)
        n_units = self.grouping.independent.n_clusters
        self.flips = rng.choice([-1.0, 1.0], size=(n_resamples, n_units))

    def by_unit(self, values: Array) -> Array:
        """What is independent of each other: the values of clusters, or their sums by suite."""
        suites = self.grouping.suites
        return values if suites is None else suites.sums(values)

    def asymptotic(self, analysis: Analysis, values: Array) -> PairsTested:
        values = self.by_unit(values)
        squares = np.sum(values**2, axis=0)
        z = np.divide(
            values.sum(axis=0), np.sqrt(squares), out=np.zeros(len(squares)), where=squares > 0
        )
        return self.tested(analysis, z, tail(z, "greater"), tail(z, "less"), squares == 0)

    def permuted(self, analysis: Analysis, values: Array) -> PairsTested:
        values = self.by_unit(values)
        observed = values.sum(axis=0)
        flipped = self.flips @ values
        # Sums of the same numbers in another order may differ in their last bits.
        slack = 1e-12 * np.abs(values).sum(axis=0)
        n = len(self.flips) + 1
        greater = (1 + np.sum(flipped >= observed - slack, axis=0)) / n
        less = (1 + np.sum(flipped <= observed + slack, axis=0)) / n
        return self.tested(analysis, observed, greater, less, np.asarray(~values.any(axis=0)))

    def tested(
        self,
        analysis: Analysis,
        z: Array,
        greater: Array,
        less: Array,
        nothing: NDArray[np.bool_],
    ) -> PairsTested:
        """Both directions of every pair; p is 1 where no difference is left."""
        forward, backward = greater, less
        if self.alternative == "less":
            forward, backward = less, greater
        elif self.alternative == "two-sided":
            forward = backward = np.minimum(1.0, 2 * np.minimum(greater, less))
        forward, backward = (np.where(nothing, 1.0, p) for p in (forward, backward))
        k = self.n_algorithms
        return PairsTested(analysis, mirror(forward, backward, k, np.nan), antisymmetric(z, k))


def _rank_tests(tests: _SignFlipTests, sample: Sample) -> Iterator[PairsTested]:
    grouping, grid = sample.clusters, sample.grid
    means = round_to_grid(grouping.means(sample.differences), sample.tie_tolerance)
    zero_handling: tuple[Literal["dropped", "kept"], ...] = ("dropped", "kept")
    for zeros in zero_handling:
        keep = zeros == "kept"
        ranks, counted = signed_ranks(grid, keep_zeros=keep)
        sums = grouping.sums(ranks)
        sizes = np.maximum(grouping.sums(counted), 1.0)
        mean_ranks, _ = signed_ranks(means, keep_zeros=keep)
        for test, weighting, values in (
            ("rank-sum", "task", sums),
            ("rank-sum", "dataset", sums / sizes),
            ("dataset-means", "dataset", mean_ranks),
        ):
            yield tests.asymptotic(Analysis(test, "asymptotic", weighting, zeros), values)
            # With zeros dropped, the exact distribution of the first and last is known already.
            if zeros == "kept" or (test, weighting) == ("rank-sum", "dataset"):
                yield tests.permuted(Analysis(test, "permutation", weighting, zeros), values)


def _mean_tests(tests: _SignFlipTests, raw: Array) -> Iterator[PairsTested]:
    grouping = tests.grouping
    known = (~np.isnan(raw)).astype(float)
    sums, sizes = grouping.sums(np.nan_to_num(raw)), grouping.sums(known)
    present = (sizes > 0).astype(float)
    means = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)
    for weighting, values, weights in (("dataset", means, present), ("task", sums, sizes)):
        m = (tests.by_unit(present) > 0).sum(axis=0)
        total = np.maximum(weights.sum(axis=0), 1.0)
        mean = values.sum(axis=0) / total
        residuals = np.sum(tests.by_unit(values - weights * mean) ** 2, axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = mean * total / np.sqrt(residuals * m / (m - 1))
            greater, less = special.stdtr(m - 1, -t), special.stdtr(m - 1, t)
        analysis = Analysis("mean", "asymptotic", weighting, "kept")
        yield tests.tested(
            analysis, np.nan_to_num(t), greater, less, np.asarray(~values.any(axis=0))
        )
        yield tests.permuted(Analysis("mean", "permutation", weighting, "kept"), values)
