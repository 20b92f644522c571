"""From cells to numbers, strictly: what is not a number is found, not guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Numbers", "explain_text", "looks_like_decimal_comma", "parse_numbers"]

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
