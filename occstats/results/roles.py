"""Assign a role to each column of a table: algorithm, dataset, task, score and so on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
    companion_of,
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
)
from occstats.results.cells import ParsedTable, looks_like_decimal_comma
from occstats.results.readers.frames import FILE, ROW, UNNAMED, RawTable
from occstats.results.reading import Reading
from occstats.results.wide import WideColumns, are_ranks, measure_of, split_columns

__all__ = ["Roles", "check_range", "find_roles", "meaning", "require"]

_KEYS = ("suite", "cluster", "task", "algorithm", "fold", "repeat")


@dataclass(frozen=True)
class Roles:
    """Columns of a table by role.

    In a wide table, ``across`` says what ``columns`` are, ``"algorithm"`` or ``"task"`` (as in a
    leaderboard); it is empty for a long table. ``suite`` is the column of groups of datasets.
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
        """Return the columns that identify a row."""
        parts = (getattr(self, role) for role in _KEYS)
        return list(dict.fromkeys(part for part in parts if part is not None))


def require(columns: Sequence[str], wanted: str, role: str, where: str) -> str:
    """Return a column that the user named, or raise an error that lists the columns."""
    if wanted in columns:
        return wanted
    raise ResultsError(
        f"{where}: there is no column {quote(wanted)}, given as {role}"
        f"{did_you_mean(wanted, columns)}; found {quote_list(columns)}"
    )


_NUMBERED = {"", "id", "index", "unnamed_0", "row", "no", "nr", "number"}


def find_roles(parsed: ParsedTable, reading: Reading) -> Roles:
    """Find the column for each role: as named by the user, else by name, type and values."""
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
    """Search for the columns of algorithms, datasets, tasks, folds and so on."""

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
        """Return the columns without a role so far."""
        taken = {*self.found.values(), *(self.chosen or ()), *self.traits_asked, FILE, ROW}
        return [column for column in self.columns if column not in taken]

    def find_keys(self) -> None:
        """Find the columns that identify a row."""
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
            if normalise(cluster) == "data" and fine:  # instances of a problem
                self.found.update(cluster=task, task=cluster)

    def _by_alias(self, role: str) -> str | None:
        aliases = ALIASES[role]
        called = {c: form for c in self.free if (form := _alias(c, aliases)) is not None}
        matches = list(called)
        if role in {"algorithm", "cluster", "task", "metric"}:
            # Names are never fractional numbers: those are scores of, say, Baseline.
            matches = [column for column in matches if not self.parsed.is_fractional(column)]
        if role == "status":
            words = SUCCEEDED | UNDEFINED_WORDS | FAILED_WORDS
            # A state may also be that of a country.
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
        # An ambiguous optional column is left for the user to name.
        if role in {"repeat", "status", "metric"}:
            return matches[0] if role == "repeat" else None
        matches.sort(key=lambda column: aliases.index(called[column]))
        if role == "algorithm":
            matches.sort(key=self._compares_nothing)
        retry = {role: matches[0]}
        if role == "task" and self.found["cluster"] is None and len(matches) == 2:
            # Functions and their instances: the column of text is the coarser one.
            coarse, fine = sorted(matches, key=lambda column: not self.parsed.is_text(column))
            retry = {"dataset": coarse, "task": fine}
        raise ResultsError(
            f"{self.where}: the {role} column could be {quote_list(matches)}; choose one",
            retry,
        )

    def _compares_nothing(self, column: str) -> bool:
        """Return True if a column has one name, or one per task, as the model of a problem has."""
        if self.parsed.n_distinct(column) == 1:
            return True
        tasks = [c for c in self.columns if _alias(c, (*ALIASES["task"], *ALIASES["cluster"]))]
        return any(self.parsed.determines(task, column) for task in tasks)

    def _is_part(self, column: str) -> bool:
        """Return True if a column distinguishes training from test scores."""
        names = {str(name).strip().casefold() for name in set(self.parsed.names(column))}
        if not names <= set(PARTS):
            return False
        if len(names) > 1:
            held = {str(name).strip().casefold(): name for name in self.parsed.names(column)}
            test = held.get("test", next(iter(held.values())))
            raise ResultsError(
                f"{self.where}: {quote(column)} separates training from test scores, which must not"
                " be averaged; keep one",
                {"where": [f"{column}={test}"]},
            )
        return True

    def _take_index(self, levels: Sequence[str]) -> None:
        """Take the levels of an unnamed index as dataset, task and seed, in this order."""
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
                f"{self.where}: the index level {quote_list([*text, *numeric])} has no role; keep"
                " one of its values, or pass task=…",
                {"where": [f"{c}={self.parsed.names(c)[0]}" for c in [*text, *numeric]]},
            )

    def row_names(self) -> str | None:
        """Return the column that names the rows by its position or as the only text."""
        algorithm = self.found["algorithm"]
        if algorithm is not None and self.parsed.is_distinct(algorithm):
            return None  # one row per algorithm: there is a single task
        first = self.columns[0] if self.columns else None
        # The index of a frame, saved as a column without a name.
        unnamed = first in self.free and first is not None and first.strip() in UNNAMED
        if unnamed and first is not None and not self.parsed.is_numeric(first):
            return first
        texts = [c for c in self.free if self.parsed.is_text(c) and self.parsed.n_distinct(c) > 1]
        if algorithm is not None:  # tasks of one algorithm, such as dates, cannot be compared
            texts = [c for c in texts if 2 * self.parsed.n_distinct(c) <= self.parsed.raw.n_rows]
        keys = [c for c in (algorithm, self.found["fold"], self.found["repeat"]) if c]
        if len(texts) == 1 and self.parsed.is_distinct(texts[0], *keys):
            return texts[0]
        # Without text, integers name the rows: a counter, or IDs as those of OpenML.
        numbered = [c for c in self.free if normalise(c) in _NUMBERED and not texts]
        whole = [c for c in numbered if not self.parsed.is_fractional(c)]
        return whole[0] if whole and self.parsed.is_distinct(whole[0], *keys) else None

    def is_leaderboard(self) -> bool:
        """Return True if rows are algorithms and columns are tasks."""
        algorithm = self.found["algorithm"]
        if algorithm is None or any(self.found[r] for r in ("cluster", "task", "fold", "metric")):
            return False
        if "score" in self.asked or not self.parsed.is_distinct(algorithm):
            return False
        numeric = [c for c in self.free if self.parsed.is_numeric(c)]
        tasks = [c for c in numeric if looks_like_trait(c) is not True]
        # Accuracy, F1 and AUC of each algorithm are measures on one task.
        measures = [c for c in tasks if is_measure(c)]
        return len(tasks) >= 2 and 2 * len(measures) < len(tasks)

    def long(self) -> Roles:
        """Return the roles of a long table, with one score per row."""
        if self.found["score"] is None:
            self.found["score"] = choose_score(self.parsed, self.free, self.found)
        self._need_task()
        return Roles(**self.found, **self._traits())

    def wide(self, across: str) -> Roles:
        """Return the roles of a wide table, with the scores of a row side by side."""
        found = self.found
        found["score"] = None
        if across == "task":
            found["metric"] = None
            if found["algorithm"] is None:
                rows = (self.row_names(), found["cluster"], found["task"])
                found["algorithm"] = next((name for name in rows if name is not None), None)
            if found["suite"] is not None:
                raise ResultsError(
                    f"{self.where}: cluster names a column of suites, {quote(found['suite'])}, but"
                    " here the columns are the tasks; give the table with tasks as rows"
                )
            found["cluster"] = found["task"] = None
            if found["algorithm"] is None:
                raise ResultsError(
                    f"{self.where}: transpose=True takes rows as algorithms, but no column names"
                    f" them; pass algorithm=… (found {quote_list(self.columns)})"
                )
        else:
            found["algorithm"] = None
            self._name_rows()
            self._need_task()
            for column in (found["cluster"], found["task"]):
                if column is not None:
                    self.parsed.require_names(column)
        details = self._traits()
        # A level of an index is never an algorithm.
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
        """Take the only text that names every row as the dataset, not a number ``class``."""
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
            retry = {"dataset": ROW}
        elif keys and (not texts or self.parsed.is_distinct(*keys)):
            retry = {"dataset": FILE}
            if not self.parsed.is_distinct(*keys):
                retry["duplicates"] = "average"
        usual = ALIASES["cluster"]
        alike = (c for c in self.columns if did_you_mean(normalise(c), usual[:3]))
        near = f" (did you mean {quote(close)}?)" if (close := next(alike, None)) else ""
        raise ResultsError(
            f"{self.where}: no column holds the dataset or task{near}; found"
            f" {quote_list(self.columns)}, expected a name such as"
            f" {', '.join(usual[:6])}; pass cluster=…"
            " ('@file' for the name of the file, '@row' for each row)",
            retry,
        )

    def _guess_from_texts(self, texts: Sequence[str]) -> dict[str, Any]:
        """Guess the roles of columns of text."""
        scores = [c for c in self.free if self.parsed.is_numeric(c) and not looks_like_trait(c)]
        if all(self.parsed.is_distinct(c) for c in texts):  # each row is unique
            measured = any(map(is_measure, scores))
            return {"algorithm": texts[0], "dataset": FILE} if measured else {}
        if len(texts) == 1:
            return {"dataset": texts[0]}
        if len(texts) > 2 or not self.parsed.is_distinct(*texts):
            return {}
        few, many = sorted(texts, key=self.parsed.n_distinct)
        if 2 * self.parsed.n_distinct(few) > self.parsed.raw.n_rows:
            return {}
        if len(scores) == 1:
            return {"algorithm": few, "task": many}
        # Nested columns give dataset and task; otherwise the first one is the dataset.
        return (
            {"dataset": few, "task": many}
            if self.parsed.determines(many, few)
            else {"dataset": texts[0], "task": texts[1]}
        )

    def _check_measures(self, candidates: Sequence[str], across: str) -> None:
        """Refuse a long table without a known column of algorithms, and suggest one."""
        if across != "algorithm":
            return
        numeric = [c for c in candidates if len(self.parsed.numbers(c).known)]
        measures = [c for c in numeric if is_measure(c) and looks_like_trait(c) is not True]
        described = [c for c in numeric if is_statistic(c)]
        if 2 * len(described) > len(numeric):  # mean, minimum and maximum of a time
            measures = described
        keys = [c for c in (self.found[r] for r in ("cluster", "task", "fold", "repeat")) if c]
        labels = (c for c in candidates if self.parsed.is_text(c) and self.parsed.n_distinct(c) > 1)
        repeated = not self.parsed.is_distinct(*keys)
        texts = list(islice(labels, _MOST_GUESSES)) if repeated or measures else []
        # Algorithms with results on a single task cannot be compared.
        most = self.parsed.raw.n_rows / 2
        guesses = (c for c in texts if self.parsed.n_distinct(c) <= most)
        guess = next((c for c in guesses if self.parsed.is_distinct(*keys, c)), None)
        if repeated and guess is not None:
            raise ResultsError(
                f"{self.where}: no column has a usual name for algorithms; {quote(guess)}"
                f" ({self.parsed.n_distinct(guess):,} names) distinguishes the rows of a task",
                {"algorithm": guess, **({"score": measures[0]} if len(measures) == 1 else {})},
            )
        if measures and len(numeric) > 1:
            retry = {"algorithm": texts[0]} if len(texts) == 1 else {}
            if self.guessed is not None and not texts:
                retry = {"algorithm": self.guessed, "dataset": FILE}
            raise ResultsError(
                f"{self.where}: no column names the algorithm, and {quote_list(measures)} are"
                " measures, not algorithms; name the column of algorithms with algorithm=…, or, if"
                f" all rows are of one algorithm, its score with score={quote(measures[0])}",
                retry,
            )

    def _check_levels(self, candidates: Sequence[str], across: str) -> None:
        """Refuse integers that distinguish the rows of a dataset, as forecast horizons do."""
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
                f"{self.where}: {quote(level)} distinguishes the rows of"
                f" {quote(self.found['cluster'])}; it may be the task",
                {"task": level},
            )

    def _check_some(self, columns: WideColumns, across: str) -> None:
        if columns.scores:
            return
        raise ResultsError(
            f"{self.where}: no column of algorithms, and no column of numbers that could be one;"
            f" found {quote_list(self.columns)}{self._held(columns)}; pass algorithm=…"
            if across == "algorithm"
            else f"{self.where}: no column of numbers that could be a task; found"
            f" {quote_list(self.columns)}{self._held(columns)}"
        )

    def _held(self, columns: WideColumns) -> str:
        """Quote a cell of text that begins with a number, such as 12 ms."""
        texts = [name for name, why in columns.left_out.items() if why == "text"]
        for name in texts:
            for cell in self.parsed.names(name):
                if cell is not None and cell[:1].isdigit():
                    return f"; {quote(name)} contains {quote(cell)}: write numbers without units"
        return ""

    def _check_sides(self, scores: Sequence[str], across: str) -> None:
        """Refuse a table whose rows, rather than columns, may be the algorithms."""
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
                f"{self.where}: algorithms may be the rows or the columns ({first}); if they are"
                f" the columns, {other}; if they are the rows, transpose the table",
                {"transpose": True},
            )

    def _traits(self) -> dict[str, Any]:
        traits: dict[str, str] = {}
        for name, aliases in TRAITS.items():
            for column in self.free:
                # Single letters are case-sensitive, because N or M may be an algorithm.
                known = column if len(column) == 1 else normalise(column)
                if known in aliases and name not in traits:
                    traits[name] = column
        for column in self.traits_asked:
            traits = {trait: used for trait, used in traits.items() if used != column}
            traits[column] = column
        return {"traits": traits, "asked_traits": tuple(self.traits_asked)}


def _alias(column: str, aliases: Sequence[str]) -> str | None:
    """Return the alias of a column, also for names such as TeamName or Model/Dataset."""
    # Of two names in the corner of a table, the one with ↓ or else the first names the rows.
    down = re.search(r"([^/\\|()\[\]→]+?)[\s(\[]*↓", column)
    corner = down[1] if down else re.split(r"[/\\]", column)[0]
    forms = (column, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", column), corner)
    return next((form for form in map(normalise, forms) if form in aliases), None)


_MOST_GUESSES, _MOST_NAMES = 50, 200


def choose_score(parsed: ParsedTable, free: Sequence[str], found: dict[str, Any]) -> str:
    """Return the column of scores: known by name, or the only one with numbers."""
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
            and not any(normalise(c) in aliases for aliases in TRAITS.values())
            and not _is_of_spread(c)
        ]
        if len(known) == 1:
            return known[0]
        known.sort(key=_unusual)
        usually = ", ".join(usual[:6])
        rest = f" (found {quote_list(parsed.raw.columns)}, expected a name such as {usually})"
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
            f"{parsed.raw.name}: no column holds the score: {quote(commas[0])} has decimal commas",
            {"decimal": ","},
        )
    if not known:
        named = [c for c in free if measure(c) in usual]
        held = f"; {quote(named[0])} contains {quote(parsed.names(named[0])[0])}" if named else ""
        raise ResultsError(
            f"{parsed.raw.name}: no column holds the score: none contains numbers{held}{rest}; pass"
            " score=…"
        )
    raise ResultsError(
        f"{parsed.raw.name}: the score column could be {quote_list(known)}{rest}; choose one",
        {"score": known[0]},
    )


def _is_of_validation(column: str) -> bool:
    return "validation" in map(PARTS.get, normalise(column).split("_"))


# Measures of a solver that are secondary to its time.
_ASIDE = frozenset(("residual", "gap", "violation", "violations"))


def _unusual(column: str) -> tuple[int, bool, bool]:
    """Sort times and ranks after other measures, and single folds after the mean."""
    name = normalise(column)
    aside = 2 if _ASIDE & set(name.split("_")) else int(bool(looks_like_trait(column)))
    of_fold = re.search(r"(fold|split|resample)_?\d", name) is not None
    return aside, of_fold, lower_is_better(column) is None


def _is_of_spread(column: str) -> bool:
    beside = companion_of(column)
    return beside is not None and is_spread(beside[1])


Floats = npt.NDArray[np.float64]

# Usual names of what is minimised, and of what minimises it; used for suggestions only.
_MINIMISED = frozenset(("objective", "cost", "energy", "f", "fval", "fx", "fun", "value"))
_OPTIMISERS = frozenset(("optimizer", "optimiser", "solver", "heuristic"))


def meaning(
    raw: RawTable, roles: Roles, reading: Reading, score_name: str | None, values: Floats
) -> tuple[str, bool]:
    """Return what the scores measure, and whether lower is better."""
    named = score_name or roles.score_name
    if named is None and not roles.across:
        named = roles.score
    elif (
        named is None and len(roles.columns) == 1 and measure(roles.columns[0]) in ALIASES["score"]
    ):
        named = roles.columns[0]
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
        # A column of best known values suggests costs or gains.
        uncertain = uncertain or next(filter(is_optimum, roles.left_out), None)
    named = named or "score"
    lower = reading.lower_is_better
    if lower is not None:
        return named, lower
    lower = lower_is_better(named)
    known = values[~np.isnan(values)]
    if lower and len(known) and (known <= 0).all() and (known < 0).any():
        raise ResultsError(
            f"{raw.name}: {quote(named)} is a loss by its name, but its values are negative; pass"
            " lower_is_better=True or lower_is_better=False",
            {"lower_is_better": False},
        )
    if lower is None and (uncertain or measure(named) not in GENERIC):
        minimised = uncertain is not None or bool(set(normalise(named).split("_")) & _MINIMISED)
        # Benchmarks of programs list mean, stddev, min and max of their times.
        minimised |= is_statistic(named) and roles.cluster == FILE
        optimised = normalise(roles.algorithm or "").split("_")[0] in _OPTIMISERS
        raise ResultsError(
            f"{raw.name}: the name {quote(uncertain or named)} does not show whether a higher or a"
            " lower score is better; pass lower_is_better=True or lower_is_better=False",
            {"lower_is_better": minimised or optimised},
        )
    return named, bool(lower)


def check_range(
    raw: RawTable,
    values: Floats,
    rows: npt.NDArray[np.int64],
    score_name: str,
    scale: float,
    names: Sequence[str],
) -> None:
    """Refuse scores outside [0, 1] if the measure is bounded."""
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
        "these look like percentages: divide by 100"
        if per_cent
        else "correct them, or rename the score with score_name=…"
    )
    raise ResultsError(
        f"{raw.row(rows[first])}, column {quote(names[column])}: {values[first, column]:g} lies"
        f" outside [0, 1], the range of {quote(score_name)}"
        f" ({count(outside.sum(), 'such cell')}, from {lowest:g} to"
        f" {highest:g}); {remedy}",
        {"scale": 0.01} if per_cent else None,
    )
