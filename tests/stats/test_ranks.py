"""Weights, ranks and their frequencies, by hand and on the paper's table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from occstats.stats import (
    cluster_weights,
    mean_ranks,
    rank_frequencies,
    task_ranks,
)


def test_ties_are_spread_over_their_ranks():
    ranks = task_ranks([[0.5, 0.9, 0.5, 0.5]])
    np.testing.assert_array_equal(ranks, [[3, 1, 3, 3]])
    third = 1 / 3
    np.testing.assert_allclose(
        rank_frequencies(ranks, [1.0]),
        [
            [0, third, third, third],
            [1, 0, 0, 0],
            [0, third, third, third],
            [0, third, third, third],
        ],
        atol=1e-15,
    )


tables = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 12), st.integers(1, 6)), elements=st.integers(0, 4)
)


@settings(max_examples=60, deadline=None)
@given(table=tables, data=st.data())
def test_properties(table, data):
    n, k = table.shape
    clusters = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    columns = data.draw(st.permutations(range(k)))
    rows = data.draw(st.permutations(range(n)))
    weights = cluster_weights(clusters)
    ranks = task_ranks(table)
    means, frequencies = mean_ranks(ranks, weights), rank_frequencies(ranks, weights)
    np.testing.assert_allclose(ranks.sum(axis=1), k * (k + 1) / 2)
    np.testing.assert_allclose(frequencies.sum(axis=0), 1)
    np.testing.assert_allclose(frequencies.sum(axis=1), 1)
    np.testing.assert_allclose(frequencies @ np.arange(1, k + 1), means, rtol=1e-12)
    assert (frequencies >= 0).all()
    shuffled = cluster_weights(np.array(clusters)[rows])
    np.testing.assert_allclose(mean_ranks(ranks[rows], shuffled), means)
    np.testing.assert_array_equal(task_ranks(table[:, columns]), ranks[:, columns])
    np.testing.assert_array_equal(task_ranks(np.exp(table / 2.0)), ranks)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["NA", "001", "1e5", "True", "é"]), min_size=1, max_size=30))
def test_clusters_have_equal_weight(clusters):
    weights = cluster_weights(clusters)
    assert weights.sum() == pytest.approx(1)
    totals = pd.Series(weights).groupby(np.array(clusters)).sum()
    np.testing.assert_allclose(totals, 1 / len(set(clusters)))


def test_rounding_makes_ties():
    scores = [[0.1 + 0.2, 0.3]]
    np.testing.assert_array_equal(task_ranks(scores), [[1, 2]])
    np.testing.assert_array_equal(task_ranks(scores, tie_tolerance=1e-9), [[1.5, 1.5]])
