"""Read JSON lines, or one JSON document of records, with numbers kept as text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from occstats._format import quote, quote_list
from occstats.errors import ResultsError
from occstats.results.readers.frames import RawTable
from occstats.results.readers.language_models import is_lm_eval, read_lm_eval
from occstats.results.readers.limits import Limits

__all__ = ["read_json"]


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
_SHAPES = (
    "expected one object per row (as an array, or one per line), or an object with a list for each"
    " column"
)


def read_json(content: bytes, where: str, limits: Limits) -> RawTable:
    """Read one record per line, an array of records, or an object that holds a table."""
    try:
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise ResultsError(
            f"{where}: byte {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from None
    # A decoded value takes about a hundred bytes.
    limits.check_cells(4 * sum(text.count(sign) for sign in ",[{"), where)
    document = _decode(text, where)
    if is_lm_eval(document):
        return read_lm_eval(json.loads(text), where, limits)
    columns: dict[str, list[Any]] = {}
    rows = 0
    for place, record in _records(document, text, where, limits):
        if not isinstance(record, dict):
            raise ResultsError(
                f"{where}, {place}: contains {quote(json.dumps(record))}, not an object; {_SHAPES}"
            )
        for name, value in _flat(record):
            if name not in columns:
                limits.check_columns(len(columns) + 1, where)
                columns[name] = []
            columns[name] += [None] * (rows - len(columns[name]))
            columns[name].append(value)
        rows += 1
        limits.check_rows(rows, where)
        # New keys in each row would make a square.
        limits.check_cells(rows * len(columns), where)
    for column in columns.values():
        column.extend([None] * (rows - len(column)))
    frame = pd.DataFrame(columns, index=range(rows), dtype=object)
    return RawTable(where, frame)


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of a record; keys of the next level are joined by dots."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{key}", inner) for key, inner in value.items())
        else:
            yield name, value


def _decode(text: str, where: str) -> Any:
    """Return the document, or None if the text is one object per line."""
    try:
        return _DECODER.decode(text)
    except _RepeatedKeyError as error:
        raise _repeated(error, where) from None
    except (json.JSONDecodeError, RecursionError) as error:
        if not _is_record(text.split("\n", 1)[0]):
            raise _not_json(error, where) from None
    return None


def _records(document: Any, text: str, where: str, limits: Limits) -> Iterator[tuple[str, Any]]:
    if document is not None:
        records = _of_object(document, where, limits) if isinstance(document, dict) else document
        if not isinstance(records, list):
            raise ResultsError(f"{where}: is JSON, but a single value, not a table; {_SHAPES}")
        yield from ((f"record {number}", item) for number, item in enumerate(records, start=1))
        return
    # Only \n ends a line; splitlines would also split at separators within strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number}", _DECODER.decode(line.strip())
            except _RepeatedKeyError as error:
                raise _repeated(error, f"{where}, line {number}") from None
            except (json.JSONDecodeError, RecursionError) as error:
                raise _not_json(error, f"{where}, line {number}") from None


def _is_record(line: str) -> bool:
    """Return True if the line is a whole object, as in JSON lines, not the start of a document."""
    try:
        return isinstance(_DECODER.decode(line.strip()), dict)
    except (ValueError, RecursionError):
        return False


def _of_object(held: dict[str, Any], where: str, limits: Limits) -> list[dict[str, Any]]:
    """Return the records of an object: a list under a key, columns by name, or rows by name."""
    lists = {key: value for key, value in held.items() if isinstance(value, list)}
    tables = [key for key, value in lists.items() if value and isinstance(value[0], dict)]
    if len(tables) == 1:
        return lists[tables[0]]
    if len(tables) > 1:
        raise ResultsError(
            f"{where}: contains {len(tables)} tables, under the keys {quote_list(tables)}; keep one"
        )
    if lists and len(lists) == len(held) and len(set(map(len, lists.values()))) == 1:
        return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]
    if not held or not all(isinstance(value, dict) and value for value in held.values()):
        if any(isinstance(value, dict | list) for value in held.values()):
            raise ResultsError(
                f"{where}: is JSON, but not a table: an object with the keys {quote_list(held)};"
                f" {_SHAPES}"
            )
        return [held]
    if all(key.isdigit() for value in held.values() for key in value):
        # Columns of numbered rows, as pandas writes them.
        keys = list(dict.fromkeys(key for value in held.values() for key in value))
        limits.check_rows(len(keys), where)
        limits.check_cells(len(keys) * len(held), where)
        return [{name: value.get(key) for name, value in held.items()} for key in keys]
    cells = [cell for value in held.values() for cell in value.values()]
    if all(isinstance(cell, list) for cell in cells):
        # Scores of several runs, as in {"DQN": {"Pong": [18.5, 20.1]}}.
        return [
            {"key": key, "repeat": str(run)}
            | {name: runs[run] for name, runs in value.items() if run < len(runs)}
            for key, value in held.items()
            for run in range(max(map(len, value.values())))
        ]
    return [{"key": key, **value} for key, value in held.items()]


def _repeated(error: _RepeatedKeyError, where: str) -> ResultsError:
    return ResultsError(f"{where}: duplicate key {quote(error)}; use each key once")


def _not_json(error: Exception, where: str) -> ResultsError:
    reason = "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        reason = f"line {error.lineno}, column {error.colno}: {error.msg}"
    return ResultsError(
        f"{where}: is not valid JSON ({reason}); the file may be truncated; write it again"
    )
