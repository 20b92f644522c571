"""Describe the columns of a table that is unclear, and refuse it with a template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

from occstats._format import count, printable, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.cells import explain_text, has_comma, is_decimal_comma
from occstats.results.readers.frames import RawTable

__all__ = [
    "BLANK",
    "Blank",
    "UnclearTableError",
    "check_text",
    "describe",
    "group_pattern",
    "kind_of",
    "merged",
    "text_error",
]


class Blank(str):
    """A value that only the user knows, or a proposal that may be replaced by other options."""

    other: Mapping[str, Any]

    def __new__(cls, text: str, **other: Any) -> Blank:
        """Make a blank with the options that may take its place."""
        made = super().__new__(cls, text)
        made.other = other
        return made


BLANK = {
    "dataset": Blank("COLUMN"),
    "task": Blank("COLUMN"),
    "algorithm": Blank("COLUMN"),
    "algorithms": Blank("COLUMN,COLUMN,…"),
    "transpose": Blank("True", score="COLUMN", dataset="@file"),
    "score": Blank("COLUMN"),
    "repeat": Blank("COLUMN"),
    "ignore": Blank("COLUMN"),
    "where": Blank("COLUMN=VALUE"),
    "lower_is_better": Blank("True|False"),
}
_MOST_DESCRIBED = 7
# Names of tasks that begin with that of a dataset: ett/H/short, 001_NAB_id_1, Domain (de).
_PATTERNS = (r"^([^/]+)/.", r"^\d+_([A-Za-z][A-Za-z0-9]*)_.", r"^(.*?)(?: \([a-zA-Z-]{2,7}\))?$")


class UnclearTableError(ResultsError):
    """A table that follows no convention.

    `template` has the options that would tell its roles; those that only the user knows are blanks
    in capitals. For a dialogue, `raw` is the table, `found` the columns with a role, and
    `questions` what each problem that can be asked is about.
    """

    def __init__(
        self,
        raw: RawTable,
        problems: Sequence[str],
        template: Mapping[str, Any],
        found: Mapping[str, str] | None = None,
        questions: Mapping[str, Any] | None = None,
    ) -> None:
        self.raw, self.template = raw, dict(template)
        self.problems, self.found = list(problems), dict(found or {})
        self.questions = dict(questions or {})
        # Questions are last, each a sentence.
        head = "; ".join(sorted(problems, key=lambda problem: problem.endswith("?")))
        head = re.sub(r"\?; (.)", lambda found: f"? {found[1].upper()}", f"{raw.name}: {head}")
        super().__init__("\n".join([head, *describe(raw, self.found)]))
        values = [v if isinstance(v, list) else [v] for v in self.template.values()]
        if not any(isinstance(value, Blank) for held in values for value in held):
            self.retry = dict(self.template)

    def __str__(self) -> str:
        given = ", ".join(_argument(name, value) for name, value in self.template.items())
        return f"{self.problem}\ntry: {given}" if given else self.problem


def merged(options: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with others, which are appended if they are lists.

    >>> merged({"ignore": ["a"], "score": "b"}, {"ignore": ["c"]})
    {'ignore': ['a', 'c'], 'score': 'b'}
    """
    lists = {
        name: list(dict.fromkeys([*options.get(name, ()), *value]))
        for name, value in more.items()
        if isinstance(value, list)
    }
    return {**options, **more, **lists}


def _argument(name: str, value: Any) -> str:
    """Return a keyword argument as written in Python, with the options in its place."""
    shown = value.replace("|", " or ") if value == BLANK.get(name) else repr(value)
    other = ", ".join(_argument(*option) for option in getattr(value, "other", {}).items())
    return f"{name}={shown}" + (f" (or {other})" if other else "")


def kind_of(raw: RawTable, *columns: str) -> str:
    """Return the kind of columns and the range of their numbers, or values of the first."""
    numbers = [raw.numbers(column) for column in columns]
    if all(number.all_numbers for number in numbers):
        low = min(number.low for number in numbers)
        high = max(number.high for number in numbers)
        kind = "whole numbers" if all(number.whole for number in numbers) else "numbers"
        return f"{kind} {low:.4g}" if low == high else f"{kind} {low:.4g} … {high:.4g}"
    names = raw.names(columns[0])
    if not names:
        return "empty"
    shown = ", ".join(printable(name)[:24] for name in names[:2])
    return f"text, {count(len(names), 'value')} ({shown})"


def describe(raw: RawTable, found: Mapping[str, str]) -> list[str]:
    """Return the numbered columns with their kind; several columns of scores are one line."""
    roles = {column: role for role, column in found.items()}
    columns = raw.columns
    spans: list[list[str]] = []
    plain = [column not in roles and raw.is_fractional(column) for column in columns[:200]]
    for i, column in enumerate(columns):
        if i < len(plain) and spans and plain[i] and plain[i - 1] and i:
            spans[-1].append(column)
        else:
            spans.append([column])
    lines: list[str] = []
    start = 1
    for span in spans:
        if len(lines) == _MOST_DESCRIBED - 1 and start + len(span) <= len(columns):
            left = columns[start - 1 :]
            shown = quote_list(left, limit=3)
            return [*lines, f"  {start}–{len(columns)} {len(left)} more columns ({shown})"]
        names = f"{quote(span[0])} … {quote(span[-1])}" if span[1:] else quote(span[0])
        last = f"–{start + len(span) - 1}" if span[1:] else ""
        role = f", {roles[span[0]]}" if span[0] in roles else ""
        lines.append(f"  {start}{last} {names}: {kind_of(raw, *span)}{role}")
        start += len(span)
    return lines


def text_error(raw: RawTable, column: str, wrong: npt.NDArray[np.bool_]) -> ResultsError:
    """Return the error of cells that should be numbers: the first one, and what to do."""
    first = int(np.flatnonzero(wrong)[0])
    cell = raw.frame[column].iloc[first]
    comma = is_decimal_comma(cell) and raw.decimal == "."
    return ResultsError(
        f"{raw.row(first)}, column {quote(column)}: {quote(cell)} is not a number"
        f" ({count(wrong.sum(), 'such cell')}); {explain_text(cell, raw.decimal)}",
        {"decimal": ","} if comma else None,
    )


def check_text(raw: RawTable, columns: Sequence[str]) -> None:
    """Refuse the first column of text that would be numbers but for some cells or the commas."""
    for column in columns:
        numbers = raw.numbers(column)
        cells = raw.frame[column].to_numpy(object)
        commas = sum(has_comma(cell) for cell in cells[numbers.wrong])
        if numbers.wrong.any() and 2 * (len(numbers.known) + commas) >= len(numbers.known) + int(
            numbers.wrong.sum()
        ):
            raise text_error(raw, column, numbers.wrong)


def group_pattern(names: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return a pattern that groups all names, and the groups; None if there is none.

    >>> group_pattern(["ett/H", "ett/D", "solar/H"])
    ('^([^/]+)/.', ['ett', 'solar'])
    >>> group_pattern(["iris", "wine"]) is None
    True
    """
    distinct = list(dict.fromkeys(names))
    for pattern in _PATTERNS:
        search = re.compile(pattern).search
        found = [match for match in takewhile(bool, map(search, distinct)) if match]
        groups = list(dict.fromkeys(match[1] for match in found))
        if len(found) == len(distinct) and 1 < len(groups) < len(distinct):
            return pattern, groups
    return None
