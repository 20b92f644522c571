"""Read JSON lines, or one JSON document of records, with numbers kept as text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._format import quote, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.cells import is_number
from occstats.results.readers.frames import RawTable
from occstats.results.readers.harnesses import log_of, read_documents
from occstats.results.readers.limits import Limits, choose_table

_SHAPES = (
    "expected one object per row (as an array, or one per line), or an object with a list for each"
    " column"
)


class _RepeatedKeyError(ValueError):
    pass


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        times = Counter(key for key, _ in pairs)
        raise _RepeatedKeyError(max(times, key=times.__getitem__))
    return record


# Numbers are kept as text, so that a class 1e5 or 1.0 keeps its name.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_record, parse_int=str, parse_float=str, parse_constant=str
)


def read_json(content: bytes, path: Path, limits: Limits, table: int | str | None) -> RawTable:
    """Read one record per line, an array of records, or an object that holds tables."""
    where = show_path(path)
    text = content.decode("utf-8").strip()
    limits.check_json(where, text)
    document: Any
    part, tables = "record", {}
    if _is_lines(text):
        # Only \n ends a line; splitlines would also split at separators within strings.
        lines = enumerate(text.split("\n"), start=1)
        document = [_decode(line, f"{where}, line {i}") for i, line in lines if line.strip()]
        part = "line"
    else:
        document = _decode(text, where)
    if (log := log_of(document)) is not None:
        return read_documents(log, [path], where, limits, json.loads(text))
    if isinstance(document, dict):
        lists = {key: value for key, value in document.items() if isinstance(value, list)}
        tables = {key: v for key, v in lists.items() if v and isinstance(v[0], dict)}
    chosen = choose_table(list(tables) or [where], table, where)
    if tables:
        document = list(tables.values())[chosen]
    elif isinstance(document, dict):
        document = list(_of_object(document, where, limits))
    elif not isinstance(document, list):
        raise ResultsError(f"{where}: is JSON, but a single value, not a table; {_SHAPES}")
    limits.check(where, rows=len(document))
    rows = []
    for number, record in enumerate(document, start=1):
        if not isinstance(record, dict):
            raise ResultsError(
                f"{where}, {part} {number}: contains {quote(json.dumps(record))}, not an object;"
                f" {_SHAPES}"
            )
        row: dict[str, Any] = {}
        for name, value in record.items():
            # Keys of the next level are joined by dots.
            inner = value.items() if isinstance(value, dict) else ()
            row |= {f"{name}.{k}": v for k, v in inner} if inner else {name: value}
        rows.append(row)
    # Where no other cell is a number, lists of numbers are the scores of several runs.
    if not any(is_number(cell) for row in rows for name, cell in row.items() if name != "key"):
        n_runs = sum(max(map(_n_runs, row.values()), default=1) for row in rows)
        limits.check(where, rows=n_runs, cells=20 * n_runs)  # each run becomes a record
        rows = [run for row in rows for run in _runs(row)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    # New keys in each row would make a square.
    limits.check(where, columns=len(names), cells=len(rows) * len(names))
    return RawTable(where, pd.DataFrame(rows, columns=names, dtype=object))


def _n_runs(cell: Any) -> int:
    """Return the length of a list of numbers, 0 for another cell."""
    numbers = isinstance(cell, list) and all(run is None or is_number(run) for run in cell)
    return len(cell) if numbers else 0


def _runs(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row for each run if cells are lists of numbers, as in {"Pong": [18.5, 20.1]}."""
    lists = {name: cell for name, cell in row.items() if _n_runs(cell)}
    if not lists:
        yield row
    others = {name: cell for name, cell in row.items() if name not in lists}
    column = "run number" if "run" in row else "run"  # not a repeat by its name: it may be a curve
    for run in range(max(map(len, lists.values()), default=0)):
        scores = {name: runs[run] for name, runs in lists.items() if run < len(runs)}
        yield {**others, column: f"run {run + 1}", **scores}


def _decode(text: str, where: str) -> Any:
    try:
        return _DECODER.decode(text.strip())
    except _RepeatedKeyError as error:
        raise ResultsError(f"{where}: duplicate key {quote(error)}; use each key once") from None
    except (json.JSONDecodeError, RecursionError) as error:
        reason = "nested too deeply"
        if isinstance(error, json.JSONDecodeError):
            reason = f"line {error.lineno}, column {error.colno}: {error.msg}"
        raise ResultsError(
            f"{where}: is not valid JSON ({reason}); the file may be truncated; write it again"
        ) from None


def _is_lines(text: str) -> bool:
    """Return True if the first of several lines is a whole object."""
    first, _, rest = text.partition("\n")
    try:
        return bool(rest.strip()) and isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _of_object(held: dict[str, Any], where: str, limits: Limits) -> Iterator[dict[str, Any]]:
    """Yield the records of an object: columns by name, rows by name, or one record."""
    values = list(held.values())
    if held and all(isinstance(value, list) for value in values):
        if len(set(map(len, values))) == 1:
            yield from (dict(zip(held, row, strict=True)) for row in zip(*values, strict=True))
            return
    elif not any(isinstance(value, dict | list) for value in values):
        yield held
        return
    if not all(isinstance(value, dict) and value for value in values):
        raise ResultsError(
            f"{where}: is JSON, but not a table: an object with the keys {quote_list(held)};"
            f" {_SHAPES}"
        )
    if all(key.isdigit() for value in values for key in value):
        # Columns of numbered rows, as pandas writes them.
        keys = list(dict.fromkeys(key for value in values for key in value))
        limits.check(where, rows=len(keys), cells=len(keys) * len(held))
        yield from ({name: value.get(key) for name, value in held.items()} for key in keys)
    else:
        yield from ({"key": key, **value} for key, value in held.items())
