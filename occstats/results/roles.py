"""Assign a role to each column, as told or by convention; refuse what follows none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import (
    GENERIC,
    NAMES,
    STATUS,
    Measure,
    is_index,
    is_measure,
    is_quantity,
    is_size,
    is_spread,
    is_summary,
    is_time,
    is_unnamed,
    likely_summaries,
    may_summarise,
    measure,
    measures_in,
    normalise,
    shared_measure,
    trait_names,
)
from occstats.results.ask import Blank, UnclearTableError, check_numbers
from occstats.results.cells import Numbers, is_number
from occstats.results.conditions import with_state
from occstats.results.doubtful import DOUBTFUL, NEVER, take_out
from occstats.results.keys import Keys, extract, make_keys, renumber
from occstats.results.readers.frames import FILE, ROW, RawTable
from occstats.results.reading import Reading

# Names of tasks and algorithms of a saved table of this package.
_KEYS = ("algorithm", "dataset", "task")
_OWN = {"task": "class", "algorithm": "descriptor"}
_COLUMN, _COLUMNS, _DIRECTION = Blank("COLUMN"), Blank("COLUMNS"), Blank("True|False")
_ANOTHER = Blank("COLUMN", optional=True)
_ROWS_ONLY = ("diff", "difference")  # names of tasks, but summaries above a column
_WHICH_SCORE = "which column is the score?"
_MOST_MEASURES = 500


@dataclass(frozen=True)
class Roles:
    """Columns of a table by role.

    In a wide table, ``across`` says what ``columns`` are, ``"algorithm"`` or ``"task"`` (as in a
    leaderboard), and ``labels`` are their names; in a long table, all three are empty.
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
    notes: Sequence[str] = ()


def find_roles(
    raw: RawTable, reading: Reading, *, alone: bool = True
) -> tuple[RawTable, Roles, Keys]:
    """Return the rows of one measure, the column of each role, and the keys of the scores.

    ``alone`` if there is no other source. All that is unclear is refused at once.
    """
    return _Finder(raw, reading, alone).find()


def fits(listed: Measure, numbers: Sequence[Numbers]) -> bool:
    """Return True if all values lie in the bounds of a measure, on one scale."""
    return not _misfits(listed, np.concatenate([[], *(n.known for n in numbers)])).any()


def _misfits(listed: Measure, values: Any) -> Any:
    """Return the values outside the bounds of a measure, or the fewer of fractions and per cents.

    NaN fits. Per cents up to 1 look like fractions, and are left to the user.
    """
    beyond = (values < listed.low - 1e-9) | (values > listed.high + 1e-9)
    beyond &= np.isfinite(values)  # which is refused as such
    if not (listed.per_cent and beyond.any()):
        return beyond
    fractions = (values > 0) & (values <= 1)
    if (outside := beyond & ((values < 0) | (values > 100))).any():
        return outside
    return fractions if fractions.sum() <= beyond.sum() else beyond


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
        # The columns told to be tasks, as of a leaderboard.
        self.tasks_told = () if isinstance(reading.task, str | None) else reading.task
        self.scores_told: list[str] = []
        self.across = ""
        self.problems: list[str] = []
        self.options: dict[str, Any] = {}  # that solve them
        self.questions: dict[str, Any] = {}
        self.several: set[str] = set()  # roles that several columns are named after
        self.set_aside: list[str] = []  # columns with a name for each algorithm
        self.doubts: dict[str, list[str]] = {}  # columns that may be no scores, by the reason
        self.notes: list[str] = []
        self.form_asked = self.measured = False

    @property
    def free(self) -> list[str]:
        """Return the columns without a role so far."""
        taken = {*self.found.values(), *self.traits.values(), *self.scores_told}
        return [column for column in self.columns if column not in taken]

    @property
    def names(self) -> list[str]:
        """Return the columns of text without a role."""
        return [c for c in self.free if not self.raw.is_numeric(c)]

    @property
    def scores(self) -> list[str]:
        """Return the numeric columns that may be scores."""
        others = {c for c in self.free if is_spread(c) or is_time(c) or is_index(c)}
        others |= {*self.listed_traits, *(c for c in self.free if normalise(c).endswith("_id"))}
        return [c for c in self.free if c not in others and self.raw.is_numeric(c)]

    @property
    def keyed(self) -> bool:
        """Return True if there is a dataset or a task."""
        return "dataset" in self.found or "task" in self.found

    def unclear(self, problem: str, **options: Any) -> None:
        """Record a problem and the options that would solve it."""
        self.problems.append(problem)
        for name, value in options.items():
            if isinstance(value, list):
                self.options[name] = list(dict.fromkeys([*self.options.get(name, ()), *value]))
            elif name not in self.reading.told or not isinstance(value, Blank):
                self.options.setdefault(name, value)

    def find(self) -> tuple[RawTable, Roles, Keys]:
        """Return the rows, roles and keys, or raise an error that says what is unclear."""
        self._check_header()
        for role in ("dataset", "task", "algorithm", "fold", "repeat"):
            if role not in self.found:
                self._find_by_name(role)
        algorithm = self.found.get("algorithm", FILE)
        several = self.alone and len(self.raw.names(algorithm)) > 1
        for role in ("dataset", "task") if several else ():
            column = self.found.get(role, FILE)
            # Such as a file or an identifier of each algorithm.
            if column not in {FILE, *self.told.values()} and self._one_to_one(column, algorithm):
                self.set_aside.append(self.found.pop(role))
        self.across, self.scores_told = self._form()
        if self.across == "task":
            self._complete_leaderboard()
        else:
            self._complete_keys()
        for column in self.free:
            name = self.listed_traits.get(column)
            if name is not None and name not in self.traits and self.raw.is_numeric(column):
                self.traits[name] = column
        metric, status = self._metric(), self._status()
        columns = self._columns()
        numbers = [self._numbers(column) for column in columns]
        score, lower = self._direction(self._score_name(columns, metric), columns, numbers)
        known, listed = np.concatenate([[], *(n.known for n in numbers)]), measure(score)[0]
        n_zero = int((known == 0).sum())
        unbounded = listed is None or listed.high == np.inf
        if lower and unbounded and 10 * n_zero >= len(known) > n_zero > 0 <= known.min():
            self.notes.append(
                f"{self.raw.name}: {n_zero:,} of {len(known):,} scores are exactly 0, which"
                " would be the best score; if 0 means that there is no result, leave these cells"
                " empty."
            )
        if status is not None:
            numeric = [c for c in self.free if self.raw.is_numeric(c)]
            self._check_status(status, numbers or [*map(self.raw.numbers, numeric)])
        for role in _KEYS:
            self._check_labels(role, self.found.get(role))
        used = {*self.found.values(), *self.traits.values(), *columns}
        roles = Roles(
            **self.found,
            traits=self.traits,
            across=self.across,
            columns=columns if self.across else (),
            labels=self._name_columns(columns) if self.across and not self.problems else (),
            score_name=score,
            lower=lower,
            notes=self.notes,
            unused=[c for c in self.columns if c not in used],
        )
        keys = self._keys(roles)  # may add a note
        if keys is None or self.problems:
            raise UnclearTableError(
                self.raw, self.problems, self._templates(), self.found, self.questions
            )
        return self.raw, roles, keys

    # -- templates ---------------------------------------------------------------------------------

    def _templates(self) -> list[dict[str, Any]]:
        """Return the options that would tell the roles in each form that the table may have."""
        names, known = self.names, "algorithm" in self.found
        # Several rows of one algorithm, with columns that may be tasks.
        beside = not (self.across or self.keyed or "score" in self.found) and known and self.alone
        tasks = [c for c in self.scores if not (measure(c)[0] or is_quantity(c))] if beside else []
        if not (self.form_asked or tasks[1:]):
            forms = [self.across]
        elif known or self.measured:
            exact = all(measure(c)[0] for columns in self.doubts.values() for c in columns)
            forms = [
                "",
                *([] if known else ["algorithm"]),
                *([] if exact and not known else ["task"]),
            ]
        else:  # a dataset and an algorithm, a dataset, or an algorithm have names
            long, leaderboard = names[not self.keyed :], names and not self.keyed
            forms = ["algorithm", *([""] if long else []), *(["task"] if leaderboard else [])]
        made = [self._template(form) for form in forms]
        if "task" in forms and "" not in forms and "task" in made[-1] and not self.tasks_told:
            made.append(self._template(""))  # the scores may be several measures on one dataset
        return made

    def _template(self, form: str) -> dict[str, Any]:
        """Return the options that would tell the roles in one form; some may not be needed."""
        made, asked = dict(self.options), bool(self.doubts or self.form_asked)
        known = "algorithm" in self.found
        direction = form == "task" and not (self.across and known)
        if form == "algorithm":
            if not self.keyed:
                scores_only = all(map(self.raw.is_fractional, self.columns))
                made["dataset"] = (
                    _COLUMN if self.names else Blank(ROW if scores_only else f"COLUMN/{ROW}")
                )
            if self.doubts or (self.form_asked and self.names):
                made["algorithms"] = _COLUMNS
        elif form == "task":
            if not known:
                several = self.names[1:]
                made["algorithm"] = [_COLUMN, _ANOTHER] if several else _COLUMN
            if asked or direction:
                made["task"] = _COLUMNS
        else:
            found = {*self.told} if self.across else {*self.found}
            if "score" not in found and self.reading.score is None:
                made["score"] = _COLUMN
                direction = not all(measure(c)[0] for c in self.scores)
            if not self.keyed:
                made["dataset"] = Blank(f"COLUMN/{FILE}") if self.alone else _COLUMN
            if not known:
                made["algorithm"] = _COLUMN if self.alone or not self.keyed else Blank(FILE)
        if direction and self.reading.lower_is_better is None:
            made["lower_is_better"] = _DIRECTION
        n_needed = (not self.keyed) + (not (known or form))
        spare = bool(n_needed and self.names[n_needed:])
        if form != "task" and ("differing" in self.questions or (spare and not form)):
            self._add_factors(made, form)
        elif form == "algorithm" and spare:
            made.setdefault("task", _ANOTHER)
        return made

    def _add_factors(self, made: dict[str, Any], form: str) -> None:
        """Add options for columns in which rows of one task and algorithm may differ."""
        for role in ("task", "dataset") if form else ("task", "algorithm", "dataset"):
            known = self.found.get(role)
            if known is None:
                made.setdefault(role, _ANOTHER)
            elif role != "dataset" and known != FILE:
                made.setdefault(role, [*([] if role in self.told else [known]), _ANOTHER])
        made.setdefault("repeat", Blank("COLUMN/@row", optional=True))
        made["where"] = [*made.get("where", ()), Blank("COLUMN=VALUE", optional=True)]

    # -- form and keys -----------------------------------------------------------------------------

    def _check_header(self) -> None:
        """Refuse numbers for names; those of folds, or beside a listed name, are asked about."""
        chosen = {*self.reading.algorithms, *self.tasks_told}
        numbers = [c for c in self.columns if is_number(c) and c not in chosen]
        above = [c for c in numbers if self.raw.is_numeric(c)]
        folds = len(above) > 1 and all(c.strip().isdigit() for c in above)
        listed = {normalise(c) for c in self.columns} & frozenset().union(*NAMES.values())
        if numbers and (numbers == self.columns or (above and not folds and not listed)):
            raise ResultsError(
                f"{self.raw.name}: the first row looks like data ({quote_list(numbers, limit=3)}),"
                " not names of columns; add a row of column names"
            )

    def _find_by_name(self, role: str) -> None:
        """Find the column of a role in the list of its names; fractions are no names."""
        names = set(NAMES[role])
        if role in _OWN and "dataset" in self.found and (role == "task" or "class" in self.columns):
            names.add(_OWN[role])
        matches = [column for column in self.free if normalise(column) in names]
        if role not in {"fold", "repeat"}:
            matches = [column for column in matches if not self.raw.is_fractional(column)]
        named = [column for column in matches if not normalise(column).endswith("_id")]
        if len(matches) == 2 and len(named) == 1 and self._one_to_one(*matches):
            matches = named
        if len(matches) > 1:
            self.several.add(role)
            self.unclear(f"the {role} could be {quote_list(matches)}", **{role: _COLUMN})
        elif matches:
            self.found[role] = matches[0]

    def _one_to_one(self, first: str, second: str) -> bool:
        pairs = pd.DataFrame({i: self.raw.codes(c)[0] for i, c in enumerate((first, second))})
        return len(pairs.drop_duplicates()) == pairs[0].nunique() == pairs[1].nunique()

    def _form(self) -> tuple[str, list[str]]:
        """Return what the columns of a wide table are, "" for a long one, and those told."""
        reading, by_file = self.reading, self._from_file()
        if reading.transpose or self.tasks_told:
            return "task", [c for c in self.tasks_told if c in self.columns]
        if not {"algorithm", "score"} & set(self.told):
            across = [c for c in reading.algorithms if c in self.columns]
            if reading.algorithm_from is not None and not by_file:
                return "algorithm", [c for c in self.free if re.search(reading.algorithm_from, c)]
            if across:
                return "algorithm", across
        if "score" in self.told or self._is_long(by_file):
            return "", []
        models = "algorithm" in self.found or (not self.keyed and any(map(is_size, self.free)))
        return "task" if models else "algorithm", []

    def _from_file(self) -> bool:
        """Return True if the file, not a column, is an algorithm."""
        scores = [] if self.alone else self.scores
        return len(scores) == 1 and bool(measure(scores[0])[0] or normalise(scores[0]) in GENERIC)

    def _is_long(self, by_file: bool) -> bool:
        if "algorithm" not in self.found:
            return self.keyed and ("algorithm" in self.several or by_file)
        if self.keyed or (not self.alone and len(self.scores) == 1):
            return True
        # One row of measures per algorithm, or several rows per algorithm, is no leaderboard.
        scores = [c for c in self.scores if not (is_summary(c) or is_size(c) or is_unnamed(c))]
        return len(self.raw.names(self.found["algorithm"])) < self.raw.n_rows or all(
            measure(c)[0] or is_quantity(c) for c in scores
        )

    def _complete_leaderboard(self) -> None:
        """Take the names of the rows for the algorithms, or ask for them."""
        for role in ("dataset", "task", "suite"):
            column = self.found.pop(role, None)
            if column is not None and role in self.told:
                raise ResultsError(
                    f"{self.raw.name}: columns are tasks here, so {role}={quote(column)}"
                    " cannot be used; pass dataset_from=… for the datasets"
                )
            if column is not None:
                self.found.setdefault("algorithm", column)
        if "algorithm" not in self.found:
            self.unclear("no column name indicates the algorithm")
            self.form_asked = not self.reading.transpose and not self.scores_told

    def _complete_keys(self) -> None:
        """Take the file for a key that no column is, or ask for it."""
        found, pattern = self.found, self.reading.algorithm_from
        if self.across:
            found.pop("algorithm", None)
        elif "algorithm" not in found and "algorithm" not in self.several:
            if pattern is None and self.alone:
                self.unclear("no column name indicates the algorithm")
            elif not (pattern and "task" in found):
                found["algorithm"] = FILE
        if self.keyed or {"dataset", "task"} & self.several:
            return
        if "algorithm" in found and not self.alone:
            found["dataset"] = FILE
            return
        self.form_asked = self.alone and "algorithm" not in found and not self.scores_told
        problem = "no column name indicates a dataset or task"
        if self.form_asked and self.names[1:]:
            problem = "no column name indicates a dataset, task or algorithm"
        if self.set_aside:
            problem = f"{quote(self.set_aside[0])} is another name of each algorithm, not a task"
        of_file = self.names or "algorithm" in found
        one, place = ("the file", FILE) if of_file else ("each row", ROW)
        hint = f"if {one} is one dataset, pass dataset={place!r}"
        if "algorithm" not in found and not self.alone:
            hint = "if the files are repeats, pass repeat='@file'"
        self.unclear(f"{problem} ({hint})")
        if (self.form_asked or self.scores_told) and len(self.names) == 1:
            self._check_labels("dataset", self.names[0])

    def _keys(self, roles: Roles) -> Keys | None:
        """Return the keys of the scores, as far as known; refuse rows of the same key."""
        known = "algorithm" in self.found or self.reading.algorithm_from is not None
        if self.problems if self.across else not (self.keyed and known):
            return None
        keys = make_keys(self.raw, roles, self.reading)
        if keys.several and "where" not in self.options:
            self._check_rows(keys, roles.unused)
        return keys

    def _check_rows(self, keys: Keys, unused: Sequence[str]) -> None:
        """Refuse rows of one cell unless they are folds or repeats that differ in nothing else."""
        raw = self.raw
        runs, n_runs = cells, n_folds = keys.row_cell
        for key in (keys.fold, keys.repeat):
            if key is not None:
                codes, names = key
                runs, n_runs = renumber(runs * len(names) + codes[:, 0])
                n_folds = n_runs if key is keys.fold else n_folds
        again = n_runs < raw.n_rows
        told = {"fold", "repeat"} & {*self.reading.told}
        # A repeat of its own in nearly every row does not tell that other columns are results.
        own = keys.repeat is not None and 2 * len(keys.repeat[1]) > raw.n_rows
        differing = [] if told and not again else self._differing(keys, unused, again or own)
        if not (differing or again):
            if keys.repeat is not None and n_folds < raw.n_rows:
                how = f"{len(keys.repeat[1]):,} different values"
                if self.found["repeat"] == ROW:
                    how = f"up to {np.bincount(keys.cell.ravel()).max():,} rows each"
                self.notes.append(f"{raw.name}: scores averaged over repeats ({how}).")
            return
        whole = keys.repeat is None or not again or bool(differing and own)
        alike = cells if whole else runs
        twice = np.flatnonzero(pd.Series(alike).duplicated())
        first = np.flatnonzero(alike == alike[twice[0]])[0]
        places = [raw.row(row).removeprefix(f"{raw.name}, ") for row in (first, twice[0])]
        problem = (
            f"{count(len(twice), 'row')} {'repeats' if len(twice) == 1 else 'repeat'} the"
            f" {'task and algorithm' if whole else 'task, algorithm and repeat'} of an earlier"
            f" row, first {keys.show(keys.cell[twice[0], 0])} ({' and '.join(places)})"
        )
        if not differing:
            self.questions["repeated"] = problem
            remedy = "if they are repeats, pass repeat='@row'"
            # The rows of a dataset may be its tasks, but not in a long table.
            known = {*self.found} & {"dataset", "task", "fold", "repeat"}
            if self.across and known == {"dataset"}:
                remedy += "; if each row is a task, pass task='@row'"
                self.options["task"] = Blank(ROW, optional=True)
            self.unclear(f"{problem}; {remedy}; otherwise delete them")
            self.options["repeat"] = Blank(ROW, optional=True)  # also in place of one told
            return
        rest = [c for c in self.scores if measure(c)[0] or c not in differing]
        listed = len(rest) == 1 and measure(rest[0])[0] and self._is_score(rest[0])
        if listed and _WHICH_SCORE in self.problems:  # what the others are tells which it is
            self.problems.remove(_WHICH_SCORE)
            self.found["score"] = rest[0]
        self.questions["differing"] = chosen = differing[:3]
        shown = [
            f"{quote(c)} ({quote_list([n.strip()[:16] for n in raw.names(c)], limit=2)})"
            for c in chosen
        ]
        self.unclear(
            f"{problem}; they differ in {', '.join(shown)}: are these"
            f" {'' if 'dataset' in self.found else 'datasets, '}tasks, repeats or parts of the"
            " algorithm, or should only one value be kept?"
        )

    def _differing(self, keys: Keys, columns: Sequence[str], again: bool) -> list[str]:
        """Return columns that differ among the rows of a cell, but for results and times.

        If a listed repeat tells the rows apart, numbers are results, and so is text that has more
        values on all tasks of an algorithm than a cell has rows: levels of a factor recur.
        """
        raw, cells, found = self.raw, keys.row_cell[0], {}
        most = np.bincount(cells).max()
        algorithms = np.broadcast_to(keys.algorithm[:, :1], (raw.n_rows, 1))[:, 0]
        for column in columns:
            codes, names = raw.codes(column)
            many, width = len(names) > most, len(names) + 1
            # Few fractions or whole numbers of seconds may be the levels of a factor.
            fractional, time = raw.is_fractional(column), is_time(column)
            result = many and (time or (fractional and column not in raw.index))
            if is_index(column) or normalise(column) in STATUS or result or (time and fractional):
                continue
            if not again and not normalise(column).startswith("param"):
                pairs = np.unique(algorithms * width + codes + 1)
                if raw.is_numeric(column) or np.bincount(pairs // width).max() > most:
                    continue
            if len(pd.unique(cells * width + codes + 1)) > keys.row_cell[1]:
                found[column] = 2 * len(names) > raw.n_rows, raw.is_numeric(column), width
        return sorted(found, key=lambda column: found[column])

    # -- scores ------------------------------------------------------------------------------------

    def _columns(self) -> list[str]:
        """Return the columns of scores."""
        named = [c for c in self.scores_told if self.across == "task" and is_measure(c)]
        parts = {measure(c)[1] for c in named}
        if named[1:] and (parts - {""} or shared_measure(self.scores_told) is None):
            self.unclear(f"{quote_list(named, limit=3)} are measures, not tasks")
            self.options["task"], self.across = _ANOTHER, ""  # in place of those told
            return []
        if self.across:
            return self.scores_told or self._wide_columns()
        if "score" not in self.found and (score := self._score()) is not None:
            self.found["score"] = score
        return [self.found["score"]] if "score" in self.found else []

    def _score(self) -> str | None:
        """Return the score of a long table, which is the only column of numbers or only time."""
        raw, scores = self.raw, self.scores
        only = scores or [c for c in self.free if raw.is_numeric(c) and is_time(c)]
        if len(only) == 1 and self._is_score(only[0]):
            return only[0]
        check_numbers(raw, [c for c in self.free if measure(c)[0] or not scores])
        if not any(raw.is_numeric(c) or raw.is_flag(c) for c in self.free):
            raise self._without_numbers()
        self.unclear(_WHICH_SCORE)
        return None

    def _is_score(self, column: str) -> bool:
        """Return True if the only column of numbers is the score, as others may be text."""
        listed, part = measure(column)
        if part == "train" or (listed is not None and not is_time(column)):
            return part != "train"
        if any(measure(other)[0] for other in self.free if other != column):
            return False
        if is_time(column) or normalise(column) in GENERIC:
            return True
        times = any(is_time(c) and self.raw.is_numeric(c) for c in self.free)
        return not (times or take_out(NEVER, {column: self.raw.numbers(column)}))

    def _without_numbers(self) -> ResultsError:
        """Return an error with a cell of the table."""
        cells = [
            f"; {quote(c)} has text such as {quote(n[0])}"
            for c in self.free
            if (n := [*self.raw.row_names(c)[self.raw.numbers(c).wrong]] or self.raw.names(c))
        ]
        comma = " with a decimal comma" if self.raw.decimal == "," else ""
        taken = [c for c in self.raw.columns if self.raw.is_numeric(c)]
        but = f" but {quote_list(taken, limit=3)}" if taken else ""
        return ResultsError(
            f"{self.raw.name}: no column{but} holds numbers{comma}, so there is no score"
            f"{''.join(cells[-1:])}"
        )

    def _metric(self) -> str | None:
        """Find a column of measures, which must be one measure; return its name."""
        for column in self.names:
            names = self.raw.names(column)
            called = normalise(column) in NAMES["metric"]
            if not names or not (called or all(measure(name)[0] for name in names)):
                continue
            if measure(self.told.get("score", ""))[0]:
                return None  # the column of a measure needs no metric
            self.found["metric"] = column
            if len(names) > 1 and not self.raw.mixed:
                self.unclear(
                    f"{quote(column)} names {len(names)} measures ({quote_list(names, limit=3)}),"
                    " which cannot be compared with each other",
                    where=[Blank(f"{column}=VALUE")],
                )
            return names[0] if len(names) == 1 else None
        return None

    def _numbers(self, column: str) -> Numbers:
        """Return the numbers of a score, also of flags; ask about a constant that was not told."""
        if not self.raw.is_numeric(column) and self.raw.is_flag(column):
            self.raw.take_flags(column)
        numbers = self.raw.numbers(column)
        sure = self.across or "score" in self.told
        if not sure and len(numbers.known) > 2 and numbers.low == numbers.high:
            self.unclear(f"all values of {quote(column)} are {numbers.low:g}", score=_COLUMN)
        return numbers

    def _name_columns(self, columns: Sequence[str]) -> list[str]:
        pattern = self.reading.algorithm_from
        if self.across == "task" or pattern is None:
            return list(columns)
        return [extract(pattern, column, "algorithm_from")[0] for column in columns]

    def _wide_columns(self) -> list[str]:
        """Return the columns of scores; ask about those that may be something else."""
        raw, across = self.raw, self.across
        chosen = {condition.partition("=")[0].removesuffix("!") for condition in self.reading.where}
        others = [c for c in self.free if c not in raw.index and c not in chosen]
        text = [c for c in others if not raw.is_numeric(c)]
        keyed = self.keyed or "algorithm" in self.found
        if keyed or len(text) > 1:  # columns without a name may be notes beside the table
            check_numbers(raw, [c for c in text if not is_unnamed(c)])
        passed = {*text, *self.listed_traits}
        passed |= {c for c in others if is_index(c) and not raw.is_fractional(c)}
        rest = {c: raw.numbers(c) for c in others if c not in passed}
        if not rest:
            raise self._without_numbers()
        if self.form_asked and len(text) != 1:
            return [c for c in rest if raw.is_fractional(c)] or [*rest]
        self.doubts |= take_out(NEVER, rest)
        shared, columns = shared_measure([*rest]), [*rest]
        if text and keyed:
            self.doubts["text in the cells"] = text
            self.form_asked = shared is None and not (self.reading.transpose or self.scores_told)
        measures = [c for c in rest if measure(c)[0]]
        if len(measures) < len(rest):
            measures = [c for c in rest if measures_in(c)] if shared is None else []
        if not measures and all(map(is_quantity, rest)) and shared is None:
            measures = columns
        if measures:
            self.doubts["a measure" if len(measures) == 1 else "measures"] = measures
            self.measured = True
            if len(measures) == len(rest) or self.across == "task":
                self.across = ""
            else:
                self.form_asked = True
        else:
            self.doubts |= take_out(DOUBTFUL, rest)
            if self.across == "algorithm" and (traits := self._unbounded_traits(shared)):
                self.doubts[f"beside the traits {quote_list(traits, limit=2)}"] = [*rest]
        if self.doubts:
            doubtful = [column for columns_ in self.doubts.values() for column in columns_]
            problem = f"{quote_list(doubtful, limit=3)} may not be"
            problem += f" {_some(across, doubtful)}"
            if text and keyed and across == "algorithm" and not self.across:
                problem = f"no column name indicates the algorithm; {problem}"
            self.unclear(f"{problem} ({'; '.join([*self.doubts][:3])})")
            self.questions["doubtful"] = doubtful
        return columns

    def _unbounded_traits(self, shared: str | None) -> list[str]:
        """Return the listed traits, beside which others may be, unless the measure has bounds."""
        traits = [c for c in self.traits.values() if normalise(c) not in {"n", "m", "sparsity"}]
        known = self.reading.score_name or self.reading.metric or shared
        bounds = measure(known or shared_measure([self.raw.stem]) or "")[0]
        bounded = bounds is not None and np.isfinite([bounds.low, bounds.high]).all()
        return [] if self.reading.traits or bounded else traits

    # -- direction, status and labels --------------------------------------------------------------

    def _score_name(self, columns: Sequence[str], metric: str | None) -> str:
        """Return the name of the measure, as told or as the columns give it."""
        told, first = self.reading.score_name, columns[0] if columns else ""
        if self.measured or self.across:
            shared = None if self.measured else shared_measure(columns)
            return told or metric or shared or ""
        return told or (first if measure(first)[0] else metric or first)

    def _direction(
        self, named: str, columns: Sequence[str], numbers: Sequence[Numbers]
    ) -> tuple[str, bool]:
        """Return the name of the score and whether lower is better, by evidence or as told."""
        if not columns:
            return named, False
        listed, lower = measure(named)[0], self.reading.lower_is_better
        if listed is None and (not named or (normalise(named) in GENERIC and lower is None)):
            in_file = measure(shared_measure([self.raw.stem]) or "")[0]
            if in_file is not None and fits(in_file, numbers):
                listed, named = in_file, in_file.name
        told = self.form_asked or self.scores_told or self.reading.transpose
        if self.across == "task" and not (told or self.reading.score_name or measures_in(named)):
            # Measures that are not listed look like tasks.
            self.unclear(f"are {quote_list(columns, limit=3)} tasks, or measures?")
            self.form_asked = True
        named = named or "score"
        if listed is not None:
            usual = "lower" if listed.lower else "higher"
            self._check_bounds(listed, columns, numbers)
            if lower not in (None, listed.lower):
                self.notes.append(f"{self.raw.name}: {quote(named)} is usually {usual}-is-better.")
            return named, listed.lower if lower is None and not self.raw.mixed else bool(lower)
        if lower is not None or self.raw.mixed:
            return named, bool(lower)
        if not self.across and is_time(columns[0]):
            return named, True
        if self.across or "score" not in self.told or any(len(n.known) for n in numbers):
            shown = f" of {quote(named)}" if named != "score" else ""
            self.unclear(f"is a higher or a lower score{shown} better?", lower_is_better=_DIRECTION)
        return named, False  # text is refused, whatever the direction

    def _check_bounds(
        self, listed: Measure, columns: Sequence[str], numbers: Sequence[Numbers]
    ) -> None:
        """Refuse values out of bounds or in another unit, and name the row of the first."""
        values = np.column_stack([n.values for n in numbers])
        odd = _misfits(listed, values)
        if not odd.any():
            return
        rows, places = np.nonzero(odd)
        row = self.raw.row(rows[0]).removeprefix(f"{self.raw.name}, ")
        unit = "0 … 1 or in 0 … 100 throughout"
        bounds = unit if listed.per_cent else f"{listed.low:g} … {listed.high:g}"
        rest = values[~odd & np.isfinite(values)]
        problem = (
            f"{quote(listed.name)} lies in {bounds}, but {row}, column {quote(columns[places[0]])}"
            f" has {values[rows[0], places[0]]:.6g} ({count(len(rows), 'such value')}"
            f" of {len(rows) + len(rest):,})"
        )
        told = self.reading.lower_is_better is not None
        scaled = listed.per_cent and (rest > 0).any()
        # Losses may be negated, and kappa is given in per cent, too.
        sure = told and (self.reading.score_name is not None or not scaled)
        if sure or (scaled and self._few(odd, values)):
            self.notes.append(f"{self.raw.name}: {problem}.")
            return
        what = "the direction"
        if scaled:
            self.questions["wrong"], what = problem, "the name and the direction"
            self.options.setdefault("score_name", Blank(listed.name))
        remedy = f"correct them, or, if they are right, pass {what}"
        self.unclear(f"{problem}; {remedy}", lower_is_better=_DIRECTION)

    def _few(self, odd: Any, values: Any) -> bool:
        """Return True for values up to 1 among per cents, but never all of an algorithm or task."""
        if (values[odd] > 1).any() or (values[odd] <= 0).any():
            return False
        of_roles = (self.raw.codes(self.found[role])[0] for role in _KEYS if role in self.found)
        groups = np.indices(odd.shape) if self.across else [codes[:, None] for codes in of_roles]
        fit = ~odd & np.isfinite(values)
        return all({*codes[odd]} <= {*codes[fit]} for codes in groups)

    def _status(self) -> str | None:
        """Return the column of statuses by its name, unless one was told."""
        named = [c for c in self.free if normalise(c) in STATUS and "status" not in self.found]
        return next((c for c in named if c in self.names or self.raw.is_flag(c)), None)

    def _check_status(self, column: str, numbers: Sequence[Numbers]) -> None:
        """Ask about runs that have a score but did not succeed."""
        failed = with_state(self.raw, column, {"failed", "not run", "undefined"})
        if numbers:
            failed &= np.isfinite([n.values for n in numbers]).any(axis=0)
        if not failed.any():
            self.found["status"] = column
            return
        codes, names = self.raw.codes(column)
        problem = (
            f"{count(failed.sum(), 'row')} with a score"
            f" {'have' if failed.sum() > 1 else 'has'} {quote(column)} ="
            f" {quote_list(names[np.unique(codes[failed])], limit=4)}"
        )
        self.questions["status"] = column, problem
        blank = Blank(column, optional=True)
        remedy = f"if these runs failed, pass status={quote(column)}, else ignore={quote(column)}"
        self.unclear(f"{problem}; {remedy}", status=blank, ignore=[blank])

    def _check_labels(self, role: str, column: str | None) -> None:
        """Refuse rows or files that are measures or summaries."""
        if column is None or column in {ROW, self.raw.suggested.get(role)}:
            return
        codes, distinct = self.raw.codes(column)
        names = list(distinct)
        by_word, asked = may_summarise, role == "algorithm" and role in self.told
        kept: Sequence[str] = ()
        if role == "algorithm":
            by_word, kept = is_summary, self.reading.algorithms
        summaries = [n for n in likely_summaries(names) if is_summary(n) or by_word(n)]
        # Columns called so are differences of others; a row that is one would name them.
        also = () if role == "algorithm" else _ROWS_ONLY
        summaries = [n for n in summaries if n not in kept and normalise(n) not in also]
        if summaries and column != FILE:
            few = 2 * np.isin(codes, [names.index(name) for name in summaries]).mean() < 1
            sure = not asked and column in self.found.values() and all(map(is_summary, summaries))
            conditions = [f"{column}!={name}" for name in summaries]
            left_out = conditions if sure else [Blank(c, optional=True) for c in conditions]
            what = "summaries" if summaries[1:] else "a summary"
            unless = "; to keep it, list all algorithms with algorithms=…" if asked else ""
            if role != "algorithm":
                unless = f" (rename {'them if they are' if summaries[1:] else 'it if it is one'})"
            problem = f"in {quote(column)}, {_not_a(summaries, what, role)}"
            self.unclear(f"{problem}{unless}", **({"where": left_out} if few else {}))
            if few:
                self.questions["summaries"] = problem, conditions
        # In a column of names, a few may be called as a measure is.
        known = {*kept, *summaries} if len(names) <= _MOST_MEASURES else {*names}
        measured = [name for name in names if name not in known and measure(name)[0]]
        if measured and (column == FILE or 2 * len(measured) > len(names)):
            what = "measures" if measured[1:] else "a measure"
            chosen = {"where": [Blank(f"{column}=VALUE")]} if column != FILE else {}
            self.unclear(_not_a(measured, what, role), **chosen)


def _not_a(names: Sequence[str], what: str, role: str) -> str:
    verb = "are" if len(names) > 1 else "is"
    return f"{quote_list(names, limit=3)} {verb} {what}, not {_some(role, names)}"


def _some(role: str, names: Sequence[str]) -> str:
    return f"{role}s" if len(names) > 1 else f"{'an' if role[0] == 'a' else 'a'} {role}"
