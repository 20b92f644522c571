"""Read files of any supported kind into raw tables."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from functools import cache
from pathlib import Path

from occstats._format import quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.readers.delimited import as_utf8, check_lines, read_delimited
from occstats.results.readers.excel import read_excel
from occstats.results.readers.frames import RawTable
from occstats.results.readers.harnesses import read_logs
from occstats.results.readers.json_lines import read_json
from occstats.results.readers.limits import (
    Limits,
    check_language,
    choose_table,
    kind_of_bytes,
    kind_of_file,
)
from occstats.results.readers.markdown import is_markdown, read_markdown
from occstats.results.readers.parquet import read_parquet
from occstats.results.reading import Reading


def read_path(path: Path, limits: Limits, reading: Reading | None = None) -> list[RawTable]:
    """Read a results file, a directory of Parquet shards, or all text files of a directory."""
    reading = reading or Reading()
    where = show_path(path)
    if where == "-":
        content = _standard_input(limits.unpacked_bytes)
        if not content:
            raise ResultsError("standard input: is empty; the program before it may have failed")
        return [_read_text(content, Path("standard input"), limits, reading)]
    kind, size = kind_of_file(path)
    if kind == "folder":
        return _read_folder(path, limits, reading)
    if (logs := read_logs(path, [path], limits)) is not None:
        return [logs]
    if kind == "parquet":
        choose_table([where], reading.table, where)
        return [read_parquet([path], where, limits)]
    if kind == "excel":
        return [read_excel(path, limits, reading.table, reading.header_rows)]
    try:
        # A file that is not compressed is refused by its size before it is read.
        limits.check(where, size=size if kind != "gzip" else 0)
        with gzip.open(path) if kind == "gzip" else path.open("rb") as stream:
            content = stream.read(limits.unpacked_bytes + 1)
    except (EOFError, zlib.error, OSError) as error:
        raise ResultsError(
            f"{where}: damaged or truncated gzip file ({error}); copy it again"
        ) from None
    return [_read_text(content, path, limits, reading)]


@cache  # it can be read once only
def _standard_input(limit: int) -> bytes:
    return sys.stdin.buffer.read(limit + 1)


def _read_text(content: bytes, path: Path, limits: Limits, reading: Reading) -> RawTable:
    """Read the content of a text file by what it holds."""
    where = show_path(path)
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    limits.check(where, size=len(content))
    kind = kind_of_bytes(content[:512], where)
    if kind not in {"text", "json"}:
        raise ResultsError(f"{where}: is a compressed {kind} file; decompress it first")
    content = as_utf8(content, where, reading.encoding)
    if kind == "json" or suffix in {".json", ".jsonl", ".ndjson"}:
        return read_json(content, path, limits, reading.table)
    check_lines(content, where)
    delimited = suffix in {".csv", ".tsv", ".tab"} and content.lstrip()[:1] != b"|"
    if not delimited and is_markdown(content):
        return read_markdown(content, where, limits, reading.table)
    choose_table([where], reading.table, where)
    check_language(content, suffix, where)
    return read_delimited(content, where, limits, reading.header_rows)


def _read_folder(path: Path, limits: Limits, reading: Reading) -> list[RawTable]:
    """Read the Parquet shards or logs of a folder as one table, or each text file as one."""
    where = show_path(path)
    if (path / "sweep.json").is_file():
        raise ResultsError(
            f"{where}: is a sweep over parameters; try the results with the parameters"
            f" it chose: {show_path(path / 'results.csv')}"
        )
    inner: list[Path] = []
    for folder, folders, names in os.walk(path):
        for found in (folders, names):
            found[:] = sorted(name for name in found if not name.startswith((".", "_")))
        inner += [Path(folder, name).relative_to(path) for name in names]
    if shards := [path / file for file in inner if file.suffix.lower() in {".parquet", ".pq"}]:
        return [read_parquet(shards, where, limits)]
    if (logs := read_logs(path, [path / file for file in inner], limits)) is not None:
        return [logs]
    texts: list[Path] = []
    for endings in ((".csv", ".tsv", ".csv.gz", ".tsv.gz"), (".jsonl", ".ndjson", ".json")):
        texts = texts or [file for file in inner if file.name.lower().endswith(endings)]
    if not texts:
        raise ResultsError(
            f"{where}: is a folder without results (no Parquet, CSV or JSON file; it contains"
            f" {quote_list(inner, limit=5) if inner else 'nothing'}); name a results file, or an"
            " output folder of occstats run"
        )
    tables: list[RawTable] = []
    for file in texts:
        tables += read_path(path / file, limits, reading)
        limits.check(where, rows=sum(table.n_rows for table in tables))
    return tables
