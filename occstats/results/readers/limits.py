"""Check the kind and size of a file before it is read."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from occstats._format import did_you_mean, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.reading import MOST_ROWS

_PICKLE = (
    "is a pickle or joblib file, which can execute code when loaded and is never read; save the"
    " table as Parquet or CSV (frame.to_parquet, frame.to_csv)"
)
_NUMPY = "is a file of NumPy arrays; in Python, pass a mapping from algorithms to scores"
# Suffixes that binary files must have the content of, and those of files that are never read.
_BINARY = {".parquet": "parquet", ".pq": "parquet", ".xlsx": "excel", ".xlsm": "excel"}
_REFUSED = {
    **dict.fromkeys((".pkl", ".pickle", ".p", ".joblib", ".dill", ".cloudpickle"), _PICKLE),
    **dict.fromkeys((".npz", ".npy"), _NUMPY),
}
_TABLES_SHOWN = 10
# First bytes of files that are read, and of others.
_MAGIC = {b"PAR1": "parquet", b"\x1f\x8b": "gzip"}
_FOREIGN = dict.fromkeys(
    (
        b"BZh91AY&SY", b"\xfd7zXZ\x00", b"(\xb5/\xfd", b"\xd0\xcf\x11\xe0", b"\x89HDF", b"FEA1",
        b"SQLite format 3", b"ARROW1", b"RDX", b"%PDF", b"{\\rtf", b"\x89PNG",
    ),
    "has a format or compression that occstats does not read; save the table as CSV",
)  # fmt: skip
_FOREIGN[b"version https://git-lfs"] = "is a Git LFS pointer, not the data; run: git lfs pull"
# Starts of text in languages that are not read; YAML may begin with any key.
_STARTS = dict.fromkeys(("<!doctype", "<html", "<head", "<?xml", "<!--", "<table"), "HTML")
_STARTS |= {"\\": "LaTeX", "@relation": "ARFF", "---": "YAML"}
_LANGUAGES = {".tex": "LaTeX", ".yaml": "YAML", ".yml": "YAML", ".toml": "TOML", ".arff": "ARFF"}
_YAML = re.compile(r"(?:- )?[\w.-]+:(?: [^,;\t|]*)?", re.ASCII)


@dataclass(frozen=True)
class Limits:
    """Limits on the size of a source, checked before it is decompressed."""

    rows: int = MOST_ROWS
    columns: int = 10_000

    @property
    def unpacked_bytes(self) -> int:
        """Return the largest number of decompressed bytes."""
        return max(self.rows * 100, 1 << 26)

    def check(
        self, where: str, *, rows: int = 0, columns: int = 0, cells: int = 0, size: int = 0
    ) -> None:
        """Refuse a source with more rows, columns, cells or decompressed bytes than the limit."""
        larger = f"for {self.rows:,} rows; to read it, raise max_rows"
        for number, most, what, remedy in (
            (rows, self.rows, "rows", f"; to read it, pass max_rows={rows}"),
            (columns, self.columns, "columns", "; use the long form, with algorithms in rows"),
            (cells, 10 * self.rows, "cells or more", f" {larger}, or leave out columns"),
            (size, self.unpacked_bytes, "bytes or more when decompressed", f" {larger}"),
        ):
            if number > most:
                raise ResultsError(
                    f"{where}: {number:,} {what}, more than the limit of {most:,}{remedy}"
                )

    def check_json(self, where: str, text: str) -> None:
        """Refuse text with many values, each of which takes about a hundred bytes if decoded."""
        self.check(where, cells=4 * sum(text.count(sign) for sign in ",[{"))


def kind_of_file(path: Path) -> tuple[str, int]:
    """Return the kind of a file by its content, and its size; refuse what cannot be read.

    Pickles are refused by suffix and by content, because loading them can execute code.
    """
    where, suffix, head = show_path(path), path.suffix.lower(), b""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            os.listdir(path)
            return "folder", 0
        if stat.S_ISREG(status.st_mode):
            with path.open("rb") as stream:
                head = stream.read(512)
    except FileNotFoundError:
        raise ResultsError(_explain_absence(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ResultsError(
            f"{where}: cannot be opened ({reason}); check the path and its permissions"
        ) from None
    if suffix in _REFUSED:
        raise ResultsError(f"{where}: {_REFUSED[suffix]}")
    if not stat.S_ISREG(status.st_mode):
        raise ResultsError(
            f"{where}: is a pipe, socket or device; write the results to a file, or pass - to read"
            " standard input"
        )
    if not head:
        raise ResultsError(f"{where}: the file is empty; it may be truncated")
    kind = kind_of_bytes(head, where)
    if kind not in {"gzip", _BINARY.get(suffix, kind)}:
        check_language(head, "", where)  # such as the page of an error
        raise ResultsError(
            f"{where}: has the suffix {suffix} but other content; correct the suffix, or download"
            " or write the file again"
        )
    return kind, status.st_size


def _explain_absence(path: Path) -> str:
    from occstats.results.load import bundled_names

    where, parent = show_path(path), path.parent
    if path.is_symlink():
        return f"{where}: is a link to a file that does not exist"
    if path.parts[:1] in {("http:",), ("https:",)}:
        return f"{where.replace(':/', '://', 1)}: is an address; download the file first"
    near = f" (the folder {show_path(parent)} does not exist either)"
    if parent.is_dir():
        siblings = os.listdir(parent) if os.access(parent, os.R_OK) else []
        near = did_you_mean(path.name, [*bundled_names(), *sorted(siblings)])
    bundled = quote_list(bundled_names())
    return f"{where}: there is no such file, folder or bundled result{near}; bundled: {bundled}"


def kind_of_bytes(head: bytes, where: str) -> str:
    """Return the kind of a file by its first bytes; refuse what cannot be a results table."""
    for magic, what in _FOREIGN.items():
        if head.startswith(magic):
            raise ResultsError(f"{where}: {what}")
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    if head.startswith(b"PK\x03\x04"):
        if re.search(rb"\[Content_Types\].xml|xl/|_rels/|docProps/", head):
            return "excel"
        if where.lower().endswith(".eval"):
            return "log"
        damaged = where.lower().endswith((".xlsx", ".xlsm"))
        what = (
            "the workbook is damaged; write it again" if damaged else "is a ZIP archive; unpack it"
        )
        raise ResultsError(f"{where}: {what}")
    # Pickles of protocols 2 to 5, and joblib's zlib; a CSV may begin with x^2.
    packed = re.match(rb"x[\x01\x5e\x9c\xda]", head) and re.search(rb"[^\x09-\x7e]", head[2:])
    if packed or re.match(rb"\x80[\x02-\x05]", head):
        raise ResultsError(f"{where}: {_PICKLE}")
    return "json" if re.match(rb"(\xef\xbb\xbf)?\s*(\{|\[[{\[\s])", head) else "text"


def check_language(content: bytes, suffix: str, where: str) -> None:
    """Refuse text in a language other than those of tables."""
    if suffix in {".md", ".markdown"}:
        raise ResultsError(
            f"{where}: contains no Markdown table, that is, no rows of cells between bars; tables"
            " in HTML are not read"
        )
    lines = content[:4096].decode("utf-8", errors="replace").split("\n")
    lines = [line.rstrip() for line in lines if line.strip() and line[0] not in "%#"]
    first, second = [*lines, "", ""][:2]
    start = first.lstrip().lower()
    found = [language for begin, language in _STARTS.items() if start.startswith(begin)]
    if _YAML.fullmatch(first) and _YAML.fullmatch(second.lstrip()):
        found.append("YAML")
    language = next(iter(found), _LANGUAGES.get(suffix))
    if language == "HTML":
        raise ResultsError(
            f"{where}: is a web page (HTML or XML), not a table; download the file itself (the"
            " 'raw' link)"
        )
    if language is not None:
        raise ResultsError(f"{where}: is {language}, which is not read; save the table as CSV")


def choose_table(names: Sequence[str], chosen: int | str | None, where: str) -> int:
    """Return the position of the only table, or of the one chosen by name or number, from 1.

    >>> choose_table(["first", "second"], 2, "a.xlsx"), choose_table(["first"], None, "a.xlsx")
    (1, 0)
    """
    if chosen is None and len(names) == 1:
        return 0
    if isinstance(chosen, int) and chosen <= len(names):
        return chosen - 1
    titles = [name.partition(": ")[0] for name in names]  # above their columns
    if chosen in names or titles.count(str(chosen)) == 1:
        return (names if chosen in names else titles).index(str(chosen))
    got = "" if chosen is None else f"; got table={chosen!r}"
    if len(names) == 1:
        raise ResultsError(f"{where}: contains one table{got}")
    head = f"{where}: contains {len(names)} tables; choose one with table=N{got}"
    raise SeveralTablesError(head, names)


class SeveralTablesError(ResultsError):
    """A file of several `tables`; `templates` has the options of each form one may have."""

    def __init__(self, head: str, tables: Sequence[str]) -> None:
        self.head, self.tables = head, list(tables)
        super().__init__("\n".join([head, *self.describe()]))
        self.templates: list[dict[str, Any]] = [
            {"table": "N", **form, "lower_is_better": "True|False"}
            for form in (
                {"algorithms": "COLUMNS", "dataset": "COLUMN"},
                {"algorithm": "COLUMN", "dataset": "COLUMN/@file", "score": "COLUMN"},
                {"algorithm": "COLUMN", "task": "COLUMNS"},
            )
        ]

    def describe(self, limit: int = _TABLES_SHOWN) -> list[str]:
        """Return at most ``limit`` lines on the tables."""
        lines = [f"  {number} {name}" for number, name in enumerate(self.tables, 1)]
        n_left = len(lines) - limit + 1
        return lines if n_left < 2 else [*lines[: limit - 1], f"  and {n_left} more"]
