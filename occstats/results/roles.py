"""Assign a role to each column of a table: algorithm, dataset, task, score and so on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from occstats._format import count, did_you_mean, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import (
    ALIASES,
    CORRECT,
    FAILED_WORDS,
    FLAGS,
    GENERIC,
    PARTS,
    SUCCEEDED,
    TRAITS,
    UNDEFINED_WORDS,
    is_bounded,
    is_measure,
    is_optimum,
    is_spread,
    is_statistic,
    looks_like_trait,
    lower_is_better,
    measure,
    methods_among,
    name_from_file,
    normalise,
    stands_beside,
)
from occstats.results.cells import ParsedTable, looks_like_decimal_comma
from occstats.results.options import Reading
from occstats.results.readers.frames import FILE, ROW, UNNAMED, RawTable
from occstats.results.wide import WideColumns, are_ranks, measure_of, split_columns

__all__ = ["Roles", "check_range", "find_roles", "meaning", "require"]

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
        f"{did_you_mean(wanted, columns)}; found {quote_list(columns)}"
    )


_NUMBERED = {"", "id", "index", "unnamed_0", "row", "no", "nr", "number"}


def find_roles(parsed: ParsedTable, reading: Reading) -> Roles:
    """Find the column for each role, first as asked, then by name, type and values."""
    finder = _RoleFinder(parsed, reading)
    finder.find_keys()
    found = finder.found
    if finder.chosen is not None:
        return finder.wide("task" if reading.transpose else "algorithm")
    if reading.transpose or finder.is_leaderboard():
        return finder.wide("task")
    if found["algorithm"] is not None or "score" in finder.asked:
        return finder.long()
    return finder.wide("algorithm")


class _RoleFinder:
    """Which column names the algorithm, the data set, the task, the fold and so on."""

    def __init__(self, parsed: ParsedTable, reading: Reading) -> None:
        self.parsed, self.reading = parsed, reading
        self.where = parsed.raw.name
        self.columns = list(parsed.raw.columns)
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
        self.guessed: str | None = None  # the column that names the rows, by its place alone

    @property
    def free(self) -> list[str]:
        """The columns that have no role yet."""
        taken = {*self.found.values(), *(self.chosen or ()), *self.traits_asked, FILE, ROW}
        return [column for column in self.columns if column not in taken]

    def find_keys(self) -> None:
        """Find the columns that say which row it is."""
        index = [column for column in self.parsed.raw.index if column in self.free]
        for role in ("algorithm", "cluster", "task", "fold", "repeat", "status", "metric"):
            chosen = self.chosen and not self.reading.transpose
            skipped = (role == "algorithm" and chosen) or (
                role == "metric" and self.parsed.raw.mixed
            )
            if self.found[role] is None and not skipped:
                self.found[role] = self._by_alias(role)
        if self.found["status"] is None:
            flags = [c for c in self.free if normalise(c) in FLAGS and self.parsed.is_flag(c)]
            self.found["status"] = flags[0] if len(flags) == 1 else None
        self._take_index([column for column in index if column in self.free])
        cluster, task = self.found["cluster"], self.found["task"]
        if cluster is not None and task is not None and not {"cluster", "task"} & set(self.asked):
            fine = self.parsed.determines(cluster, task) and not self.parsed.determines(
                task, cluster
            )
            if normalise(cluster) == "data" and fine:  # the data of a problem are its instances
                self.found.update(cluster=task, task=cluster)

    def _by_alias(self, role: str) -> str | None:
        aliases = ALIASES[role]
        called = {c: form for c in self.free if (form := _alias(c, aliases)) is not None}
        matches = list(called)
        if role in {"algorithm", "cluster", "task", "metric"}:
            # A name is never a number with decimals: that is an algorithm called Baseline.
            matches = [column for column in matches if not self.parsed.is_fractional(column)]
        if role == "status":
            words = SUCCEEDED | UNDEFINED_WORDS | FAILED_WORDS
            # A state may be one of a country.
            matches = [
                c for c in matches if {normalise(n or "") for n in self.parsed.names(c)} & words
            ]
        if role == "algorithm":
            matches = [column for column in matches if column not in self.parsed.raw.index]
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
            coarse, fine = sorted(matches, key=lambda column: not self.parsed.is_text(column))
            retry = {"cluster": coarse, "task": fine}
        raise ResultsError(
            f"{self.where}: the column of the {role} could be {quote_list(matches)}; say which",
            retry,
        )

    def _compares_nothing(self, column: str) -> bool:
        """Whether a column has one name, or one for each task: a problem's model, no solver."""
        if self.parsed.n_distinct(column) == 1:
            return True
        tasks = [c for c in self.columns if _alias(c, (*ALIASES["task"], *ALIASES["cluster"]))]
        return any(self.parsed.determines(task, column) for task in tasks)

    def _is_part(self, column: str) -> bool:
        """Whether a column tells training from test: scores of these are not to be averaged."""
        names = {str(name).strip().casefold() for name in set(self.parsed.names(column))}
        if not names <= set(PARTS):
            return False
        if len(names) > 1:
            held = {str(name).strip().casefold(): name for name in self.parsed.names(column)}
            test = held.get("test", next(iter(held.values())))
            raise ResultsError(
                f"{self.where}: {quote(column)} tells scores in training from those in tests, which"
                " are not to be averaged; keep one",
                {"where": [f"{column}={test}"]},
            )
        return True

    def _take_index(self, levels: Sequence[str]) -> None:
        """An index without names is data set, task and seed, in this order."""
        text = [c for c in levels if not self.parsed.is_numeric(c)]
        for role in ("cluster", "task"):
            if text and self.found["cluster"] is None and self.found["task"] is None:
                self.found[role] = text.pop(0)
        if text and self.found["task"] is None:
            self.found["task"] = text.pop(0)
        numeric = [c for c in levels if self.parsed.is_numeric(c) and self.parsed.n_distinct(c) > 1]
        for role in ("repeat", "fold"):
            if numeric and self.found[role] is None:
                self.found[role] = numeric.pop()
        if numeric or text:
            raise ResultsError(
                f"{self.where}: {quote_list([*text, *numeric])} of the index has no role; keep one"
                " value of it, or say what it is with task=…",
                {"where": [f"{c}={self.parsed.names(c)[0]}" for c in [*text, *numeric]]},
            )

    def row_names(self) -> str | None:
        """The column that names the rows by its place or as the only text."""
        algorithm = self.found["algorithm"]
        if algorithm is not None and self.parsed.is_distinct(algorithm):
            return None  # a row for each: they all did the same one thing
        first = self.columns[0] if self.columns else None
        # The index of a frame, written as a column without a name.
        unnamed = first in self.free and first is not None and first.strip() in UNNAMED
        if unnamed and first is not None and not self.parsed.is_numeric(first):
            return first
        texts = [c for c in self.free if self.parsed.is_text(c) and self.parsed.n_distinct(c) > 1]
        if algorithm is not None:  # a task that one algorithm has, as a date, compares nothing
            texts = [c for c in texts if 2 * self.parsed.n_distinct(c) <= self.parsed.raw.n_rows]
        keys = [c for c in (algorithm, self.found["fold"], self.found["repeat"]) if c]
        if len(texts) == 1 and self.parsed.is_distinct(texts[0], *keys):
            return texts[0]
        # Numbers name rows where nothing else does: a counter, or identities as OpenML's.
        numbered = [c for c in self.free if normalise(c) in _NUMBERED and not texts]
        whole = [c for c in numbered if not self.parsed.is_fractional(c)]
        return whole[0] if whole and self.parsed.is_distinct(whole[0], *keys) else None

    def is_leaderboard(self) -> bool:
        """Whether rows are algorithms and columns tasks: one row each, and no task is named."""
        algorithm = self.found["algorithm"]
        if algorithm is None or any(self.found[r] for r in ("cluster", "task", "fold", "metric")):
            return False
        if "score" in self.asked or not self.parsed.is_distinct(algorithm):
            return False
        numeric = [c for c in self.free if self.parsed.is_numeric(c)]
        tasks = [c for c in numeric if looks_like_trait(c) is not True]
        # Accuracy, F1 and AUC of each algorithm are measures of one task.
        measures = [c for c in tasks if is_measure(c)]
        return len(tasks) >= 2 and 2 * len(measures) < len(tasks)

    def long(self) -> Roles:
        """A row is the score of an algorithm on a task."""
        if self.found["score"] is None:
            self.found["score"] = choose_score(self.parsed, self.free, self.found)
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
                    self.parsed.require_names(column)
        details = self._traits()
        # A level of an index is never an algorithm, whatever is in it.
        levels = [c for c in self.free if c in self.parsed.raw.index]
        apart = {*details["traits"].values(), *levels}
        candidates = [c for c in self.free if c not in apart]
        if self.chosen is not None:
            columns = WideColumns(list(self.chosen), measure_of(self.chosen))
        else:
            self._check_measures(candidates, across)
            self._check_levels(candidates, across)
            columns = split_columns(self.parsed, candidates, what=f"{across}s")
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
        if self.parsed.is_numeric(task) and not self.parsed.is_distinct(task, *folds):
            texts = [c for c in self.free if self.parsed.is_text(c)]
            names = [c for c in texts if self.parsed.is_distinct(c, *folds)]
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
        texts = [c for c in self.free if self.parsed.is_text(c) and self.parsed.n_distinct(c) > 1]
        if self.found["algorithm"] is not None:
            texts = [c for c in texts if 2 * self.parsed.n_distinct(c) <= self.parsed.raw.n_rows]
        if texts and self.found["algorithm"] is None:
            retry = self._guess_from_texts(texts)
        elif not keys and not texts:
            retry = {"cluster": ROW}
        elif keys and (not texts or self.parsed.is_distinct(*keys)):
            retry = {"cluster": FILE}
            if not self.parsed.is_distinct(*keys):
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
        scores = [c for c in self.free if self.parsed.is_numeric(c) and not looks_like_trait(c)]
        if all(self.parsed.is_distinct(c) for c in texts):  # each row is something of its own
            measured = any(map(is_measure, scores))
            return {"algorithm": texts[0], "cluster": FILE} if measured else {}
        if len(texts) == 1:
            return {"cluster": texts[0]}
        if len(texts) > 2 or not self.parsed.is_distinct(*texts):
            return {}
        few, many = sorted(texts, key=self.parsed.n_distinct)
        if 2 * self.parsed.n_distinct(few) > self.parsed.raw.n_rows:
            return {}
        if len(scores) == 1:
            return {"algorithm": few, "task": many}
        # Cases and organs: what is nested belongs to the coarser, else to what stands first.
        return (
            {"cluster": few, "task": many}
            if self.parsed.determines(many, few)
            else {"cluster": texts[0], "task": texts[1]}
        )

    def _check_measures(self, candidates: Sequence[str], across: str) -> None:
        """Refuse a long table whose column of algorithms is not known, with a guess."""
        if across != "algorithm":
            return
        numeric = [c for c in candidates if len(self.parsed.numbers(c).known)]
        measures = [c for c in numeric if is_measure(c) and looks_like_trait(c) is not True]
        described = [c for c in numeric if is_statistic(c)]
        if 2 * len(described) > len(numeric):  # the mean, minimum and maximum of a time
            measures = described
        keys = [c for c in (self.found[r] for r in ("cluster", "task", "fold", "repeat")) if c]
        labels = (c for c in candidates if self.parsed.is_text(c) and self.parsed.n_distinct(c) > 1)
        repeated = not self.parsed.is_distinct(*keys)
        texts = list(islice(labels, _MOST_GUESSES)) if repeated or measures else []
        # Who has results on one task only cannot be compared.
        most = self.parsed.raw.n_rows / 2
        guesses = (c for c in texts if self.parsed.n_distinct(c) <= most)
        guess = next((c for c in guesses if self.parsed.is_distinct(*keys, c)), None)
        if repeated and guess is not None:
            raise ResultsError(
                f"{self.where}: no column is called as algorithms usually are; {quote(guess)} tells"
                f" the rows of a task apart ({self.parsed.n_distinct(guess):,} names)",
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
        if (
            across != "algorithm"
            or self.found["task"] is not None
            or self.parsed.is_distinct(*keys)
        ):
            return
        whole = (
            c for c in candidates if self.parsed.is_numeric(c) and not self.parsed.is_fractional(c)
        )
        level = next((c for c in whole if self.parsed.is_distinct(*keys, c)), None)
        if level is not None and self.parsed.n_distinct(level) <= self.parsed.raw.n_rows / 2:
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
            for cell in self.parsed.names(name):
                if cell is not None and cell[:1].isdigit():
                    return f"; {quote(name)} holds {quote(cell)}: write numbers without a word"
        return ""

    def _check_sides(self, scores: Sequence[str], across: str) -> None:
        """Refuse a table whose rows may be the algorithms, by their names or as none is known."""
        rows = self.found["cluster"]
        if across != "algorithm" or rows is None or rows in self.asked.values():
            return
        if self.parsed.is_numeric(rows):
            return
        distinct = [name for name in dict.fromkeys(self.parsed.names(rows)) if name is not None]
        in_rows, in_columns = methods_among(distinct[:_MOST_NAMES]), methods_among(scores)
        fewer = self.parsed.raw.n_rows < len(scores)
        unnamed = rows.strip() in UNNAMED
        if (in_rows > in_columns and (unnamed or in_rows > 0.5)) or (
            unnamed and fewer and in_rows == in_columns
        ):
            first = f"{quote(self.parsed.names(rows)[0])} … or {quote(scores[0])} …"
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


def _alias(column: str, aliases: Sequence[str]) -> str | None:
    """The usual name that a column goes by, also as TeamName or, in a corner, as Model/Dataset."""
    # Of two names in a corner that with an arrow down names the rows, else the first.
    down = re.search(r"([^/\\|()\[\]→]+?)[\s(\[]*↓", column)
    corner = down[1] if down else re.split(r"[/\\]", column)[0]
    forms = (column, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column), corner)
    return next((form for form in map(normalise, forms) if form in aliases), None)


_MOST_GUESSES, _MOST_NAMES = 50, 200


def _nearest(columns: Iterable[str], expected: Sequence[str]) -> str:
    for column in columns:
        hint = did_you_mean(normalise(column), expected[:3])
        if hint:
            return f" (is it {quote(column)}?)"
    return ""


def choose_score(parsed: ParsedTable, free: Sequence[str], found: dict[str, Any]) -> str:
    """Give the column of scores: known by name, or the only one with numbers."""
    usual = ALIASES["score"]
    known = [c for c in free if measure(c) in usual and len(parsed.numbers(c).known)]
    if len(known) == 1:
        return known[0]
    if known:
        own = [c for c in known if normalise(c) == usual[0]]
        if len(own) == 1:
            return own[0]
        known.sort(key=lambda column: (usual.index(measure(column)), _is_of_validation(column)))
        rest = ""
    else:
        known = [
            c
            for c in free
            if parsed.is_numeric(c)
            and not parsed.is_flag(c)
            and (looks_like_trait(c) is not True or lower_is_better(c))
            and not _is_trait_alias(c)
            and not _is_of_spread(c)
        ]
        if len(known) == 1:
            return known[0]
        known.sort(key=_unusual)
        usually = ", ".join(usual[:6])
        rest = f" (found {quote_list(parsed.raw.columns)}, expected one called {usually} …)"
    flags = [c for c in free if normalise(c) in CORRECT and parsed.is_flag(c)]
    status = found["status"]
    if not known and not flags and status is not None and parsed.is_flag(status):
        flags, found["status"] = [status], None
    if not known and len(flags) == 1:
        parsed.take_flags(flags[0])
        return flags[0]
    commas = [c for c in free if any(map(looks_like_decimal_comma, parsed.names(c)))]
    if not known and commas and parsed.decimal == ".":
        raise ResultsError(
            f"{parsed.raw.name}: no column holds the score: {quote(commas[0])} has decimal commas;"
            " say so",
            {"decimal": ","},
        )
    if not known:
        named = [c for c in free if measure(c) in usual]
        held = f"; {quote(named[0])} holds {quote(parsed.names(named[0])[0])}" if named else ""
        raise ResultsError(
            f"{parsed.raw.name}: no column holds the score: none has numbers in it{held}{rest}; say"
            " which with score=…"
        )
    raise ResultsError(
        f"{parsed.raw.name}: the column of the score could be {quote_list(known)}{rest}; say which",
        {"score": known[0]},
    )


def _is_of_validation(column: str) -> bool:
    """Whether a score is of the part by which one chooses: what counts is that of the test."""
    return "validation" in map(PARTS.get, normalise(column).split("_"))


# What a solver is judged by after its time.
_ASIDE = frozenset(("residual", "gap", "violation", "violations"))


def _unusual(column: str) -> tuple[int, bool, bool]:
    """The order of columns: time and rank only where nothing else is, one fold after the mean."""
    aside = 2 if _ASIDE & set(normalise(column).split("_")) else int(bool(looks_like_trait(column)))
    return aside, _is_of_fold(column), lower_is_better(column) is None


def _is_of_fold(column: str) -> bool:
    return re.search(r"(fold|split|resample)_?\d", normalise(column)) is not None


def _is_of_spread(column: str) -> bool:
    beside = stands_beside(column)
    return beside is not None and is_spread(beside[1])


def _is_trait_alias(column: str) -> bool:
    return any(normalise(column) in aliases for aliases in TRAITS.values())


Floats = npt.NDArray[np.float64]

# What is usually made small, and those who make it small: no more than a guess at what to type.
_MINIMISED = frozenset(("objective", "cost", "energy", "f", "fval", "fx", "fun", "value"))
_OPTIMISERS = frozenset(("optimizer", "optimiser", "solver", "heuristic"))


def meaning(
    raw: RawTable, roles: Roles, reading: Reading, score_name: str | None, values: Floats
) -> tuple[str, bool]:
    """What the scores measure, and whether less of it is better."""
    named = score_name or roles.score_name
    if named is None and (not roles.across or is_one_measure(roles)):
        named = roles.score if not roles.across else roles.columns[0]
    uncertain = None
    if named is None or measure(named) in GENERIC:
        of_file, uncertain = name_from_file(raw.stem)
        if of_file is uncertain is None:
            of_file, uncertain = name_from_file(raw.caption)
        outside = values[~np.isnan(values)]
        fits = not len(outside) or (outside.min() >= 0 and outside.max() <= 1)
        if named is None and are_ranks(values) and roles.across == "algorithm":
            named, uncertain = "rank", None
        elif named is None and of_file is not None and (fits or not is_bounded(of_file)):
            named = of_file
        elif of_file is not None and named is not None and lower_is_better(of_file):
            uncertain = of_file
        # Beside the best that is known stand costs or gains.
        uncertain = uncertain or next(filter(is_optimum, roles.left_out), None)
    named = named or "score"
    lower = reading.lower_is_better
    if lower is not None:
        return named, lower
    lower = lower_is_better(named)
    known = values[~np.isnan(values)]
    if lower and len(known) and (known <= 0).all() and (known < 0).any():
        raise ResultsError(
            f"{raw.name}: {quote(named)} is known as a loss, but all its values are negative; say"
            " which is better with lower_is_better=True or lower_is_better=False",
            {"lower_is_better": False},
        )
    if lower is None and (uncertain or measure(named) not in GENERIC):
        minimised = uncertain is not None or bool(set(normalise(named).split("_")) & _MINIMISED)
        # Programs are timed so: a list of them, each with mean, stddev, min and max.
        minimised |= is_statistic(named) and roles.cluster == FILE
        optimised = normalise(roles.algorithm or "").split("_")[0] in _OPTIMISERS
        raise ResultsError(
            f"{raw.name}: the name {quote(uncertain or named)} leaves open whether more or less of"
            " the score is better; say which with lower_is_better=True or lower_is_better=False",
            {"lower_is_better": minimised or optimised},
        )
    return named, bool(lower)


def is_one_measure(roles: Roles) -> bool:
    """Whether the only column of scores is called by the measure: it is one algorithm's."""
    return len(roles.columns) == 1 and measure(roles.columns[0]) in ALIASES["score"]


def check_range(
    raw: RawTable,
    values: Floats,
    rows: npt.NDArray[np.int64],
    score_name: str,
    scale: float,
    names: Sequence[str],
) -> None:
    if not is_bounded(score_name):
        return
    slack = 1e-9
    outside = (values < -slack) | (values > 1 + slack)
    if not outside.any():
        return
    first, column = (int(i) for i in np.argwhere(outside)[0])
    lowest, highest = np.nanmin(values), np.nanmax(values)
    per_cent = scale == 1.0 and lowest >= 0 and 1.5 < highest <= 100
    remedy = (
        "these look like per cent: divide by 100"
        if per_cent
        else "correct them, or call the score by another name with score_name=…"
    )
    raise ResultsError(
        f"{raw.row(rows[first])}, column {quote(names[column])}: {values[first, column]:g} lies"
        f" outside [0, 1], where {quote(score_name)} must be"
        f" ({count(outside.sum(), 'such cell')}, from {lowest:g} to"
        f" {highest:g}); {remedy}",
        {"scale": 0.01} if per_cent else None,
    )
