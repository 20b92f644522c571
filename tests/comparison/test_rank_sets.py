"""Ranks consistent with the decisions, by listing every order of the algorithms.

The ranks that an algorithm may have, for all algorithms together (Mogstad, Romano, Shaikh and
Wilhelm 2024, as R's csranks), follow from the pairs that are decided: they are those in the orders
that contradict no decision.
"""

import itertools

import numpy as np
import pandas as pd
import pytest

import occstats


def benchmark(seed, k=4, n_clusters=9):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), rng.integers(1, 4, n_clusters))
    common = rng.normal(0, 0.4, size=(n_clusters, k))
    noise = rng.normal(size=(len(clusters), k))
    steps = np.array([3.0, 2.6, 1.0, 0.0])[:k]
    table = pd.DataFrame(np.round(steps + common[clusters] + noise, 1), columns=list("abcd"))
    table.insert(0, "task", range(len(table)))
    table.insert(0, "dataset", clusters)
    return table


def ranks_by_listing(better, names):
    """The ranks of each algorithm in all orders in which no decided pair is reversed."""
    orders = [
        order
        for order in itertools.permutations(names)
        if all(order.index(a) < order.index(b) for a, b in better)
    ]
    return {name: {order.index(name) + 1 for order in orders} for name in names}


@pytest.mark.parametrize("estimand", ["typical", "mean"])
@pytest.mark.parametrize("seed", range(4))
def test_rank_ranges_hold_all_orders_that_contradict_no_decision(seed, estimand):
    found = occstats.compare(
        benchmark(seed), alpha=0.1, lower_is_better=False, estimand=estimand, n_resamples=300
    )
    decided = found.pairwise[found.pairwise["conclusion"] == "better"]
    better = list(zip(decided["a"], decided["b"], strict=True))
    assert better, "the case shows nothing"
    sets = ranks_by_listing(better, found.algorithms)
    transitive = all(
        (a, d) in better for (a, b), (c, d) in itertools.product(better, repeat=2) if b == c
    )
    for row in found.summary.itertuples():
        # The definition counts who is better and who is worse ...
        assert row.rank_low == 1 + sum(b == row.algorithm for _, b in better)
        assert row.rank_high == 4 - sum(a == row.algorithm for a, _ in better)
        # ... which leaves no order out, and no rank in where decisions are transitive.
        within = set(range(row.rank_low, row.rank_high + 1))
        assert sets[row.algorithm] <= within
        assert not transitive or sets[row.algorithm] == within


def test_a_case_by_hand():
    # Seven datasets of one task. a − c and b − c are positive in all, a − b is not: a and b may
    # change places.
    scores = np.array([[9, 8, 5], [8, 7, 6], [9, 6, 3], [7, 6, 4], [8, 6, 2], [6, 7, 5], [9, 8, 4]])
    table = pd.DataFrame(scores / 10, columns=list("abc")).assign(dataset=list("tuvwxyz"))
    summary = occstats.compare(table, alpha=0.1, n_resamples=100).summary.set_index("algorithm")
    assert summary.loc[["a", "b", "c"], "rank_low"].tolist() == [1, 1, 3]
    assert summary.loc[["a", "b", "c"], "rank_high"].tolist() == [2, 2, 3]
    assert ranks_by_listing([("a", "c"), ("b", "c")], "abc") == {"a": {1, 2}, "b": {1, 2}, "c": {3}}
