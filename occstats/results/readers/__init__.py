"""Read files of any supported kind into raw tables."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from occstats._format import show_path
from occstats.errors import ResultsError
from occstats.results.cells import reason_of
from occstats.results.readers.delimited import read_delimited
from occstats.results.readers.excel import read_excel
from occstats.results.readers.frames import RawTable
from occstats.results.readers.json_lines import read_json
from occstats.results.readers.limits import Limits, check_exists, kind_of_bytes, kind_of_file
from occstats.results.readers.parquet import read_directory, read_feather, read_parquet
from occstats.results.reading import Reading

__all__ = ["read_path"]

_CHUNK = 1 << 20


def read_path(path: Path, limits: Limits, reading: Reading | None = None) -> RawTable:
    """Read a results file or a directory of shards, after the checks of :mod:`.limits`."""
    reading = reading or Reading()
    status = check_exists(path)
    if path.is_dir():
        return read_directory(path, limits)
    where = show_path(path)
    kind = kind_of_file(path, status)
    if kind == "parquet":
        return read_parquet(path, limits)
    if kind == "feather":
        return read_feather(path, limits)
    if kind == "excel":
        return read_excel(path, limits, reading.sheet, reading.header_rows)
    if kind == "gzip":
        content = _unpack(path, limits)
        kind = kind_of_bytes(content[:512], where)
        if kind not in {"text", "json"}:
            raise ResultsError(f"{where}: is a compressed {kind} file; decompress it first")
    else:
        limits.check_bytes(status.st_size, where)
        content = path.read_bytes()
    if reading.encoding is not None:
        try:
            content = content.decode(reading.encoding).encode("utf-8")
        except UnicodeError as error:
            raise ResultsError(
                f"{where}: is not {reading.encoding} ({reason_of(error)}); pass another encoding=…"
            ) from None
    if kind == "json":
        return read_json(content, where, limits)
    return read_delimited(content, where, limits, reading.header_rows)


def _unpack(path: Path, limits: Limits) -> bytes:
    """Decompress a gzip file, after a first pass that only measures it."""
    where = show_path(path)
    try:
        size = lines = 0
        with gzip.open(path) as stream:
            while chunk := stream.read(_CHUNK):
                size += len(chunk)
                lines += chunk.count(b"\n")
                limits.check_bytes(size, where)
                limits.check_rows(lines - 1, where)
        with gzip.open(path) as stream:
            return stream.read(size)
    except (EOFError, gzip.BadGzipFile, zlib.error, OSError) as error:
        raise ResultsError(
            f"{where}: damaged or truncated gzip file ({error}); copy it again"
        ) from None
