"""Read Parquet and Feather files and directories of shards, with sizes checked first."""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._files import DIGEST, verify_digest
from occstats._format import count, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.cells import column_text, reason_of
from occstats.results.readers.frames import RawTable, check_names
from occstats.results.readers.limits import Limits, check_exists, kind_of_file

__all__ = ["read_directory", "read_feather", "read_parquet"]


def read_parquet(path: Path, limits: Limits) -> RawTable:
    """Open one Parquet file."""
    return _read_shards([path], show_path(path), limits)


def read_directory(path: Path, limits: Limits) -> RawTable:
    """Open a directory of Parquet shards, except for hidden and temporary files."""
    shards: list[Path] = []
    others: list[Path] = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        for name in sorted(files):
            if name.startswith((".", "_")):
                continue
            is_shard = name.lower().endswith((".parquet", ".pq"))
            (shards if is_shard else others).append(Path(folder) / name)
    if not shards:
        held = quote_list((other.relative_to(path) for other in others), limit=5)
        raise ResultsError(
            f"{show_path(path)}: is a folder without results (no .parquet file; it contains"
            f" {held if others else 'nothing'}); name a results file, or an output folder of"
            " occstats run"
        )
    return _each_once(_read_shards(shards, show_path(path), limits))


# Key of a row of `occstats run`; a killed run may have written it twice.
_IDENTITY = ["dataset", "class", "descriptor", "fold", "configuration"]


def _each_once(raw: RawTable) -> RawTable:
    if not set(_IDENTITY) <= set(raw.columns):
        return raw
    twice = raw.read(_IDENTITY).duplicated().to_numpy()
    if not twice.any():
        return raw
    note = f"{raw.name}: {count(twice.sum(), 'duplicate row')} counted once."
    return replace(raw.keep(~twice), notes=[*raw.notes, note])


def _read_shards(paths: Sequence[Path], where: str, limits: Limits) -> RawTable:
    import pyarrow as pa

    columns: dict[str, None] = {}
    parts, rows, size, unverified = [], 0, 0, 0
    for path in paths:
        file = _open(path)
        names = [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
        limits.check_columns(len(names), show_path(path))
        check_names(names, show_path(path))
        columns.update(dict.fromkeys(names))
        unverified += DIGEST not in (file.schema_arrow.metadata or {})
        parts.append((rows, show_path(path)))
        rows += file.metadata.num_rows
        size += sum(file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups))
        limits.check_rows(rows, where)
        limits.check_bytes(size, where)
        limits.check_cells(rows * len(columns), where)
        file.close()

    def read(wanted: Sequence[str]) -> pd.DataFrame:
        return _join([_read_columns(path, wanted) for path in paths], wanted)

    parts = parts if len(paths) > 1 else []
    return RawTable(where, list(columns), rows, read, parts, unverified=unverified)


def _open(path: Path, text_columns: Sequence[str] = ()) -> Any:
    """Open a file with verification of page checksums.

    Text is read as a dictionary, so that a name in a million rows is decoded once.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if kind_of_file(path, check_exists(path)) != "parquet":
        raise ResultsError(f"{show_path(path)}: is not a Parquet file; write it again")
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(size - 4, 0))
        # The shortest file is the magic number, the length of the footer, and the magic number.
        if stream.read(4) != b"PAR1" or size < 12:
            raise ResultsError(
                f"{show_path(path)}: Parquet file without footer; it is truncated or still being"
                " written; copy or write it again"
            )
    try:
        file = pq.ParquetFile(
            path, page_checksum_verification=True, read_dictionary=list(text_columns)
        )
        _ = file.schema_arrow  # a damaged schema raises only here
        return file
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise _damaged(path, error) from None


def _read_columns(path: Path, wanted: Sequence[str]) -> pd.DataFrame:
    import pyarrow as pa

    try:
        schema = _open(path).schema_arrow
        texts = {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}
        text = [field.name for field in schema if field.name in wanted and field.type in texts]
        present = [name for name in wanted if name in schema.names]
        digested = DIGEST in (schema.metadata or {})
        # The checksum covers all columns.
        file = _open(path, text)
        expected = file.metadata.num_rows
        frame: pd.DataFrame = file.read(columns=None if digested else present).to_pandas(
            ignore_metadata=True, strings_to_categorical=False, integer_object_nulls=True
        )
        file.close()
        verify_digest(frame, schema.metadata, show_path(path))
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        if isinstance(error, ResultsError):
            raise
        raise _damaged(path, error) from None
    if len(frame) != expected and present:
        raise _damaged(path, ValueError(f"{len(frame)} rows instead of {expected}"))
    return frame.reindex(columns=list(wanted))


def _join(frames: Sequence[pd.DataFrame], wanted: Sequence[str]) -> pd.DataFrame:
    if len(frames) == 1:
        return frames[0]
    joined = {}
    for name in wanted:
        columns = [frame[name] for frame in frames]
        if len({column.dtype.kind for column in columns}) > 1 or columns[0].dtype.kind in "OMm":
            # Shards may differ in type (classes 0 and 1 in one, a and b in another).
            columns = [pd.Series(column_text(column), dtype=object) for column in columns]
        joined[name] = pd.concat(columns, ignore_index=True)
    return pd.DataFrame(joined)


def _damaged(path: Path, error: BaseException, kind: str = "Parquet") -> ResultsError:
    return ResultsError(
        f"{show_path(path)}: damaged {kind} file ({reason_of(error)}); copy or write it again"
    )


_RECORD_BATCH = 3


def read_feather(path: Path, limits: Limits) -> RawTable:
    """Open a Feather file of version 2."""
    import pyarrow as pa

    where = show_path(path)
    damage = (
        pa.ArrowException,
        OSError,
        ValueError,
        LookupError,
        EOFError,
        struct.error,
        MemoryError,
    )
    try:
        with pa.memory_map(str(path)) as source:
            schema = pa.ipc.open_file(source).schema
            names = [field.name for field in schema if not pa.types.is_nested(field.type)]
            limits.check_columns(len(schema), where)
            check_names(list(schema.names), where)
            rows = _check_sizes(source, limits, where)
    except ResultsError:
        raise
    except damage as error:
        raise _damaged(path, error, "Feather") from None

    def read(wanted: Sequence[str]) -> pd.DataFrame:
        try:
            options = pa.ipc.IpcReadOptions(
                included_fields=[schema.get_field_index(name) for name in wanted]
            )
            with pa.memory_map(str(path)) as source:
                table = pa.ipc.open_file(source, options=options).read_all()
                table.validate(full=True)
                frame: pd.DataFrame = table.select(list(wanted)).to_pandas(
                    ignore_metadata=True, integer_object_nulls=True
                )
                return frame.copy()
        except damage as error:
            raise _damaged(path, error, "Feather") from None

    return RawTable(where, names, rows, read, unverified=1)


def _check_sizes(source: Any, limits: Limits, where: str) -> int:
    """Sum rows and decompressed bytes as given in the headers of the record batches."""
    import pyarrow as pa

    source.seek(8)  # after the magic number, a file is a stream of messages
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

    pyarrow reports them only after decompression. Field numbers are those of ``Message.fbs``.
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
    """Return the position of a field of a FlatBuffers table, or None if it is absent."""
    vtable = table - struct.unpack_from("<i", buffer, table)[0]
    entry = 4 + 2 * number
    if entry >= struct.unpack_from("<H", buffer, vtable)[0]:
        return None
    offset = struct.unpack_from("<H", buffer, vtable + entry)[0]
    return table + offset if offset else None
