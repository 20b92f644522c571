"""Cross-validation folds and the scaling within each, as the paper's experiment has them."""

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fold", "make_folds", "scale_by_interquartile_range", "smallest_training_part"]

N_FOLDS = 5
FOLD_SEED = 0


@dataclass(frozen=True, eq=False)
class Fold:
    """Row numbers of one fold: the target rows to train on, and all rows to test on."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def make_folds(is_target: NDArray[np.bool_], *, n_folds: int = N_FOLDS) -> list[Fold]:
    """Stratified, shuffled folds on the binary label (target or not).

    Training uses the target rows of the training part only; every row of the test part is scored.
    The folds depend on the order of the rows.

    Examples
    --------
    >>> folds = make_folds(np.repeat([True, False], [10, 20]))
    >>> [(len(fold.train), len(fold.test)) for fold in folds]
    [(8, 6), (8, 6), (8, 6), (8, 6), (8, 6)]
    """
    from sklearn.model_selection import StratifiedKFold

    splitter = StratifiedKFold(n_splits=n_folds, shuffle=True, random_state=FOLD_SEED)
    with warnings.catch_warnings():
        # Fewer other rows than folds: those folds have no AUROC, which the results say.
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = list(splitter.split(np.zeros(len(is_target)), is_target))
    return [Fold(train=train[is_target[train]], test=test) for train, test in splits]


def smallest_training_part(n: int, *, n_folds: int = N_FOLDS) -> int:
    """The number of training targets in the fold that has the fewest of them.

    Examples
    --------
    >>> smallest_training_part(59), smallest_training_part(60)
    (47, 48)
    """
    return n - -(-n // n_folds)


def scale_by_interquartile_range(
    train: NDArray[np.float64], test: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Divide each attribute by the interquartile range of the training rows, where that is not 0.

    Examples
    --------
    >>> train, test = scale_by_interquartile_range(np.array([[0.0], [2], [4]]), np.array([[6.0]]))
    >>> train.ravel().tolist(), test.ravel().tolist()
    ([0.0, 1.0, 2.0], [3.0])
    """
    low, high = np.percentile(train, [25, 75], axis=0)
    spread = high - low
    spread[spread == 0] = 1.0
    return train / spread, test / spread
