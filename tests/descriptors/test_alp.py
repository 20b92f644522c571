"""Average localised proximity: the paper's example, its statements, and its definition."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from occstats_descriptors import ALP, LNND, NND, Neighbours, log_multiple
from tests.descriptors import references_neighbours as references
from tests.descriptors.references_neighbours import EXPONENTS

# Rows with the neighbours and Manhattan distances of the paper's example (table
# tab_alp_example_vals; the paper gives the distances, not the rows).
EXAMPLE = np.array(
    [
        *[[0, 0], [1, 0], [2, 0], [3, 0]],  # x1 … x4
        *[[110, -4], [95, 1], [109, -1], [99, -4]],  # x5 … x8
        *[[100, 0], [105, 0]],  # x9, x10
    ],
    dtype=float,
)
QUERIES = np.array([[-4.0, 0.0], [102.0, 5.0]])


def test_the_example_has_the_neighbours_of_the_paper():
    alp = ALP(k=3, l=2).fit(EXAMPLE)
    near = alp._search.query(QUERIES, 3)
    assert (near.indices + 1).tolist() == [[1, 2, 3], [9, 10, 6]]
    assert near.distances.tolist() == [[4, 5, 6], [7, 8, 11]]
    own = alp._search.training(3)
    rows = [0, 1, 8, 9]
    assert (own.indices[rows] + 1).tolist() == [[2, 3, 4], [1, 3, 4], [8, 10, 6], [7, 9, 5]]
    assert own.distances[rows].tolist() == [[1, 2, 3], [1, 1, 2], [5, 5, 6], [5, 5, 9]]


def test_the_example_of_the_paper():
    scores = ALP(k=3, l=2).fit(EXAMPLE).score_samples(QUERIES)
    assert [f"{score:.2f}" for score in scores] == ["0.27", "0.40"]
    # D = 1, 5/3, 8/3 and 5, 5, 7, so that the proximities are
    first = sorted([Fraction(1, 5), Fraction(1, 4), Fraction(4, 13)], reverse=True)
    second = sorted([Fraction(5, 12), Fraction(5, 13), Fraction(7, 18)], reverse=True)
    exact = [sum(w * p for w, p in zip((3, 2, 1), ps, strict=True)) / 6 for ps in (first, second)]
    np.testing.assert_allclose(scores, [float(e) for e in exact], rtol=0, atol=1e-15)


@pytest.mark.parametrize("metric", EXPONENTS)
@pytest.mark.parametrize(("k", "l"), [(1, 1), (4, 9), (9, 4), (59, 60)])
def test_scores_are_those_of_the_definition(cloud, metric, k, l):  # noqa: E741
    X, Y = cloud
    alp = ALP(k=k, l=l, metric=metric, p=3).fit(X)
    expected = references.alp(Y, X, k, l, exponent=EXPONENTS[metric])
    np.testing.assert_allclose(alp.score_samples(Y), expected, rtol=1e-12)
    expected = references.alp(X, X, k, l, exponent=EXPONENTS[metric], training=True)
    np.testing.assert_allclose(alp._training_scores(), expected, rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 25), data=st.data())
def test_scores_on_data_with_ties(seed, n, data):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(n, 2)) * 1.0, rng.integers(0, 3, size=(6, 2)) * 1.0
    k, l = data.draw(st.integers(1, n - 1)), data.draw(st.integers(1, n))  # noqa: E741
    alp = ALP(k=k, l=l).fit(X)
    np.testing.assert_allclose(alp.score_samples(Y), references.alp(Y, X, k, l), rtol=1e-12)
    assert np.isfinite(alp.offset_)


def test_given_weights(cloud):
    X, Y = cloud
    owa, local = [0.7, 0.2, 0.1], [0.5, 0.5]
    expected = references.alp(Y, X, 3, 2, weights=owa, local_weights=local)
    given = ALP(k=3, l=2, weights=owa, local_weights="equal").fit(X)
    np.testing.assert_allclose(given.score_samples(Y), expected, rtol=1e-13)
    called = ALP(k=3, l=2, weights=lambda p: owa[:p], local_weights=lambda p: np.ones(p) / p).fit(X)
    np.testing.assert_array_equal(called.score_samples(Y), given.score_samples(Y))
    with pytest.raises(ValueError, match="local_weights must have the length 2"):
        ALP(k=3, l=2, local_weights=owa).fit(X)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 40), integer=st.booleans())
def test_with_one_scale_and_one_neighbour_it_is_lnnd(seed, n, integer):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, 3)), rng.normal(size=(9, 3))
    if integer:
        X, Y = np.round(X), np.round(Y)
    alp, lnnd = ALP(k=1, l=1).fit(X), LNND(k=1).fit(X)
    np.testing.assert_array_equal(alp.score_samples(Y), lnnd.score_samples(Y))
    np.testing.assert_array_equal(alp._training_scores(), lnnd._training_scores())


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 40))
def test_localised_against_all_rows_it_orders_like_nnd(seed, n):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n, 3)), rng.normal(size=(30, 3))
    alp = ALP(k=1, l=n, local_weights="equal").fit(X).score_samples(Y)
    nnd = NND(k=1).fit(X).score_samples(Y)
    np.testing.assert_array_equal(rankdata(alp.round(12)), rankdata(nnd.round(12)))


def test_sizes(cloud):
    X, _ = cloud
    alp = ALP().fit(X)
    assert (alp.k_, alp.l_) == (round(5.5 * np.log(60)), round(6 * np.log(60))) == (23, 25)
    assert alp.n_neighbours_ == 25
    assert repr(ALP(k=log_multiple(5), l=3)) == "ALP(k=log_multiple(5), l=3)"
    assert ALP().fit(X[:4]).l_ == 3
    assert ALP(k=1, l=60).fit(X).l_ == 60
    with pytest.raises(ValueError, match=r"l must be an integer in \[1, 60\] .* got l=61"):
        ALP(k=1, l=61).fit(X)
    with pytest.raises(ValueError, match=r"k must be an integer in \[1, 59\] .* got k=60"):
        ALP(k=60, l=1).fit(X)


def test_duplicates_have_the_proximity_one_half():
    X = np.array([[0.0]] * 6 + [[9.0]])
    alp = ALP(k=2, l=2).fit(X)
    np.testing.assert_array_equal(alp.score_samples([[0.0], [0.5]]), [0.5, 0.0])


def test_numbers_near_the_largest_have_scores():
    rng = np.random.default_rng(0)
    X = 1e307 * rng.normal(size=(30, 3))
    scores, scaled = (ALP(k=9, l=20).fit(Z).score_samples(Z) for Z in (X, X / 1e307))
    np.testing.assert_allclose(scores, scaled, rtol=1e-12)


def test_a_wider_search_gives_the_same_scores(cloud):
    X, Y = cloud
    alp = ALP(k=5, l=7).fit(X)
    near = alp._search.query(Y, 30)
    np.testing.assert_array_equal(alp.score_neighbours(near), alp.score_samples(Y))
    with pytest.raises(ValueError, match=r"k must be in \[1, 3\], .* got k=7"):
        alp.score_neighbours(Neighbours(near.distances[:, :3], near.indices[:, :3]))


def test_agrees_with_fuzzy_rough_learn_without_ties(cloud):
    frl = pytest.importorskip("frlearn.data_descriptors", reason="needs fuzzy-rough-learn")
    from occstats_descriptors import LOF

    X, Y = cloud
    for ours, theirs in (
        (NND(k=3), frl.NND(k=3, preprocessors=())),
        (LNND(), frl.LNND(preprocessors=())),
        (LOF(), frl.LOF(preprocessors=())),
        (ALP(), frl.ALP(preprocessors=())),
        (ALP(k=7, l=2), frl.ALP(k=7, l=2, preprocessors=())),
    ):
        expected = theirs(X)(Y)
        if isinstance(ours, NND):  # theirs is a mean over the first k
            expected = frl.NND(k=3, preprocessors=(), weights=lambda k: [0] * (k - 1) + [1])(X)(Y)
        np.testing.assert_allclose(ours.fit(X).score_samples(Y), expected, rtol=1e-10)
