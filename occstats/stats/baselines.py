"""What tests that do not know about clusters would have said."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from occstats.checks import check_choice
from occstats.stats.arrays import FloatArray, IntArray, as_scores, cluster_codes, round_to_grid
from occstats.stats.sign_flip import RandomState, repeatable
from occstats.stats.signed_rank import (
    ALTERNATIVES,
    Alternative,
    Evaluation,
    Null,
    check_choices_of_test,
    evaluate,
)
from occstats.stats.signed_rank_pairs import PairwiseTests, collect_pairs


def plain_wilcoxon_pairs(
    scores: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> PairwiseTests:
    r"""Wilcoxon's signed-rank test for every pair, as if all tasks were independent.

    The naive test, for comparison: where tasks of one data set resemble each other it rejects a
    true null hypothesis far too often. It is the clustered test with a cluster for each task, that
    is :math:`Z = \sum_t S_t / \sqrt{\sum_t S_t^2}` with signed midranks :math:`S_t` and zeros
    dropped: the usual correction for ties, no correction for continuity.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better. NaN marks a missing score; each pair uses the tasks both have.
    clusters : array_like of shape (n_tasks,)
        Used only to count clusters in the result.
    null, alternative, tie_tolerance, n_resamples, random_state
        As in :func:`clustered_wilcoxon`; ``"exact"`` is exact with ties and zeros, too.

    Returns
    -------
    PairwiseTests
        `n_clusters` counts the real clusters; `intraclass_correlation` is NaN.

    References
    ----------
    .. [1] F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1,
       80-83.

    Examples
    --------
    >>> from occstats.stats import plain_wilcoxon_pairs
    >>> scores = [[.9, .8], [.7, .5], [.9, .6], [.5, .6]]
    >>> tests = plain_wilcoxon_pairs(scores, [1, 1, 2, 2], tie_tolerance=1e-9)
    >>> round(float(tests.p[0, 1]), 4), int(tests.n_clusters[0, 1])
    (0.1975, 2)
    """

    def test(differences: FloatArray, codes: IntArray, seed: int) -> Evaluation:
        rounded = round_to_grid(differences, tie_tolerance)
        found = _without_clusters(rounded, null, n_resamples, seed)
        return replace(found, n_clusters=len(np.unique(codes[rounded != 0])))

    return _pairs(scores, clusters, test, null, alternative, n_resamples, random_state)


def cluster_means_pairs(
    scores: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> PairwiseTests:
    """Wilcoxon's signed-rank test for every pair on the mean difference in each cluster.

    Valid, since clusters are independent, but it throws away how many tasks a data set has and how
    they differ within it.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better. NaN marks a missing score; each pair uses the tasks both have.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (data set) of each task.
    null, alternative, tie_tolerance, n_resamples, random_state
        As in :func:`clustered_wilcoxon`; the means are rounded to `tie_tolerance`.

    Returns
    -------
    PairwiseTests
        `n_observations` and `n_clusters` both count the clusters whose mean difference is not
        zero; `intraclass_correlation` is NaN.

    Examples
    --------
    >>> from occstats.stats import cluster_means_pairs
    >>> scores = [[.9, .8], [.7, .5], [.9, .6], [.5, .6]]
    >>> tests = cluster_means_pairs(scores, ["a", "a", "b", "c"], tie_tolerance=1e-9)
    >>> round(float(tests.p[0, 1]), 4), int(tests.n_observations[0, 1])
    (0.285, 3)
    """

    def test(differences: FloatArray, codes: IntArray, seed: int) -> Evaluation:
        sizes = np.bincount(codes)
        sums = np.bincount(codes, weights=differences)
        means = round_to_grid(sums[sizes > 0] / sizes[sizes > 0], tie_tolerance)
        return _without_clusters(means, null, n_resamples, seed)

    return _pairs(scores, clusters, test, null, alternative, n_resamples, random_state)


def _without_clusters(x: FloatArray, null: str, n_resamples: int, seed: int) -> Evaluation:
    codes = np.arange(len(x))
    found = evaluate(x, codes, len(x), "rgl", null, n_resamples, seed)
    if found.reason is None:
        return found
    return replace(found, reason=f"{found.n_observations} difference(s) other than zero: too few")


def _pairs(
    scores: npt.ArrayLike,
    clusters: npt.ArrayLike,
    test: Callable[[FloatArray, IntArray, int], Evaluation],
    null: str,
    alternative: str,
    n_resamples: int,
    random_state: RandomState,
) -> PairwiseTests:
    table = as_scores("scores", scores, allow_nan=True)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choices_of_test("rgl", null, n_resamples)
    codes, _ = cluster_codes(clusters, len(table))
    seed = repeatable(random_state)

    def test_pair(a: int, b: int) -> Evaluation:
        differences = table[:, a] - table[:, b]
        both = ~np.isnan(differences)
        return test(differences[both], codes[both], seed)

    return collect_pairs(test_pair, table.shape[1], alternative)
