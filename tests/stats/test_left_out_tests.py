"""Tests without each cluster in turn equal single tests of the remaining tasks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats.stats import clustered_wilcoxon
from occstats.stats.clusters import Clusters
from occstats.stats.signed_rank import TESTS


@pytest.mark.parametrize("at_once", [40, 500_000])
@pytest.mark.parametrize("test", ["rgl", "ds"])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), zeros=st.booleans())
def test_equals_the_single_test(test, at_once, seed, zeros):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(3, 9))
    clusters = np.concatenate([np.arange(m), rng.integers(m, size=12)])
    x = rng.integers(0 if zeros else 1, 9, len(clusters)) * rng.choice([-1.0, 1.0], len(clusters))
    sample = TESTS[test].single(x, Clusters.of(clusters))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("occstats.stats._arrays.COUNTED_ELEMENTS", at_once)
        z = sample.left_out()[:, 0]
    for cluster in range(m):
        kept = clusters != cluster
        expected = clustered_wilcoxon(x[kept], clusters[kept], test=test).zstatistic
        assert z[cluster] == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("test", ["rgl", "ds"])
def test_degenerate_cases(test):
    def left_out(x, labels):
        return TESTS[test].single(np.array(x), Clusters.of(labels)).left_out()[:, 0].tolist()

    assert left_out([0.0] * 6, [0, 0, 1, 1, 2, 2]) == [0, 0, 0]
    assert np.isnan(left_out([1.0, 2.0], ["a", "b"])).all()
    assert np.isnan(left_out([np.nan, np.nan], ["a", "b"])).all()
