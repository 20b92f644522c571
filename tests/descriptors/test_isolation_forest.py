"""The isolation forest against scikit-learn's and its formula."""

import numpy as np
import pytest
from sklearn.ensemble import IsolationForest

from occstats_descriptors import IF
from tests.descriptors.scikit_learn_checks import failures

ROWS = np.random.default_rng(0).normal(size=(400, 3))


def test_scikit_learn_contract():
    assert failures(IF(n_trees=10)) == []


def test_score_is_one_minus_the_anomaly_score_of_scikit_learn():
    queries = ROWS[:50] * 2
    forest = IsolationForest(n_estimators=100, max_samples=256, random_state=0).fit(ROWS)
    np.testing.assert_array_equal(
        IF().fit(ROWS).score_samples(queries), 1 + forest.score_samples(queries)
    )


def test_subsample_is_all_rows_when_there_are_fewer():
    descriptor = IF(n_trees=5).fit(ROWS[:40])
    assert descriptor.forest_.max_samples_ == 40


def test_formula_from_the_paths_of_the_trees():
    descriptor = IF(n_trees=20).fit(ROWS)
    query = np.array([[0.5, -1.0, 2.0]], dtype=np.float32)
    lengths = []
    for tree in descriptor.forest_.estimators_:
        inner = tree.tree_
        leaf = tree.apply(query)[0]
        steps = tree.decision_path(query).sum() - 1
        left = inner.n_node_samples[leaf]
        harmonic = np.log(left - 1) + np.euler_gamma if left > 2 else None
        rest = 0.0 if left <= 1 else 1.0 if left == 2 else 2 * harmonic - 2 * (left - 1) / left
        lengths.append(steps + rest)
    normal = 2 * (np.log(255) + np.euler_gamma) - 2 * 255 / 256
    expected = 1 - 2 ** (-np.mean(lengths) / normal)
    np.testing.assert_allclose(descriptor.score_samples(query), [expected], rtol=1e-9)


def test_seed_and_threads():
    first = IF(n_trees=10, random_state=3).fit(ROWS).score_samples(ROWS)
    again = IF(n_trees=10, random_state=3, n_jobs=2).fit(ROWS).score_samples(ROWS)
    other = IF(n_trees=10, random_state=4).fit(ROWS).score_samples(ROWS)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize(
    "rows",
    [np.ones((4, 3)), np.eye(4, 7), np.repeat([[0.0], [9.0]], 6, axis=0), ROWS[:20] * 1e300],
    ids=["constant", "n=4", "duplicates", "huge"],
)
def test_always_finite(rows):
    scores = IF(n_trees=10).fit(rows).score_samples(np.vstack([rows, rows + 100]))
    assert np.all((scores >= 0) & (scores <= 1))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_trees": 0}, "n_trees must be at least 1, got 0"),
        ({"subsample": 1}, "subsample must be at least 2, got 1"),
        ({"subsample": 0.5}, "subsample must be an integer, got 0.5"),
        ({"contamination": 0.7}, r"contamination must be a number in \[0, 0.5\], got 0.7"),
    ],
)
def test_parameters_out_of_range_are_named(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        IF(**parameters).fit(ROWS)
