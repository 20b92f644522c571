"""Check of the native tests against R's clusrank on the same scores."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from occstats.engines.clusrank import EQUAL_RANKS, clusrank_pairs
from occstats.engines.installation import engine_versions, probe
from occstats.stats._arrays import FloatArray
from occstats.stats.sample import Sample
from occstats.stats.signed_rank.pairwise import Alternative, PairwiseTests, TestName, pairwise_tests

AGREEMENT = 1e-10


@dataclass(frozen=True, eq=False)
class EngineCheck:
    """Tests of all ordered pairs by the native engine and by clusrank, and how they differ.

    Attributes
    ----------
    native, reference : PairwiseTests
        Results of each engine.
    versions : dict
        The engine and the versions of R, clusrank and rpy2.
    """

    native: PairwiseTests = field(repr=False)
    reference: PairwiseTests = field(repr=False)
    versions: dict[str, str]

    @cached_property
    def p_differences(self) -> FloatArray:
        """Absolute differences of p-values; NaN for pairs without a test."""
        return np.abs(self.native.p - self.reference.p)

    @property
    def largest_p(self) -> float:
        """Largest absolute difference of p-values; NaN if there is none."""
        return _largest(self.p_differences)

    @property
    def largest_z(self) -> float:
        """Largest absolute difference of Z; NaN if there is none."""
        return _largest(np.abs(self.native.z - self.reference.z))

    @property
    def worst(self) -> tuple[int, int] | None:
        """The pair with the largest difference of p-values, if any pair has a test."""
        if not self.n_tests:
            return None
        a, b = np.unravel_index(np.nanargmax(self.p_differences), self.p_differences.shape)
        return int(a), int(b)

    @property
    def n_tests(self) -> int:
        """Number of tests compared."""
        return int(np.count_nonzero(~np.isnan(self.p_differences)))

    @property
    def agrees(self) -> bool:
        """True if no p-value and no Z differs by more than 1e-10, and the same pairs have tests.

        Pairs whose signed ranks are all equal, which clusrank does not test, are ignored.
        """
        lacking = np.isnan(self.reference.p)
        for pair in self.equal_ranks:
            lacking[pair] = False
        same = np.array_equal(np.isnan(self.native.p), lacking)
        return bool(same and not self.largest_p > AGREEMENT and not self.largest_z > AGREEMENT)

    @property
    def equal_ranks(self) -> list[tuple[int, int]]:
        """Ordered pairs that clusrank does not test because all their signed ranks are equal."""
        reasons = self.reference.reasons
        return [pair for pair, reason in reasons.items() if reason == EQUAL_RANKS]

    def sentence(self, names: Sequence[str] | None = None) -> str:
        """Return the outcome in one or two sentences; `names` are those of the columns."""
        parts = [f"{name} {self.versions[name]}" for name in ("R", "rpy2") if name in self.versions]
        against = f"clusrank {self.versions['clusrank']} ({', '.join(parts)})"
        n_equal = len(self.equal_ranks)
        equal = f" clusrank has no test where all signed ranks are equal ({n_equal} tests)."
        without = equal if n_equal else ""
        if self.worst is None:
            return f"No pair has a test in {against}.{without}"
        a, b = (str(i) if names is None else names[i] for i in self.worst)
        return (
            f"The native engine {'agrees' if self.agrees else 'does NOT agree'} with {against} on "
            f"{self.n_tests} tests: largest difference of p-values {self.largest_p:.1e} "
            f"({a} against {b}), of Z {self.largest_z:.1e}.{without}"
        )


def check_engines(
    sample: Sample,
    *,
    test: TestName = "rgl",
    alternative: Alternative = "greater",
    engine: Literal["rpy2", "rscript", "either"] = "either",
    names: Sequence[str] | None = None,
) -> EngineCheck:
    """Run all pairs natively and in clusrank; ``"either"`` uses rpy2 where possible."""
    if engine == "either":
        engine = "rscript" if probe("rpy2").problem else "rpy2"
    return EngineCheck(
        native=pairwise_tests(sample, test=test, alternative=alternative),
        reference=clusrank_pairs(
            sample, test=test, alternative=alternative, engine=engine, names=names
        ),
        versions=engine_versions(engine),
    )


def _largest(differences: FloatArray) -> float:
    known = differences[~np.isnan(differences)]
    return float(known.max()) if known.size else float("nan")
