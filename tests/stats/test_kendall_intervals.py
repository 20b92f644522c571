"""Intervals of τ: from τ without each dataset, whichever way that is computed."""

import numpy as np
import pytest

from occstats.stats import kendall_intervals
from occstats.stats.clusters import Clusters
from occstats.stats.jackknife import arcsine_limits
from occstats.stats.kendall import kendall_matrix
from occstats.stats.kendall import kendall_jackknife
from occstats.stats._arrays import upper_pairs

WEIGHTINGS = ["product", "sum", "plain"]


def example(seed=0):
    rng = np.random.default_rng(seed)
    clusters = np.array([f"d{i:02}" for i in rng.integers(12, size=50)])
    easy = rng.uniform(size=(50, 1))
    return (easy + 0.3 * rng.normal(size=(50, 4))).round(1), clusters


def by_definition(scores, clusters, weighting, pair):
    """τ of the tasks that are left, for each dataset left out, and the limits from these."""
    known = ~np.isnan(scores[:, pair]).any(axis=1)
    x, names = scores[known][:, pair], clusters[known]
    grouping = Clusters.of(clusters)
    options = {"weighting": weighting, "tie_tolerance": 1e-9}
    left_out = np.zeros((grouping.n_clusters, 1))
    counts = np.zeros((grouping.n_clusters, 1))
    weights = np.array([1 / np.sum(names == name) for name in names])
    weight = {
        "product": np.outer(weights, weights),
        "sum": np.add.outer(weights, weights),
        "plain": np.ones((len(x), len(x))),
    }[weighting]
    for position, name in enumerate(np.unique(clusters)):
        rest = names != name
        left_out[position] = kendall_matrix(x[rest], names[rest], **options)[0, 1]
        counts[position] = weight[~rest].sum()
    estimate = kendall_matrix(x, names, **options)[[0], [1]]
    return estimate, arcsine_limits(estimate, left_out, counts, 0.9).ravel()


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("missing", [True, False])
def test_limits_rest_on_tau_without_each_dataset(weighting, at_once, missing, monkeypatch):
    if not at_once:
        monkeypatch.setattr(kendall_intervals, "MOST_ELEMENTS", 0)
    scores, clusters = example(1)
    if missing:
        scores[:6, 1] = scores[4:12, 2] = np.nan
        scores[clusters == "d03", 3] = np.nan  # a whole dataset
    found = kendall_jackknife(
        scores, clusters, weighting=weighting, tie_tolerance=1e-9, confidence=0.9
    )
    for a, b in zip(*upper_pairs(4), strict=True):
        estimate, limits = by_definition(scores, clusters, weighting, [a, b])
        assert found.estimate[a, b] == pytest.approx(estimate[0], abs=1e-12)
        # Sums of weights less others of their size: a few units of the last digit.
        assert [found.low[a, b], found.high[a, b]] == pytest.approx(limits, abs=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_symmetry_order_and_range(weighting):
    scores, clusters = example(3)
    options = {"weighting": weighting, "tie_tolerance": 1e-9}
    found = kendall_jackknife(scores, clusters, **options)
    assert found.low == pytest.approx(found.low.T)
    assert (found.low <= found.estimate + 1e-12).all()
    assert (found.high >= found.estimate - 1e-12).all()
    assert (np.abs(found.low) <= 1).all()
    columns, rows = [1, 3, 0, 2], np.random.default_rng(0).permutation(50)
    again = kendall_jackknife(scores[rows][:, columns], clusters[rows], **options)
    assert again.high == pytest.approx(found.high[np.ix_(columns, columns)])


def test_monotone_changes_of_a_score_do_not_matter():
    scores, clusters = example(4)
    bent = scores.copy()
    bent[:, 1] = np.exp(3 * bent[:, 1])
    one, two = kendall_jackknife(scores, clusters), kendall_jackknife(bent, clusters)
    assert one.low == pytest.approx(two.low)


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


@pytest.mark.parametrize("at_once", [True, False])
def test_tau_that_rests_on_one_dataset_has_no_limits(at_once, monkeypatch):
    """Without it nothing varies, and rounding must not be taken for something that does."""
    if not at_once:
        monkeypatch.setattr(kendall_intervals, "MOST_ELEMENTS", 0)
    x = np.array([0.3, 0.1, 0.5, 0.5, 0.5, 0.5, 0.5])
    scores = np.column_stack([x, np.arange(7.0)])
    found = kendall_jackknife(scores, list("aaabbcc"), tie_tolerance=1e-9)
    assert np.isfinite(found.estimate[0, 1])
    assert np.isnan(found.low[0, 1])
