"""Signed-rank tests of paired differences: the tests and null distributions on offer.

A new test is a module in this folder with a class of `Prepared` samples, and one entry in `TESTS`.
Nothing heavy is imported until a test is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from occstats.stats._arrays import FloatArray, IntArray
    from occstats.stats.clusters import Clusters
    from occstats.stats.sample import PairBlock, Sample
    from occstats.stats.signed_rank.interface import Prepared

__all__ = ["ALTERNATIVES", "CLUSTERED", "NULLS", "TESTS", "Test", "check_test"]

ALTERNATIVES = ("greater", "less", "two-sided")
NULLS = ("asymptotic", "exact", "permutation")


@dataclass(frozen=True)
class Test:
    """A signed-rank test: its name as an option and in prose, and the null distributions it offers.

    A test that respects clusters has a `sentence` for a methods paragraph. The dict ``PREPARE`` of
    its module has the constructor of its samples.
    """

    __test__ = False  # not a case for pytest

    key: str
    name: str
    module: str
    nulls: tuple[str, ...] = NULLS
    sentence: str = ""

    def prepare(self, block: PairBlock, tie_tolerance: float) -> Prepared:
        """Prepare the differences of a block; clusters in suites are tested by suite."""
        module = import_module(f"occstats.stats.signed_rank.{self.module}")
        found: Prepared = module.PREPARE[self.key](block, tie_tolerance)
        return found

    def single(self, x: FloatArray, clusters: Clusters, tie_tolerance: float = 0.0) -> Prepared:
        """Prepare the differences of one pair."""
        from occstats.stats._arrays import round_to_grid, upper_pairs
        from occstats.stats.sample import PairBlock

        column = x[:, None]
        grid = round_to_grid(column, tie_tolerance)
        return self.prepare(PairBlock(*upper_pairs(2), column, grid, clusters), tie_tolerance)

    def blocks(self, sample: Sample, pairs: IntArray | None = None) -> Iterator[Prepared]:
        """Yield blocks of prepared pairs of a sample; all pairs of a small one are cached."""
        if pairs is None and self.key in sample.prepared:
            yield from sample.prepared[self.key]
            return
        prepared = (
            self.prepare(block, sample.tie_tolerance) for block in sample.blocks(pairs=pairs)
        )
        if pairs is None and sample.is_small:
            sample.prepared[self.key] = list(prepared)
            yield from sample.prepared[self.key]
        else:
            yield from prepared


TESTS = {
    test.key: test
    for test in (
        Test(
            "rgl",
            "clustered Wilcoxon signed-rank test (Rosner-Glynn-Lee)",
            "rosner_glynn_lee",
            sentence="the Rosner-Glynn-Lee clustered signed-rank test {rosner2006}",
        ),
        Test(
            "ds",
            "clustered Wilcoxon signed-rank test (Datta-Satten)",
            "datta_satten",
            ("asymptotic", "permutation"),
            "the Datta-Satten clustered signed-rank test {datta2008}",
        ),
        Test("dataset-means", "Wilcoxon signed-rank test on dataset means", "wilcoxon"),
        Test("wilcoxon", "plain Wilcoxon signed-rank test, which ignores clusters", "wilcoxon"),
    )
}
# The tests that respect clusters, which `occstats.compare` offers.
CLUSTERED = tuple(key for key, test in TESTS.items() if test.sentence)


def check_test(test: str, null: str, alternative: str, n_resamples: int) -> Test:
    """Return the test of this name, or raise an error for choices that it does not offer."""
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
