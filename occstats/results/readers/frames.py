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
from occstats.results.aliases import NAMES, normalise
from occstats.results.cells import (
    Numbers,
    column_codes,
    message_of,
    parse_names,
    parse_numbers,
    plain_numbers,
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
    _numeric: dict[str, bool] = field(default_factory=dict, init=False, repr=False)
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
        column = self.frame[first] if first in _UNNAMED else ()
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

    def is_numeric(self, column: str) -> bool:
        """Return True if all cells are numbers or empty."""
        if column not in self._numeric:
            # Most text begins with text, and need not be parsed as numbers.
            plain = column not in {FILE, ROW}
            plain = plain and not parse_numbers(self.frame[column][:1], self.decimal).wrong.any()
            self._numeric[column] = bool(plain) and self.numbers(column).all_numbers
        return self._numeric[column]

    def take_flags(self, column: str) -> None:
        """Use a column of True and False as the numbers 1 and 0."""
        codes, names = self.codes(column)
        values = np.array([*(float(name.casefold() in _YES) for name in names), np.nan])[codes]
        self._numbers[column] = Numbers(values, np.zeros(len(codes), dtype=bool))
        self._numeric[column] = True

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
        if self.is_numeric(column):
            return False
        pairs = pd.DataFrame({"task": self.codes(task)[0], "group": self.codes(column)[0]})
        n_tasks = pairs["task"].nunique()
        return 1 < len(self.names(column)) < n_tasks == len(pairs.drop_duplicates())


def check_names(columns: Sequence[str], where: str) -> None:
    """Refuse a table in which column names are equal or longer than any name."""
    if len(set(columns)) < len(columns):
        twice = sorted(name for name, times in Counter(columns).items() if times > 1)
        raise ResultsError(
            f"{where}: duplicate column names {quote_list(twice)}; give each column a unique"
            " name, and write tables side by side to separate files"
        )
    longest = max(map(len, columns), default=0)
    if longest > _LONGEST_NAME:
        raise ResultsError(
            f"{where}: a column name of {longest:,} characters, more than the limit of"
            f" {_LONGEST_NAME:,}; the first row may not hold the column names"
        )


# -- frames and arrays -----------------------------------------------------------------------------


def from_frame(frame: pd.DataFrame, name: str, **details: Any) -> RawTable:
    """Wrap a frame; an index other than row numbers becomes columns."""
    if (levels := frame.columns.nlevels) > 1:
        raise ResultsError(
            f"{name}: the columns have {levels} levels; give a frame with one row of column names"
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
    names = list(algorithms) if isinstance(scores, np.ndarray) else [*map(str, scores)]
    columns = [scores] if isinstance(scores, np.ndarray) else list(scores.values())
    try:
        # One row for each task, as pandas would also repeat a single number.
        values = np.column_stack([np.asarray(column) for column in columns])
        frame = pd.DataFrame(values if len(values) else None, columns=names).infer_objects()
    except ValueError:
        shapes = [np.shape(column) for column in columns]
        raise ResultsError(
            "scores: must be a mapping from algorithms to one score per task, or an array with one"
            " row per task and the names of its columns as algorithms=…; got"
            f" {quote_list(names, limit=5) if names else 'no names'} and the shapes"
            f" {', '.join(map(str, shapes[:5])) or 'of nothing'}"
        ) from None
    if datasets is None:
        listed = NAMES["dataset"] | NAMES["task"] | NAMES["algorithm"]
        if listed.isdisjoint(map(normalise, frame)):
            frame.insert(0, "dataset", [str(row + 1) for row in range(len(frame))])
        return frame
    if len(datasets) != len(frame):
        raise ResultsError(
            f"datasets: has {count(len(datasets), 'name')} for {count(len(frame), 'row')} of"
            " scores; give the dataset of each row"
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
        for batch in reader:
            rows += batch.num_rows
            width = batch.num_columns
            limits.check(where, rows=rows, columns=width, cells=rows * width)
            batches.append(batch)
        return RawTable(where, frame_of_arrow(pa.Table.from_batches(batches, reader.schema)))
    except ResultsError:
        raise
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise ResultsError(f"{where}: cannot be read as a table ({message_of(error)})") from None


def frame_of_arrow(table: Any) -> pd.DataFrame:
    """Convert an Arrow table without its nested columns."""
    import pyarrow as pa

    types = pa.types
    for place, item in reversed([*enumerate(table.schema)]):
        if types.is_nested(item.type) or types.is_run_end_encoded(item.type):
            table = table.remove_column(place)
        elif types.is_dictionary(item.type) and types.is_unsigned_integer(item.type.index_type):
            # Polars exports categories with unsigned codes, which pandas does not support.
            chunks = table.column(place).chunks
            plain = [c.dictionary.cast(pa.large_string()).take(c.indices) for c in chunks]
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
