"""Intraclass correlation, design effect and informative cluster size."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from occstats import load_results
from occstats.stats import cluster_diagnostics, diagnostics, pairwise_tests, typical_tests
from occstats.stats.signed_rank import rosner_glynn_lee
from occstats.stats.signed_rank.rosner_glynn_lee import size_inflation


def simulate(rho, n_clusters=400, seed=0):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), rng.integers(1, 8, n_clusters))
    effect = rng.normal(size=n_clusters)[clusters]
    x = np.sqrt(rho) * effect + np.sqrt(1 - rho) * rng.normal(size=len(clusters))
    return np.column_stack([x, np.zeros(len(x))]), clusters


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.7])
def test_recovers_the_intraclass_correlation(rho):
    scores, clusters = simulate(rho)
    found = cluster_diagnostics(scores, clusters)
    assert found.intraclass_correlation_differences[0, 1] == pytest.approx(rho, abs=0.06)
    assert found.intraclass_correlation[0, 1] == pytest.approx(rho, abs=0.08)


def test_effective_tasks_worked_by_hand():
    # Signed ranks 1 2 3 4 | -5 | 6 | 7 8 in four clusters, and a task on which both score the same.
    ranks = np.array([1, 2, 3, 4, -5, 6, 7, 8, 0])
    clusters = np.array([0, 0, 0, 0, 1, 2, 3, 3, 0])
    found = cluster_diagnostics(np.column_stack([ranks, np.zeros(9)]), clusters)
    # N = 8, Σ R = 26, Σ R² = 204, Σ (Σ R)²/g = 25 + 25 + 36 + 112.5 = 198.5, Σ g² = 22.
    between, within = (198.5 - 26**2 / 8) / 3, (204 - 198.5) / 4
    spread = (between - within) / ((8 - 22 / 8) / 3)
    rho = spread / (spread + within)
    corrected = min(1, rho * (1 + (1 - rho**2) / 1.5))
    assert found.intraclass_correlation[0, 1] == pytest.approx(rho)
    assert 0.9 < rho < corrected <= 1
    effective = 5 / (1 + 4 * corrected) + 1 + 1 + 2 / (1 + corrected)
    assert found.effective_tasks[0, 1] == pytest.approx(effective)
    assert found.design_effect[0, 1] == pytest.approx(9 / effective)
    assert found.n_tasks[0, 1] == 9
    assert found.n_clusters[0, 1] == 4


def test_effective_tasks_use_the_weights_of_the_test():
    scores, clusters = simulate(0.3, n_clusters=30)
    found = cluster_diagnostics(scores, clusters)
    sizes = np.bincount(clusters).astype(float)
    inflation = size_inflation(found.intraclass_correlation[0, 1], sizes, np.array(30.0))
    assert found.effective_tasks[0, 1] == pytest.approx((sizes / inflation).sum())
    assert 30 < found.effective_tasks[0, 1] < len(clusters)


@pytest.mark.parametrize(("pair", "effective"), [(("ALP", "IF"), 69.4), (("ALP", "SVM"), 99.8)])
def test_effective_tasks_of_the_paper(pair, effective):
    results = load_results("lenz2021")
    found = cluster_diagnostics(
        results.scores[list(pair)].to_numpy(),
        results.scores.index.get_level_values(0),
        tie_tolerance=1e-9,
    )
    assert found.effective_tasks[0, 1] == pytest.approx(effective, abs=0.05)


def test_effective_tasks_are_at_least_the_clusters_that_differ():
    rng = np.random.default_rng(5)
    for m in (2, 3, 6):
        clusters = np.repeat(np.arange(m), rng.integers(1, 6, m))
        effect = 5 * rng.normal(size=m)[clusters]
        scores = np.column_stack([effect + rng.normal(size=len(clusters)), np.zeros(len(clusters))])
        found = cluster_diagnostics(scores, clusters).effective_tasks[0, 1]
        assert np.isnan(found) or m <= found <= len(clusters)


def test_equal_sizes_give_the_usual_design_effect():
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(20), 5)
    scores = rng.normal(size=(100, 2)) + rng.normal(size=(20, 2))[clusters]
    found = cluster_diagnostics(scores, clusters)
    rho = found.intraclass_correlation[0, 1]
    assert rho > 0.1
    assert found.design_effect[0, 1] == pytest.approx(1 + 4 * rho * (1 + (1 - rho**2) / 17.5))
    assert np.isnan(found.size_correlation[0, 1])  # sizes do not vary


def test_agrees_with_the_test():
    rng = np.random.default_rng(2)
    clusters = rng.integers(0, 8, 40)
    scores = rng.uniform(size=(40, 3)).round(1)
    scores[4, 0] = np.nan
    found = cluster_diagnostics(scores, clusters, tie_tolerance=1e-9)
    tests = pairwise_tests(scores, clusters, tie_tolerance=1e-9)
    np.testing.assert_allclose(found.intraclass_correlation, tests.intraclass_correlation)
    assert found.n_tasks[0, 1] == 39
    assert found.n_tasks[1, 2] == 40


def test_all_weights_come_from_one_function(monkeypatch):
    # With one observation per cluster in place of it, everything follows the mean signed ranks.
    for module in (diagnostics, rosner_glynn_lee):
        monkeypatch.setattr(module, "size_inflation", lambda rho, sizes, m: sizes + 0 * rho)
    clusters = np.repeat(np.arange(6), [1, 2, 5, 1, 3, 2])
    x = np.array([4.0, -1, 2, 7, -3, 5, 11, 6, -8, 9, 10, 13, -12, 14])
    scores = np.column_stack([x, np.zeros(len(x))])

    def z(x):
        ranks = np.sign(x) * stats.rankdata(np.abs(x))
        means = np.array([ranks[clusters == cluster].mean() for cluster in range(6)])
        return means.sum() / np.sqrt((means**2).sum())

    assert pairwise_tests(scores, clusters).z[0, 1] == pytest.approx(z(x))
    found = typical_tests(scores, clusters)
    flips = [z(x * np.array(signs)[clusters]) for signs in product((1, -1), repeat=6)]
    assert found.p[0, 1] >= np.mean(np.abs(flips) >= abs(z(x)) - 1e-10)
    single = typical_tests(scores, clusters, shifts=False)
    assert single.p[0, 1] == np.mean(np.abs(flips) >= abs(z(x)) - 1e-10)
    shift = found.difference[0, 1]
    assert z(x - shift + 0.01) > 0 > z(x - shift - 0.01)
    assert cluster_diagnostics(scores, clusters).effective_tasks[0, 1] == 6


def test_informative_size():
    rng = np.random.default_rng(3)
    sizes = np.arange(1, 21)
    clusters = np.repeat(np.arange(20), sizes)
    x = 0.1 * sizes[clusters] + rng.normal(size=len(clusters))
    scores = np.column_stack([x, np.zeros(len(x))])
    found = cluster_diagnostics(scores, clusters)
    means = [x[clusters == i].mean() for i in range(20)]
    expected = stats.spearmanr(sizes, means)
    assert found.size_correlation[0, 1] == pytest.approx(expected.statistic)
    assert found.size_correlation[1, 0] == pytest.approx(-expected.statistic)
    assert found.size_p[0, 1] == found.size_p[1, 0] == pytest.approx(expected.pvalue)
    assert expected.pvalue < 0.001


def test_nothing_to_estimate():
    scores = np.random.default_rng(4).normal(size=(6, 2))
    single = cluster_diagnostics(scores, np.arange(6))
    assert np.isnan(single.intraclass_correlation[0, 1])
    assert single.design_effect[0, 1] == 1
    assert single.effective_tasks[0, 1] == 6
    equal = cluster_diagnostics(np.ones((6, 2)), [1, 1, 2, 2, 3, 3])
    assert np.isnan(equal.intraclass_correlation_differences[0, 1])
    assert np.isnan(equal.design_effect[0, 1])
    constant = cluster_diagnostics(
        np.column_stack([np.arange(6) / 10 + 0.1, np.arange(6) / 10]),
        [1, 1, 2, 2, 3, 4],
        tie_tolerance=1e-9,
    )
    assert np.isnan(constant.intraclass_correlation_differences[0, 1])
