"""The options of :func:`occstats.load_results`, as one record for the readers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from occstats.errors import ResultsError

MOST_ROWS = 2_000_000

Decimal = Literal[".", ","]

CHOICES = {"decimal": get_args(Decimal)}
_ROLES = ("suite", "dataset", "task", "algorithm", "score", "fold", "repeat", "status")
# Options that may name several columns.
OF_SEVERAL = ("algorithm", "dataset", "task", "traits", "ignore")
_SEVERAL = ("algorithms", "ignore", "where", "traits")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Options for reading the sources; :func:`occstats.load_results` describes them."""

    dataset: str | Sequence[str] | None = None
    suite: str | None = None
    task: str | Sequence[str] | None = None
    algorithm: str | Sequence[str] | None = None
    algorithms: Sequence[str] = ()
    score: str | None = None
    fold: str | None = None
    repeat: str | None = None
    status: str | None = None
    transpose: bool = False
    dataset_from: str | None = None
    algorithm_from: str | None = None
    ignore: str | Sequence[str] = ()
    where: str | Sequence[str] = ()
    table: int | str | None = None
    traits: str | Sequence[str] = ()
    metric: str | None = None
    score_name: str | None = None
    lower_is_better: bool | None = None
    encoding: str | None = None
    header_rows: int = 1
    decimal: Decimal = "."
    max_rows: int = MOST_ROWS

    def __post_init__(self) -> None:
        for name in _SEVERAL:
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))
        if isinstance(self.table, str) and self.table.isdecimal():
            object.__setattr__(self, "table", int(self.table))
        for item in fields(self):
            # A column may have no name.
            if item.name not in _ROLES and getattr(self, item.name) in ("",):
                raise ResultsError(f"{item.name} must not be empty; give a value, or leave it out")
        if self.decimal not in CHOICES["decimal"]:
            raise ResultsError(f"decimal: must be one of '.', ','; got {str(self.decimal)!r}")
        for name in ("header_rows", "max_rows", "table"):
            number = getattr(self, name)
            if isinstance(number, int) and number < 1:
                raise ResultsError(f"{name}: must be a positive integer; got {number}")
        if self.lower_is_better not in (None, True, False):
            raise ResultsError(
                f"lower_is_better must be True or False; got {self.lower_is_better!r}"
            )
        for name in _ROLES:
            value, several = getattr(self, name), name in {"dataset", "task", "algorithm"}
            if several and isinstance(value, Set):
                object.__setattr__(self, name, value := [*value])
            if not isinstance(value, str | Sequence | None if several else str | None):
                raise ResultsError(
                    f"{name}: must be {'one or several columns' if several else 'one column'};"
                    f" got {type(value).__name__!r}"
                )
        try:
            "".encode(self.encoding or "utf-8")
        except LookupError:
            raise ResultsError(
                f"encoding: {str(self.encoding)!r} is not known; pass a name such as 'cp1252' or"
                " 'latin-1'"
            ) from None
        for name in ("dataset_from", "algorithm_from"):
            try:
                re.compile(getattr(self, name) or "")
            except re.error as error:
                raise ResultsError(
                    f"{name}: {str(getattr(self, name))!r} is not a regular expression ({error})"
                ) from None

    @property
    def columns(self) -> dict[str, str]:
        """Return the columns that were named, by their role."""
        return {
            role: getattr(self, role) for role in _ROLES if isinstance(getattr(self, role), str)
        }

    @property
    def told(self) -> list[str]:
        """Return the options that were given."""
        return [item.name for item in fields(self) if getattr(self, item.name) != item.default]

    @property
    def all_columns(self) -> list[tuple[str, str]]:
        """Return all columns that were named, with the option that names them."""
        named = [*_ROLES, "traits", "ignore"]
        values = {name: getattr(self, name) for name in named if getattr(self, name) is not None}
        return [
            (name, column)
            for name, value in values.items()
            for column in ([value] if isinstance(value, str) else value)
        ]

    def suggested(self, suggestions: Mapping[str, Any]) -> Reading:
        """Return the options with suggestions for those that were not given."""
        return replace(self, **{k: v for k, v in suggestions.items() if k not in self.told})
