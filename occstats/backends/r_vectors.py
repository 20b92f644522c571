"""Batches of tests for R, and R's answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from occstats.errors import EngineError
from occstats.stats._arrays import FloatArray, IntArray
from occstats.stats.clusters import Clusters
from occstats.stats.signed_rank.interface import Evaluation
from occstats.stats.signed_rank.methods import TESTS
from occstats.stats.signed_rank.null import RandomState, TailProbabilities

__all__ = [
    "EQUAL_RANKS",
    "Answers",
    "Batch",
    "Samples",
    "build_batch",
    "evaluate_in_r",
    "exact_defect",
    "native_offer",
    "seed_for_r",
]

# label → differences and the codes of their clusters
Samples = dict[str, tuple[FloatArray, IntArray]]

# clusrank counts sign patterns in 32-bit integers.
MOST_CLUSTERS_EXACT = 30

# Natively the intraclass correlation is 1 there; clusrank divides by a variance of zero.
EQUAL_RANKS = "clusrank has no test where all signed ranks are equal"

R_ALTERNATIVES = {"two-sided": "two.sided", "greater": "greater", "less": "less"}


def native_offer() -> str:
    """Return the end of every error message: how to go on without R."""
    return "or use engine 'native', which needs no R and gives the same asymptotic p-values"


@dataclass(frozen=True, eq=False)
class Batch:
    """Differences of all tests, one after the other, and how to test them.

    Parameters
    ----------
    x, cluster, test
        One entry per difference: its value, the code of its cluster, the number of its test.
    method, null, alternative, n_resamples, seed
        The same for all tests.
    """

    x: FloatArray
    cluster: NDArray[np.int32]
    test: NDArray[np.int32]
    method: str
    null: str
    alternative: str
    n_resamples: int
    seed: int

    @property
    def n_tests(self) -> int:
        """Number of tests in the batch."""
        return int(self.test.max(initial=-1)) + 1

    @property
    def settings(self) -> tuple[str, str, str, int, int]:
        """Arguments of the R function after the three vectors, in order."""
        alternative = R_ALTERNATIVES[self.alternative]
        return self.method, self.null, alternative, self.n_resamples, self.seed


@dataclass(frozen=True, eq=False)
class Answers:
    """Results of clusrank for each test; ``failure`` is empty or R's message."""

    statistic: FloatArray
    variance: FloatArray
    z: FloatArray
    p: FloatArray
    observations: FloatArray
    clusters: FloatArray
    failure: tuple[str, ...]

    @classmethod
    def numeric(cls) -> tuple[str, ...]:
        """Return the names of the fields that hold one number per test."""
        return tuple(field.name for field in fields(cls) if field.name != "failure")

    def check(self, asked: Mapping[str, Evaluation]) -> None:
        """Raise an error for a test that failed in R or does not match the request."""
        for label, failure in zip(asked, self.failure, strict=False):
            if failure:
                raise EngineError(
                    f"clusrank failed on {label}: {' '.join(failure.split())[:300]}; "
                    f"{native_offer()}"
                )
        observations = [sample.n_observations for sample in asked.values()]
        clusters = [sample.n_clusters for sample in asked.values()]
        same = np.array_equal(self.observations, observations)
        if not (same and np.array_equal(self.clusters, clusters)):
            raise EngineError(
                "clusrank answered for other numbers of observations or clusters than it was "
                f"given: its version does not fit this bridge; {native_offer()}"
            )


def evaluate_in_r(
    samples: Samples,
    run: Callable[[Batch], Answers],
    *,
    method: str,
    null: str,
    alternative: str,
    n_resamples: int,
    seed: int,
) -> dict[str, Evaluation]:
    """Test labelled samples in one call of R; reasons for no test are native.

    clusrank is asked for one alternative: only that p-value is in the result.
    """
    found, asked = {}, {}
    for label, (x, codes) in samples.items():
        native = (
            TESTS[method].engine.single(x, Clusters.of(codes)).evaluate(0, "asymptotic", 1, None)
        )
        # An exact test needs no variance, only clusters.
        if null == "exact" and native.n_clusters >= 2:
            native = replace(native, reason=None)
        found[label] = native
        if native.reason is None and x.any():
            asked[label] = (x, codes)
    if not asked:
        return found
    batch = build_batch(
        asked,
        method=method,
        null=null,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed,
    )
    answers = run(batch)
    answers.check({label: found[label] for label in asked})
    for i, (label, (x, _)) in enumerate(asked.items()):
        equal_ranks = np.isnan(answers.p[i]) and np.ptp(x[x != 0]) == 0
        found[label] = replace(
            found[label],
            reason=EQUAL_RANKS if equal_ranks else None,
            statistic=float(answers.statistic[i]),
            z=float(answers.z[i]),
            variance=float(answers.variance[i]),
            tails=_only(alternative, float(answers.p[i])),
        )
    return found


def _only(alternative: str, p: float) -> TailProbabilities:
    unknown = TailProbabilities(np.nan, np.nan, np.nan)
    return replace(unknown, **{alternative.replace("-", "_"): p})


def build_batch(
    samples: Samples,
    *,
    method: str,
    null: str,
    alternative: str,
    n_resamples: int,
    seed: int,
) -> Batch:
    """Lay labelled samples of differences and cluster codes end to end.

    Raises
    ------
    EngineError
        clusrank would answer wrongly, or answer another question.
    """
    if method == "ds" and null == "permutation":
        raise EngineError(
            "null 'permutation' with method 'ds' is refused: clusrank flips the sign of each "
            "difference on its own, as if there were no clusters; use engine 'native', which flips "
            "whole clusters"
        )
    if null == "exact":
        for label, (x, codes) in samples.items():
            defect = exact_defect(x, codes)
            if defect:
                raise EngineError(
                    f"null 'exact' of {label} is refused: {defect}, so that its p-value would be "
                    "wrong; use engine 'native', which is exact for any sample"
                )
    lengths = [len(x) for x, _ in samples.values()]
    return Batch(
        x=np.concatenate([x for x, _ in samples.values()]),
        cluster=np.concatenate([codes for _, codes in samples.values()]).astype(np.int32),
        test=np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        method=method,
        null=null,
        alternative=alternative,
        n_resamples=int(n_resamples),
        seed=seed,
    )


def seed_for_r(random_state: RandomState) -> int:
    """Return a seed that R accepts: 31 bits, the number itself where it fits.

    Examples
    --------
    >>> seed_for_r(7), seed_for_r(2**31 + 7)
    (7, 7)
    """
    if isinstance(random_state, int | np.integer):
        return int(random_state) % 2**31
    return int(np.random.default_rng(random_state).integers(2**31))


def exact_defect(x: FloatArray, codes: IntArray) -> str | None:
    """Return why clusrank's exact null distribution is wrong for these differences.

    clusrank 1.0-4 counts the sign patterns of the clusters' rank sums in an array that holds sums
    up to j (j + 1) / 2 when the clusters with |rank sum| ≤ j are in, skips rank sums of 0 and 1,
    cuts halves off and counts in 32-bit integers. It is right where nothing of that matters, and
    silent where it does: compared with full enumeration, no sample that passes this check came out
    wrong.

    Parameters
    ----------
    x, codes
        Differences and the numbers of their clusters.

    Returns
    -------
    str or None
        The reason, or None where clusrank is right.

    Examples
    --------
    >>> import numpy as np
    >>> exact_defect(np.array([0.1, -0.2, 0.3, 0.4]), np.array([0, 1, 0, 2]))
    >>> exact_defect(np.array([0.1, -0.2, 0.3, 0.4]), np.array([0, 1, 1, 2]))
    'a cluster has a rank sum of 1, and clusrank miscounts those between -1 and 1'
    >>> exact_defect(np.array([0.2, -0.2, 0.3, 0.4]), np.array([0, 1, 2, 2]))
    'a cluster has a rank sum of 1.5, and clusrank cuts off the half'
    """
    kept, present = x[x != 0], codes[x != 0]
    signed = rankdata(np.abs(kept)) * np.sign(kept)
    rank_sums = np.bincount(present, weights=signed)[np.bincount(present) > 0]
    sizes = np.sort(np.abs(rank_sums))
    if sizes.size > MOST_CLUSTERS_EXACT:
        return (
            f"there are {sizes.size} clusters, and clusrank's counts overflow beyond "
            f"{MOST_CLUSTERS_EXACT}"
        )
    small = rank_sums[np.abs(rank_sums) <= 1]
    if small.size:
        return (
            f"a cluster has a rank sum of {small[0]:g}, and clusrank miscounts those between "
            "-1 and 1"
        )
    broken = rank_sums[rank_sums != np.round(rank_sums)]
    if broken.size:
        return f"a cluster has a rank sum of {broken[0]:g}, and clusrank cuts off the half"
    up_to = np.cumsum(sizes)[np.searchsorted(sizes, sizes, side="right") - 1]
    crowded = sizes[up_to > sizes * (sizes + 1) / 2]
    if crowded.size:
        return (
            f"several clusters have rank sums of at most {crowded[0]:g} in size, more than "
            "clusrank's count has room for"
        )
    return None
