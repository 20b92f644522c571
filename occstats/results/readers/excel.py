"""Read Excel workbooks with openpyxl (extra ``excel``)."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from occstats._format import quote, quote_list, show_path
from occstats.errors import ResultsError
from occstats.results.cells import reason_of
from occstats.results.readers.frames import (
    RawTable,
    check_header,
    check_names,
    from_frame,
    join_header,
    n_titles,
)
from occstats.results.readers.limits import Limits

__all__ = ["read_excel"]


def read_excel(
    path: Path, limits: Limits, sheet: str | None = None, header_rows: int = 1
) -> RawTable:
    """Read one sheet, with the column names in its first rows."""
    where = show_path(path)
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise ResultsError(
            f"{where}: reading Excel needs openpyxl; run: pip install 'occstats[excel]', or save"
            " the table as CSV"
        ) from None
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check_bytes(sum(part.file_size for part in archive.infolist()), where)
        workbook = load_workbook(path, read_only=True, data_only=True)
        try:
            rows = _rows(workbook, where, limits, sheet)
        finally:
            workbook.close()
    except ResultsError:
        raise
    except Exception as error:  # a damaged workbook can raise anything
        reason = reason_of(error)
        raise ResultsError(f"{where}: damaged Excel workbook ({reason}); save it again") from None
    top = [["" if cell is None else str(cell) for cell in row] for row in rows[:12]]
    titles = n_titles(top)
    caption = " ".join(filter(None, (cell for row in top[:titles] for cell in row)))
    del rows[:titles]
    top = [["" if cell is None else str(cell) for cell in row] for row in rows[: header_rows + 12]]
    if header_rows == 1:
        check_header(top, where)
    header, used = join_header(top, header_rows) if header_rows > 1 else ((top or [[]])[0], 1)
    while header and not header[-1] and all(r[len(header) - 1] is None for r in rows[used:]):
        header.pop()
    check_names(header, where)
    filled = (row for row in rows[used:] if any(cell is not None for cell in row))
    body = [list(row[: len(header)]) for row in filled]
    table = from_frame(pd.DataFrame(body, columns=header, dtype=object), where)
    return replace(table, caption=caption)


def _rows(workbook: Any, where: str, limits: Limits, sheet: str | None) -> list[tuple[Any, ...]]:
    names = workbook.sheetnames
    if sheet is not None and sheet not in names:
        raise ResultsError(f"{where}: there is no sheet {quote(sheet)}; found {quote_list(names)}")
    if sheet is None and len(names) > 1:
        raise ResultsError(
            f"{where}: the workbook has {len(names)} sheets ({quote_list(names)}); choose one",
            {"sheet": names[0]},
        )
    table = workbook[sheet or names[0]]
    rows: list[tuple[Any, ...]] = []
    for row in table.iter_rows(values_only=True):
        if not rows:
            limits.check_columns(len(row), where)
        rows.append(row)
        limits.check_rows(len(rows) - 1, where)
        limits.check_cells(len(rows) * len(row), where)
    return rows
