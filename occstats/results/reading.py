"""The options of :func:`occstats.load_results`, as one record for the readers."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from occstats.errors import ResultsError

__all__ = ["CHOICES", "MOST_ROWS", "Reading"]

MOST_ROWS = 2_000_000

Duplicates = Literal["refuse", "average"]
OnClash = Literal["refuse", "rename"]
UnequalFolds = Literal["missing", "common", "own"]
Decimal = Literal[".", ","]

CHOICES = {
    "duplicates": get_args(Duplicates),
    "on_clash": get_args(OnClash),
    "unequal_folds": get_args(UnequalFolds),
    "decimal": get_args(Decimal),
}
_ROLES = ("suite", "dataset", "task", "algorithm", "score", "fold", "repeat", "status")


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
    duplicates: Duplicates = "refuse"
    reader: str | None = None
    sheet: str | None = None
    table: int | None = None
    traits: str | Sequence[str] = ()
    metric: str | None = None
    score_name: str | None = None
    lower_is_better: bool | None = None
    on_clash: OnClash = "refuse"
    unequal_folds: UnequalFolds = "missing"
    encoding: str | None = None
    header_rows: int = 1
    fill_down: bool = False
    decimal: Decimal = "."
    scale: float = 1.0
    max_rows: int = MOST_ROWS

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                listed = ", ".join(map(repr, choices))
                raise ResultsError(f"{name}: must be one of {listed}; got {str(value)!r}")
        if not (isinstance(self.scale, int | float) and math.isfinite(self.scale) and self.scale):
            raise ResultsError(f"scale: must be a positive number; got {str(self.scale)!r}")
        if self.scale < 0:
            raise ResultsError(
                f"scale: must be a positive number; got {self.scale:g}; if lower is better, pass"
                " lower_is_better=True"
            )
        if not (isinstance(self.header_rows, int) and self.header_rows >= 1):
            raise ResultsError(
                f"header_rows: must be a positive integer; got {str(self.header_rows)!r}"
            )
        try:
            "".encode(self.encoding or "utf-8")
        except LookupError:
            raise ResultsError(
                f"encoding: {str(self.encoding)!r} is not known; pass a name such as 'cp1252' or"
                " 'latin-1'"
            ) from None
        for name in ("traits", "where", "ignore", "algorithms"):
            if isinstance(getattr(self, name), str):
                object.__setattr__(self, name, (getattr(self, name),))
        if self.table is not None and not (isinstance(self.table, int) and self.table >= 1):
            raise ResultsError(f"table: must be a positive integer; got {str(self.table)!r}")
        for name in ("dataset_from", "algorithm_from"):
            try:
                re.compile(getattr(self, name) or "")
            except re.error as error:
                raise ResultsError(
                    f"{name}: {str(getattr(self, name))!r} is not a regular expression ({error})"
                ) from None
        levels = self.levels
        if len(levels) > 2:
            raise ResultsError(
                f"dataset: at most two columns, the suite and the dataset; got {len(levels)}; pass"
                f" suite={levels[0]!r}, dataset={levels[-1]!r}"
            )

    @property
    def levels(self) -> tuple[str, ...]:
        """Return the columns of suite and dataset, the outermost first."""
        given = self.dataset
        levels = () if given is None else (given,) if isinstance(given, str) else tuple(given)
        return levels if self.suite is None else (self.suite, *levels)

    @property
    def task_columns(self) -> tuple[str, ...]:
        """Return the columns of a leaderboard that were named as tasks."""
        given = self.task
        return () if given is None or isinstance(given, str) else tuple(given)

    @property
    def columns(self) -> dict[str, str]:
        """Return the columns that were named, by their role."""
        levels = () if self.dataset is None else self.levels
        named = vars(self) | dict(zip(("dataset", "suite"), reversed(levels), strict=False))
        return {role: named[role] for role in _ROLES if isinstance(named.get(role), str)}

    def suggested(self, suggestions: Mapping[str, Any]) -> Reading:
        """Return the options with suggestions for those that were not given."""
        defaults = {item.name: item.default for item in fields(self)}
        return replace(
            self, **{k: v for k, v in suggestions.items() if getattr(self, k) == defaults[k]}
        )
