"""From cells to numbers, strictly: what is not a number is found, not guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.aliases import ALIASES, is_bounded, normalise
from occstats.results.names import count, quote, quote_list
from occstats.results.readers.raw import RawTable

__all__ = ["Numbers", "check_range", "column_scores", "parse_numbers", "wide_scores"]

_NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", re.ASCII | re.IGNORECASE
)
_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_NO_VALUE = frozenset(
    (
        "",
        "na",
        "n/a",
        "#n/a",
        "nan",
        "-nan",
        "null",
        "none",
        "nil",
        "<na>",
        "missing",
        "-",
        "–",
        "?",
    )
)


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column (NaN where there is none) and where text stands that is no number."""

    values: npt.NDArray[np.float64]
    wrong: npt.NDArray[np.bool_]


def parse_numbers(column: pd.Series, decimal: str = ".") -> Numbers:
    """Turn a column of any type into numbers.

    >>> numbers = parse_numbers(pd.Series(["0.5", " 1e-3 ", "NA", "", "0,85"]))
    >>> numbers.values.tolist()
    [0.5, 0.001, nan, nan, nan]
    >>> numbers.wrong.tolist()
    [False, False, False, False, True]
    """
    if column.dtype.kind in "fiu" and not isinstance(column.dtype, pd.CategoricalDtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Numbers(values, np.zeros(len(column), dtype=bool))
    if column.dtype == object:
        distinct, codes = list(column), np.arange(len(column))
    else:
        codes, unique = pd.factorize(column, use_na_sentinel=True)
        distinct = list(np.asarray(unique, dtype=object))
    parsed = [_parse(cell, decimal) for cell in distinct]
    # The last entry serves cells without a value, whose code is −1.
    values = np.array([np.nan if v is None else v for v in parsed] + [np.nan], dtype=np.float64)
    wrong = np.array([value is None for value in parsed] + [False], dtype=bool)
    return Numbers(values[codes], wrong[codes])


def _parse(cell: object, decimal: str) -> float | None:
    """Give the number, NaN for no value, or None for what is no number."""
    if isinstance(cell, str):
        text = cell.strip()
        if decimal != ".":
            text = text.replace(decimal, ".")
        if _NUMBER.fullmatch(text):
            return float(text)
        return np.nan if text.casefold() in _NO_VALUE else None
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return np.nan
    if isinstance(cell, (bool, np.bool_)):
        return None
    try:
        return float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def looks_like_decimal_comma(cell: object) -> bool:
    """Whether this is a number with a decimal comma."""
    return isinstance(cell, str) and _COMMA.fullmatch(cell.strip()) is not None


def explain_text(cell: object) -> str:
    """Say what to do about text where a number should be."""
    text = str(cell).strip()
    if looks_like_decimal_comma(text):
        return f"write {text.replace(',', '.')}, or give decimal=','"
    if text.endswith("%"):
        return "write a fraction of 1 without the per cent sign"
    return "write a number, or leave the cell empty if there is no result"


def wide_scores(
    raw: RawTable,
    frame: pd.DataFrame,
    candidates: list[str],
    rows: npt.NDArray[np.int64],
    decimal: str,
    asked: list[str] | None,
    notes: list[str],
) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Choose the columns that are algorithms, and give their scores as a rows × columns array."""
    taken: dict[str, npt.NDArray[np.float64]] = {}
    left_out = []
    for name in candidates:
        column = frame[name]
        numbers = parse_numbers(column, decimal)
        is_text = not np.isfinite(numbers.values).any() and not any(
            looks_like_decimal_comma(cell) for cell in column[numbers.wrong]
        )
        is_counter = normalise(name) in {"", "index", "unnamed:_0", "unnamed:0", "id", "row"} and (
            np.array_equal(numbers.values - numbers.values[0], np.arange(len(frame)))
        )
        if asked is None and (is_text or is_counter):
            left_out.append(name)
        else:
            taken[name] = column_scores(raw, column, rows, decimal)
    if not taken:
        raise ResultsError(
            f"{raw.name}: no column of algorithms, and no column of numbers that could be one;"
            f" found {quote_list(raw.columns)}; say which column names the algorithm with"
            " algorithm=…"
        )
    measures = [name for name in taken if normalise(name) in ALIASES["score"]]
    if asked is None and measures and len(taken) > 1:
        raise ResultsError(
            f"{raw.name}: no column names the algorithm, and {quote_list(measures)} are measures,"
            f" not algorithms; say which column names the algorithm with algorithm=…, or, if all"
            f" rows are of one algorithm, which holds its score with score={quote(measures[0])}"
        )
    if left_out:
        notes.append(
            f"{raw.name}: columns of text or row numbers left out: {quote_list(left_out)}."
        )
    return list(taken), np.column_stack(list(taken.values()))


def column_scores(
    raw: RawTable,
    column: pd.Series,
    rows: npt.NDArray[np.int64],
    decimal: str,
    counted: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.float64]:
    """Give the scores as numbers; what a failed row holds in place of a score is of no interest."""
    numbers = parse_numbers(column, decimal)
    relevant = np.ones(len(column), dtype=bool) if counted is None else counted
    wrong = numbers.wrong & relevant
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        cell = column.iloc[first]
        raise ResultsError(
            f"{raw.row(rows[first])}, column {quote(column.name)}: {quote(cell)} is not a number"
            f" ({count(wrong.sum(), 'such cell')}); {explain_text(cell)}"
        )
    infinite = np.isinf(numbers.values) & relevant
    if infinite.any():
        first = int(np.flatnonzero(infinite)[0])
        raise ResultsError(
            f"{raw.row(rows[first])}, column {quote(column.name)}: {numbers.values[first]} is no"
            f" score ({count(infinite.sum(), 'such cell')}); correct it, or leave the cell empty"
        )
    return np.where(relevant, numbers.values, np.nan)


def check_range(
    raw: RawTable,
    values: npt.NDArray[np.float64],
    rows: npt.NDArray[np.int64],
    score_name: str,
    scale: float,
    names: list[str],
) -> None:
    if not is_bounded(score_name):
        return
    slack = 1e-9
    outside = (values < -slack) | (values > 1 + slack)
    if not outside.any():
        return
    first, column = (int(i) for i in np.argwhere(outside)[0])
    lowest, highest = np.nanmin(values), np.nanmax(values)
    remedy = (
        "these look like per cent: divide by 100, or give scale=0.01"
        if scale == 1.0 and lowest >= 0 and 1.5 < highest <= 100
        else "correct them, or call the score by another name with score_name=…"
    )
    raise ResultsError(
        f"{raw.row(rows[first])}, column {quote(names[column])}: {values[first, column]:g} lies"
        f" outside [0, 1], where {quote(score_name)} must be"
        f" ({count(outside.sum(), 'such cell')}, from {lowest:g} to"
        f" {highest:g}); {remedy}"
    )
