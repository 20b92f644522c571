"""The native tests, which need no R."""

from collections.abc import Sequence
from typing import Any

from occstats.backends import EngineRun
from occstats.stats.sample import Sample
from occstats.stats.signed_rank.all_pairs import pairwise_tests

__all__ = ["run"]


def run(
    key: str, sample: Sample, test: str, options: dict[str, Any], names: Sequence[str] | None
) -> EngineRun:
    """Test all pairs natively."""
    return EngineRun(pairwise_tests(sample, test=test, **options), {"engine": key})
