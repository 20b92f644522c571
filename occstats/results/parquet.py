"""Parquet files and directories of shards; sizes are checked before anything is unpacked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.errors import ResultsError
from occstats.results.names import column_text, quote_list, show_path
from occstats.results.raw import RawTable, check_names
from occstats.results.safety import Limits, check_exists, kind_of_file

__all__ = ["read_directory", "read_parquet"]


def read_parquet(path: Path, limits: Limits) -> RawTable:
    """Open one Parquet file."""
    return _read_shards([path], show_path(path), limits)


def read_directory(path: Path, limits: Limits) -> RawTable:
    """Open a directory of Parquet shards; hidden and temporary files are passed over."""
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
            f"{show_path(path)}: is a folder without results (no .parquet file in it; it holds"
            f" {held if others else 'nothing'}); name a results file, or a folder that occstats run"
            " has written"
        )
    return _read_shards(shards, show_path(path), limits)


def _read_shards(paths: Sequence[Path], where: str, limits: Limits) -> RawTable:
    columns: dict[str, None] = {}
    parts, rows, size = [], 0, 0
    for path in paths:
        file = _open(path)
        names = _flat_names(file, path)
        limits.check_columns(len(names), show_path(path))
        check_names(names, show_path(path))
        columns.update(dict.fromkeys(names))
        parts.append((rows, show_path(path)))
        rows += file.metadata.num_rows
        size += sum(file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups))
        limits.check_rows(rows, where)
        limits.check_bytes(size, where)
        file.close()

    def read(wanted: Sequence[str]) -> pd.DataFrame:
        return _join([_read_columns(path, wanted) for path in paths], wanted)

    return RawTable(where, list(columns), rows, read, parts if len(paths) > 1 else ())


def _open(path: Path, text_columns: Sequence[str] = ()) -> Any:
    """Open a file so that damaged pages are found where they carry checksums.

    Text is kept as a dictionary: a name that stands in a million rows is unpacked once.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if kind_of_file(path, check_exists(path)) != "parquet":
        raise ResultsError(f"{show_path(path)}: does not begin like Parquet; write it again")
    with path.open("rb") as stream:
        size = stream.seek(0, os.SEEK_END)
        stream.seek(max(size - 4, 0))
        # The least is the mark, the length of the footer, and the mark again.
        if stream.read(4) != b"PAR1" or size < 12:
            raise ResultsError(
                f"{show_path(path)}: Parquet file without its end, it was cut off or is still being"
                " written; copy or write it again"
            )
    try:
        return pq.ParquetFile(
            path, page_checksum_verification=True, read_dictionary=list(text_columns)
        )
    except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
        raise _damaged(path, error) from None


def _flat_names(file: Any, path: Path) -> list[str]:
    import pyarrow as pa

    try:
        return [field.name for field in file.schema_arrow if not pa.types.is_nested(field.type)]
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(path, error) from None


def _read_columns(path: Path, wanted: Sequence[str]) -> pd.DataFrame:
    import pyarrow as pa

    try:
        schema = _open(path).schema_arrow
        text = [
            field.name
            for field in schema
            if field.name in wanted
            and (pa.types.is_string(field.type) or pa.types.is_large_string(field.type))
        ]
        file = _open(path, text)
        present = [name for name in wanted if name in schema.names]
        expected = file.metadata.num_rows
        frame: pd.DataFrame = file.read(columns=present).to_pandas(
            ignore_metadata=True, strings_to_categorical=False
        )
        file.close()
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
            # Shards may disagree on a type (classes 0 and 1 here, a and b there): text unites them.
            columns = [pd.Series(column_text(column), dtype=object) for column in columns]
        joined[name] = pd.concat(columns, ignore_index=True)
    return pd.DataFrame(joined)


def _damaged(path: Path, error: BaseException) -> ResultsError:
    reason = " ".join(str(error).split())[:160]
    return ResultsError(
        f"{show_path(path)}: damaged Parquet file ({reason}); copy or write it again"
    )
