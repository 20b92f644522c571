"""Feather (Arrow) files; the announced sizes are checked before anything is unpacked."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.errors import ResultsError
from occstats.results.names import show_path
from occstats.results.raw import RawTable, check_names
from occstats.results.safety import Limits

__all__ = ["read_feather"]

_RECORD_BATCH = 3


def read_feather(path: Path, limits: Limits) -> RawTable:
    """Open a Feather file of version 2."""
    import pyarrow as pa

    where = show_path(path)
    try:
        with pa.memory_map(str(path)) as source:
            schema = pa.ipc.open_file(source).schema
            names = [field.name for field in schema if not pa.types.is_nested(field.type)]
            limits.check_columns(len(schema), where)
            check_names(list(schema.names), where)
            rows = _check_sizes(source, limits, where)
    except ResultsError:
        raise
    except (pa.ArrowException, OSError, ValueError, EOFError, struct.error, MemoryError) as error:
        raise _damaged(where, error) from None

    def read(wanted: Sequence[str]) -> pd.DataFrame:
        try:
            options = pa.ipc.IpcReadOptions(
                included_fields=[schema.get_field_index(name) for name in wanted]
            )
            with pa.memory_map(str(path)) as source:
                table = pa.ipc.open_file(source, options=options).read_all()
                table.validate(full=True)
                frame: pd.DataFrame = table.select(list(wanted)).to_pandas(ignore_metadata=True)
                return frame.copy()
        except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
            raise _damaged(where, error) from None

    return RawTable(where, names, rows, read)


def _check_sizes(source: Any, limits: Limits, where: str) -> int:
    """Add up rows and unpacked bytes as the headers of the record batches announce them."""
    import pyarrow as pa

    source.seek(8)  # after the magic, a file is a stream of messages
    rows = size = 0
    for message in pa.ipc.MessageReader.open_stream(source):
        batch = _record_batch(message.metadata.to_pybytes())
        if batch is None:
            continue
        length, compressed, buffers = batch
        rows += length
        limits.check_rows(rows, where)
        for offset, stored in buffers:
            announced = stored
            if compressed and stored >= 8:
                announced = max(
                    stored, struct.unpack("<q", message.body.slice(offset, 8).to_pybytes())[0]
                )
            size += announced
        limits.check_bytes(size, where)
    return rows


def _record_batch(header: bytes) -> tuple[int, bool, list[tuple[int, int]]] | None:
    """Read length, compression and buffers from a message's FlatBuffers header.

    pyarrow tells them only after unpacking. Field numbers are those of Arrow's ``Message.fbs``.
    """
    message = struct.unpack_from("<I", header, 0)[0]
    kind_at = _field(header, message, 1)
    table_at = _field(header, message, 2)
    if kind_at is None or table_at is None or header[kind_at] != _RECORD_BATCH:
        return None
    table = table_at + struct.unpack_from("<I", header, table_at)[0]
    length_at, buffers_at = _field(header, table, 0), _field(header, table, 2)
    length = 0 if length_at is None else struct.unpack_from("<q", header, length_at)[0]
    buffers = []
    if buffers_at is not None:
        vector = buffers_at + struct.unpack_from("<I", header, buffers_at)[0]
        count = struct.unpack_from("<I", header, vector)[0]
        buffers = [struct.unpack_from("<qq", header, vector + 4 + 16 * i) for i in range(count)]
    return length, _field(header, table, 3) is not None, buffers


def _field(buffer: bytes, table: int, number: int) -> int | None:
    """Where a FlatBuffers table keeps a field, or None if it is left out."""
    vtable = table - struct.unpack_from("<i", buffer, table)[0]
    entry = 4 + 2 * number
    if entry >= struct.unpack_from("<H", buffer, vtable)[0]:
        return None
    offset = struct.unpack_from("<H", buffer, vtable + entry)[0]
    return table + offset if offset else None


def _damaged(where: str, error: BaseException) -> ResultsError:
    reason = " ".join(str(error).split())[:160]
    return ResultsError(f"{where}: damaged Feather file ({reason}); copy or write it again")
