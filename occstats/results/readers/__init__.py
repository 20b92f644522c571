"""Read files of any supported kind into raw tables."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from occstats._format import quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.cells import reason_of
from occstats.results.readers.delimited import as_utf8, read_delimited
from occstats.results.readers.excel import read_excel
from occstats.results.readers.frames import RawTable
from occstats.results.readers.json_lines import read_json
from occstats.results.readers.limits import (
    Limits,
    check_exists,
    check_text,
    kind_of_bytes,
    kind_of_file,
)
from occstats.results.readers.markdown import is_markdown, read_markdown
from occstats.results.readers.parquet import read_feather, read_parquet
from occstats.results.reading import Reading

__all__ = ["STANDARD_INPUT", "read_path"]

# Name of standard input, as usual on the command line.
STANDARD_INPUT = "-"


def read_path(path: Path, limits: Limits, reading: Reading | None = None) -> list[RawTable]:
    """Read a results file, a directory of Parquet shards, or all text files of a directory."""
    reading = reading or Reading()
    where = show_path(path)
    if str(path) == STANDARD_INPUT:
        content = _standard_input(limits.unpacked_bytes)
        if not content:
            raise ResultsError("standard input: is empty; the program before it may have failed")
        return [_read_text(content, "", "standard input", limits, reading)]
    status = check_exists(path)
    if path.is_dir():
        return _read_directory(path, limits, reading)
    kind = kind_of_file(path, status)
    if kind == "parquet":
        return [read_parquet([path], where, limits)]
    if kind == "feather":
        return [read_feather(path, limits)]
    if kind == "excel":
        return [read_excel(path, limits, reading.sheet, reading.header_rows)]
    if kind == "gzip":
        try:
            with gzip.open(path) as stream:
                content = stream.read(limits.unpacked_bytes + 1)
        except (EOFError, gzip.BadGzipFile, zlib.error, OSError) as error:
            raise ResultsError(
                f"{where}: damaged or truncated gzip file ({error}); copy it again"
            ) from None
        path = path.with_suffix("")
    else:
        limits.check_bytes(status.st_size, where)
        content = path.read_bytes()
    return [_read_text(content, path.suffix.lower(), where, limits, reading)]


@cache  # it can be read once only
def _standard_input(limit: int) -> bytes:
    return sys.stdin.buffer.read(limit + 1)


def _read_text(
    content: bytes, suffix: str, where: str, limits: Limits, reading: Reading
) -> RawTable:
    """Read the content of a text file by what it holds."""
    limits.check_bytes(len(content), where)
    kind = kind_of_bytes(content[:512], where)
    if kind not in {"text", "json"}:
        raise ResultsError(f"{where}: is a compressed {kind} file; decompress it first")
    if reading.encoding is not None:
        try:
            content = content.decode(reading.encoding).encode("utf-8")
        except UnicodeError as error:
            raise ResultsError(
                f"{where}: is not {reading.encoding} ({reason_of(error)}); pass another encoding=…"
            ) from None
    if kind == "json" or suffix in {".json", ".jsonl", ".ndjson"}:
        return read_json(content, where, limits)
    content = as_utf8(content, where)
    named = suffix in {".csv", ".tsv", ".tab"} and content.lstrip()[:1] != b"|"
    if not named and is_markdown(content):
        return read_markdown(content, where, limits, reading.table)
    check_text(content, suffix, where)
    return read_delimited(content, where, limits, reading.header_rows)


def _read_directory(path: Path, limits: Limits, reading: Reading) -> list[RawTable]:
    """Read the Parquet shards of a directory as one table; without any, each CSV file as one."""
    shards: list[Path] = []
    texts: list[Path] = []
    others: list[Path] = []
    for folder, folders, files in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        for name in sorted(files):
            if not name.startswith((".", "_")):
                ending = name.lower().removesuffix(".gz")
                found = shards if ending.endswith((".parquet", ".pq")) else others
                found = texts if ending.endswith((".csv", ".tsv")) else found
                found.append(Path(folder) / name)
    if shards:
        return [read_parquet(shards, show_path(path), limits)]
    if not texts:
        held = quote_list((other.relative_to(path) for other in others), limit=5)
        raise ResultsError(
            f"{show_path(path)}: is a folder without results (no .parquet or .csv file; it contains"
            f" {held if others else 'nothing'}); name a results file, or an output folder of"
            " occstats run"
        )
    tables: list[RawTable] = []
    for file, label in zip(texts, _labels(texts, path), strict=True):
        tables += [replace(table, label=label) for table in read_path(file, limits, reading)]
        limits.check_rows(sum(table.n_rows for table in tables), show_path(path))
    return tables


def _labels(files: Sequence[Path], folder: Path) -> list[str]:
    """Return the names of the files without suffixes, with those of their folders if needed."""
    inner = [file.relative_to(folder) for file in files]
    if len({file.name for file in inner}) == 1 < len(inner):
        return [str(file.parent) for file in inner]
    stems = [file.name.split(".")[0] for file in inner]
    if len(set(stems)) == len(inner):
        return stems
    return [str(file.parent / stem) for file, stem in zip(inner, stems, strict=True)]
