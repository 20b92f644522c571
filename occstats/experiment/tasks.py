"""One-class tasks: each class of a data set is the target once, all other rows are not."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from occstats.datasets import Dataset
from occstats.errors import DataError

__all__ = ["SMALLEST_TARGET", "Task", "sparsity", "tasks_of"]

# With fewer rows than folds, some fold would have no target row to test.
SMALLEST_TARGET = 5


@dataclass(frozen=True)
class Task:
    """A data set, its target class, and the traits that are known from the class sizes alone."""

    dataset: str
    target: str
    n: int
    m: int
    rows: int

    @property
    def key(self) -> tuple[str, str]:
        """What identifies the task in a results table."""
        return self.dataset, self.target


def tasks_of(dataset: Dataset) -> list[Task]:
    """The one-class tasks of a data set; classes with fewer than five rows are no targets.

    Examples
    --------
    >>> from occstats.datasets import load_builtin
    >>> [(task.target, task.n) for task in tasks_of(load_builtin("wine"))]
    [('class_0', 59), ('class_1', 71), ('class_2', 48)]
    """
    rows, m = dataset.X.shape
    sizes = dataset.class_sizes
    if len(sizes) < 2:
        only = next(iter(sizes))
        raise DataError(
            f"{dataset.name}: all {rows} rows are of the class {only!r}; a one-class task needs "
            "rows that are not of the target class to be told apart"
        )
    tasks = [
        Task(dataset.name, target, size, m, rows)
        for target, size in sizes.items()
        if size >= SMALLEST_TARGET
    ]
    if not tasks:
        raise DataError(
            f"{dataset.name}: no class has {SMALLEST_TARGET} rows or more (the largest has "
            f"{max(sizes.values())}), so none can be a target in five folds"
        )
    return tasks


def sparsity(X: NDArray[np.float64]) -> float:
    """The mean over attributes of the share of the attribute's most frequent value.

    Examples
    --------
    >>> sparsity(np.array([[0.0, 1.0], [0.0, 2.0], [3.0, 3.0], [0.0, 4.0]]))
    0.5
    """
    ordered = np.sort(X, axis=0)
    return float(np.mean([_largest_run(column) for column in ordered.T]) / len(X))


def _largest_run(ordered: NDArray[np.float64]) -> int:
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    return int(np.diff(np.r_[starts, len(ordered)]).max())
