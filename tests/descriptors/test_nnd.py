"""Nearest neighbour distance and its localised form."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats_descriptors import LNND, NND, log_multiple
from tests.descriptors import references_neighbours as references
from tests.descriptors.references_neighbours import EXPONENTS


@pytest.mark.parametrize("metric", EXPONENTS)
@pytest.mark.parametrize("k", [1, 4, 59])
def test_scores_are_those_of_the_definition(cloud, metric, k):
    X, Y = cloud
    for descriptor, reference in ((NND, references.nnd), (LNND, references.lnnd)):
        scores = descriptor(k=k, metric=metric, p=3).fit(X).score_samples(Y)
        np.testing.assert_allclose(scores, reference(Y, X, k, EXPONENTS[metric]), rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 25), data=st.data())
def test_localised_scores_on_data_with_ties(seed, n, data):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(n, 2)) * 1.0, rng.integers(0, 3, size=(6, 2)) * 1.0
    k = data.draw(st.integers(1, n - 1))
    lnnd = LNND(k=k).fit(X)
    np.testing.assert_allclose(lnnd.score_samples(Y), references.lnnd(Y, X, k), rtol=1e-13)
    training = references.lnnd(X, X, k, training=True)
    np.testing.assert_allclose(lnnd._training_scores(), training, rtol=1e-13)


def test_worked_by_hand():
    X = [[0.0, 0.0], [0.0, 1.0], [3.0, 1.0]]
    nnd = NND(k=2).fit(X)
    # (0, 2) is at 2, 1 and 4 from the three; (9, 9) at 18, 17 and 14
    np.testing.assert_array_equal(nnd.score_samples([[0, 2], [9, 9]]), [1 / 3, 1 / 18])
    # own second neighbours: 4, 3, 4
    np.testing.assert_allclose(nnd._training_scores(), [1 / 5, 1 / 4, 1 / 5], rtol=1e-15)
    lnnd = LNND(k=2).fit(X)
    np.testing.assert_allclose(lnnd.score_samples([[0, 2], [9, 9]]), [4 / 6, 3 / 20], rtol=1e-15)


def test_the_threshold_excludes_a_row_from_its_own_score(cloud):
    X, _ = cloud
    nnd = NND(k=1, contamination=0.2).fit(X)
    assert (nnd.score_samples(X) == 1).all()
    own, _ = references.neighbours(X, X, 1, training=True)
    assert nnd.offset_ == pytest.approx(np.quantile(1 / (1 + own[:, 0]), 0.2), rel=1e-14)
    fresh = np.random.default_rng(0).normal(size=(200, 4))
    assert 0.05 < (nnd.predict(fresh) == -1).mean() < 0.5
    assert (nnd.fit_predict(X) == -1).sum() == 12


def test_nnd_does_not_depend_on_the_order_of_rows_even_with_ties(lattice):
    X, Y = lattice
    order = np.random.default_rng(1).permutation(len(X))
    for k in (1, 7):
        expected = NND(k=k).fit(X).score_samples(Y)
        np.testing.assert_array_equal(NND(k=k).fit(X[order]).score_samples(Y), expected)


def test_all_rows_as_neighbours():
    nnd = NND(k=3).fit([[0.0], [1.0], [5.0]])
    np.testing.assert_array_equal(nnd.score_samples([[0.0]]), [1 / 6])
    assert np.isfinite(nnd.offset_)
    with pytest.raises(
        ValueError, match=r"k must be an integer in \[1, 3\] .* got k=4; give fewer"
    ):
        NND(k=4).fit([[0.0], [1.0], [5.0]])
    with pytest.raises(
        ValueError, match=r"k must be an integer in \[1, 2\] .* got k=3; give fewer"
    ):
        LNND(k=3).fit([[0.0], [1.0], [5.0]])


def test_localised_distances_among_duplicates():
    X = np.array([[0.0]] * 4 + [[5.0]])
    lnnd = LNND(k=2).fit(X)
    # 0/0 counts as the localised distance 1, a positive distance over 0 as infinite
    np.testing.assert_array_equal(lnnd.score_samples([[0.0], [1.0]]), [0.5, 0.0])


def test_default_sizes():
    X = np.random.default_rng(0).normal(size=(200, 2))
    assert NND().fit(X).k_ == 1
    assert LNND().fit(X).k_ == round(3.4 * np.log(200)) == 18
    assert NND(k=log_multiple(1.0)).fit(X[:4]).k_ == 1
    assert LNND().fit(X[:4]).k_ == 3
