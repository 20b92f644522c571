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

__all__ = ["ALTERNATIVES", "NULLS", "TESTS", "Test", "check_test"]

ALTERNATIVES = ("greater", "less", "two-sided")
NULLS = ("asymptotic", "exact", "permutation")


@dataclass(frozen=True)
class Test:
    """A clustered signed-rank test, with the null distributions it offers and a phrase for papers.

    ``PREPARED`` of its module is the class of its samples.
    """

    __test__ = False  # not a case for pytest

    key: str
    module: str
    nulls: tuple[str, ...]
    sentence: str

    def prepare(self, block: PairBlock) -> Prepared:
        """Prepare the differences of a block; clusters in suites are tested by suite."""
        module = import_module(f"occstats.stats.signed_rank.{self.module}")
        found: Prepared = module.PREPARED(
            block.grid, block.clusters.independent, block.signed_ranks
        )
        return found

    def single(self, x: FloatArray, clusters: Clusters, tie_tolerance: float = 0.0) -> Prepared:
        """Prepare the differences of one pair."""
        from occstats.stats._arrays import round_to_grid, upper_pairs
        from occstats.stats.sample import PairBlock

        column = x[:, None]
        grid = round_to_grid(column, tie_tolerance)
        return self.prepare(PairBlock(*upper_pairs(2), column, grid, clusters))

    def blocks(self, sample: Sample, pairs: IntArray | None = None) -> Iterator[Prepared]:
        """Yield blocks of prepared pairs of a sample; all pairs of a small one are cached."""
        if pairs is None and self.key in sample.prepared:
            yield from sample.prepared[self.key]
            return
        prepared = (self.prepare(block) for block in sample.blocks(pairs=pairs))
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
            "rosner_glynn_lee",
            NULLS,
            "the Rosner-Glynn-Lee clustered signed-rank test {rosner2006}",
        ),
        Test(
            "ds",
            "datta_satten",
            ("asymptotic", "permutation"),
            "the Datta-Satten clustered signed-rank test {datta2008}",
        ),
    )
}


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
