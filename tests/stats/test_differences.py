"""Mean differences of all pairs at once: limits, posterior, equivalence."""

import numpy as np
import pytest
from scipy import stats

from occstats.stats import (
    bootstrap_means,
    clustered_wilcoxon,
    difference_posterior,
    equivalence,
    max_t,
    simultaneous_intervals,
)
from occstats.stats.simultaneous import step_down


def sample(seed=0, n_clusters=15, k=4, effect=0.0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    scores = rng.normal(size=(n_clusters, k))[clusters] + rng.normal(size=(len(clusters), k))
    return scores + effect * np.arange(k), clusters


def cluster_means(x, clusters):
    return np.array([x[clusters == c].mean(axis=0) for c in np.unique(clusters)])


def test_simultaneous_limits_are_the_quantile_of_the_largest_t():
    scores, clusters = sample()
    found = simultaneous_intervals(scores, clusters, n_resamples=400, random_state=3)
    means = cluster_means(scores, clusters)
    first, second = np.triu_indices(4, 1)
    x = means[:, first] - means[:, second]
    m = len(x)
    # The resamples of the package, with everything else from numpy and scipy.
    from occstats.stats.bootstrap import resample_counts

    largest = []
    for counts in resample_counts(m, 400, 3):
        drawn = np.repeat(x, counts.astype(int), axis=0)
        largest.append(np.abs((drawn.mean(axis=0) - x.mean(axis=0)) / stats.sem(drawn)).max())
    half = np.quantile(largest, 0.95) * stats.sem(x)
    np.testing.assert_allclose(found.estimate[first, second], x.mean(axis=0))
    np.testing.assert_allclose(found.low[first, second], x.mean(axis=0) - half)
    np.testing.assert_allclose(found.high[first, second], x.mean(axis=0) + half)
    np.testing.assert_allclose(found.low, -found.high.T)


def test_one_pair_has_the_studentised_interval_and_few_data_sets_bonferroni():
    scores, clusters = sample(k=2)
    one = simultaneous_intervals(scores, clusters, n_resamples=300, random_state=0)
    alone = bootstrap_means(scores[:, [0]] - scores[:, [1]], clusters, method="studentised",
                            n_resamples=300, random_state=0)  # fmt: skip
    assert (one.low[0, 1], one.high[0, 1]) == pytest.approx((alone.low[0], alone.high[0]))
    scores, clusters = sample(n_clusters=5, k=3)
    few = simultaneous_intervals(scores, clusters, n_resamples=300, random_state=0)
    x = cluster_means(scores[:, 0] - scores[:, 1], clusters)
    half = stats.t.ppf(1 - 0.025 / 3, 4) * stats.sem(x)
    assert few.high[0, 1] == pytest.approx(x.mean() + half)


def test_a_control_has_fewer_pairs_and_narrower_limits():
    scores, clusters = sample()
    everything = simultaneous_intervals(scores, clusters, n_resamples=500, random_state=0)
    control = simultaneous_intervals(scores, clusters, control=1, n_resamples=500, random_state=0)
    assert np.isnan(control.low[0, 2])
    assert control.high[1, 2] - control.low[1, 2] < everything.high[1, 2] - everything.low[1, 2]


def test_posterior_of_the_difference_is_the_bayesian_bootstrap():
    scores, clusters = sample(k=2, effect=0.3)
    found = difference_posterior(scores, clusters, rope=0.1, n_resamples=20_000, random_state=0)
    x = cluster_means(scores[:, 0] - scores[:, 1], clusters)
    draws = np.random.default_rng(1).dirichlet(np.ones(len(x)), 20_000) @ x
    # Five standard errors of the difference of two shares among 20,000.
    tolerance = 5 * np.sqrt(2 * 0.25 / 20_000)
    assert found.better[0, 1] == pytest.approx((draws > 0.1).mean(), abs=tolerance)
    assert found.worse[0, 1] == pytest.approx((draws < -0.1).mean(), abs=tolerance)
    total = found.better + found.equivalent + found.worse
    np.testing.assert_allclose(total, 1)


def test_equivalence_is_two_one_sided_tests_at_the_margin():
    scores, clusters = sample(n_clusters=9, k=2)
    scores = np.round(0.3 * scores, 2)
    found = equivalence(scores, clusters, margin=0.5, tie_tolerance=1e-9)
    x = scores[:, 0] - scores[:, 1]
    lower, upper = (
        clustered_wilcoxon(moved, clusters, alternative="greater", null="permutation",
                           tie_tolerance=1e-9).pvalue
        for moved in (x + 0.5, 0.5 - x)
    )  # fmt: skip
    assert found.p_not_worse[0, 1] == lower
    assert found.p_not_worse[1, 0] == upper
    assert found.p_equivalent[0, 1] == max(lower, upper)


@pytest.mark.parametrize("n_clusters", [9, 25])
def test_critical_values_draw_the_conclusions_of_the_p_values(n_clusters):
    for seed in range(5):
        scores, clusters = sample(seed, n_clusters, k=5, effect=0.5)
        found = max_t(scores, clusters, alpha=0.05, n_resamples=600, random_state=0)
        expected = (found.p <= 0.05) & (found.z > 0)
        np.testing.assert_array_equal(found.better(found.z), expected)
        assert (np.diff(found.critical) >= 0).all()
    assert not step_down(np.zeros((3, 3)), np.array([1.0, 1.0, 1.0])).any()


def test_with_a_control_only_its_pairs_are_tested():
    scores, clusters = sample(n_clusters=9, effect=0.4)
    found = max_t(scores, clusters, control=2)
    everything = max_t(scores, clusters)
    tested = ~np.isnan(found.p)
    assert tested.sum() == 6
    assert tested[2, [0, 1, 3]].all()
    assert (found.p <= everything.p + 1e-15)[tested].all()
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(1100, 2))
    found = max_t(scores, np.arange(1100), n_resamples=100, random_state=0)
    assert not found.exact
    assert found.smallest_p == pytest.approx(1 / 101)
