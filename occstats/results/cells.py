"""Parse cells as numbers or as names, and describe the columns that hold them."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from string import ascii_letters
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import printable, quote
from occstats.errors import ResultsError

if TYPE_CHECKING:
    from occstats.results.readers.frames import RawTable

__all__ = [
    "Numbers",
    "ParsedTable",
    "as_text",
    "column_codes",
    "column_text",
    "explain_text",
    "look_alikes",
    "looks_like_decimal_comma",
    "parse_numbers",
    "reason_of",
    "says_failed",
    "without_markup",
]

Floats = npt.NDArray[np.float64]
# Column names that stand for the name of the file and the number of the row.
FILE, ROW = "@file", "@row"

_PLAIN = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?"
_NUMBER = re.compile(rf"{_PLAIN}|[+-]?inf(?:inity)?", re.ASCII | re.IGNORECASE)
# Plain numbers, one per line.
_DIGITS = re.compile(r"[0-9.eE+\-\n]+")
# First letters that no number has; an i may begin infinity.
_LETTERS = frozenset(ascii_letters) - {"i", "I"}
# A mean with its spread, as 68.4(7.1), 71.7 ± 0.5 or 0.9 +/- 0.1, or with an interval, which is
# ignored, as 0.85 [0.80, 0.90]; all may be percentages.
_WITH_SPREAD = re.compile(
    rf"({_PLAIN})\s*(%?)\s*(?:(?:±|\+/-|\+-|\\pm)\s*({_PLAIN})|\(\s*±?\s*({_PLAIN})\s*%?\s*\)"
    rf"|[(\[]\s*{_PLAIN}\s*[,;–]\s*{_PLAIN}\s*[)\]])?\s*(%?)",
    re.ASCII | re.IGNORECASE,
)
# Commas before a decimal point separate thousands; otherwise they may be decimal commas.
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+\.\d*", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,\d+(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# Markup of the best score of a row in Markdown and LaTeX.
_MARKED = re.compile(
    r"(?:\*\*|__)(.+?)(?:\*\*|__)(.*)|\\(?:textbf|underline|mathbf)\{(.+?)\}(.*)|\$(.+)\$"
)
_LONGEST_SCORE = 100
# Marks of significance after a score.
_SIGNIFICANT = "*†‡§¶ "
# Text in place of the score of a failed run, and of a missing score.
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
    """Numbers of a column (NaN if empty), and the cells whose text is not a number.

    ``spread`` holds the standard deviations written after the numbers, if there are any.
    """

    values: Floats
    wrong: npt.NDArray[np.bool_]
    spread: Floats | None = None

    @property
    def known(self) -> Floats:
        """Return the finite numbers."""
        return self.values[np.isfinite(self.values)]

    @property
    def all_numbers(self) -> bool:
        """Return True if every cell is a number or empty, and some are numbers."""
        return not self.wrong.any() and len(self.known) > 0


def parse_numbers(column: pd.Series, decimal: str = ".") -> Numbers:
    """Parse a column of any type as numbers.

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
    if decimal == "." and isinstance(column.dtype, pd.ArrowDtype):
        parsed_at_once = _arrow_numbers(column)
        if parsed_at_once is not None:
            return Numbers(parsed_at_once, np.zeros(len(column), dtype=bool))
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
    # The last entry is for empty cells, whose code is −1.
    values = np.array([np.nan if v is None else v[0] for v in parsed] + [np.nan], dtype=np.float64)
    wrong = np.array([value is None for value in parsed] + [False], dtype=bool)
    spread = np.array([np.nan if v is None else v[1] for v in parsed] + [np.nan], dtype=np.float64)
    return Numbers(values[codes], wrong[codes], None if np.isnan(spread).all() else spread[codes])


def _arrow_numbers(column: pd.Series) -> Floats | None:
    """Convert a column of text in Arrow's form if its cells are plain numbers or empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = column.array.__arrow_array__()
    try:
        float(next((cell for cell in column if cell), "nan"))  # a failed cast takes long
        cells = pc.if_else(pc.equal(cells, ""), None, cells)
        values: Floats = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
    except (pa.ArrowException, ValueError, TypeError):
        return None
    return values


def _plain_numbers(cells: list[object]) -> Floats | None:
    """Convert all cells at once if they are text and plain numbers throughout."""
    try:
        if _DIGITS.fullmatch("\n".join(cells)) is None:  # type: ignore[arg-type]
            return None
        return np.array(cells, dtype=object).astype(np.float64)
    except (TypeError, ValueError):  # not text, or a word made of these characters
        return None


def _parse(cell: object, decimal: str) -> tuple[float, float] | None:
    """Return the number and its spread, NaN for no value, or None if it is not a number."""
    if isinstance(cell, str):
        text = cell.strip()
        # Most cells that are not numbers begin with a letter, or are long.
        if text[:1] in _LETTERS or len(text) > _LONGEST_SCORE:
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
        if "." in text:  # a thousands separator, or inconsistent decimal marks
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
    """Return True if the text in place of a score records a failed run.

    NaN is the result of a computation; NA and an empty cell only mean that there is no value.

    >>> says_failed("TIMEOUT"), says_failed("NaN"), says_failed("n/a"), says_failed("")
    (True, True, False, False)
    """
    return isinstance(cell, str) and cell.strip().casefold() in _FAILURES


def looks_like_decimal_comma(cell: object) -> bool:
    """Return True for a number with a decimal comma."""
    return isinstance(cell, str) and _COMMA.fullmatch(cell.strip()) is not None


def explain_text(cell: object, decimal: str = ".") -> str:
    """Suggest how to correct text where a number is expected."""
    text = str(cell).strip()
    if decimal == "," and "." in text:
        return "the decimal mark is set to a comma; write a comma, and no thousands separators"
    if looks_like_decimal_comma(text):
        return f"write {text.replace(',', '.')}, or declare a decimal comma"
    return "write a number, or leave the cell empty if there is no result"


_LONGEST_NUMBER = 400
# Names in leaderboards are often links or set in bold.
_WRAPPED = re.compile(
    r"\s*<(a|b|i|u|em|strong|span|font|code|small|p|div)\b([^>]*)>(.*)</\1>\s*", re.I | re.S
)
_BOLD = re.compile(r"\s*\*\*([^*].*[^*]|[^*])\*\*\s*")
_LINK = re.compile(r"\s*\[([^\[\]]+)\]\((?:\w+://)?(?:[^/()]*/)?([^()]*?)/?\)\s*")
_LINKED = re.compile(r"href\s*=\s*[\"'](?:\w+://)?(?:[^/\"']*/)?([^\"']*?)/?[\"']", re.I)
_CONTROLS = {
    code: None for code in range(128) if not chr(code).isprintable() and not chr(code).isspace()
}


def reason_of(error: BaseException) -> str:
    """Return the message of a library's error on one short line without control characters.

    >>> reason_of(ValueError("bad\\n  \\x07thing"))
    'bad \\\\x07thing'
    """
    return printable(" ".join(str(error).split()))[:120]


def as_text(value: Any) -> str | None:
    """Convert a cell to a name, or None if it is empty.

    >>> as_text("001"), as_text(7), as_text(7.0), as_text(True), as_text(float("nan"))
    ('001', '7', '7', 'True', None)
    """
    if isinstance(value, str):
        return str(value) or None
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="backslashreplace") or None
    if isinstance(value, (float, np.floating)):
        number = float(value)
        if math.isnan(number):
            return None
        # pandas turns a column of integers with a missing value into floats.
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    if isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    return str(value)


def column_text(column: pd.Series) -> np.ndarray:
    """Convert a column of any type to names: an object array of str, or None where empty."""
    codes, names = column_codes(column)
    return np.array([*names, None], dtype=object)[codes]


def column_codes(column: pd.Series) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.object_]]:
    """Return the codes of the names in a column, −1 where empty, and the distinct names."""
    if column.dtype == object:
        # Not by distinct values, because pandas treats True, 1 and 1.0 as equal.
        codes, values = np.arange(len(column)), column.to_numpy()
    else:
        codes, distinct = pd.factorize(column, use_na_sentinel=True)
        values = np.asarray(distinct, dtype=object)
    names = np.empty(len(values) + 1, dtype=object)
    plain = pd.api.types.infer_dtype(values, skipna=False) == "string"
    if plain and "".join(values).isascii():
        names[:-1] = [value or None for value in values]  # the usual case
    else:
        names[:-1] = [_encodable(as_text(value)) for value in values]
    again, distinct_names = pd.factorize(names)  # the last is None
    return again[codes], distinct_names


def _encodable(name: str | None) -> str | None:
    """Escape lone surrogates, which cannot be encoded."""
    if name is None or name.isascii():
        return name
    return name.encode("utf-8", errors="backslashreplace").decode("utf-8")


def _folded(name: str) -> Hashable:
    """Fold case, whitespace, Unicode form and number style of a name."""
    if name.isascii():  # the usual case, and fast even for long names
        folded = " ".join(name.translate(_CONTROLS).casefold().split())
    else:
        visible = (c for c in name if unicodedata.category(c) not in {"Cf", "Cc"} or c.isspace())
        folded = " ".join(unicodedata.normalize("NFKC", "".join(visible)).casefold().split())
    if len(folded) > _LONGEST_NUMBER:
        return folded
    try:
        number = float(folded)
    except ValueError:
        return folded
    return number if math.isfinite(number) else folded


def look_alikes(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Group the names that differ only by case, whitespace, Unicode form or number style.

    >>> look_alikes(["Iris", "iris ", "wine", "1", "01"])
    [('Iris', 'iris '), ('1', '01')]
    """
    groups: dict[Hashable, dict[str, None]] = {}
    for name in names:
        groups.setdefault(_folded(name), {})[name] = None
    return [tuple(group) for group in groups.values() if len(group) > 1]


def without_markup(names: np.ndarray) -> np.ndarray:
    """Remove links and markup from names; link targets distinguish names that become equal.

    The array is returned unchanged if there is no markup, or if names would still become equal.

    >>> without_markup(np.array(["<b>SVM</b>", "**RF**", "[X](https://a.b/x)"], dtype=object))
    array(['SVM', 'RF', 'X'], dtype=object)
    """
    distinct = list(dict.fromkeys(names))
    bare = {name: _unwrapped(name) for name in distinct}
    if all(bare[name] == name for name in distinct):
        return names
    times = Counter(bare.values())
    for name in distinct:
        linked = _LINKED.search(name)
        target = linked[1] if linked else link[2] if (link := _LINK.fullmatch(name)) else None
        if times[bare[name]] > 1 and target is not None:
            bare[name] = f"{bare[name]} ({target})"
    if len(set(bare.values())) < len(distinct):
        return names
    return np.array([bare[name] for name in names], dtype=object)


def _unwrapped(name: str) -> str:
    if name[:1].isalnum() and name[-1:].isalnum():  # the usual case
        return name
    while (found := _WRAPPED.fullmatch(name)) is not None and found[3].strip():
        name = found[3].strip()
    if (bold := _BOLD.fullmatch(name)) is not None:
        name = bold[1]
    link = _LINK.fullmatch(name)
    return name if link is None else link[1].strip()


_FEW = 30
_YES_NO = frozenset(("true", "false", "yes", "no", "0", "1"))


class ParsedTable:
    """Columns of a raw table as numbers and as names, each parsed once and only if needed."""

    def __init__(self, raw: RawTable, decimal: str, *, fill_down: bool = False) -> None:
        self.raw = raw
        self.decimal = decimal
        self.fill_down = fill_down
        self._numbers: dict[str, Numbers] = {}
        self._names: dict[str, npt.NDArray[np.object_]] = {}
        self._codes: dict[str, npt.NDArray[np.int64]] = {}

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Return the whole table."""
        return self.raw.read(list(self.raw.columns))

    def numbers(self, column: str) -> Numbers:
        """Return the cells as numbers."""
        if column not in self._numbers:
            self._numbers[column] = parse_numbers(self._column(column), self.decimal)
        return self._numbers[column]

    def names(self, column: str) -> npt.NDArray[np.object_]:
        """Return the cells as names."""
        special = column in {FILE, ROW} and column not in self.raw.columns
        if column not in self._names and special:
            kept = self.raw.kept
            rows = np.arange(self.raw.n_rows) if kept is None else kept
            same = [self.raw.label or self.raw.stem] * self.raw.n_rows
            listed = same if column == FILE else [str(row + 1) for row in rows]
            self._names[column] = np.array(listed, dtype=object)
        if column not in self._names:
            codes, distinct = column_codes(self._column(column))
            if self.fill_down and not self.is_numeric(column):
                codes = pd.Series(codes).where(codes >= 0).ffill().fillna(-1).to_numpy(int)
            self._names[column] = np.array([*distinct, None], dtype=object)[codes]
            self._codes[column] = codes
        return self._names[column]

    def codes(self, column: str) -> npt.NDArray[np.int64]:
        """Return integer codes of the names in order of appearance, −1 for none."""
        names = self.names(column)
        if column not in self._codes:
            self._codes[column] = pd.factorize(names)[0]
        return self._codes[column]

    def require_names(self, column: str, rows: npt.NDArray[np.int64] | None = None) -> None:
        """Refuse a column with a missing name in the given rows, by default in any."""
        rows = np.arange(self.raw.n_rows) if rows is None else rows
        empty = rows[self.names(column)[rows] == None]  # noqa: E711  elementwise
        if not len(empty):
            return
        first, *others = self.names(column)  # with merged cells, each name occurs once
        present = [name for name in others if name is not None]
        merged = first is not None and len({first, *present}) == 1 + len(present)
        raise ResultsError(
            f"{self.raw.row(empty[0])}, column {quote(column)}: the name is missing"
            f" ({len(empty):,} such rows); write the name (pandas reads a name such as NA with"
            " read_csv(keep_default_na=False))"
            f"{', or, for merged cells, repeat the name above' if merged else ''}",
            {"fill_down": True} if merged else None,
        )

    def _column(self, column: str) -> pd.Series:
        # Reading thousands of columns one by one takes longer than all at once.
        at_once = "frame" in self.__dict__ or len(self._numbers) > _FEW
        return self.frame[column] if at_once else self.raw.read([column])[column]

    def is_numeric(self, column: str) -> bool:
        """Return True if all cells are numbers or empty."""
        return self.numbers(column).all_numbers

    def is_fractional(self, column: str) -> bool:
        """Return True for numbers that are not all integers, which names and labels never are."""
        numbers = self.numbers(column)
        return numbers.all_numbers and bool((numbers.known % 1 != 0).any())

    def is_text(self, column: str) -> bool:
        """Return True if there is text and no number."""
        numbers = self.numbers(column)
        return not len(numbers.known) and bool(numbers.wrong.any())

    def is_flag(self, column: str) -> bool:
        """Return True if every cell is a boolean."""
        if self.is_numeric(column):
            return bool(np.isin(self.numbers(column).values, (0, 1)).all())
        return {str(name).casefold() for name in set(self.names(column))} <= _YES_NO

    def take_flags(self, column: str) -> None:
        """Use a boolean column as the numbers 1 and 0."""
        yes = [str(name).casefold() in {"true", "yes", "1"} for name in self.names(column)]
        self._numbers[column] = Numbers(np.array(yes, dtype=np.float64), np.zeros(len(yes), bool))

    def is_distinct(self, *columns: str) -> bool:
        """Return True if no two rows agree in these columns."""
        return not self._together(*columns).duplicated().any()

    def determines(self, column: str, other: str) -> bool:
        """Return True if rows that agree in a column also agree in the other one."""
        return not self._together(column, other).drop_duplicates()[0].duplicated().any()

    def _together(self, *columns: str) -> pd.DataFrame:
        return pd.DataFrame(dict(enumerate(map(self.codes, columns))))

    def n_distinct(self, column: str) -> int:
        """Return the number of distinct names."""
        return len(np.unique(self.codes(column)))
