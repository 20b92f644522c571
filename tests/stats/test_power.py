"""Attainable p-values and detectable differences."""

import numpy as np
import pytest
from scipy import stats

from occstats.stats import clustered_wilcoxon
from occstats.stats.power import minimal_detectable_difference, smallest_p


@pytest.mark.parametrize("m", [3, 5, 8])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
@pytest.mark.parametrize("null", ["exact", "asymptotic"])
def test_the_most_extreme_sample_attains_the_smallest_p(m, alternative, null):
    # Equal rank sums maximise Z; distinct values would stay below the bound.
    found = clustered_wilcoxon(np.ones(m), np.arange(m), null=null, alternative=alternative)
    assert found.pvalue == pytest.approx(float(smallest_p(m, null=null, alternative=alternative)))


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_detectable_difference_has_the_power_by_simulation(alternative):
    delta = float(minimal_detectable_difference(1.0, 20, alternative=alternative))
    samples = np.random.default_rng(0).normal(delta, 1.0, (20_000, 20))
    p = stats.ttest_1samp(samples, 0, axis=1, alternative=alternative).pvalue
    assert np.mean(p < 0.05) == pytest.approx(0.8, abs=0.015)
