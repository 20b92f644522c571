"""Effect sizes against hand-worked cases and ranking anew, and their symmetries."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata
from statsmodels.stats.proportion import proportion_confint

from occstats.stats.effect_sizes import pair_effects, rank_biserial
from occstats.stats.jackknife import wilson


def simple_difference(x):
    """Kerby's simple difference formula, by ranking."""
    x = np.asarray(x)[np.asarray(x) != 0]
    ranks = rankdata(np.abs(x))
    return float((ranks[x > 0].sum() - ranks[x < 0].sum()) / ranks.sum()) if len(x) else 0.0


def test_hand_worked():
    # Data set a: +0.1, 0 (mean 0.05); b: +0.2; c: -0.3.
    scores = [[0.9, 0.8], [0.7, 0.7], [0.8, 0.6], [0.5, 0.8]]
    found = pair_effects(scores, ["a", "a", "b", "c"], tie_tolerance=1e-9, n_resamples=200)
    assert found.mean_difference.estimate[0, 1] == pytest.approx((0.05 + 0.2 - 0.3) / 3)
    assert found.wins[0, 1] == pytest.approx((0.5 + 1 + 0) / 3)
    assert found.ties[0, 1] == pytest.approx(0.5 / 3)
    assert found.losses[0, 1] == pytest.approx(1 / 3)
    assert found.prob_improvement_task.estimate[0, 1] == pytest.approx(0.5 + 0.25 / 3)
    assert found.prob_improvement_dataset.estimate[0, 1] == pytest.approx(2 / 3)
    # Ranks 1, 2 for, 3 against: (3 - 3) / 6.
    assert found.rank_biserial.estimate[0, 1] == pytest.approx(0.0)
    assert found.n_tasks[0, 1] == 4
    assert found.n_clusters[0, 1] == 3


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=20))
def test_rank_biserial_is_the_simple_difference(x):
    assert rank_biserial(x) == pytest.approx(simple_difference(x), abs=1e-12)
    assert rank_biserial(np.negative(x)) == pytest.approx(-rank_biserial(x), abs=1e-12)


def example(seed=0, k=4):
    rng = np.random.default_rng(seed)
    clusters = np.array([f"d{i}" for i in rng.integers(9, size=40)])
    return rng.uniform(size=(40, k)).round(2), clusters


def test_antisymmetry_and_order_of_algorithms_and_rows():
    scores, clusters = example()
    found = pair_effects(scores, clusters, tie_tolerance=1e-9, n_resamples=400, random_state=3)
    for effect in (found.mean_difference, found.rank_biserial):
        assert effect.estimate == pytest.approx(-effect.estimate.T)
        assert effect.low == pytest.approx(-effect.high.T)
    for effect in (found.prob_improvement_task, found.prob_improvement_dataset):
        assert effect.estimate == pytest.approx(1 - effect.estimate.T)
        assert effect.low == pytest.approx(1 - effect.high.T)
    assert found.wins == pytest.approx(found.losses.T)
    assert found.wins + found.ties + found.losses == pytest.approx(np.ones((4, 4)))
    rows, columns = np.random.default_rng(1).permutation(40), [3, 1, 0, 2]
    again = pair_effects(
        scores[rows][:, columns],
        clusters[rows],
        tie_tolerance=1e-9,
        n_resamples=400,
        random_state=3,
    )
    square = np.ix_(columns, columns)
    for name in ("mean_difference", "rank_biserial", "prob_improvement_task"):
        assert getattr(again, name).low == pytest.approx(getattr(found, name).low[square], abs=1e-9)
        assert getattr(again, name).high == pytest.approx(
            getattr(found, name).high[square], abs=1e-9
        )


def test_signs_and_ranks_ignore_a_monotone_change_of_both_scores_by_the_same_amount():
    scores, clusters = example(1)
    easier = scores + np.random.default_rng(0).integers(0, 5, (40, 1))
    one = pair_effects(scores, clusters, tie_tolerance=1e-9, n_resamples=100, random_state=0)
    two = pair_effects(easier, clusters, tie_tolerance=1e-9, n_resamples=100, random_state=0)
    assert one.wins == pytest.approx(two.wins)
    assert one.rank_biserial.estimate == pytest.approx(two.rank_biserial.estimate)


def test_intervals_hold_the_estimates():
    scores, clusters = example(5)
    found = pair_effects(scores, clusters, tie_tolerance=1e-9, random_state=0, n_resamples=500)
    for name in (
        "mean_difference",
        "rank_biserial",
        "prob_improvement_task",
        "prob_improvement_dataset",
    ):
        effect = getattr(found, name)
        assert (effect.low <= effect.estimate + 1e-12).all()
        assert (effect.high >= effect.estimate - 1e-12).all()


def test_identical_algorithms():
    scores = np.repeat(np.linspace(0.1, 0.9, 12)[:, None], 2, axis=1)
    found = pair_effects(scores, np.arange(12) // 2, n_resamples=100)
    assert found.ties[0, 1] == 1
    assert found.prob_improvement_task.estimate[0, 1] == 0.5
    assert found.prob_improvement_dataset.estimate[0, 1] == 0.5
    assert found.rank_biserial.estimate[0, 1] == 0
    assert (found.mean_difference.low[0, 1], found.mean_difference.high[0, 1]) == (0, 0)


def test_pairs_use_the_tasks_that_both_have():
    scores, clusters = example(2, k=3)
    holes = scores.copy()
    holes[:7, 2] = np.nan
    holes[clusters == "d4", 2] = np.nan
    found = pair_effects(holes, clusters, tie_tolerance=1e-9, n_resamples=200, random_state=0)
    kept = ~np.isnan(holes[:, 2])
    part = pair_effects(
        scores[kept][:, [0, 2]], clusters[kept], tie_tolerance=1e-9, n_resamples=200
    )
    whole = pair_effects(
        scores[:, :2], clusters, tie_tolerance=1e-9, n_resamples=200, random_state=0
    )
    assert found.n_tasks[0, 2] == kept.sum()
    for name in ("mean_difference", "rank_biserial", "prob_improvement_dataset"):
        assert getattr(found, name).estimate[0, 2] == pytest.approx(
            getattr(part, name).estimate[0, 1]
        )
        assert getattr(found, name).low[0, 1] == pytest.approx(getattr(whole, name).low[0, 1])


def test_one_cluster_has_estimates_but_no_intervals():
    found = pair_effects([[0.9, 0.8], [0.7, 0.6]], ["a", "a"], n_resamples=50)
    assert found.mean_difference.estimate[0, 1] == pytest.approx(0.1)
    assert np.isnan(found.mean_difference.low[0, 1])


@pytest.mark.parametrize("n", [3, 10, 50])
def test_wilson_as_in_statsmodels(n):
    wins = np.arange(n + 1)
    expected = proportion_confint(wins, n, alpha=0.1, method="wilson")
    found = wilson(wins / n, np.full(n + 1, float(n)), 0.9)
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-12)


def test_a_share_of_nothing_is_not_known():
    assert np.isnan(wilson(np.array([np.nan]), np.array([0.0]), 0.95)).all()


def test_ten_wins_out_of_ten_are_not_certainty():
    scores = np.column_stack([np.linspace(0.6, 0.9, 10), np.full(10, 0.5)])
    found = pair_effects(scores, np.arange(10), n_resamples=200, random_state=0)
    effect = found.prob_improvement_task
    assert (effect.estimate[0, 1], effect.high[0, 1]) == (1, 1)
    assert effect.low[0, 1] == pytest.approx(0.7224672, abs=1e-6)  # Wilson's for 10 of 10
    assert effect.low[1, 0] == 0
    assert effect.high[1, 0] == pytest.approx(1 - 0.7224672, abs=1e-6)
