"""The cluster bootstrap against resampling by hand, SciPy's percentiles, and its invariances."""

import numpy as np
import pytest
from scipy import stats

from occstats.stats.bootstrap import Counts, bootstrap_means, cluster_bootstrap
from occstats.stats.clusters import weighted_means


def clustered(seed: int, m: int = 12) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    clusters = np.repeat([f"d{i:02}" for i in range(m)], rng.integers(1, 5, m))
    return rng.gamma(2.0, 1.0, (len(clusters), 3)), clusters


def test_percentiles_agree_with_scipy_where_clusters_are_single_tasks() -> None:
    x = np.random.default_rng(5).gamma(1.0, 1.0, 40)
    found = cluster_bootstrap(
        lambda counts: weighted_means(x[:, None], counts), 40, n_resamples=40_000, random_state=1
    )
    peer = stats.bootstrap(
        (x,), np.mean, n_resamples=40_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    # Two independent resamplings: the Monte Carlo error of a limit is about 0.004 here.
    assert found.low[0] == pytest.approx(peer.low, abs=0.02)
    assert found.high[0] == pytest.approx(peer.high, abs=0.02)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1 / 3])
def test_where_few_clusters_differ_from_equal_ones_no_limit_is_finite(scale) -> None:
    # One resample in eight repeats only the equal ones: its spread is 0, or a rounding error.
    found = bootstrap_means(scale * np.repeat([1.1, 1.7], [18, 2]), np.arange(20), random_state=1)
    assert (found.low > 0, found.high) == (True, np.inf)


def test_studentised_by_hand() -> None:
    values, clusters = clustered(4)
    means = np.array([values[clusters == c].mean(axis=0) for c in np.unique(clusters)])
    counts = Counts.of(len(means), 500, 9).array()
    found = bootstrap_means(values, clusters, n_resamples=500, random_state=9)
    centre, error = means.mean(axis=0), stats.sem(means, axis=0)
    pivots = []
    for row in counts:
        drawn = np.repeat(means, row.astype(int), axis=0)
        pivots.append((drawn.mean(axis=0) - centre) / stats.sem(drawn, axis=0))
    low, high = np.quantile(pivots, [0.025, 0.975], axis=0)
    student = stats.t.ppf(0.975, len(means) - 1)  # never narrower than Student's
    low, high = np.minimum(low, -student), np.maximum(high, student)
    assert found.low == pytest.approx(centre - high * error, rel=1e-9)
    assert found.high == pytest.approx(centre - low * error, rel=1e-9)


def test_degenerate_cases() -> None:
    constant = bootstrap_means(
        np.full(18, 0.3),
        np.arange(18) // 2,
        n_resamples=200,
        random_state=0,
    )
    assert constant.low[0] == pytest.approx(0.3)
    assert constant.high[0] == pytest.approx(0.3)
    # Equal means of few clusters, also where rounding separates them.
    for scores in (np.full(5, 0.3), 1000 * np.array([0.1 + 0.2, 0.3, 0.3])):
        few = bootstrap_means(scores, np.arange(len(scores)))
        assert np.isnan([few.low[0], few.high[0]]).all()
    single = bootstrap_means([0.1, 0.2], ["a", "a"], n_resamples=50)
    assert single.estimate[0] == pytest.approx(0.15)
    assert np.isnan(single.low[0])
    assert np.isnan(single.high[0])


def test_missing_values_are_left_out_of_their_column_only() -> None:
    values, clusters = clustered(3)
    holes = values.copy()
    gone = clusters == "d03"
    holes[gone, 1] = np.nan
    found, whole = (
        bootstrap_means(x, clusters, n_resamples=300, random_state=0) for x in (holes, values)
    )
    assert found.low[[0, 2]] == pytest.approx(whole.low[[0, 2]])
    without = bootstrap_means(values[~gone, 1], clusters[~gone], n_resamples=300, random_state=0)
    assert found.estimate[1] == pytest.approx(without.estimate[0])


@pytest.mark.parametrize("m", [2, 3, 5])
def test_few_clusters_have_the_interval_of_student(m: int) -> None:
    x = np.random.default_rng(m).normal(size=m)
    found = bootstrap_means(x, np.arange(m), n_resamples=100, random_state=0)
    expected = stats.t.interval(0.95, m - 1, loc=x.mean(), scale=stats.sem(x))
    assert (found.low[0], found.high[0]) == pytest.approx(expected)
