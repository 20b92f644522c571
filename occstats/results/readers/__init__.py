"""From a source of any kind to a raw table: files by their content, frames of any library."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import pandas as pd

from occstats.errors import ResultsError
from occstats.results.names import quote, reason_of, show_path
from occstats.results.options import Reading
from occstats.results.readers.bundled import bundled_content, bundled_names
from occstats.results.readers.delimited import read_delimited
from occstats.results.readers.excel import read_excel
from occstats.results.readers.harnesses import find_reader, recognise
from occstats.results.readers.json_lines import read_json
from occstats.results.readers.limits import Limits, check_exists, kind_of_bytes, kind_of_file
from occstats.results.readers.parquet import from_arrow, read_directory, read_feather, read_parquet
from occstats.results.readers.raw import RawTable, from_frame
from occstats.results.table import Results

__all__ = ["Source", "open_sources", "read_path"]

Source = str | PathLike[str] | pd.DataFrame | Results | Any
_CHUNK = 1 << 20


def open_sources(sources: Sequence[Source], reading: Reading) -> list[RawTable | Results]:
    """Open every source; files of a format that was named are one source together."""
    limits = Limits(reading.max_rows)
    if reading.format is not None:
        reader = find_reader(reading.format)
        files = [source for source in sources if not _is_held(source)]
        others = [source for source in sources if _is_held(source)]
        opened: list[RawTable | Results] = []
        if files:
            paths = [Path(source) for source in files]  # type: ignore[arg-type]
            for path in paths:
                check_exists(path)
            opened = list(reader.read(paths, limits))
    else:
        opened, others = [], list(sources)
    opened += [_open(source, reading, limits, i) for i, source in enumerate(others, 1)]
    return _labelled(opened)


def _is_held(source: Source) -> bool:
    """Whether a source is no file: a table in memory, or a bundled one."""
    return (
        source in bundled_names() if isinstance(source, str) else not isinstance(source, PathLike)
    )


def _open(source: Source, reading: Reading, limits: Limits, number: int) -> RawTable | Results:
    if isinstance(source, Results):
        return source
    name = "frame" if number == 1 else f"frame {number}"
    if isinstance(source, pd.DataFrame):
        return from_frame(source, name)
    if hasattr(source, "__arrow_c_stream__"):
        return from_arrow(source, name, limits)
    try:
        path = fspath(source)
    except TypeError:
        remedy = (
            "give what its .collect() returns"
            if hasattr(source, "collect")
            else "give a path, a bundled name, a frame (of pandas, Polars or any library with the"
            " Arrow stream) or Results"
        )
        raise ResultsError(
            f"sources: {quote(type(source).__name__)} cannot be read; {remedy}"
        ) from None
    if isinstance(source, str) and source in bundled_names():
        content, score_name = bundled_content(source)
        raw = read_delimited(content, source, limits)
        return replace(raw, suggested={"score_name": score_name}, fixed=True)
    if not path:
        raise ResultsError("sources: the path is empty; name a results file or 'lenz2021'")
    return recognise(read_path(Path(path), limits, reading))


def _labelled(opened: list[RawTable | Results]) -> list[RawTable | Results]:
    """Call the files of several algorithms by the part of their names in which they differ."""
    files = [item for item in opened if isinstance(item, RawTable) and not item.fixed]
    words = [re.split(r"([_\s.]+)", file.stem) for file in files]
    if len(files) < 2:
        return opened
    before = _common(words)
    after = _common([word[before:][::-1] for word in words])
    labels = ["".join(word[before : len(word) - after]).strip("_. ") for word in words]
    called = {
        id(file): replace(file, label=label) for file, label in zip(files, labels, strict=True)
    }
    return [called.get(id(item), item) for item in opened]


def _common(lists: Sequence[Sequence[str]]) -> int:
    """How many words all lists begin with."""
    together = takewhile(lambda words: len(set(words)) == 1, zip(*lists, strict=False))
    return len(list(together))


def read_path(path: Path, limits: Limits, reading: Reading | None = None) -> RawTable:
    """Read a results file or a directory of shards, after all checks of :mod:`.safety`."""
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
            raise ResultsError(f"{where}: holds a compressed {kind} file; unpack it first")
    else:
        limits.check_bytes(status.st_size, where)
        content = path.read_bytes()
    if reading.encoding is not None:
        try:
            content = content.decode(reading.encoding).encode("utf-8")
        except UnicodeError as error:
            raise ResultsError(
                f"{where}: is not {reading.encoding} ({reason_of(error)}); give another encoding=…"
            ) from None
    if kind == "json":
        return read_json(content, where, limits)
    return read_delimited(content, where, limits, reading.header_rows)


def _unpack(path: Path, limits: Limits) -> bytes:
    """Unpack a gzip file, after a first pass that only measures it."""
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
            f"{where}: damaged or cut off gzip file ({error}); copy it again"
        ) from None
