"""Cross-validation of one-class classifiers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold


class OneClassKFold(StratifiedKFold):  # type: ignore[misc]
    """
    Stratified folds that train on the target class only, and test on all classes.

    The other splitters of scikit-learn train on all classes, which describes the wrong set of rows.
    By default, these are the folds of the experiments.

    Parameters
    ----------
    n_splits : int, default 5
        Number of folds.
    target : object, default 1
        Label of the target class in y; the default suits labels 1 and 0, 1 and −1, or True and
        False. ``scoring="roc_auc"`` needs two labels, and takes the one that sorts last as
        positive: with any other target, it returns 1 − AUROC. In both cases a warning is issued;
        pass ``y == target`` instead.
    shuffle : bool, default True
        Shuffle the rows of each class before splitting.
    random_state : int, RandomState or None, default 0
        Seed of the shuffling.

    Notes
    -----
    ``scoring="accuracy"`` needs y with the labels 1 and −1, which `predict` returns.

    Examples
    --------
    >>> from occstats.descriptors import ALP, OneClassKFold
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, labels = load_iris(return_X_y=True)
    >>> scores = cross_val_score(ALP(), X, labels == 1, scoring="roc_auc", cv=OneClassKFold())
    >>> round(float(scores.mean()), 3)
    0.976
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        target: object = 1,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        super().__init__(n_splits, shuffle=shuffle, random_state=random_state)
        self.target = target

    def split(
        self, X: ArrayLike, y: ArrayLike, groups: object = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """
        Yield the indices of the training rows, all of the target class, and of the test rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of all classes.
        y : array-like of shape (n_samples,)
            Labels.
        groups : ignored
            Present for API consistency.
        """
        if y is None:
            raise ValueError("y must be given: the labels, such as labels == 1.")
        labels = np.asarray(y)
        is_target = np.asarray(labels == self.target)
        if is_target.shape != labels.shape or not is_target.any():
            known = list(dict.fromkeys(labels.ravel().tolist()))
            shown = ", ".join(map(repr, known[:5])) + ", …" * (len(known) > 5)
            raise ValueError(
                f"target must be a label in y ({shown}), got {self.target!r}; pass labels such as"
                f" y == {known[0]!r}, which are True for the target class."
            )
        values: list[Any] = []
        with suppress(TypeError):  # labels of several types
            values = np.unique(labels).tolist()
        problem = ""
        if len(values) > 2:
            problem = f'y has {len(values)} labels, and scoring="roc_auc" needs two.'
        elif len(values) == 2 and values[1] != self.target:
            problem = (
                f"The target {self.target!r} is not the label that sorts last, which "
                'scoring="roc_auc" takes as positive: it would return 1 − AUROC.'
            )
        if problem:
            remedy = f"Pass y == {self.target!r} as labels, and leave target out."
            warnings.warn(f"{problem} {remedy}", stacklevel=2)
        for train, test in super().split(X, is_target):
            yield train[is_target[train]], test
