"""Attainable p-values, detectable differences and numbers of datasets."""

import numpy as np
import pytest
from scipy import stats

from occstats.stats import clustered_wilcoxon
from occstats.stats.power import datasets_needed, minimal_detectable_difference, smallest_p


@pytest.mark.parametrize("m", [3, 5, 8])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
@pytest.mark.parametrize("null", ["exact", "asymptotic"])
def test_the_most_extreme_sample_attains_the_smallest_p(m, alternative, null):
    # Equal rank sums maximise Z; distinct values would stay below the bound.
    found = clustered_wilcoxon(np.ones(m), np.arange(m), null=null, alternative=alternative)
    assert found.pvalue == pytest.approx(float(smallest_p(m, null=null, alternative=alternative)))


def test_no_sample_goes_below_it():
    rng = np.random.default_rng(0)
    for _ in range(50):
        clusters = np.concatenate([np.arange(4), rng.integers(4, size=8)])
        x = rng.exponential(size=12)
        for null in ("exact", "asymptotic"):
            found = clustered_wilcoxon(x, clusters, null=null, alternative="greater")
            assert found.pvalue >= float(smallest_p(4, null=null)) - 1e-12


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_detectable_difference_has_the_power_by_simulation(alternative):
    delta = float(minimal_detectable_difference(1.0, 20, alternative=alternative))
    samples = np.random.default_rng(0).normal(delta, 1.0, (20_000, 20))
    p = stats.ttest_1samp(samples, 0, axis=1, alternative=alternative).pvalue
    assert np.mean(p < 0.05) == pytest.approx(0.8, abs=0.015)


def benchmark(shift, m=30, seed=0):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(m), rng.integers(1, 5, m))
    return shift + rng.normal(0, 1, m)[clusters] + rng.normal(0, 1, len(clusters)), clusters


def test_the_needed_number_has_the_power():
    x, clusters = benchmark(0.5, seed=3)
    found = datasets_needed(x, clusters, n_resamples=1000, random_state=0)
    rng = np.random.default_rng(1)
    rejected = []
    for _ in range(300):
        drawn = rng.integers(30, size=int(found.needed))
        values = [x[clusters == c] for c in drawn]
        labels = np.repeat(np.arange(len(drawn)), [len(v) for v in values])
        test = clustered_wilcoxon(np.concatenate(values), labels, alternative="greater")
        rejected.append(test.pvalue < 0.05)
    assert np.mean(rejected) == pytest.approx(0.8, abs=0.1)


def test_hopeless_and_impossible():
    x, clusters = benchmark(-0.5)
    found = datasets_needed(x, clusters, n_resamples=200, limit=60, random_state=0)
    assert found.needed == np.inf
    assert found.limit == 60
    assert datasets_needed(-x, clusters, n_resamples=200, random_state=0).needed < np.inf
    zero = datasets_needed(np.zeros(8), np.arange(8), n_resamples=100, limit=30)
    assert (zero.power_now, zero.needed) == (0.0, np.inf)
    single = datasets_needed([0.1, 0.2], ["a", "a"])
    assert single.n_clusters == 1
    assert np.isnan(single.power_now)
