"""The clustered signed-rank tests of R's package clusrank, embedded by rpy2 or run by Rscript.

The R side is ``R/clusrank_bridge.R``; all tests of a comparison are one call of R. Only the
asymptotic tests are used: the exact test of clusrank 1.0-4 is wrong for many samples, and its
permutation tests differ from the native ones.

Differences of clusrank 1.0-4 from the native tests, and how they are handled:

* ``ds`` assumes that rows are sorted by cluster: they are sorted before the call.
* There is no test where all signed ranks are equal and clusters differ in size: natively the
  intraclass correlation is 1 there, and ``reasons`` note the difference.
* Infinite differences (failures) are dropped: they are replaced by twice the largest finite one.
* The intraclass correlation is not reported: it is computed natively.

References
----------
.. [1] Y. Jiang, M.-L. T. Lee, X. He, B. Rosner, J. Yan (2020). Wilcoxon rank-based tests for
   clustered data with R package clusrank. Journal of Statistical Software 96(6).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any, Literal

import numpy as np

from occstats.engines.installation import NATIVE_OFFER, engine_versions, probe, require
from occstats.engines.sessions import run_embedded, run_in_rscript
from occstats.errors import EngineError
from occstats.stats._arrays import FloatArray, IntArray, round_to_grid
from occstats.stats.sample import Sample
from occstats.stats.signed_rank.pairwise import Alternative, PairwiseTests, TestName, pairwise_tests

AGREEMENT = 1e-10
# Natively the intraclass correlation is 1 there; clusrank divides by a variance of zero.
EQUAL_RANKS = "clusrank has no test where all signed ranks are equal"


def run_in_r(
    engine: str, sample: Sample, *, test: Any, alternative: Any, names: Sequence[str]
) -> tuple[PairwiseTests, dict[str, Any], tuple[str, ...]]:
    """Return the asymptotic tests of all ordered pairs, a record of the engine, and notes."""
    if engine == "both":
        check = check_engines(sample, test=test, alternative=alternative, names=names)
        record = {
            "engine": engine,
            "checked_against": check.versions,
            "largest_p_difference": check.largest_p,
            "largest_z_difference": check.largest_z,
            "n_tests": check.n_tests,
        }
        return check.native, record, (check.sentence(names),)
    tests = clusrank_pairs(sample, test=test, alternative=alternative, engine=engine, names=names)
    return tests, dict(engine_versions(engine)), ()


def clusrank_pairs(
    sample: Sample,
    *,
    test: TestName = "rgl",
    alternative: Alternative = "two-sided",
    engine: str = "rpy2",
    names: Sequence[str] | None = None,
) -> PairwiseTests:
    """Test all ordered pairs of columns with clusrank, in one call of R.

    The result is that of :func:`occstats.stats.pairwise_tests`, with its reasons for no test.
    `names` are those of the columns, for messages.
    """
    require(engine)
    native = pairwise_tests(sample, test=test, alternative=alternative)
    columns = names or [f"column {i}" for i in range(sample.n_algorithms)]
    samples: dict[tuple[int, int], tuple[FloatArray, IntArray]] = {}
    for pair in permutations(range(sample.n_algorithms), 2):
        differences = sample.pair_differences(*np.array(pair)[:, None])[:, 0]
        both = ~np.isnan(differences)
        rounded = round_to_grid(differences[both], sample.tie_tolerance)
        largest = 2 * np.abs(rounded[np.isfinite(rounded)]).max(initial=1.0)
        x, codes = np.clip(rounded, -largest, largest), sample.clusters.independent.codes[both]
        if pair not in native.reasons and x.any():
            samples[pair] = x, codes
    if not samples:
        return native
    lengths = [len(x) for x, _ in samples.values()]
    answers = (run_embedded if engine == "rpy2" else run_in_rscript)(
        np.concatenate([x for x, _ in samples.values()]),
        np.concatenate([codes for _, codes in samples.values()]).astype(np.int32),
        np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        (test, alternative.replace("-", ".")),
    )
    reasons, numbers = dict(native.reasons), ("statistic", "z", "variance", "p")
    found = {name: getattr(native, name).copy() for name in numbers}
    rows: Any = answers.itertuples(index=False)
    for (pair, (x, _)), row in zip(samples.items(), rows, strict=True):
        if row.failure:
            raise EngineError(
                f"clusrank failed on {columns[pair[0]]} against {columns[pair[1]]}: "
                f"{' '.join(row.failure.split())[:300]}; {NATIVE_OFFER}"
            )
        given = native.n_observations[pair], native.n_clusters[pair]
        if (row.observations, row.clusters) != given:
            raise EngineError(
                "clusrank reports other numbers of observations or clusters than it was "
                f"given: its version is not supported; {NATIVE_OFFER}"
            )
        for name in numbers:
            found[name][pair] = getattr(row, name)
        if np.isnan(row.p) and np.ptp(x[x != 0]) == 0:
            reasons[pair] = EQUAL_RANKS
    return replace(native, **found, reasons=reasons)


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

    @property
    def p_differences(self) -> FloatArray:
        """Absolute differences of p-values; NaN for pairs without a test."""
        return np.abs(self.native.p - self.reference.p)

    @property
    def largest_p(self) -> float:
        """Largest absolute difference of p-values; NaN if there is none."""
        return float(np.fmax.reduce(self.p_differences, axis=None))

    @property
    def largest_z(self) -> float:
        """Largest absolute difference of Z; NaN if there is none."""
        return float(np.fmax.reduce(np.abs(self.native.z - self.reference.z), axis=None))

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
        without = f" {EQUAL_RANKS} ({n_equal} tests)." if n_equal else ""
        if not self.n_tests:
            return f"No pair has a test in {against}.{without}"
        worst = np.unravel_index(np.nanargmax(self.p_differences), self.p_differences.shape)
        a, b = (str(i) if names is None else names[int(i)] for i in worst)
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
