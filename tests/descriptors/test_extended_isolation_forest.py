"""The extended isolation forest against its authors' package."""

import numpy as np
import pytest

from occstats_descriptors import EIF

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


def test_random_state_may_be_a_generator():
    scores = [
        EIF(n_trees=5, random_state=np.random.RandomState(1)).fit(ROWS).score_samples(QUERIES)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*scores)
    assert not np.array_equal(
        scores[0], EIF(n_trees=5, random_state=None).fit(ROWS).score_samples(QUERIES)
    )
