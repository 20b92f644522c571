"""Parse cells as numbers or as names."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import printable, quote

Floats = npt.NDArray[np.float64]

_PLAIN = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
# A number with its spread, as 68.4(7.1), 71.7 ± 0.5 or 0.9 +/- 0.1, or with an interval, as
# 0.85 [0.80, 0.90]; all may be percentages, with marks of significance, and a change, as (+1.2%).
# Only the number counts.
_NUMBER = re.compile(
    rf"({_PLAIN}|[+-]?inf(?:inity)?)\s*(%?)\s*"
    rf"(?:(?:±|\+/-|\+-|\\pm)\s*{_PLAIN}|\(\s*±?\s*{_PLAIN}\s*%?\s*\)"
    rf"|[(\[]\s*{_PLAIN}\s*[,;–]\s*{_PLAIN}\s*[)\]])?\s*(%?)[*†‡§¶ ]*"
    r"(?:\([+-]\d+\.?\d*\s*%\))?",
    re.ASCII | re.IGNORECASE,
)
# A spread after a bare plus, as 0.8239+0.0104; a sum of integers is not a score.
_PLUS = re.compile(r"(\d\.\d+)\+(\d+\.\d)", re.ASCII)
# Commas before a decimal point separate thousands; otherwise they may be decimal commas.
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+\.\d*", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
# Markup of the best score of a row in Markdown and LaTeX.
_MARKED = re.compile(
    r"(?:\*{1,3}|__)(.+?)(?:\*{1,3}|__)(.*)|\\(?:textbf|underline|mathbf)\{(.+?)\}(.*)|\$(.+)\$"
)
# A linked score in Markdown; a whole number may be that of a reference.
_LINKED = re.compile(r"\[([^\[\]]*\d\.\d[^\[\]]*)\]\([^()\s]*\)", re.ASCII)
_LONGEST_SCORE = 100
# Text in place of the score of a failed run, and of a missing score.
_FAILURES = frozenset(
    (
        *("oom", "oot", "timeout", "time out", "t/o", "to", "m/o", "mo", "tle", "mle", "memout"),
        *("dnf", "failed", "fail", "error", "crashed", "diverged"),
        *("nan", "-nan", "nan+nan", "nan±nan", "nan ± nan", "nan (nan)"),
    )
)
_NO_VALUE = _FAILURES.union(
    ("", "na", "n/a", "#n/a", "null", "none", "nil", "<na>", "missing", "-"),
    ("–", "—", "?", "--", "---", "n.a.", "dns", "x", "×", "✗"),
)
_NOTHING = (math.nan, 0.0)


@dataclass(frozen=True)
class Numbers:
    """Numbers of a column (NaN if empty), and the cells whose text is not a number.

    ``per_cent`` tells that all numbers have the sign; they are fractions here.
    """

    values: Floats
    wrong: npt.NDArray[np.bool_]
    per_cent: bool = False

    @cached_property
    def known(self) -> Floats:
        """Return the finite numbers."""
        finite = np.isfinite(self.values)
        return self.values if finite.all() else self.values[finite]

    @cached_property
    def low(self) -> float:
        """Return the least number, infinity if there is none."""
        return float(self.known.min(initial=np.inf))

    @cached_property
    def high(self) -> float:
        """Return the largest number."""
        return float(self.known.max(initial=-np.inf))

    @cached_property
    def all_numbers(self) -> bool:
        """Return True if every cell is a number or empty, and some are numbers."""
        return len(self.known) > 0 and not self.wrong.any()

    @cached_property
    def whole(self) -> bool:
        """Return True if no number has decimals."""
        return bool((self.known == np.rint(self.known)).all())


def parse_numbers(column: pd.Series, decimal: str = ".") -> Numbers:
    """Parse a column of any type as numbers; a per cent sign is wrong if others have none.

    >>> numbers = parse_numbers(pd.Series(["0.5", " 1e-3 ", "NA", "", "0,85"]))
    >>> numbers.values.tolist()
    [0.5, 0.001, nan, nan, nan]
    >>> numbers.wrong.tolist()
    [False, False, False, False, True]
    >>> parse_numbers(pd.Series(["71%", "", "72 %"])).values.tolist()
    [0.71, nan, 0.72]
    >>> parse_numbers(pd.Series(["68.4(7.1)", "71.7 ± 0.5"])).values.tolist()
    [68.4, 71.7]
    """
    return plain_numbers(column, decimal) or parse_names(*column_codes(column), decimal)


def parse_names(codes: npt.NDArray[np.int64], names: Iterable[str], decimal: str = ".") -> Numbers:
    """Parse a column of codes, −1 where empty, and of the distinct names that they encode."""
    parsed = [_parse(name.strip(), decimal) for name in names]
    # The last entry is for empty cells.
    values, signed = np.array([*(p or _NOTHING for p in parsed), _NOTHING]).T
    wrong = np.array([*(p is None for p in parsed), False])
    per_cent = bool(signed.any() and (signed == ~np.isnan(values)).all())
    if not per_cent:
        wrong |= signed > 0
        values[signed > 0] = np.nan
    return Numbers(values[codes], wrong[codes], per_cent)


def plain_numbers(column: pd.Series, decimal: str = ".") -> Numbers | None:
    """Convert a column at once if its cells are plain numbers or empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column.dtype, pd.CategoricalDtype):  # whose cells are few
        return None
    if column.dtype.kind in "fiu":
        values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return Numbers(values, np.zeros(len(values), dtype=bool))
    if decimal != ".":
        return None
    try:
        float(next((cell for cell in column if cell), "nan"))  # a failed cast takes long
        cells = pa.chunked_array([pa.array(column, from_pandas=True)])
        if cells.type not in (pa.string(), pa.large_string()):
            return None
        try:
            values = cells.cast(pa.float64()).to_numpy()
        except pa.ArrowException:
            values = pc.if_else(pc.equal(cells, ""), None, cells).cast(pa.float64()).to_numpy()
    except (pa.ArrowException, ValueError, TypeError):
        return None
    return Numbers(values, np.zeros(len(values), dtype=bool))


def _parse(text: str, decimal: str) -> tuple[float, float] | None:
    """Return a number, and 1 if it is per cent; None if it is not a number."""
    if text[:1] == "[" and (linked := _LINKED.fullmatch(text)):
        text = linked[1]
    if text.casefold() in _NO_VALUE:
        return _NOTHING
    # No number but infinity begins with a letter.
    if len(text) > _LONGEST_SCORE or (text[:1].isalpha() and text[:1] not in "iI"):
        return None
    if decimal != ".":
        if "." in text:  # a thousands separator, or inconsistent decimal marks
            return None
        text = text.replace(decimal, ".")
    elif _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    marked = _MARKED.fullmatch(text)
    if marked is not None:
        return _parse("".join(part or "" for part in marked.groups()).strip(), ".")
    found = _NUMBER.fullmatch(_PLUS.sub(r"\1±\2", text))
    if found is None:
        return None
    mean, *signs = found.groups()
    unit = 100.0 if any(signs) else 1.0
    return float(mean) / unit, float(unit > 1)


def is_number(cell: object) -> bool:
    """Return True for text that Python reads as a number."""
    try:
        float(cell if isinstance(cell, str) else "no")
    except ValueError:
        return False
    return True


def says_failed(cell: object) -> bool:
    """Return True if the text in place of a score records a failed run.

    NaN is the result of a computation; NA and an empty cell only mean that there is no value.

    >>> says_failed("TIMEOUT"), says_failed("NaN"), says_failed("n/a"), says_failed("")
    (True, True, False, False)
    """
    return isinstance(cell, str) and cell.strip().casefold() in _FAILURES


def is_decimal_comma(cell: object) -> bool:
    """Return True for a number with a comma that does not separate thousands.

    >>> is_decimal_comma("0,912"), is_decimal_comma("1,200")
    (True, False)
    """
    text = cell.strip() if isinstance(cell, str) else ""
    return bool(_COMMA.fullmatch(text)) and not _EITHER.fullmatch(text)


def explain_text(cell: object, decimal: str = ".") -> str:
    """Suggest how to correct text where a number is expected."""
    text = str(cell).strip()
    if text.endswith("%"):
        return "other scores have no per cent sign; write all of them in one unit"
    if is_decimal_comma(text) and decimal == ".":
        return f"it has a decimal comma: write {text.replace(',', '.')}"
    if decimal == "," and "." in text:
        return "the decimal mark is set to a comma; use it, without thousands separators"
    if _EITHER.fullmatch(text):
        return "leave out commas between thousands; if they are decimal marks, pass decimal=','"
    return f"write one number; if {quote(text)} means that there is no score, leave the cell empty"


def message_of(error: BaseException) -> str:
    """Return the message of a library's error on one short line without control characters.

    >>> message_of(ValueError("bad\\n  \\x07thing"))
    'bad \\\\x07thing'
    """
    return printable(" ".join(str(error).split()))[:120]


# -- names -----------------------------------------------------------------------------------------


# Numbers of JSON are kept as text.
_TEXT_NUMBER = re.compile(r'"(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"')


def as_text(value: Any) -> str | None:
    """Convert a cell to a name, or None if it is empty.

    >>> as_text("001"), as_text(7), as_text(7.0), as_text(True), as_text(float("nan"))
    ('001', '7', '7', 'True', None)
    """
    if isinstance(value, bytes):
        value = value.decode("utf-8", errors="backslashreplace")
    if isinstance(value, str):
        # Lone surrogates cannot be encoded.
        name = str(value)
        return (name if name.isascii() else name.encode(errors="backslashreplace").decode()) or None
    if isinstance(value, (float, np.floating)):
        number = float(value)
        # pandas turns a column of integers with a missing value into floats.
        whole = number.is_integer() and abs(number) < 2**53
        return None if math.isnan(number) else str(int(number)) if whole else repr(number)
    if isinstance(value, (dict, list)):
        return _TEXT_NUMBER.sub(r"\1", json.dumps(value, ensure_ascii=False))
    return None if value is None or value is pd.NA or value is pd.NaT else str(value)


def column_codes(column: pd.Series) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.object_]]:
    """Return the codes of the names in a column, −1 where empty, and the distinct names."""
    if column.dtype == object:  # pandas treats True, 1 and 1.0 as equal
        codes, cells = np.arange(len(column)), np.asarray(column)
    else:
        codes, distinct_cells = pd.factorize(column)
        cells = np.asarray(distinct_cells, dtype=object)
    # Most names stay as they are.
    plain = pd.api.types.infer_dtype(cells, skipna=False) == "string"
    plain = plain and "".join(cells).isascii() and "" not in cells
    names = np.array([*(cells if plain else map(as_text, cells)), None], dtype=object)
    again, distinct = pd.factorize(names)  # the last is None
    return codes if len(distinct) == len(cells) else again[codes], distinct


# Names in leaderboards are often links or set in bold.
_LINK, _BOLD = re.compile(r"\[([^\[\]]+)\]\([^()\s]*\)"), re.compile(r"^\*\*([^*]+)\*\*$")
_TAG = re.compile(r"</?(a|b|i|u|em|strong|span|font|code|small|p|div)\b[^>]*>", re.I)


def without_markup(names: Sequence[str]) -> list[str]:
    """Remove links and markup from distinct names, unless they become equal.

    >>> without_markup(["<b>SVM</b>", "**RF**", "[X](https://a.b/x) large", "<b>A</b>", "**A**"])
    ['SVM', 'RF', 'X large', '<b>A</b>', '**A**']
    """
    bare = []
    for name in names:
        if "<" in name or "*" in name or "[" in name:
            inner = _LINK.sub(r"\1", name).strip()
            inner = _TAG.sub("", inner).strip() if inner[:1] + inner[-1:] == "<>" else inner
            bare.append(_BOLD.sub(r"\1", inner) or name)
        else:
            bare.append(name)
    times = Counter(bare)
    return [b if times[b] == 1 else name for b, name in zip(bare, names, strict=True)]
