"""Describe the columns of a table, refuse it with a template, or ask for their roles."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from occstats._format import count, printable, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.readers.frames import RawTable

__all__ = ["BLANK", "UnclearTableError", "converse", "describe", "group_pattern", "kind_of"]

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
_LONGEST_RANGE = 10_000


class UnclearTableError(ResultsError):
    """A table that follows no convention.

    `template` has the options that would tell its roles; those that only the user knows are blanks
    in capitals. `raw` is the table, for a dialogue.
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
        head = f"{raw.name}: {'; '.join(problems)}"
        super().__init__("\n".join([head, *describe(raw, self.found)]))
        if not any(_is_blank(name, value) for name, value in self.template.items()):
            self.retry = dict(self.template)

    def __str__(self) -> str:
        given = [f"{name}={_python(name, value)}" for name, value in self.template.items()]
        return f"{self.problem}\ntry: {', '.join(given)}" if given else self.problem


def _is_blank(name: str, value: Any) -> bool:
    blank = BLANK.get(name)
    return value == blank or (
        isinstance(value, list) and any("VALUE" in v or v == blank for v in value)
    )


def _python(name: str, value: Any) -> str:
    return str(value).replace("|", " or ") if value == BLANK.get(name) else repr(value)


def kind_of(raw: RawTable, column: str) -> str:
    """Return the kind of a column, the number of its values and two examples."""
    numbers = raw.numbers(column)
    if numbers.all_numbers:
        low, high = numbers.known.min(), numbers.known.max()
        kind = "whole numbers" if numbers.whole else "numbers"
        return f"{kind} {low:.4g}" if low == high else f"{kind} {low:.4g} … {high:.4g}"
    names = raw.names(column)
    if not names:
        return "empty"
    shown = ", ".join(printable(name)[:24] for name in names[:2])
    return f"text, {count(len(names), 'value')} ({shown})"


def describe(raw: RawTable, found: Mapping[str, str] | None = None) -> list[str]:
    """Return the numbered columns with their kind; several alike are one line."""
    roles = {column: role for role, column in (found or {}).items()}
    columns = list(raw.columns)
    lines: list[str] = []
    start = 0
    while start < len(columns) and len(lines) < _MOST_DESCRIBED:
        column, stop = columns[start], start + 1
        fractional = raw.is_fractional(column) and column not in roles
        while (
            fractional
            and stop < len(columns)
            and columns[stop] not in roles
            and raw.is_fractional(columns[stop])
        ):
            stop += 1
        last_line = len(lines) == _MOST_DESCRIBED - 1
        if last_line and stop < len(columns):
            lines.append(
                f"  {start + 1}–{len(columns)} {len(columns) - start} more columns"
                f" ({quote_list(columns[start:], limit=3)})"
            )
            break
        if stop - start > 2:
            low = min(raw.numbers(c).known.min() for c in columns[start:stop])
            high = max(raw.numbers(c).known.max() for c in columns[start:stop])
            ends = f"{quote(columns[start])} … {quote(columns[stop - 1])}"
            lines.append(f"  {start + 1}–{stop} {ends}: numbers {low:.4g} … {high:.4g}")
        else:
            stop = start + 1
            role = f", {roles[column]}" if column in roles else ""
            lines.append(f"  {stop} {quote(column)}: {kind_of(raw, column)}{role}")
        start = stop
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
        found = [re.search(pattern, name) for name in distinct]
        groups = list(dict.fromkeys(match[1] for match in found if match))
        if all(found) and 1 < len(groups) < len(distinct):
            return pattern, groups
    return None


# -- the dialogue ----------------------------------------------------------------------------------


def converse(
    error: UnclearTableError, ask: Callable[[str], str], show: Callable[[str], None]
) -> dict[str, Any]:
    """Ask for what a table does not tell, and return the options.

    Parameters
    ----------
    error : UnclearTableError
        The refusal, with the table.
    ask : callable
        Function from a question to an answer.
    show : callable
        Function that prints a line.
    """
    raw = error.raw
    columns = list(raw.columns)
    show(f"{raw.name}: {'; '.join(error.problems)}.")
    for number, column in enumerate(columns, 1):
        if number <= 40 or number == len(columns):
            show(f"{number:>4} {printable(column) or '(no name)'}: {kind_of(raw, column)}")
    options: dict[str, Any] = {}
    numeric = [column for column in columns if raw.is_numeric(column)]
    default = error.found.get("algorithm")
    hint = f" [{printable(default)}]" if default else ""
    algorithms = _columns(
        f"1. Which are the algorithms? Columns ({_range(columns, numeric)}), or the column that"
        f" names them{hint}: ",
        *(columns, default, ask, show),
    )
    wide = len(algorithms) > 1 and all(column in numeric for column in algorithms)
    if wide:
        options["algorithms"] = algorithms
    else:
        options["algorithm"] = algorithms if len(algorithms) > 1 else algorithms[0]
    _ask_task(error, options, algorithms, wide, ask, show)
    if not wide and not options.get("transpose"):
        score = _columns("3. Which column is the score? ", columns, None, ask, show, numeric)
        options["score"] = score[0]
    if "lower_is_better" in error.template or not error.found.get("direction"):
        answer = _one_of("4. Is a higher or a lower score better? (h / l): ", ("h", "l"), ask, show)
        options["lower_is_better"] = answer == "l"
    return options


def _ask_task(
    error: UnclearTableError,
    options: dict[str, Any],
    algorithms: Sequence[str],
    wide: bool,
    ask: Callable[[str], str],
    show: Callable[[str], None],
) -> None:
    raw = error.raw
    columns = list(raw.columns)
    numeric = [c for c in columns if raw.is_numeric(c) and c not in algorithms]
    default = error.found.get("dataset") or error.found.get("task")
    hint = f" [{printable(default)}]" if default else ""
    more = "" if wide else f", or the columns that are tasks ({_range(columns, numeric)}), or none"
    answer = _columns(
        f"2. Which column names the dataset or task{more}?{hint} ",
        *(columns, default, ask, show),
        none=not wide,
    )
    if not answer:
        options["dataset"] = "@file"
        return
    if len(answer) > 1 and not wide:
        options["transpose"] = True
        left = [c for c in columns if c not in (*answer, *algorithms)]
        if left:
            options["ignore"] = left
        names: Sequence[str] = answer
    else:
        options["task"] = answer[0]
        names = raw.names(answer[0])
    found = group_pattern(names)
    if found is None:
        if wide or "transpose" in options:
            return
        others = _coarser(raw, answer[0], {*algorithms})
        if others:
            show(f"   Columns that group the tasks: {quote_list(others)}.")
            group = _columns("   Which of them is the dataset? [none] ", columns, "", ask, show)
            if group and group[0]:
                options["dataset"] = group[0]
        return
    pattern, groups = found
    show(
        f"   The names share a pattern: {count(len(set(names)), 'name')}, {len(groups):,} parts"
        f" like {quote_list(groups, limit=2)}."
    )
    while True:
        reply = ask("   Are these the datasets? (y / n / own pattern): ").strip()
        if reply.lower() in {"n", "no"}:
            return
        chosen = pattern if reply.lower() in {"y", "yes"} else reply
        try:
            matched = [re.search(chosen, name) for name in names]
        except re.error as problem:
            show(f"   {reply!r} is not a regular expression ({problem}).")
            continue
        if reply and all(matched):
            options["dataset_from"] = chosen
            return
        show("   Please answer y, n, or a regular expression that all names match.")


def _coarser(raw: RawTable, task: str, used: set[str]) -> list[str]:
    """Return the columns of text that are constant within tasks and group them."""
    n_tasks = len(raw.names(task))
    return [
        column
        for column in raw.columns
        if column not in used
        and column != task
        and not raw.is_numeric(column)
        and 1 < len(raw.names(column)) < n_tasks
        and raw.determines(task, column)
    ]


def _range(columns: Sequence[str], chosen: Sequence[str]) -> str:
    """Return the numbers of columns in short: 2-24, 26.

    >>> _range(["a", "b", "c", "d", "e"], ["b", "c", "e"])
    '2-3,5'
    """
    parts: list[list[int]] = []
    for number, column in enumerate(columns, 1):
        if column in chosen:
            if parts and parts[-1][1] == number - 1:
                parts[-1][1] = number
            else:
                parts.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts) or "none"


def _columns(
    question: str,
    columns: Sequence[str],
    default: str | None,
    ask: Callable[[str], str],
    show: Callable[[str], None],
    among: Sequence[str] | None = None,
    *,
    none: bool = False,
) -> list[str]:
    """Ask for columns until the answer names some, by number, range or name."""
    while True:
        answer = ask(question).strip()
        if not answer and default is not None:
            return [default] if default else []
        if none and answer.lower() in {"none", "no", "-"}:
            return []
        found = _parse_columns(answer, columns)
        if isinstance(found, str):
            show(f"   {found}")
        elif among is not None and (len(found) > 1 or found[0] not in among):
            show("   Please name one column of numbers.")
        else:
            return found


def _parse_columns(answer: str, columns: Sequence[str]) -> list[str] | str:
    """Return the columns that an answer names, or what is wrong with it.

    >>> _parse_columns("1, 3-4", "abcd"), _parse_columns("b", "abcd"), _parse_columns("7", "abcd")
    (['a', 'c', 'd'], ['b'], 'There is no column 7; the columns are 1 to 4.')
    """
    if answer in columns:
        return [answer]
    found: list[str] = []
    for part in filter(None, re.split(r"\s*,\s*|\s+(?=\d)", answer)):
        limits = re.fullmatch(r"(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?", part)
        if part in columns:
            found.append(part)
        elif limits is None:
            return f"There is no column {quote(part)}; give numbers such as 2 or 2-5, or a name."
        else:
            first, last = int(limits[1]), int(limits[2] or limits[1])
            outside = next((n for n in (first, last) if not 1 <= n <= len(columns)), None)
            if outside is not None or first > last or last - first > _LONGEST_RANGE:
                shown = part if outside is None else outside
                return f"There is no column {shown}; the columns are 1 to {len(columns)}."
            found += columns[first - 1 : last]
    return list(dict.fromkeys(found)) or "Please give the number or the name of a column."


def _one_of(
    question: str, answers: Sequence[str], ask: Callable[[str], str], show: Callable[[str], None]
) -> str:
    while True:
        answer = ask(question).strip().lower()
        found = next((a for a in answers if answer and a.startswith(answer[0])), None)
        if found is not None:
            return found
        show(f"   Please answer {' or '.join(answers)}.")
