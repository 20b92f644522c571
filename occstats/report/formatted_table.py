"""A table, from which text, Markdown, LaTeX, CSV and HTML are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from occstats._format import word

__all__ = ["MOST_ROWS", "Column", "Leading", "Table", "grid", "with_headers"]

# Longer frames are compressed, and in one file only.
MOST_ROWS = 10_000


@dataclass(frozen=True)
class Column:
    """A column as people see it.

    Attributes
    ----------
    header
        Its heading.
    keys
        The columns of the frame that it is written from.
    write
        How a cell is written from their values.
    number
        Whether it is aligned to the right.
    group
        A heading over this column and its neighbours of the same group.
    """

    header: str
    keys: tuple[str, ...]
    write: Callable[..., str] = word
    number: bool = True
    group: str = ""


@dataclass(frozen=True, eq=False)
class Table:
    """A titled table: full-precision values for programs, written cells for people.

    Attributes
    ----------
    name
        The stem of its files; never made from a name in the data.
    title, explanation, note
        A heading, a sentence on how to read it, and a caution.
    frame
        The values in full precision, which go to CSV.
    columns
        The columns that people see, written from ``shown``.
    shown
        The frame the columns are written from, where it has another shape than ``frame``.
    best
        A frame of truth values like ``columns`` × rows: cells to set in bold.
    best_means
        Their meaning; where it is given, plain text marks them, too.
    terminal_rows
        How many rows the terminal shows at most.
    """

    name: str
    title: str
    explanation: str
    frame: pd.DataFrame
    columns: tuple[Column, ...]
    note: str = ""
    shown: pd.DataFrame | None = None
    best: pd.DataFrame | None = None
    best_means: str = ""
    terminal_rows: int = 20

    @property
    def csv_name(self) -> str:
        """Return the name of its CSV file, compressed for long tables."""
        return f"{self.name}.csv{'.gz' if len(self.frame) > MOST_ROWS else ''}"

    @property
    def headers(self) -> list[str]:
        """Return the headings on one line: that of a group is before its first column's."""
        before = ["", *(column.group for column in self.columns)]
        return [
            f"{column.group}, {column.header}"
            if column.group and column.group != other
            else column.header
            for column, other in zip(self.columns, before, strict=False)
        ]

    def cells(self, limit: int | None = None) -> list[list[str]]:
        """Return the rows as people read them, not yet escaped for any format."""
        frame = self.frame if self.shown is None else self.shown
        if limit is not None:
            frame = frame.head(limit)
        written: list[list[str]] = []
        for column in self.columns:
            values: list[list[Any]] = [frame[key].tolist() for key in column.keys]
            written.append([column.write(*row) for row in zip(*values, strict=True)])
        return [list(row) for row in zip(*written, strict=True)]

    def capped(self, path: str = "", *, rows: int = 1_000, columns: int = 60) -> Table:
        """Return the first rows and columns, with a note on where the others are.

        Examples
        --------
        >>> frame = pd.DataFrame({"name": ["ALP", "SVM", "IF"]})
        >>> table = Table("t", "Names", "All.", frame, (Column("name", ("name",), number=False),))
        >>> table.capped(rows=2).cells(), table.capped(rows=2).note
        ([['ALP'], ['SVM']], 'The first 2 of 3 rows; all are in tables/t.csv.')
        >>> table.capped() is table
        True
        """
        parts = [
            f"{most:,} of {there:,} {kind}"
            for most, there, kind in (
                (rows, len(self), "rows"),
                (columns, len(self.columns), "columns"),
            )
            if there > most
        ]
        if not parts:
            return self
        pointer = (
            f"The first {' and '.join(parts)}; all are in {path or f'tables/{self.csv_name}'}."
        )
        shown = self.frame if self.shown is None else self.shown
        return replace(
            self,
            shown=shown.head(rows),
            columns=self.columns[:columns],
            note=f"{self.note} {pointer}".strip(),
        )

    def remark(self, mark: str = "Bold:") -> str:
        """Return the meaning of bold cells, and the note.

        Examples
        --------
        >>> table = Table("t", "Names", "All.", pd.DataFrame(), (), "Beware.", best_means="first.")
        >>> table.remark()
        'Bold: first. Beware.'
        """
        meaning = f"{mark} {self.best_means}" if self.best_means else ""
        return " ".join(filter(None, (meaning, self.note)))

    def __len__(self) -> int:
        return len(self.frame if self.shown is None else self.shown)

    @cached_property
    def _bold(self) -> dict[str, list[bool]]:
        return (
            {}
            if self.best is None
            else {str(key): bold.tolist() for key, bold in self.best.items()}
        )

    def is_best(self, row: int, column: Column) -> bool:
        """Return whether the cell is bold."""
        bold = self._bold.get(column.keys[0])
        return bold is not None and bold[row]


@dataclass(frozen=True)
class Leading:
    """A column before the columns of a grid."""

    header: str
    values: list[Any]
    write: Callable[..., str] = word
    number: bool = False


def grid(
    leading: list[Leading], values: pd.DataFrame, write: Callable[..., str]
) -> tuple[pd.DataFrame, tuple[Column, ...]]:
    """Return a frame and its columns for values that are headed by names from the data.

    The keys are positions: an algorithm may be called "algorithm", "dataset" or "tasks".
    """
    shown = values.reset_index(drop=True).set_axis(
        [str(len(leading) + position) for position in range(values.shape[1])], axis=1
    )
    columns = [
        Column(str(name), (str(key),), write)
        for name, key in zip(values.columns, shown, strict=True)
    ]
    for position, column in enumerate(leading):
        shown.insert(position, str(position), column.values)
        columns.insert(
            position, Column(column.header, (str(position),), column.write, column.number)
        )
    return shown, tuple(columns)


def with_headers(shown: pd.DataFrame, columns: tuple[Column, ...]) -> pd.DataFrame:
    """Return the frame of a grid under its headings, for CSV."""
    return shown.set_axis([column.header for column in columns], axis=1)
