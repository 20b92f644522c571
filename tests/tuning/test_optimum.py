"""The optimum of a sweep, with datasets resampled."""

import numpy as np
import pytest

from occstats.errors import ArgumentError
from occstats.tuning.optimum import optimum_interval

GRID = np.linspace(0, 1, 21)


def sweep(noise, m=25, seed=0):
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.6, 0.9, (m, 1))
    return level - (GRID - 0.4) ** 2 + rng.normal(0, noise, (m, 21))


def test_a_clear_optimum_is_certain_and_a_noisy_one_is_not():
    clear = optimum_interval(GRID, sweep(1e-6), random_state=0)
    assert (clear.low, clear.estimate, clear.high) == pytest.approx((0.4, 0.4, 0.4))
    assert clear.probability.max() == 1
    noisy = optimum_interval(GRID, sweep(0.05), random_state=0)
    assert noisy.high - noisy.low > 0.05
    assert noisy.low <= noisy.estimate <= noisy.high
    assert noisy.probability.sum() == pytest.approx(1)
    assert set(np.round([noisy.low, noisy.high], 9)) <= set(np.round(GRID, 9))


def test_smoothing_narrows_it():
    vander = np.vander(GRID, 3)
    hat = vander @ np.linalg.pinv(vander)
    raw = optimum_interval(GRID, sweep(0.05), random_state=0)
    smooth = optimum_interval(GRID, sweep(0.05), smoother=lambda c: c @ hat.T, random_state=0)
    assert smooth.high - smooth.low < raw.high - raw.low
    assert smooth.score_low < smooth.score < smooth.score_high


def test_it_covers_the_truth():
    covered = [
        found.low - 1e-9 <= 0.4 <= found.high + 1e-9
        for found in (
            optimum_interval(GRID, sweep(0.05, seed=seed), n_resamples=500, random_state=0)
            for seed in range(60)
        )
    ]
    assert np.mean(covered) >= 0.85


def test_an_optimum_at_the_edge_is_marked():
    rising = np.random.default_rng(0).normal(GRID, 0.01, (10, 21))
    assert optimum_interval(GRID, rising, random_state=0).at_edge
    assert not optimum_interval(GRID, sweep(1e-6), random_state=0).at_edge


def test_missing_values_ties_and_a_single_dataset():
    table = sweep(0.01)
    table[0, :5] = np.nan
    assert optimum_interval(GRID, table, random_state=0).estimate == pytest.approx(0.4, abs=0.1)
    flat = optimum_interval([1, 2, 3], np.ones((4, 3)), random_state=0)
    assert (flat.estimate, flat.low, flat.high) == (2, 2, 2)
    single = optimum_interval(GRID, sweep(0.01, m=1))
    assert np.isnan(single.low)
    assert single.probability.sum() == 1


def test_bad_shapes_are_refused():
    with pytest.raises(ArgumentError, match="grid must have one value per column"):
        optimum_interval([1, 2], np.ones((4, 3)))
    with pytest.raises(ArgumentError, match="at least one dataset"):
        optimum_interval([1, 2], np.ones((0, 2)))


def test_order_of_datasets_is_only_a_matter_of_the_seed():
    table = sweep(0.05)
    one = optimum_interval(GRID, table, random_state=3)
    two = optimum_interval(GRID, table, random_state=3)
    assert (one.low, one.high) == (two.low, two.high)
    assert optimum_interval(GRID, table[::-1], random_state=3).estimate == one.estimate
