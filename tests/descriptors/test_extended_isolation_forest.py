"""The extended isolation forest against its authors' package and a plain implementation."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats_descriptors import EIF
from tests.descriptors import references_forest as reference

ROWS = ((np.arange(900).reshape(300, 3) * 7919) % 1009) / 100.0
QUERIES = np.array([[5.0, 5.0, 5.0], [0.0, 0.0, 0.0], [20.0, -3.0, 5.0], [1.0, 9.0, 4.0]])

# 1 − the output of iForest::predict of eif 2.0.2 (eif.cxx, commit 5363acd), compiled with
# g++ 12.2 -O2:
#     forest = eif.iForest(ROWS, ntrees=100, sample_size=256, ExtensionLevel=2, seed=0)
#     1 - forest.compute_paths(QUERIES)
# and so on with the parameters below.
PUBLISHED = [
    ({}, [0.43184910545147415, 0.36458900723298826, 0.31018686896215575, 0.35342292243913775]),
    (
        {"random_state": 7},
        [0.424329541703369, 0.3616992013941749, 0.3079247693460605, 0.3524689334533223],
    ),
    (
        {"extension": 0, "random_state": 3},
        [0.4695980088121786, 0.34087422238683174, 0.380640079968251, 0.40696913495582665],
    ),
    (
        {"extension": 1, "random_state": 3},
        [0.44377636344128013, 0.36530539060780176, 0.33374147924570596, 0.38307904329022846],
    ),
    (
        {"subsample": 64, "n_trees": 10, "random_state": 1},
        [0.4512922056322983, 0.4564325450415704, 0.3322582445937835, 0.4169635022503543],
    ),
]


@pytest.mark.parametrize(("parameters", "expected"), PUBLISHED)
def test_equals_the_authors_package_with_the_same_seed(parameters, expected):
    scores = EIF(**parameters).fit(ROWS).score_samples(QUERIES)
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def test_equals_the_authors_package_on_duplicates():
    rows = np.repeat([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]], 5, axis=0)
    scores = EIF().fit(rows).score_samples([[1.0, 2.0], [3.0, 4.0], [2.0, 3.0]])
    expected = [0.6916005166127599, 0.6173009451039471, 0.41322070521514465]
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(2, 40),
    m=st.integers(1, 19),
    subsample=st.integers(2, 50),
)
def test_equals_the_plain_implementation(seed, n, m, subsample):
    rng = np.random.default_rng(seed)
    rows, queries = rng.normal(size=(n, m)), rng.normal(size=(3, m))
    extension = int(rng.integers(0, m))
    scores = (
        EIF(n_trees=3, subsample=subsample, extension=extension, random_state=seed)
        .fit(rows)
        .score_samples(queries)
    )
    expected = reference.scores(rows, queries, 3, subsample, extension, seed)
    np.testing.assert_allclose(scores, expected, rtol=1e-12)


def test_first_values_of_the_stream():
    # std::mt19937_64 is required by the C++ standard to give this as its 10000th value.
    stream = reference.Stream(5489)
    for _ in range(9999):
        stream.bits()
    assert stream.bits() == 9981545732273789042


def test_threads_do_not_change_a_bit():
    one, two = (EIF(n_jobs=jobs).fit(ROWS) for jobs in (1, 2))
    queries = np.random.default_rng(0).normal(size=(2000, 3)) * 5
    np.testing.assert_array_equal(one.score_samples(queries), two.score_samples(queries))


def test_random_state_may_be_a_generator():
    scores = [
        EIF(n_trees=5, random_state=np.random.RandomState(1)).fit(ROWS).score_samples(QUERIES)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*scores)
    assert not np.array_equal(
        scores[0], EIF(n_trees=5, random_state=None).fit(ROWS).score_samples(QUERIES)
    )


def test_pickle_keeps_the_forest():
    descriptor = EIF(n_trees=5).fit(ROWS)
    again = pickle.loads(pickle.dumps(descriptor))
    np.testing.assert_array_equal(descriptor.score_samples(QUERIES), again.score_samples(QUERIES))


@pytest.mark.parametrize(
    "rows",
    [np.ones((4, 3)), np.eye(4, 7), np.array([[0.0], [1.0]]), ROWS[:9] * [1e-300, 1.0, 1e300]],
    ids=["constant", "n=4", "n=2", "scales"],
)
def test_always_finite(rows):
    queries = np.vstack([rows, rows + 100, np.full((1, rows.shape[1]), -1e308)])
    scores = EIF(n_trees=10).fit(rows).score_samples(queries)
    assert np.all((scores >= 0) & (scores <= 1))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_trees": 0}, "n_trees must be at least 1, got 0"),
        ({"subsample": 1}, "subsample must be at least 2, got 1"),
        ({"extension": 3}, "extension must be at most 2 for 3 attributes, got extension=3"),
        ({"extension": -1}, "extension must be at least 0, got -1"),
        ({"random_state": -5}, "random_state must be at least 0, got -5"),
    ],
)
def test_parameters_out_of_range_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        EIF(**parameters).fit(ROWS)
