"""Effect sizes, posteriors, Kendall's τ and diagnostics of pairs."""

import numpy as np
import pytest

from tests.comparison.synthetic import compare, table


def test_pairs_are_mirrored(lenz):
    def off(name, turned=False):
        values = lenz().matrix(name).to_numpy()
        return (values.T if turned else values)[~np.eye(9, dtype=bool)].astype(float)

    for name in ("difference", "typical_difference", "mean_difference", "rank_biserial"):
        assert off(name) == pytest.approx(-off(name, turned=True))
    for name, other in (("wins", "losses"), ("bayes_better", "bayes_worse"),
                        ("difference_above", "difference_below")):  # fmt: skip
        assert off(name) == pytest.approx(off(other, turned=True))
    name = "prob_improvement_task"
    assert off(name) == pytest.approx(1 - off(name, turned=True))


def test_identical_algorithms():
    found = compare(table([2] * 6, (0.0, 0.0)).assign(reward=0.5), score="reward")
    row = found.pairwise_full.iloc[0]
    assert (row["ties"], row["difference"], row["bayes_equivalent"]) == (row["n_tasks"], 0, 1)
    assert found.summary["leads"].tolist() == [0.5, 0.5]
    assert set(found.pairwise_full["conclusion_ignoring_clusters"]) == {"undecided"}
