"""Represent a table once, for the terminal, Markdown, LaTeX, HTML and CSV."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from occstats._format import integer, minus_signs, p_value, same_decimals, shorten, word

# The CSV file of a longer frame is compressed, and replaces the frame in comparison.json.
MOST_ROWS = 10_000
# A spreadsheet runs a cell that begins with one of these, also after blanks, as a formula.
_FORMULA_STARTS = {"=", "+", "-", "@", "\t", "\r"}


@dataclass(frozen=True)
class Column:
    """Represent a column as people see it.

    Attributes
    ----------
    header
        Heading.
    keys
        Columns of the frame from which a cell is written.
    write
        Function from their values to the text of a cell.
    number
        Align to the right.
    group
        Heading above this column and its neighbours of the same group.
    """

    header: str
    keys: tuple[str, ...]
    write: Callable[..., str] = word
    number: bool = True
    group: str = ""


# The declaration of a column: its text under its own name, or heading, keys and writer.
Spec = str | tuple[Any, ...] | Column
PAIR = ("a", "b")


@dataclass(frozen=True, eq=False)
class Table:
    """Represent a titled table: values in full precision, and formatted cells.

    Attributes
    ----------
    name
        Stem of its file; never made from a name in the data.
    title, explanation, note
        Heading, a sentence on how to read the table, and a caution.
    frame
        Values in full precision, written to CSV.
    columns
        Formatted columns, written from ``shown``.
    shown
        Frame of the formatted columns if its shape differs from that of ``frame``.
    best
        Truth values of the cells in bold, row by row, with the first keys of columns as names.
    best_means
        Meaning of bold cells; if given, plain text marks them with a star.
    terminal_rows
        Largest number of rows on the terminal.
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

    def __len__(self) -> int:
        return len(self._source)

    @property
    def _source(self) -> pd.DataFrame:
        return self.frame if self.shown is None else self.shown

    @property
    def csv_path(self) -> str:
        """Return the path of its CSV file in the output folder."""
        return f"tables/{self.name}.csv{'.gz' if len(self.frame) > MOST_ROWS else ''}"

    @property
    def headers(self) -> list[str]:
        """Return the headings on one line; a group's precedes that of its first column."""
        groups = [column.group for column in self.columns]
        return [
            f"{column.group}, {column.header}"
            if column.group and column.group != before
            else shorten(column.header)
            for column, before in zip(self.columns, ["", *groups], strict=False)
        ]

    def cells(self, limit: int | None = None) -> list[list[str]]:
        """Return the formatted rows with minus signs, not yet escaped."""
        return self._cells if limit is None else self.head(limit)._cells

    @cached_property
    def _cells(self) -> list[list[str]]:
        written: list[list[str]] = []
        for column in self.columns:
            values: list[list[Any]] = [self._source[key].tolist() for key in column.keys]
            texts = [column.write(*row) for row in zip(*values, strict=True)]
            written.append([*map(minus_signs, texts)] if column.number else texts)
        return [list(row) for row in zip(*written, strict=True)]

    def values(self, column: Column) -> list[float | None]:
        """Return the numbers by which a column sorts; None for text and missing values."""
        if not column.number:
            return [None] * len(self)
        found = pd.to_numeric(self._source[column.keys[0]], errors="coerce").astype(float)
        return [value if np.isfinite(value) else None for value in found.tolist()]

    def capped(self, rows: int = 1_000, columns: int = 60, place: str = "") -> Table:
        """Return the first rows and columns, with a note on the place that has all of them.

        Examples
        --------
        >>> frame = pd.DataFrame({"name": ["ALP", "SVM", "IF"]})
        >>> table = Table("t", "Names", "All.", frame, (Column("name", ("name",), number=False),))
        >>> table.capped(rows=2).cells(), table.capped(rows=2).note
        ([['ALP'], ['SVM']], 'The first 2 of 3 rows; all are in tables/t.csv.')
        >>> table.capped() is table
        True
        """
        sizes = ((rows, len(self), "rows"), (columns, len(self.columns), "columns"))
        parts = [f"{most:,} of {size:,} {kind}" for most, size, kind in sizes if size > most]
        if not parts:
            return self
        pointer = f"The first {' and '.join(parts)}; all are in {place or self.csv_path}."
        note = f"{self.note} {pointer}".strip()
        return replace(self.head(rows), columns=self.columns[:columns], note=note)

    def head(self, rows: int) -> Table:
        """Return the first rows."""
        best = None if self.best is None else self.best.head(rows)
        return replace(self, shown=self._source.head(rows), best=best)

    def remark(self, mark: str = "Bold:") -> str:
        """Return the meaning of bold cells, and the note."""
        meaning = f"{mark} {self.best_means}" if self.best_means else ""
        return " ".join(filter(None, (meaning, self.note)))

    def bold(self, column: Column) -> list[bool]:
        """Return which cells of a column are bold."""
        key = column.keys[0]
        if self.best is None or key not in self.best:
            return [False] * len(self)
        return [bool(marked) for marked in self.best[key].tolist()]

    def to_csv(self) -> str:
        """Return all values in full precision; text cannot run as a spreadsheet formula."""
        return frame_to_csv(self.frame)


def frame_to_csv(frame: pd.DataFrame) -> str:
    """Return a frame as CSV; text cannot run as a spreadsheet formula."""
    guarded = pd.DataFrame(
        {
            place: [guard(cell) if isinstance(cell, str) else cell for cell in column.tolist()]
            for place, (_, column) in enumerate(frame.items())
        }
    )
    header = [guard(str(name)) for name in frame.columns]
    return guarded.to_csv(index=False, header=header, lineterminator="\n")


def guard(name: str) -> str:
    """Return the name, preceded by an apostrophe if a spreadsheet would run it as a formula.

    Examples
    --------
    >>> guard("=1+1"), guard(" ＝1+1"), guard("ALP")
    ("'=1+1", "' ＝1+1", 'ALP')
    """
    # Full-width signs count as well.
    starts = {name[:1], unicodedata.normalize("NFKC", name.lstrip()[:1])}
    return f"'{name}" if starts & _FORMULA_STARTS else name


def frame_table(frame: pd.DataFrame, *specs: Spec, **fields: Any) -> Table:
    """Return a table of columns that are declared in short; those without a value are left out.

    Parameters
    ----------
    frame
        Values in full precision.
    *specs
        The name of a column of text; or a heading, keys and the writer of their values; or a
        `Column`.
    **fields
        Fields of the table.
    """
    shown, columns = fields.get("shown", frame), []
    for spec in specs:
        if isinstance(spec, Column):
            columns.append(spec)
            continue
        header, *keys, write = (spec, spec, word) if isinstance(spec, str) else spec
        filled = shown.empty or any(shown[key].notna().any() for key in keys if key in shown)
        if filled and set(keys) <= set(shown):
            columns.append(Column(header, tuple(keys), write, write not in (word, truth)))
    return Table(frame=frame, columns=tuple(columns), **fields)


def grid_table(
    leading: Sequence[tuple[str, list[Any], Callable[..., str]]],
    values: pd.DataFrame,
    write: Callable[..., str],
    *,
    best: Any = None,
    frame: pd.DataFrame | None = None,
    **fields: Any,
) -> Table:
    """Return a table whose headings are names from the data.

    Parameters
    ----------
    leading
        Heading, values and writer of each column before the grid; `word` writes text.
    values, write
        The grid and its writer.
    best
        Truth values of the cells of the grid to set in bold.
    frame
        Values for CSV; by default the grid.
    **fields
        Fields of the table.
    """
    # Keys are positions: an algorithm may be called "algorithm", "dataset" or "tasks".
    keys = [str(len(leading) + position) for position in range(values.shape[1])]
    shown = values.reset_index(drop=True).set_axis(keys, axis=1)
    columns = [Column(str(name), (key,), write) for name, key in zip(values, keys, strict=True)]
    for position, (header, cells, writer) in enumerate(leading):
        shown.insert(position, str(position), cells)
        columns.insert(position, Column(header, (str(position),), writer, writer is not word))
    return Table(
        frame=shown.set_axis([c.header for c in columns], axis=1) if frame is None else frame,
        shown=shown,
        columns=tuple(columns),
        best=None if best is None else pd.DataFrame(np.asarray(best), columns=keys),
        **fields,
    )


def plain_table(frame: pd.DataFrame, **fields: Any) -> Table:
    """Return a table with headings and formats inferred from the frame, not for the terminal."""
    specs = []
    for key, kind in zip(map(str, frame.columns), frame.dtypes, strict=True):
        write: Callable[..., str] = word
        if pd.api.types.is_bool_dtype(kind):
            write = truth
        elif key.startswith("p_"):
            write = p_value
        elif pd.api.types.is_numeric_dtype(kind):
            integral = pd.api.types.is_integer_dtype(kind)
            write = integer if integral else same_decimals(frame[key])
        specs.append((key.replace("_", " "), key, write))
    return frame_table(frame, *specs, terminal_rows=0, **fields)


def truth(value: Any) -> str:
    """Return yes or no; a dash if the value is missing."""
    return word(None) if value is None or pd.isna(value) else "yes" if value else "no"
