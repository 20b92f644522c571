"""Check the kind and size of a file before it is read."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from occstats._format import did_you_mean, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.reading import MOST_ROWS

__all__ = ["Limits", "check_exists", "check_text", "kind_of_bytes", "kind_of_file"]

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
    ".md": "markdown",
    ".markdown": "markdown",
}
_PICKLED = {".pkl", ".pickle", ".p", ".joblib", ".dill", ".cloudpickle"}

# First bytes of unsupported files, what they are, and the remedy.
_FOREIGN: tuple[tuple[bytes, str, str], ...] = (
    (b"version https://git-lfs", "a Git LFS pointer, not the data", "run: git lfs pull"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the table as CSV"),
    (b"\x89HDF", "an HDF5 file", "save the table as Parquet or CSV"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"\x93NUMPY", "a NumPy array without names", "in Python, pass the array with names"),
    (b"%PDF", "a PDF document", "download the table itself"),
    (b"{\\rtf", "a text document", "save the table as CSV"),
    (b"FEA1", "a Feather file of the old version 1", "write it again with a current library"),
    (b"BZh91AY&SY", "a file compressed with bzip2", "decompress it first"),
    (b"\xfd7zXZ\x00", "a file compressed with xz", "unpack it first"),
    (b"(\xb5/\xfd", "a file compressed with zstd", "unpack it first"),
    (b"RDX2\n", "an R workspace", "write the table with write.csv"),
    (b"RDX3\n", "an R workspace", "write the table with write.csv"),
    (b"\x7fELF", "a program", "name the results file"),
    (b"\x89PNG", "a picture", "name the results file"),
)


@dataclass(frozen=True)
class Limits:
    """Limits on the size of a source, checked before it is decompressed."""

    rows: int = MOST_ROWS
    columns: int = 10_000

    @property
    def cells(self) -> int:
        """Return the largest number of cells."""
        return self.rows * 10

    @property
    def unpacked_bytes(self) -> int:
        """Return the largest number of decompressed bytes."""
        return max(self.rows * 100, 1 << 26)

    def check_rows(self, rows: int, where: str) -> None:
        """Refuse a source with more rows than the limit."""
        if rows > self.rows:
            raise ResultsError(
                f"{where}: {rows:,} rows, more than the limit of {self.rows:,}; to read it, pass"
                f" max_rows={rows}"
            )

    def check_columns(self, columns: int, where: str) -> None:
        """Refuse a source with more columns than the limit."""
        if columns > self.columns:
            raise ResultsError(
                f"{where}: {columns:,} columns, more than the limit of {self.columns:,}; use the"
                " long form, in which algorithms are rows"
            )

    def check_cells(self, cells: int, where: str) -> None:
        """Refuse a source with more cells than the limit."""
        if cells > self.cells:
            raise ResultsError(
                f"{where}: {cells:,} cells or more, above the limit of {self.cells:,} for"
                f" {self.rows:,} rows; leave out columns that are not needed, or raise max_rows"
            )

    def check_bytes(self, size: int, where: str) -> None:
        """Refuse a source with more decompressed bytes than the limit."""
        if size > self.unpacked_bytes:
            raise ResultsError(
                f"{where}: has {size:,} bytes or more when decompressed, above the limit of"
                f" {self.unpacked_bytes:,} for {self.rows:,} rows; to read it, raise max_rows"
            )


def check_exists(path: Path) -> os.stat_result:
    """Return the status of a readable path, or raise an error that explains the problem."""
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
        raise ResultsError(f"{where}: permission denied; change its permissions")
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
        near = f" (the folder {show_path(parent)} does not exist either)"
    return (
        f"{show_path(path)}: there is no such file, folder or bundled result{near}; bundled"
        f" results: {quote_list(bundled_names())}"
    )


def kind_of_file(path: Path, status: os.stat_result) -> str:
    """Return the kind of a file by its suffix and content.

    Pickles are refused by suffix and by content, because loading them can execute code.
    """
    where = show_path(path)
    suffix = path.suffix.lower()
    if suffix in _PICKLED:
        raise ResultsError(_pickle_message(where))
    if suffix == ".npz":
        raise ResultsError(
            f"{where}: is a file of NumPy arrays; in Python, pass a mapping from algorithms to"
            " scores"
        )
    if status.st_size == 0:
        raise ResultsError(f"{where}: the file is empty; it may be truncated")
    with path.open("rb") as stream:
        head = stream.read(512)
    kind = kind_of_bytes(head, where)
    expected = _SUFFIXES.get(suffix)
    if kind == "gzip":
        return kind
    if expected in {"parquet", "feather", "excel"} and kind != expected:
        check_text(head, "", where)  # such as the page of an error
        raise ResultsError(
            f"{where}: has the suffix {suffix} but contains {_describe(kind)}; correct the suffix,"
            " or download or write the file again"
        )
    if expected is not None and kind not in {expected, "text", "json"}:
        ending = {"excel": "xlsx"}.get(kind, kind)
        raise ResultsError(
            f"{where}: has the suffix {suffix} but contains {_describe(kind)}; rename it to"
            f" .{ending}"
        )
    return kind if kind == "json" else expected or kind


def kind_of_bytes(head: bytes, where: str) -> str:
    """Return the kind of a file by its first bytes; refuse what cannot be a results table."""
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
        if any(p in head for p in (b"[Content_Types].xml", b"xl/", b"_rels/", b"docProps/")):
            return "excel"
        raise ResultsError(f"{where}: is a ZIP archive; unpack it first")
    if _is_pickle(head):
        raise ResultsError(_pickle_message(where))
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return "json" if text.startswith((b"{", b"[{", b"[\n", b"[\r", b"[ ", b"[[")) else "text"


# Languages that are not read, by suffix; they are also recognised by their first lines.
_LANGUAGES = {".tex": "LaTeX", ".yaml": "YAML", ".yml": "YAML", ".toml": "TOML", ".arff": "ARFF"}
_YAML = re.compile(rb"(?:- )?[\w.-]+:(?: [^,;\t|]*)?")


def check_text(content: bytes, suffix: str, where: str) -> None:
    """Refuse text in a language other than those of tables."""
    if _SUFFIXES.get(suffix) == "markdown":
        raise ResultsError(
            f"{where}: contains no Markdown table, that is, no rows of cells between bars; tables"
            " in HTML are not read"
        )
    lines = [line.rstrip() for line in content[:4096].split(b"\n")]
    lines = [line for line in lines if line and not line.startswith((b"%", b"#"))]
    first, second = [*lines, b"", b""][:2]
    start = first.lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--", b"<table")):
        raise ResultsError(
            f"{where}: is a web page (HTML or XML), not a table; download the file itself (the"
            " 'raw' link)"
        )
    language = _LANGUAGES.get(suffix)
    if start.startswith(b"\\"):
        language = "LaTeX"
    elif start.startswith(b"@relation"):
        language = "ARFF"
    elif start == b"---" or all(map(_YAML.fullmatch, (first, second.lstrip()))):
        language = "YAML"
    if language is not None:
        raise ResultsError(f"{where}: is {language}, which is not read; save the table as CSV")


def _is_pickle(head: bytes) -> bool:
    """Return True for the first bytes of a pickle (protocols 2 to 5), or of joblib's zlib."""
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
        f"{where}: is a pickle or joblib file, which can execute code when loaded and is never"
        " read; save the table as Parquet or CSV (frame.to_parquet, frame.to_csv)"
    )
