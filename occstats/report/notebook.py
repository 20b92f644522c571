"""Tables and verdict as HTML for notebooks; every name is escaped."""

from __future__ import annotations

from dataclasses import fields
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pandas as pd

from occstats._format import minus_signs, printable
from occstats.comparison.text.verdict import headline, make_verdict, tally_sentence
from occstats.report.formatted_table import Column, Table
from occstats.report.tables import all_tables, comparison_table

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["section_to_html", "table_to_html", "to_html", "verdict_to_html"]

# A notebook with a thousand rows of a table in every output is no longer usable.
MOST_ROWS = 50
MOST_COLUMNS = 40


def table_to_html(table: Table, *, most_rows: int | None = None) -> str:
    """Return the table with a caption; row names are headers, as screen readers want them."""
    n_columns = len(table.columns) if most_rows is None else MOST_COLUMNS
    columns = table.columns[:n_columns]
    body = []
    for index, row in enumerate(table.cells(most_rows)):
        cells = []
        for position, (cell, column) in enumerate(zip(row, columns, strict=False)):
            written = _cell(minus_signs(cell) if column.number else cell)
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
        f"<strong>{_cell(table.title)}.</strong> {_cell(table.explanation)}</caption>"
        f"<thead>{_head(columns)}</thead><tbody>{''.join(body)}</tbody></table>{more}{note}"
    )


def _head(columns: tuple[Column, ...]) -> str:
    """Return the headings; where columns form a group, its heading is in a row above."""
    row = "".join(
        f'<th scope="col"{_align(column)}>{_cell(column.header)}</th>' for column in columns
    )
    if not any(column.group for column in columns):
        return f"<tr>{row}</tr>"
    above = ""
    for name, members in groupby(columns, key=lambda column: column.group):
        span = len(list(members))
        scope = ' scope="colgroup"' if name else ""
        above += f'<th{scope} colspan="{span}">{_cell(name)}</th>'
    return f"<tr>{above}</tr><tr>{row}</tr>"


def to_html(comparison: Comparison) -> str:
    """Return what Jupyter shows: the verdict and its table, the rest folded away."""
    first = comparison_table(comparison)
    folded = "".join(
        f"<details><summary>{_cell(table.title)}</summary>"
        f"{table_to_html(table, most_rows=MOST_ROWS)}</details>"
        for table in all_tables(comparison)[1:]
        if table.terminal_rows
    )
    table = f"<p>{_cell(headline(comparison))}.</p>"
    if len(first) > 2:
        table = table_to_html(first, most_rows=MOST_ROWS)
    tally = tally_sentence(comparison)
    notes = "".join(f"<li>{_cell(note)}</li>" for note in comparison.notes)
    notes = f"<details><summary>Notes</summary><ul>{notes}</ul></details>" if notes else ""
    methods = "".join(
        f"<p>{_cell(line)}</p>" for line in comparison.methods.splitlines() if line.strip()
    )
    return (
        f'<div class="occstats">{verdict_to_html(comparison)}{table}'
        f"{f'<p>{_cell(tally)}</p>' if tally else ''}"
        f"{folded}<details><summary>Methods</summary>{methods}</details>{notes}</div>"
    )


def verdict_to_html(comparison: Comparison) -> str:
    """Return the verdict: its first sentence in bold, and a list of relations."""
    verdict = make_verdict(comparison)
    answer, *details = verdict.sentences
    relations = "".join(
        f"<li>{_cell(label)} {_cell(', '.join(names))}</li>" for label, names in verdict.relations
    )
    return (
        f"<p><strong>{_cell(answer)}</strong> {_cell(' '.join(details))}</p>"
        f"{f'<ul>{relations}</ul>' if relations else ''}"
        f"{''.join(f'<p>{_cell(remark)}</p>' for remark in verdict.remarks)}"
    )


def section_to_html(section: Any) -> str:
    """Return a section of a comparison: its numbers, then its frames to unfold."""
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


def _cell(text: str) -> str:
    return escape(printable(text), quote=True)


def _align(column: Column) -> str:
    """Return the alignment of text; numbers are aligned to the right by the table."""
    return "" if column.number else ' style="text-align:left"'
