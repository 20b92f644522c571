"""Signed-rank tests of paired differences.

A new test is a module in this folder with a class of `Prepared` samples, and one entry in `TESTS`.
Nothing heavy is imported until a test is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from occstats.stats._arrays import IntArray
    from occstats.stats.sample import PairBlock, Sample
    from occstats.stats.signed_rank.interface import Prepared

ALTERNATIVES = ("greater", "less", "two-sided")


@dataclass(frozen=True)
class Test:
    """A clustered signed-rank test: its module and a phrase for papers.

    ``PREPARED`` of the module is the class of its samples.
    """

    __test__ = False  # not a case for pytest

    module: str
    sentence: str

    def prepare(self, block: PairBlock) -> Prepared:
        """Prepare the differences of a block; clusters in suites are tested by suite."""
        if self.module not in block.prepared:
            module = import_module(f"occstats.stats.signed_rank.{self.module}")
            block.prepared[self.module] = module.PREPARED(
                block.grid, block.clusters.independent, block.signed_ranks
            )
        found: Prepared = block.prepared[self.module]
        return found

    def blocks(self, sample: Sample, pairs: IntArray | None = None) -> Iterator[Prepared]:
        """Yield blocks of prepared pairs of a sample, all or those at some positions."""
        return (self.prepare(block) for block in sample.blocks(pairs=pairs))


TESTS = {
    "rgl": Test("rosner_glynn_lee", "the Rosner-Glynn-Lee clustered signed-rank test {rosner2006}"),
    "ds": Test("datta_satten", "the Datta-Satten clustered signed-rank test {datta2008}"),
}
