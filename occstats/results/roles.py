"""Assign a role to each column, as told or by convention; refuse what follows none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, did_you_mean, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import (
    ENDINGS,
    GENERIC,
    NAMES,
    STATUS,
    Measure,
    is_index,
    is_quantity,
    is_size,
    is_spread,
    is_summary,
    is_time,
    measure,
    measures_in,
    normalise,
    shared_measure,
    state_of,
    trait_names,
)
from occstats.results.ask import (
    BLANK,
    Blank,
    UnclearTableError,
    check_text,
    differing,
    holds_names,
    tell_apart,
)
from occstats.results.cells import Numbers
from occstats.results.readers.frames import FILE, ROW, RawTable
from occstats.results.reading import Reading

__all__ = ["Roles", "extract", "find_roles", "is_own", "require"]

Floats = npt.NDArray[np.float64]

# Names of tasks and algorithms of a saved table of this package.
_OWN = {"task": "class", "algorithm": "descriptor"}
_SHOWN = 5
_MOST_MEASURES = 500


@dataclass(frozen=True)
class Roles:
    """Columns of a table by role.

    In a wide table, ``across`` says what ``columns`` are, ``"algorithm"`` or ``"task"`` (as in a
    leaderboard), and ``labels`` are their names; both are empty for a long table.
    """

    suite: str | None = None
    dataset: str | None = None
    task: str | None = None
    algorithm: str | None = None
    score: str | None = None
    fold: str | None = None
    repeat: str | None = None
    status: str | None = None
    metric: str | None = None
    traits: Mapping[str, str] = field(default_factory=dict)
    across: str = ""
    columns: Sequence[str] = ()
    labels: Sequence[str] = ()
    score_name: str = "score"
    lower: bool = False
    unused: Sequence[str] = ()


def require(columns: Sequence[str], wanted: str, role: str, where: str) -> None:
    """Refuse a column that the user named but the table lacks, with a list of the columns."""
    if wanted not in columns:
        hint = did_you_mean(wanted, columns)
        if role == "algorithm" and {part.strip() for part in wanted.split(",")} <= {*columns}:
            hint = " (name several columns one by one)"
        raise ResultsError(
            f"{where}: there is no column {quote(wanted)}, given as {role}{hint}; found"
            f" {quote_list(columns)}"
        )


def extract(pattern: str, name: str, option: str) -> tuple[str, str]:
    """Return what a pattern finds in a name (its first group, if it has one), and the rest.

    >>> extract(r"^[^/]+", "ett/H", "dataset_from"), extract(r"(.*)_acc", "SVM_acc", "x")
    (('ett', '/H'), ('SVM', '_acc'))
    """
    found = re.search(pattern, name)
    group = 1 if found is not None and found.re.groups else 0
    if found is None or not found[group]:
        raise ResultsError(
            f"{option}: the pattern {quote(pattern)} finds nothing in {quote(name)}; it must match"
            " all names"
        )
    start, end = found.span(group)
    return found[group], name[:start] + name[end:]


def is_own(raw: RawTable) -> bool:
    """Return True for a table as ``occstats run`` writes it."""
    return {"dataset", "class", "descriptor"} <= set(raw.columns)


def find_roles(raw: RawTable, reading: Reading, *, alone: bool = True) -> Roles:
    """Find the column for each role; ``alone`` if there is no other source."""
    return _Finder(raw, reading, alone).find()


class _Finder:
    """Collect the roles of a table, and what is unclear about them."""

    def __init__(self, raw: RawTable, reading: Reading, alone: bool) -> None:
        self.raw, self.reading, self.alone = raw, reading, alone
        self.columns = [c for c in raw.columns if c not in reading.ignore]
        held = {*self.columns, FILE, ROW}
        self.told = {role: c for role, c in reading.columns.items() if c in held}
        if self.told.get("task") == self.told.get("dataset"):
            self.told.pop("task", None)
        self.found: dict[str, str] = dict(self.told)
        self.listed_traits = trait_names(self.columns)
        self.traits = {self.listed_traits.get(c, c): c for c in reading.traits if c in held}
        long = {"algorithm", "score"} & set(self.told)
        self.across = [] if long else [c for c in reading.algorithms if c in self.columns]
        self.naming: list[str] = []  # columns that may name the rows
        self.problems: list[str] = []
        self.template: dict[str, Any] = {}

    def unclear(self, problem: str, **template: Any) -> None:
        """Record a problem and the options that would solve it; None is a blank."""
        self.problems.append(problem)
        for name, given in template.items():
            value = BLANK[name] if given is None else given
            if name in {"ignore", "where"}:
                values = [value] if isinstance(value, str) else value
                self.template[name] = list(dict.fromkeys([*self.template.get(name, ()), *values]))
            else:
                self.template.setdefault(name, value)

    def check(self) -> None:
        """Refuse the table if anything is unclear."""
        if self.problems:
            order = [*BLANK, *self.template]
            told = {*self.reading.told} - {"ignore", "where"}
            template = {
                name: value
                for name in order
                if (value := self.template.get(name)) is not None
                and not (name in told and value == BLANK.get(name))
            }
            raise UnclearTableError(self.raw, self.problems, template, self.found)

    @property
    def free(self) -> list[str]:
        """Return the columns without a role so far."""
        taken = {*self.found.values(), *self.traits.values(), *self.across}
        return [column for column in self.columns if column not in taken]

    @property
    def keyed(self) -> bool:
        """Return True if there is a dataset or a task."""
        return "dataset" in self.found or "task" in self.found

    @property
    def scores(self) -> list[str]:
        """Return the numeric columns that may be scores."""
        return [
            c
            for c in self.free
            if self.raw.is_numeric(c)
            and c not in self.listed_traits
            and not (is_spread(c) or is_time(c) or is_index(c))
        ]

    # -- form and keys -----------------------------------------------------------------------------

    def find(self) -> Roles:
        """Return the roles, or raise an error that says what is unclear."""
        found, reading = self.found, self.reading
        if self.columns and all(map(_is_number, self.columns)):
            raise ResultsError(
                f"{self.raw.name}: the first row holds numbers, not names of columns; add a row of"
                " column names"
            )
        for role in ("dataset", "task", "algorithm", "fold", "repeat"):
            self._by_name(role)
        across, chosen = self._form()
        across = self._check_keys(across)
        free = set(self.free)
        for column, name in self.listed_traits.items():
            if column in free and name not in self.traits and self.raw.is_numeric(column):
                self.traits[name] = column
        metric = self._metric()
        status = self._status()
        if across:
            columns = chosen or self._wide_columns(across)
            named = reading.metric or shared_measure(columns)
            if named is None and len(columns) == 1 and measure(columns[0])[0]:
                named = columns[0]
        else:
            found["score"] = score = self._score()
            columns = chosen = [score]
            named = score if measure(score)[0] else reading.metric or metric or score
        sure = bool(across or "score" in self.told or is_own(self.raw))
        for column in chosen:
            self._check_numbers(column, sure=sure)
        numbers = [self.raw.numbers(column).values for column in columns]
        values = np.column_stack(numbers) if numbers else np.empty((self.raw.n_rows, 0))
        name, lower = self._direction(reading.score_name or named or "", values, columns, across)
        tasks = chosen or reading.transpose or reading.score_name or measures_in(name)
        if across == "task" and columns and not tasks:
            # Measures that are not listed look like tasks.
            shown = quote_list(columns, limit=3)
            self.unclear(f"are {shown} tasks (transpose=True), or measures?", transpose=None)
        asked = "algorithm" in self.template
        if across == "algorithm" and not (self.alone or tasks or asked) and columns[1:]:
            # As may those of the files of one algorithm each.
            shown = quote_list(columns, limit=3)
            self.unclear(
                f"are {shown} algorithms, or measures of the algorithm of the file?",
                algorithms=Blank(BLANK["algorithms"], algorithm=FILE, score="COLUMN"),
            )
        if status is not None and values.size:
            self._check_status(status, values)
        for role in ("algorithm", "dataset", "task"):
            self._check_labels(role)
        self.check()
        used = {*found.values(), *self.traits.values(), *columns}
        return Roles(
            **found,
            traits=self.traits,
            across=across,
            columns=columns if across else (),
            labels=self._labels(across, columns) if across else (),
            score_name=name,
            lower=lower,
            unused=[c for c in self.columns if c not in used],
        )

    def _form(self) -> tuple[str, list[str]]:
        """Return what the columns of a wide table are, "" for a long one, and those told."""
        reading = self.reading
        tasks = () if isinstance(reading.task, str | None) else reading.task
        if reading.transpose or tasks:
            return "task", [c for c in tasks if c in self.columns]
        if self.across:
            return "algorithm", self.across
        pattern = None if {"algorithm", "score"} & set(self.told) else reading.algorithm_from
        if pattern is not None and not self._from_file():
            return "algorithm", [c for c in self.free if re.search(pattern, c)]
        if "score" in self.told or self._is_long():
            return "", []
        if "algorithm" in self.found:
            return "task", []
        text = [c for c in self.free if not self.raw.is_numeric(c)]
        if not self.keyed and not any(map(is_size, self.free)) and len(text) != 1:
            self.unclear(
                "no column is named as a dataset, task or algorithm",
                algorithm=None,
                transpose=Blank("True", dataset="COLUMN", score="COLUMN"),
                lower_is_better=None,
            )
            self.check()
        return "algorithm", []

    def _from_file(self) -> bool:
        """Return True if the file, not a column, is an algorithm."""
        scores = self.scores
        named = len(scores) == 1 and (measure(scores[0])[0] or normalise(scores[0]) in GENERIC)
        return not self.alone and bool(named)

    def _is_long(self) -> bool:
        if "algorithm" not in self.found:
            return self.keyed and self._from_file()
        if self.keyed or (not self.alone and len(self.scores) == 1):
            return True
        # One row of measures per algorithm, or several rows per algorithm, is no leaderboard.
        scores = [c for c in self.scores if not _reason_against(c)]
        return len(self.raw.names(self.found["algorithm"])) < self.raw.n_rows or (
            all(measure(c)[0] or is_quantity(c) for c in scores)
        )

    def _by_name(self, role: str) -> None:
        """Find the column of a role in the list of its names; fractions are no names."""
        if role in self.found:
            return
        names = set(NAMES[role])
        plain = {normalise(column) for column in self.columns}
        if role in _OWN and "dataset" in self.found and (role == "task" or "class" in plain):
            names.add(_OWN[role])
        matches = [
            c
            for c in self.free
            if normalise(c) in names
            and (role in {"fold", "repeat"} or not self.raw.is_fractional(c))
        ]
        if len(matches) > 1:
            self.unclear(f"the {role} could be {quote_list(matches)}", **{role: None})
        elif matches:
            self.found[role] = matches[0]

    def _check_keys(self, across: str) -> str:
        """Complete the keys of the form, which may be a leaderboard after all; return the form."""
        found, named = self.found, "no column is named as the algorithm"
        if across == "task":
            for role in ("dataset", "task", "suite"):
                column = found.pop(role, None)
                if column is not None and role in self.told:
                    raise ResultsError(
                        f"{self.raw.name}: columns are tasks here, so {role}={quote(column)}"
                        " cannot be used; pass dataset_from=… for the datasets"
                    )
                if column is not None:
                    found.setdefault("algorithm", column)
            if "algorithm" not in found:
                self.unclear(named, algorithm=None)
            return across
        if across and not self.keyed and any(map(is_size, self.free)):
            # Rows with sizes, FLOPs or parameters are models.
            sets = self._identify([c for c in self.free if holds_names(self.raw, c)])
            self.naming = sets[0] if len(sets) == 1 else []
            self.unclear(named, algorithm=self.naming or None, transpose=None)
            return "task"
        if across:
            found.pop("algorithm", None)
        elif "algorithm" not in found:
            if self.alone and self.reading.algorithm_from is None:
                self.unclear(named, algorithm=None)
            elif self.reading.algorithm_from is None or "task" not in found:
                found["algorithm"] = FILE
        if not self.keyed and not self.alone and "algorithm" in found:
            found["dataset"] = FILE
        elif not self.keyed:
            self._ask_dataset(likely=self._likely_dataset() if "algorithm" in found else {})
        return across

    def _ask_dataset(self, likely: dict[str, str]) -> None:
        problem = "no column is named as a dataset or task"
        if likely:
            column = likely["dataset"]
            grouped = "task" in likely and self.raw.groups(column, likely["task"])
            within = ", constant within tasks" if grouped else ""
            n_values = count(len(self.raw.names(column)), "value")
            problem += f"; {quote(column)} ({n_values}{within}) is not used. Is it the dataset?"
        elif "algorithm" in self.found:
            problem += " (if the file is one dataset, pass dataset='@file')"
        elif not self.alone:
            problem += " (if the files are repeats, pass repeat='@file')"
        template: dict[str, Any] = {**likely} or {"dataset": None}
        if "algorithm" not in self.found and self.alone:
            template = {"dataset": Blank("COLUMN", algorithm="COLUMN", transpose=True)}
        self.unclear(problem, **template)

    def _likely_dataset(self) -> dict[str, str]:
        """Return the columns of text that identify the rows of an algorithm, if it is clear."""
        keys = [self.found[role] for role in ("algorithm", "fold", "repeat") if role in self.found]
        text = [
            c
            for c in self.free
            if self.raw.groups(c) and normalise(c) not in STATUS and self.raw.is_shared(c, keys[0])
        ]
        sets = self._identify(text, keys)
        if len(sets) != 1:
            return {}
        (task,), others = sets[0][:1], sets[0][1:]
        if not others:
            groups = [c for c in text if c != task and self.raw.groups(c, task)]
            if len(groups) == 1:
                return {"dataset": groups[0], "task": task}
            return {} if groups else {"dataset": task}
        classes = [c for c in sets[0] if normalise(c) == "class"]
        datasets = [c for c in sets[0] if c not in classes]
        if len(classes) == len(datasets) == 1:
            return {"dataset": datasets[0], "task": classes[0]}
        return {}

    def _identify(self, columns: Sequence[str], keys: Sequence[str] = ()) -> list[list[str]]:
        """Return the smallest sets of columns that identify the rows, together with the keys."""
        codes = pd.DataFrame({c: self.raw.codes(c)[0] for c in (*keys, *columns)})
        for several in range(1, 1 + min(len(columns), 3 if len(columns) < 8 else 1)):
            sets = [
                [*chosen]
                for chosen in combinations(columns, several)
                if not codes.duplicated([*keys, *chosen]).any()
            ]
            if sets:
                return sets
        return []

    # -- scores ------------------------------------------------------------------------------------

    def _score(self) -> str:
        """Return the score of a long table: as told, the only column of numbers or only time."""
        scores = self.scores
        times = [c for c in self.free if self.raw.is_numeric(c) and is_time(c)]
        if "score" in self.found:
            return self.found["score"]
        if is_own(self.raw) and "auroc" in scores:
            return "auroc"
        if is_own(self.raw) and {"auroc", "status"} <= set(self.free):
            failed = int(self.raw.frame["status"].isin(["failed", "timeout"]).sum())
            raise ResultsError(
                f"{self.raw.name}: auroc is empty: {failed} of {count(len(self.raw.frame), 'fit')} "
                "failed; the column error has the reasons"
            )
        if len(only := scores or times) == 1 and measure(only[0])[1] != "train":
            return only[0]
        check_text(self.raw, [c for c in self.free if measure(c)[0] or not scores])
        blanks = ["score"]
        if self.reading.lower_is_better is None and not all(measure(c)[0] for c in scores):
            blanks.append("lower_is_better")
        told = self.reading.score
        if told is not None:
            blanks = []
            self.unclear(f"no column is named {quote(told)} as in another file; rename the score")
        self.unclear("which column is the score?", **dict.fromkeys(blanks))
        self._tell_rows_apart()
        self.check()
        return ""

    def _tell_rows_apart(self) -> None:
        """Propose the column in which rows of one task and algorithm differ."""
        roles = ("algorithm", "dataset", "task", "fold", "repeat")
        keys = [self.found[role] for role in roles if role in self.found]
        if not self.keyed or "algorithm" not in self.found or "where" in self.template:
            return
        frame = pd.DataFrame({key: self.raw.codes(key)[0] for key in keys})
        cells = frame.groupby(keys, sort=False).ngroup().to_numpy().astype(np.int64)
        rows = np.arange(self.raw.n_rows)
        columns = [c for c in self.free if normalise(c) not in STATUS]
        found = differing(self.raw, cells, rows, columns) if frame.duplicated().any() else {}
        if found:
            names = quote_list(found, limit=_SHOWN)
            proposed = tell_apart(self.raw, cells, rows, found, self.found["algorithm"])
            self.unclear(f"rows of one task and algorithm differ in {names}", **proposed)

    def _metric(self) -> str | None:
        """Find a column of measures, which must be one measure; return its name."""
        wanted = self.reading.metric
        for column in self.free:
            names = [] if self.raw.is_numeric(column) else self.raw.names(column)
            called = normalise(column) in NAMES["metric"]
            if not names or not (called or all(measure(name)[0] for name in names)):
                continue
            if measure(self.told.get("score", ""))[0]:
                return None  # the column of a measure needs no metric
            self.found["metric"] = column
            if wanted is not None and wanted not in names:
                raise ResultsError(
                    f"{self.raw.name}, column {quote(column)}: no row has the metric"
                    f" {quote(wanted)}{did_you_mean(wanted, names)}; found {quote_list(names)}"
                )
            if len(names) > 1 and wanted is None and not self.raw.mixed:
                self.unclear(
                    f"{quote(column)} names {len(names)} measures ({quote_list(names, limit=4)}),"
                    " which cannot be compared with each other",
                    where=[Blank(f"{column}=VALUE")],
                )
            return wanted or (names[0] if len(names) == 1 else None)
        if wanted is not None:
            raise ResultsError(
                f"{self.raw.name}: metric={quote(wanted)}, but no column names the measure of a row"
            )
        return None

    def _check_numbers(self, score: str, *, sure: bool) -> None:
        """Take True and False as numbers; ask about a constant, unless it is surely the score."""
        if not self.raw.is_numeric(score) and self.raw.is_flag(score):
            self.raw.take_flags(score)
        known = self.raw.numbers(score).known
        if not sure and len(known) > 2 and np.ptp(known) == 0:
            self.unclear(f"all values of {quote(score)} are {known[0]:g}", score=None)

    def _labels(self, across: str, columns: Sequence[str]) -> list[str]:
        pattern = self.reading.algorithm_from
        if across == "task" or pattern is None:
            return list(columns)
        labels = [extract(pattern, column, "algorithm_from")[0] for column in columns]
        if len(labels) < 2 or len(set(labels)) < len(labels):
            raise ResultsError(
                f"{self.raw.name}: algorithm_from={quote(pattern)} finds"
                f" {quote_list(labels) or 'nothing'} in the names of the columns, which must be"
                " several different names"
            )
        return labels

    def _wide_columns(self, across: str) -> list[str]:
        """Return the columns of scores; refuse those that may be something else."""
        raw = self.raw
        keyed = self.keyed or "algorithm" in self.found
        others = [c for c in self.free if c not in raw.index and c not in self.naming]
        numeric = [c for c in others if raw.is_numeric(c)]
        # One value for all rows, as of rows that were kept, does not matter.
        text = [c for c in others if c not in numeric and (raw.n_rows == 1 or raw.names(c)[1:])]
        columns = [
            c
            for c in numeric
            if c not in self.listed_traits and not (is_index(c) and not raw.is_fractional(c))
        ]
        check_text(raw, text if keyed or len(text) > 1 else ())
        if not columns:
            self.unclear(f"no column holds the scores of {across}s", score=None, algorithm=None)
            return columns
        never = {c: reason for c in columns if (reason := _reason_against(c))}
        rest = [c for c in columns if c not in never]
        numbers = {c: raw.numbers(c) for c in rest}
        never |= _combinations(numbers) | _of_another_measure(rest)
        rest = [c for c in rest if c not in never]
        if text and (keyed or len(text) > 1):
            self.unclear(
                f"{quote_list(text, limit=_SHOWN)} {'hold' if len(text) > 1 else 'holds'} text"
                f"{': keep one value with where=…, or ignore it' if keyed else ''}",
                ignore=text if shared_measure(rest) else None,
            )
        for reason in dict.fromkeys(never.values()):
            those = [column for column in never if never[column] == reason]
            verb = "are" if those[1:] else "is"
            self.unclear(f"{_not_a(those, verb, reason, across)}", ignore=those)
        measures = [c for c in rest if measure(c)[0] or is_quantity(c)]
        named: list[str] = []
        if shared_measure(rest) is None or len(rest) == 1:
            named = [c for c in rest if measures_in(c)]
            named = named or (measures if len(measures) == len(rest) else [])
        if named:
            blanks: dict[str, Any] = {"score": None}
            if "algorithm" not in self.found:
                blanks["algorithm"] = None if self.alone or not self.keyed else FILE
            verb, what = ("are", "measures") if named[1:] else ("is", "a measure")
            self.unclear(_not_a(named, verb, what, across), **blanks)
            return rest
        doubtful = _doubtful({c: numbers[c] for c in rest})
        listed = {c for found in doubtful.values() for c in found}
        quantities = [c for c in measures if c not in listed]
        if quantities and shared_measure(rest) is None:
            doubtful["by the name"] = quantities
        traits = [c for c in self.traits.values() if normalise(c) not in {"n", "m", "sparsity"}]
        if across == "algorithm" and traits and not self.reading.traits:
            known = self.reading.score_name or self.reading.metric or shared_measure(rest)
            bounds = measure(known or shared_measure([raw.stem]) or "")[0]
            if bounds is None or not np.isfinite([bounds.low, bounds.high]).all():
                shown = quote_list(traits, limit=3)
                self.unclear(f"which columns beside {shown} are algorithms?", algorithms=None)
        for reason, found in doubtful.items():
            self.unclear(
                f"{quote_list(found, limit=_SHOWN)} may not be {_one_or_several(across, found)}"
                f" ({reason})",
                **{"algorithms" if across == "algorithm" else "task": None},
            )
        return rest

    # -- direction, status and labels --------------------------------------------------------------

    def _direction(
        self, named: str, values: Floats, columns: Sequence[str], across: str
    ) -> tuple[str, bool]:
        """Return the name of the score and whether lower is better, by evidence or as told."""
        listed, lower = measure(named)[0], self.reading.lower_is_better
        if listed is None and (not named or normalise(named) in GENERIC):
            in_file = shared_measure([self.raw.stem]) if lower is None or not named else None
            of_file = measure(in_file or "")[0]
            if of_file is not None and _fits(of_file, values):
                listed = of_file
                named = of_file.name if not named or lower is None else named
        named = named or "score"
        if listed is not None and (lower is None or self.reading.score_name is not None):
            self._check_bounds(listed, values)
        if lower is not None or self.raw.mixed:
            return named, bool(lower)
        if listed is not None:
            return named, listed.lower
        if not across and is_time(columns[0]):
            return named, True
        if not across and "score" in self.told and not np.isfinite(values).any():
            return named, False  # refused as text, whatever the direction
        shown = f" of {quote(named)}" if named != "score" else ""
        self.unclear(f"is a higher or a lower score{shown} better?", lower_is_better=None)
        return named, False

    def _check_bounds(self, listed: Measure, values: Floats) -> None:
        if _fits(listed, values):
            return
        known = values[np.isfinite(values)]
        high = "0 … 1 or 0 … 100" if listed.per_cent else f"{listed.low:g} … {listed.high:g}"
        if listed.per_cent and known.min() >= 0 and known.max() <= 100:
            high += " throughout"
        self.unclear(
            f"{quote(listed.name)} lies in {high}, but the values in"
            f" {known.min():.4g} … {known.max():.4g}",
            **({"lower_is_better": None} if self.reading.lower_is_better is None else {}),
        )

    def _status(self) -> str | None:
        """Return the column of statuses by its name, unless one was told."""
        for column in () if "status" in self.found else self.free:
            if normalise(column) in STATUS and (
                self.raw.is_flag(column) or not self.raw.is_numeric(column)
            ):
                return column
        return None

    def _check_status(self, column: str, values: Floats) -> None:
        """Ask about runs that have a score but did not succeed."""
        codes, names = self.raw.codes(column)
        failed = np.array([*(state_of(name) != "ok" for name in names), False])[codes]
        failed &= np.isfinite(values.reshape(len(codes), -1)).any(axis=1)
        if is_own(self.raw) or not failed.any():
            self.found["status"] = column
            return
        words = names[np.unique(codes[failed])]
        self.unclear(
            f"{count(failed.sum(), 'row')} with a score"
            f" {'have' if failed.sum() > 1 else 'has'} {quote(column)} ="
            f" {quote_list(words, limit=4)}: if these runs failed, pass status={quote(column)},"
            f" otherwise ignore={quote(column)}"
        )

    def _check_labels(self, role: str) -> None:
        """Refuse rows or files that are measures or summaries."""
        column = self.found.get(role)
        if column is None or column == ROW or is_own(self.raw):
            return
        codes, distinct = self.raw.codes(column)
        names = list(distinct)
        kept = self.reading.algorithms if role == "algorithm" else ()
        summaries = [name for name in names if is_summary(name) and name not in kept]
        # In a column of names, a few may be called as a measure is.
        known = {*kept, *summaries} if len(names) <= _MOST_MEASURES else {*names}
        measured = [name for name in names if name not in known and measure(name)[0]]
        if column != FILE and 2 * len(measured) <= len(names):
            measured = []
        if summaries and column != FILE:
            verb, what = ("are", "summaries") if summaries[1:] else ("is", "a summary")
            dropped = np.isin(codes, [names.index(name) for name in summaries]).mean()
            left_out = {"where": [f"{column}!={name}" for name in summaries]}
            problem = _not_a(summaries, f"in {quote(column)} {verb}", what, role)
            self.unclear(problem, **(left_out if dropped < 0.5 else {}))
        if measured:
            verb, what = ("are", "measures") if measured[1:] else ("is", "a measure")
            chosen = {"where": [Blank(f"{column}=VALUE")]} if column != FILE else {}
            self.unclear(_not_a(measured, verb, what, role), **chosen)


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _not_a(names: Sequence[str], verb: str, what: str, role: str) -> str:
    shown = quote_list(names, limit=_SHOWN)
    return f"{shown} {verb} {what}, not {_one_or_several(role, names)}"


def _one_or_several(role: str, names: Sequence[str]) -> str:
    return f"{role}s" if len(names) > 1 else f"{'an' if role[0] == 'a' else 'a'} {role}"


def _reason_against(column: str) -> str:
    """Return why a column is never a score of an algorithm on a task, by its name."""
    plain = normalise(column)
    if is_summary(column):
        return "a summary of the others"
    if is_size(column):
        return "the size of a model"
    if plain == "id" or plain.endswith("_id"):
        return "an identifier"
    return "without a name" if plain.startswith("unnamed:") or not plain else ""


def _of_another_measure(columns: Sequence[str]) -> dict[str, str]:
    """Return the few columns without the measure that all others have in their names."""
    named = [c for c in columns if measures_in(c)]
    lacking = [c for c in columns if c not in named]
    shared = shared_measure(named) if 2 * len(lacking) < len(named) else None
    return dict.fromkeys(lacking, f"of another measure than {shared}") if shared else {}


def _fits(listed: Measure, values: Floats) -> bool:
    """Return True if all values lie in the bounds of a measure, on one scale."""
    finite = np.isfinite(values)
    if not finite.any():
        return True
    least = values.min(where=finite, initial=np.inf)
    highest = values.max(axis=0, where=finite, initial=-np.inf)
    slack = 1e-9
    if least >= listed.low - slack and np.max(highest) <= listed.high + slack:
        return True
    if not listed.per_cent or least < 0 or np.max(highest) > 100:
        return False
    # In per cent, no column consists of fractions.
    return bool(((highest > 1) | (highest == -np.inf)).all())


def _combinations(columns: Mapping[str, Numbers]) -> dict[str, str]:
    """Return the columns that are the mean, maximum or minimum of all others throughout."""
    found: dict[int, str] = {}
    # A few rows rule out nearly all columns.
    for last in (50, None) if len(columns) > 3 else ():
        values = np.column_stack([numbers.values[:last] for numbers in columns.values()])
        whole = values[np.isfinite(values).all(axis=1)]
        if len(whole) > 2 and not (found := _combined(whole)):
            break
    return {list(columns)[i]: f"the {what} of the others" for i, what in found.items()}


def _combined(whole: Floats) -> dict[int, str]:
    n_columns = whole.shape[1]
    # Half of the last decimal place of each column.
    exact = [np.abs(np.round(whole, p) - whole).max(axis=0) < 1e-12 for p in range(9)]
    step = 0.51 * 10.0 ** -np.argmax([*exact, np.ones(n_columns, dtype=bool)], axis=0)
    others = (whole.sum(axis=1, keepdims=True) - whole) / (n_columns - 1)
    means = (np.abs(whole - others) <= step).all(axis=0) & (np.ptp(whole, axis=0) > 4 * step)
    found = dict.fromkeys(np.flatnonzero(means).tolist(), "mean")
    ordered = np.sort(whole, axis=1)
    for ends, what in ((ordered[:, -2:], "maximum"), (ordered[:, :2], "minimum")):
        # As good as the best of the others on every row, and not one and the same column.
        if (ends[:, 0] == ends[:, 1]).all():
            places = np.flatnonzero((whole == ends[:, :1]).all(axis=0)).tolist()
            found |= {places[0]: what} if len(places) == 1 else {}
    return found


def _doubtful(columns: Mapping[str, Numbers]) -> dict[str, list[str]]:
    """Return columns of a wide table that may not be scores, by the reason."""
    known = {c: numbers.known for c, numbers in columns.items()}
    whole = [c for c in columns if columns[c].whole]
    fractional = [c for c in columns if not columns[c].whole]
    flags = [c for c in whole if np.isin(known[c], (0, 1)).all() and fractional]
    low = min((known[c].min() for c in fractional), default=-np.inf)
    high = max((known[c].max() for c in fractional), default=np.inf)
    numbered = [c for c in columns if c.strip().isdigit()]
    inside = [c for c, v in known.items() if v.min() >= 0 and v.max() <= 1]
    beyond = [c for c in known if c not in inside and known[c].max() > 1]
    reasons = {
        "named by numbers, as folds": numbered if len(numbered) > 1 else [],
        "row numbers": [
            c
            for c in whole
            if len(known[c]) > 2 and known[c][0] in (0, 1) and (np.diff(known[c]) == 1).all()
        ],
        "constant": [c for c in columns if len(known[c]) > 1 and np.ptp(known[c]) == 0],
        "0 and 1 beside fractions": flags,
        "whole numbers beyond the range of the others": [
            c for c in whole if c not in flags and (known[c].min() < low or known[c].max() > high)
        ],
        "on another scale": beyond if 2 * len(inside) > len(known) else [],
        "by the end of its name": [c for c in columns if _ending(c)],
    }
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for reason, names in reasons.items():
        if new := [name for name in names if name not in seen]:
            found[reason] = new
        seen.update(names)
    return found


def _ending(column: str) -> bool:
    """Return True for a name that ends as a spread, a time or a part of the data, without unit."""
    plain = re.sub(r"\s*[(\[][^)\]]*[)\]]\s*$", "", column.casefold())
    words = re.split(r"[^a-z0-9]+", plain.rstrip(" )]%"))
    return len(words) > 1 and words[-1] in ENDINGS
