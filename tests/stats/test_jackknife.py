"""Jackknife intervals against ranking again without each cluster, and at the ends of the scale."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, t

from occstats.stats.clusters import Clusters
from occstats.stats.effect_sizes import pair_effects
from occstats.stats.jackknife import rank_biserial_limits, wilson


def simple_difference(x):
    """Kerby's simple difference formula, by ranking."""
    x = x[~np.isnan(x) & (x != 0)]
    ranks = rankdata(np.abs(x))
    return float((ranks[x > 0].sum() - ranks[x < 0].sum()) / ranks.sum()) if len(x) else 0.0


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 7), st.booleans())
def test_rank_biserial_limits_are_those_of_ranking_again(seed, m, tied):
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(m), rng.integers(m, size=rng.integers(1, 20)))
    x = rng.integers(-4, 5, len(codes)).astype(float) if tied else rng.normal(size=len(codes))
    x[rng.uniform(size=len(x)) < 0.1] = np.nan
    clusters = Clusters.of(codes)
    estimate, limits = rank_biserial_limits(x[:, None], clusters, 0.9)
    assert estimate[0] == pytest.approx(simple_difference(x), abs=1e-12)
    used = ~np.isnan(x) & (x != 0)
    present = np.unique(codes[used])
    if len(present) < 2:
        assert np.isnan(limits).all()
        return
    if abs(estimate[0]) == 1:
        return
    angles = np.arcsin([simple_difference(x[used & (codes != i)]) for i in present])
    n = len(present)
    error = np.sqrt((n - 1) / n * ((angles - angles.mean()) ** 2).sum())
    sizes = np.bincount(codes[used])
    worth = sizes.sum() ** 2 / (sizes**2).sum()
    half = t.ppf(0.95, max(worth - 1, 1)) * error
    middle = np.arcsin(estimate[0])
    expected = np.sin(np.clip([middle - half, middle + half], -np.pi / 2, np.pi / 2))
    np.testing.assert_allclose(limits.ravel(), expected, atol=1e-9)


def test_an_algorithm_that_always_wins_is_not_certain_to():
    scores = np.column_stack([np.arange(2.0, 10.0), np.arange(8.0)])
    found = pair_effects(scores, np.arange(8))
    low = wilson(np.array([1.0]), np.array([8.0]), 0.95)[0][0]
    assert found.prob_improvement_task.low[0, 1] == pytest.approx(low)
    assert found.rank_biserial.low[0, 1] == pytest.approx(2 * low - 1)
    assert found.rank_biserial.high[0, 1] == 1
    assert found.rank_biserial.high[1, 0] == pytest.approx(1 - 2 * low)
