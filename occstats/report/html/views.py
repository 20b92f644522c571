"""Tables as the template needs them: written cells, values to sort by, pairs to open."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from occstats.report.table import Column, Table
from occstats.text import minus_signs

__all__ = ["Cell", "TableView", "table_view"]

# More rows make a page that a browser scrolls badly; the files beside it have them all.
MOST_ROWS = 2_000
MOST_COLUMNS = 60
# Beyond this many rows one wants to search rather than to look.
FILTERED_ROWS = 12
# What looks like a table at a glance need not scroll within the page.
TALL_ROWS = 20
TRIANGLES = ("p_values", "kendall")


@dataclass(frozen=True)
class Cell:
    """One cell: its text, the number it sorts by, and how it is shown."""

    text: str
    value: str = ""
    number: bool = False
    header: bool = False
    strong: bool = False
    pair: tuple[int, int] | None = None


@dataclass(frozen=True)
class TableView:
    """A table of the page."""

    name: str
    title: str
    explanation: str
    note: str
    columns: tuple[Column, ...]
    rows: list[list[Cell]] = field(repr=False)
    left_out: str = ""

    @property
    def filtered(self) -> bool:
        """Whether it has a search field."""
        return len(self.rows) >= FILTERED_ROWS

    @property
    def tall(self) -> bool:
        """Whether it scrolls within the page."""
        return len(self.rows) > TALL_ROWS


def table_view(table: Table, pairs: dict[str, int]) -> TableView:
    """Make a table's cells; the triangle of p-values also leads to its pairs.

    Parameters
    ----------
    table
        The table.
    pairs
        Position of each algorithm that the view of a pair offers.
    """
    written = table.cells(MOST_ROWS)
    order = list(range(len(table.columns)))
    if table.name in TRIANGLES and written and not written[-1][1]:
        # A triangle that begins at the left is not blank on a screen that shows its first columns.
        order[1:] = reversed(order[1:])
        written = [[line[position] for position in order] for line in written]
    columns = tuple(table.columns[position] for position in order)[:MOST_COLUMNS]
    values = _values(table, columns, len(written))
    triangle = table.name == "p_values"
    rows = []
    for index, line in enumerate(written):
        row = []
        for position, column in enumerate(columns):
            value = values[position][index]
            pair = None
            if triangle and position and line[position]:
                pair = _pair(pairs.get(line[0]), pairs.get(column.header))
            row.append(
                Cell(
                    text=minus_signs(line[position]) if column.number else line[position],
                    value="" if value is None else repr(value),
                    number=column.number,
                    header=position == 0 and not column.number,
                    strong=table.is_best(index, column),
                    pair=pair,
                )
            )
        rows.append(row)
    return TableView(
        name=table.name,
        title=table.title,
        explanation=table.explanation,
        note=table.remark(),
        columns=columns,
        rows=rows,
        left_out=_left_out(table, len(rows), len(columns)),
    )


def _pair(first: int | None, second: int | None) -> tuple[int, int] | None:
    return None if first is None or second is None else (first, second)


def _values(table: Table, columns: tuple[Column, ...], n_rows: int) -> list[list[float | None]]:
    frame = (table.frame if table.shown is None else table.shown).head(n_rows)
    return [
        [_number(value) for value in frame[column.keys[0]].tolist()]
        if column.number
        else [None] * n_rows
        for column in columns
    ]


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float | np.number):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _left_out(table: Table, n_rows: int, n_columns: int) -> str:
    missing = [
        f"{count:,} {noun}{'s' if count > 1 else ''}"
        for count, noun in (
            (len(table) - n_rows, "row"),
            (len(table.columns) - n_columns, "column"),
        )
        if count > 0
    ]
    if not missing:
        return ""
    return f"{' and '.join(missing)} more are in tables/{table.csv_name}, beside this page."
