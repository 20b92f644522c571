"""Tasks, folds, scaling and AUROC against hand-worked values and scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import average_precision_score, roc_auc_score

from occstats.datasets import Dataset
from occstats.errors import DataError
from occstats.experiment.estimators import SeedPolicy
from occstats.experiment.tasks import (
    auroc,
    average_precision,
    make_folds,
    round_significant,
    scale_by_interquartile_range,
    size_for_task,
    smallest_training_part,
    sparsity,
    tasks_of,
)


def dataset_of(labels):
    labels = np.array(labels, dtype=str)
    return Dataset("d", np.arange(len(labels), dtype=float)[:, None], labels)


def test_small_classes_are_not_targets():
    tasks = tasks_of(dataset_of(["a"] * 5 + ["b"] * 4 + ["c"] * 6))
    assert [(task.target, task.n, task.rows) for task in tasks] == [("a", 5, 15), ("c", 6, 15)]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"] * 9, "all 9 rows belong to the class 'a'"),
        (["a"] * 4 + ["b"] * 3, "no class has at least 5 rows"),
    ],
)
def test_datasets_without_tasks_are_refused(labels, message):
    with pytest.raises(DataError, match=message):
        tasks_of(dataset_of(labels))


@given(st.integers(5, 60), st.integers(1, 60))
def test_every_row_is_tested_once_and_only_targets_are_trained_on(targets, others):
    is_target = np.repeat([True, False], [targets, others])
    folds = make_folds(is_target)
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(targets + others))
    assert all(is_target[fold.train].all() for fold in folds)
    assert min(len(fold.train) for fold in folds) == smallest_training_part(targets)
    for fold in folds:
        assert not set(fold.train) & set(fold.test)


def test_scaling_by_hand():
    # quartiles of 0, 1, 2, 10: 0.75 and 4.0 by linear interpolation
    train = np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [10.0, 7.0]])
    scaled, test = scale_by_interquartile_range(train, np.array([[3.25, 9.0]]))
    assert scaled[:, 0] == pytest.approx(train[:, 0] / 3.25)
    assert test.tolist() == [[1.0, 9.0]]


def test_only_scores_of_distances_tie_when_they_differ_in_the_last_bits():
    is_target = np.array([True, False])
    assert auroc(is_target, np.array([0.1 + 0.2, 0.3])) == 0.5
    assert auroc(is_target, np.array([0.3 + 1e-9, 0.3])) == 1.0
    assert auroc(is_target, np.array([0.1 + 0.2, 0.3]), of_distances=False) == 1.0


@given(
    hnp.arrays(float, 30, elements=st.floats(0, 1).map(lambda value: round(value, 2))),
    hnp.arrays(bool, 30),
)
def test_measures_agree_with_scikit_learn(scores, is_target):
    pairs = ((auroc, roc_auc_score), (average_precision, average_precision_score))
    for ours, theirs in pairs:
        if is_target.all() or not is_target.any():
            assert ours(is_target, scores) is None
        else:
            assert ours(is_target, scores) == pytest.approx(theirs(is_target, scores), abs=1e-12)


@given(hnp.arrays(float, 5, elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_rounding_keeps_twelve_digits(values):
    rounded = round_significant(values)
    assert np.isfinite(rounded).all()
    assert rounded == pytest.approx(values, rel=1e-11, abs=1e-290)


def test_sparsity_and_sizes_by_hand():
    # relative frequencies of the most frequent value: 3/4, 1/4, 2/4
    X = np.array([[0, 1, 5], [0, 2, 5], [0, 3, 6], [1, 4, 7]], dtype=float)
    assert sparsity(X) == pytest.approx(0.5)
    # 5 targets: training parts of 4, so at most 3 neighbours; 59: log(46) · 3.4 = 13.02
    sizes = [size_for_task(6.0, 5), size_for_task(3.4, 59), size_for_task(0.01, 59)]
    assert sizes == [3, 13, 1]


def test_seeds_depend_only_on_the_fit():
    policy = SeedPolicy.parse(3)
    seeds = {policy.seed_of("d", "c", fold, name) for fold in range(5) for name in "ABC"}
    assert len(seeds) == 15
    assert SeedPolicy.parse("pinned:4").seed_of("d", "c", 1, "A") == 4
