"""Read JSON lines, or one JSON document of records, with numbers kept as text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat, zip_longest
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._format import quote, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.aliases import is_time, measure
from occstats.results.cells import is_number
from occstats.results.readers.frames import RawTable, check_names
from occstats.results.readers.harnesses import log_of, read_documents
from occstats.results.readers.limits import Limits, choose_table

Record = dict[str, Any]
Join = Callable[[str, str], str]
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
        document, table = _records(document, where, limits, table), None
    if not isinstance(document, list):
        raise ResultsError(f"{where}: is JSON, but a single value, not a table; {_SHAPES}")
    limits.check(where, rows=len(document))
    for number, record in enumerate(document, start=1):
        if not isinstance(record, dict):
            raise ResultsError(
                f"{where}, {part} {number}: contains {quote(json.dumps(record))}, not an object;"
                f" {_SHAPES}"
            )
    made: dict[tuple[str, str], str] = {}

    def join(first: str, key: str) -> str:
        if (first, key) not in made:  # joined names could be many times as long as the file
            check_names([first, f".{key}"], where)
            limits.check(where, columns=len(made))
            made[first, key] = f"{first}.{key}"
        return made[first, key]

    rows = _unfold([_flatten(record, join) for record in document], where, limits, table, join)
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
            f"{where}: is JSON, but not a table: an object with the keys {quote_list(held)}"
            f"{_nested([held])}; {_SHAPES}"
        )
    inner = [leaf for value in values for leaf in value.values()]
    if len(inner) > len(values) and _are_rows(inner):
        limits.check(where, rows=len(inner))
        return [
            {"key": name, "key 2": key, **leaf}
            for name, value in held.items()
            for key, leaf in value.items()
        ]
    keys = list(dict.fromkeys(key for value in values for key in value))
    if not all(map(str.isdigit, keys)):
        return [{"key": name, **value} for name, value in held.items()]
    # Columns of numbered rows, as pandas writes them.
    limits.check(where, rows=len(keys), cells=len(keys) * len(held))
    return [{name: value.get(key) for name, value in held.items()} for key in keys]


def _flatten(record: Record, join: Join, depth: int = 3) -> Record:
    """Join the keys of the next levels by dots, down to objects that are tables."""
    row: Record = {}
    for name, value in record.items():
        if depth and isinstance(value, dict) and value and not _are_rows(_records_in(value)):
            row |= {join(name, key): cell for key, cell in _flatten(value, join, depth - 1).items()}
        else:
            row[name] = value
    return row


def _records_in(cell: Any) -> Sequence[Any]:
    """Return the objects in a list or an object that contains nothing else."""
    inner = [*cell.values()] if isinstance(cell, dict) else cell if isinstance(cell, list) else []
    return inner if all(isinstance(each, dict) and each for each in inner) else []


def _are_rows(records: Sequence[Any]) -> bool:
    """Return True for objects that have most keys in common, and contain numbers or flags."""
    if not all(isinstance(record, dict) for record in records):
        return False
    keys = {key for record in records for key in record}
    cells = (cell for record in records for cell in record.values())
    found = any(is_number(cell) or cell is None or isinstance(cell, bool) for cell in cells)
    return found and len(keys) * len(records) < 2 * sum(map(len, records))


def _unfold(
    rows: list[Record], where: str, limits: Limits, table: int | str | None, join: Join
) -> list[Record]:
    """Return a row for each object in the cells of the only column of tables, or the chosen one.

    Records with fractions may be the table themselves, and are if these are a listed measure.
    """
    inner: dict[str, list[Any]] = {}
    for row in rows:
        for name, cell in row.items():
            if isinstance(cell, (dict, list)):  # a union of types takes longer here
                inner.setdefault(name, []).extend(_records_in(cell))
    tables = [name for name, records in inner.items() if _are_rows(records)]
    rows_held = rows if tables else []
    own = {n for row in rows_held for n, cell in row.items() if is_number(cell) and "." in cell}
    if table is None and any(measure(name)[0] and not is_time(name) for name in own):
        tables = []
    names = ["records", *tables] if own or not tables else tables
    chosen = names[choose_table(names if tables else [where], table, where)]
    if chosen == "records":
        numeric = any(is_number(cell) or _n_runs(cell) for row in rows for cell in row.values())
        if not numeric and (nested := _nested(rows)):
            raise ResultsError(f"{where}: is nested deeper than one level{nested}; {_SHAPES}")
        return rows
    n_rows = sum(max(1, len(_records_in(row.get(chosen)))) for row in rows)
    limits.check(where, rows=n_rows, cells=n_rows * max(map(len, rows)))
    taken = {name for row in rows for name in row}
    unfolded: list[Record] = []
    for row in rows:
        cell = row.pop(chosen, None)
        keys = [{chosen: key} for key in cell] if cell and isinstance(cell, dict) else repeat({})
        for key, record in zip(keys, _records_in(cell) or [{}], strict=False):
            flat = _flatten(record, join).items()
            leaf = {join(chosen, n) if n in taken else n: value for n, value in flat}
            unfolded.append(row | key | leaf)
    return unfolded


def _nested(rows: Sequence[Record]) -> str:
    """Return a part of a message on the first cell that contains objects or lists."""
    for name, cell in ((name, cell) for row in rows for name, cell in row.items()):
        inner = list(cell.values()) if isinstance(cell, dict) else cell
        kind = type(inner[0]) if isinstance(inner, list) and inner else str
        if kind in {dict, list}:
            outer = "an object" if isinstance(cell, dict) else "a list"
            return f" ({quote(name)} is {outer} of {'objects' if kind is dict else 'lists'})"
    return ""


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
