"""Read Parquet files and directories of shards, with sizes checked first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._files import verify_digest
from occstats._format import count, show_path
from occstats.errors import ResultsError
from occstats.results.cells import as_text, reason_of
from occstats.results.readers.frames import RawTable, check_names, frame_of_arrow
from occstats.results.readers.limits import Limits, check_exists, kind_of_file

__all__ = ["read_parquet"]

# Key of a row of `occstats run`; a killed run may have written it twice.
_IDENTITY = ["dataset", "class", "descriptor", "fold", "configuration", "parameters"]


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


def _open(path: Path) -> Any:
    """Open a file with verification of page checksums, to read each distinct name once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind_of_file(path, check_exists(path))
    texts = {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}
    try:
        names = [field.name for field in pq.read_schema(path) if field.type in texts]
        return pq.ParquetFile(path, page_checksum_verification=True, read_dictionary=names)
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise _damaged(path, error) from None


def _read(path: Path, limits: Limits) -> pd.DataFrame:
    """Return the table, after verification of its checksum, if it has one."""
    import pyarrow as pa

    try:
        with _open(path) as file:
            table = file.read()
            if table.num_rows != file.metadata.num_rows and table.num_columns:
                raise ValueError(f"{table.num_rows} rows instead of {file.metadata.num_rows}")
        limits.check(show_path(path), size=sum(map(_decoded_bytes, table.columns)))
        frame = frame_of_arrow(table)
        verify_digest(frame, table.schema.metadata, show_path(path))
        return frame
    except ResultsError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise _damaged(path, error) from None


def _decoded_bytes(column: Any) -> int:
    """Return the size of a column with every name written out, as it may be shared by rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    size = int(column.nbytes)
    for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
        lengths = pc.binary_length(chunk.dictionary.cast(pa.large_binary()))
        size += pc.sum(lengths.take(chunk.indices)).as_py() or 0
    return size


def _join(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    if len(frames) == 1:
        return frames[0]
    joined = {}
    for name in dict.fromkeys(name for frame in frames for name in frame.columns):
        columns = [frame.reindex(columns=[name])[name] for frame in frames]
        if len({column.dtype.kind for column in columns}) > 1 or columns[0].dtype.kind in "OMm":
            # Shards may differ in type (classes 0 and 1 in one, a and b in another).
            columns = [pd.Series([*map(as_text, c)], dtype=object) for c in columns]
        joined[name] = pd.concat(columns, ignore_index=True)
    return pd.DataFrame(joined)


def _damaged(path: Path, error: BaseException) -> ResultsError:
    return ResultsError(
        f"{show_path(path)}: damaged or truncated Parquet file ({reason_of(error)}); copy or write"
        " it again"
    )
