"""The published protocol: one-class tasks, folds, scaling, numbers of neighbours, and AUROC."""

import math
import warnings
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from occstats.datasets import Dataset
from occstats.errors import DataError

N_FOLDS = 5
# With fewer rows than folds, some fold would have no target row to test.
SMALLEST_TARGET = N_FOLDS


@dataclass(frozen=True)
class Task:
    """A one-class task: a dataset and its target class.

    Attributes
    ----------
    dataset, target : str
        The dataset and its target class.
    n, m, rows : int
        Numbers of target rows, attributes, and rows of the dataset.
    """

    dataset: str
    target: str
    n: int
    m: int
    rows: int

    @property
    def key(self) -> tuple[str, str]:
        """Return dataset and target class, which identify the task in a results table."""
        return self.dataset, self.target


def tasks_of(dataset: Dataset) -> list[Task]:
    """Return the one-class tasks of a dataset, one per class with at least five rows."""
    rows, m = dataset.X.shape
    sizes = dataset.class_sizes
    if len(sizes) < 2:
        only = next(iter(sizes))
        raise DataError(
            f"{dataset.name}: all {rows} rows belong to the class {only!r}; a one-class task needs "
            "rows of at least one other class"
        )
    tasks = [
        Task(dataset.name, target, size, m, rows)
        for target, size in sizes.items()
        if size >= SMALLEST_TARGET
    ]
    if not tasks:
        raise DataError(
            f"{dataset.name}: no class has at least {SMALLEST_TARGET} rows (the largest has "
            f"{max(sizes.values())}), so none can be the target of {N_FOLDS} folds"
        )
    return tasks


def sparsity(X: NDArray[np.float64]) -> float:
    """Return the relative frequency of the most frequent value, averaged over the attributes."""
    frequencies = [np.unique(column, return_counts=True)[1].max() for column in X.T]
    return float(np.mean(frequencies) / len(X))


class Fold(NamedTuple):
    """Row numbers of one fold: target rows for training, and all rows of the test part."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]


def make_folds(is_target: NDArray[np.bool_]) -> list[Fold]:
    """Make the folds of a task, which depend on the order of the rows."""
    from occstats_descriptors import OneClassKFold

    with warnings.catch_warnings():
        # With fewer other rows than folds some folds have no AUROC; their rows say so.
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = OneClassKFold(N_FOLDS).split(np.zeros(len(is_target)), is_target)
        return [Fold(*rows) for rows in splits]


def smallest_training_part(n: int) -> int:
    """Return the number of training targets in the fold with the fewest of them."""
    return n - -(-n // N_FOLDS)


def scale_by_interquartile_range(
    train: NDArray[np.float64], test: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Divide each attribute by the interquartile range of its training rows, unless that is 0."""
    low, high = np.percentile(train, [25, 75], axis=0)
    spread = high - low
    spread[spread == 0] = 1.0
    return train / spread, test / spread


def size_for_task(factor: float, n: int) -> int:
    """Return the number of neighbours a·log n' that all folds of a task share.

    n' is one less than the smallest training part. Only this n', shared by all folds, reproduces
    the columns of the paper.

    Examples
    --------
    >>> size_for_task(3.4, 59), size_for_task(5.5, 5)
    (13, 3)
    """
    available = smallest_training_part(n) - 1
    return min(max(round(factor * math.log(available)), 1), available)


@dataclass(frozen=True, repr=False)
class AtMost:
    """A number of neighbours, reduced where the training parts of a task have fewer rows."""

    size: int

    def for_task(self, n: int) -> int:
        """Return the number for all folds of a task with n target rows."""
        return min(self.size, smallest_training_part(n) - 1)

    def __call__(self, n: int) -> int:
        """Return the number for n training rows."""
        return min(self.size, max(n - 1, 1))

    def __repr__(self) -> str:
        return f"at_most({self.size})"


def round_significant(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to 12 significant digits."""
    magnitude = np.floor(np.log10(np.abs(values), where=values != 0, out=np.zeros_like(values)))
    # Powers beyond the range of floats would turn tiny values into NaN.
    scale = 10.0 ** np.clip(11 - magnitude, -300, 300)
    return np.asarray(np.round(values * scale) / scale, dtype=np.float64)


def auroc(
    is_target: NDArray[np.bool_], scores: NDArray[np.float64], *, of_distances: bool = True
) -> float | None:
    r"""Return the area under the ROC curve, with ties counted as one half.

    .. math:: \frac{1}{n_+ n_-} \sum_{i \in \text{target}} \sum_{j \in \text{other}}
        \left([s_i > s_j] + \tfrac{1}{2} [s_i = s_j]\right)

    Parameters
    ----------
    is_target : ndarray of bool
        The labels.
    scores : ndarray
        High for the target class.
    of_distances : bool, default True
        Round to 12 significant digits first. Scores computed from distances that tie
        mathematically, as on integer data, differ in their last bits; rounding makes the result
        independent of platform and order of summation. Other scores may be distinct below that
        precision and are compared unrounded.

    Returns
    -------
    float or None
        None where target rows or other rows are absent.

    References
    ----------
    Hanley, McNeil (1982). The meaning and use of the area under a receiver operating
    characteristic (ROC) curve. Radiology 143.

    Examples
    --------
    >>> auroc(np.array([True, True, False, False]), np.array([0.9, 0.1 + 0.2, 0.3, 0.1]))
    0.875
    """
    if is_target.all() or not is_target.any():
        return None
    compared = round_significant(scores) if of_distances else scores
    targets, others = compared[is_target], np.sort(compared[~is_target])
    lower = np.searchsorted(others, targets) + np.searchsorted(others, targets, side="right")
    return float(lower.sum() / (2 * len(targets) * len(others)))


def average_precision(
    is_target: NDArray[np.bool_], scores: NDArray[np.float64], *, of_distances: bool = True
) -> float | None:
    r"""Return the average precision, with the target class as the positive one.

    .. math:: \frac{1}{n_+} \sum_{i \in \text{target}}
        \frac{\#\{j \in \text{target} : s_j \geq s_i\}}{\#\{j : s_j \geq s_i\}}

    Unlike AUROC it depends on the share of the target class, which a score that is constant has
    as its average precision.

    Parameters
    ----------
    is_target, scores, of_distances
        As in `auroc`.

    Returns
    -------
    float or None
        None where target rows or other rows are absent.
    """
    if is_target.all() or not is_target.any():
        return None
    compared = round_significant(scores) if of_distances else scores
    targets = np.sort(compared[is_target])
    above = len(targets) - np.searchsorted(targets, targets)
    of_all = len(compared) - np.searchsorted(np.sort(compared), targets)
    return float(np.mean(above / of_all))
