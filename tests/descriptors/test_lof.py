"""Local outlier factor."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import LocalOutlierFactor

from occstats_descriptors import LOF
from tests.descriptors import references_neighbours as references
from tests.descriptors.references_neighbours import EXPONENTS


@pytest.mark.parametrize("metric", EXPONENTS)
@pytest.mark.parametrize("k", [1, 5, 59])
def test_scores_are_those_of_the_definition(cloud, metric, k):
    X, Y = cloud
    lof = LOF(k=k, metric=metric, p=3).fit(X)
    expected = references.lof(Y, X, k, EXPONENTS[metric])
    np.testing.assert_allclose(lof.score_samples(Y), expected, rtol=1e-12)
    expected = references.lof(X, X, k, EXPONENTS[metric], training=True)
    np.testing.assert_allclose(lof._training_scores(), expected, rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 25), data=st.data())
def test_scores_on_data_with_ties(seed, n, data):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(n, 2)) * 1.0, rng.integers(0, 3, size=(6, 2)) * 1.0
    k = data.draw(st.integers(1, n - 1))
    lof = LOF(k=k).fit(X)
    np.testing.assert_allclose(lof.score_samples(Y), references.lof(Y, X, k), rtol=1e-13)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_agrees_with_scikit_learn(metric):
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(400, 5)), 2 * rng.normal(size=(60, 5))
    lof = LOF(k=12, metric=metric).fit(X)
    peer = LocalOutlierFactor(n_neighbors=12, metric=metric, novelty=True).fit(X)
    # scikit-learn's score is −lof; it adds 1e-10 to the mean reachability distance
    np.testing.assert_allclose(lof.score_samples(Y), 1 / (1 - peer.score_samples(Y)), rtol=1e-9)
    expected = 1 / (1 - peer.negative_outlier_factor_)
    np.testing.assert_allclose(lof._training_scores(), expected, rtol=1e-9)


def test_worked_by_hand():
    # Training rows 0, 1, 3 with k = 1: neighbours 1, 0, 1 at 1, 1, 2; mean reachabilities 1, 1, 2.
    lof = LOF(k=1).fit([[0.0], [1.0], [3.0]])
    # 2 → neighbour 1 (before 3) at 1, reach 1, factor 1; 8 → neighbour 3 at 5, reach 5, factor 5/2.
    np.testing.assert_allclose(lof.score_samples([[2.0], [8.0]]), [1 / 2, 1 / 3.5], rtol=1e-15)
    np.testing.assert_allclose(lof._training_scores(), [1 / 2, 1 / 2, 1 / 3], rtol=1e-15)


def test_duplicates_have_the_factor_one():
    X = np.array([[0.0]] * 5 + [[9.0]])
    scores = LOF(k=3).fit(X).score_samples([[0.0], [0.5]])
    np.testing.assert_array_equal(scores, [0.5, 0.0])


def test_numbers_near_the_largest_have_scores():
    X = 1e307 * np.random.default_rng(0).normal(size=(30, 3))
    lof = LOF(k=20).fit(X)
    assert np.isfinite(lof.score_samples(X)).all()
    scaled = LOF(k=20).fit(X / 1e307)
    np.testing.assert_allclose(lof.score_samples(X), scaled.score_samples(X / 1e307), rtol=1e-12)


def test_default_size():
    X = np.random.default_rng(0).normal(size=(200, 2))
    assert LOF().fit(X).k_ == round(2.5 * np.log(200)) == 13
    assert LOF().fit(X[:4]).k_ == 3
