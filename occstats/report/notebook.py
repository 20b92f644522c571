"""Show a comparison in a notebook: HTML on the screen, LaTeX when the notebook is exported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from occstats._format import printable
from occstats.comparison.text.verdict import headline, make_verdict, subject_of, tally_sentence
from occstats.report.formatted_table import Table
from occstats.report.markup import escape_html as escape
from occstats.report.markup import prose_to_latex, table_to_html, tabular_to_latex
from occstats.report.tables import all_tables, comparison_table

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

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


def to_latex(comparison: Comparison) -> str:
    """Return the verdict and its table, as much as the terminal shows."""
    table, verdict = comparison_table(comparison), make_verdict(comparison)
    subject = printable(subject_of(comparison))
    relations = [f"{subject} is {label} {', '.join(names)}." for label, names in verdict.relations]
    paragraphs = [*verdict.sentences, *relations]
    closing = [*verdict.remarks, tally_sentence(comparison)]
    if len(table) <= 2:
        return "\n\n".join(map(_prose, filter(None, [*paragraphs, *closing])))
    return answer_to_latex(paragraphs, table, "comparison.summary", closing)


def answer_to_latex(
    paragraphs: Sequence[str], table: Table, place: str, closing: Sequence[str] = ()
) -> str:
    """Return sentences, a table that does not float, its remark, and further sentences."""
    shown = table.capped(table.terminal_rows, place=place)
    centred = "\n".join([r"\begin{center}", *tabular_to_latex(shown), r"\end{center}"])
    blocks = [*map(_prose, paragraphs), centred, *map(_prose, [shown.remark(), *closing])]
    return "\n\n".join(filter(None, blocks))


def _prose(text: str) -> str:
    return rf"{{\raggedright {prose_to_latex(text)}\par}}" if text else ""


def _list(items: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>" if items else ""


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text.strip() else ""


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{content}</details>"
