"""Cross-validation that trains on the target class only."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

from occstats_descriptors import DESCRIPTORS, MD, NND, MixedClassesWarning, OneClassKFold, make

X, LABELS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[LABELS]


@pytest.mark.parametrize(
    ("labels", "target"), [(LABELS == 1, 1), (2 * (LABELS == 1) - 1, 1), (NAMES, "versicolor")]
)
@pytest.mark.filterwarnings("ignore:y has 3 labels")
def test_only_target_rows_are_trained_on(labels, target):
    folds = list(OneClassKFold(target=target).split(X, labels))
    expected = StratifiedKFold(5, shuffle=True, random_state=0).split(X, LABELS == 1)
    for (train, test), (everything, expected_test) in zip(folds, expected, strict=True):
        np.testing.assert_array_equal(train, everything[LABELS[everything] == 1])
        np.testing.assert_array_equal(test, expected_test)


def test_cross_validation_and_grid_search():
    is_target = LABELS == 1
    scores = cross_val_score(MD(), X, is_target, scoring="roc_auc", cv=OneClassKFold())
    expected = [
        roc_auc_score(is_target[test], MD().fit(X[train]).score_samples(X[test]))
        for train, test in OneClassKFold().split(X, is_target)
    ]
    np.testing.assert_allclose(scores, expected)
    assert scores.mean() > 0.97
    search = GridSearchCV(
        NND(), {"k": [1, 30]}, scoring="roc_auc", cv=OneClassKFold(), refit=False
    ).fit(X, is_target)
    assert search.best_score_ > 0.95


def test_an_unknown_target_is_refused():
    expected = r"^target must be a label in y \('\w+', .*\), got 1; pass labels such as y == '\w+'"
    with pytest.raises(ValueError, match=expected):
        list(OneClassKFold().split(X, NAMES))


def test_several_labels_cause_a_warning_with_the_remedy():
    with pytest.warns(UserWarning, match=r"y has 3 labels, .* needs two\. Pass y == 2 as labels"):
        list(OneClassKFold(target=2).split(X, LABELS))
    with pytest.raises(ValueError, match="y must be given"):
        list(OneClassKFold().split(X, None))


@pytest.mark.parametrize("name", DESCRIPTORS)
def test_several_classes_cause_a_warning(name):
    parameters = {"max_epochs": 5} if name == "SAE" else {}
    for labels in (LABELS, NAMES):
        with pytest.warns(MixedClassesWarning, match=f"{name} is fitted to all rows") as caught:
            make(name, **parameters).fit(X, labels)
        assert caught[0].filename == __file__
    make(name, **parameters).fit(X[:50], NAMES[:50])


@pytest.mark.parametrize(
    ("labels", "target"),
    [(np.where(LABELS == 1, "a", "b"), "a"), (np.where(LABELS == 1, 2, 10), 2)],
)
def test_a_target_that_roc_auc_takes_as_negative_causes_a_warning(labels, target):
    folds = OneClassKFold(target=target)
    with pytest.warns(UserWarning, match=r"would return 1 − AUROC\. Pass y == "):
        scores = cross_val_score(MD(), X, labels, scoring="roc_auc", cv=folds)
    right = cross_val_score(MD(), X, labels == target, scoring="roc_auc", cv=OneClassKFold())
    np.testing.assert_allclose(scores, 1 - right)
