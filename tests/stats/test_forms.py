"""Sums over pairs of tasks, against the double loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats.stats.clusters import Clusters
from occstats.stats.bayes import counted_form, quadratic_forms, walsh_form
from occstats.stats.sample import Sample


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(0, 3)), min_size=1, max_size=14),
    st.integers(-3, 3),
)
def test_walsh_form_counts_pairs(tasks: list[tuple[int, int]], threshold: int) -> None:
    x = np.array([value for value, _ in tasks], dtype=float)
    grouping = Clusters.of([cluster for _, cluster in tasks])
    weights = 1.0 / (1 + np.arange(len(x)))
    expected = np.zeros((grouping.n_clusters, grouping.n_clusters))
    for s, i in enumerate(grouping.codes):
        for t, k in enumerate(grouping.codes):
            h = np.heaviside(x[s] + x[t] - threshold, 0.5)
            expected[i, k] += weights[s] * weights[t] * h
    assert walsh_form(x, grouping, threshold, weights) == pytest.approx(expected, abs=1e-12)
    rows = np.random.default_rng(0).uniform(size=(5, grouping.n_clusters))
    values = [row @ expected @ row for row in rows]
    assert counted_form(x, grouping, threshold, weights)(rows) == pytest.approx(values, abs=1e-12)


def test_missing_and_weightless_tasks_count_nothing() -> None:
    x = np.array([1.0, np.nan, 2.0, 5.0])
    grouping = Clusters.of(["a", "a", "b", "b"])
    found = walsh_form(x, grouping, 0.0, np.array([1.0, 1.0, 1.0, 0.0]))
    assert found.tolist() == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("m", [3, 160])
def test_quadratic_forms_in_both_ways(m: int) -> None:
    rng = np.random.default_rng(m)
    forms = rng.normal(size=(4, m, m))
    forms += forms.transpose(0, 2, 1)
    weights = rng.uniform(size=(7, m))
    expected = np.array([[w @ form @ w for form in forms] for w in weights])
    assert quadratic_forms(weights, forms) == pytest.approx(expected, rel=1e-12)


def test_clusters_are_numbered_by_label_whatever_the_order_of_rows() -> None:
    one = Clusters.of(np.array(["b", "a", "b", "c"], dtype=object))
    two = Clusters.of(np.array(["c", "b", "b", "a"], dtype=object))
    assert one.labels.tolist() == two.labels.tolist() == ["a", "b", "c"]
    assert one.sums([1.0, 2.0, 3.0, 4.0]).tolist() == two.sums([4.0, 3.0, 1.0, 2.0]).tolist()


def test_sums_do_not_depend_on_how_values_lie_in_memory(monkeypatch) -> None:
    monkeypatch.setattr("occstats.stats.clusters._CACHED_ELEMENTS", 40)  # several parts
    rng = np.random.default_rng(0)
    clusters, values = Clusters.of(rng.integers(4, size=9)), rng.normal(size=(9, 23))
    expected = clusters.sums(values)
    assert (clusters.sums(np.asfortranarray(values)) == expected).all()
    assert (clusters.sums(values[:, 3]) == expected[:, 3]).all()  # with gaps between them
    assert expected[0, 0] == pytest.approx(values[clusters.codes == 0, 0].sum())


def test_differences_within_the_tolerance_tie() -> None:
    sample = Sample.of([[0.3, 0.2], [0.2, 0.1]], ["a", "b"], tie_tolerance=1e-9)
    raw, grid = sample.differences, sample.grid
    assert raw[0, 0] != raw[1, 0]
    assert grid[0, 0] == grid[1, 0]
