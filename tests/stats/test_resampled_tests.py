"""Tests of many resamples equal single tests of the resampled tasks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats.stats import clustered_wilcoxon
from occstats.stats.bootstrap import resample_counts
from occstats.stats.clusters import Clusters
from occstats.stats.signed_rank import TESTS


def resampled_z(x, clusters, counts, *, test, tie_tolerance=0.0):
    """Z of the test for every row of cluster multiplicities."""
    sample = TESTS[test].single(np.asarray(x), Clusters.of(clusters), tie_tolerance)
    return sample.resampled(0, np.asarray(counts, dtype=float))


def drawn(x, clusters, counts):
    """The tasks of a resample, copies of a cluster being clusters of their own."""
    values, labels = [], []
    for label, times in zip(np.unique(clusters), counts.astype(int), strict=True):
        for _ in range(times):
            part = x[clusters == label]
            values.append(part)
            labels += [max(labels, default=-1) + 1] * len(part)
    return np.concatenate(values), np.array(labels)


def single(x, clusters, test):
    if test == "wilcoxon":
        return clustered_wilcoxon(x, np.arange(len(x)), test="rgl").zstatistic
    if test == "dataset-means":
        means = np.array([x[clusters == c].mean() for c in np.unique(clusters)])
        return clustered_wilcoxon(
            means, np.arange(len(means)), test="rgl", tie_tolerance=1e-9
        ).zstatistic
    return clustered_wilcoxon(x, clusters, test=test).zstatistic


@pytest.mark.parametrize("test", ["rgl", "ds", "dataset-means", "wilcoxon"])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), zeros=st.booleans())
def test_equals_the_single_test(test, seed, zeros):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(4, 9))
    clusters = np.concatenate([np.arange(m), rng.integers(m, size=12)])
    x = rng.integers(0 if zeros else 1, 9, len(clusters)) * rng.choice([-1.0, 1.0], len(clusters))
    counts = np.vstack(
        [np.ones((1, m)), np.ones((m, m)) - np.eye(m), resample_counts(m, 5, random_state=seed)]
    )
    found = resampled_z(x, clusters, counts, test=test, tie_tolerance=1e-9)
    for row, z in zip(counts, found, strict=True):
        expected = single(*drawn(x, clusters, row), test)
        if expected is None or np.isnan(expected):
            assert np.isnan(z) or z == 0
        else:
            assert z == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("test", ["rgl", "ds", "dataset-means"])
def test_degenerate_cases(test):
    assert resampled_z(np.zeros(6), np.arange(6) // 2, np.ones((1, 3)), test=test)[0] == 0
    assert np.isnan(resampled_z([1.0, 2.0], ["a", "a"], np.ones((1, 1)), test=test)[0])
    assert np.isnan(resampled_z([np.nan, np.nan], ["a", "b"], np.ones((1, 2)), test=test)[0])
    # Only one of the three clusters is left in the second row.
    found = resampled_z([1.0, 2.0, -1.0], ["a", "b", "c"], [[1, 1, 1], [3, 0, 0]], test=test)
    assert np.isfinite(found[0])


@pytest.mark.parametrize("test", ["rgl", "ds"])
def test_clusters_in_parts_are_clusters_at_once(test, monkeypatch):
    rng = np.random.default_rng(6)
    clusters, x = rng.integers(11, size=40), rng.integers(-6, 7, 40).astype(float)
    counts = resample_counts(11, 20, random_state=0)
    at_once = resampled_z(x, clusters, counts, test=test)
    monkeypatch.setattr("occstats.stats.signed_rank.rosner_glynn_lee._COLUMNS", 4)
    assert resampled_z(x, clusters, counts, test=test) == pytest.approx(at_once)
