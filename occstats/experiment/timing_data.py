"""Rows to measure times on: generated ones, or those of a file such as the paper's *higgs*."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.errors import DataError

__all__ = ["GENERATED_ATTRIBUTES", "RowPool", "generated_rows", "rows_of_file"]

# As many as the higgs data have.
GENERATED_ATTRIBUTES = 28
# Samples are drawn from the first rows of a file, of which higgs has eleven million.
MOST_ROWS = 1_000_000
# Different samples of generated data come from a pool that is at least this much larger.
POOL_FACTOR = 4


@dataclass(frozen=True, eq=False)
class RowPool:
    """Rows from which samples are drawn, and what they are."""

    rows: NDArray[np.float64]
    name: str

    def sample(self, n: int, generator: np.random.Generator) -> NDArray[np.float64]:
        """Draw n different rows."""
        return self.rows[generator.choice(len(self.rows), size=n, replace=False)]


def generated_rows(n: int, n_attributes: int = GENERATED_ATTRIBUTES, seed: int = 0) -> RowPool:
    """Rows of a mixture of Gaussian clouds of different sizes and shapes.

    Examples
    --------
    >>> generated_rows(100, 3).rows.shape
    (400, 3)
    """
    generator = np.random.default_rng(seed)
    n_rows, n_clouds = POOL_FACTOR * n, 8
    centres = 4 * generator.normal(size=(n_clouds, n_attributes))
    shapes = generator.normal(size=(n_clouds, n_attributes, n_attributes)) / np.sqrt(n_attributes)
    cloud = generator.integers(n_clouds, size=n_rows)
    rows = generator.normal(size=(n_rows, n_attributes))
    for number in range(n_clouds):
        rows[cloud == number] = rows[cloud == number] @ shapes[number] + centres[number]
    return RowPool(rows, "generated")


def rows_of_file(path: str | Path, *, label: str | None = None) -> RowPool:
    """The numeric attributes of a table; a table without headings has them numbered from 0.

    Parameters
    ----------
    path
        A ``.csv``, ``.csv.gz`` or ``.parquet`` file.
    label
        A column to leave out, such as the class: "0" for the first of a table without headings.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"--data: there is no file {str(path)!r}")
    try:
        frame = _read(path)
    except (ValueError, OSError, UnicodeError, EOFError) as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"--data: cannot read {str(path)!r}: {reason}") from error
    frame.columns = frame.columns.map(str)
    if label is not None:
        if label not in frame.columns:
            columns = ", ".join(frame.columns[:12])
            raise DataError(f"--data: {str(path)!r} has no column {label!r}; it has {columns}")
        frame = frame.drop(columns=label)
    numbers = frame.select_dtypes("number").dropna()
    if not numbers.shape[1] or not len(numbers):
        raise DataError(f"--data: {str(path)!r} has no rows of numbers")
    return RowPool(np.ascontiguousarray(numbers, dtype=np.float64), path.name)


def _read(path: Path) -> pd.DataFrame:
    name = path.name.lower()
    if name.endswith(".parquet"):
        return pd.read_parquet(path).head(MOST_ROWS)
    if not name.endswith((".csv", ".csv.gz")):
        raise ValueError("expected .csv, .csv.gz or .parquet")
    opened = gzip.open if name.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        first = next(csv.reader(file), [])
    header = None if first and all(map(_is_number, first)) else 0
    return pd.read_csv(path, header=header, nrows=MOST_ROWS)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
