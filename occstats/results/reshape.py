"""Reshape a raw table with known roles into a results table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import is_index, is_time, state_of
from occstats.results.ask import BLANK, UnclearTableError
from occstats.results.cells import (
    ParsedTable,
    explain_text,
    looks_like_decimal_comma,
    says_failed,
    without_markup,
)
from occstats.results.readers.frames import FILE, ROW, RawTable
from occstats.results.reading import Reading
from occstats.results.roles import Roles, extract, is_own
from occstats.results.table import DATASET, FAILURES, TASK, Results, show_task

__all__ = ["reshape"]

Names = npt.NDArray[np.object_]
Floats = npt.NDArray[np.float64]

_OK, _UNDEFINED, _FAILED = 0, 1, 2
# By its status; in the result, such a row is _FAILED without a recorded failure.
_NOT_RUN = 3
_EXACT = 2.0**53
_MOST_FOLD_CELLS = 50_000_000
_MOST_DIFFERING = 3
# State of a fold with a row but without a score.
_ABSENT = 3


@dataclass
class _Cells:
    """Parallel arrays, one entry per score; ``row`` is its row in the source.

    ``failed`` is true if the source records a failed run: by its status, by a word such as TIMEOUT
    or NaN in place of the score, or by an infinitely bad score.
    """

    dataset: Names
    task: Names
    algorithm: Names
    score: Floats
    state: npt.NDArray[np.int8]
    failed: npt.NDArray[np.bool_]
    row: npt.NDArray[np.int64]
    fold: Names | None
    repeat: Names | None
    traits: pd.DataFrame
    score_name: str
    suite: Names | None = None
    higher_is_better: bool = True
    spread: Floats | None = None
    notes: list[str] = field(default_factory=list)
    column_names: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Keys:
    """Keys of each cell as integer codes, and the names they encode."""

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

    def cells_with(self, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return the cells (tasks × algorithms) with at least one of the chosen scores."""
        found = np.zeros(self.shape, dtype=bool)
        found[self.task[chosen], self.algorithm[chosen]] = True
        return found

    def show(self, i: int) -> str:
        """Return the name of a cell for a message."""
        task = show_task(self.tasks[self.task[i]])
        return f"{task}: {quote(self.algorithms[self.algorithm[i]])}"


def reshape(parsed: ParsedTable, roles: Roles, reading: Reading) -> Results:
    """Check keys, average repeats and folds, set failures aside, and make the results table."""
    cells = _gather(parsed, roles, reading)
    raw, notes = parsed.raw, list(cells.notes)
    suites = None if cells.suite is None else _suites(cells, raw, roles)
    keys = _number(cells)
    repeated = _check_duplicates(cells, keys, parsed, roles, reading)
    if repeated:
        notes.append(f"{raw.name}: scores averaged over {repeated}.")
    # A missing score fails its cell, like a failed status ...
    state = np.where((cells.state == _OK) & np.isnan(cells.score), _FAILED, cells.state)
    unequal = None
    if cells.fold is not None or cells.repeat is not None:
        # ... but a fold or repeat without a score counts as absent.
        state = np.where((cells.state == _OK) & np.isnan(cells.score), _ABSENT, state)
    if cells.fold is not None:
        state, unequal = _settle_folds(keys, state, reading.unequal_folds, raw, notes)
    missing = _failed_cells(cells, keys, state, raw, notes, unequal)
    counted = (state == _OK) & ~missing[keys.task, keys.algorithm]
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
        fold_scores = _run_table(per_fold, keys)
        if fold_scores is None:
            raise ResultsError(
                f"{raw.name}: the fold column has {len(keys.folds):,} distinct values, too many for"
                " folds; name the column of folds with fold=…"
            )
        runs = frame.groupby([*by_cell, "fold", "repeat"], sort=False)["score"].mean()
        if len(runs) > len(per_fold):  # repeated folds: each repeat counts, unless too many
            by_run = _run_table(runs, keys)
            fold_scores = fold_scores if by_run is None else by_run
        # The spread is over the folds of one repeat, averaged over repeats.
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
        suites=suites,
        column_names=cells.column_names,
        recorded_failures=_recorded_failures(cells, keys, table),
    )


def _gather(parsed: ParsedTable, roles: Roles, reading: Reading) -> _Cells:
    """Check the cells of the needed columns, and convert long and wide tables to one form."""
    raw, notes = parsed.raw, list(parsed.raw.notes)
    rows = np.arange(raw.n_rows)
    if roles.metric is not None and reading.metric is not None:
        rows = np.flatnonzero(parsed.names(roles.metric) == reading.metric)
    names = list(roles.columns) if roles.across else [roles.score or ""]
    state = _states(parsed, roles, rows)
    values, spread = _scores(parsed, names, rows, state)
    failed = _failures(parsed, names, rows, state, notes)
    values = values * reading.scale
    failed |= np.isinf(values)
    values = _finite(parsed, names, rows, values, roles, notes)
    each = values.shape[1]
    dataset, task, algorithm = _identities(parsed, roles, reading, rows, notes)
    traits = _traits(parsed, roles, rows)
    if spread is not None:
        notes.append(f"{raw.name}: the spreads written after the scores are kept as CVSD.")
    return _Cells(
        dataset=dataset,
        task=task,
        algorithm=algorithm,
        score=values.ravel(),
        state=np.repeat(np.where(state == _NOT_RUN, _FAILED, state).astype(np.int8), each),
        failed=failed.ravel(),
        row=np.repeat(rows, each),
        fold=_repeated(parsed, roles.fold, rows, each),
        repeat=_repeated(parsed, roles.repeat, rows, each),
        traits=traits.iloc[np.repeat(np.arange(len(rows)), each)].reset_index(drop=True),
        score_name=roles.score_name,
        suite=_repeated(parsed, roles.suite, rows, each),
        higher_is_better=not roles.lower,
        spread=None if spread is None else spread.ravel() * reading.scale,
        notes=notes,
        column_names=_column_names(roles, reading),
    )


def _scores(
    parsed: ParsedTable,
    names: Sequence[str],
    rows: npt.NDArray[np.int64],
    state: npt.NDArray[np.int8],
) -> tuple[Floats, Floats | None]:
    """Return the scores (rows × columns) and their spreads; failed rows are not checked."""
    raw, relevant = parsed.raw, state == _OK
    values, spreads = [], []
    for name in names:
        numbers = parsed.numbers(name)
        found, wrong = numbers.values[rows], numbers.wrong[rows] & relevant
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            cell = raw.read([name])[name].iloc[rows[first]]
            raise ResultsError(
                f"{raw.row(rows[first])}, column {quote(name)}: {quote(cell)} is not a number"
                f" ({count(wrong.sum(), 'such cell')}); {explain_text(cell, parsed.decimal)}",
                {"decimal": ","}
                if looks_like_decimal_comma(cell) and parsed.decimal == "."
                else None,
            )
        _check_exact(parsed, name, rows[relevant & (np.abs(found) >= _EXACT)])
        values.append(np.where(relevant, found, np.nan))
        spreads.append(numbers.spread[rows] if numbers.spread is not None else None)
    if all(spread is None for spread in spreads):
        return np.column_stack(values), None
    empty = np.full(len(rows), np.nan)
    return np.column_stack(values), np.column_stack([empty if s is None else s for s in spreads])


def _finite(
    parsed: ParsedTable,
    names: Sequence[str],
    rows: npt.NDArray[np.int64],
    values: Floats,
    roles: Roles,
    notes: list[str],
) -> Floats:
    """Turn infinitely bad scores into missing ones; refuse infinitely good ones."""
    infinite = np.isinf(values)
    wrong = np.argwhere(values == (-np.inf if roles.lower else np.inf))
    if len(wrong):
        row, column = wrong[0]
        raise ResultsError(
            f"{parsed.raw.row(rows[row])}, column {quote(names[column])}: {values[row, column]} is"
            f" not a score ({count(len(wrong), 'such cell')}); correct it, or leave the cell empty"
        )
    if infinite.any():
        notes.append(
            f"{parsed.raw.name}: {count(infinite.sum(), 'infinite score')}, taken as failed runs;"
            f" {FAILURES}"
        )
    return np.where(infinite, np.nan, values)


def _check_exact(parsed: ParsedTable, name: str, large: npt.NDArray[np.int64]) -> None:
    """Refuse integers that floats cannot represent, because different ones would tie."""
    for row in large:
        cell = parsed.raw.read([name])[name].iloc[row]
        text = str(cell).strip()
        # `int` accepts neither infinity nor more than 4,300 digits.
        if re.fullmatch(r"[+-]?\d+", text) and Decimal(text) != Decimal(float(text)):
            raise ResultsError(
                f"{parsed.raw.row(row)}, column {quote(name)}: {quote(cell)} has more digits than a"
                " float keeps (integers up to 2^53 are exact); subtract a constant or rescale"
            )


def _failures(
    parsed: ParsedTable,
    names: Sequence[str],
    rows: npt.NDArray[np.int64],
    state: npt.NDArray[np.int8],
    notes: list[str],
) -> npt.NDArray[np.bool_]:
    """Return the cells of runs that failed by their status or by a word such as TIMEOUT."""
    failed = np.repeat((state == _FAILED)[:, None], len(names), axis=1)
    words: dict[str, None] = {}
    found = 0
    for column, name in enumerate(names):
        empty = np.flatnonzero(np.isnan(parsed.numbers(name).values[rows]) & (state == _OK))
        if not len(empty):
            continue
        for row, cell in zip(empty.tolist(), parsed.names(name)[rows[empty]], strict=True):
            if says_failed(cell):
                failed[row, column] = True
                words[cell.strip()] = None
                found += 1
    if found:
        notes.append(
            f"{parsed.raw.name}: {count(found, 'cell')} of failed runs"
            f" ({quote_list(words, limit=3)}); {FAILURES}"
        )
    return failed


def _identities(
    parsed: ParsedTable,
    roles: Roles,
    reading: Reading,
    rows: npt.NDArray[np.int64],
    notes: list[str],
) -> tuple[Names, Names, Names]:
    """Return the dataset, task and algorithm of each cell."""
    raw, each = parsed.raw, max(len(roles.columns), 1)
    across = _bare(np.array(list(roles.labels), dtype=object), raw, notes)

    def names(column: str | None, otherwise: Names) -> Names:
        return otherwise if column is None else _bare(_names(parsed, column, rows), raw, notes)

    file = np.full(len(rows), raw.label or raw.stem, dtype=object)
    if roles.across == "task":
        algorithm = np.repeat(names(roles.algorithm, file), each)
        task = dataset = np.tile(across, len(rows))
    else:
        dataset = names(roles.dataset, file)
        task = names(roles.task, dataset)
        dataset = task if roles.dataset is None else dataset
        if roles.across:
            algorithm = np.tile(across, len(rows))
        elif roles.algorithm is None and reading.algorithm_from is not None:
            algorithm, task = _split(task, reading.algorithm_from, "algorithm_from")
            dataset = task if roles.dataset is None else dataset
        else:
            algorithm = names(roles.algorithm, file)
        dataset, task = np.repeat(dataset, each), np.repeat(task, each)
    if reading.algorithm_from is not None and not roles.across and roles.algorithm is not None:
        algorithm = _split(algorithm, reading.algorithm_from, "algorithm_from")[0]
    if reading.dataset_from is not None:
        dataset = _split(task, reading.dataset_from, "dataset_from")[0]
    return dataset, task, algorithm


def _split(names: Names, pattern: str, option: str) -> tuple[Names, Names]:
    """Return what a pattern finds in each name, and the rests."""
    codes, distinct = pd.factorize(names)
    parts = [extract(pattern, name, option) for name in distinct]
    found, rests = (np.array(part, dtype=object) for part in zip(*parts, strict=True))
    return found[codes], rests[codes]


def _names(parsed: ParsedTable, column: str, rows: npt.NDArray[np.int64]) -> Names:
    names = parsed.names(column)[rows]
    parsed.require_names(column, rows)
    if column in {FILE, ROW}:
        return names
    held = parsed.raw.read([column])[column].dtype.kind == "f"
    if held and (np.abs(parsed.numbers(column).values[rows]) >= _EXACT).any():
        raise ResultsError(
            f"{parsed.raw.name}, column {quote(column)}: integers beyond 2^53 lose their last"
            " digits as floats, so that different names become equal; give the column as text or"
            " integers"
        )
    return names


def _bare(names: Names, raw: RawTable, notes: list[str]) -> Names:
    """Remove links and markup from the names, and note it once."""
    bare, note = without_markup(names), f"{raw.name}: links and markup around names removed."
    if bare is not names and note not in notes:
        notes.append(note)
    return bare


def _repeated(
    parsed: ParsedTable, column: str | None, rows: npt.NDArray[np.int64], each: int
) -> Names | None:
    return None if column is None else np.repeat(_names(parsed, column, rows), each)


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


def _traits(parsed: ParsedTable, roles: Roles, rows: npt.NDArray[np.int64]) -> pd.DataFrame:
    traits: dict[str, Floats] = {}
    if roles.across == "task":  # here, traits of rows are traits of algorithms
        return pd.DataFrame(index=range(len(rows)))
    for name, column in roles.traits.items():
        numbers = parsed.numbers(column)
        wrong = (numbers.wrong | np.isinf(numbers.values))[rows]
        if wrong.any():
            first = rows[int(np.flatnonzero(wrong)[0])]
            cell = parsed.raw.read([column])[column].iloc[first]
            raise ResultsError(
                f"{parsed.raw.row(first)}, column {quote(column)}: {quote(cell)} is not a finite"
                " number; write the trait as a number or leave the cell empty"
            )
        traits[name] = numbers.values[rows]
    return pd.DataFrame(traits, index=range(len(rows)))


def _states(parsed: ParsedTable, roles: Roles, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    """Return the state of each row: ok, undefined, failed or not run."""
    if roles.status is None:
        return np.zeros(len(rows), dtype=np.int8)
    codes, labels = pd.factorize(parsed.names(roles.status)[rows], use_na_sentinel=True)
    code = {"ok": _OK, "undefined": _UNDEFINED, "failed": _FAILED, "not run": _NOT_RUN}
    # A row without a status counts if it has a score.
    return np.array([*(code[state_of(label)] for label in labels), _OK], dtype=np.int8)[codes]


def _recorded_failures(cells: _Cells, keys: _Keys, scores: pd.DataFrame) -> pd.DataFrame | None:
    """Return the cells without a score whose failure the source records, if there are any."""
    failed = keys.cells_with(cells.failed) & scores.isna().to_numpy()
    if not failed.any():
        return None
    return pd.DataFrame(failed, index=scores.index, columns=scores.columns)


def _suites(cells: _Cells, raw: RawTable, roles: Roles) -> dict[str, str]:
    """Return the suite of each dataset, which must be unique."""
    pairs = pd.DataFrame({"dataset": cells.dataset, "suite": cells.suite}).drop_duplicates()
    names = pairs.groupby("dataset", sort=False)["suite"].agg(list)
    several = names[names.map(len) > 1]
    if len(several):
        shown = [f"{quote(name)} in {quote_list(suites)}" for name, suites in several[:3].items()]
        more = f" and {len(several) - 3:,} more" if len(several) > 3 else ""
        raise ResultsError(
            f"{raw.name}: suite={roles.suite!r}, dataset={roles.dataset!r} asks for datasets within"
            f" suites, but {count(len(several), 'dataset')} of {len(names):,} are in several:"
            f" {'; '.join(shown)}"
            f"{more}; exchange the two columns, or give each dataset a unique name"
        )
    return {str(name): suites[0] for name, suites in names.items()}


def _number(cells: _Cells) -> _Keys:
    dataset, datasets = pd.factorize(cells.dataset)
    task, tasks = pd.factorize(cells.task)
    pair, pairs = pd.factorize(dataset.astype(np.int64) * len(tasks) + task)
    algorithm, algorithms = pd.factorize(cells.algorithm)
    nothing = np.zeros(len(cells.score), dtype=np.int64)
    fold, folds = (nothing, [""]) if cells.fold is None else pd.factorize(cells.fold)
    repeat, repeats = (nothing, [""]) if cells.repeat is None else pd.factorize(cells.repeat)
    index = pd.MultiIndex.from_arrays(
        [datasets[pairs // len(tasks)], tasks[pairs % len(tasks)]], names=[DATASET, TASK]
    )
    names = (list(algorithms), list(folds), list(repeats))
    return _Keys(pair, algorithm, fold, repeat, index, *names)


def _check_duplicates(
    cells: _Cells, keys: _Keys, parsed: ParsedTable, roles: Roles, reading: Reading
) -> str:
    """Refuse rows of one cell unless they are repeats; return a phrase for what is averaged."""
    cell = keys.task * len(keys.algorithms) + keys.algorithm
    if pd.Series(cell).is_unique:
        return ""
    labels = pd.factorize(cell * len(keys.folds) + keys.fold)[0].astype(np.int64)
    by_fold, whole = pd.Series(labels), pd.Series(labels * len(keys.repeats) + keys.repeat)
    twice = np.flatnonzero(whole.duplicated())
    if len(twice) and reading.duplicates == "average":
        return f"{len(twice) + len(np.unique(whole[twice])):,} rows of the same task"
    told = reading.fold is not None or reading.repeat is not None or is_own(parsed)
    if not len(twice) and not told:
        differing = _differing(cells, cell, parsed, roles)
        if differing:
            which = " and ".join(f"{quote(c)} ({quote_list(v, limit=3)})" for c, v in differing)
            raise UnclearTableError(
                parsed,
                [
                    f"rows of one task and algorithm differ in {which}, so they are not averaged;"
                    " keep one value with where=…, or join the column to the algorithm with a"
                    " second algorithm=…"
                ],
                {"where": BLANK["where"]},
            )
    if not len(twice):
        return "" if by_fold.is_unique else f"repeats ({len(keys.repeats):,} different values)"
    # A row of a wide table holds several cells, but is shown once.
    first = int(twice[0])
    rows = [int(cells.row[i]) for i in (int(np.flatnonzero(whole == whole[first])[0]), first)]
    n_rows = len(np.unique(cells.row[twice]))
    where = f"{parsed.raw.name}, "
    places = " and ".join(parsed.raw.row(row).removeprefix(where) for row in rows)
    problem = (
        f"{count(n_rows, 'row')} with a task and algorithm that an earlier row has, first"
        f" {keys.show(first)} ({places})"
    )
    differing = _differing(cells, cell, parsed, roles)
    if not differing:
        raise ResultsError(
            f"{where[:-2]}: {problem}; drop them, or pass duplicates='average' if they are repeats"
        )
    which = " and ".join(f"{quote(c)} ({quote_list(v, limit=3)})" for c, v in differing)
    raise UnclearTableError(
        parsed,
        [
            f"{problem}; they differ in {which}: keep one value with where=…, join the column to"
            " the algorithm with a second algorithm=…, or average over it with repeat=…"
        ],
        {"where": BLANK["where"]},
    )


def _differing(
    cells: _Cells, cell: npt.NDArray[np.int64], parsed: ParsedTable, roles: Roles
) -> list[tuple[str, list[str]]]:
    """Return unused columns that differ among rows of one cell, but for fractional numbers."""
    found = []
    labels = pd.factorize(cell)[0].astype(np.int64)
    n_cells = int(labels.max()) + 1
    for column in roles.unused:
        fractional = parsed.is_fractional(column) and column not in parsed.raw.index
        if fractional or is_time(column) or is_index(column):
            continue
        codes = parsed.codes(column)[cells.row]
        pairs = pd.unique(labels * (int(codes.max()) + 2) + codes + 1)
        if len(pairs) > n_cells:
            values = [name for name in dict.fromkeys(parsed.names(column)) if name is not None]
            found.append((column, values))
    return sorted(found, key=lambda item: len(item[1]))[:_MOST_DIFFERING]


def _settle_folds(
    keys: _Keys,
    state: npt.NDArray[np.int8],
    unequal_folds: str,
    raw: RawTable,
    notes: list[str],
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_] | None]:
    """Find cells without folds that other algorithms have on the same task."""
    n_tasks, n_algorithms = keys.shape
    n_folds = len(keys.folds)
    healthy = np.ones((n_tasks, n_algorithms), dtype=bool)
    np.logical_and.at(healthy, (keys.task, keys.algorithm), state != _FAILED)
    counts = np.zeros((n_tasks, n_algorithms), dtype=np.int64)
    # np.unique takes seconds for a million of these.
    cell_folds = (keys.task * n_algorithms + keys.algorithm) * n_folds + keys.fold
    unique_cell_folds = pd.unique(cell_folds[state != _ABSENT])
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
        f"{raw.name}: {count(unequal.sum(), 'cell')} without folds that other algorithms have"
        f" (first {example})"
    )
    if unequal_folds == "missing":
        notes.append(
            f"{found}; they count as missing (unequal_folds='common' averages the folds of all"
            " algorithms, 'own' those of each)."
        )
        return state, unequal
    if unequal_folds == "own":
        notes.append(f"{found}; each mean is over the algorithm's own folds.")
        return state, None
    notes.append(f"{found}; means are over the folds of a task that all algorithms have.")
    present = (healthy & (counts > 0)).sum(axis=1)
    shared = np.sort(task_folds[having == present[task_folds // n_folds]])
    mine = keys.task * n_folds + keys.fold
    kept = np.isin(mine, shared)
    return np.where((state == _OK) & ~kept, np.int8(1), state), None


def _failed_cells(
    cells: _Cells,
    keys: _Keys,
    state: npt.NDArray[np.int8],
    raw: RawTable,
    notes: list[str],
    unequal: npt.NDArray[np.bool_] | None,
) -> npt.NDArray[np.bool_]:
    """Return the cells without a score: one of their rows failed, or none counts."""
    failed, counted = keys.cells_with(state == _FAILED), keys.cells_with(state == _OK)
    by_status = cells.state == _FAILED
    for chosen, problem, consequence in (
        (by_status & cells.failed, "with a failed status", f"; {FAILURES}"),
        (by_status & ~cells.failed, "not run according to the status", f"; {FAILURES}"),
        (state == _ABSENT, "without a score", " ignored."),
    ):
        if chosen.any():
            first = keys.show(int(np.flatnonzero(chosen)[0]))
            notes.append(
                f"{raw.name}: {count(chosen.sum(), 'row')} {problem} (first {first}){consequence}"
            )
    undefined = (cells.state != _OK) & (cells.state != _FAILED)
    if undefined.any():
        partly = keys.cells_with(undefined) & counted & ~failed
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


def _run_table(runs: pd.Series, keys: _Keys) -> pd.DataFrame | None:
    """Return the scores by fold, or by fold and repeat; None if there are too many."""
    levels = range(runs.index.nlevels)
    task, *codes = (runs.index.get_level_values(level).to_numpy() for level in levels)
    labels = (keys.algorithms, keys.folds, keys.repeats)[: len(codes)]
    shape = tuple(map(len, labels))
    found, column = np.unique(np.ravel_multi_index(codes, shape), return_inverse=True)
    if len(keys.tasks) * len(found) > _MOST_FOLD_CELLS:
        return None
    table = np.full((len(keys.tasks), len(found)), np.nan)
    table[task, column] = runs.to_numpy()
    used = zip(labels, np.unravel_index(found, shape), strict=True)
    columns = pd.MultiIndex.from_arrays(
        [np.array(names, dtype=object)[places] for names, places in used],
        names=runs.index.names[1:],
    )
    return pd.DataFrame(table, index=keys.tasks, columns=columns)


def _task_traits(cells: _Cells, keys: _Keys, raw: RawTable, notes: list[str]) -> pd.DataFrame:
    if cells.traits.shape[1] == 0:
        return pd.DataFrame(index=keys.tasks)
    by_task = cells.traits.groupby(keys.task, sort=True)
    spread = by_task.max() - by_task.min()
    for name in cells.traits.columns:
        varying = int((spread[name] > 0).sum())
        if varying:
            notes.append(
                f"{raw.name}: the trait {quote(name)} varies within {count(varying, 'task')}; its"
                " mean is used."
            )
    # The mean of equal numbers may differ from them in the last place.
    means: pd.DataFrame = by_task.mean().where(spread != 0, by_task.first())
    return means.astype(np.float64).set_axis(keys.tasks, axis=0)
