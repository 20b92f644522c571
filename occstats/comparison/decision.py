"""The one place that decides about a pair: estimate, interval, p-value and conclusion together.

Every other module reads the conclusions from here; none compares a p-value with the level itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.comparison.choices import CORRECTIONS
from occstats.comparison.pairs import ordered_pairs
from occstats.engines import ENGINES
from occstats.stats.clusters import Clusters
from occstats.stats.max_t import PairTests, typical_shifts, typical_tests
from occstats.stats.means import mean_differences, mean_tests
from occstats.stats.multiplicity import adjust, adjust_pairs
from occstats.stats.power import smallest_p
from occstats.stats.sample import Sample

if TYPE_CHECKING:
    from occstats.comparison.sample import Study
    from occstats.comparison.settings import Settings

__all__ = [
    "BETTER",
    "EQUIVALENT",
    "UNDECIDED",
    "WORSE",
    "Conclusion",
    "Decision",
    "Tally",
    "conclusions",
    "decide",
    "pair_frame",
    "tally",
]

Conclusion = Literal["better", "worse", "equivalent", "undecided"]
BETTER: Conclusion = "better"
WORSE: Conclusion = "worse"
EQUIVALENT: Conclusion = "equivalent"
UNDECIDED: Conclusion = "undecided"

Booleans = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
Objects = npt.NDArray[np.object_]

#: Corrections to which confidence intervals belong.
WITH_INTERVALS = ("max-t", "bonferroni", "none")
#: Estimates this much smaller than their scale have no sign.
NO_SIGN = 1e-12


@dataclass(frozen=True, eq=False)
class Decision:
    """What is decided about all pairs; every matrix is k × k, [a, b] being about a minus b.

    Attributes
    ----------
    tests : PairTests
        Estimates, statistics, intervals and unadjusted p-values of the estimand.
    p : ndarray
        The p-values that decide, at most 1; NaN where there is no test.
    low, high : ndarray
        Limits of the intervals that belong to them; NaN where the correction has none.
    conclusions : ndarray of object
        a is ``better`` or ``worse``, the pair is ``equivalent`` or ``undecided``; None without a
        test.
    reversed : ndarray of bool
        Whether the other estimate of a decided pair has the opposite sign.
    typical, mean : ndarray
        Both estimates, whichever decides.
    settings : Settings
        The choices in force.
    control : int or None
        The column of the control.
    family_size : int
        Tests that are corrected for together.
    smallest_p : float
        The smallest p-value that so many datasets can give after the correction.
    datasets_needed : int
        The fewest datasets that can give one of at most alpha.
    basis, sentence : str
        The test and its correction as a phrase, and the rule as a sentence.
    backend : dict
        What computed the tests, for the record.
    notes : tuple of str
        What is unusual about the decision.
    """

    tests: PairTests
    p: FloatArray
    low: FloatArray
    high: FloatArray
    conclusions: Objects
    reversed: Booleans
    typical: FloatArray
    mean: FloatArray
    settings: Settings
    control: int | None
    family_size: int
    smallest_p: float
    datasets_needed: int
    basis: str
    sentence: str
    backend: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether so many datasets can show a difference at all."""
        return self.smallest_p <= self.settings.alpha

    @property
    def better(self) -> Booleans:
        """Return the matrix "a is better than b"."""
        return np.asarray(self.conclusions == BETTER)

    def better_by(self, statistic: FloatArray, p: FloatArray) -> Booleans:
        """Decide about other statistics of the same kind, by the critical values in force.

        Without a dataset, the critical value of all datasets serves; without an algorithm, that of
        the other pairs. Other corrections than max-T are made anew.

        Parameters
        ----------
        statistic, p : ndarray of shape (k, k)
            Statistics, and their p-values under the alternative by the normal or Student's
            distribution; NaN where a pair is left out.
        """
        settings = self.settings
        if settings.correction == "max-t":
            critical = self.tests.critical
            absent = np.isnan(p).all(axis=1) & ~np.isnan(self.p).all(axis=1)
            if absent.sum() == 1:
                critical = np.where(np.isnan(critical), np.nan, self.tests.critical_without[absent])
            with np.errstate(invalid="ignore"):
                return np.asarray((statistic > critical) & ~np.isnan(p))
        return _better(_corrected(p, settings, self.control), statistic, settings)


def decide(study: Study) -> Decision:
    """Test all pairs of a study and draw the conclusions."""
    settings = study.settings
    size = family_size(len(study.algorithms), settings)
    tests, backend, notes = _run_tests(study, size)
    p = tests.p
    if settings.correction != "max-t":
        p = _corrected(tests.p_unadjusted, settings, study.control)
    low, high = tests.low, tests.high
    if not settings.has_intervals:
        low, high = (np.full(p.shape, np.nan) for _ in range(2))
    else:
        # No two scores differ by more than the range of the measure.
        most = np.subtract(*study.results.bounds[::-1])
        low = np.where(np.isinf(low), low, np.maximum(low, -most))
        high = np.where(np.isinf(high), high, np.minimum(high, most))
    typical, mean = _both_estimates(study, tests)
    found = conclusions(_better(p, _signs(tests), settings), ~np.isnan(p))
    same = _identical(study.tested) & ~np.isnan(p)
    if settings.margin is not None:
        with np.errstate(invalid="ignore"):
            same |= (low > -settings.margin) & (high < settings.margin)
    found[(found == UNDECIDED) & same] = EQUIVALENT
    other = mean if settings.estimand == "typical" else typical
    decided = np.isin(found, (BETTER, WORSE))
    with np.errstate(invalid="ignore"):
        opposite = np.where(found == BETTER, -other, other) > NO_SIGN * study.scale
    basis = describe_basis(study, size)
    return Decision(
        tests=tests,
        p=p,
        low=low,
        high=high,
        conclusions=found,
        reversed=decided & opposite,
        typical=typical,
        mean=mean,
        settings=settings,
        control=study.control,
        family_size=size,
        smallest_p=_smallest_p(study, tests, size),
        datasets_needed=_needed(settings, size),
        basis=basis,
        sentence=f"One algorithm is called better than another where p ≤ {settings.alpha:g} in the "
        f"{basis}.",
        backend=backend,
        notes=notes,
    )


def _run_tests(study: Study, size: int) -> tuple[PairTests, dict[str, Any], tuple[str, ...]]:
    """Run the tests of the estimand; R computes their p-values where it is asked to."""
    settings = study.settings
    shared: dict[str, Any] = {
        "control": study.control,
        "alpha": settings.alpha / size if settings.correction == "bonferroni" else settings.alpha,
        "simultaneous": settings.correction == "max-t",
        "null": settings.null,
        "alternative": settings.alternative,
        "random_state": settings.random_state,
    }
    if settings.estimand == "mean":
        tests = mean_tests(study.sample, n_resamples=study.within.resamples, **shared)
        return tests, {"engine": "native"}, ()
    flips = study.within.flips or settings.n_resamples
    tests = typical_tests(study.tested, test=settings.test, n_resamples=flips, **shared)
    if settings.engine == "native":
        notes = ()
        if settings.null == "flips" and flips < settings.n_resamples and not tests.exact:
            notes = (f"The p-values rest on {flips:,} random sign flips.",)
        return tests, {"engine": "native"}, notes
    run = ENGINES[settings.engine].run(
        study.tested,
        test=settings.test,
        alternative=settings.alternative,
        n_resamples=settings.n_resamples,
        random_state=settings.random_state,
        names=study.algorithms,
    )
    # What has no statistic in R, such as a pair that differs in one dataset, keeps its p of 1.
    known = ~np.isnan(tests.p_unadjusted) & ~np.isnan(run.tests.p)
    p = np.where(known, run.tests.p, tests.p_unadjusted)
    return replace(tests, p_unadjusted=p), run.record, run.notes


def _corrected(p: FloatArray, settings: Settings, control: int | None) -> FloatArray:
    return adjust_pairs(
        p, settings.family, settings.correction, control, alternative=settings.alternative
    )


def _signs(tests: PairTests) -> FloatArray:
    """Return the direction of each pair; constant differences have no statistic."""
    statistic = tests.statistic
    return np.where(np.isnan(statistic) | (statistic == 0), tests.difference, statistic)


def _better(p: FloatArray, signs: FloatArray, settings: Settings) -> Booleans:
    with np.errstate(invalid="ignore"):
        significant = p <= settings.alpha
        if settings.alternative == "two-sided":
            return np.asarray(significant & (signs > 0))
    return np.asarray(significant.T if settings.alternative == "less" else significant)


def conclusions(better: Booleans, tested: Booleans) -> Objects:
    """Return words for the matrix "a is better than b".

    Examples
    --------
    >>> conclusions(np.array([[False, True], [False, False]]), ~np.eye(2, dtype=bool))
    array([[None, 'better'],
           ['worse', None]], dtype=object)
    """
    found = np.full(better.shape, None, dtype=object)
    found[tested | tested.T] = UNDECIDED
    # At a level beyond one half both directions can be significant: that decides nothing.
    found[better & ~better.T] = BETTER
    found[better.T & ~better] = WORSE
    return found


def _identical(sample: Sample) -> Booleans:
    """Return the pairs with equal scores on all tasks that both have."""
    k = sample.n_algorithms
    same = np.zeros((k, k), dtype=bool)
    for block in sample.blocks():
        equal = ((block.grid == 0) | np.isnan(block.grid)).all(axis=0)
        same[block.a, block.b] = same[block.b, block.a] = equal & (block.grid == 0).any(axis=0)
    return same


def _both_estimates(study: Study, tests: PairTests) -> tuple[FloatArray, FloatArray]:
    """Return the typical and the mean difference of all tested pairs."""
    settings = study.settings
    if settings.estimand == "typical":
        mean = mean_differences(study.sample)
        if study.results.failure_score is None and study.results.failed is not None:
            unknown = np.asarray(study.results.failed).any(axis=0)
            mean[unknown[:, None] | unknown] = np.nan
        return tests.difference, mean
    return typical_shifts(study.tested, test=settings.test, control=study.control), tests.difference


def family_size(k: int, settings: Settings) -> int:
    """Return how many tests are corrected for together; 1 without a correction."""
    if settings.correction == "none":
        return 1
    if settings.family in ("control", "row"):
        return k - 1
    return k * (k - 1) // (2 if settings.alternative == "two-sided" else 1)


def describe_basis(study: Study, size: int) -> str:
    """Return the test, its side and its correction as a phrase.

    Examples
    --------
    >>> import occstats
    >>> occstats.compare("lenz2021", n_resamples=100).basis
    'clustered signed-rank test corrected for all 36 pairs (max-T)'
    """
    settings = study.settings
    if settings.estimand == "mean":
        test = "test of the mean difference (bootstrap-t)"
        if settings.null == "asymptotic":
            test = "t-test of the mean difference per dataset"
    else:
        test = "clustered signed-rank test"
        if study.n_clusters == study.sample.n_tasks:
            test = "Wilcoxon signed-rank test"
        elif settings.test == "ds":
            test = "clustered signed-rank test of Datta and Satten"
    if settings.alternative != "two-sided":
        test = f"one-sided {test}"
    if len(study.algorithms) == 2 or settings.correction == "none":
        return test if len(study.algorithms) == 2 else f"{test}, not corrected"
    correction = CORRECTIONS[settings.correction].name
    what = {
        "row": "within each row",
        "control": f"for the {size} comparisons with {settings.control}",
        "all": f"for all {size:,} {'pairs' if settings.alternative == 'two-sided' else 'tests'}",
    }[settings.family]
    return f"{test} corrected {what} ({correction})"


def _smallest_p(study: Study, tests: PairTests, size: int) -> float:
    """Return the smallest corrected p-value that so many datasets can give."""
    settings = study.settings
    if settings.estimand == "mean":
        return 0.0 if study.n_clusters > 1 else 1.0
    least = float(smallest_p(study.n_clusters, alternative=settings.alternative))
    if settings.null == "flips" and not tests.exact:
        least = max(least, tests.smallest_p)
    return min(1.0, least * _least_factor(settings, size))


def _least_factor(settings: Settings, size: int) -> float:
    """Return what the correction multiplies equally small p-values by."""
    if settings.correction in ("max-t", "none"):
        return 1.0
    tiny = 1e-6 / size**2
    return float(adjust(np.full(size, tiny), settings.correction)[0] / tiny)


def _needed(settings: Settings, size: int) -> int:
    """Return the fewest datasets whose smallest corrected p-value is at most alpha."""
    if settings.estimand == "mean":
        return 2
    sides = 2 if settings.alternative == "two-sided" else 1
    factor = _least_factor(settings, size)
    return max(2, int(np.ceil(np.log2(sides * factor / settings.alpha) - 1e-9)))


@dataclass(frozen=True)
class Tally:
    """How many unordered pairs were tested, and how many of them differ.

    Attributes
    ----------
    tested : int
        Pairs with a test.
    different : int
        Pairs of which one is better.
    ignoring_clusters : int
        Of the pairs with a test, those that differ by one that treats tasks as independent.
    """

    tested: int
    different: int
    ignoring_clusters: int


def tally(pairwise: pd.DataFrame) -> Tally:
    """Count the unordered pairs of a frame that has each of them in both orders."""
    main, other = pairwise["conclusion"], pairwise["conclusion_ignoring_clusters"]
    return Tally(
        tested=int(main.notna().sum()) // 2,
        different=int((main == BETTER).sum()),
        ignoring_clusters=int(((other == BETTER) & main.notna()).sum()),
    )


def pair_frame(study: Study, decision: Decision) -> pd.DataFrame:
    """Return one row per ordered pair: the decision, both estimates and the naive analysis."""
    tests, naive = decision.tests, ignoring_clusters(study)
    n_tasks, n_datasets = _shared(study.sample)
    columns: dict[str, npt.NDArray[Any]] = {
        "difference": tests.difference,
        "ci_low": decision.low,
        "ci_high": decision.high,
        "p": decision.p,
        "conclusion": decision.conclusions,
        "reversed": decision.reversed,
        "p_unadjusted": tests.p_unadjusted,
        "statistic": tests.statistic,
        "typical_difference": decision.typical,
        "mean_difference": decision.mean,
        "n_tasks": n_tasks,
        "n_datasets": n_datasets,
        "p_ignoring_clusters": naive.p,
        "conclusion_ignoring_clusters": naive.conclusions,
    }
    if not study.settings.has_intervals:
        del columns["ci_low"], columns["ci_high"]
    return ordered_pairs(study.algorithms, columns)


@dataclass(frozen=True, eq=False)
class Naive:
    """Corrected p-values and conclusions of the analysis that treats tasks as independent."""

    p: FloatArray
    conclusions: Objects


def ignoring_clusters(study: Study) -> Naive:
    """Repeat the analysis as if every task were a dataset of its own.

    By the plain Wilcoxon (or Student) test and its asymptotic distribution; in place of max-T,
    corrected by Holm.
    """
    settings = replace(
        study.settings,
        null="asymptotic",
        correction="holm" if study.settings.correction == "max-t" else study.settings.correction,
        engine="native",
        margin=None,
    )
    given = study.tested if settings.estimand == "typical" else study.sample
    alone = Sample(given.scores, Clusters.of(np.arange(given.n_tasks)), given.tie_tolerance)
    shared: dict[str, Any] = {
        "control": study.control,
        "simultaneous": False,
        "null": "asymptotic",
        "alternative": settings.alternative,
    }
    if settings.estimand == "typical":
        tests = typical_tests(alone, test="rgl", intervals=False, **shared)
    else:
        tests = mean_tests(alone, **shared)
    p = _corrected(tests.p_unadjusted, settings, study.control)
    return Naive(p, conclusions(_better(p, _signs(tests), settings), ~np.isnan(p)))


def _shared(sample: Sample) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the tasks on which both algorithms have a score, and the datasets of these."""
    k, clusters = sample.n_algorithms, sample.clusters.independent
    if sample.complete.all():
        return np.full((k, k), sample.n_tasks), np.full((k, k), clusters.n_clusters)
    present = ~np.isnan(sample.scores)
    shared = [clusters.sums(present & present[:, [a]]) for a in range(k)]
    tasks = np.stack([counts.sum(axis=0) for counts in shared])
    return tasks.astype(np.int64), np.stack([(counts > 0).sum(axis=0) for counts in shared])
