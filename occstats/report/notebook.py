"""Show a comparison in a notebook as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from occstats.comparison.text.verdict import headline, make_verdict, tally_sentence
from occstats.report.markup import escape_html as escape
from occstats.report.markup import table_to_html
from occstats.report.tables import all_tables

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["to_html"]

MOST_ROWS = 50


def to_html(comparison: Comparison) -> str:
    """Return the verdict and its table; further tables, methods and notes are folded."""
    first, *tables = all_tables(comparison)
    verdict = make_verdict(comparison)
    answer, *details = verdict.sentences
    relations = [f"{label} {', '.join(names)}" for label, names in verdict.relations]
    parts = [f"<p><strong>{escape(answer)}</strong> {escape(' '.join(details))}</p>"]
    parts += [_list(relations), *map(_paragraph, verdict.remarks)]
    # The sentences say all about two algorithms.
    parts.append(
        table_to_html(first, most_rows=MOST_ROWS)
        if len(first) > 2
        else f"<p>{escape(headline(comparison))}.</p>"
    )
    parts.append(_paragraph(tally_sentence(comparison)))
    parts += [
        _folded(table.title, table_to_html(table, most_rows=MOST_ROWS))
        for table in tables
        if table.terminal_rows
    ]
    parts.append(_folded("Methods", "".join(map(_paragraph, comparison.methods.splitlines()))))
    if comparison.notes:
        parts.append(_folded("Notes", _list(list(comparison.notes))))
    return f'<div class="occstats">{"".join(parts)}</div>'


def _list(items: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>" if items else ""


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text.strip() else ""


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{content}</details>"
