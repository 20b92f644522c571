"""Read JSON lines, or one JSON document of records, with numbers kept as text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from occstats._format import quote
from occstats.errors import ResultsError
from occstats.results.readers.frames import RawTable
from occstats.results.readers.limits import Limits

__all__ = ["read_json"]


class _RepeatedKeyError(ValueError):
    pass


def _record(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return record


# Numbers are kept as text, so that a class 1e5 or 1.0 keeps its name.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_record, parse_int=str, parse_float=str, parse_constant=str
)


def read_json(content: bytes, where: str, limits: Limits) -> RawTable:
    """Read one record per line, or an array of records."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultsError(
            f"{where}: byte {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from None
    # Stored by column without empty cells, because new keys in each row would make a square.
    found: dict[str, tuple[list[int], list[Any]]] = {}
    rows = cells = 0
    for place, record in _records(text, where):
        if not isinstance(record, dict):
            raise ResultsError(
                f"{where}, {place}: contains {quote(json.dumps(record))}, not an object; write one"
                " object per row, with the column names as keys"
            )
        for name, value in record.items():
            if name not in found:
                limits.check_columns(len(found) + 1, where)
                found[name] = ([], [])
            found[name][0].append(rows)
            found[name][1].append(value)
        rows += 1
        cells += len(record)
        limits.check_rows(rows, where)
        limits.check_cells(cells, where)
    limits.check_cells(rows * len(found), where)
    frame = pd.DataFrame({name: _column(rows, *cells) for name, cells in found.items()})
    return RawTable.of(frame, where)


def _column(rows: int, places: list[int], values: list[Any]) -> pd.Series:
    cells = np.full(rows, None, dtype=object)
    # One by one, because NumPy would unpack lists.
    for place, value in zip(places, values, strict=True):
        cells[place] = value
    return pd.Series(cells, dtype=object)


def _records(text: str, where: str) -> Iterator[tuple[str, Any]]:
    whole = _one_object(text)
    if whole is not None:
        yield from ((f"record {i}", record) for i, record in enumerate(whole, start=1))
        return
    if text.lstrip()[:1] == "[":
        array = _decode(text, "the array", where)
        for number, record in enumerate(array, start=1):
            yield f"record {number}", record
        return
    # Only \n ends a line; splitlines would also split at separators within strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"line {number}", _decode(line, f"line {number}", where)


def _one_object(text: str) -> list[dict[str, Any]] | None:
    """Return the records of a file that is one object: columns by name, or a list under a key."""
    if text.lstrip()[:1] != "{":
        return None
    try:
        held = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None  # probably one object per line
    lists = {key: value for key, value in held.items() if isinstance(value, list)}
    tables = [value for value in lists.values() if value and isinstance(value[0], dict)]
    if len(tables) == 1:
        return [dict(record) if isinstance(record, dict) else {} for record in tables[0]]
    if lists and len(lists) == len(held) and len({len(value) for value in lists.values()}) == 1:
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    if held and all(isinstance(value, dict) and value for value in held.values()):
        keys = list(dict.fromkeys(key for value in held.values() for key in value))
        cells = [value.get(key) for value in held.values() for key in keys]
        runs = [len(cell) for cell in cells if isinstance(cell, list)]
        if runs and len(runs) == sum(cell is not None for cell in cells):
            # Scores of several runs, as in {"DQN": {"Pong": [18.5, 20.1]}}.
            return [
                {"": key, "run": str(run)}
                | {
                    name: next(iter((value.get(key) or [])[run:]), None)
                    for name, value in held.items()
                }
                for key in keys
                for run in range(max(runs))
            ]
        named = not all(key.isdigit() for key in keys)
        return [
            ({"": key} if named else {}) | {name: held[name].get(key) for name in held}
            for key in keys
        ]
    return None


def _decode(text: str, place: str, where: str) -> Any:
    try:
        return _DECODER.decode(text.strip())
    except _RepeatedKeyError as error:
        raise ResultsError(
            f"{where}, {place}: duplicate key {quote(error)}; use each key once"
        ) from None
    except (json.JSONDecodeError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise ResultsError(
            f"{where}, {place}: is not JSON ({reason}); write one object per line, or save as CSV"
        ) from None
