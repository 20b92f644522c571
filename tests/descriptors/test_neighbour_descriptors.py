"""NND, LNND, LOF and ALP against their definitions, the paper's example and other packages."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import LocalOutlierFactor

from occstats_descriptors import ALP, LNND, LOF, NND
from tests.descriptors import references
from tests.descriptors.references import EXPONENTS

SIZES = [
    *((kind, {"k": k}) for kind in (NND, LNND, LOF) for k in (1, 4, 59)),
    *((ALP, dict(zip("kl", sizes, strict=True))) for sizes in ((1, 1), (4, 9), (9, 4), (59, 60))),
]


def defined(kind, Y, X, **options):
    return getattr(references, kind.__name__.lower())(Y, X, **options)


@pytest.mark.parametrize(("kind", "sizes"), SIZES)
@pytest.mark.parametrize("metric", EXPONENTS)
def test_scores_equal_the_definition(cloud, metric, kind, sizes):
    X, Y = cloud
    descriptor = kind(metric=metric, **sizes).fit(X)
    options = {"exponent": EXPONENTS[metric], **sizes}
    np.testing.assert_allclose(
        descriptor.score_samples(Y), defined(kind, Y, X, **options), rtol=1e-12
    )
    expected = defined(kind, X, X, **options, training=True)
    np.testing.assert_allclose(descriptor._training_scores(), expected, rtol=1e-12)


@settings(max_examples=80, deadline=None)
@given(
    kind=st.sampled_from([LNND, LOF, ALP]),
    seed=st.integers(0, 10_000),
    n=st.integers(2, 25),
    data=st.data(),
)
def test_scores_on_data_with_ties(kind, seed, n, data):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(n, 2)) * 1.0, rng.integers(0, 3, size=(6, 2)) * 1.0
    sizes = {"k": data.draw(st.integers(1, n - 1))}
    if kind is ALP:
        sizes["l"] = data.draw(st.integers(1, n))
    descriptor = kind(**sizes).fit(X)
    np.testing.assert_allclose(
        descriptor.score_samples(Y), defined(kind, Y, X, **sizes), rtol=1e-12
    )
    training = defined(kind, X, X, **sizes, training=True)
    np.testing.assert_allclose(descriptor._training_scores(), training, rtol=1e-12)


@pytest.mark.parametrize("descriptor", [LNND(k=2), LOF(k=3), ALP(k=2, l=2)])
def test_ratios_of_zero_count_as_one(descriptor):
    X = np.array([[0.0]] * 6 + [[9.0]])
    np.testing.assert_array_equal(descriptor.fit(X).score_samples([[0.0], [0.5]]), [0.5, 0.0])


@pytest.mark.parametrize("descriptor", [LNND(k=9), LOF(k=20), ALP(k=9, l=20)])
def test_numbers_near_the_largest_have_scores(descriptor):
    X = 1e307 * np.random.default_rng(0).normal(size=(30, 3))
    scores, scaled = (descriptor.fit(Z).score_samples(Z) for Z in (X, X / 1e307))
    np.testing.assert_allclose(scores, scaled, rtol=1e-12)


@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_lof_agrees_with_scikit_learn(metric):
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(400, 5)), 2 * rng.normal(size=(60, 5))
    lof = LOF(k=12, metric=metric).fit(X)
    peer = LocalOutlierFactor(n_neighbors=12, metric=metric, novelty=True).fit(X)
    # scikit-learn's score is −lof; it adds 1e-10 to the mean reachability distance
    np.testing.assert_allclose(lof.score_samples(Y), 1 / (1 - peer.score_samples(Y)), rtol=1e-9)
    expected = 1 / (1 - peer.negative_outlier_factor_)
    np.testing.assert_allclose(lof._training_scores(), expected, rtol=1e-9)


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


def test_given_weights(cloud):
    X, Y = cloud
    owa, local = [0.7, 0.2, 0.1], [0.5, 0.5]
    expected = references.alp(Y, X, 3, 2, weights=owa, local_weights=local)
    given = ALP(k=3, l=2, weights=owa, local_weights="equal").fit(X)
    np.testing.assert_allclose(given.score_samples(Y), expected, rtol=1e-13)
    called = ALP(k=3, l=2, weights=lambda p: owa[:p], local_weights=lambda p: np.ones(p) / p).fit(X)
    np.testing.assert_array_equal(called.score_samples(Y), given.score_samples(Y))


def test_agrees_with_fuzzy_rough_learn_without_ties(cloud):
    frl = pytest.importorskip("frlearn.data_descriptors", reason="needs fuzzy-rough-learn")
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
