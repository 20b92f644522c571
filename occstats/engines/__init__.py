"""Engines of the clustered tests: this package, or R's package clusrank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from occstats.stats.sample import Sample
    from occstats.stats.signed_rank.pairwise import PairwiseTests

__all__ = ["run_in_r"]


def run_in_r(
    engine: str, sample: Sample, *, test: Any, alternative: Any, names: Sequence[str]
) -> tuple[PairwiseTests, dict[str, Any], tuple[str, ...]]:
    """Return the asymptotic tests of all ordered pairs, a record of the engine, and notes."""
    if engine == "both":
        from occstats.engines.agreement import check_engines

        check = check_engines(sample, test=test, alternative=alternative, names=names)
        record = {
            "engine": engine,
            "checked_against": check.versions,
            "largest_p_difference": check.largest_p,
            "largest_z_difference": check.largest_z,
            "n_tests": check.n_tests,
        }
        return check.native, record, (check.sentence(names),)
    from occstats.engines.clusrank import clusrank_pairs
    from occstats.engines.installation import engine_versions

    tests = clusrank_pairs(sample, test=test, alternative=alternative, engine=engine, names=names)
    return tests, dict(engine_versions(engine)), ()
