"""Effect sizes against hand-worked cases and another formula, and their symmetries."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from occstats.stats import Sample
from occstats.stats.clusters import Clusters
from occstats.stats.effect_sizes import pair_effects
from occstats.stats.jackknife import wilson


def test_hand_worked():
    # Dataset a: +0.1, 0; b: +0.2; c: -0.3.
    scores = [[0.9, 0.8], [0.7, 0.7], [0.8, 0.6], [0.5, 0.8]]
    found = pair_effects(scores, ["a", "a", "b", "c"], tie_tolerance=1e-9)
    assert [part[0, 1] for part in (found.wins, found.ties, found.losses)] == [2, 1, 1]
    # Wins plus half of the ties: 0.75, 1 and 0 on the datasets.
    assert found.prob_improvement_task.estimate[0, 1] == pytest.approx(1.75 / 3)
    assert found.prob_improvement_dataset.estimate[0, 1] == pytest.approx(2 / 3)
    # Ranks 1, 2 for, 3 against: (3 - 3) / 6.
    assert found.rank_biserial.estimate[0, 1] == pytest.approx(0.0)
    # The mean of dataset a, 0.05, is a tie up to half of the tolerance.
    rough = pair_effects(scores, ["a", "a", "b", "c"], tie_tolerance=0.11)
    assert rough.prob_improvement_dataset.estimate[0, 1] == pytest.approx(1.5 / 3)


def test_antisymmetry():
    rng = np.random.default_rng(0)
    clusters = np.array([f"d{i}" for i in rng.integers(9, size=40)])
    found = pair_effects(rng.uniform(size=(40, 4)).round(2), clusters, tie_tolerance=1e-9)
    assert found.rank_biserial.estimate == pytest.approx(-found.rank_biserial.estimate.T)
    assert found.rank_biserial.low == pytest.approx(-found.rank_biserial.high.T)
    for effect in (found.prob_improvement_task, found.prob_improvement_dataset):
        assert effect.estimate == pytest.approx(1 - effect.estimate.T)
        assert effect.low == pytest.approx(1 - effect.high.T)
    np.testing.assert_array_equal(found.wins, found.losses.T)


def test_failures_count_as_the_largest_differences():
    # Differences +inf, 0, NaN | −inf, −inf, 5 | +inf, −inf | 2, by dataset.
    inf, nan = float("inf"), float("nan")
    scores = np.array([[1, -inf], [-inf, -inf], [nan, 1], [-inf, 1], [-inf, 2], [6, 1],
                       [1, -inf], [-inf, 1], [3, 1]])  # fmt: skip
    clusters = Clusters.of(list("aaabbbccd"))
    found = pair_effects(Sample(scores, clusters))
    assert [part[0, 1] for part in (found.wins, found.ties, found.losses)] == [4, 1, 3]
    # Five failures share the ranks 3 … 7: (2 · 5 − 3 · 5 + 2 + 1) / 28.
    assert found.rank_biserial.estimate[0, 1] == pytest.approx(-2 / 28)
    # Better on a and d, worse on b, and as often failed on c.
    assert found.prob_improvement_dataset.estimate[0, 1] == 2.5 / 4


@pytest.mark.parametrize("n", [1, 3, 10, 50])
def test_wilson_as_in_statsmodels(n):
    wins = np.arange(n + 1)
    expected = proportion_confint(wins, n, alpha=0.1, method="wilson")
    found = wilson(wins / n, np.full(n + 1, float(n)), 0.9)
    assert np.array(found) == pytest.approx(np.array(expected), abs=1e-12)
