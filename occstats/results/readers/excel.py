"""Read Excel workbooks with openpyxl (extra ``excel``)."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._format import quote, show_path
from occstats.errors import ResultsError
from occstats.results.cells import message_of
from occstats.results.readers.frames import RawTable
from occstats.results.readers.header import find_header, refuse_repeated
from occstats.results.readers.limits import Limits, choose_table

# openpyxl takes microseconds for a cell, far longer than readers of other formats.
_SLOWER = 20
_HEAD = 15


def read_excel(
    path: Path, limits: Limits, chosen: int | str | None = None, header_rows: int = 1
) -> RawTable:
    """Read one sheet, by its number or name, with the column names in its first rows."""
    where = show_path(path)
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ResultsError(
            f"{where}: reading Excel needs openpyxl; run: pip install 'occstats[excel]', or save"
            " the table as CSV"
        ) from None
    try:
        _check_parts(path, limits, where)
        with path.open("rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and extensions
            workbook = load_workbook(file, read_only=True, data_only=True)
            sheet = _find_sheet(workbook, where, chosen)
            rows, numbers, cells = [], [], 0
            for number, row in enumerate(sheet.iter_rows(values_only=True)):
                cells += len(row)
                if number % 100 == 0 or len(row) > 100:
                    limits.check(where, rows=number, columns=len(row), cells=cells)
                if any(cell is not None for cell in row):
                    rows.append(row)
                    numbers.append(number)
    except ResultsError:
        raise
    except Exception as error:  # a damaged workbook can raise anything
        reason = message_of(error)
        raise ResultsError(f"{where}: damaged Excel workbook ({reason}); save it again") from None
    width = max(map(len, rows))
    limits.check(where, cells=width * len(rows))
    rows = [[*row, *[None] * (width - len(row))] for row in rows]
    header, used = find_header(_text_rows(rows[:_HEAD]), header_rows, where)
    for names in rows[:used]:
        named = {(i, name) for i, name in enumerate(names) if name is not None}
        for number, row in zip(numbers[used:], rows[used:], strict=True):
            filled = [(i, cell) for i, cell in enumerate(row) if cell is not None]
            if 1 < len(filled) >= len(named) / 2 and named.issuperset(filled):
                raise refuse_repeated(where, f"row {number + 1}")
    # Rows are counted as in the sheet.
    frame = pd.DataFrame(rows[used:], numbers[used:], range(width), dtype=object)
    # Formatted cells to the right of a table are empty columns.
    kept = [i for i, name in enumerate(header) if name or frame[i].notna().any()]
    names = [header[i] or (f"Unnamed: {i}" if i else "") for i in kept]
    return RawTable(where, frame[kept].set_axis(names, axis=1))


def _check_parts(path: Path, limits: Limits, where: str) -> None:
    """Count rows, cells and tags in the XML of all parts, which openpyxl walks before we can."""
    rows, cells = limits.rows // _SLOWER, 10 * limits.rows // _SLOWER
    with zipfile.ZipFile(path) as archive:
        limits.check(where, size=sum(part.file_size for part in archive.infolist()))
        for part in archive.namelist():
            if not part.endswith((".xml", ".rels")) or part.startswith("customXml/"):
                continue
            content = archive.read(part)
            if b"\0" in content or b"<!DOCTYPE" in content:
                raise ResultsError(f"{where}: {quote(part)} is not plain XML; save it as CSV")
            # The names of tags may have a prefix.
            if (
                content.count(b"<row") + content.count(b":row") > rows
                or content.count(b"<c") + content.count(b":c") > cells
                or content.count(b"<") > 4 * cells
            ):
                raise ResultsError(
                    f"{where}: more than {rows:,} rows or {cells:,} cells, the limits for Excel"
                    " workbooks; save the table as CSV"
                )
            if "sheet" in part:
                widest = max(row.count(b"<c") + row.count(b":c") for row in content.split(b"row"))
                limits.check(where, columns=widest)


def _find_sheet(workbook: Any, where: str, chosen: int | str | None) -> Any:
    """Return the only sheet that is not empty, or the chosen one of these."""
    filled = []
    for sheet in workbook.worksheets:
        sheet.reset_dimensions()  # those in the file may be wrong
        if _text_rows(sheet.iter_rows(max_row=_HEAD, values_only=True)):
            filled.append(sheet.title)
    if not filled:
        raise ResultsError(f"{where}: all sheets are empty")
    return workbook[filled[choose_table(filled, chosen, where)]]


def _text_rows(rows: Iterable[Sequence[Any]]) -> list[list[str]]:
    """Return the rows that are not empty as text, all of equal length."""
    text = [["" if cell is None else str(cell) for cell in row] for row in rows]
    width = max(map(len, text), default=0)
    return [row + [""] * (width - len(row)) for row in text if any(row)]
