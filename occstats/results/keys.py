"""The search for the columns that say which row it is: by name, type and values together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from occstats.errors import ResultsError
from occstats.results.aliases import (
    ALIASES,
    FAILED_WORDS,
    FLAGS,
    PARTS,
    SUCCEEDED,
    UNDEFINED_WORDS,
    normalise,
)
from occstats.results.facts import Facts
from occstats.results.names import quote, quote_list
from occstats.results.options import Reading
from occstats.results.readers.raw import FILE, ROW, UNNAMED

__all__ = ["Keys"]

_NUMBERED = {"", "id", "index", "unnamed_0", "row", "no", "nr", "number"}


class Keys:
    """Which column names the algorithm, the data set, the task, the fold and so on."""

    def __init__(self, facts: Facts, reading: Reading) -> None:
        self.facts, self.reading = facts, reading
        self.where = facts.raw.name
        self.columns = list(facts.raw.columns)
        self.asked = {r: c for r, c in reading.columns.items() if c in self.columns}
        if self.asked.get("task") == self.asked.get("cluster"):
            self.asked.pop("task", None)
        given = reading.algorithm_columns
        self.chosen = [c for c in given if c in self.columns] or None if given else None
        self.traits_asked = [c for c in reading.traits if c in self.columns]
        self.found: dict[str, Any] = dict.fromkeys(
            ("algorithm", "suite", "cluster", "task", "fold", "repeat", "status", "metric", "score")
        )
        self.found.update(self.asked)

    @property
    def free(self) -> list[str]:
        """The columns that have no role yet."""
        taken = {*self.found.values(), *(self.chosen or ()), *self.traits_asked, FILE, ROW}
        return [column for column in self.columns if column not in taken]

    def find_keys(self) -> None:
        """Find the columns that say which row it is."""
        index = [column for column in self.facts.raw.index if column in self.free]
        for role in ("algorithm", "cluster", "task", "fold", "repeat", "status", "metric"):
            chosen = self.chosen and not self.reading.transpose
            skipped = (role == "algorithm" and chosen) or (
                role == "metric" and self.facts.raw.mixed
            )
            if self.found[role] is None and not skipped:
                self.found[role] = self._by_alias(role)
        if self.found["status"] is None:
            flags = [c for c in self.free if normalise(c) in FLAGS and self.facts.is_flag(c)]
            self.found["status"] = flags[0] if len(flags) == 1 else None
        self._take_index([column for column in index if column in self.free])
        cluster, task = self.found["cluster"], self.found["task"]
        if cluster is not None and task is not None and not {"cluster", "task"} & set(self.asked):
            fine = self.facts.determines(cluster, task) and not self.facts.determines(task, cluster)
            if normalise(cluster) == "data" and fine:  # the data of a problem are its instances
                self.found.update(cluster=task, task=cluster)

    def _by_alias(self, role: str) -> str | None:
        aliases = ALIASES[role]
        called = {c: form for c in self.free if (form := _alias(c, aliases)) is not None}
        matches = list(called)
        if role in {"algorithm", "cluster", "task", "metric"}:
            # A name is never a number with decimals: that is an algorithm called Baseline.
            matches = [column for column in matches if not self.facts.is_fractional(column)]
        if role == "status":
            words = SUCCEEDED | UNDEFINED_WORDS | FAILED_WORDS
            # A state may be one of a country.
            matches = [
                c for c in matches if {normalise(n or "") for n in self.facts.names(c)} & words
            ]
        if role == "algorithm":
            matches = [column for column in matches if column not in self.facts.raw.index]
        if role == "fold":
            matches = [column for column in matches if not self._is_part(column)]
        if len(matches) <= 1:
            return matches[0] if matches else None
        own = [column for column in matches if column == aliases[0]] or [
            column for column in matches if called[column] == aliases[0]
        ]
        if len(own) == 1:
            return own[0]
        # An optional column that is not certain is left for the user to name.
        if role in {"repeat", "status", "metric"}:
            return matches[0] if role == "repeat" else None
        matches.sort(key=lambda column: aliases.index(called[column]))
        if role == "algorithm":
            matches.sort(key=self._compares_nothing)
        retry = {role: matches[0]}
        if role == "task" and self.found["cluster"] is None and len(matches) == 2:
            # Functions and their instances: what is named is the coarser of the two.
            coarse, fine = sorted(matches, key=lambda column: not self.facts.is_text(column))
            retry = {"cluster": coarse, "task": fine}
        raise ResultsError(
            f"{self.where}: the column of the {role} could be {quote_list(matches)}; say which",
            retry,
        )

    def _compares_nothing(self, column: str) -> bool:
        """Whether a column has one name, or one for each task: a problem's model, no solver."""
        if self.facts.n_distinct(column) == 1:
            return True
        tasks = [c for c in self.columns if _alias(c, (*ALIASES["task"], *ALIASES["cluster"]))]
        return any(self.facts.determines(task, column) for task in tasks)

    def _is_part(self, column: str) -> bool:
        """Whether a column tells training from test: scores of these are not to be averaged."""
        names = {str(name).strip().casefold() for name in set(self.facts.names(column))}
        if not names <= set(PARTS):
            return False
        if len(names) > 1:
            held = {str(name).strip().casefold(): name for name in self.facts.names(column)}
            test = held.get("test", next(iter(held.values())))
            raise ResultsError(
                f"{self.where}: {quote(column)} tells scores in training from those in tests, which"
                " are not to be averaged; keep one",
                {"where": [f"{column}={test}"]},
            )
        return True

    def _take_index(self, levels: Sequence[str]) -> None:
        """An index without names is data set, task and seed, in this order."""
        text = [c for c in levels if not self.facts.is_numeric(c)]
        for role in ("cluster", "task"):
            if text and self.found["cluster"] is None and self.found["task"] is None:
                self.found[role] = text.pop(0)
        if text and self.found["task"] is None:
            self.found["task"] = text.pop(0)
        numeric = [c for c in levels if self.facts.is_numeric(c) and self.facts.n_distinct(c) > 1]
        for role in ("repeat", "fold"):
            if numeric and self.found[role] is None:
                self.found[role] = numeric.pop()
        if numeric or text:
            raise ResultsError(
                f"{self.where}: {quote_list([*text, *numeric])} of the index has no role; keep one"
                " value of it, or say what it is with task=…",
                {"where": [f"{c}={self.facts.names(c)[0]}" for c in [*text, *numeric]]},
            )

    def row_names(self) -> str | None:
        """The column that names the rows by its place or as the only text."""
        algorithm = self.found["algorithm"]
        if algorithm is not None and self.facts.is_distinct(algorithm):
            return None  # a row for each: they all did the same one thing
        first = self.columns[0] if self.columns else None
        # The index of a frame, written as a column without a name.
        unnamed = first in self.free and first is not None and first.strip() in UNNAMED
        if unnamed and first is not None and not self.facts.is_numeric(first):
            return first
        texts = [c for c in self.free if self.facts.is_text(c) and self.facts.n_distinct(c) > 1]
        if algorithm is not None:  # a task that one algorithm has, as a date, compares nothing
            texts = [c for c in texts if 2 * self.facts.n_distinct(c) <= self.facts.raw.n_rows]
        keys = [c for c in (algorithm, self.found["fold"], self.found["repeat"]) if c]
        if len(texts) == 1 and self.facts.is_distinct(texts[0], *keys):
            return texts[0]
        # Numbers name rows where nothing else does: a counter, or identities as OpenML's.
        numbered = [c for c in self.free if normalise(c) in _NUMBERED and not texts]
        whole = [c for c in numbered if not self.facts.is_fractional(c)]
        return whole[0] if whole and self.facts.is_distinct(whole[0], *keys) else None


def _alias(column: str, aliases: Sequence[str]) -> str | None:
    """The usual name that a column goes by, also as TeamName or, in a corner, as Model/Dataset."""
    # Of two names in a corner that with an arrow down names the rows, else the first.
    down = re.search(r"([^/\\|()\[\]→]+?)[\s(\[]*↓", column)
    corner = down[1] if down else re.split(r"[/\\]", column)[0]
    forms = (column, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column), corner)
    return next((form for form in map(normalise, forms) if form in aliases), None)
