"""Pairs by enumeration of all tasks × pairs, and on the paper's table."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from occstats.stats import cluster_weights, complementary_pairs, task_ranks

tables = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 8), st.integers(2, 6)), elements=st.integers(0, 4)
)


def by_enumeration(table, clusters):
    pairs = list(combinations(range(table.shape[1]), 2))
    best = np.column_stack([table[:, [a, b]].max(axis=1) for a, b in pairs])
    weights = cluster_weights(clusters)
    return {
        pair: (score, rank)
        for pair, score, rank in zip(pairs, weights @ best, weights @ task_ranks(best), strict=True)
    }


@settings(max_examples=80, deadline=None)
@given(table=tables, data=st.data())
def test_is_enumeration(table, data):
    n = len(table)
    clusters = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    found = complementary_pairs(table, clusters)
    expected = by_enumeration(table, clusters)
    assert len(found.a) == len(expected)
    for a, b, score, rank in zip(
        found.a, found.b, found.mean_best_score, found.mean_rank, strict=True
    ):
        assert (score, rank) == pytest.approx(expected[a, b], rel=1e-12)
    assert (np.diff(found.mean_best_score) < 1e-9).all()
