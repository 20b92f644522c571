"""Check of the native tests against R's clusrank on the same scores."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from occstats._checks import check_choice
from occstats.backends.clusrank import EQUAL_RANKS, clusrank_pairs, engine_versions
from occstats.backends.embedded_r import probe_rpy2
from occstats.errors import EngineError
from occstats.stats._arrays import FloatArray
from occstats.stats.sample import Sample
from occstats.stats.signed_rank.pairwise import (
    Alternative,
    Null,
    PairwiseTests,
    TestName,
    pairwise_tests,
)

AGREEMENT = 1e-10


@dataclass(frozen=True, eq=False)
class EngineCheck:
    """Differences between the native tests of all ordered pairs and those of clusrank.

    Attributes
    ----------
    native, reference : PairwiseTests
        Results of each backend.
    largest_p, largest_z : float
        Largest absolute differences of p-values and of Z over all tests; NaN for Z where clusrank
        reports none (exact null).
    worst : (int, int) or None
        The pair with the largest difference of p-values.
    n_tests : int
        Number of tests compared.
    versions : dict
        The backend and the versions of R, clusrank and rpy2.
    """

    native: PairwiseTests = field(repr=False)
    reference: PairwiseTests = field(repr=False)
    largest_p: float
    largest_z: float
    worst: tuple[int, int] | None
    n_tests: int
    versions: dict[str, str]

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
        in_z = "" if np.isnan(self.largest_z) else f", of Z {self.largest_z:.1e}"
        return (
            f"The native engine {'agrees' if self.agrees else 'does NOT agree'} with {against} on "
            f"{self.n_tests} tests: largest difference of p-values {self.largest_p:.1e} "
            f"({a} against {b}){in_z}.{without}"
        )


def check_engines(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    test: TestName = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "greater",
    tie_tolerance: float = 0.0,
    engine: Literal["rpy2", "rscript", "either"] = "either",
    names: Sequence[str] | None = None,
) -> EngineCheck:
    """Run all pairs natively and in clusrank, and compare.

    Parameters
    ----------
    scores, clusters, test, null, alternative, tie_tolerance
        As for :func:`occstats.stats.clustered_wilcoxon`. ``null="permutation"`` is refused:
        the backends draw different random numbers, and clusrank permutes another statistic.
    engine : {"either", "rpy2", "rscript"}
        Interface to R; ``"either"`` uses rpy2 where possible.
    names : sequence of str, optional
        Names of the columns, for messages.

    Examples
    --------
    >>> scores = [[.9, .8, .7], [.8, .9, .6], [.7, .5, .6], [.9, .8, .8], [.6, .5, .2]]
    >>> check_engines(scores, [1, 1, 2, 2, 3]).agrees  # doctest: +SKIP
    True
    """
    check_choice("engine", engine, ("either", "rpy2", "rscript"))
    if null == "permutation":
        raise EngineError(
            "null 'permutation' cannot be checked against clusrank: the backends draw different "
            "random numbers and clusrank permutes another statistic; check 'asymptotic' or 'exact'"
        )
    if engine == "either":
        engine = "rscript" if probe_rpy2().problem else "rpy2"
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    reference = clusrank_pairs(
        sample, test=test, null=null, alternative=alternative, engine=engine, names=names
    )
    native = pairwise_tests(sample, test=test, null=null, alternative=alternative)
    apart = np.abs(native.p - reference.p)
    worst = None
    if not np.isnan(apart).all():
        a, b = np.unravel_index(np.nanargmax(apart), apart.shape)
        worst = (int(a), int(b))
    return EngineCheck(
        native=native,
        reference=reference,
        largest_p=_largest(apart),
        largest_z=_largest(np.abs(native.z - reference.z)),
        worst=worst,
        n_tests=int(np.count_nonzero(~np.isnan(apart))),
        versions=engine_versions(engine),
    )


def _largest(apart: FloatArray) -> float:
    known = apart[~np.isnan(apart)]
    return float(known.max()) if known.size else float("nan")
