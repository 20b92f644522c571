"""The summary of each algorithm: rank ranges, and intervals with few datasets."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tests.comparison.synthetic import compare, table

RANK_LIMITS = ["mean_rank_ci_low", "mean_rank_ci_high"]


def benchmark(seed, k=4, n_clusters=9):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), rng.integers(1, 4, n_clusters))
    common = rng.normal(0, 0.4, size=(n_clusters, k))
    noise = rng.normal(size=(len(clusters), k))
    steps = np.array([3.0, 2.6, 1.0, 0.0])[:k]
    frame = pd.DataFrame(np.round(steps + common[clusters] + noise, 1), columns=list("abcd"))
    frame.insert(0, "task", range(len(frame)))
    frame.insert(0, "dataset", clusters)
    return frame


def ranks_by_listing(better, names):
    """Return the ranks of each algorithm in all orders in which no decided pair is reversed."""
    orders = [
        order
        for order in itertools.permutations(names)
        if all(order.index(a) < order.index(b) for a, b in better)
    ]
    return {name: {order.index(name) + 1 for order in orders} for name in names}


@pytest.mark.parametrize(("seed", "estimand"), [(0, "typical"), (1, "mean"), (2, "typical")])
def test_rank_ranges_hold_all_orders_that_contradict_no_decision(seed, estimand):
    # Mogstad, Romano, Shaikh and Wilhelm (2024), as in R's csranks.
    found = compare(benchmark(seed), alpha=0.1, lower_is_better=False, estimand=estimand)
    decided = found.pairwise_full[found.pairwise_full["conclusion"] == "better"]
    better = list(zip(decided["a"], decided["b"], strict=True))
    assert better, "the case shows nothing"
    sets = ranks_by_listing(better, found.algorithms)
    transitive = all(
        (a, d) in better for (a, b), (c, d) in itertools.product(better, repeat=2) if b == c
    )
    for row in found.summary.itertuples():
        # The definition counts the better and the worse ones ...
        assert row.rank_low == 1 + sum(b == row.algorithm for _, b in better)
        assert row.rank_high == 4 - sum(a == row.algorithm for a, _ in better)
        # ... which leaves no order out, and no rank in where decisions are transitive.
        within = set(range(row.rank_low, row.rank_high + 1))
        assert sets[row.algorithm] <= within
        assert not transitive or sets[row.algorithm] == within


@pytest.mark.parametrize("m", [3, 8])
def test_a_mean_rank_on_which_all_datasets_agree_is_not_certain(m):
    # Clopper and Pearson: 0 of m datasets is compatible with a share of 1 − 0.025^(1/m).
    found = compare(table([2] * m, (0.4, 0.2, 0.0), spread=0.001)).summary
    share = 1 - 0.025 ** (1 / m)
    np.testing.assert_allclose(found["mean_rank_ci_low"], [1, 2 - share, 3 - 2 * share])
    np.testing.assert_allclose(found["mean_rank_ci_high"], [1 + 2 * share, 2 + share, 3])


def test_one_dataset_that_differs_leaves_the_mean_rank_a_limit():
    ahead = np.array([-0.05, *np.linspace(0.01, 0.11, 11)])
    frame = pd.DataFrame({"dataset": list("abcdefghijkl"), "A": 0.5 + ahead, "B": 0.5})
    summary = compare(frame, algorithms=["A", "B"]).summary.set_index("algorithm")
    # The second rank in 1 of 12 datasets: a share, as Clopper and Pearson bound it.
    share = stats.binomtest(1, 12).proportion_ci(method="exact")
    assert summary.loc["A", RANK_LIMITS].tolist() == pytest.approx([1 + share.low, 1 + share.high])
    assert summary.loc["B", RANK_LIMITS].tolist() == pytest.approx([2 - share.high, 2 - share.low])


def test_intervals_of_bounded_scores_stay_in_bounds():
    limits = ["mean_score_ci_low", "mean_score_ci_high"]
    frame = table([2, 2], (0.3, 0.4), spread=0.1)
    frame["reward"] = frame["reward"].clip(0, 1)
    reward = compare(frame).summary[limits]
    auroc = compare(frame.rename(columns={"reward": "auroc"})).summary[limits]
    assert (reward > 1).any(axis=None)
    assert auroc.to_numpy() == pytest.approx(reward.clip(0, 1).to_numpy())


def test_no_difference_of_bounded_scores_exceeds_the_bounds():
    # Eight datasets, of which one decides: resamples without it make the limits wide.
    reward = table([1] * 8, [0.0] * 6, spread=0.001)
    own = reward["algorithm"].str[1:].astype(int) / 6
    reward["reward"] += np.where(reward["dataset"] == "d0", own, 0.3) - 0.5
    free = compare(reward, estimand="mean")
    bounded = compare(reward.rename(columns={"reward": "acc"}), estimand="mean")
    limits = ["ci_low", "ci_high"]
    np.testing.assert_array_equal(
        bounded.pairwise_full[limits], free.pairwise_full[limits].clip(-1, 1)
    )
    assert (free.pairwise_full["ci_high"] > 1).any()
    assert bounded.pairwise_full["conclusion"].equals(free.pairwise_full["conclusion"])
