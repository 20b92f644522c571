"""Read CSV and TSV: all cells as text, with the delimiter detected."""

from __future__ import annotations

import codecs
import csv
import io
from functools import reduce
from typing import Any

from occstats._format import quote
from occstats.errors import ResultsError
from occstats.results.cells import message_of
from occstats.results.readers.frames import RawTable, frame_of_arrow
from occstats.results.readers.header import find_header, hold_numbers, n_titles, refuse_repeated
from occstats.results.readers.limits import Limits

_SAMPLE = 65_536
_ROWS_SAMPLED = 50
_LONGEST_LINE = 1 << 24
_BLANKS = " \t\N{NO-BREAK SPACE}"


def read_delimited(content: bytes, where: str, limits: Limits, header_rows: int = 1) -> RawTable:
    """Read delimited text in UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv

    sample = content[: content.find(b"\n", _SAMPLE) + 1 or None].decode("utf-8", errors="replace")
    delimiter = find_delimiter(sample)
    rows, ends = _first_rows(sample, delimiter)
    names, used = find_header(rows, header_rows, where)
    if len(names) < 2:
        raise ResultsError(
            f"{where}: is text, not a table: no comma, semicolon, tab or bar separates cells in"
            f" {quote(sample.strip())}"
        )
    n_lines = content.count(b"\n")
    limits.check(where, rows=n_lines - used, columns=len(names), cells=n_lines * len(names))
    start = 0
    for _ in range(ends[used - 1] - 1):
        start = content.find(b"\n", start) + 1
    end = content.find(b"\n", start)
    again = content.find(b"\n" + content[start : end + 1], end)
    if again >= 0 and not hold_numbers(names):
        line = content.count(b"\n", 0, again) + 2
        raise refuse_repeated(where, f"line {line}")
    ragged: list[Any] = []
    text = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, check_utf8=False
    )

    def refuse(row: Any) -> str:
        ragged.append(row)
        return "error"

    parse = pa.csv.ParseOptions(
        delimiter=delimiter, newlines_in_values=True, invalid_row_handler=refuse
    )
    read = pa.csv.ReadOptions(
        use_threads=False,
        block_size=len(content) + 1,
        skip_rows=ends[used - 1],
        column_names=names,
    )
    try:
        table = pa.csv.read_csv(pa.BufferReader(content), read, parse, text)
    except (pa.ArrowException, OSError, ValueError) as error:
        if not ragged:
            raise ResultsError(
                f"{where}: cannot be read as a table ({message_of(error)}); it may not be CSV"
            ) from None
        row, remedy = ragged[0], "complete the row, or delete it"
        if row.actual_columns > row.expected_columns:
            remedy = "quote cells that contain the delimiter, or name the first column, too"
        raise ResultsError(
            f"{where}, line {row.number}: {row.actual_columns} cells where the header has"
            f" {row.expected_columns} ({quote(row.text)}); {remedy}"
        ) from None
    open_end = table.num_rows and table.column(-1)[-1].as_py()[-1:] == "\n"
    if open_end and not content.rstrip(b"\r\n").endswith(b'"'):
        raise ResultsError(
            f"{where}: ends within a quoted cell; the file may be truncated; copy it again, or"
            " close the quotation mark"
        )
    if any(blank.encode() in content for blank in _BLANKS):
        table = pa.table([pc.utf8_trim(column, _BLANKS) for column in table.columns], names=names)
    # Spreadsheets export empty columns to the right of the table, and empty rows below it.
    filled = [i for i, n in enumerate(names) if n or any(table.column(i).unique().to_pylist())]
    frame = frame_of_arrow(table.select(filled))
    if pc.index(table.column(0), "").as_py() >= 0:
        frame = frame[reduce(pc.or_, (pc.not_equal(c, "") for c in table.columns)).to_numpy()]
    return RawTable(where, frame)


def find_delimiter(sample: str) -> str:
    """Find the delimiter that splits the first lines into equal numbers of cells, at least two.

    >>> find_delimiter("dataset;NND;ALP\\niris;0,9;0,8\\n"), find_delimiter("a;b,c\\nx;0,5\\n")
    (';', ';')
    """

    def merit(candidate: str) -> tuple[bool, int]:
        rows, _ = _first_rows(sample, candidate)
        rows = rows[n_titles(rows) :]
        # The last line of the sample may be incomplete.
        widths = [len(row) for row in (rows[:-1] if len(rows) > 2 else rows)]
        return (len(set(widths)) == 1, widths[0]) if widths and widths[0] > 1 else (False, 0)

    # Commas are last, because they also occur in numbers and names.
    best = max("\t;|,", key=merit)
    return best if merit(best) > (False, 1) else ","


def _first_rows(sample: str, delimiter: str) -> tuple[list[list[str]], list[int]]:
    """Return the first rows that are not empty, and the number of the line that ends each."""
    rows: list[list[str]] = []
    ends: list[int] = []
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if row:
                rows.append(row)
                ends.append(reader.line_num)
            if len(rows) == _ROWS_SAMPLED:
                break
    except csv.Error:
        pass  # the rows so far suffice
    return rows, ends


def as_utf8(content: bytes, where: str, encoding: str | None = None) -> bytes:
    """Return the content of a text file as UTF-8 without a mark, ending with a line break."""
    if encoding is None and content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        encoding = "utf-16"
    try:
        if encoding is not None:
            content = content.decode(encoding).encode()
        elif not content.isascii():
            content.decode()
    except UnicodeDecodeError as error:
        if encoding is not None:
            raise ResultsError(
                f"{where}: is not {encoding} ({message_of(error)}); pass another encoding=…"
            ) from None
        line = content.count(b"\n", 0, error.start) + 1
        raise ResultsError(
            f"{where}, line {line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8, or"
            " name its encoding with encoding=…, such as 'cp1252'"
        ) from None
    content = content.removeprefix(codecs.BOM_UTF8)
    if not content.lstrip(b"\0 \t\r\n"):
        kind = "zero bytes" if b"\0" in content else "whitespace"
        raise ResultsError(f"{where}: contains only {kind}; the file may be truncated")
    return content if content.endswith(b"\n") else content + b"\n"


def check_lines(content: bytes, where: str) -> None:
    """Refuse a line that is too long to be a row of a table."""
    for place in range(0, len(content) - _LONGEST_LINE, _LONGEST_LINE):
        if content.find(b"\n", place, place + _LONGEST_LINE) < 0:
            raise ResultsError(
                f"{where}: a line of more than {_LONGEST_LINE:,} bytes; this may not be a table"
            )
