"""Weighted Kendall's τ by its definition, in its special cases, and on the paper's table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from occstats.stats import cluster_weights, kendall, kendall_jackknife, kendall_matrix
from occstats.stats._arrays import upper_pairs
from occstats.stats.clusters import Clusters
from occstats.stats.jackknife import arcsine_limits


def kendall_tau(x, y, clusters=None):
    return kendall_matrix(np.column_stack([x, y]), clusters)[0, 1]


def by_definition(x, y, weights):
    """Vigna's τ: inner products of signs over all pairs, ties as in τ-b."""
    pair = np.multiply.outer(weights, weights)
    upper = np.triu_indices(len(x), 1)
    sign_x = np.sign(x[:, None] - x[None, :])[upper]
    sign_y = np.sign(y[:, None] - y[None, :])[upper]
    mass = pair[upper]
    return (sign_x * sign_y * mass).sum() / np.sqrt(
        (sign_x**2 * mass).sum() * (sign_y**2 * mass).sum()
    )


@st.composite
def samples(draw):
    n = draw(st.integers(2, 20))
    column = st.lists(st.integers(0, 5), min_size=n, max_size=n)
    x, y = np.array(draw(column), dtype=float), np.array(draw(column), dtype=float)
    clusters = np.array(draw(st.lists(st.sampled_from("abcd"), min_size=n, max_size=n)))
    return x, y, clusters


@settings(max_examples=80, deadline=None)
@given(samples(), st.booleans())
def test_is_its_definition_with_ties(sample, sorting):
    x, y, clusters = sample
    with pytest.MonkeyPatch.context() as patch:
        if sorting:
            patch.setattr(kendall, "_MOST_SIGNS", 0)
        tau = kendall_tau(x, y, clusters)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert np.isnan(tau)
        return
    expected = by_definition(x, y, cluster_weights(clusters))
    assert tau == pytest.approx(expected, abs=1e-12)


def test_tasks_of_equal_weight_have_scipys_tau():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 6, (2, 50)).astype(float)
    expected = stats.kendalltau(x, y).statistic
    assert kendall_tau(x, y) == pytest.approx(expected, abs=1e-14)
    assert kendall_tau(x, y, np.arange(50)) == pytest.approx(expected, abs=1e-14)


def test_no_order_of_summation_changes_a_bit():
    rng = np.random.default_rng(3)
    scores, clusters = rng.normal(size=(200, 7)).round(1), rng.integers(30, size=200)
    tau = kendall_matrix(scores, clusters)
    np.testing.assert_array_equal(tau, tau.T)
    order = rng.permutation(200)
    shuffled = kendall_matrix(scores[order], clusters[order])
    np.testing.assert_array_equal(shuffled, tau)


def test_not_defined():
    tau = kendall_matrix([[1, 2], [1, 3]], [1, 2])
    assert np.isnan(tau[0, 0])
    assert np.isnan(tau[0, 1])
    assert tau[1, 1] == 1
    assert np.isnan(kendall_tau([1, np.nan], [1, 2], ["a", "b"]))


# Intervals


def example(seed=0):
    rng = np.random.default_rng(seed)
    clusters = np.array([f"d{i:02}" for i in rng.integers(12, size=50)])
    easy = rng.uniform(size=(50, 1))
    return (easy + 0.3 * rng.normal(size=(50, 4))).round(1), clusters


def jackknife_by_definition(scores, clusters, pair):
    """τ of the tasks that are left, for each dataset left out, and the limits from these."""
    known = ~np.isnan(scores[:, pair]).any(axis=1)
    x, names = scores[known][:, pair], clusters[known]
    grouping = Clusters.of(clusters)
    left_out = np.zeros((grouping.n_clusters, 1))
    counts = np.zeros((grouping.n_clusters, 1))
    for position, name in enumerate(np.unique(clusters)):
        rest = names != name
        left_out[position] = kendall_matrix(x[rest], names[rest], tie_tolerance=1e-9)[0, 1]
        counts[position] = float(not rest.all())
    estimate = kendall_matrix(x, names, tie_tolerance=1e-9)[[0], [1]]
    return estimate, arcsine_limits(estimate, left_out, counts, 0.9).ravel()


@pytest.mark.parametrize("missing", [True, False])
def test_limits_are_by_the_jackknife(missing):
    scores, clusters = example(1)
    if missing:
        scores[:6, 1] = scores[4:12, 2] = np.nan
        scores[clusters == "d03", 3] = np.nan  # a whole dataset
    found = kendall_jackknife(scores, clusters, tie_tolerance=1e-9, confidence=0.9)
    for a, b in zip(*upper_pairs(4), strict=True):
        estimate, limits = jackknife_by_definition(scores, clusters, [a, b])
        assert found.estimate[a, b] == pytest.approx(estimate[0], abs=1e-12)
        # Sums of weights less others of their size: a few units of the last digit.
        assert [found.low[a, b], found.high[a, b]] == pytest.approx(limits, abs=1e-12)


def test_identical_constant_and_single():
    same = np.repeat(np.arange(8.0)[:, None], 2, axis=1)
    found = kendall_jackknife(same, np.arange(8) // 2)
    # Where nothing varies, Wilson's limit of a share of 1 among four datasets: 4 / (4 + z²).
    low = 2 * 4 / (4 + 1.959964**2) - 1
    assert (found.estimate[0, 1], found.low[0, 1], found.high[0, 1]) == pytest.approx((1, low, 1))
    constant = np.column_stack([np.arange(8.0), np.ones(8)])
    assert np.isnan(kendall_jackknife(constant, np.arange(8)).estimate[0, 1])
    single = kendall_jackknife(same, np.zeros(8))
    assert single.estimate[0, 1] == pytest.approx(1)
    assert np.isnan(single.low[0, 1])


def test_tau_of_a_single_varying_dataset_has_no_limits():
    # Without it nothing varies but for rounding.
    x = np.array([0.3, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5])
    scores = np.column_stack([x, np.arange(7.0)])
    found = kendall_jackknife(scores, list("aaabbcc"), tie_tolerance=1e-9)
    assert np.isfinite(found.estimate[0, 1])
    assert np.isnan(found.low[0, 1])
