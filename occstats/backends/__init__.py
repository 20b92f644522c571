"""Backends of the clustered tests: this package, or R's package clusrank.

`ENGINES` lists them; nothing heavy is imported until one is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from occstats.stats.sample import Sample
    from occstats.stats.signed_rank.all_pairs import PairwiseTests

__all__ = ["ENGINES", "Engine", "EngineRun"]


@dataclass(frozen=True, eq=False)
class EngineRun:
    """Tests of all pairs and the backend that computed them.

    Attributes
    ----------
    tests : PairwiseTests
    record : dict
        The engine, its versions, and the largest difference between two engines.
    notes : tuple of str
        Remarks for the reader.
    """

    tests: PairwiseTests
    record: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Engine:
    """A backend of the tests.

    Attributes
    ----------
    key, name : str
        As an option, and in prose.
    sentence : str
        Continuation of a methods paragraph after the name of the software; citations in braces.
    needs_r : bool
        Whether it computes only the tests that R's clusrank has.
    """

    key: str
    name: str
    sentence: str
    needs_r: bool = True
    module: str = "clusrank"

    def run(
        self,
        sample: Sample,
        *,
        test: str,
        null: str = "asymptotic",
        alternative: str = "two-sided",
        n_resamples: int = 10_000,
        random_state: int | None = None,
        names: Sequence[str] | None = None,
    ) -> EngineRun:
        """Test all ordered pairs of a sample; ``names`` are those of its columns."""
        options = {
            "null": null,
            "alternative": alternative,
            "n_resamples": n_resamples,
            "random_state": random_state,
        }
        runner = import_module(f"occstats.backends.{self.module}").run
        found: EngineRun = runner(self.key, sample, test, options, names)
        return found


ENGINES = {
    engine.key: engine
    for engine in (
        Engine("native", "native", "", needs_r=False, module="native"),
        Engine(
            "clusrank",
            "R's clusrank, embedded",
            ", the tests with the R package clusrank {jiang2020}",
        ),
        Engine(
            "rscript",
            "R's clusrank in a process of its own",
            ", the tests with the R package clusrank {jiang2020}",
        ),
        Engine(
            "both",
            "native, checked against R's clusrank",
            ", the tests checked against the R package clusrank {jiang2020}",
            module="agreement",
        ),
    )
}
