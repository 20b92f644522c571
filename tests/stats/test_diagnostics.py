"""Intraclass correlation, design effect and informative cluster size."""

import numpy as np
import pytest
from scipy import stats

from occstats.stats import cluster_diagnostics


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
    assert found.icc[0] == pytest.approx(rho)
    assert 0.9 < rho < corrected <= 1
    effective = 5 / (1 + 4 * corrected) + 1 + 1 + 2 / (1 + corrected)
    assert found.effective_tasks[0] == pytest.approx(effective)
    assert found.design_effect[0] == pytest.approx(9 / effective)


def test_informative_size():
    rng = np.random.default_rng(3)
    sizes = np.arange(1, 21)
    clusters = np.repeat(np.arange(20), sizes)
    x = 0.1 * sizes[clusters] + rng.normal(size=len(clusters))
    scores = np.column_stack([x, np.zeros(len(x))])
    found = cluster_diagnostics(scores, clusters)
    means = [x[clusters == i].mean() for i in range(20)]
    expected = stats.spearmanr(sizes, means)
    assert found.size_correlation[0] == pytest.approx(expected.statistic)
    assert found.size_p[0] == pytest.approx(expected.pvalue)
    assert expected.pvalue < 0.001


def test_nothing_to_estimate():
    scores = np.random.default_rng(4).normal(size=(6, 2))
    single = cluster_diagnostics(scores, np.arange(6))
    assert np.isnan(single.icc[0])
    assert single.design_effect[0] == 1
    assert single.effective_tasks[0] == 6
    assert cluster_diagnostics(scores[:, :1], np.arange(6)).shape == (0, 6)
    equal = cluster_diagnostics(np.ones((6, 2)), [1, 1, 2, 2, 3, 3])
    assert np.isnan(equal.icc_differences[0])
    assert np.isnan(equal.design_effect[0])
    constant = cluster_diagnostics(
        np.column_stack([np.arange(6) / 10 + 0.1, np.arange(6) / 10]),
        [1, 1, 2, 2, 3, 4],
        tie_tolerance=1e-9,
    )
    assert np.isnan(constant.icc_differences[0])
