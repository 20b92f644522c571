"""The clustered signed-rank tests of R's package clusrank, embedded by rpy2 or run by Rscript.

The R side is ``R/clusrank_bridge.R``; all tests of a comparison are one call of R.

Differences of clusrank 1.0-4 from the native tests, and how they are handled:

* ``ds`` assumes that rows are sorted by cluster: they are sorted before the call.
* ``exact`` and ``permutation`` fail if a difference is zero: zeros, which the test ignores, are
  dropped before the call.
* The p-value ``greater`` of ``exact`` and ``permutation`` is P(T* > T), 0 for the most extreme
  sample: ``less`` of the mirrored differences is used instead, P(T* ≥ T).
* ``exact`` is silently wrong for many samples, which are refused; see :func:`exact_defect`.
* ``permutation`` with ``rgl`` flips whole clusters, but its statistic is the plain sum of signed
  ranks (natively Z), and its p-value (b + 1/2) / (B + 1) (natively (b + 1) / (B + 1)).
* ``permutation`` with ``ds`` flips each difference separately, ignoring clusters: refused.
* There is no test where all signed ranks are equal and clusters differ in size: natively the
  intraclass correlation is 1 there, and ``reasons`` note the difference.
* Infinite differences (failures) are dropped: they are replaced by the largest finite ones.
* The intraclass correlation is not reported: it is computed natively.

References
----------
.. [1] Y. Jiang, M.-L. T. Lee, X. He, B. Rosner, J. Yan (2020). Wilcoxon rank-based tests for
   clustered data with R package clusrank. Journal of Statistical Software 96(6).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd

from occstats.engines.embedded_r import run_embedded
from occstats.engines.installation import NATIVE_OFFER, require
from occstats.engines.rscript import run_in_rscript
from occstats.errors import EngineError
from occstats.stats._arrays import FloatArray, IntArray, round_to_grid, signed_ranks
from occstats.stats.clusters import Clusters
from occstats.stats.sample import Sample
from occstats.stats.signed_rank import TESTS
from occstats.stats.signed_rank.interface import Evaluation
from occstats.stats.signed_rank.null import RandomState
from occstats.stats.signed_rank.pairwise import (
    Alternative,
    Null,
    PairwiseTests,
    TestName,
    collect_pairs,
)

# clusrank counts sign patterns in 32-bit integers.
MOST_CLUSTERS_EXACT = 30
# Natively the intraclass correlation is 1 there; clusrank divides by a variance of zero.
EQUAL_RANKS = "clusrank has no test where all signed ranks are equal"


def clusrank_pairs(
    sample: Sample,
    *,
    test: TestName = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    engine: str = "rpy2",
    names: Sequence[str] | None = None,
) -> PairwiseTests:
    """Test all ordered pairs of columns with clusrank, in one call of R.

    The result is that of :func:`occstats.stats.pairwise_tests`; for the null ``"exact"``, clusrank
    reports neither Z nor variance, which are NaN. `names` are those of the columns, for messages.
    An `EngineError` is raised if clusrank would give a wrong answer for a pair.
    """
    k = sample.n_algorithms
    columns = names or [f"column {i}" for i in range(k)]
    samples: dict[str, tuple[FloatArray, IntArray]] = {}
    for a, b in permutations(range(k), 2):
        differences = sample.pair_differences(np.array([a]), np.array([b]))[:, 0]
        both = ~np.isnan(differences)
        rounded = round_to_grid(differences[both], sample.tie_tolerance)
        largest = 2 * np.abs(rounded[np.isfinite(rounded)]).max(initial=1.0)
        label = f"{columns[a]} against {columns[b]}"
        # Names may contain "against", so that two labels are equal.
        label += f" (columns {a} and {b})" * (label in samples)
        codes = sample.clusters.independent.codes[both]
        samples[label] = (np.clip(rounded, -largest, largest), codes)
    found = evaluate_in_r(samples, test=test, null=null, alternative=alternative, engine=engine)
    return collect_pairs(dict(zip(permutations(range(k), 2), found, strict=True)), k, alternative)


def evaluate_in_r(
    samples: Mapping[str, tuple[FloatArray, IntArray]],
    *,
    test: str,
    null: str,
    alternative: str,
    engine: str,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> list[Evaluation]:
    """Test labelled samples of differences and cluster codes in one call of R.

    Reasons for no test are native; only the p-value of the alternative is known.
    """
    require(engine)
    found: dict[str, Evaluation] = {}
    for label, (x, codes) in samples.items():
        native = TESTS[test].single(x, Clusters.of(codes)).evaluate(0, "asymptotic", 1, None)
        # An exact test needs no variance, only clusters.
        if null == "exact" and native.n_clusters >= 2:
            native = replace(native, reason=None)
        found[label] = native
    asked = {
        label: sample
        for label, sample in samples.items()
        if found[label].reason is None and sample[0].any()
    }
    if not asked:
        return list(found.values())
    _refuse_wrong(asked, test, null)
    lengths = [len(x) for x, _ in asked.values()]
    answers = (run_embedded if engine == "rpy2" else run_in_rscript)(
        np.concatenate([x for x, _ in asked.values()]),
        np.concatenate([codes for _, codes in asked.values()]).astype(np.int32),
        np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        (test, null, alternative.replace("-", "."), int(n_resamples), seed_for_r(random_state)),
    )
    _check_answers(answers, {label: found[label] for label in asked})
    numbers = answers[["statistic", "variance", "z", "p"]].to_numpy(dtype=float).tolist()
    for (label, (x, _)), answer in zip(asked.items(), numbers, strict=True):
        statistic, variance, z, p = answer
        equal_ranks = np.isnan(p) and np.ptp(x[x != 0]) == 0
        found[label] = replace(
            found[label],
            reason=EQUAL_RANKS if equal_ranks else None,
            statistic=statistic,
            z=z,
            variance=variance,
            tails={alternative: p},
        )
    return list(found.values())


def _refuse_wrong(samples: Mapping[str, tuple[FloatArray, IntArray]], test: str, null: str) -> None:
    """Raise an error if clusrank would answer wrongly, or answer another question."""
    if test == "ds" and null == "permutation":
        raise EngineError(
            "null 'permutation' with test 'ds' is refused: clusrank flips the sign of each "
            "difference separately, as if there were no clusters; use engine 'native', which flips "
            "whole clusters"
        )
    for label, (x, codes) in samples.items() if null == "exact" else ():
        defect = exact_defect(x, codes)
        if defect:
            raise EngineError(
                f"null 'exact' of {label} is refused: {defect}, so that its p-value would be "
                "wrong; use engine 'native', which is exact for any sample"
            )


def _check_answers(answers: pd.DataFrame, asked: Mapping[str, Evaluation]) -> None:
    """Raise an error if a test failed in R or does not match the request."""
    for label, failure in zip(asked, answers["failure"], strict=False):
        if failure:
            raise EngineError(
                f"clusrank failed on {label}: {' '.join(failure.split())[:300]}; {NATIVE_OFFER}"
            )
    sizes = [[sample.n_observations, sample.n_clusters] for sample in asked.values()]
    if not np.array_equal(answers[["observations", "clusters"]], sizes):
        raise EngineError(
            "clusrank reports other numbers of observations or clusters than it was given: its "
            f"version is not supported; {NATIVE_OFFER}"
        )


def seed_for_r(random_state: RandomState) -> int:
    """Return a seed of 31 bits, which R accepts; a small integer stays the same.

    Examples
    --------
    >>> seed_for_r(7), seed_for_r(2**31 + 7)
    (7, 7)
    """
    if isinstance(random_state, int | np.integer):
        return int(random_state) % 2**31
    return int(np.random.default_rng(random_state).integers(2**31))


def exact_defect(x: FloatArray, codes: IntArray) -> str | None:
    """Return why clusrank's exact null distribution is wrong for these differences, or None.

    clusrank 1.0-4 counts the sign patterns of the clusters' rank sums in an array that holds sums
    up to j (j + 1) / 2 for the clusters with |rank sum| ≤ j, skips rank sums of 0 and 1, truncates
    halves and counts in 32-bit integers. Compared with full enumeration, no sample that passes
    this check was wrong.

    Examples
    --------
    >>> import numpy as np
    >>> exact_defect(np.array([0.1, -0.2, 0.3, 0.4]), np.array([0, 1, 0, 2]))
    >>> exact_defect(np.array([0.1, -0.2, 0.3, 0.4]), np.array([0, 1, 1, 2]))
    'a cluster has a rank sum of 1, and clusrank miscounts those between -1 and 1'
    >>> exact_defect(np.array([0.2, -0.2, 0.3, 0.4]), np.array([0, 1, 2, 2]))
    'a cluster has a rank sum of 1.5, and clusrank truncates the half'
    """
    ranks, counted = signed_ranks(x)
    present = codes[counted]
    rank_sums = np.bincount(present, weights=ranks[counted])[np.bincount(present) > 0]
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
        return f"a cluster has a rank sum of {broken[0]:g}, and clusrank truncates the half"
    up_to = np.cumsum(sizes)[np.searchsorted(sizes, sizes, side="right") - 1]
    crowded = sizes[up_to > sizes * (sizes + 1) / 2]
    if crowded.size:
        return (
            f"several clusters have rank sums of at most {crowded[0]:g} in size, more than "
            "clusrank can count"
        )
    return None
