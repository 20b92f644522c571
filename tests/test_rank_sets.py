"""Rank sets against their definition, by listing everything: flips, intersections, orders.

The ranks that an algorithm may have, for all algorithms together (Mogstad, Romano, Shaikh and
Wilhelm 2024, as R's csranks), follow from which differences are rejected with the error over all
pairs controlled. Here the rejections come from closed testing, which needs no step-down: a pair is
rejected if every intersection of hypotheses that contains it is, by the largest statistic over all
flips of all data sets. The ranks come from listing every order of the algorithms that contradicts
no rejection.
"""

import itertools

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.stats import clustered_wilcoxon, max_t

ALPHA = 0.1


def benchmark(seed, k=4, n_clusters=7):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(n_clusters), rng.integers(1, 4, n_clusters))
    common = rng.normal(0, 0.4, size=(n_clusters, k))
    noise = rng.normal(size=(len(clusters), k))
    steps = np.array([3.0, 2.6, 1.0, 0.0])[:k]
    return np.round(steps + common[clusters] + noise, 1), clusters


def closed_testing(scores, clusters):
    """Corrected p-value of each pair: the largest over all intersections that contain it."""
    grid, pairs = np.round(scores * 10), list(itertools.combinations(range(scores.shape[1]), 2))
    flips = itertools.product([1.0, -1.0], repeat=len(np.unique(clusters)))
    z = np.array(
        [
            [
                clustered_wilcoxon((grid[:, a] - grid[:, b]) * signs[clusters], clusters).zstatistic
                for a, b in pairs
            ]
            for signs in map(np.array, flips)
        ]
    )
    size = np.abs(z)
    p = dict.fromkeys(pairs, 0.0)
    for count in range(1, len(pairs) + 1):
        for subset in itertools.combinations(range(len(pairs)), count):
            largest = size[:, subset].max(axis=1)
            share = np.mean(largest >= largest[0] - 1e-10)
            for place in subset:
                p[pairs[place]] = max(p[pairs[place]], share)
    return p, dict(zip(pairs, z[0], strict=True))


def ranks_by_listing(better, k):
    """The ranks of each algorithm in all orders in which no rejected difference is reversed."""
    orders = [
        order
        for order in itertools.permutations(range(k))
        if all(order.index(a) < order.index(b) for a, b in better)
    ]
    return [{order.index(a) + 1 for order in orders} for a in range(k)]


@pytest.mark.parametrize("seed", range(4))
def test_rank_sets_are_those_of_closed_testing(seed):
    scores, clusters = benchmark(seed)
    k = scores.shape[1]
    p, z = closed_testing(scores, clusters)
    found = max_t(scores, clusters, tie_tolerance=1e-9)
    for pair, expected in p.items():
        assert found.p[pair] == pytest.approx(expected, rel=1e-12)
    rejected = [pair for pair in p if p[pair] <= ALPHA]
    better = [(a, b) if z[a, b] > 0 else (b, a) for a, b in rejected]
    assert better, "the case shows nothing"
    table = pd.DataFrame(scores, columns=list("abcd"))
    table.insert(0, "task", range(len(table)))
    table.insert(0, "dataset", clusters)
    comparison = occstats.compare(
        table, alpha=ALPHA, lower_is_better=False, n_resamples=100, tie_tolerance=1e-9
    )
    summary = comparison.summary.set_index("algorithm")
    sets = ranks_by_listing(better, k)
    transitive = all(
        (a, d) in better for (a, b), (c, d) in itertools.product(better, repeat=2) if b == c
    )
    for place, name in enumerate("abcd"):
        low, high = summary.loc[name, ["rank_low", "rank_high"]]
        # The definition counts who is better and who is worse ...
        assert low == 1 + sum(b == place for _, b in better)
        assert high == k - sum(a == place for a, _ in better)
        # ... which leaves no order out, and no rank in where rejections are transitive.
        assert sets[place] <= set(range(int(low), int(high) + 1))
        if transitive:
            assert sets[place] == set(range(int(low), int(high) + 1))
    first = [name for name in summary.index if summary.loc[name, "rank_low"] == 1]
    if 1 < len(first) < k:
        assert "statistically tied for first: " in comparison.verdict


def test_a_case_by_hand():
    # Six data sets of one task. a − c and b − c are positive in all; in four of the 64 flips some
    # pair is as far from zero as they are. Of a − b (1, 1, 3, 1, 2, −1) one is negative: that is
    # not rejected, so a and b may change places.
    scores = np.array([[9, 8, 5], [8, 7, 6], [9, 6, 3], [7, 6, 4], [8, 6, 2], [6, 7, 5]])
    p, _ = closed_testing(scores, np.arange(6))
    assert p[0, 2] == p[1, 2] == 4 / 64
    assert p[0, 1] == 10 / 64
    table = pd.DataFrame(scores / 10, columns=list("abc")).assign(dataset=list("uvwxyz"))
    summary = occstats.compare(table, alpha=ALPHA, n_resamples=100).summary.set_index("algorithm")
    assert summary.loc[["a", "b", "c"], "rank_low"].tolist() == [1, 1, 3]
    assert summary.loc[["a", "b", "c"], "rank_high"].tolist() == [2, 2, 3]
    assert ranks_by_listing([(0, 2), (1, 2)], 3) == [{1, 2}, {1, 2}, {3}]
