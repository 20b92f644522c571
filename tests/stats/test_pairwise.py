"""Tests of all pairs against single tests and SciPy, in any order of rows and columns."""

import re

import numpy as np
import pytest

from occstats.stats import Sample, clustered_wilcoxon, pairwise_tests


@pytest.fixture
def scores():
    rng = np.random.default_rng(3)
    return rng.uniform(size=(40, 4)).round(2)


@pytest.fixture
def clusters():
    return np.random.default_rng(4).integers(0, 9, 40)


@pytest.mark.parametrize("method", ["rgl", "ds"])
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_pairs_are_single_tests(scores, clusters, method, alternative):
    scores[3, 1] = scores[10:14, 2] = np.nan
    options = {"alternative": alternative, "tie_tolerance": 1e-9}
    tests = pairwise_tests(scores, clusters, test=method, **options)
    for a in range(4):
        assert np.isnan(tests.p[a, a])
        for b in range(4):
            if a == b:
                continue
            both = ~np.isnan(scores[:, a] - scores[:, b])
            single = clustered_wilcoxon(
                scores[both, a] - scores[both, b], clusters[both], test=method, **options
            )
            assert tests.p[a, b] == pytest.approx(single.pvalue, rel=1e-9)
            assert tests.statistic[a, b] == pytest.approx(single.statistic, rel=1e-9)
            assert tests.z[a, b] == pytest.approx(single.zstatistic, rel=1e-9)
            assert tests.variance[a, b] == pytest.approx(single.variance, rel=1e-9)
            assert tests.n_observations[a, b] == single.n_observations
            assert tests.n_clusters[a, b] == single.n_clusters
            assert tests.intraclass_correlation[a, b] == pytest.approx(
                single.intraclass_correlation, rel=1e-9
            )


@pytest.mark.parametrize("test", ["rgl", "ds"])
def test_reasons(scores, clusters, test):
    scores[:, 1] = scores[:, 0]
    scores[1:, 3] = np.nan
    scores = np.column_stack([scores, scores[:, 2]])
    scores[0, 4] = np.nan
    tests = pairwise_tests(scores, clusters, test=test)
    assert pairwise_tests(scores, clusters, test=test, alternative="greater").p[0, 1] == 1
    # No common task.
    assert (3, 4) in tests.reasons
    assert tests.p[0, 1] == tests.p[1, 0] == 1
    assert np.isnan(tests.p[0, 3])
    assert re.search("at least two|too few", tests.reasons[0, 3])
    assert tests.reasons[3, 0] == tests.reasons[0, 3]
    assert (0, 2) not in tests.reasons


def test_thousands_of_clusters_and_labels_of_mixed_types():
    rng = np.random.default_rng(9)
    scores = rng.uniform(size=(70_000, 2))
    # More clusters than 16 bits can number.
    many = pairwise_tests(scores, np.arange(70_000), test="ds")
    assert many.n_clusters[0, 1] == 70_000
    mixed = np.array(["a", 1, "a", 2.5, 1, "b"], dtype=object)
    codes = np.array([0, 1, 0, 2, 1, 3])
    small = rng.uniform(size=(6, 2))
    assert pairwise_tests(small, mixed).p[0, 1] == pytest.approx(
        pairwise_tests(small, codes).p[0, 1]
    )


def test_pairs_in_blocks_are_the_pairs_at_once(monkeypatch):
    rng = np.random.default_rng(0)
    scores, clusters = rng.normal(size=(30, 6)).round(1), rng.integers(7, size=30)
    tests = ("rgl", "ds")
    at_once = [pairwise_tests(scores, clusters, test=test) for test in tests]
    monkeypatch.setattr(Sample.blocks, "__defaults__", (300,))
    sample = Sample.of(scores, clusters)
    for test, expected in zip(tests, at_once, strict=True):
        np.testing.assert_array_equal(pairwise_tests(sample, test=test).z, expected.z)


# Clusters of one are SciPy's test
