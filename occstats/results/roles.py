"""Which column plays which part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from occstats.errors import ResultsError
from occstats.results.names import near_names, quote, quote_list

__all__ = ["Roles", "require"]

_KEYS = ("suite", "cluster", "task", "algorithm", "fold", "repeat")


@dataclass(frozen=True)
class Roles:
    """The columns of one source by the part they play.

    ``across`` says what the columns in ``columns`` are, in a table in which the scores stand side
    by side: algorithms, tasks (a leaderboard) or folds; it is empty for a long table. ``suite`` is
    what data sets belong to.
    """

    suite: str | None = None
    cluster: str | None = None
    task: str | None = None
    algorithm: str | None = None
    score: str | None = None
    fold: str | None = None
    repeat: str | None = None
    status: str | None = None
    metric: str | None = None
    traits: Mapping[str, str] = field(default_factory=dict)
    asked_traits: Sequence[str] = ()
    across: str = ""
    columns: Sequence[str] = ()
    score_name: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The columns that say which row it is."""
        parts = (getattr(self, role) for role in _KEYS)
        return list(dict.fromkeys(part for part in parts if part is not None))


def require(columns: Sequence[str], wanted: str, role: str, where: str) -> str:
    """Give the column that was asked for, or say which there are."""
    if wanted in columns:
        return wanted
    raise ResultsError(
        f"{where}: there is no column {quote(wanted)}, asked for as {role}"
        f"{near_names(wanted, columns)}; found {quote_list(columns)}"
    )
