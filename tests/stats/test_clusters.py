"""Grouping of tasks by cluster: numbering and sums."""

import numpy as np

from occstats.stats.clusters import Clusters


def test_clusters_are_numbered_by_label_in_any_order_of_rows():
    one = Clusters.of(np.array(["b", "a", "b", "c"], dtype=object))
    two = Clusters.of(np.array(["c", "b", "b", "a"], dtype=object))
    assert one.labels.tolist() == two.labels.tolist() == ["a", "b", "c"]
    assert one.sums([1.0, 2.0, 3.0, 4.0]).tolist() == two.sums([4.0, 3.0, 1.0, 2.0]).tolist()
