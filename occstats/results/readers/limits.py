"""What a file is, before anything is read from it: its kind, its size, and why it is refused."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from occstats._format import did_you_mean, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.reading import MOST_ROWS

__all__ = ["Limits", "check_exists", "kind_of_file"]

_SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".csv": "text",
    ".tsv": "text",
    ".tab": "text",
    ".txt": "text",
    ".dat": "text",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
_PICKLED = {".pkl", ".pickle", ".p", ".joblib", ".dill", ".cloudpickle"}

# How a file begins → what it is, and what the user can do about it.
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer, not the data", "run: git lfs pull"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the table as CSV"),
    (b"\x89HDF", "an HDF5 file", "save the table as Parquet or CSV"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"\x93NUMPY", "a NumPy array without names", "save a table with names as CSV or Parquet"),
    (b"%PDF", "a PDF document", "download the table itself"),
    (b"FEA1", "a Feather file of the old version 1", "write it again with a current library"),
    (b"BZh91AY&SY", "a file compressed with bzip2", "unpack it first"),
    (b"\xfd7zXZ\x00", "a file compressed with xz", "unpack it first"),
    (b"(\xb5/\xfd", "a file compressed with zstd", "unpack it first"),
    (b"RDX2\n", "an R workspace", "write the table with write.csv"),
    (b"RDX3\n", "an R workspace", "write the table with write.csv"),
    (b"\x7fELF", "a program", "name the results file"),
    (b"\x89PNG", "a picture", "name the results file"),
)


@dataclass(frozen=True)
class Limits:
    """The most that is read from one source; checked before it is unpacked."""

    rows: int = MOST_ROWS
    columns: int = 10_000

    @property
    def cells(self) -> int:
        """The most cells a source may have: memory and time grow with them."""
        return self.rows * 10

    @property
    def unpacked_bytes(self) -> int:
        """The most bytes a source may unpack to: generous for a row of results."""
        return max(self.rows * 100, 1 << 26)

    def check_rows(self, rows: int, where: str) -> None:
        """Refuse a source that announces more rows than the limit."""
        if rows > self.rows:
            raise ResultsError(
                f"{where}: {rows:,} rows, more than the limit of {self.rows:,}; if that is meant,"
                f" give max_rows={rows}"
            )

    def check_columns(self, columns: int, where: str) -> None:
        """Refuse a source that announces more columns than the limit."""
        if columns > self.columns:
            raise ResultsError(
                f"{where}: {columns:,} columns, more than the limit of {self.columns:,}; is this a"
                " results table? In long form it may have any number of algorithms"
            )

    def check_cells(self, cells: int, where: str) -> None:
        """Refuse a table with more cells than fit into memory."""
        if cells > self.cells:
            raise ResultsError(
                f"{where}: {cells:,} cells or more, above the limit of {self.cells:,} for"
                f" {self.rows:,} rows; leave out columns that are not needed, or raise max_rows"
            )

    def check_bytes(self, size: int, where: str) -> None:
        """Refuse a source that unpacks to more than the limit."""
        if size > self.unpacked_bytes:
            raise ResultsError(
                f"{where}: has {size:,} bytes or more when unpacked, above the limit of"
                f" {self.unpacked_bytes:,} for {self.rows:,} rows; if that is meant, raise max_rows"
            )


def check_exists(path: Path) -> os.stat_result:
    """Give the status of a path that can be read, or say what is wrong with it."""
    where = show_path(path)
    try:
        status = path.stat()
    except FileNotFoundError:
        raise ResultsError(_missing(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ResultsError(f"{where}: cannot be opened ({reason}); check the path") from None
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise ResultsError(
            f"{where}: is a {_special(status.st_mode)}, not a file; write the results to a file"
        )
    if not os.access(path, os.R_OK):
        raise ResultsError(f"{where}: may not be read; change its permissions")
    return status


def _special(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "named pipe (FIFO)"
    return "socket" if stat.S_ISSOCK(mode) else "device"


def _missing(path: Path) -> str:
    from occstats.results.load import bundled_names

    parent = path.parent
    try:
        siblings = sorted(entry.name for entry in parent.iterdir()) if parent.is_dir() else []
    except OSError:
        siblings = []
    near = did_you_mean(path.name, [*bundled_names(), *siblings])
    if not near and not parent.is_dir():
        near = f" (nor is there a folder {show_path(parent)})"
    return (
        f"{show_path(path)}: there is no such file, folder or bundled result{near}; bundled are"
        f" {quote_list(bundled_names())}"
    )


def kind_of_file(path: Path, status: os.stat_result) -> str:
    """Decide between parquet, feather, text, json and gzip, by ending and by content.

    A pickle can run any program when it is loaded, so it is refused by ending and by content.
    """
    where = show_path(path)
    suffix = path.suffix.lower()
    if suffix in _PICKLED:
        raise ResultsError(_pickle_message(where))
    if status.st_size == 0:
        raise ResultsError(f"{where}: the file is empty; was it written to the end?")
    with path.open("rb") as stream:
        head = stream.read(512)
    kind = kind_of_bytes(head, where)
    expected = _SUFFIXES.get(suffix)
    if kind == "gzip":
        return kind
    if expected in {"parquet", "feather", "excel"} and kind != expected:
        raise ResultsError(
            f"{where}: is called {suffix} but holds {_describe(kind)}; give it the right ending, or"
            " download or write it again"
        )
    if expected in {"text", "json"} and kind in {"parquet", "feather", "excel"}:
        ending = {"excel": "xlsx"}.get(kind, kind)
        raise ResultsError(
            f"{where}: is called {suffix} but holds {_describe(kind)}; rename it to .{ending}"
        )
    return expected or kind


def kind_of_bytes(head: bytes, where: str) -> str:
    """Tell from the first bytes what a file is; refuse what cannot be a results table."""
    for magic, what, remedy in _FOREIGN:
        if head.startswith(magic):
            raise ResultsError(f"{where}: is {what}; {remedy}")
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"ARROW1"):
        return "feather"
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith(b"PK\x03\x04"):
        if b"[Content_Types].xml" in head or b"xl/" in head or b"_rels/" in head:
            return "excel"
        raise ResultsError(f"{where}: is a ZIP archive; unpack it first")
    if _is_pickle(head):
        raise ResultsError(_pickle_message(where))
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--", b"<table")):
        raise ResultsError(
            f"{where}: is a web page (HTML or XML), not a table; download the file itself (the"
            " 'raw' link)"
        )
    if text.startswith((b"\\begin", b"\\documentclass", b"\\documentstyle")):
        raise ResultsError(f"{where}: is a LaTeX document; save the table as CSV")
    if text.startswith((b"@relation", b"%")) and b"@attribute" in text:
        raise ResultsError(f"{where}: is an ARFF file; save the table as CSV")
    return "json" if text.startswith((b"{", b"[{", b"[\n", b"[\r", b"[ ")) else "text"


def _is_pickle(head: bytes) -> bool:
    """Whether it begins like pickle protocols 2 to 5, or like the zlib in which joblib packs it."""
    if head[:1] == b"\x80":
        return head[1:2] in {b"\x02", b"\x03", b"\x04", b"\x05"}
    packed = head[:2] in {b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"}
    # A CSV may begin with x^2.
    return packed and any(byte < 9 or byte > 126 for byte in head[2:])


def _describe(kind: str) -> str:
    names = {"parquet": "Parquet", "feather": "Feather (Arrow)", "json": "JSON", "excel": "Excel"}
    return names.get(kind, "something else (text, such as CSV?)")


def _pickle_message(where: str) -> str:
    return (
        f"{where}: is a pickle or joblib file, which can run any program when it is loaded and is"
        " never read here; save the table as Parquet or CSV (frame.to_parquet, frame.to_csv)"
    )
