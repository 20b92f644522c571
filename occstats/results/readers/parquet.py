"""Read Parquet files and directories of shards, with sizes checked first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._files import verify_digest
from occstats._format import count, show_path
from occstats.errors import ResultsError
from occstats.results.cells import message_of
from occstats.results.readers.frames import RawTable, check_names, frame_of_arrow
from occstats.results.readers.limits import Limits, kind_of_file

# Key of a row of `occstats run`; a killed run may have written it twice.
_IDENTITY = ["dataset", "class", "descriptor", "fold", "configuration", "parameters"]


def read_parquet(paths: Sequence[Path], where: str, limits: Limits) -> RawTable:
    """Read one Parquet file, or the shards of a directory."""
    columns: set[str] = set()
    rows, size = 0, 0
    for path in paths:
        with _open_parquet(path) as file:
            check_names(file.schema_arrow.names, show_path(path))
            columns |= {*file.schema_arrow.names}
            groups = map(file.metadata.row_group, range(file.num_row_groups))
            size += sum(group.total_byte_size for group in groups)
            rows += file.metadata.num_rows
        cells = rows * len(columns)
        limits.check(where, rows=rows, columns=len(columns), cells=cells, size=size)
    frames = [_read(path, limits) for path in paths]
    raw = RawTable(where, pd.concat(frames, ignore_index=True) if frames[1:] else frames[0])
    twice = raw.frame.duplicated(_IDENTITY) if {*_IDENTITY} <= columns else pd.Series(dtype=bool)
    if not twice.any():
        return raw
    note = f"{where}: {count(int(twice.sum()), 'duplicate row')} counted once."
    return replace(raw.keep(~twice.to_numpy()), notes=[note])


@contextmanager
def _open_parquet(path: Path) -> Iterator[Any]:
    """Open a file with verification of page checksums, to read each distinct name once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kind_of_file(path)
    texts = {pa.string(), pa.large_string(), pa.binary(), pa.large_binary()}
    try:
        names = [field.name for field in pq.read_schema(path) if field.type in texts]
        with pq.ParquetFile(path, page_checksum_verification=True, read_dictionary=names) as file:
            yield file
    except ResultsError:
        raise
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise ResultsError(
            f"{show_path(path)}: damaged or truncated Parquet file ({message_of(error)}); copy or"
            " write it again"
        ) from None


def _read(path: Path, limits: Limits) -> pd.DataFrame:
    """Return the table, after verification of its checksum, if it has one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    with _open_parquet(path) as file:
        table = file.read()
        if table.num_rows != file.metadata.num_rows and table.num_columns:
            raise ValueError(f"{table.num_rows} rows instead of {file.metadata.num_rows}")
        size = table.nbytes
        # A long name may be shared by many rows, in each of which it would be written out.
        for column in table.columns:
            for chunk in column.chunks if pa.types.is_dictionary(column.type) else ():
                lengths = pc.binary_length(chunk.dictionary.cast(pa.large_binary()))
                size += pc.sum(lengths.take(chunk.indices)).as_py() or 0
        limits.check(show_path(path), size=size)
        frame = frame_of_arrow(table)
        verify_digest(frame, table.schema.metadata, show_path(path))
    return frame
