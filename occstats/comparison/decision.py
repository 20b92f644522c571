"""The decision about each pair: estimate, interval, p-value and conclusion together.

Every other module reads the conclusions from here; none compares a p-value with alpha.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats._format import count, printable
from occstats.stats._arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    ObjectArray,
    round_to_grid,
)
from occstats.stats.clusters import FEW_CLUSTERS, Clusters
from occstats.stats.corrections import CORRECTIONS, adjust, adjust_pairs
from occstats.stats.max_t import PairTests, typical_shifts, typical_tests
from occstats.stats.means import mean_differences, mean_tests
from occstats.stats.power import smallest_p
from occstats.stats.sample import Sample

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.comparison.study import Study


BETTER, WORSE, EQUIVALENT, UNDECIDED = "better", "worse", "equivalent", "undecided"

#: Estimates smaller than this share of the scale of the score have no sign.
NO_SIGN = 1e-12


class JointTests(NamedTuple):
    """Tests of one comparison, corrected together with those of others."""

    tests: PairTests
    size: int
    together: str


@dataclass(frozen=True, eq=False)
class Decision:
    """The decision about all pairs; entry [a, b] of a k × k matrix compares a with b."""

    study: Study
    #: Estimates, statistics, intervals and unadjusted p-values of the estimand.
    tests: PairTests
    #: The p-values that decide, at most 1; NaN where there is no test.
    p: FloatArray
    #: a is better or worse, the pair is equivalent or undecided; None without a test.
    conclusions: ObjectArray
    #: Pairs with equal scores on all tasks that both have.
    identical: BoolArray
    #: Decided pairs whose other estimate has the opposite sign.
    reversed: BoolArray
    #: Both estimates, whichever decides.
    typical: FloatArray
    mean: FloatArray
    #: Tasks on which both algorithms have a score, and the datasets of these.
    n_tasks: IntArray
    n_datasets: IntArray
    #: Tests that are corrected together.
    family_size: int
    engine: dict[str, Any]
    notes: tuple[str, ...]
    #: The comparisons whose pairs are corrected together, such as " of 2 measures".
    together: str = ""
    _rows: dict[str, pd.DataFrame] = field(default_factory=dict, init=False, repr=False)

    @property
    def settings(self) -> Settings:
        """Return the settings in force."""
        return self.study.settings

    @cached_property
    def smallest_p(self) -> float:
        """Return the smallest corrected p-value that this number of datasets can give."""
        return least_p(self.study.n_clusters, self.settings, self.family_size)

    @property
    def possible(self) -> bool:
        """Return whether this number of datasets can show a difference at all."""
        return self.smallest_p <= self.settings.alpha

    @property
    def datasets_needed(self) -> int:
        """Return the fewest datasets whose smallest corrected p-value is at most alpha."""
        m = 2
        while least_p(m, self.settings, self.family_size) > self.settings.alpha:
            m += 1
        return m

    @property
    def better(self) -> BoolArray:
        """Return the matrix "a is better than b"."""
        return np.asarray(self.conclusions == BETTER)

    @property
    def tested(self) -> BoolArray:
        """Return the matrix of pairs with a test."""
        return np.asarray(self.conclusions != None)  # noqa: E711  by element

    @property
    def basis(self) -> str:
        """Return the test, its side and its correction as a phrase."""
        settings, study = self.settings, self.study
        correction = settings.correction
        if settings.estimand == "mean":
            test = "test of the mean difference (bootstrap-t)"
            few = study.n_clusters < FEW_CLUSTERS
            if few or settings.null == "asymptotic":
                test = "t-test of the mean difference per dataset"
            if few and correction == "max-t":
                correction = "bonferroni"
        else:
            test = "clustered signed-rank test"
            if settings.test == "ds":
                test = "clustered signed-rank test of Datta and Satten"
            elif study.n_clusters == study.sample.n_tasks:
                test = "Wilcoxon signed-rank test"
        if settings.alternative != "two-sided":
            test = f"one-sided {test}"
        if settings.correction == "none" and len(study.algorithms) > 2:
            return f"{test}, not corrected"
        if not self.family:
            return test
        return f"{test} corrected {self.family} ({CORRECTIONS[correction].name})"

    @property
    def family(self) -> str:
        """Return the tests that are corrected together as a phrase; empty for a single one."""
        settings, size = self.settings, self.family_size
        if size == 1:
            return ""
        if len(self.study.algorithms) == 2 and not self.together:
            return "for both directions"
        tests = "pairs" if settings.alternative == "two-sided" else "tests"
        control = printable(str(settings.control))
        return {
            "all": f"for all {size:,} {tests}{self.together}",
            "control": f"for the {size:,} comparisons with {control}{self.together}",
            "row": f"for the {size:,} tests of each algorithm separately",
        }[settings.family]

    @property
    def rule(self) -> str:
        """Return the rule for calling an algorithm better, as a sentence."""
        return (
            f"One algorithm is called better than another if p ≤ {self.settings.alpha:g} in the "
            f"{self.basis}."
        )

    @cached_property
    def ignoring_clusters(self) -> tuple[FloatArray, ObjectArray]:
        """Return p-values and conclusions as if every task were a dataset of its own.

        By the plain Wilcoxon (or Student's t) test with its asymptotic distribution, and Holm's
        correction in place of max-T.
        """
        study = self.study
        correction = study.settings.correction
        correction = "holm" if correction == "max-t" else correction
        settings = replace(study.settings, correction=correction, margin=None)
        given = study.compared
        alone = Sample(given.scores, Clusters.of(np.arange(given.n_tasks)), given.tie_tolerance)
        options: dict[str, Any] = {
            "control": study.control,
            "simultaneous": False,
            "null": "asymptotic",
            "alternative": settings.alternative,
        }
        if settings.estimand == "typical":
            tests = typical_tests(alone, shifts=False, **options)
        else:
            tests = mean_tests(alone, **options)
        p = _corrected(tests.p_unadjusted, settings, study.control)
        return p, conclusions(_better(p, _signs(tests), settings), ~np.isnan(p))

    @property
    def claimed_p(self) -> FloatArray:
        """Return the p-values of "a is better" or, where that is the conclusion, "a is worse"."""
        if self.settings.alternative == "two-sided":
            return self.p
        p = self.p.T if self.settings.alternative == "less" else self.p
        return np.where(self.conclusions == WORSE, p.T, p)

    def row(self, algorithm: str) -> pd.DataFrame:
        """Return the decision about an algorithm and each other one, with wins and losses.

        One-sided p-values are those of `claimed_p`.
        """
        if algorithm in self._rows:
            return self._rows[algorithm]
        a = self.study.algorithms.index(algorithm)
        others = np.delete(np.arange(len(self.p)), a)
        sample = self.study.tested
        pairs = np.full(len(others), a), others
        signs = np.sign(round_to_grid(sample.pair_differences(*pairs), sample.tie_tolerance))
        limits = self.tests.limits_of(a) if self.settings.has_intervals else ()
        columns = {
            name: values if values.ndim == 1 else values[pairs]
            for name, values in self._columns(*limits).items()
        }
        columns["p"] = self.claimed_p[pairs]
        counts = {"wins": 1, "ties": 0, "losses": -1}
        columns |= {name: (signs == sign).sum(axis=0) for name, sign in counts.items()}
        names = np.array(self.study.algorithms, dtype=object)[others]
        row = self._rows[algorithm] = pd.DataFrame(columns, index=pd.Index(names, name="b"))
        return row

    def frame(self) -> pd.DataFrame:
        """Return one row per ordered pair: the decision, both estimates and the naive analysis."""
        p_naive, naive = self.ignoring_clusters
        limits = (self.tests.low, self.tests.high) if self.settings.has_intervals else ()
        return self.study.ordered_pairs(
            {
                **self._columns(*limits, p_unadjusted=self.tests.p_unadjusted),
                "p_ignoring_clusters": p_naive,
                "conclusion_ignoring_clusters": naive,
            }
        )

    def _columns(self, *limits: FloatArray, **single: FloatArray) -> dict[str, NDArray[Any]]:
        within = within_bounds(limits[0], limits[1], self.study) if limits else ()
        return {
            "difference": self.tests.difference,
            **dict(zip(("ci_low", "ci_high"), within, strict=False)),
            "p": self.p,
            "conclusion": self.conclusions,
            "reversed": self.reversed,
            **single,
            "statistic": self.tests.statistic,
            "typical_difference": self.typical,
            "mean_difference": self.mean,
            "n_tasks": self.n_tasks,
            "n_datasets": self.n_datasets,
        }


def decide(study: Study, family: JointTests | None = None, *, floor: float = 0.0) -> Decision:
    """Test all pairs of a study, or take the tests of a family, and draw the conclusions.

    With max-T, statistics up to `floor` are not significant.
    """
    settings = study.settings
    n_tasks, n_datasets = _shared(study.sample)
    size = _family_size(n_datasets, settings, study.control)
    if family is None:
        tests, engine, notes = _run_tests(study, size, floor)
    else:
        tests, size, engine = family.tests, family.size, {"engine": "native"}
        notes = tuple(_cautions(study, tests, size))
    p = tests.p
    if settings.correction != "max-t":
        p = _corrected(tests.p_unadjusted, settings, study.control)
    if settings.estimand == "mean":
        mean = tests.difference
        typical = typical_shifts(study.tested, test=settings.test, control=study.control)
    else:
        typical, mean = tests.difference, mean_differences(study.sample)
        mean[study.unscored[:, None] | study.unscored] = np.nan
    tested = ~np.isnan(p)
    found = conclusions(_better(p, _signs(tests), settings), tested)
    identical = _identical(study.tested)
    same = identical & tested
    if settings.margin is not None:
        low, high = within_bounds(tests.low, tests.high, study)
        with np.errstate(invalid="ignore"):
            same |= (low > -settings.margin) & (high < settings.margin)
    found[(found == UNDECIDED) & same] = EQUIVALENT
    other = mean if settings.estimand == "typical" else typical
    with np.errstate(invalid="ignore"):
        positive, negative = other > NO_SIGN * study.scale, other < -NO_SIGN * study.scale
    return Decision(
        study=study,
        tests=tests,
        p=p,
        conclusions=found,
        identical=identical,
        reversed=((found == BETTER) & negative) | ((found == WORSE) & positive),
        typical=typical,
        mean=mean,
        n_tasks=n_tasks,
        n_datasets=n_datasets,
        family_size=size,
        engine=engine,
        notes=notes,
        together="" if family is None else family.together,
    )


def within_bounds(low: FloatArray, high: FloatArray, study: Study) -> tuple[FloatArray, FloatArray]:
    """Return limits within the range of the measure: no two scores differ by more."""
    most = np.subtract(*study.results.bounds[::-1])
    return (
        np.where(np.isinf(low), low, np.maximum(low, -most)),
        np.where(np.isinf(high), high, np.minimum(high, most)),
    )


def _run_tests(
    study: Study, size: int, floor: float
) -> tuple[PairTests, dict[str, Any], tuple[str, ...]]:
    """Run the tests of the estimand; an engine in R replaces their p-values."""
    settings = study.settings
    options: dict[str, Any] = {
        "control": study.control,
        "alpha": settings.alpha / size if settings.correction == "bonferroni" else settings.alpha,
        "simultaneous": settings.correction == "max-t",
        "null": settings.null,
        "alternative": settings.alternative,
        "n_resamples": study.flips,
        "random_state": settings.random_state,
    }
    if settings.estimand == "mean":
        tests = mean_tests(study.sample, **options)
    else:
        tests = typical_tests(study.tested, test=settings.test, floor=floor, **options)
    notes = tuple(_cautions(study, tests, size))
    if settings.engine == "native":
        return tests, {"engine": "native"}, notes
    from occstats.engines.clusrank import run_in_r

    found, record, more = run_in_r(
        settings.engine,
        study.tested,
        test=settings.test,
        alternative=settings.alternative,
        names=study.algorithms,
    )
    # R has no statistic for a pair that differs in a single dataset: p stays 1.
    known = ~np.isnan(tests.p_unadjusted) & ~np.isnan(found.p)
    p = np.where(known, found.p, tests.p_unadjusted)
    return replace(tests, single_p=p.copy), record, (*notes, *more)


def _cautions(study: Study, tests: PairTests, size: int) -> Iterator[str]:
    """Return cautions about few resamples, and about few datasets of asymptotic tests."""
    settings, m = study.settings, study.n_clusters
    if settings.null == "asymptotic":
        least = least_p(m, settings, size, null="flips")
        if m > 1 and least > settings.alpha:
            yield (
                f"With {m} {study.results.unit}s no sign-flip test gives a corrected p-value below "
                f"{least:.2g}: smaller ones come from the normal approximation alone."
            )
    elif not tests.exact:
        if tests.n_resamples < settings.n_resamples:
            yield (
                f"With {count(size, 'pair')}, the p-values are based on {tests.n_resamples:,} of "
                f"the {settings.n_resamples:,} resamples, to limit the time."
            )
        least = _least_factor(settings, size) / (tests.n_resamples + 1)
        if least > settings.alpha:
            yield (
                f"With {tests.n_resamples:,} resamples no corrected p-value is below {least:.2g}: "
                "choose more (n_resamples), or the correction max-t."
            )


def _corrected(p: FloatArray, settings: Settings, control: int | None) -> FloatArray:
    return adjust_pairs(
        p, settings.family, settings.correction, control, alternative=settings.alternative
    )


def _signs(tests: PairTests) -> FloatArray:
    """Return the direction of each pair, by the estimate where there is no statistic."""
    return np.where(np.isnan(tests.statistic), tests.difference, tests.statistic)


def _better(p: FloatArray, signs: FloatArray, settings: Settings) -> BoolArray:
    with np.errstate(invalid="ignore"):
        significant = p <= settings.alpha
        if settings.alternative == "two-sided":
            return np.asarray(significant & (signs > 0))
    return np.asarray(significant.T if settings.alternative == "less" else significant)


def conclusions(better: BoolArray, tested: BoolArray) -> ObjectArray:
    """Return words for the matrix "a is better than b"; None where neither was tested."""
    found = np.full(better.shape, None, dtype=object)
    found[tested | tested.T] = UNDECIDED
    # Beyond a level of one half both directions can be significant, which decides nothing.
    found[better & ~better.T] = BETTER
    found[better.T & ~better] = WORSE
    return found


def _identical(sample: Sample) -> BoolArray:
    """Return the pairs with equal scores on all tasks that both have."""
    k = sample.n_algorithms
    same = np.zeros((k, k), dtype=bool)
    for block in sample.blocks():
        equal = ((block.grid == 0) | np.isnan(block.grid)).all(axis=0)
        same[block.a, block.b] = same[block.b, block.a] = equal & (block.grid == 0).any(axis=0)
    return same


def _family_size(n_datasets: IntArray, settings: Settings, control: int | None) -> int:
    """Return the number of tests that are corrected together; 1 without a correction."""
    if settings.correction == "none":
        return 1
    testable = (n_datasets >= 2) & ~np.eye(len(n_datasets), dtype=bool)
    of_row = testable.sum(axis=1)
    if settings.family == "all":
        size = of_row.sum() // (2 if settings.alternative == "two-sided" else 1)
    else:
        size = of_row.max() if control is None else of_row[control]
    return max(1, int(size))


def least_p(
    n_datasets: int, settings: Settings, size: int = 1, *, null: str | None = None
) -> float:
    """Return the smallest p-value that independent datasets can give, corrected for `size` tests.

    The test of means can give any p-value, and so can the asymptotic test of Datta and Satten.

    Examples
    --------
    >>> from occstats.comparison.settings import Settings
    >>> settings = Settings.of(preset="paper")
    >>> round(least_p(3, settings), 3), least_p(3, settings, null="flips")
    (0.042, 0.125)
    """
    if n_datasets < 2:
        return 1.0
    kind = "asymptotic" if (null or settings.null) == "asymptotic" else "exact"
    if settings.estimand == "mean" or (settings.test == "ds" and kind == "asymptotic"):
        return 0.0
    least = float(smallest_p(n_datasets, null=kind, alternative=settings.alternative))
    return min(1.0, least * _least_factor(settings, size))


def _least_factor(settings: Settings, size: int) -> float:
    """Return the factor by which the correction multiplies equally small p-values."""
    if settings.correction in ("max-t", "none"):
        return 1.0
    tiny = 1e-6 / size**2
    return round(float(adjust(np.full(size, tiny), settings.correction)[0] / tiny), 9)


def _shared(sample: Sample) -> tuple[IntArray, IntArray]:
    """Return the tasks on which both algorithms have a score, and the datasets of these."""
    k, clusters = sample.n_algorithms, sample.clusters.independent
    if sample.complete.all():
        return np.full((k, k), sample.n_tasks), np.full((k, k), clusters.n_clusters)
    present = ~np.isnan(sample.scores)
    shared = [clusters.sums(present & present[:, [a]]) for a in range(k)]
    tasks = np.stack([counts.sum(axis=0) for counts in shared])
    return tasks.astype(np.int64), np.stack([(counts > 0).sum(axis=0) for counts in shared])
