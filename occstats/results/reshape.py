"""Reshape a raw table with known roles into a results table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ArgumentError, ResultsError
from occstats.results.aliases import normalise, state_of
from occstats.results.ask import UnclearTableError, differing, tell_apart, text_error
from occstats.results.cells import says_failed, without_markup
from occstats.results.readers.frames import FILE, ROW, RawTable
from occstats.results.reading import Reading
from occstats.results.roles import Roles, extract, is_own
from occstats.results.table import DATASET, FAILURES, TASK, Results, show_task

__all__ = ["reshape", "task_labels"]

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
States = npt.NDArray[np.int8]
# Codes of names, one for each row (n, 1) or for each column of scores (1, c), and the names.
Key = tuple[Integers, Any]

# States of a row; _ABSENT is a fold or repeat with a row but without a score.
_OK, _UNDEFINED, _FAILED, _NOT_RUN, _ABSENT = range(5)
_STATES = {"ok": _OK, "undefined": _UNDEFINED, "failed": _FAILED, "not run": _NOT_RUN}
_MOST_FOLD_CELLS = 50_000_000
_MOST_DIFFERING = 3


@dataclass(frozen=True)
class _Keys:
    """Keys of the scores, row by row: the cell (task and algorithm), the fold and the repeat."""

    cell: Integers
    n_columns: int
    fold: Integers | None
    repeat: Integers | None
    tasks: pd.MultiIndex
    algorithms: Sequence[str]
    folds: Sequence[str]
    repeats: Sequence[str]

    @cached_property
    def row(self) -> Integers:
        """Return the row of each score."""
        return np.arange(len(self.cell)) // self.n_columns

    @cached_property
    def several(self) -> bool:
        """Return True if a cell has several scores."""
        return bool(np.bincount(self.cell).max(initial=0) > 1)

    @property
    def cell_fold(self) -> Integers:
        """Return the number of the fold within all folds of all cells."""
        return self.cell if self.fold is None else self.cell * len(self.folds) + self.fold

    def cells_with(self, chosen: Mask) -> Mask:
        """Return the cells with at least one of the chosen scores."""
        found = np.zeros((len(self.tasks), len(self.algorithms)), dtype=bool)
        found.ravel()[self.cell[chosen]] = True
        return found

    def frame(self, cells: npt.NDArray[Any]) -> pd.DataFrame:
        """Return values of all cells as a frame."""
        columns: Any = pd.Index(np.array(self.algorithms, dtype=object), dtype=object)
        return pd.DataFrame(
            cells.reshape(len(self.tasks), -1), index=self.tasks, columns=columns, copy=False
        )

    def show(self, i: int) -> str:
        """Return the name of the cell of a score for a message."""
        task, algorithm = divmod(int(self.cell[i]), len(self.algorithms))
        return f"{show_task(self.tasks[task])}: {quote(self.algorithms[algorithm])}"


def reshape(raw: RawTable, roles: Roles, reading: Reading, *, alone: bool = True) -> Results:
    """Check keys, average repeats and folds, set failures aside, and make the results table."""
    notes = list(raw.notes)
    if roles.metric is not None and reading.metric is not None:
        raw = raw.keep(raw.row_names(roles.metric) == reading.metric)
    columns = list(roles.columns) if roles.across else [roles.score or ""]
    of_row = np.zeros(raw.n_rows, dtype=np.int8)
    if roles.status is not None:
        codes, names = raw.codes(roles.status)
        # One without a status counts if it has a score.
        of_row = np.array([*(_STATES[state_of(n)] for n in names), _OK], dtype=np.int8)[codes]
    values, spread, failed = _scores(raw, columns, of_row, notes)
    if alone and all(raw.numbers(column).per_cent for column in columns):
        # Scores keep their unit, unless they are joined to others.
        values = np.round(100 * values, 10)
        spread = None if spread is None else np.round(100 * spread, 10)
    values = _finite(raw, columns, values, failed, roles.lower, notes)
    keys, dataset, task_of_row = _keys(raw, roles, reading, notes)
    suites = None if roles.suite is None else _suites(raw, roles, dataset)
    score, states = values.ravel(), np.repeat(of_row, len(columns))
    table = np.full(len(keys.tasks) * len(keys.algorithms), np.nan)
    fold_scores = cvsd = None
    if keys.fold is None and not keys.several:
        table[keys.cell] = score  # NaN if the run failed
        if roles.status is not None:
            _note_states(keys, states, states, raw, notes)
    else:
        repeated = _check_duplicates(keys, raw, roles, reading) if keys.several else ""
        if repeated:
            notes.append(f"{raw.name}: scores averaged over {repeated}.")
        counted = _counted(keys, score, states, raw, notes)
        if keys.fold is None:
            table = _means(keys.cell, score, counted, table.size)
        else:
            table, fold_scores, cvsd = _average_folds(keys, score, counted)
    scores = keys.frame(table)
    if spread is not None:
        notes.append(f"{raw.name}: the spreads written after the scores are kept as CVSD.")
        known = np.flatnonzero(~np.isnan(spread.ravel() + table.ravel()[keys.cell]))
        spreads = _means(keys.cell, spread.ravel(), known, table.size)
        cvsd = keys.frame(spreads) if cvsd is None else cvsd
    recorded = keys.cells_with(failed.ravel()) & scores.isna().to_numpy()
    return Results(
        scores=scores,
        traits=_traits(raw, roles, keys.tasks, task_of_row, notes),
        score_name=roles.score_name,
        higher_is_better=not roles.lower,
        fold_scores=fold_scores,
        cvsd=cvsd,
        notes=tuple(notes),
        sources=(raw.name.strip("'\""),),
        suites=suites,
        column_names=_column_names(roles, reading),
        recorded_failures=keys.frame(recorded) if recorded.any() else None,
    )


# -- scores ----------------------------------------------------------------------------------------


def _scores(
    raw: RawTable, columns: Sequence[str], of_row: States, notes: list[str]
) -> tuple[Floats, Floats | None, Mask]:
    """Return the scores (rows × columns), their spreads, and the failures.

    A run failed by its status or by a word such as TIMEOUT; other text is refused.
    """
    relevant = of_row == _OK
    values = np.full((raw.n_rows, len(columns)), np.nan)
    failed = np.repeat((of_row == _FAILED)[:, None], len(columns), axis=1)
    spread = None
    words: dict[str, None] = {}
    found = 0
    for i, name in enumerate(columns):
        numbers = raw.numbers(name)
        wrong = numbers.wrong & relevant
        if wrong.any():
            raise text_error(raw, name, wrong)
        values[:, i] = np.where(relevant, numbers.values, np.nan)
        if numbers.spread is not None:
            spread = np.full(values.shape, np.nan) if spread is None else spread
            spread[:, i] = numbers.spread
        empty = np.flatnonzero(np.isnan(values[:, i]) & relevant)
        if len(empty) and raw.frame[name].dtype.kind != "f":
            codes, names = raw.codes(name)
            rows = empty[np.array([*map(says_failed, names), False])[codes[empty]]]
            failed[rows, i] = True
            words |= dict.fromkeys(str(names[code]).strip() for code in pd.unique(codes[rows]))
            found += len(rows)
    if found:
        notes.append(
            f"{raw.name}: {count(found, 'cell')} of failed runs ({quote_list(words, limit=3)});"
            f" {FAILURES}"
        )
    return values, spread, failed


def _finite(
    raw: RawTable,
    columns: Sequence[str],
    values: Floats,
    failed: Mask,
    lower: bool,
    notes: list[str],
) -> Floats:
    """Turn infinitely bad scores into failures; refuse infinitely good ones."""
    infinite = np.isinf(values)
    if not infinite.any():
        return values
    wrong = np.argwhere(values == (-np.inf if lower else np.inf))
    if len(wrong):
        row, column = wrong[0]
        raise ResultsError(
            f"{raw.row(row)}, column {quote(columns[column])}: {values[row, column]} is not a score"
            f" ({count(len(wrong), 'such cell')}); correct it, or leave the cell empty"
        )
    notes.append(
        f"{raw.name}: {count(infinite.sum(), 'infinite score')}, taken as failed runs; {FAILURES}"
    )
    failed |= infinite
    return np.where(infinite, np.nan, values)


# -- keys ------------------------------------------------------------------------------------------


def _keys(
    raw: RawTable, roles: Roles, reading: Reading, notes: list[str]
) -> tuple[_Keys, Key, Integers]:
    """Return the keys of all scores, the datasets, and the task of each score."""
    n_columns = max(len(roles.columns), 1)

    def bare(names: Sequence[str]) -> Sequence[str]:
        """Remove links and markup from the names, and note it once."""
        plain, note = without_markup(names), f"{raw.name}: links and markup around names removed."
        if plain != list(names) and note not in notes:
            notes.append(note)
        return plain

    def of_rows(*columns: str | None) -> Key:
        codes, names = _row_codes(raw, next((c for c in columns if c is not None), FILE))
        return codes[:, None], bare(names)

    across: Key = (np.arange(n_columns)[None, :], bare(list(roles.labels)))
    if roles.across == "task":
        algorithm, task = of_rows(roles.algorithm), across
        dataset = task
    else:
        task = of_rows(roles.task, roles.dataset)
        algorithm = across if roles.across else of_rows(roles.algorithm)
        if not roles.across and roles.algorithm is None and reading.algorithm_from is not None:
            algorithm, task = _split(task, reading.algorithm_from, "algorithm_from")
        dataset = task if roles.dataset is None else of_rows(roles.dataset)
    if reading.algorithm_from is not None and not roles.across and roles.algorithm is not None:
        algorithm = _split(algorithm, reading.algorithm_from, "algorithm_from")[0]
    if reading.dataset_from is not None:
        dataset = _split(task, reading.dataset_from, "dataset_from")[0]
    n_tasks = len(task[1])
    together = dataset[0] * n_tasks + task[0]
    codes, pairs = pd.factorize(together.ravel())
    index = pd.MultiIndex(
        levels=[pd.Index(dataset[1]), pd.Index(task[1])],  # type: ignore[list-item]
        codes=[pairs // n_tasks, pairs % n_tasks],  # type: ignore[list-item]
        names=[DATASET, TASK],
        verify_integrity=False,
    )
    used, order = pd.factorize(algorithm[0].ravel())
    algorithms = [algorithm[1][i] for i in order]
    cell = codes.reshape(together.shape) * len(algorithms) + used.reshape(algorithm[0].shape)

    def run(column: str | None) -> tuple[Integers | None, Sequence[str]]:
        if column is None:
            return None, [""]
        numbers, names = _row_codes(raw, column)
        return np.repeat(numbers, n_columns), names

    (fold, folds), (repeat, repeats) = run(roles.fold), run(roles.repeat)
    keys = _Keys(cell.ravel(), n_columns, fold, repeat, index, algorithms, folds, repeats)
    return keys, dataset, codes


def _row_codes(raw: RawTable, column: str) -> tuple[Integers, Any]:
    """Return the codes of the names in a column, none of which may be missing."""
    codes, names = raw.codes(column)
    empty = np.flatnonzero(codes < 0)
    if len(empty):
        raise ResultsError(
            f"{raw.row(empty[0])}, column {quote(column)}: the name is missing"
            f" ({len(empty):,} such rows); write it in every row, also where cells were merged"
            " (pandas reads a name such as NA with read_csv(keep_default_na=False))"
        )
    return codes, names


def _split(key: Key, pattern: str, option: str) -> tuple[Key, Key]:
    """Return what a pattern finds in each name, and the rests."""
    codes, names = key
    parts = []
    for part in zip(*(extract(pattern, name, option) for name in names), strict=True):
        again, distinct = pd.factorize(np.array(part, dtype=object))
        parts.append((again[codes], list(distinct)))
    return parts[0], parts[1]


def _suites(raw: RawTable, roles: Roles, dataset: Key) -> dict[str, str]:
    """Return the suite of each dataset, which must be unique."""
    suite = _row_codes(raw, roles.suite or "")
    pairs = pd.DataFrame({"dataset": dataset[0].ravel(), "suite": suite[0]}).drop_duplicates()
    twice = pairs.loc[pairs["dataset"].duplicated(), "dataset"].unique()
    if len(twice):
        inside = pairs.groupby("dataset")["suite"].agg(list)
        shown = [
            f"{quote(dataset[1][i])} in {quote_list(suite[1][j] for j in inside[i])}"
            for i in twice[:3]
        ]
        more = f" and {len(twice) - 3:,} more" if len(twice) > 3 else ""
        raise ResultsError(
            f"{raw.name}: suite={roles.suite!r}, dataset={roles.dataset!r} asks for datasets within"
            f" suites, but {count(len(twice), 'dataset')} of {len(inside):,} are in several:"
            f" {'; '.join(shown)}{more}; exchange the two columns, or give each dataset a unique"
            " name"
        )
    return {dataset[1][i]: suite[1][j] for i, j in pairs.itertuples(index=False)}


def _check_duplicates(keys: _Keys, raw: RawTable, roles: Roles, reading: Reading) -> str:
    """Refuse rows of one cell unless they are repeats; return a phrase for what is averaged."""
    of_fold, distinct = pd.factorize(keys.cell_fold)
    runs = of_fold if keys.repeat is None else of_fold * len(keys.repeats) + keys.repeat
    twice = np.flatnonzero(pd.Series(runs).duplicated())
    named = reading.fold is not None or reading.repeat is not None or is_own(raw)
    found = differing(raw, keys.cell, keys.row, roles.unused) if len(twice) or not named else {}
    if not len(twice) and not found:
        several = len(distinct) < len(of_fold)
        return f"repeats ({len(keys.repeats):,} different values)" if several else ""
    shown = [*found.items()][:_MOST_DIFFERING]
    which = " and ".join(f"{quote(c)} ({quote_list(v, limit=3)})" for c, v in shown)
    remedies = "keep one value with where=…, or join the column to the algorithm with a second"
    template = tell_apart(raw, runs, keys.row, found, roles.algorithm)
    if not len(twice):
        problem = f"rows of one task and algorithm differ in {which}, so they are not averaged"
    else:
        first = int(twice[0])
        rows = [int(keys.row[i]) for i in (int(np.flatnonzero(runs == runs[first])[0]), first)]
        places = " and ".join(raw.row(row).removeprefix(f"{raw.name}, ") for row in rows)
        # A row of a wide table holds several cells, but is shown once.
        problem = (
            f"{count(len(np.unique(keys.row[twice])), 'row')} with a task and algorithm that an"
            f" earlier row has, first {keys.show(first)} ({places})"
        )
        if not found:
            raise ResultsError(
                f"{raw.name}: {problem}; drop them, or pass repeat='@row' if they are repeats"
            )
        problem += f"; they differ in {which}"
        remedies = f"average over it with repeat=…, {remedies}"
        column = next(iter(found))
        shared = not roles.across and raw.is_shared(column, roles.algorithm or FILE)
        if roles.dataset is None and shared and len(found) == 1:
            codes, names = raw.codes(column)
            of_dataset = pd.Series(runs * (len(names) + 1) + codes[keys.row])
            if not of_dataset.duplicated().any():
                dataset, task = column, str(roles.task)
                if normalise(dataset) == "class":  # classes are tasks of a dataset
                    dataset, task = task, dataset
                template = {"dataset": dataset, "task": task}
                raise UnclearTableError(raw, [f"{problem}. Is it the dataset?"], template)
    raise UnclearTableError(raw, [f"{problem}: {remedies} algorithm=…"], template)


# -- folds -----------------------------------------------------------------------------------------


def _counted(
    keys: _Keys, score: Floats, by_status: States, raw: RawTable, notes: list[str]
) -> Integers:
    """Return the scores that count, of cells in which no run failed and no fold is lacking."""
    # A missing score fails its cell, but a fold or repeat without one counts as absent.
    folded = keys.fold is not None or keys.repeat is not None
    absent = (by_status == _OK) & np.isnan(score)
    state = np.where(absent, np.int8(_ABSENT if folded else _FAILED), by_status)
    missing = keys.cells_with((state == _FAILED) | (state == _NOT_RUN))
    if keys.fold is not None:
        if missing.size * len(keys.folds) > _MOST_FOLD_CELLS:
            raise ResultsError(
                f"{raw.name}: the fold column has {len(keys.folds):,} distinct values, too many for"
                " folds; name the column of folds with fold=…"
            )
        missing |= _without_folds(keys, state, missing, raw, notes)
    _note_states(keys, state, by_status, raw, notes)
    return np.flatnonzero((state == _OK) & ~missing.ravel()[keys.cell])


def _without_folds(
    keys: _Keys, state: States, failed: Mask, raw: RawTable, notes: list[str]
) -> Mask:
    """Return the cells without folds that other algorithms have on the same task."""
    has = np.zeros((*failed.shape, len(keys.folds)), dtype=bool)
    has.ravel()[keys.cell_fold[state != _ABSENT]] = True
    n_had = has.sum(axis=2)
    sound = ~failed & (n_had > 0)
    expected = (has & sound[:, :, None]).any(axis=1)
    unequal: Mask = sound & (n_had < expected.sum(axis=1)[:, None])
    if unequal.any():
        row, column = (int(i) for i in np.argwhere(unequal)[0])
        notes.append(
            f"{raw.name}: {count(unequal.sum(), 'cell')} without folds that other algorithms have"
            f" (first {show_task(keys.tasks[row])}: {quote(keys.algorithms[column])} has"
            f" {n_had[row, column]} of {expected[row].sum()} folds); {FAILURES}"
        )
    return unequal


def _means(groups: Integers, values: Floats, chosen: Integers, size: int) -> Floats:
    """Return the mean of the chosen values of each group, NaN if there is none."""
    n_values = np.bincount(groups[chosen], minlength=size)
    sums = np.bincount(groups[chosen], weights=values[chosen], minlength=size)
    means: Floats = np.divide(sums, n_values, out=np.full(size, np.nan), where=n_values > 0)
    return means


def _average_folds(
    keys: _Keys, score: Floats, counted: Integers
) -> tuple[Floats, pd.DataFrame, pd.DataFrame]:
    """Return the mean over folds of the mean over repeats, the scores by fold, and the CVSD."""
    size = len(keys.tasks) * len(keys.algorithms) * len(keys.folds)
    by_fold = _means(keys.cell_fold, score, counted, size).reshape(-1, len(keys.folds))
    folds = pd.DataFrame(by_fold)
    spread = folds.std(axis=1).to_numpy(copy=True)
    labels, by_run = [keys.algorithms, keys.folds], by_fold
    if keys.repeat is not None:
        frame = pd.DataFrame(
            {"cell": keys.cell, "fold": keys.fold, "repeat": keys.repeat, "score": score}
        ).iloc[counted]
        # The spread is over the folds of one repeat, averaged over repeats.
        within = frame.groupby(["cell", "repeat"], sort=False)["score"].std().dropna()
        if len(within):
            spread[:] = np.nan
            averaged = within.groupby("cell").mean()
            spread[averaged.index] = averaged
        runs = frame.groupby(["cell", "fold", "repeat"], sort=False)["score"].mean()
        n_runs = size * len(keys.repeats)
        if len(runs) > folds.count().sum() and n_runs <= _MOST_FOLD_CELLS:  # each repeat counts
            by_run = np.full((*by_fold.shape, len(keys.repeats)), np.nan)
            by_run[tuple(runs.index.get_level_values(i) for i in range(3))] = runs
            labels.append(keys.repeats)
    values = by_run.reshape(len(keys.tasks), -1)
    used = np.flatnonzero(~np.isnan(values).all(axis=0))
    places = np.unravel_index(used, tuple(map(len, labels)))
    columns = pd.MultiIndex.from_arrays(
        [np.array(n, dtype=object)[place] for n, place in zip(labels, places, strict=True)],
        names=["algorithm", "fold", "repeat"][: len(labels)],
    )
    table = pd.DataFrame(values[:, used], index=keys.tasks, columns=columns)
    return folds.mean(axis=1).to_numpy(), table, keys.frame(spread)


def _note_states(
    keys: _Keys, state: States, by_status: States, raw: RawTable, notes: list[str]
) -> None:
    """Note the rows that do not count."""
    for chosen, problem, consequence in (
        (by_status == _FAILED, "with a failed status", f"; {FAILURES}"),
        (by_status == _NOT_RUN, "not run according to the status", f"; {FAILURES}"),
        (state == _ABSENT, "without a score", " ignored."),
    ):
        if chosen.any():
            first = keys.show(int(np.flatnonzero(chosen)[0]))
            notes.append(
                f"{raw.name}: {count(chosen.sum(), 'row')} {problem} (first {first}){consequence}"
            )
    undefined = by_status == _UNDEFINED
    if undefined.any():
        failed = keys.cells_with((state == _FAILED) | (state == _NOT_RUN))
        partly = keys.cells_with(undefined) & keys.cells_with(state == _OK) & ~failed
        notes.append(
            f"{raw.name}: {count(undefined.sum(), 'row')} without a defined score;"
            f" {count(partly.sum(), 'cell')} averaged over the other folds."
        )


# -- traits and names ------------------------------------------------------------------------------


def _traits(
    raw: RawTable, roles: Roles, tasks: pd.MultiIndex, task_of_row: Integers, notes: list[str]
) -> pd.DataFrame:
    """Return the traits of each task; those that vary within one are averaged."""
    columns = {}
    # In a leaderboard, traits of rows are traits of algorithms.
    for name, column in () if roles.across == "task" else roles.traits.items():
        numbers = raw.numbers(column)
        wrong = np.flatnonzero(numbers.wrong | np.isinf(numbers.values))
        if len(wrong):
            cell = raw.frame[column].iloc[wrong[0]]
            raise ResultsError(
                f"{raw.row(wrong[0])}, column {quote(column)}: {quote(cell)} is not a finite"
                " number; write the trait as a number or leave the cell empty"
            )
        by_task = pd.Series(numbers.values).groupby(task_of_row, sort=True)
        spread = by_task.max() - by_task.min()
        if (spread > 0).any():
            notes.append(
                f"{raw.name}: the trait {quote(name)} varies within"
                f" {count((spread > 0).sum(), 'task')}; its mean is used."
            )
        # The mean of equal numbers may differ from them in the last place.
        columns[name] = by_task.mean().where(spread != 0, by_task.first()).to_numpy(float)
    return pd.DataFrame(columns, index=tasks)


def task_labels(raw: RawTable, roles: Roles, reading: Reading, column: str) -> pd.Series:
    """Return the name in a column for each task, None where it is empty."""
    if roles.across == "task":
        raise ArgumentError(f"by={column!r} needs tasks in rows; in this table they are columns")
    keys, _, task_of_row = _keys(raw, roles, reading, [])
    found = pd.DataFrame({"task": task_of_row, "name": raw.row_names(column)}).drop_duplicates()
    if found["task"].duplicated().any():
        raise ArgumentError(
            f"by={column!r} varies within tasks; every row of a task must have one value"
        )
    return pd.Series(found["name"].to_numpy(object), index=keys.tasks[found["task"]])


def _column_names(roles: Roles, reading: Reading) -> dict[str, str]:
    """Return the names of the columns in the source, as far as they hold what is read."""
    names = {
        role: getattr(roles, role)
        for role in ("suite", "dataset", "task", "algorithm", "fold", "status", "metric", "score")
    }
    if reading.score_name is not None:
        names["score"] = None
    if reading.dataset_from is not None:
        names["dataset"] = None
    if reading.algorithm_from is not None:
        names["algorithm"] = names["task"] = None
    names |= {f"trait {name}": column for name, column in roles.traits.items()}
    return {role: name for role, name in names.items() if name not in {None, FILE, ROW}}
