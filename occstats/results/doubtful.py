"""Find the columns of a wide table that may not be scores, by rules that each state a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from occstats.results.aliases import (
    ends_as_companion,
    is_quantity,
    is_size,
    is_summary,
    is_unnamed,
    may_summarise,
    measure,
    measures_in,
    normalise,
    shared_measure,
)
from occstats.results.cells import Numbers

Columns = Mapping[str, Numbers]
Rule = Callable[[Columns], Sequence[str]]


def take_out(rules: Mapping[str, Rule], columns: dict[str, Numbers]) -> dict[str, list[str]]:
    """Return each reason with the columns to which it applies, which are removed."""
    found = {}
    for reason, rule in rules.items():
        if names := list(rule(columns)):
            found[reason] = names
            for name in names:
                del columns[name]
    return found


def quantities(columns: Iterable[str]) -> list[str]:
    """Return the columns that are measures by their names, unless all share a measure."""
    named = [c for c in columns if measure(c)[0] or is_quantity(c)]
    return named if shared_measure([*columns]) is None else []


def _rule_on_name(test: Callable[[str], Any]) -> Rule:
    return lambda columns: [name for name in columns if test(name)]


def _rule_on_values(test: Callable[[Numbers], Any]) -> Rule:
    return lambda columns: [name for name, numbers in columns.items() if test(numbers)]


def _of_another_measure(columns: Columns) -> list[str]:
    """Return the few columns without the measure that all others have in their names."""
    named = [c for c in columns if measures_in(c)]
    lacking = [c for c in columns if c not in named]
    return lacking if 2 * len(lacking) < len(named) and shared_measure(named) else []


def _with_summary_word(columns: Columns) -> list[str]:
    named = [c for c in columns if may_summarise(c, more=True)]
    return named if len(named) < len(columns) else []


def _numbered(columns: Columns) -> list[str]:
    """Return the columns named by numbers, or all if each name recurs with the same numbers."""
    named = [c for c in columns if c.strip().isdigit()]
    parts = {c.strip().rpartition("_")[::2] for c in columns}
    names, numbers = {name for name, _ in parts}, {number for _, number in parts}
    crossed = min(len(names), len(numbers)) > 1 and len(names) * len(numbers) == len(parts)
    if crossed and all(number.isdigit() and len(number) < 3 for number in numbers):
        return [*columns]
    return named if len(named) > 1 else []


def _combinations(columns: Columns) -> list[str]:
    """Return the columns that are the mean, maximum or minimum of all others throughout."""
    found: set[int] = set()
    # A few rows rule out nearly all columns.
    for last in (50, None) if len(columns) > 3 else ():
        values = np.column_stack([numbers.values[:last] for numbers in columns.values()])
        whole = values[np.isfinite(values).all(axis=1)]
        if len(whole) > 2 and not (found := _combined(whole)):
            break
    return [name for i, name in enumerate(columns) if i in found]


def _combined(whole: Any) -> set[int]:
    n_columns = whole.shape[1]
    # Half of the last decimal place of each column.
    exact = [np.abs(np.round(whole, p) - whole).max(axis=0) < 1e-12 for p in range(9)]
    step = 0.51 * 10.0 ** -np.argmax([*exact, np.ones(n_columns, dtype=bool)], axis=0)
    others = (whole.sum(axis=1, keepdims=True) - whole) / (n_columns - 1)
    means = (np.abs(whole - others) <= step).all(axis=0) & (np.ptp(whole, axis=0) > 4 * step)
    found = set(np.flatnonzero(means).tolist())
    ordered = np.sort(whole, axis=1)
    for best, second in ((-1, -2), (0, 1)):
        # As good as the best of the others on every row, and not one and the same column.
        if (ordered[:, best] == ordered[:, second]).all():
            places = np.flatnonzero((whole == ordered[:, [best]]).all(axis=0)).tolist()
            found |= set(places) if len(places) == 1 else set()
    return found


def _flags(columns: Columns) -> list[str]:
    """Return columns of 0 and 1 beside fractions."""
    unit = [c for c, n in columns.items() if n.whole and n.low >= 0 and n.high <= 1]
    return unit if any(not numbers.whole for numbers in columns.values()) else []


def _beyond(columns: Columns) -> list[str]:
    """Return columns of whole numbers outside the range of those with fractions."""
    fractional = [numbers for numbers in columns.values() if not numbers.whole]
    low = min((numbers.low for numbers in fractional), default=-np.inf)
    high = max((numbers.high for numbers in fractional), default=np.inf)
    return [c for c, n in columns.items() if n.whole and (n.low < low or n.high > high)]


def _other_scale(columns: Columns) -> list[str]:
    """Return columns that exceed 1 where most do not."""
    inside = [c for c, n in columns.items() if n.low >= 0 and n.high <= 1]
    above = [c for c, n in columns.items() if c not in inside and n.high > 1]
    return above if 2 * len(inside) > len(columns) else []


def _counts_rows(numbers: Numbers) -> bool:
    known = numbers.known
    return numbers.low in (0, 1) and len(known) > 2 and bool((np.diff(known) == 1).all())


# What a column is if it is never a score of an algorithm on a task, and how to tell.
NEVER: Mapping[str, Rule] = {
    # An ensemble may be called ALL: its column is asked about below.
    "a summary of the others": _rule_on_name(
        lambda name: is_summary(name) and normalise(name) != "all"
    ),
    "the size of a model": _rule_on_name(is_size),
    "an identifier": _rule_on_name(lambda name: f"_{normalise(name)}".endswith("_id")),
    "without a name": _rule_on_name(is_unnamed),
    "the mean, maximum or minimum of the others": _combinations,
    "of another measure than the others": _of_another_measure,
}
# Why a column may not be one.
DOUBTFUL: Mapping[str, Rule] = {
    "named by numbers, as folds": _numbered,
    "row numbers": _rule_on_values(_counts_rows),
    "constant": _rule_on_values(
        lambda numbers: len(numbers.known) > 1 and numbers.low == numbers.high
    ),
    "0 and 1 beside fractions": _flags,
    "whole numbers beyond the range of the others": _beyond,
    "above 1, unlike most others": _other_scale,
    "by the end of its name": _rule_on_name(ends_as_companion),
    "by a word of its name": _with_summary_word,
    "by the name": quantities,
}
