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
    strata = found.drop_duplicates("stratum")
    assert strata["n_tasks"].sum() == n
    assert strata["weight"].sum() == pytest.approx(1)
    assert len(strata) <= n_strata
    # The strata's means, weighted, are the overall mean.
    shares = (found["weight"] * found["mean_rank"]).groupby(found["algorithm"]).sum()
    np.testing.assert_allclose(shares, cluster_weights(clusters) @ ranks)
    for row in strata.itertuples():
        inside = (np.array(trait) >= row.low) & (
            (np.array(trait) < row.high)
            | ((row.stratum == len(strata)) & (np.array(trait) == row.high))
        )
        assert row.n_tasks == inside.sum()


def test_empty_stratum_has_no_mean():
    found = rank_strata([[1, 2], [2, 1]], [0.0, 1.0], ["a", "b"], n_strata=3)
    assert found["n_tasks"].tolist() == [1, 1, 0, 0, 1, 1]
    assert found["mean_rank"].tolist() == pytest.approx([1, 2, np.nan, np.nan, 2, 1], nan_ok=True)
