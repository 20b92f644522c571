"""The clustered signed-rank tests of R's package clusrank, embedded by rpy2 or run by Rscript.

The native engine is the default and needs no R; this one calls the reference implementation. The R
side is ``R/clusrank_bridge.R``; all tests of a comparison are one call of R.

Differences of clusrank 1.0-4 from the native engine, and how they are handled:

* ``ds`` reads the rows as if they were sorted by cluster: they are sorted before the call.
* ``exact`` and ``permutation`` stop with an error if a difference is zero: zeros are dropped
  before the call, as the test drops them anyway.
* The p-value ``greater`` of ``exact`` and ``permutation`` is P(T* > T), so that it is 0 for the
  most extreme sample: ``less`` of the mirrored differences is asked for instead, P(T* ≥ T).
* ``exact`` is wrong for many samples, without a warning: those are refused, see
  :func:`occstats.backends.r_vectors.exact_defect`.
* ``permutation`` with ``rgl`` flips whole clusters, but its statistic is the plain sum of signed
  ranks (the native engine's is Z), and its p-value is (b + 1/2) / (B + 1) (natively
  (b + 1) / (B + 1)): the two engines answer slightly different questions.
* ``permutation`` with ``ds`` flips each difference on its own, as if there were no clusters:
  refused.
* It has no test where all signed ranks are equal and clusters differ in size: natively the
  intraclass correlation is 1 there, and ``reasons`` say that clusrank differs.
* It drops infinite differences, which stand for failures: they become the largest finite ones.
* It does not report the intraclass correlation: that number is the native one.
"""

from collections.abc import Sequence
from itertools import permutations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from occstats._checks import check_choice
from occstats.backends import EngineRun
from occstats.backends.embedded_r import require_embedded, run_embedded
from occstats.backends.r_vectors import Samples, evaluate_in_r, seed_for_r
from occstats.backends.rscript import require_r, run_in_rscript
from occstats.stats._arrays import as_vector, cluster_codes, round_to_grid
from occstats.stats.sample import Sample
from occstats.stats.signed_rank.all_pairs import PairwiseTests, collect_pairs
from occstats.stats.signed_rank.interface import Evaluation
from occstats.stats.signed_rank.methods import check_test
from occstats.stats.signed_rank.null import RandomState
from occstats.stats.signed_rank.one_pair import (
    TESTS_IN_R,
    Alternative,
    ClusteredWilcoxonResult,
    Null,
    TestName,
    as_result,
)

__all__ = ["clusrank_pairs", "clusrank_test", "engine_versions", "run"]

Way = Literal["rpy2", "rscript"]


def clusrank_test(
    x: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    mu: float = 0.0,
    test: TestName = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
    through: Way = "rpy2",
) -> ClusteredWilcoxonResult:
    """Test one sample of clustered differences with R's ``clusrank::clusWilcox.test``.

    Parameters
    ----------
    x, clusters, mu, test, null, alternative, tie_tolerance, n_resamples, random_state
        As for :func:`occstats.stats.clustered_wilcoxon`; the seed is set in R.
    through : {"rpy2", "rscript"}
        R embedded in this process, or a process of its own.

    Returns
    -------
    ClusteredWilcoxonResult
        Results of clusrank. The intraclass correlation, and the reason where there is no test,
        are native. `zstatistic` and `variance` are NaN for
        the nulls ``"exact"`` and ``"permutation"``, for which clusrank reports neither.

    Raises
    ------
    EngineError
        R, rpy2 or clusrank is missing or fails, or clusrank would give a wrong answer.

    References
    ----------
    .. [1] Y. Jiang, M.-L. T. Lee, X. He, B. Rosner, J. Yan (2020). Wilcoxon rank-based tests for
       clustered data with R package clusrank. Journal of Statistical Software 96(6).

    Examples
    --------
    >>> differences = [0.02, 0.05, 0.01, -0.01, 0.03, 0.04, 0.06, -0.02]
    >>> dataset = ["wine", "wine", "wine", "iris", "iris", "ecoli", "ecoli", "ecoli"]
    >>> clusrank_test(differences, dataset, alternative="greater").pvalue  # doctest: +SKIP
    0.0556...
    """
    values = as_vector("x", x) - float(mu)
    codes, _ = cluster_codes(clusters, len(values))
    sample = (round_to_grid(values, tie_tolerance), codes)
    found = _run({"the test": sample}, test, null, alternative, n_resamples, random_state, through)
    return as_result(found["the test"], test=test, null=null, alternative=alternative)


def clusrank_pairs(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    mu: float = 0.0,
    test: TestName = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
    through: Way = "rpy2",
    names: Sequence[str] | None = None,
) -> PairwiseTests:
    """Test all ordered pairs of columns with clusrank, in one call of R.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better; NaN marks a missing score, and each pair uses the tasks both have.
    clusters, mu, test, null, alternative, tie_tolerance, n_resamples, random_state, through
        As for :func:`clusrank_test`; every pair starts from the same seed.
    names : sequence of str, optional
        Of the columns, for messages; all different.

    Returns
    -------
    PairwiseTests
        As from the native engine.

    Raises
    ------
    EngineError
        As for :func:`clusrank_test`; an error in a single pair refuses them all.

    Examples
    --------
    >>> scores = [[.9, .8, .7], [.8, .9, .6], [.7, .5, .6], [.9, .8, .8], [.6, .5, .2]]
    >>> clusrank_pairs(scores, [1, 1, 2, 2, 3]).p[0, 1]  # doctest: +SKIP
    0.2059...
    """
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k = sample.n_algorithms
    columns = names or [f"column {i}" for i in range(k)]
    samples: Samples = {}
    for a, b in permutations(range(k), 2):
        differences = sample.pair_differences(np.array([a]), np.array([b]))[:, 0]
        both = ~np.isnan(differences)
        rounded = round_to_grid(differences[both] - mu, sample.tie_tolerance)
        largest = 2 * np.abs(rounded[np.isfinite(rounded)]).max(initial=1.0)
        rounded = np.clip(rounded, -largest, largest)
        label = f"{columns[a]} against {columns[b]}"
        # Names may contain the word.
        label += f" (columns {a} and {b})" * (label in samples)
        samples[label] = (rounded, sample.clusters.independent.codes[both])
    found = _run(samples, test, null, alternative, n_resamples, random_state, through)
    by_pair = dict(zip(permutations(range(k), 2), found.values(), strict=True))
    return collect_pairs(lambda a, b: by_pair[a, b], k, alternative, mirrored=False)


def engine_versions(through: Way) -> dict[str, str]:
    """Return the engine and the versions of its parts, for the record of a comparison.

    Examples
    --------
    >>> engine_versions("rpy2")  # doctest: +SKIP
    {'engine': 'clusrank', 'R': '4.2.2', 'clusrank': '1.0.4', 'rpy2': '3.6.5'}
    """
    if through == "rscript":
        found = require_r("rscript")
        return {"engine": "rscript", "R": found.version, "clusrank": found.clusrank}
    embedded = require_embedded()
    return {
        "engine": "clusrank",
        "R": embedded.r_version,
        "clusrank": embedded.clusrank,
        "rpy2": embedded.version,
    }


def _run(
    samples: Samples,
    test: str,
    null: str,
    alternative: str,
    n_resamples: int,
    random_state: RandomState,
    through: str,
) -> dict[str, Evaluation]:
    check_choice("test", test, TESTS_IN_R)
    check_choice("through", through, ("rpy2", "rscript"))
    check_test(test, null, alternative, n_resamples)
    if through == "rpy2":
        require_embedded()
    else:
        require_r("rscript")
    return evaluate_in_r(
        samples,
        run_embedded if through == "rpy2" else run_in_rscript,
        method=test,
        null=null,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed_for_r(random_state),
    )


def run(
    key: str, sample: Sample, test: Any, options: dict[str, Any], names: Sequence[str] | None
) -> EngineRun:
    """Test all pairs in clusrank, embedded or by Rscript as the engine's key says."""
    through: Way = "rscript" if key == "rscript" else "rpy2"
    tests = clusrank_pairs(sample, test=test, through=through, names=names, **options)
    return EngineRun(tests, dict(engine_versions(through)))
