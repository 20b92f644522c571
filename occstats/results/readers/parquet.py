"""Read Parquet files and directories of shards, with sizes checked first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._files import verify_digest
from occstats._format import count, show_path
from occstats.errors import ResultsError
from occstats.results.cells import column_text, reason_of
from occstats.results.readers.frames import RawTable, check_names, frame_of_arrow
from occstats.results.readers.limits import Limits, check_exists, kind_of_file

__all__ = ["read_parquet"]

# Key of a row of `occstats run`; a killed run may have written it twice.
_IDENTITY = ["dataset", "class", "descriptor", "fold", "configuration"]


def read_parquet(paths: Sequence[Path], where: str, limits: Limits) -> RawTable:
    """Read one Parquet file, or the shards of a directory."""
    columns: dict[str, None] = {}
    rows, size = 0, 0
    for path in paths:
        with _open(path) as file:
            check_names(file.schema_arrow.names, show_path(path))
            columns.update(dict.fromkeys(file.schema_arrow.names))
            groups = map(file.metadata.row_group, range(file.num_row_groups))
            size += sum(group.total_byte_size for group in groups)
            rows += file.metadata.num_rows
        cells = rows * len(columns)
        limits.check(where, rows=rows, columns=len(columns), cells=cells, size=size)
    raw = RawTable(where, _join([_read(path, limits) for path in paths]))
    if not set(_IDENTITY) <= set(raw.columns):
        return raw
    twice = raw.frame[_IDENTITY].duplicated().to_numpy()
    if not twice.any():
        return raw
    note = f"{where}: {count(twice.sum(), 'duplicate row')} counted once."
    return replace(raw.keep(~twice), notes=[note])


def _open(path: Path, text_columns: Sequence[str] = ()) -> Any:
    """Open a file with verification of page checksums."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    where = show_path(path)
    if kind_of_file(path, check_exists(path)) != "parquet":
        raise ResultsError(f"{where}: is not a Parquet file; write it again")
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(size - 4, 0))
        # The shortest file is the magic number, the length of the footer, and the magic number.
        if stream.read(4) != b"PAR1" or size < 12:
            raise ResultsError(
                f"{where}: Parquet file without footer; it is truncated or still being written;"
                " copy or write it again"
            )
    try:
        file = pq.ParquetFile(
            path, page_checksum_verification=True, read_dictionary=list(text_columns)
        )
        _ = file.schema_arrow  # a damaged schema raises only here
        return file
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise _damaged(where, error) from None


def _read(path: Path, limits: Limits) -> pd.DataFrame:
    """Return the table, after verification of its checksum, if it has one."""
    import pyarrow as pa

    where = show_path(path)
    texts = {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}
    try:
        with _open(path) as file:
            text = [field.name for field in file.schema_arrow if field.type in texts]
        # As a dictionary, a name in a million rows is decoded once.
        with _open(path, text) as file:
            table = file.read()
            if table.num_rows != file.metadata.num_rows and table.num_columns:
                raise ValueError(f"{table.num_rows} rows instead of {file.metadata.num_rows}")
        frame = frame_of_arrow(table, where, limits)
        verify_digest(frame, table.schema.metadata, where)
        return frame
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        if isinstance(error, ResultsError):
            raise
        raise _damaged(where, error) from None


def _join(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    if len(frames) == 1:
        return frames[0]
    joined = {}
    for name in dict.fromkeys(name for frame in frames for name in frame.columns):
        columns = [frame.reindex(columns=[name])[name] for frame in frames]
        if len({column.dtype.kind for column in columns}) > 1 or columns[0].dtype.kind in "OMm":
            # Shards may differ in type (classes 0 and 1 in one, a and b in another).
            columns = [pd.Series(column_text(column), dtype=object) for column in columns]
        joined[name] = pd.concat(columns, ignore_index=True)
    return pd.DataFrame(joined)


def _damaged(where: str, error: BaseException) -> ResultsError:
    return ResultsError(f"{where}: damaged Parquet file ({reason_of(error)}); write it again")
