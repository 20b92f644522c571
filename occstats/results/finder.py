"""The search for the part that each column plays: by name, type and values together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from occstats.errors import ResultsError
from occstats.results.aliases import (
    ALIASES,
    TRAITS,
    is_measure,
    is_statistic,
    looks_like_trait,
    methods_among,
    normalise,
)
from occstats.results.facts import Facts
from occstats.results.keys import Keys
from occstats.results.names import near_names, quote, quote_list
from occstats.results.options import Reading
from occstats.results.readers.raw import FILE, ROW, UNNAMED
from occstats.results.roles import Roles
from occstats.results.score import choose_score
from occstats.results.wide import WideColumns, measure_of, split_columns

__all__ = ["find_roles"]

_MOST_GUESSES, _MOST_NAMES = 50, 200


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


class _Finder(Keys):
    """The search, step by step."""

    guessed: str | None = None  # what names the rows, by its place alone

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
        measures = [c for c in tasks if is_measure(c)]
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
        found["score"] = None
        if across == "task":
            found["metric"] = None
        if across == "task":
            if found["algorithm"] is None:
                rows = (self.row_names(), found["cluster"], found["task"])
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
            for column in (found["cluster"], found["task"]):
                if column is not None:
                    self.facts.require_names(column)
        details = self._traits()
        # A level of an index is never an algorithm, whatever is in it.
        levels = [c for c in self.free if c in self.facts.raw.index]
        apart = {*details["traits"].values(), *levels}
        candidates = [c for c in self.free if c not in apart]
        if self.chosen is not None:
            columns = WideColumns(list(self.chosen), measure_of(self.chosen))
        else:
            self._check_measures(candidates, across)
            self._check_levels(candidates, across)
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
        self.guessed = self.row_names()
        if self.guessed is not None:
            self.found["cluster"] = self.guessed
            return
        keys = [c for c in (self.found["algorithm"], self.found["fold"]) if c is not None]
        retry: dict[str, Any] = {}
        texts = [c for c in self.free if self.facts.is_text(c) and self.facts.n_distinct(c) > 1]
        if self.found["algorithm"] is not None:
            texts = [c for c in texts if 2 * self.facts.n_distinct(c) <= self.facts.raw.n_rows]
        if texts and self.found["algorithm"] is None:
            retry = self._guess_from_texts(texts)
        elif not keys and not texts:
            retry = {"cluster": ROW}
        elif keys and (not texts or self.facts.is_distinct(*keys)):
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
        """What columns of text may be: with one column of scores one of them is the algorithm."""
        scores = [c for c in self.free if self.facts.is_numeric(c) and not looks_like_trait(c)]
        if all(self.facts.is_distinct(c) for c in texts):  # each row is something of its own
            measured = any(map(is_measure, scores))
            return {"algorithm": texts[0], "cluster": FILE} if measured else {}
        if len(texts) == 1:
            return {"cluster": texts[0]}
        if len(texts) > 2 or not self.facts.is_distinct(*texts):
            return {}
        few, many = sorted(texts, key=self.facts.n_distinct)
        if 2 * self.facts.n_distinct(few) > self.facts.raw.n_rows:
            return {}
        if len(scores) == 1:
            return {"algorithm": few, "task": many}
        # Cases and organs: what is nested belongs to the coarser, else to what stands first.
        return (
            {"cluster": few, "task": many}
            if self.facts.determines(many, few)
            else {"cluster": texts[0], "task": texts[1]}
        )

    def _check_measures(self, candidates: Sequence[str], across: str) -> None:
        """Refuse a long table whose column of algorithms is not known, with a guess."""
        if across != "algorithm":
            return
        numeric = [c for c in candidates if len(self.facts.numbers(c).known)]
        measures = [c for c in numeric if is_measure(c) and looks_like_trait(c) is not True]
        described = [c for c in numeric if is_statistic(c)]
        if 2 * len(described) > len(numeric):  # the mean, minimum and maximum of a time
            measures = described
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
            if self.guessed is not None and not texts:
                retry = {"algorithm": self.guessed, "cluster": FILE}
            raise ResultsError(
                f"{self.where}: no column names the algorithm, and {quote_list(measures)} are"
                " measures, not algorithms; say which column names the algorithm with algorithm=…,"
                " or, if all rows are of one algorithm, which holds its score with"
                f" score={quote(measures[0])}",
                retry,
            )

    def _check_levels(self, candidates: Sequence[str], across: str) -> None:
        """Refuse numbers that tell rows of a data set apart, as horizons do: they are its tasks."""
        roles = ("cluster", "task", "fold", "repeat", "metric")
        keys = [c for c in (self.found[r] for r in roles) if c]
        if across != "algorithm" or self.found["task"] is not None or self.facts.is_distinct(*keys):
            return
        whole = (
            c for c in candidates if self.facts.is_numeric(c) and not self.facts.is_fractional(c)
        )
        level = next((c for c in whole if self.facts.is_distinct(*keys, c)), None)
        if level is not None and self.facts.n_distinct(level) <= self.facts.raw.n_rows / 2:
            raise ResultsError(
                f"{self.where}: {quote(level)} tells the rows of {quote(self.found['cluster'])}"
                " apart; if these are its tasks, say so",
                {"task": level},
            )

    def _check_some(self, columns: WideColumns, across: str) -> None:
        if columns.scores:
            return
        raise ResultsError(
            f"{self.where}: no column of algorithms, and no column of numbers that could be one;"
            f" found {quote_list(self.columns)}{self._held(columns)}; say which column names the"
            " algorithm with algorithm=…"
            if across == "algorithm"
            else f"{self.where}: no column of numbers that could be a task; found"
            f" {quote_list(self.columns)}{self._held(columns)}"
        )

    def _held(self, columns: WideColumns) -> str:
        """What stands in the last column of text, where that begins like a number: 12 ms."""
        texts = [name for name, why in columns.left_out.items() if why == "text"]
        for name in texts:
            for cell in self.facts.names(name):
                if cell is not None and cell[:1].isdigit():
                    return f"; {quote(name)} holds {quote(cell)}: write numbers without a word"
        return ""

    def _check_sides(self, scores: Sequence[str], across: str) -> None:
        """Refuse a table whose rows may be the algorithms, by their names or as none is known."""
        rows = self.found["cluster"]
        if across != "algorithm" or rows is None or rows in self.asked.values():
            return
        if self.facts.is_numeric(rows):
            return
        distinct = [name for name in dict.fromkeys(self.facts.names(rows)) if name is not None]
        in_rows, in_columns = methods_among(distinct[:_MOST_NAMES]), methods_among(scores)
        fewer = self.facts.raw.n_rows < len(scores)
        unnamed = rows.strip() in UNNAMED
        if (in_rows > in_columns and (unnamed or in_rows > 0.5)) or (
            unnamed and fewer and in_rows == in_columns
        ):
            first = f"{quote(self.facts.names(rows)[0])} … or {quote(scores[0])} …"
            other = "call the first column dataset" if unnamed else f"give cluster={quote(rows)}"
            raise ResultsError(
                f"{self.where}: nothing says whether rows or columns are the algorithms ({first});"
                f" if the rows are, say so (else {other})",
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


def _nearest(columns: Iterable[str], expected: Sequence[str]) -> str:
    for column in columns:
        hint = near_names(normalise(column), expected[:3])
        if hint:
            return f" (is it {quote(column)}?)"
    return ""
