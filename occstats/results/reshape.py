"""Reshape a raw table with known roles into a results table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import (
    ALIASES,
    FAILED_WORDS,
    GENERIC,
    NOT_RUN_WORDS,
    SUCCEEDED,
    UNDEFINED_WORDS,
    is_bounded,
    measure,
    normalise,
)
from occstats.results.cells import (
    ParsedTable,
    explain_text,
    looks_like_decimal_comma,
    says_failed,
    without_markup,
)
from occstats.results.readers.frames import RawTable
from occstats.results.reading import Reading
from occstats.results.roles import Roles, check_range, meaning
from occstats.results.table import CLUSTER, FAILURES, NO_ALGORITHM, TASK, Results, show_task
from occstats.results.wide import are_counts, are_ranks, tasks_among

__all__ = ["reshape"]

Names = npt.NDArray[np.object_]
Floats = npt.NDArray[np.float64]

_OK, _UNDEFINED, _FAILED = 0, 1, 2
# By its status; in the result, such a row is _FAILED without a recorded failure.
_NOT_RUN = 3
_EXACT = 2.0**53
_MOST_FOLD_CELLS = 50_000_000
_MOST_LABELS, _MOST_PAIRED = 200, 6
# State of a fold with a row but without a score.
_ABSENT = 3


@dataclass
class _Cells:
    """Parallel arrays, one entry per score; ``row`` is its row in the source.

    ``failed`` is true if the source records a failed run: by its status, by a word such as TIMEOUT
    or NaN in place of the score, or by an infinitely bad score.
    """

    cluster: Names
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
        suites=None if cells.suite is None else _suites(cells, raw, roles),
        column_names=cells.column_names,
        recorded_failures=_recorded_failures(cells, keys, table),
    )


def _gather(parsed: ParsedTable, roles: Roles, reading: Reading) -> _Cells:
    """Check the cells of the needed columns, and convert long and wide tables to one form."""
    raw = parsed.raw
    notes = [*raw.notes, *_no_algorithms(parsed, roles)]
    rows = np.arange(raw.n_rows)
    score_name = reading.score_name
    if metric_matters(roles):
        rows, found_name = _one_metric(parsed, roles, reading.metric)
        score_name = score_name or found_name
    elif reading.metric is not None:
        raise ResultsError(
            f"{raw.name}: metric={quote(reading.metric)}, but there is no metric column"
        )
    names = list(roles.columns) if roles.across else [roles.score or ""]
    state = _states(parsed, roles, rows)
    label = (roles.cluster if roles.cluster is not None else roles.task) or ""
    if roles.across == "algorithm":
        rows = rows[~are_counts(parsed, label, rows, notes)]
        state = _states(parsed, roles, rows)
    values, spread = _scores(parsed, names, rows, state)
    failed = _failures(parsed, names, rows, state, notes)
    if roles.across == "algorithm":
        tasks = tasks_among(parsed, label, rows, values, notes)
    else:
        tasks = np.ones(len(rows), dtype=bool)
    if roles.across and roles.status is None:
        tasks &= _filled(raw, values, notes)
    rows, state, values, failed = rows[tasks], state[tasks], values[tasks], failed[tasks]
    spread = None if spread is None else spread[tasks]
    if spread is not None and are_ranks(spread):  # 0.91 (2)
        spread = None
        notes.append(f"{raw.name}: the ranks written after the scores are ignored.")
    values = values * reading.scale
    score_name, lower = meaning(raw, roles, reading, score_name, values)
    if not is_bounded(score_name):  # otherwise check_range refuses infinity
        failed |= np.isinf(values)
        values = _finite(parsed, names, rows, values, lower, notes)
    check_range(raw, values, rows, score_name, reading.scale, names)
    each = values.shape[1]
    cluster, task, algorithm = _identities(parsed, roles, rows, names, notes)
    traits = _traits(parsed, roles, rows, notes)
    if spread is not None:
        notes.append(f"{raw.name}: the spreads written after the scores are kept as CVSD.")
    return _Cells(
        cluster=cluster,
        task=task,
        algorithm=algorithm,
        score=values.ravel(),
        state=np.repeat(np.where(state == _NOT_RUN, _FAILED, state).astype(np.int8), each),
        failed=failed.ravel(),
        row=np.repeat(rows, each),
        fold=_repeated(parsed, roles.fold, rows, each),
        repeat=_repeated(parsed, roles.repeat, rows, each),
        traits=traits.iloc[np.repeat(np.arange(len(rows)), each)].reset_index(drop=True),
        score_name=score_name,
        suite=_repeated(parsed, roles.suite, rows, each),
        higher_is_better=not lower,
        spread=None if spread is None else spread.ravel() * reading.scale,
        notes=notes,
        column_names=_column_names(roles, reading.score_name is not None),
    )


def _no_algorithms(parsed: ParsedTable, roles: Roles) -> list[str]:
    """Explain why columns are not algorithms if only one algorithm is left."""
    if roles.across != "algorithm" or len(roles.columns) != 1:
        return []
    left_out = [name for name, why in roles.left_out.items() if why in {"text", "empty"}]
    return [
        f"{parsed.raw.name}: the column {quote(name)} holds"
        f" {'no numbers' if cell is None else f'text ({quote(cell)})'}, so it is {NO_ALGORITHM}"
        for name in left_out
        for cell in [next((name for name in parsed.names(name) if name is not None), None)]
    ]


def metric_matters(roles: Roles) -> bool:
    """Return True if the metric column, not the name of the score, tells what was measured."""
    named = roles.score is not None and measure(roles.score) not in GENERIC
    return roles.metric is not None and not named


def _one_metric(
    parsed: ParsedTable, roles: Roles, metric: str | None
) -> tuple[npt.NDArray[np.int64], str | None]:
    assert roles.metric is not None
    names, where = parsed.names(roles.metric), parsed.raw.name
    found = list(dict.fromkeys(name for name in names if name is not None))
    if metric is not None:
        if metric not in found:
            raise ResultsError(
                f"{where}, column {quote(roles.metric)}: no row has the metric {quote(metric)};"
                f" found {quote_list(found)}"
            )
        return np.flatnonzero(names == metric), metric
    if len(found) > 1:
        order = ALIASES["score"]
        usual = sorted(
            found, key=lambda n: order.index(measure(n)) if measure(n) in order else len(order)
        )
        raise ResultsError(
            f"{where}, column {quote(roles.metric)}: there are scores of {len(found)} metrics"
            f" ({quote_list(found, limit=6)}), which cannot be compared with each other; keep one",
            {"metric": usual[0]},
        )
    return np.arange(parsed.raw.n_rows), found[0] if found else None


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
    lower: bool,
    notes: list[str],
) -> Floats:
    """Turn infinitely bad scores into missing ones; refuse infinitely good ones."""
    infinite = np.isinf(values)
    wrong = np.argwhere(values == (-np.inf if lower else np.inf))
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


def _filled(raw: RawTable, values: Floats, notes: list[str]) -> npt.NDArray[np.bool_]:
    """Return which rows have a score; rows without any are skipped."""
    filled = np.asarray(~np.isnan(values).all(axis=1))
    if filled.all() or not filled.any():
        return np.ones(len(values), dtype=bool)
    notes.append(f"{raw.name}: {count((~filled).sum(), 'row')} without any score skipped.")
    return filled


def _identities(
    parsed: ParsedTable,
    roles: Roles,
    rows: npt.NDArray[np.int64],
    names: Sequence[str],
    notes: list[str],
) -> tuple[Names, Names, Names]:
    """Return the dataset, task and algorithm of each cell."""
    raw, each = parsed.raw, len(names)
    across = _bare(np.array(list(names), dtype=object), raw, notes)
    if roles.across == "task":
        assert roles.algorithm is not None
        algorithm = np.repeat(_bare(_names(parsed, roles.algorithm, rows), raw, notes), each)
        task = np.tile(across, len(rows))
        return task, task, algorithm
    if roles.cluster is None:
        assert roles.task is not None
        cluster = task = _bare(_names(parsed, roles.task, rows), raw, notes)
        notes.append(
            f"{raw.name}: there is no dataset column, so each task ({quote(roles.task)}) counts as"
            " a separate dataset."
        )
    else:
        cluster = _bare(_names(parsed, roles.cluster, rows), raw, notes)
        task = cluster if roles.task is None else _names(parsed, roles.task, rows)
    if roles.across:
        is_score = each == 1 and measure(names[0]) in ALIASES["score"]
        algorithm = np.tile(
            np.array([raw.label or raw.stem], dtype=object) if is_score else across, len(rows)
        )
    elif roles.algorithm is not None:
        algorithm = _bare(_names(parsed, roles.algorithm, rows), raw, notes)
    else:
        algorithm = np.full(len(rows), raw.label or raw.stem, dtype=object)
    return np.repeat(cluster, each), np.repeat(task, each), algorithm


def _names(parsed: ParsedTable, column: str, rows: npt.NDArray[np.int64]) -> Names:
    names = parsed.names(column)[rows]
    parsed.require_names(column, rows)
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


def _column_names(roles: Roles, score_renamed: bool) -> dict[str, str]:
    """Return the names of the columns in the source, except for a score renamed by the user."""
    names = {
        role: getattr(roles, role)
        for role in ("suite", "cluster", "task", "algorithm", "fold", "status", "metric")
    }
    if not score_renamed:
        names["score"] = roles.score
    names |= {f"trait {name}": column for name, column in roles.traits.items()}
    return {role: name for role, name in names.items() if name is not None}


def _traits(
    parsed: ParsedTable, roles: Roles, rows: npt.NDArray[np.int64], notes: list[str]
) -> pd.DataFrame:
    traits: dict[str, Floats] = {}
    if roles.across == "task":  # here, traits of rows are traits of algorithms
        return pd.DataFrame(index=range(len(rows)))
    for name, column in roles.traits.items():
        numbers = parsed.numbers(column)
        wrong = (numbers.wrong | np.isinf(numbers.values))[rows]
        if not wrong.any():
            traits[name] = numbers.values[rows]
            continue
        first = rows[int(np.flatnonzero(wrong)[0])]
        cell = parsed.raw.read([column])[column].iloc[first]
        problem = (
            f"{parsed.raw.row(first)}, column {quote(column)}: {quote(cell)} is not a finite number"
        )
        if column in roles.asked_traits:
            raise ResultsError(f"{problem}; write the trait as a number or leave the cell empty")
        notes.append(f"{problem}, so this column is not used as a trait of the tasks.")
    return pd.DataFrame(traits, index=range(len(rows)))


def _states(parsed: ParsedTable, roles: Roles, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    """Return the state of each row: ok, undefined, failed or not run."""
    if roles.status is None:
        return np.zeros(len(rows), dtype=np.int8)
    codes, labels = pd.factorize(parsed.names(roles.status)[rows], use_na_sentinel=True)
    state_of = {
        **dict.fromkeys(FAILED_WORDS, _FAILED),
        **dict.fromkeys(NOT_RUN_WORDS, _NOT_RUN),
        **dict.fromkeys(UNDEFINED_WORDS, _UNDEFINED),
        **dict.fromkeys(SUCCEEDED, _OK),
    }
    unknown = [label for label in labels if normalise(label) not in state_of]
    if unknown:
        raise ResultsError(
            f"{parsed.raw.name}, column {quote(roles.status)}: {quote_list(unknown, limit=5)} is"
            " not a known status; write ok, failed or undefined, or name another column with"
            " status=…"
        )
    # A row without a status counts if it has a score.
    states = [state_of[normalise(label)] for label in labels]
    return np.array([*states, _OK], dtype=np.int8)[codes]


def _recorded_failures(cells: _Cells, keys: _Keys, scores: pd.DataFrame) -> pd.DataFrame | None:
    """Return the cells without a score whose failure the source records, if there are any."""
    failed = keys.cells_with(cells.failed) & scores.isna().to_numpy()
    if not failed.any():
        return None
    return pd.DataFrame(failed, index=scores.index, columns=scores.columns)


def _suites(cells: _Cells, raw: RawTable, roles: Roles) -> dict[str, str]:
    """Return the suite of each dataset, which must be unique."""
    pairs = pd.DataFrame({"dataset": cells.cluster, "suite": cells.suite}).drop_duplicates()
    names = pairs.groupby("dataset", sort=False)["suite"].agg(list)
    several = names[names.map(len) > 1]
    if len(several):
        shown = [f"{quote(name)} in {quote_list(suites)}" for name, suites in several[:3].items()]
        more = f" and {len(several) - 3:,} more" if len(several) > 3 else ""
        raise ResultsError(
            f"{raw.name}: cluster={[roles.suite, roles.cluster]!r} asks for datasets within"
            f" suites, but {count(len(several), 'dataset')} of {len(names):,} are in several:"
            f" {'; '.join(shown)}"
            f"{more}; name the outermost column first, or give each dataset a unique name"
        )
    return {str(name): suites[0] for name, suites in names.items()}


def _number(cells: _Cells) -> _Keys:
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
    cells: _Cells, keys: _Keys, parsed: ParsedTable, roles: Roles, reading: Reading
) -> str:
    """Refuse duplicate keys; return a phrase for what is averaged if only repeats differ."""
    raw = parsed.raw
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
    # A row of a wide table holds several cells, but is shown once.
    twice = twice[np.unique(cells.row[twice], return_index=True)[1]]
    shown = []
    for i in twice[:3]:
        first = int(np.flatnonzero(whole == whole[i])[0])
        fold = "" if cells.fold is None else f", fold {quote(keys.folds[keys.fold[i]])}"
        places = [raw.row(int(cells.row[j])).removeprefix(f"{raw.name}, ") for j in (first, int(i))]
        shown.append(f"{keys.show(int(i))}{fold} ({' and '.join(places)})")
    problem = f"{raw.name}: {count(len(twice), 'row')} with a duplicate key: {'; '.join(shown)}"
    apart = _tells_apart(parsed, roles, pd.unique(cells.row))
    if apart is not None:
        usual = {
            c: next((v for v in values if v.casefold() == "default"), values[0])
            for c, values in apart.items()
        }
        which = " and ".join(f"{quote(c)} ({quote_list(v, limit=5)})" for c, v in apart.items())
        raise ResultsError(
            f"{problem}; they differ in {which}: keep one value with where=…, or declare the column"
            " with task=…, fold=… or repeat=…",
            {"where": [f"{column}={value}" for column, value in usual.items()]},
        )
    raise ResultsError(
        f"{problem}; drop them, or name the column that distinguishes them with task=…, fold=… or"
        f" repeat=… (found {', '.join(quote(column) for column in raw.columns[:20])}), or average"
        " them as repeats",
        {"duplicates": "average"},
    )


def _tells_apart(
    parsed: ParsedTable, roles: Roles, rows: npt.NDArray[np.int64]
) -> dict[str, list[str]] | None:
    """Return the one or two columns that distinguish rows of the same key, and their values."""
    used = {*roles.keys, roles.score, roles.status, *roles.columns, *roles.asked_traits}
    labels: dict[str, list[str]] = {}
    for column in parsed.raw.columns[:_MOST_LABELS]:
        if column in used or parsed.is_fractional(column):
            continue
        values = [name for name in dict.fromkeys(parsed.names(column)) if name is not None]
        if 1 < len(values) <= max(2, len(rows) // 4):
            labels[column] = values
    pairs = combinations(list(labels)[:_MOST_PAIRED], 2)
    for columns in (*((column,) for column in labels), *pairs):
        if parsed.is_distinct(*roles.keys, *columns):
            return {column: labels[column] for column in columns}
    return None


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
