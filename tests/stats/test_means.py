"""Mean differences against a plain bootstrap-t, Student's t, and what must always hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from occstats.stats import (
    Sample,
    difference_posterior,
    mean_differences,
    mean_tests,
)
from occstats.stats.bootstrap import Counts
from occstats.stats.clusters import Clusters

INFINITY = float("inf")


def example(seed=0, m=12, k=3, effect=0.0):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(m), rng.integers(1, 5, m))
    scores = rng.normal(size=(m, k))[clusters] + rng.normal(size=(len(clusters), k))
    return scores + effect * np.arange(k), clusters


def dataset_means(scores, clusters, a, b):
    x = scores[:, a] - scores[:, b]
    of_datasets = [x[(clusters == c) & ~np.isnan(x)] for c in np.unique(clusters)]
    return np.array([own.mean() if len(own) else np.nan for own in of_datasets])


def pivots(means, counts):
    """t* of each resample, one after the other; 0 where it has no spread."""
    estimate = np.nanmean(means)
    found = []
    for row in counts:
        drawn = np.repeat(means, row.astype(int))
        drawn = drawn[~np.isnan(drawn)]
        error = np.std(drawn, ddof=1) / np.sqrt(len(drawn)) if len(drawn) > 1 else 0.0
        found.append((drawn.mean() - estimate) / error if error > 1e-12 else 0.0)
    return np.array(found)


def upper_critical(values, share):
    """The value that fewer than a share of resamples, and the sample itself, may reach."""
    allowed = int(np.floor(share * (len(values) + 1) + 1e-9)) - 1
    return np.sort(values)[len(values) - 1 - allowed]


# Bootstrap-t


@pytest.mark.parametrize(("seed", "m"), [(0, 12), (1, 6), (2, 12)])
def test_one_pair_is_the_equal_tailed_bootstrap_t(seed, m):
    scores, clusters = example(seed, m, k=2, effect=0.4)
    found = mean_tests(scores, clusters, n_resamples=999, random_state=seed)
    counts = Counts.of(m, 999, seed).array()
    means = dataset_means(scores, clusters, 0, 1)
    estimate, error = means.mean(), means.std(ddof=1) / np.sqrt(m)
    t, drawn, student = estimate / error, pivots(means, counts), stats.t(m - 1)
    assert found.difference[0, 1] == pytest.approx(estimate)
    assert found.statistic[0, 1] == pytest.approx(t)
    greater, less = ((np.count_nonzero(tail) + 1) / 1000 for tail in (drawn >= t, drawn <= t))
    greater, less = max(greater, student.sf(t)), max(less, student.cdf(t))
    assert found.p[0, 1] == pytest.approx(min(1, 2 * min(greater, less)))
    upper = max(upper_critical(drawn, 0.025), student.ppf(0.975))
    lower = max(upper_critical(-drawn, 0.025), student.ppf(0.975))
    assert found.low[0, 1] == pytest.approx(estimate - upper * error)
    assert found.high[0, 1] == pytest.approx(estimate + lower * error)
    assert (found.critical[0, 1], found.critical[1, 0]) == pytest.approx((upper, lower))
    for alternative, p in (("greater", greater), ("less", less)):
        one_sided = mean_tests(
            scores, clusters, n_resamples=999, random_state=seed, alternative=alternative
        )
        assert one_sided.p_unadjusted[0, 1] == pytest.approx(p)


@pytest.mark.parametrize("control", [None, 2])
@pytest.mark.parametrize("missing", [False, True])
def test_several_pairs_share_the_largest_pivot(control, missing):
    scores, clusters = example(3, m=10, k=4, effect=0.3)
    if missing:
        scores[clusters == 4, 1] = np.nan
        scores[0, 3] = np.nan
    found = mean_tests(scores, clusters, n_resamples=500, random_state=1, control=control)
    counts = Counts.of(10, 500, 1).array()
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4) if control in (None, a, b)]
    means = {pair: dataset_means(scores, clusters, *pair) for pair in pairs}
    drawn = {pair: np.abs(pivots(means[pair], counts)) for pair in pairs}
    largest = np.max(list(drawn.values()), axis=0)
    for pair in pairs:
        known = means[pair][~np.isnan(means[pair])]
        estimate, error = known.mean(), known.std(ddof=1) / np.sqrt(len(known))
        student = stats.t(len(known) - 1)
        share = (np.count_nonzero(largest >= abs(estimate / error) - 1e-10) + 1) / 501
        p = max(share, 2 * student.sf(abs(estimate / error)))
        critical = max(upper_critical(largest, 0.05), student.ppf(0.975))
        assert found.p[pair] == pytest.approx(p)
        assert found.critical[pair] == pytest.approx(critical)
        limits = estimate - critical * error, estimate + critical * error
        assert (found.low[pair], found.high[pair]) == pytest.approx(limits)
    tested = np.argwhere(~np.isnan(np.triu(found.p, 1)) & np.triu(np.ones((4, 4), dtype=bool), 1))
    assert [tuple(pair) for pair in tested] == pairs


# Student's t


@pytest.mark.parametrize("m", [2, 3, 5])
@pytest.mark.parametrize("simultaneous", [True, False])
def test_few_datasets_have_student_with_bonferroni(m, simultaneous):
    scores, clusters = example(m, m=m, k=4, effect=1.0)
    found = mean_tests(scores, clusters, simultaneous=simultaneous, random_state=0)
    of_datasets = np.array([scores[clusters == c].mean(axis=0) for c in range(m)])
    for a in range(4):
        for b in range(a + 1, 4):
            single = stats.ttest_rel(of_datasets[:, a], of_datasets[:, b])
            n_tests = 6 if simultaneous else 1
            limits = single.confidence_interval(1 - 0.05 / n_tests)
            assert found.statistic[a, b] == pytest.approx(single.statistic)
            assert found.p_unadjusted[a, b] == pytest.approx(single.pvalue)
            assert found.p[a, b] == pytest.approx(min(1, n_tests * single.pvalue))
            assert (found.low[a, b], found.high[a, b]) == pytest.approx(tuple(limits))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_asymptotic_is_the_paired_t_test_of_dataset_means(alternative):
    scores, clusters = example(1, m=20, effect=0.2)
    found = mean_tests(scores, clusters, null="asymptotic", alternative=alternative)
    of_datasets = np.array([scores[clusters == c].mean(axis=0) for c in range(20)])
    for a, b in ((0, 1), (1, 0), (2, 1)):
        single = stats.ttest_rel(of_datasets[:, a], of_datasets[:, b], alternative=alternative)
        assert found.p_unadjusted[a, b] == pytest.approx(single.pvalue)
        both = stats.ttest_rel(of_datasets[:, a], of_datasets[:, b])
        assert found.p[a, b] == pytest.approx(both.pvalue)
        limits = tuple(both.confidence_interval(0.95))
        assert (found.low[a, b], found.high[a, b]) == pytest.approx(limits)


# Constant differences


@pytest.mark.parametrize("m", [2, 5, 6, 12])
@pytest.mark.parametrize("scale", [1.0, 1e7])
def test_a_constant_difference_is_as_certain_as_equal_signs(m, scale):
    rng = np.random.default_rng(m)
    clusters = np.repeat(np.arange(m), 2)
    base = scale * rng.uniform(size=2 * m)
    scores = np.column_stack([base + 0.1, base, rng.normal(size=2 * m)])
    found = mean_tests(scores, clusters, random_state=0)
    assert found.difference[0, 1] == pytest.approx(0.1, rel=1e-6)
    assert found.p[0, 1] == found.p[1, 0] == 2.0 ** (1 - m)
    if m > 5:
        assert found.low[0, 1] == found.high[0, 1] == found.difference[0, 1]
        assert found.statistic[0, 1] > found.critical[0, 1]
    else:
        assert (found.low[0, 1], found.high[0, 1]) == (-INFINITY, INFINITY)
        assert found.statistic[0, 1] < found.critical[0, 1]
    one_sided = mean_tests(scores, clusters, random_state=0, alternative="greater")
    assert one_sided.p_unadjusted[0, 1] == 2.0**-m
    assert one_sided.p_unadjusted[1, 0] == 1


@pytest.mark.parametrize("null", ["bootstrap", "asymptotic"])
@pytest.mark.parametrize("m", [2, 30])
def test_equal_scores_have_a_difference_of_zero(null, m):
    scores, clusters = example(0, m=m)
    scores[:, 1] = scores[:, 0]
    found = mean_tests(scores, clusters, null=null, random_state=0)
    for a, b in ((0, 1), (1, 0)):
        parts = found.difference, found.low, found.high, found.statistic
        assert [part[a, b] for part in parts] == [0, 0, 0, 0]
        assert not any(np.signbit(part[a, b]) for part in parts)
        assert found.p[a, b] == found.p_unadjusted[a, b] == 1


# What always holds


@st.composite
def tables(draw):
    m, k = draw(st.integers(2, 9)), draw(st.integers(2, 4))
    clusters = np.repeat(np.arange(m), draw(st.lists(st.integers(1, 3), min_size=m, max_size=m)))
    reach = draw(st.sampled_from([1, 3, 1000]))
    score = st.one_of(*[st.integers(-reach, reach).map(float)] * 9, st.just(np.nan))
    rows = draw(st.lists(score, min_size=len(clusters) * k, max_size=len(clusters) * k))
    scores = np.array(rows).reshape(len(clusters), k)
    return scores + draw(st.sampled_from([0, 1, 5])) * np.arange(k), clusters


@settings(max_examples=80)
@given(
    table=tables(),
    alpha=st.sampled_from([0.03125, 0.05, 0.3]),
    simultaneous=st.booleans(),
    null=st.sampled_from(["bootstrap", "asymptotic"]),
    suites=st.booleans(),
)
def test_p_and_interval_agree(table, alpha, simultaneous, null, suites):
    scores, clusters = table
    if np.isnan(scores).all():
        return
    groups = Clusters.nested(clusters // 2, clusters) if suites else Clusters.of(clusters)
    found = mean_tests(
        Sample(scores, groups),
        alpha=alpha,
        simultaneous=simultaneous,
        null=null,
        n_resamples=99,
        random_state=0,
    )
    known = ~np.isnan(found.p)
    assert (known == known.T).all()
    p, low, high = (part[known] for part in (found.p, found.low, found.high))
    difference = found.difference[known]
    excluded = (low > 0) | (high < 0)
    limit = (low == 0) | (high == 0)
    assert ((p <= alpha) == excluded)[~limit].all()
    assert ((low <= difference) & (difference <= high)).all()
    assert ((p > 0) & (p <= 1)).all()
    with np.errstate(invalid="ignore"):
        better = found.statistic > found.critical + 1e-10
    expected = (found.p <= alpha) & (found.difference > 0)
    assert (better == expected)[known].all()
    np.testing.assert_array_equal(found.low, -found.high.T)
    np.testing.assert_allclose(
        found.difference, mean_differences(Sample(scores, groups)), atol=1e-9
    )


def test_a_pair_without_common_datasets_has_no_test():
    scores, clusters = example(0)
    scores[clusters < 6, 0] = scores[clusters >= 6, 1] = np.nan
    found = mean_tests(scores, clusters, n_resamples=99, random_state=0)
    assert np.isnan(found.p[0, 1])
    assert np.isfinite(found.p[[0, 1], 2]).all()


def test_datasets_have_equal_weight():
    scores = np.array([[1.0, 0.0]] * 9 + [[0.0, 5.0]])
    clusters = ["large"] * 9 + ["small"]
    assert mean_differences(scores, clusters)[0, 1] == (1 - 5) / 2


def test_posterior_of_the_mean_is_the_bayesian_bootstrap():
    scores, clusters = example(6, m=15, k=2, effect=0.2)
    found = difference_posterior(scores, clusters, rope=0.1, n_resamples=20_000, random_state=0)
    x = dataset_means(scores, clusters, 0, 1)
    draws = np.random.default_rng(1).dirichlet(np.ones(len(x)), 20_000) @ x
    # Five standard errors of the difference of two shares among 20,000.
    tolerance = 5 * np.sqrt(2 * 0.25 / 20_000)
    assert found.better[0, 1] == pytest.approx((draws > 0.1).mean(), abs=tolerance)
    assert found.worse[0, 1] == pytest.approx((draws < -0.1).mean(), abs=tolerance)
    np.testing.assert_allclose(found.better + found.equivalent + found.worse, 1)
