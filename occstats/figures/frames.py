"""Checks of the tidy frames that feed figures which no comparison feeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.errors import ResultsError
from occstats.figures.style import FigureError
from occstats.text import listing

__all__ = ["read_frame", "records", "require_columns"]


def require_columns(frame: pd.DataFrame, needed: Iterable[str], what: str) -> None:
    """Refuse a frame that lacks a column or has no rows.

    >>> import pandas as pd
    >>> require_columns(pd.DataFrame({"n": [1]}), ["n", "descriptor"], "times")
    Traceback (most recent call last):
    ...
    occstats.figures.style.FigureError: times lacks the column descriptor; found n
    """
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        raise FigureError(
            f"{what} lacks the column {listing(missing)}; "
            f"found {listing(map(str, frame.columns)) or 'none'}"
        )
    if not len(frame):
        raise FigureError(f"{what} has no rows: there is nothing to draw")


def read_frame(path: str | Path, what: str) -> pd.DataFrame:
    """Read a tidy frame from CSV or Parquet; names stay text."""
    file = Path(path)
    readers = {
        ".csv": lambda: pd.read_csv(
            file,
            dtype={"descriptor": str, "metric": str},
            keep_default_na=False,
            na_values=[""],
        ),
        ".parquet": lambda: pd.read_parquet(file),
    }
    if file.suffix.lower() not in readers:
        raise FigureError(f"--{what} takes a .csv or .parquet file; got {str(path)!r}")
    if not file.is_file():
        raise ResultsError(f"--{what}: there is no file {str(path)!r}")
    try:
        return readers[file.suffix.lower()]()
    except (ValueError, OSError, UnicodeError) as error:
        # pandas' and pyarrow's reasons run over several lines
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ResultsError(f"--{what}: cannot read {str(path)!r}: {reason}") from error


def records(frame: pd.DataFrame) -> Iterator[Any]:
    """Iterate over the rows of a frame; a column is an attribute of its row."""
    return iter(frame.itertuples())
