"""Read CSV and TSV: all cells as text, with the delimiter detected."""

from __future__ import annotations

import codecs
import csv
import io
import re

from occstats._format import quote
from occstats.errors import ResultsError
from occstats.results.cells import reason_of
from occstats.results.readers.frames import (
    RawTable,
    check_header,
    frame_of_arrow,
    join_header,
    n_titles,
)
from occstats.results.readers.limits import Limits

__all__ = ["as_utf8", "find_delimiter", "read_delimited"]

_CANDIDATES = (",", ";", "\t", "|")
_SAMPLE = 65_536
_ROWS_SAMPLED = 50
_LONGEST_LINE = 1 << 24
_RAGGED = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+): ?(.*)", re.DOTALL)


def read_delimited(content: bytes, where: str, limits: Limits, header_rows: int = 1) -> RawTable:
    """Read delimited text in UTF-8."""
    import pyarrow as pa
    import pyarrow.csv

    whole = len(content)
    content = _without_title(_without_comments(content))
    sample = content[:_SAMPLE].decode("utf-8", errors="replace")
    delimiter = find_delimiter(sample)
    if header_rows > 1:
        content = _with_one_header(content, delimiter, header_rows)
    else:
        check_header(_first_rows(sample, delimiter), where)
    names = _header(content, delimiter)
    n_lines = content.count(b"\n")
    if len(names) < 2 and n_lines > 0:
        raise ResultsError(
            f"{where}: is text, not a table: no comma, semicolon, tab or bar separates cells in"
            f" {quote(sample.strip())}"
        )
    limits.check_columns(len(names), where)
    limits.check_rows(n_lines - 1, where)
    limits.check_cells(n_lines * len(names), where)
    try:
        table = pa.csv.read_csv(
            pa.BufferReader(content),
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=len(content) + 1),
            parse_options=pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except (pa.ArrowException, OSError, ValueError) as error:
        skipped = 0 if header_rows > 1 else whole - len(content)
        raise _unreadable(str(error), where, shifted=skipped > 0) from None
    if table.num_rows and table.column(-1)[-1].as_py()[-1:] == "\n" and content[-2:] != b'"\n':
        raise ResultsError(
            f"{where}: ends within a quoted cell; the file may be truncated; copy it again, or"
            " close the quotation mark"
        )
    # Spreadsheets export empty columns to the right of the table.
    table = table.select(
        [
            i
            for i, name in enumerate(table.column_names)
            if name.strip() or any(table.column(i).unique().to_pylist())
        ]
    )
    return RawTable(where, frame_of_arrow(table, where, limits))


def find_delimiter(sample: str) -> str:
    """Find the delimiter that splits the first lines into equal numbers of cells, at least two.

    >>> find_delimiter("dataset;NND;ALP\\niris;0,9;0,8\\n")
    ';'
    """
    best, best_merit = ",", (False, 0)
    for candidate in _CANDIDATES:
        rows = _first_rows(sample, candidate)
        rows = rows[n_titles(rows) :]
        # The last line of the sample may be incomplete.
        widths = [len(row) for row in (rows[:-1] if len(rows) > 2 else rows)]
        if widths and widths[0] > 1:
            merit = (len(set(widths)) == 1, widths[0])
            if merit > best_merit:
                best, best_merit = candidate, merit
    return best


def _first_rows(sample: str, delimiter: str, most: int = _ROWS_SAMPLED) -> list[list[str]]:
    rows = []
    try:
        for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
            if row:
                rows.append(row)
            if len(rows) == most:
                break
    except csv.Error:
        pass  # the rows so far suffice
    return rows


def as_utf8(content: bytes, where: str) -> bytes:
    """Return the content of a text file as UTF-8 without a mark, ending with a line break."""
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        try:
            content = content.decode("utf-16").encode("utf-8")
        except UnicodeError:
            raise ResultsError(f"{where}: is not UTF-16; save the file as UTF-8") from None
    if not content.isascii():
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _not_utf8(content, error.start, where) from None
    content = content.removeprefix(codecs.BOM_UTF8)
    if not content.strip(b"\0 \t\r\n"):
        kind = "zero bytes" if b"\0" in content else "whitespace"
        raise ResultsError(f"{where}: contains only {kind}; the file may be truncated")
    for place in range(0, len(content) - _LONGEST_LINE, _LONGEST_LINE):
        if content.find(b"\n", place, place + _LONGEST_LINE) < 0:
            raise ResultsError(
                f"{where}: a line of more than {_LONGEST_LINE:,} bytes; this may not be a table"
            )
    return content if content.endswith(b"\n") else content + b"\n"


def _not_utf8(content: bytes, place: int, where: str) -> ResultsError:
    """Return an error that shows the cell as Windows-1252, if that is plausible."""
    row = content.count(b"\n", 0, place) + 1
    problem = f"{where}, line {row}: byte {place + 1} is not UTF-8; save the file as UTF-8"
    before = re.split(rb"[,;|\t\n\"]", content[max(place - _SAMPLE, 0) : place])[-1]
    after = re.split(rb"[,;|\t\r\n\"]", content[place : place + _SAMPLE])[0]
    try:
        content.decode("cp1252")
        cell = (before + after).decode("cp1252").strip()
    except UnicodeDecodeError:
        return ResultsError(problem)
    if not cell.isprintable():
        return ResultsError(problem)
    return ResultsError(
        f"{problem}, or, if the cell is {quote(cell)}, set the encoding", {"encoding": "cp1252"}
    )


def _without_comments(content: bytes) -> bytes:
    """Drop comment lines above the table, which have another number of cells."""
    start = 0
    while content[start : start + 1] in {b"#", b"%"}:
        end = content.find(b"\n", start) + 1
        if not 0 < end < len(content):
            break
        line, rest = content[start:end], content[end : end + _SAMPLE]
        following = rest.split(b"\n", 1)[0]
        if any(line.count(c) == following.count(c) > 0 for c in (b",", b";", b"\t", b"|")):
            break
        start = end
    return content[start:]


def _without_title(content: bytes) -> bytes:
    """Drop a title above the table."""
    sample = content[:_SAMPLE].decode("utf-8", errors="replace")
    for _ in range(n_titles(_first_rows(sample, find_delimiter(sample)))):
        content = content.lstrip(b"\r\n")
        content = content[content.find(b"\n") + 1 :]
    return content


def _with_one_header(content: bytes, delimiter: str, count: int) -> bytes:
    """Replace several header rows by one."""
    stream = io.StringIO(content[: 16 * _SAMPLE].decode("utf-8", errors="replace"), newline="")
    reader = csv.reader(stream, delimiter=delimiter)
    rows, ends = [], []
    for row in reader:
        if row:
            rows.append(row)
            ends.append(reader.line_num)
        if len(rows) > count:
            break
    names, used = join_header(rows, min(count, len(rows)))
    start = 0
    for _ in range(ends[used - 1]):
        start = content.find(b"\n", start) + 1
    made = io.StringIO()
    csv.writer(made, delimiter=delimiter, lineterminator="\n").writerow(names)
    return made.getvalue().encode("utf-8") + content[start:]


def _header(content: bytes, delimiter: str) -> list[str]:
    end = content.find(b"\n", _SAMPLE)
    first = content if end < 0 else content[: end + 1]
    rows = _first_rows(first.decode("utf-8", errors="replace"), delimiter, most=1)
    return rows[0] if rows else []


def _unreadable(reason: str, where: str, *, shifted: bool) -> ResultsError:
    ragged = _RAGGED.search(reason)
    if ragged is None:
        reason = reason_of(ValueError(reason))
        return ResultsError(f"{where}: cannot be read as a table ({reason}); it may not be CSV")
    number, expected, actual, text = ragged.groups()
    place = f", line {number}" if number and not shifted else ""
    remedy = "complete the row, or delete it"
    if int(actual) > int(expected):
        remedy = (
            "quote cells that contain the delimiter, or, if the first column has no name, add one"
        )
    return ResultsError(
        f"{where}{place}: {actual} cells where the header has {expected} ({quote(text)}); {remedy}"
    )
