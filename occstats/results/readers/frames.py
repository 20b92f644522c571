"""Raw tables, before their columns have roles, and frames as raw tables."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import NAMES, lower_is_better, normalise
from occstats.results.cells import (
    Numbers,
    begin_with_text,
    column_codes,
    parse_names,
    parse_numbers,
    plain_numbers,
    reason_of,
)
from occstats.results.readers.limits import Limits

# Column names that stand for the name of the file and for the number of the row.
FILE, ROW = "@file", "@row"
# Names of an index without a name in spreadsheets and frames.
_UNNAMED = ("", "index", "Unnamed: 0", "level_0")
# A longer column name is text, and matching it against patterns would be slow.
_LONGEST_NAME = 1_000
_YES, _NO = {"true", "yes", "1"}, {"false", "no", "0"}

Codes = tuple[npt.NDArray[np.int64], npt.NDArray[np.object_]]


@dataclass(frozen=True, eq=False)
class RawTable:
    """Table whose columns have no roles yet; each is parsed once, and only if needed."""

    name: str  # the source, as shown in messages
    frame: pd.DataFrame  # its index numbers the rows of the source; text files have only text
    index: Sequence[str] = ()  # columns that identify rows and are never algorithms
    suggested: Mapping[str, Any] = field(default_factory=dict)  # options known from the format
    fixed: bool = False  # if True, options of the user do not apply
    mixed: bool = False  # if True, tasks may differ in the metric; higher is better in all
    label: str = ""  # a single algorithm or dataset that the table does not name
    notes: Sequence[str] = ()
    decimal: str = "."
    _numbers: dict[str, Numbers] = field(default_factory=dict, init=False, repr=False)
    _named: set[str] = field(default_factory=set, init=False, repr=False)  # seen not to be numbers
    _codes: dict[str, Codes] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_names(self.columns, self.name)

    @cached_property
    def columns(self) -> list[str]:
        """Return the names of the columns."""
        return list(self.frame.columns)

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.frame)

    @property
    def stem(self) -> str:
        """Return the name of the file without folder and suffixes."""
        return Path(self.name.strip("'\"")).name.split(".")[0] or "results"

    def row(self, number: int) -> str:
        """Return the position of a row for a message, counted from 1 without the header."""
        return f"{self.name}, row {self.frame.index[number] + 1}"

    def keep(self, rows: npt.NDArray[np.bool_]) -> RawTable:
        """Keep the rows where ``rows`` is true."""
        return self if rows.all() else replace(self, frame=self.frame.iloc[np.flatnonzero(rows)])

    def add(self, columns: Mapping[str, Any], *, drop: Sequence[str] = ()) -> RawTable:
        """Add columns, in place of those that are dropped."""
        made = pd.DataFrame(dict(columns)).set_axis(self.frame.index, axis=0)
        left = [name for name in self.columns if name not in drop and name not in made]
        # In one step, because there may be thousands of columns.
        return replace(self, frame=pd.concat([made, self.frame[left]], axis=1))

    def split_index(self) -> RawTable:
        """Split a first column of tuples, the text form of a saved ``MultiIndex``."""
        first = next(iter(self.columns), "-")
        column = self.frame[first] if first in {*_UNNAMED} else ()
        if not len(column) or not all(isinstance(c, str) and c[:1] == "(" for c in column):
            return self
        try:
            levels = zip(*map(ast.literal_eval, column), strict=True)
            made = {f"index {i}": pd.Series(part, dtype=object) for i, part in enumerate(levels, 1)}
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return self
        return replace(self.add(made, drop=[first]), index=list(made))

    # -- cells -------------------------------------------------------------------------------------

    def numbers(self, column: str) -> Numbers:
        """Return the cells as numbers; True and False are not numbers."""
        if column not in self._numbers:
            plain = plain_numbers(self.frame[column], self.decimal)
            self._numbers[column] = plain or parse_names(*self.codes(column), self.decimal)
        return self._numbers[column]

    def take_flags(self, column: str) -> None:
        """Use a column of True and False as the numbers 1 and 0."""
        codes, names = self.codes(column)
        values = np.array([*(float(name.casefold() in _YES) for name in names), np.nan])[codes]
        self._numbers[column] = Numbers(values, np.zeros(len(codes), dtype=bool))

    def codes(self, column: str) -> Codes:
        """Return the code of the name in each row, −1 for none, and the distinct names."""
        if column not in self._codes:
            rows = np.arange(self.n_rows)
            if column in self.columns:
                found = column_codes(self.frame[column])
            elif column == FILE:
                found = np.zeros_like(rows), np.array([self.label or self.stem], dtype=object)
            else:
                found = rows, np.array([str(i + 1) for i in self.frame.index], dtype=object)
            self._codes[column] = found
        return self._codes[column]

    def names(self, column: str) -> list[str]:
        """Return the distinct names of a column, in the order of the rows."""
        return list(self.codes(column)[1])

    def row_names(self, column: str) -> npt.NDArray[np.object_]:
        """Return the name in each row, None if it is empty."""
        codes, names = self.codes(column)
        return np.array([*names, None], dtype=object)[codes]

    def is_numeric(self, column: str) -> bool:
        """Return True if all cells are numbers or empty."""
        if column in {FILE, ROW}:
            return False
        if column not in self._named and column not in self._numbers:
            plain = plain_numbers(self.frame[column], self.decimal)
            if plain is not None:
                self._numbers[column] = plain
            elif begin_with_text(self.codes(column)[1], self.decimal):
                self._named.add(column)
        return column not in self._named and self.numbers(column).all_numbers

    def is_fractional(self, column: str) -> bool:
        """Return True for numbers that are not all integers, which names and labels never are."""
        return self.is_numeric(column) and not self.numbers(column).whole

    def is_flag(self, column: str) -> bool:
        """Return True if every cell is a boolean."""
        if self.is_numeric(column):
            return bool(np.isin(self.numbers(column).values, (0, 1)).all())
        codes, names = self.codes(column)
        return {name.casefold() for name in names} <= _YES | _NO and bool((codes >= 0).all())

    def groups(self, column: str, task: str) -> bool:
        """Return True for text that groups the tasks, and is constant within each."""
        n_values = len(self.codes(column)[1]) if not self.is_numeric(column) else 0
        tasks, codes = self.codes(task)[0], self.codes(column)[0]
        n_tasks = len(pd.unique(tasks))
        pairs = pd.unique((tasks + 1) * (codes.max(initial=0) + 2) + codes + 1)
        return 1 < n_values < n_tasks == len(pairs)


def check_names(columns: Sequence[str], where: str) -> None:
    """Refuse a table in which column names are equal or longer than any name."""
    if len(set(columns)) < len(columns):
        twice = sorted(name for name, times in Counter(columns).items() if times > 1)
        raise ResultsError(
            f"{where}: duplicate column names {quote_list(twice)}; give each column a unique name"
        )
    longest = max(map(len, columns), default=0)
    if longest > _LONGEST_NAME:
        raise ResultsError(
            f"{where}: a column name of {longest:,} characters, more than the limit of"
            f" {_LONGEST_NAME:,}; the first row may not hold the column names"
        )


def from_frame(frame: pd.DataFrame, name: str, **details: Any) -> RawTable:
    """Wrap a frame; an index other than row numbers becomes columns."""
    levels = frame.columns.nlevels
    if levels > 1:
        frame = frame.set_axis([join_names(column) for column in frame.columns], axis=1)
        if not name_measures(list(frame.columns)):
            raise ResultsError(
                f"{name}: the columns have {levels} levels; give a frame with one row of column"
                " names"
            )
    index: list[str] = []
    if list(frame.index.names) != [None]:
        index = [f"index {i}" if n is None else str(n) for i, n in enumerate(frame.index.names, 1)]
    elif not pd.api.types.is_integer_dtype(frame.index.dtype):
        index = [""]
    if clash := [level for level in index if level in frame.columns]:
        raise ResultsError(
            f"{name}: {quote(clash[0])} names both an index level and a column; reset or drop the"
            " index"
        )
    frame = frame.reset_index(names=index or None, drop=not index)
    return RawTable(
        name, frame.set_axis([*map(str, frame.columns)], axis=1), index=index, **details
    )


def frame_of_scores(
    scores: Any, datasets: Sequence[object] | None, algorithms: Sequence[str]
) -> pd.DataFrame:
    """Return a wide table of the scores in a mapping by algorithm or in an array with names.

    >>> frame_of_scores({"ALP": [0.9, 0.8], "SVM": [0.7, 0.6]}, ["iris", "iris"], ())
      dataset task  ALP  SVM
    0    iris    1  0.9  0.7
    1    iris    2  0.8  0.6
    """
    if isinstance(scores, np.ndarray):
        if scores.ndim != 2 or scores.shape[1] != len(algorithms):
            names = count(len(algorithms), "name") if algorithms else "no names"
            raise ResultsError(
                f"array: has the shape {scores.shape} and {names}; pass"
                " the name of each column as algorithms=… and, if rows share datasets, the dataset"
                " of each row as datasets=…"
            )
        frame = pd.DataFrame(scores, columns=list(algorithms))
    else:
        arrays = {str(name): np.asarray(values) for name, values in scores.items()}
        if not arrays:
            raise ResultsError("mapping: is empty; pass the scores of each algorithm by its name")
        shapes = {values.shape for values in arrays.values()}
        if len(shapes) > 1 or len(shapes.pop()) != 1:
            found = ", ".join(f"{quote(name)}: {a.shape}" for name, a in arrays.items())
            raise ResultsError(
                f"mapping: must have one score for each task and algorithm; got the shapes {found};"
                " average over folds first"
            )
        frame = pd.DataFrame(arrays)
    if datasets is None:
        keys = NAMES["dataset"] | NAMES["task"] | NAMES["algorithm"]
        if not any(normalise(name) in keys for name in frame):
            frame.insert(0, "dataset", [str(row + 1) for row in range(len(frame))])
        return frame
    if len(datasets) != len(frame):
        raise ResultsError(
            f"datasets: has {count(len(datasets), 'name')} for {count(len(frame), 'row')} of"
            " scores; name the dataset of each row"
        )
    frame.insert(0, "dataset", pd.Series(map(str, datasets), dtype=object))
    if frame["dataset"].duplicated().any():
        numbers = frame.groupby("dataset", sort=False).cumcount() + 1
        frame.insert(1, "task", numbers.astype(str))
    return frame


def from_arrow(source: Any, where: str, limits: Limits) -> RawTable:
    """Wrap a frame of any library that exports an Arrow stream, such as Polars or DuckDB."""
    import pyarrow as pa

    batches, rows = [], 0
    try:
        reader = pa.RecordBatchReader.from_stream(source)
        width = len(reader.schema)
        for batch in reader:
            rows += batch.num_rows
            limits.check(where, rows=rows, columns=width, cells=rows * width)
            batches.append(batch)
        return RawTable(where, frame_of_arrow(pa.Table.from_batches(batches, reader.schema)))
    except ResultsError:
        raise
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise ResultsError(f"{where}: cannot be read as a table ({reason_of(error)})") from None


def frame_of_arrow(table: Any) -> pd.DataFrame:
    """Convert an Arrow table without its nested columns."""
    import pyarrow as pa

    nested = (pa.types.is_nested, pa.types.is_run_end_encoded)
    kinds = enumerate(table.schema.types)
    table = table.select([i for i, kind in kinds if not any(test(kind) for test in nested)])
    for place, item in enumerate(table.schema):
        # Polars exports categories with unsigned codes, which pandas does not support.
        if pa.types.is_dictionary(item.type) and pa.types.is_unsigned_integer(item.type.index_type):
            plain = [
                chunk.dictionary.cast(pa.large_string()).take(chunk.indices)
                for chunk in table.column(place).chunks
            ]
            column = pa.chunked_array(plain, pa.large_string())
            table = table.set_column(place, item.name, column)
    # Text stays in Arrow's form: a copy as Python objects takes five times as long.
    text = {
        kind: pd.ArrowDtype(pa.large_string() if kind != pa.string() else kind)
        for kind in (pa.string(), pa.large_string(), pa.string_view())
    }
    frame: pd.DataFrame = table.to_pandas(
        ignore_metadata=True, integer_object_nulls=True, types_mapper=text.get, split_blocks=True
    )
    return frame


# -- header rows -----------------------------------------------------------------------------------

_ROWS, _COLUMNS = 12, 200


def find_header(rows: Sequence[Sequence[str]], n_rows: int, where: str) -> tuple[list[str], int]:
    """Return the names of the columns, and the number of rows above the data.

    A merged cell names all columns up to the next; the row below may name the index.

    >>> rows = [["", "A", "", "B"], ["", "acc", "f1", "acc"], ["data", "", "", ""]]
    >>> find_header(rows, 2, "")
    (['data', 'A acc', 'A f1', 'B acc'], 3)
    """
    titles = n_titles(rows)
    cells = [[cell.strip() for cell in row] for row in rows[titles:]]
    if not cells:
        return [], 0
    if n_rows == 1:
        why = "numbers begin only below them" if has_two_headers(rows) else ""
        # As above levels 1, 2, 3 of each, with no name in the column of the names.
        if len({*cells[0]}) < len(cells[0]) and not any(row[0] for row in cells[:2]):
            pairs = [*zip(*cells[:2], strict=False)]
            why = why or "those of the first recur" * (len({*pairs}) == len(cells[0]))
        if why:
            raise ResultsError(
                f"{where}: there are 2 rows of column names, as {why}; write one row, or join them"
                " with header_rows=2",
                {"header_rows": 2},
            )
        return cells[0], titles + 1
    width = max(map(len, cells))
    above = [row + [""] * (width - len(row)) for row in cells[:n_rows]]
    for i, row in enumerate(above[:-1]):
        for column in range(1, width):
            if not row[column] and any(lower[column] for lower in above[i + 1 :]):
                row[column] = row[column - 1]
    names = [join_names(column) for column in zip(*above, strict=True)]
    used = min(titles + n_rows, len(rows))
    below = cells[n_rows] if len(cells) > n_rows else []
    named = [cell for cell in below if cell]
    only_first = named and below[: len(named)] == named != below
    if only_first and np.isnan(parse_numbers(pd.Series(named)).values).all():
        return [*named, *names[len(named) :]], used + 1
    return names, used


def n_titles(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows above a table that are empty, a comment or a title.

    >>> n_titles([["Table 4: accuracy", ""], ["", ""], ["data", "A"], ["x", "0.1"]])
    2
    >>> n_titles([["data", ""], ["x y", "0.1"]]), n_titles([["# by me"], ["data", "A"]])
    (0, 1)
    """
    for i, row in enumerate(rows[:_ROWS]):
        first, *others = [cell.strip() for cell in row] or [""]
        below = rows[i + 1] if len(rows) > i + 1 else row
        comment = first[:1] in {"#", "%"} and (
            len(below) != len(row)
            # A sentence with commas, between others and the names.
            or (i > 0 and " " in first and all(below) and not any(map(_holds_number, below)))
        )
        if not comment and (any(others) or (first and " " not in first)):
            # A table of one column has no title.
            return i if any(others) else 0
    return 0


def _holds_number(cell: str) -> bool:
    return bool(np.isfinite(parse_numbers(pd.Series([cell])).values).any())


def has_two_headers(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if the second row has names above columns of numbers, and no number."""
    rows = rows[n_titles(rows) :][:_ROWS]
    if len(rows) < 3 or len({len(row) for row in rows}) > 1:
        return False
    # Beside the first columns without a name, there may be other notes.
    named = [i for i, names in enumerate(zip(*rows[:2], strict=True)) if any(names)]
    width = next((i for i, column in enumerate(named) if i < column - named[0]), len(rows[0]))
    shown = [row[: min(width, _COLUMNS)] for row in rows[1:]]
    found = parse_numbers(pd.Series([cell.replace("%", "") for row in shown for cell in row]))
    values, wrong = (part.reshape(len(shown), -1) for part in (found.values, found.wrong))
    numeric = np.isfinite(values[1:]).any(axis=0) & ~wrong[1:].any(axis=0)
    return bool(wrong[0, numeric].sum() > 1 and np.isnan(values[0, numeric]).all())


def name_measures(names: Sequence[str]) -> bool:
    """Return True if every name contains a measure; otherwise, levels may be tasks.

    >>> name_measures(["SVM acc", "RF acc"]), name_measures(["class1 SVM", "class2 SVM"])
    (True, False)
    """
    return all(lower_is_better(name) is not None for name in names)


def join_names(parts: Sequence[object]) -> str:
    """Join the names of several levels.

    >>> join_names(("SVM", "accuracy")), join_names(("dataset", "Unnamed: 0_level_1"))
    ('SVM accuracy', 'dataset')
    """
    words = [str(part).strip() for part in parts]
    return " ".join(word for word in words if word and not word.startswith("Unnamed: "))
