"""Describe the columns of a table that is unclear, and refuse it with a template."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from occstats._format import count, printable, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.readers.frames import RawTable

__all__ = ["BLANK", "UnclearTableError", "describe", "group_pattern", "kind_of"]

# Values that only the user knows, in a template.
BLANK = {
    "dataset": "COLUMN",
    "task": "COLUMN",
    "algorithm": "COLUMN",
    "algorithms": "COLUMN,COLUMN,…",
    "score": "COLUMN",
    "repeat": "COLUMN",
    "ignore": "COLUMN",
    "where": "COLUMN=VALUE",
    "lower_is_better": "True|False",
}
_MOST_DESCRIBED = 7
# Names of tasks that begin with that of a dataset: ett/H/short, 001_NAB_id_1, Domain (de).
_PATTERNS = (r"^([^/]+)/.", r"^\d+_([A-Za-z][A-Za-z0-9]*)_.", r"^(.*?)(?: \([a-zA-Z-]{2,7}\))?$")


class UnclearTableError(ResultsError):
    """A table that follows no convention.

    `template` has the options that would tell its roles; those that only the user knows are blanks
    in capitals. `raw` is the table, for a dialogue, and `found` the columns with a role.
    """

    def __init__(
        self,
        raw: RawTable,
        problems: Sequence[str],
        template: Mapping[str, Any],
        found: Mapping[str, str] | None = None,
    ) -> None:
        self.raw, self.template = raw, dict(template)
        self.problems, self.found = list(problems), dict(found or {})
        # Questions are last, each a sentence.
        head = "; ".join(sorted(problems, key=lambda problem: problem.endswith("?")))
        head = re.sub(r"\?; (.)", lambda found: f"? {found[1].upper()}", f"{raw.name}: {head}")
        super().__init__("\n".join([head, *describe(raw, self.found)]))
        if not any(_is_blank(name, value) for name, value in self.template.items()):
            self.retry = dict(self.template)

    def __str__(self) -> str:
        given = [
            f"{name}={value.replace('|', ' or ') if value == BLANK.get(name) else repr(value)}"
            for name, value in self.template.items()
        ]
        return f"{self.problem}\ntry: {', '.join(given)}" if given else self.problem


def _is_blank(name: str, value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(v == BLANK.get(name) or (name == "where" and "VALUE" in v) for v in values)


def kind_of(raw: RawTable, *columns: str) -> str:
    """Return the kind of columns and the range of their numbers, or values of the first."""
    numbers = [raw.numbers(column) for column in columns]
    if all(number.all_numbers for number in numbers):
        low = min(number.known.min() for number in numbers)
        high = max(number.known.max() for number in numbers)
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
