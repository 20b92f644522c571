"""Tables as HTML, and the fragment that a notebook shows; every name is escaped."""

from __future__ import annotations

from dataclasses import fields
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from occstats.report.table import Column, Table
from occstats.report.tables import all_tables, leading_tables
from occstats.text import printable

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["first_sentence", "section_to_html", "table_to_html", "to_html"]

# A notebook with a thousand rows of a table in every output is no longer usable.
MOST_ROWS = 50
MOST_COLUMNS = 40


def table_to_html(table: Table, *, most_rows: int | None = None) -> str:
    """The table with a caption; row names are headers, as screen readers want them."""
    n_columns = len(table.columns) if most_rows is None else MOST_COLUMNS
    columns = table.columns[:n_columns]
    head = "".join(
        f'<th scope="col"{_align(column)}>{_cell(column.header)}</th>' for column in columns
    )
    body = []
    for index, row in enumerate(table.cells(most_rows)):
        cells = []
        for position, (cell, column) in enumerate(zip(row, columns, strict=False)):
            written = _cell(cell)
            if table.is_best(index, column):
                written = f"<strong>{written}</strong>"
            if position == 0 and not column.number:
                cells.append(f'<th scope="row"{_align(column)}>{written}</th>')
            else:
                cells.append(f"<td{_align(column)}>{written}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    hidden = len(table) - len(body), len(table.columns) - len(columns)
    more = f"<p>… {hidden[0]:,} more rows and {hidden[1]:,} more columns</p>" if any(hidden) else ""
    note = f"<p><small>{_cell(table.remark())}</small></p>" if table.remark() else ""
    return (
        '<table style="text-align:right"><caption style="text-align:left">'
        f"<strong>{_cell(table.title)}.</strong> "
        f"{_cell(table.explanation)}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
        f"{more}{note}"
    )


def to_html(comparison: Comparison) -> str:
    """What Jupyter shows: verdict, summary and p-values, the rest folded away."""
    leading = leading_tables(comparison)
    shown = {table.name for table in leading}
    rest = [
        table for table in all_tables(comparison) if table.name not in shown and table.terminal_rows
    ]
    folded = "".join(
        f"<details><summary>{_cell(table.title)}</summary>"
        f"{table_to_html(table, most_rows=MOST_ROWS)}</details>"
        for table in rest
    )
    answer, details = first_sentence(comparison.verdict)
    notes = "".join(f"<li>{_cell(note)}</li>" for note in comparison.notes)
    notes = f"<details><summary>Notes</summary><ul>{notes}</ul></details>" if notes else ""
    methods = "".join(
        f"<p>{_cell(line)}</p>" for line in comparison.methods.splitlines() if line.strip()
    )
    return (
        f'<div class="occstats"><p><strong>{_cell(answer)}</strong> {_cell(details)}</p>'
        f"{''.join(table_to_html(table, most_rows=MOST_ROWS) for table in leading)}"
        f"{folded}<details><summary>Methods</summary>{methods}</details>{notes}</div>"
    )


def section_to_html(section: Any) -> str:
    """The parts of a section of a comparison: its numbers, then its frames to unfold."""
    from occstats.report.extra_tables import plain_table

    parts = {item.name: getattr(section, item.name) for item in fields(section)}
    tables = {
        name: plain_table(name, _title(name), "", part)
        for name, part in parts.items()
        if isinstance(part, pd.DataFrame)
    }
    numbers = "".join(
        f"<li>{_title(name)}: {part:.4g}</li>"
        for name, part in parts.items()
        if isinstance(part, int | float)
    )
    shown = "".join(
        f"<details{' open' if position == 0 else ''}><summary>{_title(name)}</summary>"
        f"{table_to_html(table, most_rows=MOST_ROWS)}</details>"
        for position, (name, table) in enumerate(tables.items())
    )
    return f'<div class="occstats"><ul>{numbers}</ul>{shown}</div>'


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def first_sentence(verdict: str) -> tuple[str, str]:
    """The answer itself, and what there is to know about it.

    Examples
    --------
    >>> first_sentence("ALP is best (p = 0.17). It beats SVM.")
    ('ALP is best (p = 0.17).', 'It beats SVM.')
    """
    answer, stop, details = verdict.partition(". ")
    return answer + stop.strip(), details


def _cell(text: str) -> str:
    return escape(printable(text), quote=True)


def _align(column: Column) -> str:
    """Numbers stand to the right, as the whole table does: notebooks keep every byte."""
    return "" if column.number else ' style="text-align:left"'
