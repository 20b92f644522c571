"""Write tables as GitHub-flavoured Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from occstats._format import minus_signs, printable
from occstats.comparison.text.verdict import headline, make_verdict, tally_sentence
from occstats.report.formatted_table import Table

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["comparison_to_markdown", "escape", "table_to_markdown"]

_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#$&])")


def escape(text: str) -> str:
    r"""Return the text with everything that Markdown or HTML would interpret made literal.

    Examples
    --------
    >>> print(escape("<b>_a|b_</b>"))
    \<b\>\_a\|b\_\</b\>
    """
    return _SPECIAL.sub(r"\\\1", printable(text))


def table_to_markdown(table: Table) -> str:
    """Return the table with its title and explanation; columns are aligned in the source, too."""
    from rich.cells import cell_len

    body = [
        [
            _bold(
                escape(minus_signs(cell) if column.number else cell), table.is_best(index, column)
            )
            for cell, column in zip(row, table.columns, strict=True)
        ]
        for index, row in enumerate(table.cells())
    ]
    header = [escape(name) for name in table.headers]
    widths = [
        max(3, *(cell_len(row[position]) for row in [header, *body]))
        for position in range(len(header))
    ]

    def line(row: list[str]) -> str:
        padded = (
            cell + " " * (width - cell_len(cell))
            if not column.number
            else " " * (width - cell_len(cell)) + cell
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        )
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * (width - 1) + ":" if column.number else "-" * width
        for width, column in zip(widths, table.columns, strict=True)
    ]
    parts = [f"### {escape(table.title)}", "", escape(table.explanation), ""]
    parts += [line(header), line(rule), *(line(row) for row in body)]
    if table.remark():
        parts += ["", escape(table.remark())]
    return "\n".join(parts) + "\n"


def _bold(cell: str, bold: bool) -> str:
    return f"**{cell}**" if bold else cell


def comparison_to_markdown(comparison: Comparison, tables: list[Table]) -> str:
    """Return verdict, tables, methods with references, and notes as one document."""
    methods, verdict = comparison.methods_text, make_verdict(comparison)
    parts = ["# Comparison", "", f"{escape(headline(comparison))}.", ""]
    parts += [escape(" ".join(verdict.sentences)), ""]
    parts += [f"- {escape(label)} {escape(', '.join(names))}" for label, names in verdict.relations]
    for words in filter(None, [*verdict.remarks, tally_sentence(comparison)]):
        parts += ["", escape(words)]
    parts += ["", "## Tables", ""]
    for table in tables:
        parts += [table_to_markdown(table)]
    parts += ["## Methods", ""]
    for block in methods.blocks():
        items = [block] if isinstance(block, str) else [f"- {item}" for item in block]
        parts += [*map(escape, items), ""]
    parts += ["### References", ""]
    parts += [f"- {escape(reference.text)}" for reference in methods.references]
    if comparison.notes:
        parts += ["", "## Notes", "", *(f"- {escape(note)}" for note in comparison.notes)]
    return "\n".join(parts) + "\n"
