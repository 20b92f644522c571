"""A source before its columns have a meaning: names, rows, and where each row comes from."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.names import quote, quote_list
from occstats.results.readers.header import join_names, name_measures

__all__ = ["FILE", "ROW", "RawTable", "check_names", "from_frame"]

# The name under which the name of the file can be used as a column.
FILE = "@file"
# The name under which the number of the row can be used as a column.
ROW = "@row"
# What spreadsheets and frames call an index without a name.
UNNAMED = ("", "index", "Unnamed: 0", "level_0")


@dataclass(frozen=True)
class RawTable:
    """A table of which only the needed columns are read.

    Attributes
    ----------
    name : str
        The source, as messages show it.
    columns : sequence of str
        The names of the columns, no two alike.
    n_rows : int
        The number of rows.
    read : callable
        Reads the columns that it is given into a frame.
    parts : sequence of (int, str)
        For a source of several files: the first row of each, and its name.
    index : sequence of str
        The columns that were an index: they say which row it is, and are never an algorithm.
    suggested : mapping
        Options of reading that the format itself answers.
    fixed : bool
        Whether these are all that is to be said: the options of the user are for other sources.
    mixed : bool
        Whether tasks may be of different metrics, all turned so that higher is better.
    unverified : int
        How many files carry no digest of their content, so that damage may go unseen.
    label : str
        What a single algorithm is called that the table does not name.
    caption : str
        What stands above the table.
    notes : sequence of str
        What is to be said about the source.
    """

    name: str
    columns: Sequence[str]
    n_rows: int
    read: Callable[[Sequence[str]], pd.DataFrame]
    parts: Sequence[tuple[int, str]] = ()
    index: Sequence[str] = ()
    suggested: Mapping[str, Any] = field(default_factory=dict)
    fixed: bool = False
    mixed: bool = False
    unverified: int = 0
    label: str = ""
    caption: str = ""
    notes: Sequence[str] = ()
    kept: npt.NDArray[np.int64] | None = None

    @property
    def stem(self) -> str:
        """The name of the file without folder and endings."""
        return Path(self.name.strip("'\"")).name.split(".")[0] or "results"

    def row(self, number: int) -> str:
        """Say in which row, counted from 1 without the header, something stands."""
        if self.kept is not None:
            number = int(self.kept[number])
        if not self.parts:
            return f"{self.name}, row {number + 1}"
        part = bisect_right([start for start, _ in self.parts], number) - 1
        start, name = self.parts[part]
        return f"{name}, row {number - start + 1}"

    def keep(self, rows: npt.NDArray[np.bool_]) -> RawTable:
        """Keep the rows where ``rows`` is true."""
        if rows.all():
            return self
        before = np.arange(self.n_rows) if self.kept is None else self.kept
        read = self.read
        return replace(
            self,
            n_rows=int(rows.sum()),
            read=lambda wanted: read(wanted).iloc[np.flatnonzero(rows)].reset_index(drop=True),
            kept=before[rows],
        )

    def add(self, columns: Mapping[str, Any], *, drop: Sequence[str] = ()) -> RawTable:
        """Add columns in memory, in place of those that are dropped."""
        made = pd.DataFrame(dict(columns), index=range(self.n_rows))
        read = self.read

        def with_added(wanted: Sequence[str]) -> pd.DataFrame:
            old = read([name for name in wanted if name not in made])
            # One step: a table may have thousands of columns.
            return pd.concat([old.reset_index(drop=True), made], axis=1)[list(wanted)]

        left = [name for name in self.columns if name not in drop and name not in made]
        return replace(self, columns=[*made.columns, *left], read=with_added)

    def with_origin(self) -> RawTable:
        """Add the name of the file and the number of the row as columns."""
        numbers = np.arange(self.n_rows) if self.kept is None else self.kept
        return self.add({FILE: self.label or self.stem, ROW: (numbers + 1).astype(str)})

    def split_index(self) -> RawTable:
        """Take a first column of tuples, as a saved ``MultiIndex`` is written, apart."""
        first = self.columns[0] if self.columns else None
        if first is None or first.strip() not in UNNAMED or self.n_rows == 0:
            return self
        column = self.read([first])[first]
        if not all(isinstance(cell, str) and cell[:1] == "(" for cell in column):
            return self
        try:
            tuples = [ast.literal_eval(cell) for cell in column]
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return self
        if len({len(t) if isinstance(t, tuple) else 0 for t in tuples} - {0}) != 1:
            return self
        levels = {f"index {i}": list(part) for i, part in enumerate(zip(*tuples, strict=True), 1)}
        made = {name: pd.Series(part, dtype=object) for name, part in levels.items()}
        return replace(self.add(made, drop=[first]), index=list(levels))


def check_names(columns: Sequence[str], where: str) -> None:
    """Refuse a table in which two columns have the same name."""
    twice = sorted(name for name, times in Counter(columns).items() if times > 1)
    if twice:
        raise ResultsError(
            f"{where}: several columns are called {quote_list(twice)}; give each a name of its own"
        )


def from_frame(frame: pd.DataFrame, name: str, **details: Any) -> RawTable:
    """Wrap a frame; an index that says something becomes columns."""
    if frame.columns.nlevels > 1:
        names = [join_names(column) for column in frame.columns]
        if not name_measures(names):
            raise ResultsError(
                f"{name}: the columns have {frame.columns.nlevels} levels; give a frame with one"
                " row of column names"
            )
        frame = frame.set_axis(names, axis=1)
    index: list[str] = []
    if not isinstance(frame.index, pd.RangeIndex) or frame.index.name is not None:
        clash = [level for level in frame.index.names if level in frame.columns]
        if clash:
            raise ResultsError(
                f"{name}: {quote(clash[0])} is the name of an index level and of a column; reset or"
                " drop the index"
            )
        unnamed = list(frame.index.names) == [None]
        if not (unnamed and pd.api.types.is_integer_dtype(frame.index.dtype)):
            levels = enumerate(frame.index.names, 1)
            index = [f"index {i}" if level is None else str(level) for i, level in levels]
            if unnamed:
                index = [""]
            frame = frame.reset_index(names=index)
    columns = [str(column) for column in frame.columns]
    check_names(columns, name)
    frame = frame.set_axis(columns, axis=1)
    return RawTable(
        name, columns, len(frame), lambda wanted: frame[list(wanted)], index=index, **details
    )
