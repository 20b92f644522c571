"""From cells to numbers, strictly: what is not a number is found, not guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_letters

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Numbers", "explain_text", "looks_like_decimal_comma", "parse_numbers", "says_failed"]

Floats = npt.NDArray[np.float64]

_PLAIN = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = re.compile(rf"{_PLAIN}|[+-]?inf(?:inity)?", re.ASCII | re.IGNORECASE)
# Of plain numbers, one a line.
_DIGITS = re.compile(r"[0-9.eE+\-\n]+")
# An i may start infinity.
_LETTERS = frozenset(ascii_letters) - {"i", "I"}
# A mean with its spread: 68.4(7.1), 71.7 ± 0.5, 0.9 +/- 0.1, or an interval, of which nothing is
# kept: 0.85 [0.80, 0.90]; all may be per cent.
_WITH_SPREAD = re.compile(
    rf"({_PLAIN})\s*(%?)\s*(?:(?:±|\+/-|\+-|\\pm)\s*({_PLAIN})|\(\s*±?\s*({_PLAIN})\s*%?\s*\)"
    rf"|[(\[]\s*{_PLAIN}\s*[,;–]\s*{_PLAIN}\s*[)\]])?\s*(%?)",
    re.ASCII | re.IGNORECASE,
)
# Commas before a point can only mark thousands; without a point they may be decimal commas.
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+\.\d*", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# How the best score of a row is marked in Markdown and LaTeX.
_MARKED = re.compile(
    r"(?:\*\*|__)(.+?)(?:\*\*|__)(.*)|\\(?:textbf|underline|mathbf)\{(.+?)\}(.*)|\$(.+)\$"
)
# What stands behind a score to say that it is significant.
_SIGNIFICANT = "*†‡§¶ "
# What stands in place of a score where a run failed, and where there is none.
_FAILURES = frozenset(
    (
        *("oom", "oot", "timeout", "time out", "t/o", "m/o", "tle", "mle", "memout", "dnf"),
        *("failed", "fail", "error", "crashed", "diverged", "nan", "-nan"),
    )
)
_NO_VALUE = _FAILURES.union(
    ("", "na", "n/a", "#n/a", "null", "none", "nil", "<na>", "missing", "-"),
    ("–", "—", "?", "--", "---", "n.a.", "dns"),
)


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column (NaN where there is none) and where text stands that is no number.

    ``spread`` holds the standard deviations written behind the numbers, if there are any.
    """

    values: Floats
    wrong: npt.NDArray[np.bool_]
    spread: Floats | None = None

    @property
    def known(self) -> Floats:
        """The numbers that are there and finite."""
        return self.values[np.isfinite(self.values)]

    @property
    def all_numbers(self) -> bool:
        """Whether every cell is a number or empty, and some are numbers."""
        return not self.wrong.any() and len(self.known) > 0


def parse_numbers(column: pd.Series, decimal: str = ".") -> Numbers:
    """Turn a column of any type into numbers.

    >>> numbers = parse_numbers(pd.Series(["0.5", " 1e-3 ", "NA", "", "0,85", "71 %"]))
    >>> numbers.values.tolist()
    [0.5, 0.001, nan, nan, nan, 0.71]
    >>> numbers.wrong.tolist()
    [False, False, False, False, True, False]
    >>> parse_numbers(pd.Series(["68.4(7.1)", "71.7 ± 0.5"])).spread.tolist()
    [7.1, 0.5]
    """
    if column.dtype.kind in "fiu" and not isinstance(column.dtype, pd.CategoricalDtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Numbers(values, np.zeros(len(column), dtype=bool))
    if column.dtype == object:
        distinct, codes = list(column), np.arange(len(column))
    else:
        codes, unique = pd.factorize(column, use_na_sentinel=True)
        distinct = list(np.asarray(unique, dtype=object))
    plain = _plain_numbers(distinct) if decimal == "." else None
    if plain is not None:
        values = np.append(plain, np.nan)[codes]
        return Numbers(values, np.zeros(len(values), dtype=bool))
    parsed = [_parse(cell, decimal) for cell in distinct]
    # The last entry serves cells without a value, whose code is −1.
    values = np.array([np.nan if v is None else v[0] for v in parsed] + [np.nan], dtype=np.float64)
    wrong = np.array([value is None for value in parsed] + [False], dtype=bool)
    spread = np.array([np.nan if v is None else v[1] for v in parsed] + [np.nan], dtype=np.float64)
    return Numbers(values[codes], wrong[codes], None if np.isnan(spread).all() else spread[codes])


def _plain_numbers(cells: list[object]) -> Floats | None:
    """All cells at once, where they are text and nothing but plain numbers."""
    try:
        if _DIGITS.fullmatch("\n".join(cells)) is None:  # type: ignore[arg-type]
            return None
        return np.array(cells, dtype=object).astype(np.float64)
    except (TypeError, ValueError):  # not text, or a word of these characters
        return None


def _parse(cell: object, decimal: str) -> tuple[float, float] | None:
    """Give number and spread, NaN for no value, or None for what is no number."""
    if isinstance(cell, str):
        text = cell.strip()
        # What starts with a letter is a word, by far the most often no number.
        if text[:1] in _LETTERS:
            return (np.nan, np.nan) if text.casefold() in _NO_VALUE else None
        return _parse_text(text, decimal)
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return np.nan, np.nan
    if isinstance(cell, bool | np.bool_):
        return None
    try:
        return float(cell), np.nan  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _parse_text(text: str, decimal: str) -> tuple[float, float] | None:
    if decimal != ".":
        if "." in text:  # a thousands mark, or a column of two minds
            return (np.nan, np.nan) if text.casefold() in _NO_VALUE else None
        text = text.replace(decimal, ".")
    if _NUMBER.fullmatch(text):
        return float(text), np.nan
    if text.casefold() in _NO_VALUE:
        return np.nan, np.nan
    if decimal == "." and _THOUSANDS.fullmatch(text):
        return float(text.replace(",", "")), np.nan
    marked = _MARKED.fullmatch(text)
    if marked is not None:
        return _parse_text("".join(part or "" for part in marked.groups()).strip(), ".")
    found = _WITH_SPREAD.fullmatch(text)
    if found is None:
        bare = text.rstrip(_SIGNIFICANT)
        return _parse_text(bare, ".") if bare and bare != text else None
    mean, per_cent, plus_minus, in_brackets, per_cent_too = found.groups()
    unit = 100.0 if per_cent or per_cent_too else 1.0
    spread = plus_minus or in_brackets
    return float(mean) / unit, float(spread) / unit if spread else np.nan


def says_failed(cell: object) -> bool:
    """Whether text in place of a score says that the run failed.

    NaN is the result of a computation, while NA and an empty cell say only that there is no value.

    >>> says_failed("TIMEOUT"), says_failed("NaN"), says_failed("n/a"), says_failed("")
    (True, True, False, False)
    """
    return isinstance(cell, str) and cell.strip().casefold() in _FAILURES


def looks_like_decimal_comma(cell: object) -> bool:
    """Whether this is a number with a decimal comma."""
    return isinstance(cell, str) and _COMMA.fullmatch(cell.strip()) is not None


def explain_text(cell: object, decimal: str = ".") -> str:
    """Say what to do about text where a number should be."""
    text = str(cell).strip()
    if decimal == "," and "." in text:
        return (
            "the decimal mark was said to be a comma; write a comma there, or leave the thousands"
            " unmarked"
        )
    if looks_like_decimal_comma(text):
        return f"write {text.replace(',', '.')}, or say that the decimal mark is a comma"
    return "write a number, or leave the cell empty if there is no result"
