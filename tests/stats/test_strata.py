"""Strata of tasks: edges, membership, means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats.stats import cluster_weights, rank_strata, task_ranks


@settings(max_examples=60, deadline=None)
@given(
    trait=st.lists(st.integers(0, 9), min_size=1, max_size=30),
    n_strata=st.integers(1, 6),
)
def test_strata_partition_the_tasks(trait, n_strata):
    rng = np.random.default_rng(0)
    n = len(trait)
    ranks = task_ranks(rng.uniform(size=(n, 3)))
    clusters = rng.integers(0, 4, n)
    found = rank_strata(ranks, trait, clusters, n_strata=n_strata)
    assert found.n_tasks.sum() == n
    assert found.weight.sum() == pytest.approx(1)
    assert len(found.low) <= n_strata
    # The strata's means, weighted, are the overall mean.
    filled = np.nan_to_num(found.mean_ranks)
    np.testing.assert_allclose(found.weight @ filled, cluster_weights(clusters) @ ranks)
    last = len(found.low) - 1
    for stratum, (low, high) in enumerate(zip(found.low, found.high, strict=True)):
        inside = (np.array(trait) >= low) & (
            (np.array(trait) < high) | ((stratum == last) & (np.array(trait) == high))
        )
        assert found.n_tasks[stratum] == inside.sum()


def test_empty_stratum_has_no_mean():
    found = rank_strata([[1, 2], [2, 1]], [0.0, 1.0], ["a", "b"], n_strata=3)
    assert found.n_tasks.tolist() == [1, 0, 1]
    assert np.isnan(found.mean_ranks[1]).all()
    assert found.mean_ranks[2].tolist() == [2, 1]
