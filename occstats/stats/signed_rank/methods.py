"""The tests and null distributions on offer: names and engines, in one place.

A new test is a module with an ``engine`` in this folder, and one entry here. Nothing heavy is
imported until an engine is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from occstats.stats.sample import Sample
    from occstats.stats.signed_rank.interface import Engine, Observed, Prepared

__all__ = ["ALTERNATIVES", "NULLS", "TESTS", "Test", "check_test"]

# Tests whose statistics come from the same ranks.
SAME_RANKS = ("rgl", "wilcoxon")
ALTERNATIVES = ("greater", "less", "two-sided")
NULLS = ("asymptotic", "exact", "permutation")


@dataclass(frozen=True)
class Test:
    """A test of paired differences.

    Attributes
    ----------
    key, name : str
        As an option, and in prose.
    clustered : bool
        False for the test that treats tasks of one dataset as independent.
    nulls : tuple of str
        The null distributions it has.
    module : str
        The module of its engine.
    """

    __test__ = False  # not a case for pytest

    key: str
    name: str
    clustered: bool = True
    nulls: tuple[str, ...] = NULLS
    module: str = "wilcoxon"

    @property
    def engine(self) -> Engine:
        """Return the implementation, shared by the main run, leave-one-out and power."""
        found: Engine = import_module(f"occstats.stats.signed_rank.{self.module}").ENGINES[self.key]
        return found

    def prepare(self, sample: Sample) -> Iterator[Prepared]:
        """Yield blocks of prepared pairs of a sample; those of a small sample are kept."""
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
        """Return the statistics of all pairs of a sample; tests share the ranks of differences."""
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


TESTS = {
    test.key: test
    for test in (
        Test(
            "rgl",
            "clustered Wilcoxon signed-rank test (Rosner-Glynn-Lee)",
            module="rosner_glynn_lee",
        ),
        Test(
            "ds",
            "clustered Wilcoxon signed-rank test (Datta-Satten)",
            nulls=("asymptotic", "permutation"),
            module="datta_satten",
        ),
        Test("dataset-means", "Wilcoxon signed-rank test on dataset means"),
        Test(
            "wilcoxon",
            "plain Wilcoxon signed-rank test, which ignores clusters",
            clustered=False,
        ),
    )
}


def check_test(test: str, null: str, alternative: str, n_resamples: int) -> Test:
    """Return the test of this name, or refuse choices that it does not offer.

    Examples
    --------
    >>> check_test("rgl", "exact", "greater", 100).name
    'clustered Wilcoxon signed-rank test (Rosner-Glynn-Lee)'
    """
    from occstats._checks import check_choice, check_integer
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
