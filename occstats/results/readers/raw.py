"""A source before its columns have a meaning: names, rows, and where each row comes from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from occstats.errors import ResultsError
from occstats.results.names import quote, quote_list

__all__ = ["RawTable", "check_names", "from_frame"]


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
    """

    name: str
    columns: Sequence[str]
    n_rows: int
    read: Callable[[Sequence[str]], pd.DataFrame]
    parts: Sequence[tuple[int, str]] = ()

    def row(self, number: int) -> str:
        """Say in which row, counted from 1 without the header, something stands."""
        if not self.parts:
            return f"{self.name}, row {number + 1}"
        part = bisect_right([start for start, _ in self.parts], number) - 1
        start, name = self.parts[part]
        return f"{name}, row {number - start + 1}"


def check_names(columns: Sequence[str], where: str) -> None:
    """Refuse a table in which two columns have the same name."""
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise ResultsError(
            f"{where}: several columns are called {quote_list(twice)}; give each a name of its own"
        )


def from_frame(frame: pd.DataFrame, name: str) -> RawTable:
    """Wrap a frame; a named index becomes columns."""
    if frame.columns.nlevels > 1:
        raise ResultsError(
            f"{name}: the columns have {frame.columns.nlevels} levels; give a frame with one row of"
            " column names"
        )
    if not isinstance(frame.index, pd.RangeIndex) or frame.index.name is not None:
        clash = [level for level in frame.index.names if level in frame.columns]
        if clash:
            raise ResultsError(
                f"{name}: {quote(clash[0])} is the name of an index level and of a column; reset or"
                " drop the index"
            )
        unnamed = list(frame.index.names) == [None]
        if not (unnamed and pd.api.types.is_integer_dtype(frame.index.dtype)):
            frame = frame.reset_index(names=[""] if unnamed else None)
    columns = [str(column) for column in frame.columns]
    check_names(columns, name)
    frame = frame.set_axis(columns, axis=1)
    return RawTable(name, columns, len(frame), lambda wanted: frame[list(wanted)])
