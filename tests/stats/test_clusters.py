"""Grouping of tasks by cluster: numbering and sums."""

import numpy as np
import pytest

from occstats.stats.clusters import Clusters


def test_clusters_are_numbered_by_label_in_any_order_of_rows():
    one = Clusters.of(np.array(["b", "a", "b", "c"], dtype=object))
    two = Clusters.of(np.array(["c", "b", "b", "a"], dtype=object))
    assert one.labels.tolist() == two.labels.tolist() == ["a", "b", "c"]
    assert one.sums([1.0, 2.0, 3.0, 4.0]).tolist() == two.sums([4.0, 3.0, 1.0, 2.0]).tolist()


def test_sums_do_not_depend_on_how_values_lie_in_memory(monkeypatch):
    monkeypatch.setattr("occstats.stats.clusters._CACHED_ELEMENTS", 40)  # several parts
    rng = np.random.default_rng(0)
    clusters, values = Clusters.of(rng.integers(4, size=9)), rng.normal(size=(9, 23))
    expected = clusters.sums(values)
    assert (clusters.sums(np.asfortranarray(values)) == expected).all()
    assert (clusters.sums(values[:, 3]) == expected[:, 3]).all()
    assert expected[0, 0] == pytest.approx(values[clusters.codes == 0, 0].sum())
