"""The one place that decides whether an algorithm is better: simultaneous tests of all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from occstats.comparison.choices import CORRECTIONS, FAMILIES, TESTS
from occstats.comparison.pairs import EQUIVALENT, UNDECIDED, conclusions, run_tests
from occstats.stats.decisions import conclude
from occstats.stats.differences import Equivalence, equivalence
from occstats.stats.multiplicity import adjust_pairs
from occstats.stats.power import smallest_p
from occstats.stats.simultaneous import MaxT, max_t
from occstats.stats.tests.null import tail

if TYPE_CHECKING:
    from occstats.comparison.sample import Study
    from occstats.stats.signed_rank_pairs import PairwiseTests

__all__ = ["Rule", "Simultaneous", "family_size", "rule_of", "simultaneous_tests"]

Booleans = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Simultaneous:
    """Two-sided tests of all pairs (or those with the control), corrected for all together.

    Attributes
    ----------
    p, z : ndarray of shape (k, k)
        Corrected p-values, and the statistics.
    flips : MaxT or None
        The flips that they rest on; None where there are too many pairs for flips, so that the
        normal approximation is corrected by Holm.
    correction : str
        How they were corrected, as a phrase.
    notes : tuple of str
        Where that is not what one would expect.
    """

    p: FloatArray
    z: FloatArray
    flips: MaxT | None
    correction: str
    notes: tuple[str, ...] = ()

    def better(self, alpha: float) -> Booleans:
        """The matrix "a is better than b" at a level."""
        with np.errstate(invalid="ignore"):
            return np.asarray((self.p <= alpha) & (self.z > 0))


def simultaneous_tests(study: Study, tests: PairwiseTests) -> Simultaneous:
    """Flip the signs of whole data sets for all pairs at once; by Holm where that costs too much.

    Parameters
    ----------
    study : Study
        What is compared.
    tests : PairwiseTests
        The native tests with their normal approximation.
    """
    settings, sample = study.settings, study.sample
    family = "all" if study.control is None else "control"
    n_pairs = sample.n_pairs if study.control is None else sample.n_algorithms - 1
    units = study.n_clusters if settings.clustered else sample.n_tasks
    phrase = FAMILIES[family].phrase
    n_flips = study.within.flips
    if n_flips == 0:
        p = adjust_pairs(
            two_sided(tests.z), family, "holm", study.control, alternative="two-sided"
        ).clipped
        note = (
            f"With {n_pairs:,} pairs and {units:,} {study.unit} the conclusions rest on the normal "
            f"approximation with Holm's correction {phrase}, two-sided, not on flipped signs."
        )
        return Simultaneous(p, tests.z, None, f"Holm-corrected {phrase}", (note,))
    found = max_t(
        sample,
        test=settings.test,
        control=study.control,
        alpha=settings.alpha,
        n_resamples=n_flips,
        random_state=settings.random_state,
    )
    notes = []
    if n_flips < settings.n_resamples and not found.exact:
        notes.append(f"The conclusions rest on {n_flips:,} random flips of signs.")
    # One pair needs no correction: its p-value comes from the same flips.
    correction = f"corrected {phrase} by max-T" if n_pairs > 1 else "by flipping signs"
    return Simultaneous(found.p, found.z, found, correction, tuple(notes))


@dataclass(frozen=True, eq=False)
class Rule:
    """When one algorithm is called better than another, and what that rests on.

    Attributes
    ----------
    simultaneous : Simultaneous
        The tests of all pairs at once.
    p, z : ndarray of shape (k, k)
        The tests that decide.
    by_flips : bool
        Whether the simultaneous tests decide, and not the corrected p-values of the table.
    alternative, correction, family, alpha
        What other tests (without a data set, by another analysis) are judged by.
    control : int or None
        The column of the control.
    smallest_p : float
        The smallest corrected p-value that so many data sets can give.
    data_sets_needed : int
        The fewest data sets that can give one of at most alpha.
    equivalence : Equivalence or None
        Tests of equivalence, where a margin was given.
    phrase, sentence : str
        The rule in words.
    notes : tuple of str
        What is unusual about it.
    """

    simultaneous: Simultaneous
    p: FloatArray
    z: FloatArray
    by_flips: bool
    alternative: str
    correction: str
    family: str
    control: int | None
    alpha: float
    smallest_p: float
    data_sets_needed: int
    equivalence: Equivalence | None
    phrase: str
    sentence: str
    notes: tuple[str, ...] = ()

    @property
    def possible(self) -> bool:
        """Whether so many data sets can show a difference at all."""
        return self.smallest_p <= self.alpha

    def better(self, p: FloatArray, z: FloatArray, correction: str | None = None) -> Booleans:
        """The matrix "a is better than b" from other tests, by this correction or another one."""
        if not self.possible:
            return np.zeros(z.shape, dtype=bool)
        flips = self.simultaneous.flips
        if self.by_flips and flips is not None and correction is None:
            return flips.better(np.where(self._in_family(np.isnan(p)), np.nan, z))
        return conclude(
            p,
            z,
            alternative=self.alternative,
            correction=correction or self.correction,
            family=self.family,
            control=self.control,
            alpha=self.alpha,
        )

    def _in_family(self, absent: Booleans) -> Booleans:
        if self.control is not None:
            absent = absent.copy()
            others = np.arange(len(absent)) != self.control
            absent[np.ix_(others, others)] = True
        return absent

    def conclusions(self) -> npt.NDArray[np.object_]:
        """The conclusion about a beside b, for all ordered pairs; None where there is no test."""
        if self.by_flips:
            found, tested = self.simultaneous.better(self.alpha), ~np.isnan(self.simultaneous.p)
            np.fill_diagonal(tested, False)
            return self._or_equivalent(conclusions(found & self.possible, tested))
        adjusted = adjust_pairs(
            self.p, self.family, self.correction, self.control, alternative=self.alternative
        )
        decided = conclusions(self.better(self.p, self.z), ~np.isnan(adjusted.clipped))
        return self._or_equivalent(decided)

    def _or_equivalent(self, found: npt.NDArray[np.object_]) -> npt.NDArray[np.object_]:
        if self.equivalence is not None:
            same = self.equivalence.p_equivalent <= self.alpha
            found[(found == UNDECIDED) & (same | same.T)] = EQUIVALENT
        return found

    def naive(self, z: FloatArray) -> Booleans:
        """The matrix "a is better than b" from statistics that take all tasks for independent."""
        return self.better(p_of(z, self.alternative), z, self.correction)


def rule_of(study: Study, tests: PairwiseTests, native: PairwiseTests) -> Rule:
    """The rule that the settings choose.

    Parameters
    ----------
    study : Study
        What is compared.
    tests, native : PairwiseTests
        The tests as the settings want them, and those with the normal approximation.
    """
    settings = study.settings
    found = simultaneous_tests(study, native)
    by_flips = settings.rule == "max-t"
    units = study.n_clusters if settings.clustered else study.sample.n_tasks
    alternative = "two-sided" if by_flips else settings.alternative
    factor = 1.0 if by_flips else _least_factor(study)
    test = TESTS[settings.test].name
    phrase = f"{test}, two-sided, {found.correction}" if by_flips else settings.test_in_words
    least = min(1.0, factor * float(smallest_p(units, alternative=alternative)))
    if by_flips and found.flips is not None:
        least = found.flips.smallest_p
    return Rule(
        simultaneous=found,
        p=tests.p,
        z=tests.z,
        by_flips=by_flips,
        alternative=alternative,
        correction="holm" if by_flips else settings.correction,
        family=("all" if study.control is None else "control") if by_flips else settings.family,
        control=study.control,
        alpha=settings.alpha,
        smallest_p=least,
        data_sets_needed=_needed(settings.alpha, factor, alternative),
        equivalence=_equivalence(study),
        phrase=phrase,
        sentence=f"One algorithm is called better than another where the {phrase}, has "
        f"p ≤ {settings.alpha:g}.",
        notes=tuple(_notes(study, found, by_flips)),
    )


def _equivalence(study: Study) -> Equivalence | None:
    settings = study.settings
    if settings.margin is None:
        return None
    return equivalence(
        study.sample,
        margin=settings.margin,
        test=settings.test,
        control=study.control,
        n_resamples=settings.n_resamples,
        random_state=settings.random_state,
    )


def _notes(study: Study, found: Simultaneous, by_flips: bool) -> list[str]:
    if not by_flips:
        return []
    notes = list(found.notes)
    if study.settings.engine not in ("native", "both"):
        notes.append(
            "R computed the tests in the tables; the conclusions rest on max-T, which is native."
        )
    return notes


def family_size(study: Study) -> int:
    """How many tests are corrected for together; 1 without a correction."""
    settings, k = study.settings, len(study.algorithms)
    if study.control is not None:
        return 1 if settings.correction == "none" and settings.rule == "tests" else k - 1
    if settings.rule == "max-t":
        return k * (k - 1) // 2
    if settings.correction == "none":
        return 1
    if settings.family == "all":
        return k * (k - 1) // (2 if settings.alternative == "two-sided" else 1)
    return k - 1


def _least_factor(study: Study) -> float:
    """What the correction multiplies a p-value by when all of them are as small as can be."""
    found = CORRECTIONS[study.settings.correction]
    factors = found.factors(np.arange(1.0, family_size(study) + 1))
    return float(factors[-1] if found.step == "up" else factors[0])


def _needed(alpha: float, factor: float, alternative: str) -> int:
    """The fewest data sets whose smallest corrected p-value is at most alpha."""
    sides = 2 if alternative == "two-sided" else 1
    return max(2, int(np.ceil(np.log2(sides * factor / alpha) - 1e-9)))


def p_of(z: FloatArray, alternative: str) -> FloatArray:
    """Normal p-values of a square of statistics; NaN on its diagonal."""
    p = tail(z, alternative)
    np.fill_diagonal(p, np.nan)
    return p


def two_sided(z: FloatArray) -> FloatArray:
    """Two-sided normal p-values of a square of statistics."""
    return p_of(z, "two-sided")


def native_tests(study: Study, tests: PairwiseTests) -> PairwiseTests:
    """The chosen test with its normal approximation, computed again only where it differs."""
    settings = study.settings
    if settings.null == "asymptotic" and settings.engine in ("native", "both"):
        return tests
    return run_tests(study, null="asymptotic", engine="native").tests
