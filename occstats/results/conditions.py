"""Keep the rows of the sources that meet the conditions of a user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import did_you_mean, quote, quote_list
from occstats.errors import ResultsError
from occstats.results.aliases import NAMES, STATUS, normalise, state_of
from occstats.results.readers.frames import FILE, ROW, RawTable
from occstats.results.reading import OF_SEVERAL, Reading
from occstats.results.table import Results


def keep_rows(
    opened: Sequence[RawTable | Results], reading: Reading, by: str | None
) -> list[RawTable | Results]:
    """Keep the rows that meet the conditions; refuse columns and values that no source has."""
    tables = {i: item for i, item in enumerate(opened) if isinstance(item, RawTable)}
    columns = list(dict.fromkeys(column for raw in tables.values() for column in raw.columns))
    where = ", ".join(raw.name for raw in tables.values()) or "sources"
    for option, name in reading.all_columns:
        if name not in {FILE, ROW} or option in {"score", "traits", "status"}:
            require_column(columns, name, "by" if name == by else option, where)
    where_all = [*reading.where]
    if reading.metric is not None:
        measures = [column for column in columns if normalise(column) in NAMES["metric"]]
        if not measures:
            raise ResultsError(
                f"metric={quote(reading.metric)}, but no column names the measure of a row"
            )
        where_all.append(f"{measures[0]}={reading.metric}")
    for condition in where_all:
        matches = {i: match for i, raw in tables.items() if (match := _match(raw, condition))}
        if not matches:
            name, equals, _ = condition.partition("=")
            if not equals:
                raise ResultsError(
                    f"where must be COLUMN=VALUE or COLUMN!=VALUE; got {quote(condition)}"
                )
            require_column(columns, name.removesuffix("!"), "where", where)
        column, value, differs, _ = next(iter(matches.values()))
        # Empty cells to leave out may be nowhere.
        if not (any(rows.any() for *_, rows in matches.values()) or (differs and not value)):
            found = list(dict.fromkeys(name for i in matches for name in tables[i].names(column)))
            raise ResultsError(
                f"{where}, column {quote(column)}: no row has {quote(value)}"
                f"{did_you_mean(value, found)}; found {quote_list(found)}"
            )
        for i, (*_, rows) in matches.items():
            kept = ~rows if differs else _with_failed(tables[i], rows, column, reading)
            tables[i] = tables[i].keep(kept)
    return [tables.get(i, item) for i, item in enumerate(opened)]


def require_column(columns: Sequence[str], wanted: str, role: str, where: str) -> None:
    """Refuse a column that the user named but the table lacks, with a list of the columns."""
    if wanted not in columns:
        hint = did_you_mean(wanted, columns)
        if role in OF_SEVERAL and {part.strip() for part in wanted.split(",")} <= {*columns}:
            hint = " (pass several columns separately)"
        raise ResultsError(
            f"{where}: there is no column {quote(wanted)}, given as {role}{hint}; found"
            f" {quote_list(columns)}"
        )


def _match(raw: RawTable, condition: str) -> tuple[str, str, bool, npt.NDArray[np.bool_]] | None:
    """Return column and value of ``column=value``, if it is ``!=``, and the rows that have it."""
    for cut in (i for i, letter in enumerate(condition) if letter == "="):
        column, value = condition[:cut], condition[cut + 1 :]
        differs = column not in raw.columns and column[-1:] == "!"
        column = column[:-1] if differs else column
        if column in raw.columns:
            codes, found = raw.codes(column)
            if value not in found:  # 0 is 0.0
                *numbers, number = pd.to_numeric(pd.Series([*found, value]), errors="coerce")
                value = found[numbers.index(number)] if number in numbers else value
            return column, value, differs, np.append(found == value, value == "")[codes]
    return None


def _with_failed(raw: RawTable, rows: Any, column: str, reading: Reading) -> Any:
    """Add the failed runs that have no value in a column to the chosen rows of their tasks.

    A run that failed before it was measured has no metric, and must not vanish with the choice.
    """
    states = [c for c in raw.columns if normalise(c) in STATUS and c not in reading.ignore]
    status = reading.status or next(iter(states), "")
    if status not in raw.columns:
        return rows
    failed = with_state(raw, status, {"failed"}) & (raw.codes(column)[0] < 0)
    told = {name for role, name in reading.all_columns if role in {"dataset", "task"}}
    listed = NAMES["dataset"] | NAMES["task"]
    keys = [FILE, *(c for c in raw.columns if c in told or normalise(c) in listed)]
    task = pd.DataFrame({key: raw.codes(key)[0] for key in keys}).groupby(keys).ngroup()
    return rows | (failed & task.isin(task[rows]).to_numpy())


def with_state(raw: RawTable, column: str, states: set[str]) -> Any:
    """Return the rows whose status is one of these, none of which is empty."""
    codes, names = raw.codes(column)
    return np.array([*(state_of(name) in states for name in names), False])[codes]
