"""The tests and null distributions on offer: names, sentences, citations and engines, in one place.

A new test is a module with an ``engine`` beside this one, and one entry here. Nothing heavy is
imported until an engine is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from occstats.stats.sample import Sample
    from occstats.stats.tests.engine import Engine, Observed, Prepared

__all__ = ["ALTERNATIVES", "NULLS", "TESTS", "Null", "Test", "check_test"]

# Tests whose statistics come from the same ranks.
SAME_RANKS = ("rgl", "wilcoxon")
ALTERNATIVES = ("greater", "less", "two-sided")


@dataclass(frozen=True)
class Null:
    """Where a p-value comes from.

    Attributes
    ----------
    key, name : str
        As an option, and in prose.
    sentence : str
        For a methods paragraph; ``{flips}``, ``{n_resamples}`` and citation keys are filled in.
    citation : str
        Key of the work behind it; empty if there is none.
    """

    key: str
    name: str
    sentence: str
    citation: str = ""


@dataclass(frozen=True)
class Test:
    """A test of paired differences.

    Attributes
    ----------
    key, name : str
        As an option, and in prose.
    sentence : str
        For a methods paragraph, with citation keys in braces.
    citation : str
        Key of the work that introduced it.
    clustered : bool
        Whether it knows that tasks of one data set are not independent.
    nulls : tuple of str
        The null distributions it has.
    in_r : bool
        Whether R's clusrank has it, too.
    flips : str
        Whose signs flip under the null hypothesis.
    without_clusters : str
        What it is where every data set has one task.
    """

    __test__ = False  # not a case for pytest

    key: str
    name: str
    sentence: str
    citation: str
    clustered: bool = True
    nulls: tuple[str, ...] = ("asymptotic", "exact", "permutation")
    in_r: bool = False
    flips: str = "whole data sets"
    without_clusters: str = "the plain Wilcoxon signed-rank test"
    module: str = "plain"

    @property
    def engine(self) -> Engine:
        """Return the implementation, shared by the main run, leave-one-out and power."""
        found: Engine = import_module(f"occstats.stats.tests.{self.module}").ENGINES[self.key]
        return found

    def prepare(self, sample: Sample) -> Iterator[Prepared]:
        """All pairs of a sample, some at a time, ready to be tested; a small sample only once."""
        if self.key in sample.kept:
            yield from sample.kept[self.key]
            return
        prepared = (self.engine.of_block(block, sample.tie_tolerance) for block in sample.blocks())
        if sample.is_small:
            sample.kept[self.key] = list(prepared)
            yield from sample.kept[self.key]
        else:
            yield from prepared

    def observed(self, sample: Sample) -> list[Observed]:
        """The statistics of all pairs of a sample; differences are ranked once for all tests."""
        if self.key not in sample.observed:
            if sample.is_small:
                return [prepared.alone for prepared in self.prepare(sample)]
            same = SAME_RANKS if self.key in SAME_RANKS else (self.key,)
            found: dict[str, list[Observed]] = {key: [] for key in same}
            for block in sample.blocks():
                for key, parts in found.items():
                    test = TESTS[key].engine.of_block(block, sample.tie_tolerance)
                    parts.append(test.alone)
            sample.observed.update(found)
        return sample.observed[self.key]


NULLS = {
    null.key: null
    for null in (
        Null(
            "asymptotic",
            "normal approximation",
            "p-values follow from the normal approximation",
        ),
        Null(
            "exact",
            "exact test of the rank sum",
            "p-values are those of the exact test of the rank sum: the sum of signed ranks, not "
            "weighted, in its distribution when the signs of {flips} are flipped",
        ),
        Null(
            "permutation",
            "flips of signs",
            "p-values follow from flipping the signs of {flips}: all flips where there are no more "
            "than {n_resamples}, else so many random ones",
            "phipson2010",
        ),
    )
}

TESTS = {
    test.key: test
    for test in (
        Test(
            "rgl",
            "clustered Wilcoxon signed-rank test (Rosner-Glynn-Lee)",
            "the Rosner-Glynn-Lee clustered Wilcoxon signed-rank test {rosner2006} with data sets "
            "as clusters",
            "rosner2006",
            in_r=True,
            module="rosner_glynn_lee",
        ),
        Test(
            "ds",
            "clustered Wilcoxon signed-rank test (Datta-Satten)",
            "the Datta-Satten clustered signed-rank test {datta2008} with data sets as clusters, "
            "which gives each data set the same weight",
            "datta2008",
            nulls=("asymptotic", "permutation"),
            in_r=True,
            without_clusters="a signed-rank test of independent tasks",
            module="datta_satten",
        ),
        Test(
            "dataset-means",
            "Wilcoxon signed-rank test on data set means",
            "the Wilcoxon signed-rank test {wilcoxon1945} on the mean difference per data set "
            "{demsar2006}",
            "wilcoxon1945",
            flips="mean differences",
        ),
        Test(
            "wilcoxon",
            "plain Wilcoxon signed-rank test, which ignores clusters",
            "the Wilcoxon signed-rank test {wilcoxon1945}, which treats tasks of the same data set "
            "as independent and is too liberal where they are not",
            "wilcoxon1945",
            clustered=False,
            flips="single tasks",
        ),
    )
}


def check_test(test: str, null: str, alternative: str, n_resamples: int) -> Test:
    """The test of this name, or an error that says which choice is not offered.

    Examples
    --------
    >>> check_test("rgl", "exact", "greater", 100).name
    'clustered Wilcoxon signed-rank test (Rosner-Glynn-Lee)'
    """
    from occstats.checks import check_choice, check_integer
    from occstats.errors import ArgumentError

    check_choice("test", test, TESTS)
    check_choice("null", null, NULLS)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_integer("n_resamples", n_resamples)
    found = TESTS[test]
    if null not in found.nulls:
        offered = " or ".join(f"null={name!r}" for name in reversed(found.nulls))
        raise ArgumentError(f"null={null!r} is not available for {test!r}; use {offered}.")
    return found
