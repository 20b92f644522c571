"""The two baselines are SciPy's Wilcoxon test, on tasks and on means of clusters."""

import numpy as np
import pytest
from scipy import stats

from occstats.errors import ArgumentError
from occstats.stats import pairwise_tests


@pytest.fixture
def clusters():
    return np.repeat(np.arange(12), [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])


@pytest.fixture
def scores(clusters):
    rng = np.random.default_rng(2)
    return (rng.uniform(size=(30, 3)) + rng.normal(0, 0.2, (12, 3))[clusters]).round(2)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_plain_is_scipys(scores, clusters, alternative):
    found = pairwise_tests(
        scores, clusters, alternative=alternative, tie_tolerance=1e-9, test="wilcoxon"
    )
    for a, b in ((0, 1), (1, 0), (2, 0)):
        x = (scores[:, a] - scores[:, b]).round(9)
        expected = stats.wilcoxon(
            x, alternative=alternative, correction=False, method="asymptotic"
        ).pvalue
        assert found.p[a, b] == pytest.approx(expected, rel=1e-10)
        assert found.n_observations[a, b] == np.count_nonzero(x)
        assert found.n_clusters[a, b] == len(np.unique(clusters[x != 0]))


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_means_are_scipys_exact_test(scores, clusters, alternative):
    found = pairwise_tests(
        scores, clusters, alternative=alternative, null="exact", test="dataset-means"
    )
    for a, b in ((0, 1), (1, 0), (2, 0)):
        means = [(scores[clusters == c, a] - scores[clusters == c, b]).mean() for c in range(12)]
        expected = stats.wilcoxon(means, alternative=alternative, method="exact").pvalue
        assert found.p[a, b] == pytest.approx(expected, rel=1e-10)
        assert found.n_observations[a, b] == found.n_clusters[a, b] == 12


def test_missing_scores_leave_the_pair(scores, clusters):
    scores[clusters == 3, 0] = np.nan
    scores[5, 1] = np.nan
    means = pairwise_tests(scores, clusters, test="dataset-means")
    plain = pairwise_tests(scores, clusters, test="wilcoxon")
    assert means.n_clusters[0, 2] == 11
    assert means.n_clusters[1, 2] == 12
    assert plain.n_observations[0, 2] <= 26
    kept = clusters != 3
    assert (
        means.p[0, 2] == pairwise_tests(scores[kept], clusters[kept], test="dataset-means").p[0, 2]
    )


def test_single_cluster_has_no_test_on_means(scores):
    found = pairwise_tests(scores, np.zeros(30), test="dataset-means")
    assert np.isnan(found.p).all()
    assert "1 difference(s) other than zero: too few" in found.reasons[0, 1]


def test_all_equal_scores():
    found = pairwise_tests(np.ones((4, 2)), [1, 1, 2, 2], test="wilcoxon")
    assert found.p[0, 1] == 1
    assert found.n_clusters[0, 1] == 0


def test_refusals(scores, clusters):
    with pytest.raises(ArgumentError, match="null must be one of"):
        pairwise_tests(scores, clusters, null="normal", test="wilcoxon")
    with pytest.raises(ArgumentError, match="alternative must be one of"):
        pairwise_tests(scores, clusters, alternative="bigger", test="dataset-means")
