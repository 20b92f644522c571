"""Simultaneous tests of all pairs: equal to brute force, and to what the definition implies."""

import itertools

import numpy as np
import pytest

from occstats.stats import clustered_wilcoxon, max_t, pairwise_tests


def unbalanced(rng, n_clusters=7, k=3, effect=0.0):
    """Tasks of a data set have a common part, and data sets have different numbers of tasks."""
    sizes = rng.integers(1, 5, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    common = rng.normal(size=(n_clusters, k))
    scores = common[clusters] + rng.normal(size=(len(clusters), k))
    return np.round(scores + effect * np.arange(k), 1), clusters


def brute_force(scores, clusters, method):
    """Every flip of every data set, every pair, the test anew each time."""
    labels = np.unique(clusters)
    pairs = list(itertools.combinations(range(scores.shape[1]), 2))
    grid = np.round(scores * 10)

    def z(a, b, signs):
        difference = (grid[:, a] - grid[:, b]) * signs[np.searchsorted(labels, clusters)]
        found = clustered_wilcoxon(difference, clusters, test=method).zstatistic
        return np.inf if found is None or np.isnan(found) else abs(found)

    flips = [np.array(s) for s in itertools.product([1.0, -1.0], repeat=len(labels))]
    values = np.array([[z(a, b, signs) for a, b in pairs] for signs in flips])
    observed = values[0]
    order = np.argsort(-observed, kind="stable")
    p, before = np.full((3, 3), np.nan), 0.0
    for place, position in enumerate(order):
        rest = order[place:]
        reached = values[:, rest].max(axis=1) >= observed[position] - 1e-10
        before = max(before, reached.mean())
        a, b = pairs[position]
        p[a, b] = p[b, a] = before
    return p


@pytest.mark.parametrize("method", ["rgl", "ds"])
@pytest.mark.parametrize("seed", range(3))
def test_equals_brute_force_over_all_flips(method, seed):
    scores, clusters = unbalanced(np.random.default_rng(seed), effect=0.6)
    found = max_t(scores, clusters, test=method, tie_tolerance=1e-9)
    assert found.exact
    assert found.n_flips == 2**6
    np.testing.assert_allclose(found.p, brute_force(scores, clusters, method), rtol=1e-12)


def test_random_flips_estimate_what_all_flips_give():
    scores, clusters = unbalanced(np.random.default_rng(5), n_clusters=12, effect=0.3)
    every = max_t(scores, clusters, tie_tolerance=1e-9)
    some = max_t(scores, clusters, tie_tolerance=1e-9, n_resamples=2000, random_state=1)
    assert every.exact
    assert not some.exact
    upper = np.triu_indices(3, 1)
    # Five standard errors of a share among 2,000.
    error = 5 * np.sqrt(every.p[upper] * (1 - every.p[upper]) / 2000) + 1 / 2000
    assert (np.abs(some.p - every.p)[upper] <= error).all()
    again = max_t(scores, clusters, tie_tolerance=1e-9, n_resamples=2000, random_state=1)
    np.testing.assert_array_equal(some.p, again.p)


def test_with_two_algorithms_it_is_the_permutation_test():
    scores, clusters = unbalanced(np.random.default_rng(2), n_clusters=30, k=2, effect=0.4)
    options = {"tie_tolerance": 1e-9, "n_resamples": 999, "random_state": 0}
    alone = pairwise_tests(scores, clusters, null="permutation", **options)
    assert max_t(scores, clusters, **options).p[0, 1] == alone.p[0, 1]


def test_corrected_values_are_never_below_single_ones_and_follow_z():
    scores, clusters = unbalanced(np.random.default_rng(3), n_clusters=10, k=5, effect=0.3)
    found = max_t(scores, clusters, tie_tolerance=1e-9)
    upper = np.triu_indices(5, 1)
    for a, b in zip(*upper, strict=True):
        single = max_t(scores[:, [a, b]], clusters, tie_tolerance=1e-9).p[0, 1]
        assert found.p[a, b] >= single
    order = np.argsort(-np.abs(found.z[upper]))
    assert (np.diff(found.p[upper][order]) >= 0).all()
    np.testing.assert_array_equal(found.p, found.p.T)
    np.testing.assert_array_equal(found.z, -found.z.T)


def test_order_of_rows_and_columns_does_not_matter():
    rng = np.random.default_rng(4)
    scores, clusters = unbalanced(rng, n_clusters=40, k=4)
    options = {"tie_tolerance": 1e-9, "n_resamples": 500, "random_state": 0}
    found = max_t(scores, clusters, **options)
    rows, columns = rng.permutation(len(scores)), rng.permutation(4)
    moved = max_t(scores[rows][:, columns], clusters[rows], **options)
    np.testing.assert_array_equal(moved.p, found.p[np.ix_(columns, columns)])


def test_equal_algorithms_and_missing_scores():
    scores, clusters = unbalanced(np.random.default_rng(6), k=3)
    scores[:, 1] = scores[:, 0]
    scores[clusters > 0, 2] = np.nan
    found = max_t(scores, clusters, tie_tolerance=1e-9)
    assert found.p[0, 1] == 1
    assert np.isnan(found.p[0, 2])
    assert np.isnan(found.p[1, 2])


def test_few_data_sets_cannot_give_small_p_values():
    scores = np.arange(5)[:, None] * 0.0 + np.array([1.0, 2.0]) + np.arange(10).reshape(5, 2) ** 2
    found = max_t(scores, np.arange(5))
    assert found.smallest_p == found.p[0, 1] == 1 / 16


@pytest.mark.parametrize("n_clusters", [5, 9])
@pytest.mark.parametrize("n_resamples", [3, 40, 300, 2000])
@pytest.mark.parametrize("alpha", [0.004, 0.05, 0.3, 0.99])
def test_critical_values_conclude_what_p_values_conclude(n_clusters, n_resamples, alpha):
    scores, clusters = unbalanced(np.random.default_rng(3), n_clusters, k=4, effect=0.8)
    found = max_t(scores, clusters, n_resamples=n_resamples, alpha=alpha, random_state=1)
    assert (found.better(found.z) == ((found.p <= alpha) & (found.z > 0))).all()
