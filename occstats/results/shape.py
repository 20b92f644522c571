"""From cells to a results table: keys checked, repeats and folds averaged, failures set aside."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.cells import FAILED, OK, Cells
from occstats.results.facts import Facts
from occstats.results.names import count, quote, quote_list
from occstats.results.options import Reading
from occstats.results.readers.raw import RawTable
from occstats.results.roles import Roles
from occstats.results.table import CLUSTER, FAILURES, TASK, Results, show_task

__all__ = ["shape"]

_MOST_FOLD_CELLS = 50_000_000
_MOST_LABELS, _MOST_PAIRED = 200, 6
# The state of a fold that has a row but no score.
ABSENT = 3


@dataclass(frozen=True)
class _Keys:
    """The identity of each cell as numbers, and the names they stand for."""

    task: npt.NDArray[np.int64]
    algorithm: npt.NDArray[np.int64]
    fold: npt.NDArray[np.int64]
    repeat: npt.NDArray[np.int64]
    tasks: pd.MultiIndex
    algorithms: list[str]
    folds: list[str]
    repeats: list[str]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.tasks), len(self.algorithms)

    def show(self, i: int) -> str:
        """Name a cell in a message."""
        task = show_task(self.tasks[self.task[i]])
        return f"{task}: {quote(self.algorithms[self.algorithm[i]])}"


def shape(cells: Cells, facts: Facts, roles: Roles, reading: Reading) -> Results:
    """Bring the cells of one source into a table of tasks and algorithms."""
    raw, notes = facts.raw, list(cells.notes)
    keys = _number(cells)
    repeated = _check_duplicates(cells, keys, facts, roles, reading)
    if repeated:
        notes.append(f"{raw.name}: scores averaged over {repeated}.")
    # A score that is not there fails its cell, as if the status said so ...
    state = np.where((cells.state == OK) & np.isnan(cells.score), FAILED, cells.state)
    unequal = None
    if cells.fold is not None or cells.repeat is not None:
        # ... but a fold or a repeat without a score is like one that is not there.
        state = np.where((cells.state == OK) & np.isnan(cells.score), ABSENT, state)
    if cells.fold is not None:
        state, unequal = _settle_folds(keys, state, reading.unequal_folds, raw, notes)
    missing = _failed_cells(cells, keys, state, raw, notes, unequal)
    counted = (state == OK) & ~missing[keys.task, keys.algorithm]
    frame = pd.DataFrame(
        {
            "task": keys.task,
            "algorithm": keys.algorithm,
            "fold": keys.fold,
            "repeat": keys.repeat,
            "score": cells.score,
            "spread": np.nan if cells.spread is None else cells.spread,
        }
    ).loc[counted]
    fold_scores = cvsd = None
    by_cell = ["task", "algorithm"]
    scores = frame
    if cells.fold is not None or repeated:
        per_fold = frame.groupby([*by_cell, "fold"], sort=False)["score"].mean()
        scores = per_fold.groupby(by_cell, sort=False).mean().reset_index()
    if cells.fold is not None:
        fold_scores = _fold_table(per_fold, keys, raw)
        runs = frame.groupby([*by_cell, "fold", "repeat"], sort=False)["score"].mean()
        if len(runs) > len(per_fold):  # the same fold several times: every time counts
            fold_scores = _run_table(runs, keys, fold_scores)
        # The spread over folds is that of one repeat; repeats only make it steadier.
        per_repeat = frame.groupby([*by_cell, "repeat"], sort=False)["score"].std()
        cvsd = _table(per_repeat.groupby(by_cell, sort=False).mean().reset_index(), "score", keys)
    elif cells.spread is not None:
        spreads = frame.groupby(by_cell, sort=False)["spread"].mean().reset_index()
        cvsd = _table(spreads, "spread", keys)
    table = _table(scores, "score", keys)
    return Results(
        scores=table,
        traits=_task_traits(cells, keys, raw, notes),
        score_name=cells.score_name,
        higher_is_better=cells.higher_is_better,
        fold_scores=fold_scores,
        cvsd=cvsd,
        notes=tuple(notes),
        sources=(raw.name.strip("'\""),),
        suites=None if cells.suite is None else _suites(cells, raw, roles),
        column_names=cells.column_names,
        recorded_failures=_recorded_failures(cells, keys, table),
    )


def _recorded_failures(cells: Cells, keys: _Keys, scores: pd.DataFrame) -> pd.DataFrame | None:
    """Return the cells without a score in which the source records a failure, if there are any."""
    failed = np.zeros(keys.shape, dtype=bool)
    failed[keys.task[cells.failed], keys.algorithm[cells.failed]] = True
    failed &= scores.isna().to_numpy()
    if not failed.any():
        return None
    return pd.DataFrame(failed, index=scores.index, columns=scores.columns)


def _suites(cells: Cells, raw: RawTable, roles: Roles) -> dict[str, str]:
    """The suite of each data set, which must be one."""
    pairs = pd.DataFrame({"dataset": cells.cluster, "suite": cells.suite}).drop_duplicates()
    names = pairs.groupby("dataset", sort=False)["suite"].agg(list)
    several = names[names.map(len) > 1]
    if len(several):
        shown = [f"{quote(name)} in {quote_list(suites)}" for name, suites in several[:3].items()]
        more = f" and {len(several) - 3:,} more" if len(several) > 3 else ""
        raise ResultsError(
            f"{raw.name}: cluster={[roles.suite, roles.cluster]!r} asks for data sets within"
            f" suites, but {count(len(several), 'data set')} of {len(names):,} stand in several:"
            f" {'; '.join(shown)}"
            f"{more}; name the outermost column first, or give each data set a name of its own"
        )
    return {str(name): suites[0] for name, suites in names.items()}


def _number(cells: Cells) -> _Keys:
    cluster, clusters = pd.factorize(cells.cluster)
    task, tasks = pd.factorize(cells.task)
    pair, pairs = pd.factorize(cluster.astype(np.int64) * len(tasks) + task)
    algorithm, algorithms = pd.factorize(cells.algorithm)
    nothing = np.zeros(len(cells.score), dtype=np.int64)
    fold, folds = (nothing, [""]) if cells.fold is None else pd.factorize(cells.fold)
    repeat, repeats = (nothing, [""]) if cells.repeat is None else pd.factorize(cells.repeat)
    index = pd.MultiIndex.from_arrays(
        [clusters[pairs // len(tasks)], tasks[pairs % len(tasks)]], names=[CLUSTER, TASK]
    )
    names = (list(algorithms), list(folds), list(repeats))
    return _Keys(pair, algorithm, fold, repeat, index, *names)


def _check_duplicates(
    cells: Cells, keys: _Keys, facts: Facts, roles: Roles, reading: Reading
) -> str:
    """Refuse rows with the same key; say over what is averaged, if rows differ by repeat only."""
    raw = facts.raw
    by_fold = (keys.task * len(keys.algorithms) + keys.algorithm) * len(keys.folds) + keys.fold
    if pd.Series(by_fold).is_unique:
        return ""
    labels = pd.factorize(by_fold)[0].astype(np.int64)
    whole = pd.Series(labels * (int(keys.repeat.max()) + 1) + keys.repeat)
    twice = np.flatnonzero(whole.duplicated())
    if not len(twice):
        return f"repeats ({len(np.unique(keys.repeat)):,} different values)"
    if reading.duplicates == "average":
        return f"{len(twice) + len(np.unique(whole[twice])):,} rows of the same key"
    # A row of a wide table holds several cells; it is shown once.
    twice = twice[np.unique(cells.row[twice], return_index=True)[1]]
    shown = []
    for i in twice[:3]:
        first = int(np.flatnonzero(whole == whole[i])[0])
        fold = "" if cells.fold is None else f", fold {quote(keys.folds[keys.fold[i]])}"
        places = [raw.row(int(cells.row[j])).removeprefix(f"{raw.name}, ") for j in (first, int(i))]
        shown.append(f"{keys.show(int(i))}{fold} ({' and '.join(places)})")
    problem = (
        f"{raw.name}: {count(len(twice), 'row')} with a key that stands there already:"
        f" {'; '.join(shown)}"
    )
    apart = _tells_apart(facts, roles, pd.unique(cells.row))
    if apart is not None:
        usual = {
            c: next((v for v in values if v.casefold() == "default"), values[0])
            for c, values in apart.items()
        }
        which = " and ".join(f"{quote(c)} ({quote_list(v, limit=5)})" for c, v in apart.items())
        raise ResultsError(
            f"{problem}; they differ in {which}: keep one of these with where=…, or say that it is"
            " the task, fold or repeat with task=…, fold=… or repeat=…",
            {"where": [f"{column}={value}" for column, value in usual.items()]},
        )
    raise ResultsError(
        f"{problem}; drop them, or say which column tells them apart with task=…, fold=… or"
        f" repeat=… (found {', '.join(quote(column) for column in raw.columns[:20])}), or that they"
        " are repeats to be averaged",
        {"duplicates": "average"},
    )


def _tells_apart(
    facts: Facts, roles: Roles, rows: npt.NDArray[np.int64]
) -> dict[str, list[str]] | None:
    """The columns of labels, one or two, that tell rows of the same key apart, and their values."""
    used = {*roles.keys, roles.score, roles.status, *roles.columns, *roles.asked_traits}
    labels: dict[str, list[str]] = {}
    for column in facts.raw.columns[:_MOST_LABELS]:
        if column in used or facts.is_fractional(column):
            continue
        values = [name for name in dict.fromkeys(facts.names(column)) if name is not None]
        if 1 < len(values) <= max(2, len(rows) // 4):
            labels[column] = values
    pairs = combinations(list(labels)[:_MOST_PAIRED], 2)
    for columns in (*((column,) for column in labels), *pairs):
        if facts.is_distinct(*roles.keys, *columns):
            return {column: labels[column] for column in columns}
    return None


def _settle_folds(
    keys: _Keys,
    state: npt.NDArray[np.int8],
    unequal_folds: str,
    raw: RawTable,
    notes: list[str],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_] | None]:
    """Find cells that lack folds which other algorithms have on the same task."""
    n_tasks, n_algorithms = keys.shape
    n_folds = len(keys.folds)
    healthy = np.ones((n_tasks, n_algorithms), dtype=bool)
    np.logical_and.at(healthy, (keys.task, keys.algorithm), state != FAILED)
    counts = np.zeros((n_tasks, n_algorithms), dtype=np.int64)
    # numpy's own unique takes seconds on a million of these.
    cell_folds = (keys.task * n_algorithms + keys.algorithm) * n_folds + keys.fold
    unique_cell_folds = pd.unique(cell_folds[state != ABSENT])
    np.add.at(counts.reshape(-1), unique_cell_folds // n_folds, 1)
    cell = unique_cell_folds // n_folds
    sound = healthy.reshape(-1)[cell]
    task_fold = (cell // n_algorithms) * n_folds + unique_cell_folds % n_folds
    task_folds, having = np.unique(task_fold[sound], return_counts=True)
    expected = np.bincount(task_folds // n_folds, minlength=n_tasks)
    unequal = healthy & (counts > 0) & (counts < expected[:, None])
    if not unequal.any():
        return state, None
    row, column = (int(i) for i in np.argwhere(unequal)[0])
    n_folds_had = f"{counts[row, column]} of {expected[row]} folds"
    example = f"{show_task(keys.tasks[row])}: {quote(keys.algorithms[column])} has {n_folds_had}"
    found = (
        f"{raw.name}: {count(unequal.sum(), 'cell')} without folds that others have"
        f" (first {example})"
    )
    if unequal_folds == "missing":
        notes.append(
            f"{found}; they count as missing (unequal_folds='common' averages the folds that all"
            " have, 'own' those that each has)."
        )
        return state, unequal
    if unequal_folds == "own":
        notes.append(f"{found}; each mean is over the algorithm's own folds.")
        return state, None
    notes.append(f"{found}; means are over the folds that all algorithms have on a task.")
    present = (healthy & (counts > 0)).sum(axis=1)
    shared = np.sort(task_folds[having == present[task_folds // n_folds]])
    mine = keys.task * n_folds + keys.fold
    kept = np.isin(mine, shared)
    return np.where((state == OK) & ~kept, np.int8(1), state), None


def _failed_cells(
    cells: Cells,
    keys: _Keys,
    state: npt.NDArray[np.int8],
    raw: RawTable,
    notes: list[str],
    unequal: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.bool_]:
    """Say which cells have no score because a row of theirs failed or nothing in them counts."""
    failed = np.zeros(keys.shape, dtype=bool)
    failed[keys.task[state == FAILED], keys.algorithm[state == FAILED]] = True
    counted = np.zeros(keys.shape, dtype=bool)
    counted[keys.task[state == OK], keys.algorithm[state == OK]] = True
    by_status = np.flatnonzero((cells.state == FAILED) & cells.failed)
    not_run = np.flatnonzero((cells.state == FAILED) & ~cells.failed)
    empty = state == ABSENT
    if len(by_status):
        notes.append(
            f"{raw.name}: {count(len(by_status), 'row')} with a failed status (first"
            f" {keys.show(int(by_status[0]))}); {FAILURES}"
        )
    if len(not_run):
        notes.append(
            f"{raw.name}: {count(len(not_run), 'row')} not run according to the status (first"
            f" {keys.show(int(not_run[0]))}); {FAILURES}"
        )
    if empty.any():
        first = int(np.flatnonzero(empty)[0])
        notes.append(
            f"{raw.name}: {count(empty.sum(), 'row')} without a score (first {keys.show(first)}),"
            " as if they were not there."
        )
    undefined = (cells.state != OK) & (cells.state != FAILED)
    if undefined.any():
        partly = np.zeros(keys.shape, dtype=bool)
        partly[keys.task[undefined], keys.algorithm[undefined]] = True
        partly &= counted & ~failed
        notes.append(
            f"{raw.name}: {count(undefined.sum(), 'row')} without a defined score;"
            f" {count(partly.sum(), 'cell')} averaged over the other folds."
        )
    if unequal is not None:
        failed |= unequal
    return failed | ~counted


def _table(values: pd.DataFrame, column: str, keys: _Keys) -> pd.DataFrame:
    table = np.full(keys.shape, np.nan)
    table[values["task"].to_numpy(), values["algorithm"].to_numpy()] = values[column].to_numpy()
    return pd.DataFrame(table, index=keys.tasks, columns=pd.Index(keys.algorithms, dtype=object))


def _fold_table(per_fold: pd.Series, keys: _Keys, raw: RawTable) -> pd.DataFrame:
    used = per_fold.index.to_frame(index=False).to_numpy()
    n_folds = len(keys.folds)
    pairs, column = np.unique(used[:, 1] * n_folds + used[:, 2], return_inverse=True)
    if len(keys.tasks) * len(pairs) > _MOST_FOLD_CELLS:
        raise ResultsError(
            f"{raw.name}: the column of folds has {n_folds:,} different values, too many for folds;"
            " say which column holds the fold with fold=…"
        )
    table = np.full((len(keys.tasks), len(pairs)), np.nan)
    table[used[:, 0], column] = per_fold.to_numpy()
    names = [(keys.algorithms[pair // n_folds], keys.folds[pair % n_folds]) for pair in pairs]
    columns = pd.MultiIndex.from_tuples(names, names=["algorithm", "fold"])
    return pd.DataFrame(table, index=keys.tasks, columns=columns)


def _run_table(runs: pd.Series, keys: _Keys, averaged: pd.DataFrame) -> pd.DataFrame:
    """Scores per fold and repeat; averaged over repeats where that would be too many columns."""
    levels = [runs.index.get_level_values(level).to_numpy() for level in range(4)]
    n_folds, n_repeats = len(keys.folds), len(keys.repeats)
    codes = (levels[1] * n_folds + levels[2]) * n_repeats + levels[3]
    found, column = np.unique(codes, return_inverse=True)
    if len(keys.tasks) * len(found) > _MOST_FOLD_CELLS:
        return averaged
    table = np.full((len(keys.tasks), len(found)), np.nan)
    table[levels[0], column] = runs.to_numpy()
    names = [
        (
            keys.algorithms[code // (n_folds * n_repeats)],
            keys.folds[code // n_repeats % n_folds],
            keys.repeats[code % n_repeats],
        )
        for code in found
    ]
    columns = pd.MultiIndex.from_tuples(names, names=["algorithm", "fold", "repeat"])
    return pd.DataFrame(table, index=keys.tasks, columns=columns)


def _task_traits(cells: Cells, keys: _Keys, raw: RawTable, notes: list[str]) -> pd.DataFrame:
    if cells.traits.shape[1] == 0:
        return pd.DataFrame(index=keys.tasks)
    by_task = cells.traits.groupby(keys.task, sort=True)
    spread = by_task.max() - by_task.min()
    for name in cells.traits.columns:
        varying = int((spread[name] > 0).sum())
        if varying:
            notes.append(
                f"{raw.name}: the trait {quote(name)} varies within {count(varying, 'task')}; its"
                " mean is taken."
            )
    # The mean of equal numbers may differ from them in the last bit.
    means: pd.DataFrame = by_task.mean().where(spread != 0, by_task.first())
    return means.astype(np.float64).set_axis(keys.tasks, axis=0)
