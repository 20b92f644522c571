"""Describe the columns of a table that is unclear, and refuse it with templates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby, takewhile
from os.path import commonprefix
from typing import Any

import numpy as np
import numpy.typing as npt

from occstats._format import count, printable, quote, wrap
from occstats.errors import ResultsError
from occstats.results.cells import explain_text, is_decimal_comma
from occstats.results.readers.frames import RawTable


class Blank(str):
    """A value that only the user knows, or a proposal to edit; ``optional`` may be left out."""

    optional: bool

    def __new__(cls, text: str, *, optional: bool = False) -> Blank:
        """Make a blank."""
        made = super().__new__(cls, text)
        made.optional = optional
        return made


_ADDED = ("where", "ignore")
_MOST_DESCRIBED, _MOST_LINES = 6, 12
_LONGEST = 24
_WIDTH, _MOST_NAMED = 79, 30
# Names of tasks that begin with that of a dataset: ('ett', 0), ett/H/short, 001_NAB_id_1,
# Domain (de), and iris_1, iris-1 and iris:1.
_PATTERNS = (
    r"^\(\W?([^,]*\w)\W?,.",
    r"^/?([^/]+)/.",
    r"^\d+_([A-Za-z][A-Za-z0-9]*)_.",
    r"^(.*?)(?: \([a-zA-Z-]{2,7}\))?$",
)
_JOINED = tuple(f"^([^{sign}]+){sign}[^{sign}]+$" for sign in "_:-")


class UnclearTableError(ResultsError):
    """A table that follows no convention.

    Each of `templates` has the options that would tell its roles if it is of one form; those that
    only the user knows are blanks in capitals. For a dialogue, `raw` is the table, `found` the
    columns with a role, and `questions` what each problem that can be asked is about.
    """

    def __init__(
        self,
        raw: RawTable,
        problems: Sequence[str],
        templates: Sequence[Mapping[str, Any]],
        found: Mapping[str, str] | None = None,
        questions: Mapping[str, Any] | None = None,
    ) -> None:
        self.raw, self.problems = raw, list(problems)
        self.found, self.questions = dict(found or {}), dict(questions or {})
        self.templates = [
            {name: template[name] for name in sorted(template, key=lambda n: (n[0] == "l", n))}
            for template in templates
        ]
        # Questions are last, each a sentence; that of the direction is in the templates, too.
        shown = [p for p in problems if not (p.startswith("is a higher or") and problems[1:])]
        head = "; ".join(sorted(shown, key=lambda problem: problem.endswith("?")))
        self.head = re.sub(r"\?; (.)", lambda found: f"? {found[1].upper()}", f"{raw.name}: {head}")
        super().__init__("\n".join([self.head, *self.describe()]))
        values = [v if isinstance(v, list) else [v] for v in self.template.values()]
        blank = any(isinstance(value, Blank) for held in values for value in held)
        if not blank and len(self.templates) == 1:
            self.retry = dict(self.template)

    @property
    def template(self) -> dict[str, Any]:
        """Return the first template."""
        return self.templates[0] if self.templates else {}

    def describe(self, limit: int = _MOST_DESCRIBED) -> list[str]:
        """Return at most ``limit`` lines on the columns, those in question first."""
        asked = self.questions.get("differing", self.questions.get("doubtful", ())[:3])
        return describe(self.raw, self.found, asked, limit)

    def __str__(self) -> str:
        shown = [", ".join(_argument(*option) for option in t.items()) for t in self.templates]
        tried = "\n  or ".join(filter(None, shown))
        tries = f"try: {tried}".split("\n") if tried else []
        n_left = _MOST_LINES - sum(len(wrap(line, 80)) for line in [self.head, *tries])
        columns = self.describe(min(_MOST_DESCRIBED, max(n_left, 2)))
        return "\n".join([self.head, *columns, *tries])


def merge_options(options: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with others; conditions and columns to leave out are added to those given.

    >>> merge_options({"ignore": ["a"], "score": "b"}, {"ignore": ["c"]})
    {'ignore': ['a', 'c'], 'score': 'b'}
    """
    added = {name: [*options.get(name, ()), *more[name]] for name in more if name in _ADDED}
    return {**options, **more, **{name: list(dict.fromkeys(held)) for name, held in added.items()}}


def _argument(name: str, value: Any) -> str:
    """Return a keyword argument as written in Python; what may be left out is in brackets."""
    if name == "lower_is_better" and isinstance(value, Blank):
        return f"{name}=... (True or False)"  # which no call accepts as it is
    values = value if isinstance(value, list) else [value]
    if isinstance(values[0], Blank) and not values[0].optional:
        values = [one for one in values if not getattr(one, "optional", False)]
    shown = ", ".join(
        one if isinstance(one, Blank) and re.fullmatch(r"COLUMNS?|REGEX|N", one) else repr(one)
        for one in values
    )
    shown = f"{name}=[{shown}]" if values[1:] else f"{name}={shown}"
    return f"[{shown}]" if getattr(values[-1], "optional", False) else shown


def kind_of(raw: RawTable, *columns: str) -> str:
    """Return the kind of columns and the range of their numbers, or values of the first."""
    numbers = [raw.numbers(column) for column in columns]
    if all(number.all_numbers for number in numbers):
        low = min(number.low for number in numbers)
        high = max(number.high for number in numbers)
        kind = "whole numbers" if all(number.whole for number in numbers) else "numbers"
        return f"{kind} {low:.4g}" if low == high else f"{kind} {low:.4g} … {high:.4g}"
    codes, names = raw.codes(columns[0])
    if not len(names):
        return "empty"
    shown = ", ".join(printable(name.strip())[:_LONGEST] for name in names[:2])
    empty = int((codes < 0).sum())
    return f"text, {count(len(names), 'value')} ({shown})" + (f", {empty:,} empty" if empty else "")


def describe(
    raw: RawTable, found: Mapping[str, str], asked: Collection[str] = (), limit: int = 1000
) -> list[str]:
    """Return the numbered columns with their kind; adjacent columns of scores are one line.

    The last of at most ``limit`` lines name the others: those with a role or in question are shown
    first.
    """
    roles = {column: f", {role}" for role, column in found.items()}
    spans: list[list[str]] = []
    for _, columns in groupby(
        enumerate(raw.columns),
        lambda item: (
            item[0] if item[1] in {*roles, *asked} or not raw.is_fractional(item[1]) else -1
        ),
    ):
        spans.append([column for _, column in columns])
    first = sorted(spans, key=lambda s: (s[0] not in asked, s[0] not in roles, not s[1:]))
    n_more = min(2, limit // 2)  # lines for the others, by their names
    shown = {span[0] for span in (first if len(spans) <= limit else first[: limit - n_more])}
    lines = [
        f"  {_name_span(raw, span, 2)}: {kind_of(raw, *span)}{roles.get(span[0], '')}"
        for span in spans
        if span[0] in shown
    ]
    left = [_name_span(raw, span, 1) for span in spans if span[0] not in shown]
    more = wrap(", ".join(left[:_MOST_NAMED]), _WIDTH - 2, "  ", "  ")
    if len(more) > n_more or left[_MOST_NAMED:]:
        more = [*more[: n_more - 1], f"{more[n_more - 1]} …"]
    return [*(line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…" for line in lines), *more]


def _name_span(raw: RawTable, span: Sequence[str], first: int) -> str:
    """Return the numbers of adjacent columns, and the names of the first and the last."""
    names = [quote(c if len(c) <= 2 * _LONGEST else f"{c[: 2 * _LONGEST]}…") for c in span]
    names = [*names[:first], "…", names[-1]] if span[first + 2 :] else names
    return f"{column_numbers(raw.columns, span)} {' '.join(names)}"


def column_numbers(columns: Sequence[str], chosen: Collection[str]) -> str:
    """Return the numbers of columns in short.

    >>> column_numbers(["a", "b", "c", "d", "e"], ["b", "c", "e"])
    '2-3,5'
    """
    parts: list[list[int]] = []
    kept = {*chosen}
    for number, column in enumerate(columns, 1):
        if column in kept:
            if parts and parts[-1][1] == number - 1:
                parts[-1][1] = number
            else:
                parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts) or "none"


def numbered_columns(columns: Sequence[str], named: str) -> list[str]:
    """Return the columns that names or numbers such as ``2-4,7`` stand for; the name, if none.

    >>> numbered_columns("abcd", "2-3"), numbered_columns("abcd", "b,d"), numbered_columns("a", "9")
    (['b', 'c'], ['b', 'd'], ['9'])
    """
    found: list[str] = []
    for part in [named] if named in columns else re.split(r"\s*,\s*", named):
        limits = re.fullmatch(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?", part)
        if part in columns:
            found.append(part)
        elif limits and 1 <= int(limits[1]) <= int(limits[2] or limits[1]) <= len(columns):
            found += columns[int(limits[1]) - 1 : int(limits[2] or limits[1])]
        else:
            return [named]
    return found


def text_error(raw: RawTable, column: str, wrong: npt.NDArray[np.bool_]) -> ResultsError:
    """Return the error of cells that should be numbers: the first one, and what to do."""
    first = int(np.flatnonzero(wrong)[0])
    cell = raw.frame[column].iloc[first]
    kind = "finite number" if "inf" in str(cell).casefold() else "number"
    return ResultsError(
        f"{raw.row(first)}, column {quote(column)}: {quote(cell)} is not a {kind}"
        f" ({count(wrong.sum(), 'such cell')}); {explain_text(cell, raw.decimal)}",
        {"decimal": ","} if is_decimal_comma(cell) and raw.decimal == "." else None,
    )


def check_numbers(raw: RawTable, columns: Sequence[str]) -> None:
    """Refuse the first column of text that would be numbers but for some cells or the commas."""
    for column in columns:
        numbers = raw.numbers(column)
        wrong = np.flatnonzero(numbers.wrong)
        comma = len(wrong) and is_decimal_comma(raw.frame[column].iloc[wrong[0]])
        if len(wrong) and (comma or len(numbers.known) >= len(wrong)):
            raise text_error(raw, column, numbers.wrong)


def group_pattern(names: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return a pattern that groups all names, and the groups; None if there is none.

    >>> group_pattern(["ett/H", "ett/D", "solar/H"])
    ('^/?([^/]+)/.', ['ett', 'solar'])
    >>> group_pattern(["iris_1", "iris_2", "wine_1", "wine_2"])
    ('^([^_]+)_[^_]+$', ['iris', 'wine'])
    >>> group_pattern(["iris", "wine"]) is None
    True
    """
    distinct = list(dict.fromkeys(names))
    folder = commonprefix(distinct).rpartition("/")[0]  # noqa: RUF071 (the names are no paths)
    below = rf"^{re.escape(folder)}/([^/]+)/."
    for pattern in (*_PATTERNS, below, *_JOINED):
        search = re.compile(pattern).search
        found = [match[1] for match in takewhile(bool, map(search, distinct)) if match]
        groups = Counter(found)
        # Signs that join may be part of any name.
        alone = pattern in _JOINED and min(groups.values(), default=1) == 1
        if len(found) == len(distinct) and 1 < len(groups) < len(distinct) and not alone:
            return pattern, [*groups]
    return None
