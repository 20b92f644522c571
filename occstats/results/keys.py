"""Number the tasks, algorithms, folds and repeats of a table with known roles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, quote
from occstats.errors import ResultsError
from occstats.results.cells import without_markup
from occstats.results.readers.frames import FILE, RawTable
from occstats.results.table import DATASET, TASK, show_task

if TYPE_CHECKING:
    from occstats.results.reading import Reading
    from occstats.results.roles import Roles

Integers = npt.NDArray[np.int64]
# Codes of names, one for each row (n, 1) or for each column of scores (1, c), and the names.
Key = tuple[Integers, Sequence[str]]


@dataclass(frozen=True)
class Keys:
    """Keys of scores (rows × columns), each a column or a row of codes, and what they encode."""

    dataset: Key
    task: Integers
    algorithm: Integers
    tasks: pd.MultiIndex
    algorithms: Sequence[str]
    fold: Key | None
    repeat: Key | None

    @cached_property
    def cell(self) -> Integers:
        """Return the number of the cell (task and algorithm) of each score."""
        return self.task * len(self.algorithms) + self.algorithm

    @cached_property
    def row_cell(self) -> tuple[Integers, int]:
        """Return the number of the cell of each row, or of all its cells, and how many differ."""
        if self.task.shape != self.algorithm.shape:  # a wide table
            in_rows = self.task if len(self.task) == len(self.cell) else self.algorithm
            return in_rows[:, 0], int(in_rows.max()) + 1
        return renumber(self.cell[:, 0])

    @property
    def several(self) -> bool:
        """Return True if a cell has several rows."""
        return self.row_cell[1] < len(self.cell)

    @property
    def size(self) -> int:
        """Return the number of cells."""
        return len(self.tasks) * len(self.algorithms)

    def cells_with(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return the cells with at least one of the chosen scores."""
        found = np.zeros((len(self.tasks), len(self.algorithms)), dtype=bool)
        found.ravel()[self.cell[chosen]] = True
        return found

    def frame(self, cells: npt.NDArray[Any]) -> pd.DataFrame:
        """Return values of all cells as a frame."""
        columns: Any = pd.Index(np.array(self.algorithms, dtype=object), dtype=object)
        return pd.DataFrame(
            cells.reshape(len(self.tasks), -1), index=self.tasks, columns=columns, copy=False
        )

    def show(self, cell: int) -> str:
        """Return the name of a cell for a message."""
        task, algorithm = divmod(int(cell), len(self.algorithms))
        return f"{show_task(self.tasks[task])}: {quote(self.algorithms[algorithm])}"


def make_keys(raw: RawTable, roles: Roles, reading: Reading) -> Keys:
    """Return the keys of all scores; no name may be missing."""

    def of_rows(*columns: str | None) -> Key:
        codes, names = row_codes(raw, next((c for c in columns if c is not None), FILE))
        return codes[:, None], without_markup(names)

    def of_runs(column: str | None) -> Key | None:
        if column is None:
            return None
        remedy = "write it in every row, or pass repeat='@row' if each row is a separate run"
        codes, names = row_codes(raw, column, remedy)
        return codes[:, None], without_markup(names)

    across: Key = (np.arange(len(roles.labels))[None, :], without_markup(list(roles.labels)))
    pattern, dataset = reading.algorithm_from, None
    if roles.across == "task":
        task, algorithm = across, of_rows(roles.algorithm)
    else:
        task = of_rows(roles.task, roles.dataset)
        algorithm = across if roles.across else of_rows(roles.algorithm)
        dataset = None if roles.dataset is None else of_rows(roles.dataset)
        if pattern is not None and not roles.across and roles.algorithm is None:
            algorithm, task = _split_names(task, pattern, "algorithm_from")
    if pattern is not None and not roles.across and roles.algorithm is not None:
        algorithm = _split_names(algorithm, pattern, "algorithm_from")[0]
    if reading.dataset_from is not None:
        dataset = _split_names(task, reading.dataset_from, "dataset_from")[0]
    dataset = dataset or task
    n_tasks = len(task[1])
    together = dataset[0] * n_tasks + task[0]
    codes, pairs = pd.factorize(together.ravel())
    index = pd.MultiIndex(
        levels=[pd.Index(dataset[1]), pd.Index(task[1])],  # type: ignore[list-item]
        codes=[pairs // n_tasks, pairs % n_tasks],  # type: ignore[list-item]
        names=[DATASET, TASK],
        verify_integrity=False,
    )
    return Keys(
        dataset=dataset,
        task=codes.reshape(together.shape),
        algorithm=algorithm[0],
        tasks=index,
        algorithms=list(algorithm[1]),
        fold=of_runs(roles.fold),
        repeat=of_runs(roles.repeat),
    )


def renumber(codes: Integers) -> tuple[Integers, int]:
    """Return codes without gaps, and how many differ."""
    found, distinct = pd.factorize(codes)
    return found, len(distinct)


def row_codes(raw: RawTable, column: str, remedy: str = "") -> tuple[Integers, Any]:
    """Return the codes of the names in a column, none of which may be missing."""
    codes, names = raw.codes(column)
    empty = np.flatnonzero(codes < 0)
    if len(empty):
        usual = "write it in every row, even if cells were merged"
        if 2 * len(empty) < raw.n_rows:  # otherwise each name may be that of several rows
            usual += (
                f", or leave such rows out with where={f'{column}!='!r} (pandas reads a name such"
                " as NA with read_csv(keep_default_na=False))"
            )
        raise ResultsError(
            f"{raw.row(empty[0])}, column {quote(column)}: the name is missing"
            f" ({count(len(empty), 'such row')}); {remedy or usual}"
        )
    return codes, names


def extract(pattern: str, name: str, option: str) -> tuple[str, str]:
    """Return what a pattern finds in a name (its first group, if it has one), and the rest.

    >>> extract(r"^[^/]+", "ett/H", "dataset_from"), extract(r"(.*)_acc", "SVM_acc", "x")
    (('ett', '/H'), ('SVM', '_acc'))
    """
    found = re.search(pattern, name)
    group = 1 if found is not None and found.re.groups else 0
    if found is None or not found[group]:
        raise ResultsError(
            f"{option}: the pattern {quote(pattern)} finds nothing in {quote(name)}; it must match"
            " all names"
        )
    start, end = found.span(group)
    return found[group], name[:start] + name[end:]


def _split_names(key: Key, pattern: str, option: str) -> tuple[Key, Key]:
    """Return what a pattern finds in each name, and the rests."""
    codes, names = key
    parts = []
    for part in zip(*(extract(pattern, name, option) for name in names), strict=True):
        again, distinct = pd.factorize(np.array(part, dtype=object))
        parts.append((again[codes], list(distinct)))
    return parts[0], parts[1]
