"""The search for the part that each column plays: by name, type and values together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from occstats.errors import ResultsError
from occstats.results.aliases import (
    ALIASES,
    FAILED_WORDS,
    FLAGS,
    SUCCEEDED,
    TRAITS,
    UNDEFINED_WORDS,
    looks_like_trait,
    measure,
    methods_among,
    normalise,
)
from occstats.results.facts import Facts
from occstats.results.names import near_names, quote, quote_list
from occstats.results.options import Reading
from occstats.results.readers.raw import FILE, ROW, UNNAMED
from occstats.results.roles import Roles
from occstats.results.score import choose_score
from occstats.results.wide import WideColumns, measure_of, split_columns

__all__ = ["find_roles"]

_NUMBERED = {"", "id", "index", "unnamed_0", "row", "no", "nr", "number"}
_MOST_GUESSES = 50
_PARTS = frozenset(("train", "training", "test", "testing", "val", "valid", "validation", "dev"))


def find_roles(facts: Facts, reading: Reading) -> Roles:
    """Find the column for each role, first as asked, then by name, type and values."""
    finder = _Finder(facts, reading)
    finder.find_keys()
    found = finder.found
    if finder.chosen is not None:
        return finder.wide("task" if reading.transpose else "algorithm")
    if reading.transpose or finder.is_leaderboard():
        return finder.wide("task")
    if found["algorithm"] is not None or "score" in finder.asked:
        return finder.long()
    return finder.wide("algorithm")


class _Finder:
    """The search, step by step."""

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
            skipped = (role == "algorithm" and self.chosen) or (
                role == "metric" and self.facts.raw.mixed
            )
            if self.found[role] is None and not skipped:
                self.found[role] = self._by_alias(role)
        if self.found["status"] is None:
            flags = [c for c in self.free if normalise(c) in FLAGS and self.facts.is_flag(c)]
            self.found["status"] = flags[0] if len(flags) == 1 else None
        self._take_index([column for column in index if column in self.free])

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
        retry = {role: matches[0]}
        if role == "task" and self.found["cluster"] is None and len(matches) == 2:
            # Functions and their instances: what is named is the coarser of the two.
            coarse, fine = sorted(matches, key=lambda column: not self.facts.is_text(column))
            retry = {"cluster": coarse, "task": fine}
        raise ResultsError(
            f"{self.where}: the column of the {role} could be {quote_list(matches)}; say which",
            retry,
        )

    def _is_part(self, column: str) -> bool:
        """Whether a column tells training from test: scores of these are not to be averaged."""
        names = {str(name).strip().casefold() for name in set(self.facts.names(column))}
        if not names <= _PARTS:
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

    def is_leaderboard(self) -> bool:
        """Whether rows are algorithms and columns tasks: one row each, and no task is named."""
        algorithm = self.found["algorithm"]
        if algorithm is None or any(self.found[r] for r in ("cluster", "task", "fold", "metric")):
            return False
        if "score" in self.asked or not self.facts.is_distinct(algorithm):
            return False
        numeric = [c for c in self.free if self.facts.is_numeric(c)]
        tasks = [c for c in numeric if looks_like_trait(c) is not True]
        # Accuracy, F1 and AUC of each algorithm are measures of one task.
        measures = [c for c in tasks if measure(c) in ALIASES["score"]]
        return len(tasks) >= 2 and 2 * len(measures) < len(tasks)

    def long(self) -> Roles:
        """A row is the score of an algorithm on a task."""
        if self.found["score"] is None:
            self.found["score"] = choose_score(self.facts, self.free, self.found)
        self._need_task()
        return Roles(**self.found, **self._traits())

    def wide(self, across: str) -> Roles:
        """The scores stand side by side."""
        found = self.found
        found["score"] = found["metric"] = None
        if across == "task":
            if found["algorithm"] is None:
                rows = (self._row_names(), found["cluster"], found["task"])
                found["algorithm"] = next((name for name in rows if name is not None), None)
            if found["suite"] is not None:
                raise ResultsError(
                    f"{self.where}: cluster names a column of suites, {quote(found['suite'])}, but"
                    " the tasks are the columns here, so that a row cannot say where they belong;"
                    " give the table with tasks as rows"
                )
            found["cluster"] = found["task"] = None
            if found["algorithm"] is None:
                raise ResultsError(
                    f"{self.where}: transpose=True takes rows as algorithms, but no column names"
                    f" them; say which with algorithm=… (found {quote_list(self.columns)})"
                )
        else:
            found["algorithm"] = None
            self._name_rows()
            self._need_task()
        details = self._traits()
        # A level of an index is never an algorithm, whatever is in it.
        levels = [c for c in self.free if c in self.facts.raw.index]
        apart = {*details["traits"].values(), *levels}
        candidates = [c for c in self.free if c not in apart]
        if self.chosen is not None:
            columns = WideColumns(list(self.chosen), measure_of(self.chosen))
        else:
            self._check_measures(candidates, across)
            columns = split_columns(self.facts, candidates, what=f"{across}s")
            self._check_some(columns, across)
            self._check_sides(columns.scores, across)
        status = found["status"] if "status" in self.asked else None
        return Roles(
            **{**found, "status": status},
            **details,
            across=across,
            columns=columns.scores,
            score_name=columns.score_name,
            left_out={**dict.fromkeys(levels, "index"), **columns.left_out},
        )

    def _name_rows(self) -> None:
        """The only text that names every row is the data set, and a number called class a trait."""
        task = self.found["task"]
        if self.found["cluster"] is not None or task is None or "task" in self.asked:
            return
        folds = [c for c in (self.found["fold"], self.found["repeat"]) if c is not None]
        if self.facts.is_numeric(task) and not self.facts.is_distinct(task, *folds):
            texts = [c for c in self.free if self.facts.is_text(c)]
            names = [c for c in texts if self.facts.is_distinct(c, *folds)]
            if len(names) == 1:
                self.found.update(cluster=names[0], task=None)

    def _need_task(self) -> None:
        if self.found["cluster"] is not None or self.found["task"] is not None:
            return
        names = self._row_names()
        if names is not None:
            self.found["cluster"] = names
            return
        keys = [c for c in (self.found["algorithm"], self.found["fold"]) if c is not None]
        retry: dict[str, Any] = {}
        texts = [c for c in self.free if self.facts.is_text(c) and self.facts.n_distinct(c) > 1]
        if self.found["algorithm"] is not None:
            texts = [c for c in texts if 2 * self.facts.n_distinct(c) <= self.facts.raw.n_rows]
        if len(texts) > 1 and self.found["algorithm"] is None:
            retry = self._guess_from_texts(texts)
        elif not keys and not texts:
            retry = {"cluster": ROW}
        elif keys and not texts:
            retry = {"cluster": FILE}
            if not self.facts.is_distinct(*keys):
                retry["duplicates"] = "average"
        near = _nearest(self.columns, ALIASES["cluster"])
        raise ResultsError(
            f"{self.where}: no column holds the data set or task{near}; found"
            f" {quote_list(self.columns)}, expected one called"
            f" {', '.join(ALIASES['cluster'][:6])} …; say which with cluster=…",
            retry,
        )

    def _guess_from_texts(self, texts: Sequence[str]) -> dict[str, Any]:
        """Of two columns of text the one with fewer names may be the algorithm."""
        texts = sorted(texts, key=self.facts.n_distinct)
        if 2 * self.facts.n_distinct(texts[0]) > self.facts.raw.n_rows:
            return {}
        score = [c for c in self.free if self.facts.is_numeric(c)]
        if len(texts) == 2 and score and self.facts.is_distinct(*texts):
            return {"algorithm": texts[0], "task": texts[1]}
        return {}

    def _row_names(self) -> str | None:
        """The column that names the rows by its place or as the only text."""
        first = self.columns[0] if self.columns else None
        # The index of a frame, written as a column without a name.
        unnamed = first in self.free and first is not None and first.strip() in UNNAMED
        if unnamed and first is not None and not self.facts.is_numeric(first):
            return first
        texts = [c for c in self.free if self.facts.is_text(c) and self.facts.n_distinct(c) > 1]
        algorithm = self.found["algorithm"]
        if algorithm is not None:  # a task that one algorithm has, as a date, compares nothing
            texts = [c for c in texts if 2 * self.facts.n_distinct(c) <= self.facts.raw.n_rows]
        keys = [c for c in (algorithm, self.found["fold"], self.found["repeat"]) if c]
        if len(texts) == 1 and self.facts.is_distinct(texts[0], *keys):
            return texts[0]
        # Numbers name rows where nothing else does: a counter, or identities as OpenML's.
        numbered = [c for c in self.free if normalise(c) in _NUMBERED and not texts]
        whole = [c for c in numbered if not self.facts.is_fractional(c)]
        return whole[0] if whole and self.facts.is_distinct(whole[0], *keys) else None

    def _check_measures(self, candidates: Sequence[str], across: str) -> None:
        """Refuse a long table whose column of algorithms is not known, with a guess."""
        if across != "algorithm":
            return
        numeric = [c for c in candidates if len(self.facts.numbers(c).known)]
        measures = [c for c in numeric if measure(c) in ALIASES["score"]]
        keys = [c for c in (self.found[r] for r in ("cluster", "task", "fold", "repeat")) if c]
        labels = (c for c in candidates if self.facts.is_text(c) and self.facts.n_distinct(c) > 1)
        repeated = not self.facts.is_distinct(*keys)
        texts = list(islice(labels, _MOST_GUESSES)) if repeated or measures else []
        # Who has results on one task only cannot be compared.
        most = self.facts.raw.n_rows / 2
        guesses = (c for c in texts if self.facts.n_distinct(c) <= most)
        guess = next((c for c in guesses if self.facts.is_distinct(*keys, c)), None)
        if repeated and guess is not None:
            raise ResultsError(
                f"{self.where}: no column is called as algorithms usually are; {quote(guess)} tells"
                f" the rows of a task apart ({self.facts.n_distinct(guess):,} names)",
                {"algorithm": guess, **({"score": measures[0]} if len(measures) == 1 else {})},
            )
        if measures and len(numeric) > 1:
            retry = {"algorithm": texts[0]} if len(texts) == 1 else {}
            raise ResultsError(
                f"{self.where}: no column names the algorithm, and {quote_list(measures)} are"
                " measures, not algorithms; say which column names the algorithm with algorithm=…,"
                " or, if all rows are of one algorithm, which holds its score with"
                f" score={quote(measures[0])}",
                retry,
            )

    def _check_some(self, columns: WideColumns, across: str) -> None:
        if columns.scores:
            return
        raise ResultsError(
            f"{self.where}: no column of algorithms, and no column of numbers that could be one;"
            f" found {quote_list(self.columns)}; say which column names the algorithm with"
            " algorithm=…"
            if across == "algorithm"
            else f"{self.where}: no column of numbers that could be a task; found"
            f" {quote_list(self.columns)}"
        )

    def _check_sides(self, scores: Sequence[str], across: str) -> None:
        """Refuse a table whose rows may be the algorithms: nothing says what they are."""
        rows = self.found["cluster"]
        if across != "algorithm" or rows is None or rows.strip() not in UNNAMED:
            return
        if rows in self.asked.values() or self.facts.is_numeric(rows):
            return
        in_rows = methods_among(name for name in self.facts.names(rows) if name is not None)
        in_columns = methods_among(scores)
        fewer = self.facts.raw.n_rows < len(scores)
        if in_rows > in_columns or (fewer and in_rows == in_columns):
            first = f"{quote(self.facts.names(rows)[0])} … or {quote(scores[0])} …"
            raise ResultsError(
                f"{self.where}: nothing says whether rows or columns are the algorithms ({first});"
                " if the rows are, say so (else call the first column dataset)",
                {"transpose": True},
            )

    def _traits(self) -> dict[str, Any]:
        traits: dict[str, str] = {}
        for name, aliases in TRAITS.items():
            for column in self.free:
                # An algorithm may well be called N or M: one letter must be as it is written here.
                known = column if len(column) == 1 else normalise(column)
                if known in aliases and name not in traits:
                    traits[name] = column
        for column in self.traits_asked:
            traits = {trait: used for trait, used in traits.items() if used != column}
            traits[column] = column
        return {"traits": traits, "asked_traits": tuple(self.traits_asked)}


def _alias(column: str, aliases: Sequence[str]) -> str | None:
    """The usual name that a column goes by, also where words are told by capitals: TeamName."""
    forms = (normalise(column), normalise(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column)))
    return next((form for form in forms if form in aliases), None)


def _nearest(columns: Iterable[str], expected: Sequence[str]) -> str:
    for column in columns:
        hint = near_names(normalise(column), expected[:3])
        if hint:
            return f" (is it {quote(column)}?)"
    return ""
