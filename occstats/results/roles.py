"""Which column plays which part: the roles, their usual names, and how they are found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from occstats.errors import ResultsError
from occstats.results.aliases import ALIASES, TRAITS, normalise
from occstats.results.names import near_names, quote, quote_list

__all__ = ["Roles", "find_roles", "require"]


@dataclass(frozen=True)
class Roles:
    """The columns of one source by the part they play; ``algorithms`` are those of a wide table."""

    cluster: str | None
    task: str | None
    algorithm: str | None
    score: str | None
    fold: str | None = None
    repeat: str | None = None
    status: str | None = None
    metric: str | None = None
    traits: Mapping[str, str] = field(default_factory=dict)
    asked_traits: Sequence[str] = ()
    wide: bool = False

    @property
    def keys(self) -> list[str]:
        """The columns that say which row it is."""
        parts = (self.cluster, self.task, self.algorithm, self.fold, self.repeat)
        return [part for part in parts if part is not None]


def find_roles(
    columns: Sequence[str],
    asked: Mapping[str, str | None],
    asked_traits: Sequence[str] | None,
    where: str,
) -> Roles:
    """Find the column for each role, first as asked, then by the usual names.

    A table without a column of algorithms and without one of scores is taken as wide: tasks in
    rows, algorithms in columns.
    """
    taken = {name for name in asked.values() if name is not None}
    found: dict[str, str | None] = {}
    for role in ("algorithm", "cluster", "task", "fold", "repeat", "status", "metric", "score"):
        wanted = asked.get(role)
        if wanted is not None:
            found[role] = require(columns, wanted, role, where)
        else:
            free = [column for column in columns if column not in taken]
            found[role] = _by_alias(free, role, where)
        if found[role] is not None:
            taken.add(str(found[role]))
    if found["algorithm"] is None:
        # Without a column of algorithms the table is wide, or one algorithm's if a score is named.
        if asked.get("score") is None:
            found["score"] = found["metric"] = found["status"] = None
    elif found["score"] is None:
        raise ResultsError(_not_found(columns, "score", where))
    if found["cluster"] is None and found["task"] is None:
        first = columns[0] if columns else None
        if first is not None and re.fullmatch(r"|index|Unnamed: 0|level_0", first.strip()):
            found["task"] = first  # the index of a frame, written as a column without a name
        else:
            raise ResultsError(_not_found(columns, "cluster", where))
    taken = {name for name in found.values() if name is not None}
    traits = _find_traits([c for c in columns if c not in taken], asked_traits, columns, where)
    return Roles(
        **found,
        traits=traits,
        asked_traits=tuple(asked_traits or ()),
        wide=found["algorithm"] is found["score"] is None,
    )


def require(columns: Sequence[str], wanted: str, role: str, where: str) -> str:
    """Give the column that was asked for, or say which there are."""
    if wanted in columns:
        return wanted
    raise ResultsError(
        f"{where}: there is no column {quote(wanted)}, asked for as {role}"
        f"{near_names(wanted, columns)}; found {quote_list(columns)}"
    )


def _by_alias(columns: Sequence[str], role: str, where: str) -> str | None:
    aliases = ALIASES[role]
    matches = [column for column in columns if normalise(column) in aliases]
    if len(matches) <= 1:
        return matches[0] if matches else None
    own = [column for column in matches if column == aliases[0]] or [
        column for column in matches if normalise(column) == aliases[0]
    ]
    if len(own) == 1:
        return own[0]
    # An optional column that is not certain is left for the user to name.
    if role in {"repeat", "status", "metric"}:
        return matches[0] if role == "repeat" else None
    raise ResultsError(
        f"{where}: the column of the {role} could be {quote_list(matches)}; say which with"
        f" {role}={quote(matches[0])}"
    )


def _find_traits(
    free: Sequence[str], asked: Sequence[str] | None, columns: Sequence[str], where: str
) -> dict[str, str]:
    traits: dict[str, str] = {}
    for name, aliases in TRAITS.items():
        for column in free:
            # An algorithm may well be called N or M: one letter must be as it is written here.
            known = column if len(column) == 1 else normalise(column)
            if known in aliases and name not in traits:
                traits[name] = column
    for name in asked or ():
        column = require(columns, name, "trait", where)
        traits = {trait: used for trait, used in traits.items() if used != column}
        traits[column] = column
    return traits


def _not_found(columns: Sequence[str], role: str, where: str) -> str:
    expected = ALIASES[role]
    parts = {"cluster": "data set or task", "score": "score", "algorithm": "algorithm"}
    near = _nearest(columns, expected)
    return (
        f"{where}: no column holds the {parts[role]}{near}; found {quote_list(columns)}, expected"
        f" one called {', '.join(expected[:6])} …; say which with {role}=…"
    )


def _nearest(columns: Iterable[str], expected: Sequence[str]) -> str:
    for column in columns:
        hint = near_names(normalise(column), expected[:3])
        if hint:
            return f" (is it {quote(column)}?)"
    return ""
