"""From a raw table and its roles to one record per cell: who, on what, in which fold, how well."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pandas as pd

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
from occstats.results.facts import Facts
from occstats.results.meaning import check_range, meaning
from occstats.results.names import count, quote, quote_list, without_markup
from occstats.results.numbers import explain_text, looks_like_decimal_comma, says_failed
from occstats.results.options import Reading
from occstats.results.readers.raw import RawTable
from occstats.results.roles import Roles
from occstats.results.table import FAILURES, NO_ALGORITHM
from occstats.results.wide import are_counts, are_ranks, tasks_among

__all__ = ["FAILED", "OK", "Cells", "gather"]

Names = npt.NDArray[np.object_]
Floats = npt.NDArray[np.float64]

OK, UNDEFINED, FAILED = 0, 1, 2
# A status that says so; outside this module such a row is FAILED without a recorded failure.
_NOT_RUN = 3
_EXACT = 2.0**53


@dataclass
class Cells:
    """Parallel arrays, one entry per score; ``row`` is the row of the source it stands in.

    ``failed`` is true where the source records that the run failed: by its status, by a word such
    as TIMEOUT or NaN in place of the score, or by an infinitely bad score.
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


def gather(facts: Facts, roles: Roles, reading: Reading) -> Cells:
    """Check every cell of the needed columns, and bring long and wide form to one."""
    raw = facts.raw
    if raw.n_rows == 0:
        raise ResultsError(
            f"{raw.name}: the table has column names but no rows; was the run empty?"
        )
    notes = [*raw.notes, *_no_algorithms(facts, roles)]
    rows = np.arange(raw.n_rows)
    score_name = reading.score_name
    if metric_matters(roles):
        rows, found_name = _one_metric(facts, roles, reading.metric)
        score_name = score_name or found_name
    elif reading.metric is not None:
        raise ResultsError(
            f"{raw.name}: metric={quote(reading.metric)} given, but no column names a metric"
        )
    names = list(roles.columns) if roles.across else [roles.score or ""]
    state = _states(facts, roles, rows)
    label = (roles.cluster if roles.cluster is not None else roles.task) or ""
    if roles.across == "algorithm":
        rows = rows[~are_counts(facts, label, rows, notes)]
        state = _states(facts, roles, rows)
    values, spread = _scores(facts, names, rows, state)
    failed = _failures(facts, names, rows, state, notes)
    if roles.across == "algorithm":
        tasks = tasks_among(facts, label, rows, values, notes)
    else:
        tasks = np.ones(len(rows), dtype=bool)
    if roles.across and roles.status is None:
        tasks &= _filled(raw, values, notes)
    rows, state, values, failed = rows[tasks], state[tasks], values[tasks], failed[tasks]
    spread = None if spread is None else spread[tasks]
    if spread is not None and are_ranks(spread):  # 0.91 (2)
        spread = None
        notes.append(f"{raw.name}: the ranks written behind the scores are left out.")
    values = values * reading.scale
    score_name, lower = meaning(raw, roles, reading, score_name, values)
    if not is_bounded(score_name):  # else they are outside
        failed |= np.isinf(values)
        values = _finite(facts, names, rows, values, lower, notes)
    check_range(raw, values, rows, score_name, reading.scale, names)
    each = values.shape[1]
    cluster, task, algorithm = _identities(facts, roles, rows, names, notes)
    traits = _traits(facts, roles, rows, notes)
    if spread is not None:
        notes.append(f"{raw.name}: the spreads written behind the scores are kept as CVSD.")
    return Cells(
        cluster=cluster,
        task=task,
        algorithm=algorithm,
        score=values.ravel(),
        state=np.repeat(np.where(state == _NOT_RUN, FAILED, state).astype(np.int8), each),
        failed=failed.ravel(),
        row=np.repeat(rows, each),
        fold=_repeated(facts, roles.fold, rows, each),
        repeat=_repeated(facts, roles.repeat, rows, each),
        traits=traits.iloc[np.repeat(np.arange(len(rows)), each)].reset_index(drop=True),
        score_name=score_name,
        suite=_repeated(facts, roles.suite, rows, each),
        higher_is_better=not lower,
        spread=None if spread is None else spread.ravel() * reading.scale,
        notes=notes,
        column_names=_column_names(roles, reading.score_name is not None),
    )


def _no_algorithms(facts: Facts, roles: Roles) -> list[str]:
    """Say why a column is no algorithm, where only one is left."""
    if roles.across != "algorithm" or len(roles.columns) != 1:
        return []
    left_out = [name for name, why in roles.left_out.items() if why in {"text", "empty"}]
    return [
        f"{facts.raw.name}: the column {quote(name)} holds no number"
        f"{f' but {quote(cell)}' if cell is not None else ''}, so that it is {NO_ALGORITHM}"
        for name in left_out
        for cell in [next((name for name in facts.names(name) if name is not None), None)]
    ]


def metric_matters(roles: Roles) -> bool:
    """Whether the column of metrics says what the scores are: not if their column says it."""
    named = roles.score is not None and measure(roles.score) not in GENERIC
    return roles.metric is not None and not named


def _one_metric(
    facts: Facts, roles: Roles, metric: str | None
) -> tuple[npt.NDArray[np.int64], str | None]:
    assert roles.metric is not None
    names, where = facts.names(roles.metric), facts.raw.name
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
            f"{where}, column {quote(roles.metric)}: the scores are of {len(found)} metrics"
            f" ({quote_list(found, limit=6)}), which cannot be compared with each other; keep one",
            {"metric": usual[0]},
        )
    return np.arange(facts.raw.n_rows), found[0] if found else None


def _scores(
    facts: Facts, names: Sequence[str], rows: npt.NDArray[np.int64], state: npt.NDArray[np.int8]
) -> tuple[Floats, Floats | None]:
    """The scores, rows × columns; what a failed row holds in place of one is of no interest."""
    raw, relevant = facts.raw, state == OK
    values, spreads = [], []
    for name in names:
        numbers = facts.numbers(name)
        found, wrong = numbers.values[rows], numbers.wrong[rows] & relevant
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            cell = raw.read([name])[name].iloc[rows[first]]
            raise ResultsError(
                f"{raw.row(rows[first])}, column {quote(name)}: {quote(cell)} is not a number"
                f" ({count(wrong.sum(), 'such cell')}); {explain_text(cell, facts.decimal)}",
                {"decimal": ","}
                if looks_like_decimal_comma(cell) and facts.decimal == "."
                else None,
            )
        _check_exact(facts, name, rows[relevant & (np.abs(found) >= _EXACT)])
        values.append(np.where(relevant, found, np.nan))
        spreads.append(numbers.spread[rows] if numbers.spread is not None else None)
    if all(spread is None for spread in spreads):
        return np.column_stack(values), None
    empty = np.full(len(rows), np.nan)
    return np.column_stack(values), np.column_stack([empty if s is None else s for s in spreads])


def _finite(
    facts: Facts,
    names: Sequence[str],
    rows: npt.NDArray[np.int64],
    values: Floats,
    lower: bool,
    notes: list[str],
) -> Floats:
    """Take the worst that is possible for a failed run; what is infinitely good is refused."""
    infinite = np.isinf(values)
    wrong = np.argwhere(values == (-np.inf if lower else np.inf))
    if len(wrong):
        row, column = wrong[0]
        raise ResultsError(
            f"{facts.raw.row(rows[row])}, column {quote(names[column])}: {values[row, column]} is"
            f" no score ({count(len(wrong), 'such cell')}); correct it, or leave the cell empty"
        )
    if infinite.any():
        notes.append(
            f"{facts.raw.name}: {count(infinite.sum(), 'infinite score')}, as of failed runs;"
            f" {FAILURES}"
        )
    return np.where(infinite, np.nan, values)


def _check_exact(facts: Facts, name: str, large: npt.NDArray[np.int64]) -> None:
    """Refuse whole numbers that floats cannot hold: two different ones would tie."""
    for row in large:
        cell = facts.raw.read([name])[name].iloc[row]
        text = str(cell).strip()
        # Decimal: `int` knows neither infinity nor more than 4,300 digits.
        if re.fullmatch(r"[+-]?\d+", text) and Decimal(text) != Decimal(float(text)):
            raise ResultsError(
                f"{facts.raw.row(row)}, column {quote(name)}: {quote(cell)} has more digits than a"
                " score keeps (whole numbers up to 2^53 are exact); subtract or divide by something"
            )


def _failures(
    facts: Facts,
    names: Sequence[str],
    rows: npt.NDArray[np.int64],
    state: npt.NDArray[np.int8],
    notes: list[str],
) -> npt.NDArray[np.bool_]:
    """Find the cells of runs that failed by their status or by a word in place of the score."""
    failed = np.repeat((state == FAILED)[:, None], len(names), axis=1)
    words: dict[str, None] = {}
    found = 0
    for column, name in enumerate(names):
        empty = np.flatnonzero(np.isnan(facts.numbers(name).values[rows]) & (state == OK))
        if not len(empty):
            continue
        for row, cell in zip(empty.tolist(), facts.names(name)[rows[empty]], strict=True):
            if says_failed(cell):
                failed[row, column] = True
                words[cell.strip()] = None
                found += 1
    if found:
        notes.append(
            f"{facts.raw.name}: {count(found, 'cell')} of failed runs"
            f" ({quote_list(words, limit=3)}); {FAILURES}"
        )
    return failed


def _filled(raw: RawTable, values: Floats, notes: list[str]) -> npt.NDArray[np.bool_]:
    """Which rows have a score: one without any says nothing, as if it were not there."""
    filled = np.asarray(~np.isnan(values).all(axis=1))
    if filled.all() or not filled.any():
        return np.ones(len(values), dtype=bool)
    notes.append(f"{raw.name}: {count((~filled).sum(), 'row')} without any score passed over.")
    return filled


def _identities(
    facts: Facts,
    roles: Roles,
    rows: npt.NDArray[np.int64],
    names: Sequence[str],
    notes: list[str],
) -> tuple[Names, Names, Names]:
    """The data set, the task and the algorithm of each cell."""
    raw, each = facts.raw, len(names)
    across = _bare(np.array(list(names), dtype=object), raw, notes)
    if roles.across == "task":
        assert roles.algorithm is not None
        algorithm = np.repeat(_bare(_names(facts, roles.algorithm, rows), raw, notes), each)
        task = np.tile(across, len(rows))
        return task, task, algorithm
    if roles.cluster is None:
        assert roles.task is not None
        cluster = task = _bare(_names(facts, roles.task, rows), raw, notes)
        notes.append(
            f"{raw.name}: no column of data sets, so each task ({quote(roles.task)}) counts as a"
            " data set of its own."
        )
    else:
        cluster = _bare(_names(facts, roles.cluster, rows), raw, notes)
        task = cluster if roles.task is None else _names(facts, roles.task, rows)
    if roles.across:
        is_score = each == 1 and measure(names[0]) in ALIASES["score"]
        algorithm = np.tile(
            np.array([raw.label or raw.stem], dtype=object) if is_score else across, len(rows)
        )
    elif roles.algorithm is not None:
        algorithm = _bare(_names(facts, roles.algorithm, rows), raw, notes)
    else:
        algorithm = np.full(len(rows), raw.label or raw.stem, dtype=object)
    return np.repeat(cluster, each), np.repeat(task, each), algorithm


def _names(facts: Facts, column: str, rows: npt.NDArray[np.int64]) -> Names:
    names = facts.names(column)[rows]
    facts.require_names(column, rows)
    held = facts.raw.read([column])[column].dtype.kind == "f"
    if held and (np.abs(facts.numbers(column).values[rows]) >= _EXACT).any():
        raise ResultsError(
            f"{facts.raw.name}, column {quote(column)}: whole numbers beyond 2^53 lose their last"
            " digits as floats, so that different names become one; give the column as text or"
            " integers"
        )
    return names


def _bare(names: Names, raw: RawTable, notes: list[str]) -> Names:
    """Take links and markup off the names, and say so once."""
    bare, note = without_markup(names), f"{raw.name}: links and markup around names left out."
    if bare is not names and note not in notes:
        notes.append(note)
    return bare


def _repeated(
    facts: Facts, column: str | None, rows: npt.NDArray[np.int64], each: int
) -> Names | None:
    return None if column is None else np.repeat(_names(facts, column, rows), each)


def _column_names(roles: Roles, score_renamed: bool) -> dict[str, str]:
    """What the source calls its columns, but for a score that the user has called otherwise."""
    names = {
        role: getattr(roles, role)
        for role in ("suite", "cluster", "task", "algorithm", "fold", "status", "metric")
    }
    if not score_renamed:
        names["score"] = roles.score
    names |= {f"trait {name}": column for name, column in roles.traits.items()}
    return {role: name for role, name in names.items() if name is not None}


def _traits(
    facts: Facts, roles: Roles, rows: npt.NDArray[np.int64], notes: list[str]
) -> pd.DataFrame:
    traits: dict[str, Floats] = {}
    if roles.across == "task":  # a trait of a row is one of an algorithm
        return pd.DataFrame(index=range(len(rows)))
    for name, column in roles.traits.items():
        numbers = facts.numbers(column)
        wrong = (numbers.wrong | np.isinf(numbers.values))[rows]
        if not wrong.any():
            traits[name] = numbers.values[rows]
            continue
        first = rows[int(np.flatnonzero(wrong)[0])]
        cell = facts.raw.read([column])[column].iloc[first]
        problem = (
            f"{facts.raw.row(first)}, column {quote(column)}: {quote(cell)} is not a finite number"
        )
        if column in roles.asked_traits:
            raise ResultsError(f"{problem}; write the trait as a number or leave the cell empty")
        notes.append(f"{problem}, so this column is not taken as a trait of the tasks.")
    return pd.DataFrame(traits, index=range(len(rows)))


def _states(facts: Facts, roles: Roles, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
    """Say of each row whether its score counts, is undefined there, or failed."""
    if roles.status is None:
        return np.zeros(len(rows), dtype=np.int8)
    codes, labels = pd.factorize(facts.names(roles.status)[rows], use_na_sentinel=True)
    words = [normalise(label) for label in labels]
    unknown = [
        label
        for label, word in zip(labels, words, strict=True)
        if word not in SUCCEEDED | UNDEFINED_WORDS | FAILED_WORDS
    ]
    if unknown:
        raise ResultsError(
            f"{facts.raw.name}, column {quote(roles.status)}: {quote_list(unknown, limit=5)} does"
            " not say whether a row succeeded; write ok, failed or undefined, or name another"
            " column with status=…"
        )
    states = [
        OK
        if word in SUCCEEDED
        else UNDEFINED
        if word in UNDEFINED_WORDS
        else _NOT_RUN
        if word in NOT_RUN_WORDS
        else FAILED
        for word in words
    ]
    # A row without a status is judged by its score alone.
    return np.array([*states, OK], dtype=np.int8)[codes]
