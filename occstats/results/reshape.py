"""Reshape a raw table with known roles and keys into a results table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import state_of
from occstats.results.ask import text_error
from occstats.results.cells import says_failed
from occstats.results.keys import Keys, row_codes
from occstats.results.readers.frames import FILE, ROW, RawTable
from occstats.results.reading import Reading
from occstats.results.roles import Roles
from occstats.results.table import FAILURES, Results, show_task

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
States = npt.NDArray[np.int8]

# States of a score; _ABSENT is a fold or repeat with a row but without a score.
_OK, _UNDEFINED, _FAILED, _NOT_RUN, _ABSENT = range(5)
_STATES = {"ok": _OK, "undefined": _UNDEFINED, "failed": _FAILED, "not run": _NOT_RUN}
_MOST_FOLD_CELLS = 50_000_000


def reshape(
    raw: RawTable, roles: Roles, reading: Reading, keys: Keys, *, alone: bool = True
) -> Results:
    """Average repeats and folds, set failures aside, and make the results table."""
    notes = [*raw.notes, *roles.notes]
    columns = list(roles.columns) if roles.across else [roles.score or ""]
    of_row = np.zeros(raw.n_rows, dtype=np.int8)
    if roles.status is not None:
        codes, names = raw.codes(roles.status)
        # One without a status counts if it has a score.
        of_row = np.array([*(_STATES[state_of(n)] for n in names), _OK], dtype=np.int8)[codes]
    values, failed = _scores(raw, columns, of_row == _OK, roles.lower, notes)
    failed |= (of_row == _FAILED)[:, None]
    if alone and all(raw.numbers(column).per_cent for column in columns):
        # Scores keep their unit, unless they are joined to others.
        values = np.round(100 * values, 10)
    states = np.broadcast_to(of_row[:, None], values.shape)
    fold_scores = cvsd = None
    if keys.fold is None and not keys.several:
        table = np.full(keys.size, np.nan)
        table[keys.cell] = values  # NaN if the run failed
        if roles.status is not None:
            _note_states(keys, states, states, raw, notes)
    else:
        counted = _choose_counted(keys, values, states, raw, notes)
        if keys.fold is None:
            table = _average_groups(keys.cell, values, counted, keys.size)
        else:
            table, fold_scores, cvsd = _average_folds(keys, values, counted)
    scores = keys.frame(table)
    recorded = keys.cells_with(failed) & scores.isna().to_numpy() if failed.any() else failed
    return Results(
        scores=scores,
        traits=_traits(raw, roles, keys, notes),
        score_name=roles.score_name,
        higher_is_better=not roles.lower,
        fold_scores=fold_scores,
        cvsd=cvsd,
        notes=tuple(notes),
        sources=(raw.name.strip("'\""),),
        suites=None if roles.suite is None else _suites(raw, roles, keys),
        column_names=_column_names(roles, reading),
        recorded_failures=keys.frame(recorded) if recorded.any() else None,
    )


def _scores(
    raw: RawTable, columns: Sequence[str], relevant: Mask, lower: bool, notes: list[str]
) -> tuple[Floats, Mask]:
    """Return the scores (rows × columns), and the failures.

    A run failed by a word such as TIMEOUT or an infinitely bad score; other text is refused.
    """
    values = np.empty((raw.n_rows, len(columns)))
    failed = np.zeros(values.shape, dtype=bool)
    words: dict[str, None] = {}
    for i, name in enumerate(columns):
        numbers = raw.numbers(name)
        if (wrong := numbers.wrong & relevant).any():
            raise text_error(raw, name, wrong)
        values[:, i] = (
            numbers.values if relevant.all() else np.where(relevant, numbers.values, np.nan)
        )
        if raw.frame[name].dtype.kind != "f" and len(numbers.known) < raw.n_rows:
            codes, names = raw.codes(name)
            said = np.array([*map(says_failed, names), False])[codes]
            failed[:, i] = said & relevant & np.isnan(values[:, i])
            words |= dict.fromkeys(str(n).strip() for n in names[pd.unique(codes[failed[:, i]])])
    if failed.any():
        notes.append(
            f"{raw.name}: {count(failed.sum(), 'cell')} of failed runs"
            f" ({quote_list(words, limit=3)}); {FAILURES}"
        )
    if not (infinite := np.isinf(values)).any():
        return values, failed
    good = values == (-np.inf if lower else np.inf)
    for i in np.flatnonzero(good.any(axis=0))[:1]:
        raise text_error(raw, columns[i], good[:, i])
    notes.append(
        f"{raw.name}: {count(infinite.sum(), 'infinite score')}, taken as failed runs; {FAILURES}"
    )
    return np.where(infinite, np.nan, values), failed | infinite


# -- folds -----------------------------------------------------------------------------------------


def _choose_counted(
    keys: Keys, values: Floats, by_status: States, raw: RawTable, notes: list[str]
) -> Mask:
    """Return the scores that count, of cells in which no run failed and no fold is lacking."""
    # A missing score fails its cell, but a fold or repeat without one counts as absent.
    folded = keys.fold is not None or keys.repeat is not None
    absent = (by_status == _OK) & np.isnan(values)
    state = np.where(absent, np.int8(_ABSENT if folded else _FAILED), by_status)
    missing = keys.cells_with((state == _FAILED) | (state == _NOT_RUN))
    if keys.fold is not None:
        n_folds = len(keys.fold[1])
        if keys.size * n_folds > _MOST_FOLD_CELLS:
            raise ResultsError(
                f"{raw.name}: the fold column has {n_folds:,} distinct values, too many for"
                " folds; name the column of folds with fold=…"
            )
        missing |= _without_folds(keys, state, missing, raw, notes)
    _note_states(keys, state, by_status, raw, notes)
    counted: Mask = state == _OK
    return counted & ~missing.ravel()[keys.cell] if missing.any() else counted


def _without_folds(
    keys: Keys, state: States, failed: Mask, raw: RawTable, notes: list[str]
) -> Mask:
    """Return the cells without folds that other algorithms have on the same task."""
    fold, folds = keys.fold or (0, [""])
    has = np.zeros((*failed.shape, len(folds)), dtype=bool)
    has.ravel()[(keys.cell * len(folds) + fold)[state != _ABSENT]] = True
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


def _average_groups(
    groups: npt.NDArray[np.int64], values: Floats, chosen: Mask, size: int
) -> Floats:
    """Return the mean of the chosen values of each group, NaN if there is none."""
    groups, values = (groups, values) if chosen.all() else (groups[chosen], values[chosen])
    n_values = np.bincount(groups.ravel(), minlength=size)
    sums = np.bincount(groups.ravel(), weights=values.ravel(), minlength=size)
    means: Floats = np.divide(sums, n_values, out=np.full(size, np.nan), where=n_values > 0)
    return means


def _average_folds(
    keys: Keys, values: Floats, counted: Mask
) -> tuple[Floats, pd.DataFrame, pd.DataFrame]:
    """Return the mean over folds of the mean over repeats, the scores by fold, and the CVSD."""
    fold, folds = keys.fold or (0, [""])
    size = keys.size * len(folds)
    by_fold = _average_groups(keys.cell * len(folds) + fold, values, counted, size).reshape(
        -1, len(folds)
    )
    spread = pd.DataFrame(by_fold).std(axis=1).to_numpy(copy=True)
    labels, by_run = [keys.algorithms, folds], by_fold
    if keys.repeat is not None:
        repeat, repeats = keys.repeat
        every = np.broadcast_arrays(keys.cell, fold, repeat, values)
        names = ["cell", "fold", "repeat", "score"]
        frame = pd.DataFrame(dict(zip(names, (part[counted] for part in every), strict=True)))
        # The spread is over the folds of one repeat, averaged over repeats.
        within = frame.groupby(["cell", "repeat"], sort=False)["score"].std().dropna()
        if len(within):
            spread[:] = np.nan
            averaged = within.groupby("cell").mean()
            spread[averaged.index] = averaged
        runs = frame.groupby(["cell", "fold", "repeat"], sort=False)["score"].mean()
        repeated = len(runs) > np.count_nonzero(~np.isnan(by_fold))
        if repeated and size * len(repeats) <= _MOST_FOLD_CELLS:  # each repeat counts
            by_run = np.full((*by_fold.shape, len(repeats)), np.nan)
            by_run[tuple(runs.index.get_level_values(i) for i in range(3))] = runs
            labels.append(repeats)
    each = by_run.reshape(len(keys.tasks), -1)
    used = np.flatnonzero(~np.isnan(each).all(axis=0))
    places = np.unravel_index(used, tuple(map(len, labels)))
    columns = pd.MultiIndex.from_arrays(
        [np.array(n, dtype=object)[place] for n, place in zip(labels, places, strict=True)],
        names=["algorithm", "fold", "repeat"][: len(labels)],
    )
    table = pd.DataFrame(each[:, used], index=keys.tasks, columns=columns)
    return pd.DataFrame(by_fold).mean(axis=1).to_numpy(), table, keys.frame(spread)


def _note_states(
    keys: Keys, state: States, by_status: States, raw: RawTable, notes: list[str]
) -> None:
    """Note the scores that do not count."""
    for chosen, problem, consequence in (
        (by_status == _FAILED, "with a failed status", f"; {FAILURES}"),
        (by_status == _NOT_RUN, "not run according to the status", f"; {FAILURES}"),
        (state == _ABSENT, "without a score", " ignored."),
        (
            by_status == _UNDEFINED,
            "without a defined score",
            " left out of the averages over folds.",
        ),
    ):
        if chosen.any():
            first = keys.show(keys.cell[chosen][0])
            notes.append(
                f"{raw.name}: {count(chosen.sum(), 'row')} {problem} (first {first}){consequence}"
            )


# -- traits and names ------------------------------------------------------------------------------


def _traits(raw: RawTable, roles: Roles, keys: Keys, notes: list[str]) -> pd.DataFrame:
    """Return the traits of each task; those that vary within one are averaged."""
    columns = {}
    # In a leaderboard, traits of rows are traits of algorithms.
    for name, column in () if roles.across == "task" else roles.traits.items():
        numbers = raw.numbers(column)
        wrong = numbers.wrong | np.isinf(numbers.values)
        if wrong.any():
            raise text_error(raw, column, wrong)
        by_task = pd.Series(numbers.values).groupby(keys.task[:, 0], sort=True)
        spread = by_task.max() - by_task.min()
        if (spread > 0).any():
            notes.append(
                f"{raw.name}: the trait {quote(name)} varies within"
                f" {count((spread > 0).sum(), 'task')}; its mean is used."
            )
        # The mean of equal numbers may differ from them in the last place.
        columns[name] = by_task.mean().where(spread != 0, by_task.first()).to_numpy(float)
    return pd.DataFrame(columns, index=keys.tasks)


def _suites(raw: RawTable, roles: Roles, keys: Keys) -> dict[str, str]:
    """Return the suite of each dataset, which must be unique."""
    suite, suites = row_codes(raw, roles.suite or "")
    dataset, datasets = keys.dataset
    pairs = pd.DataFrame({"dataset": dataset.ravel(), "suite": suite}).drop_duplicates()
    twice = pairs.loc[pairs["dataset"].duplicated(), "dataset"].unique()
    if len(twice):
        shown = quote_list((datasets[i] for i in twice), limit=3)
        raise ResultsError(
            f"{raw.name}: suite={roles.suite!r}, dataset={roles.dataset!r} asks for datasets within"
            f" suites, but {count(len(twice), 'dataset')} of {pairs['dataset'].nunique():,} are in"
            f" several: {shown}; swap the two columns, or give each dataset a unique name"
        )
    return {datasets[i]: suites[j] for i, j in pairs.itertuples(index=False)}


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
