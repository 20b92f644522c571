"""Tables for the template: written cells, values to sort by, links to pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from occstats._format import minus_signs
from occstats.report.formatted_table import Column, Table

__all__ = ["Cell", "TableView", "table_view"]

# More rows make a page that scrolls badly; the files of the report have them all.
MOST_ROWS = 2_000
MOST_COLUMNS = 60
# From this many rows on there is a search field.
FILTERED_ROWS = 12
# Longer tables scroll within the page.
TALL_ROWS = 20


@dataclass(frozen=True)
class Cell:
    """A cell: its text, the number it sorts by, and how it is shown."""

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
    def groups(self) -> list[tuple[str, int]]:
        """Headings over adjacent columns, with the number of these; empty without any."""
        found = [(name, len(list(some))) for name, some in groupby(c.group for c in self.columns)]
        return found if any(name for name, _ in found) else []

    @staticmethod
    def exact(column: Column) -> bool:
        """Return whether a saved column has full precision: it shows one number."""
        return column.number and (len(column.keys) == 1 or column.keys[0] in ("difference", "p"))

    @property
    def filtered(self) -> bool:
        """Whether it has a search field."""
        return len(self.rows) >= FILTERED_ROWS

    @property
    def tall(self) -> bool:
        """Whether it scrolls within the page."""
        return len(self.rows) > TALL_ROWS


def table_view(table: Table, pairs: dict[str, int], subject: str = "") -> TableView:
    """Return the cells of a table; p-values of pairs are links to these.

    Parameters
    ----------
    table
        The table.
    pairs
        Position of each algorithm that the view of a pair offers.
    subject
        The algorithm that the rows of the leading table are compared with.
    """
    written = table.cells(MOST_ROWS)
    columns = table.columns[:MOST_COLUMNS]
    values = _values(table, columns, len(written))
    rows = []
    for index, line in enumerate(written):
        row = []
        for position, column in enumerate(columns):
            value = values[position][index]
            row.append(
                Cell(
                    text=minus_signs(line[position]) if column.number else line[position],
                    value="" if value is None else repr(value),
                    number=column.number,
                    header=position == 0 and not column.number,
                    strong=table.is_best(index, column),
                    pair=_pair(table, line, position, pairs, subject),
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


def _pair(
    table: Table, line: list[str], position: int, pairs: dict[str, int], subject: str
) -> tuple[int, int] | None:
    """Return the positions of the pair whose p-value is in a cell."""
    column, first, second = table.columns[position], None, None
    if table.name == "p_values" and position:
        first, second = pairs.get(line[0]), pairs.get(column.header)
    elif table.name == "comparison" and column.keys[0] == "p":
        first, second = pairs.get(subject), pairs.get(line[0])
    if not line[position] or first is None or second is None or first == second:
        return None
    return first, second


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
    return f"{' and '.join(missing)} more are in tables/{table.csv_name} of the report."
