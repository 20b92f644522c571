"""Read JSON lines, or one JSON document of records, with numbers kept as text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._format import quote, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.cells import is_number
from occstats.results.readers.frames import RawTable
from occstats.results.readers.harnesses import log_of, read_documents
from occstats.results.readers.limits import Limits, choose_table

Record = dict[str, Any]
_SHAPES = (
    "expected one object per row (as an array, or one per line), or an object with a list for each"
    " column"
)


def read_json(content: bytes, path: Path, limits: Limits, table: int | str | None) -> RawTable:
    """Read one record per line, an array of records, or an object that holds tables."""
    where, part = show_path(path), "record"
    text = content.decode("utf-8").strip()
    limits.check_json(where, text)
    document: Any
    if _is_lines(text):
        # Only \n ends a line; splitlines would also split at separators within strings.
        lines, part = enumerate(text.split("\n"), start=1), "line"
        document = [_decode(line, f"{where}, line {i}") for i, line in lines if line.strip()]
    else:
        document = _decode(text, where)
    if (log := log_of(document)) is not None:
        return read_documents(log, [path], where, limits, json.loads(text))
    if isinstance(document, dict):
        document = _records(document, where, limits, table)
    else:
        choose_table([where], table, where)
    if not isinstance(document, list):
        raise ResultsError(f"{where}: is JSON, but a single value, not a table; {_SHAPES}")
    limits.check(where, rows=len(document))
    for number, record in enumerate(document, start=1):
        if not isinstance(record, dict):
            raise ResultsError(
                f"{where}, {part} {number}: contains {quote(json.dumps(record))}, not an object;"
                f" {_SHAPES}"
            )
    rows = [_flatten(record) for record in document]
    # Where no other cell is a number, lists of numbers are the scores of several runs.
    if not any(is_number(cell) for row in rows for name, cell in row.items() if name != "key"):
        n_runs = sum(max(map(_n_runs, row.values()), default=1) for row in rows)
        limits.check(where, rows=n_runs, cells=20 * n_runs)  # each run becomes a record
        rows = [run for row in rows for run in _runs(row)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    # New keys in each row would make a square.
    limits.check(where, columns=len(names), cells=len(rows) * len(names))
    return RawTable(where, pd.DataFrame(rows, columns=names, dtype=object))


def _is_lines(text: str) -> bool:
    """Return True if the first of several lines is a whole object."""
    first, _, rest = text.partition("\n")
    try:
        return bool(rest.strip()) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _decode(text: str, where: str) -> Any:
    """Decode JSON; numbers stay text, so that a class 1e5 or 1.0 keeps its name."""

    def record(pairs: list[tuple[str, Any]]) -> Record:
        held = dict(pairs)
        if len(held) < len(pairs):
            twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
            raise ResultsError(f"{where}: duplicate key {quote(twice)}; use each key once")
        return held

    try:
        return json.loads(
            text, object_pairs_hook=record, parse_int=str, parse_float=str, parse_constant=str
        )
    except json.JSONDecodeError as error:
        reason = f"line {error.lineno}, column {error.colno}: {error.msg}"
    except RecursionError:
        reason = "nested too deeply"
    raise ResultsError(
        f"{where}: is not valid JSON ({reason}); the file may be truncated; write it again"
    )


def _records(held: Record, where: str, limits: Limits, table: int | str | None) -> list[Any]:
    """Return the records of an object: a table by name, columns, rows by name, or one record."""
    tables = {
        name: value
        for name, value in held.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    }
    chosen = choose_table(list(tables) or [where], table, where)
    if tables:
        return list(tables.values())[chosen]
    values = list(held.values())
    kinds = set(map(type, values))
    if kinds == {list} and len(set(map(len, values))) == 1:
        return [dict(zip(held, row, strict=True)) for row in zip(*values, strict=True)]
    if not kinds & {list, dict}:
        return [held]
    if kinds != {dict} or not all(values):
        raise ResultsError(
            f"{where}: is JSON, but not a table: an object with the keys {quote_list(held)};"
            f" {_SHAPES}"
        )
    keys = list(dict.fromkeys(key for value in values for key in value))
    if not all(map(str.isdigit, keys)):
        return [{"key": name, **value} for name, value in held.items()]
    # Columns of numbered rows, as pandas writes them.
    limits.check(where, rows=len(keys), cells=len(keys) * len(held))
    return [{name: value.get(key) for name, value in held.items()} for key in keys]


def _flatten(record: Record) -> Record:
    """Join the keys of the next level by dots."""
    row: Record = {}
    for name, value in record.items():
        inner = isinstance(value, dict) and value
        row |= {f"{name}.{key}": cell for key, cell in inner.items()} if inner else {name: value}
    return row


def _n_runs(cell: Any) -> int:
    """Return the length of a list of numbers, 0 for another cell."""
    numbers = isinstance(cell, list) and all(run is None or is_number(run) for run in cell)
    return len(cell) if numbers else 0


def _runs(row: Record) -> Iterator[Record]:
    """Yield a row for each run if cells are lists of numbers, as in {"Pong": [18.5, 20.1]}."""
    lists = {name: cell for name, cell in row.items() if _n_runs(cell)}
    if not lists:
        yield row
    others = {name: cell for name, cell in row.items() if name not in lists}
    column = "run number" if "run" in row else "run"  # not a repeat by its name: it may be a curve
    for number, scores in enumerate(zip_longest(*lists.values()), start=1):
        yield others | {column: f"run {number}"} | dict(zip(lists, scores, strict=True))
