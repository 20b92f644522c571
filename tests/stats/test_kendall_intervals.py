"""Intervals of τ: the same τ as elsewhere, resampled exactly."""

import numpy as np
import pytest

from occstats.stats import kendall_intervals
from occstats.stats.bootstrap import resample_counts
from occstats.stats.clusters import Clusters
from occstats.stats.kendall import kendall_matrix
from occstats.stats.kendall_intervals import concordance_forms, kendall_bootstrap


def example(seed=0):
    rng = np.random.default_rng(seed)
    clusters = np.array([f"d{i:02}" for i in rng.integers(12, size=50)])
    easy = rng.uniform(size=(50, 1))
    return (easy + 0.3 * rng.normal(size=(50, 4))).round(1), clusters


@pytest.mark.parametrize("weighting", ["product", "sum", "plain"])
def test_estimate_is_the_weighted_tau(weighting):
    scores, clusters = example()
    found = kendall_bootstrap(
        scores, clusters, weighting=weighting, tie_tolerance=1e-9, n_resamples=50, random_state=0
    )
    expected = kendall_matrix(scores, clusters, weighting=weighting, tie_tolerance=1e-9)
    assert found.estimate == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weighting", ["product", "plain"])
def test_missing_tasks_are_left_out_of_their_pairs(weighting):
    scores, clusters = example(1)
    scores[:6, 1] = scores[4:12, 2] = np.nan
    found = kendall_bootstrap(
        scores, clusters, weighting=weighting, tie_tolerance=1e-9, n_resamples=50, random_state=0
    )
    expected = kendall_matrix(scores, clusters, weighting=weighting, tie_tolerance=1e-9)
    assert found.estimate == pytest.approx(expected, abs=1e-12)
    assert (found.low <= found.high).all()


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("held", [10, 1_000_000])
def test_a_resample_is_tau_with_the_tasks_repeated(dense, held, monkeypatch):
    monkeypatch.setattr(kendall_intervals, "is_dense", lambda grouping: dense)
    monkeypatch.setattr(kendall_intervals, "BLOCK_ELEMENTS", held)
    scores, clusters = example(2)
    grouping = Clusters.of(clusters)
    form, first, second = concordance_forms(scores, grouping, "product")
    counts = resample_counts(grouping.n_clusters, 5, random_state=0)
    values = form(counts)
    tau = values[:, : len(first)] / np.sqrt(values[:, first] * values[:, second])
    for row, taus in zip(counts, tau, strict=True):
        x, y = scores[:, 0], scores[:, 1]
        weight = (row / grouping.sizes)[grouping.codes]
        sign = np.sign(np.subtract.outer(x, x)), np.sign(np.subtract.outer(y, y))
        product = np.outer(weight, weight)
        expected = np.sum(product * sign[0] * sign[1]) / np.sqrt(
            np.sum(product * sign[0] ** 2) * np.sum(product * sign[1] ** 2)
        )
        assert taus[0] == pytest.approx(expected)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_symmetry_order_and_range(method):
    scores, clusters = example(3)
    options = {"method": method, "tie_tolerance": 1e-9, "n_resamples": 300, "random_state": 2}
    found = kendall_bootstrap(scores, clusters, **options)
    assert found.low == pytest.approx(found.low.T)
    assert (found.low <= found.estimate + 1e-12).all()
    assert (found.high >= found.estimate - 1e-12).all()
    assert (np.abs(found.low) <= 1).all()
    columns, rows = [1, 3, 0, 2], np.random.default_rng(0).permutation(50)
    again = kendall_bootstrap(scores[rows][:, columns], clusters[rows], **options)
    assert again.high == pytest.approx(found.high[np.ix_(columns, columns)])


def test_monotone_changes_of_a_score_do_not_matter():
    scores, clusters = example(4)
    bent = scores.copy()
    bent[:, 1] = np.exp(3 * bent[:, 1])
    one = kendall_bootstrap(scores, clusters, n_resamples=200, random_state=0)
    two = kendall_bootstrap(bent, clusters, n_resamples=200, random_state=0)
    assert one.low == pytest.approx(two.low)


def test_identical_constant_and_single():
    same = np.repeat(np.arange(8.0)[:, None], 2, axis=1)
    found = kendall_bootstrap(same, np.arange(8) // 2, n_resamples=100, random_state=0)
    assert (found.estimate[0, 1], found.low[0, 1], found.high[0, 1]) == pytest.approx((1, 1, 1))
    constant = np.column_stack([np.arange(8.0), np.ones(8)])
    assert np.isnan(kendall_bootstrap(constant, np.arange(8), n_resamples=20).estimate[0, 1])
    single = kendall_bootstrap(same, np.zeros(8), n_resamples=20)
    assert single.estimate[0, 1] == pytest.approx(1)
    assert np.isnan(single.low[0, 1])
