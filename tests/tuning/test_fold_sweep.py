"""Sweeps of one fold against the descriptors, size by size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from occstats.experiment.tasks import auroc, average_precision
from occstats.tuning import fold_sweep
from occstats.tuning.fold_sweep import Measures, NeighbourSweep, support_vector_measures
from occstats_descriptors import ALP, LNND, LOF, NND, SVM
from occstats_descriptors.svm_grid import SupportVectorGrid


def fold(kind, seed=0, n=40, queries=60, m=3):
    """Make a training and a test part, with ties, duplicates or huge numbers."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n + queries, m))
    if kind == "integers":
        rows = rng.integers(0, 4, size=rows.shape).astype(float)
    elif kind == "duplicates":
        rows[: n // 2] = rows[0]
        rows[n : n + 10] = rows[0]
    rows[n + queries // 2 :] += 0.7 * rows.std()
    if kind == "huge":
        rows *= 1e305
    is_target = np.arange(queries) < queries // 2
    return rows[:n], rows[n:], is_target


def measures(is_target, scores):
    return [auroc(is_target, scores), average_precision(is_target, scores)]


KINDS = ["normal", "integers", "duplicates", "huge"]


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("descriptor", [NND, LNND, LOF])
def test_every_k_equals_the_descriptor(descriptor, kind, metric):
    train, test, is_target = fold(kind)
    ks = [*range(1, 8), 15, 29]
    sweep = NeighbourSweep(train, test, is_target, metric=metric, largest=29)
    swept = sweep.measures(descriptor.__name__, [ks])
    alone = [
        measures(is_target, descriptor(k=k, metric=metric).fit(train).score_samples(test))
        for k in ks
    ]
    np.testing.assert_allclose(swept, alone, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("ks", "ls"), [(range(1, 12), range(1, 12)), ([2, 7], [1, 4, 11])])
def test_every_pair_of_k_and_l_equals_alp(kind, ks, ls):
    train, test, is_target = fold(kind, n=12, queries=40)
    sweep = NeighbourSweep(train, test, is_target, metric="manhattan", largest=11)
    swept = sweep.measures("ALP", [ks, ls])
    alone = [
        [measures(is_target, ALP(k=k, l=l).fit(train).score_samples(test)) for l in ls]  # noqa: E741
        for k in ks
    ]
    np.testing.assert_allclose(swept, alone, rtol=0, atol=1e-12)


def test_support_vectors_reach_the_solution_of_each_fit():
    train, test, is_target = fold("normal", n=60)
    nus, widths = [0.05, 0.2, 0.5, 0.95], [0.3, 1.5]
    swept = support_vector_measures(train, test, is_target, nus, widths)
    alone = [
        [measures(is_target, SVM(nu=nu, c=c).fit(train).score_samples(test)) for c in widths]
        for nu in nus
    ]
    # Solutions agree to the tolerance of the solver (1e-3): a few pairs of rows may swap.
    np.testing.assert_allclose(swept, alone, rtol=0, atol=0.01)


def test_a_large_problem_is_solved_at_every_fifth_value(monkeypatch):
    train, test, is_target = fold("normal", n=60)
    nus = [round(0.05 + 0.01 * step, 2) for step in range(18)]
    widths = [round(0.5 + 0.05 * step, 2) for step in range(21)]
    whole = support_vector_measures(train, test, is_target, nus, widths)
    monkeypatch.setattr(fold_sweep, "MOST_DISTINCT", len(train) - 1)
    solved = []

    class Counted(SupportVectorGrid):
        def scores(self, nus, c):
            solved.append((list(nus), c))
            return super().scores(nus, c)

    monkeypatch.setattr("occstats_descriptors.svm_grid.SupportVectorGrid", Counted)
    coarse = support_vector_measures(train, test, is_target, nus, widths)
    assert solved == [([0.05, 0.1, 0.15, 0.2, 0.22], c) for c in (0.5, 0.75, 1.0, 1.25, 1.5)]
    at = np.ix_([0, 5, 10, 15, 17], [0, 5, 10, 15, 20])
    # The spline interpolates the solutions, which start elsewhere and agree to the tolerance.
    np.testing.assert_allclose(coarse[at], whole[at], rtol=0, atol=0.01)
    np.testing.assert_allclose(coarse, whole, rtol=0, atol=0.03)
    assert (coarse <= 1).all()
    # A short grid is solved at every point.
    solved.clear()
    support_vector_measures(train, test, is_target, nus[:4], widths)
    assert len(solved) == len(widths)


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(
        float,
        hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=12),
        elements=st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.1, 0.3, 0.1 + 0.2, 1.0, 1e-9])),
    ),
    st.data(),
)
def test_measures_of_a_matrix_equal_those_of_its_rows(scores, data):
    columns = scores.shape[1]
    targets = data.draw(st.integers(1, columns - 1))
    is_target = np.array(
        data.draw(st.permutations([True] * targets + [False] * (columns - targets)))
    )
    expected = np.array([measures(is_target, row) for row in scores])
    assert Measures(is_target)(scores) == pytest.approx(expected, abs=1e-12)
