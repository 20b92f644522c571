"""How a results table looks in a notebook; every name is escaped."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from occstats.results.table import Results

__all__ = ["results_html"]

_ROWS_SHOWN = 10
_COLUMNS_SHOWN = 20
_NOTES_SHOWN = 8


def results_html(results: Results, headline: str) -> str:
    """Show the headline, the first tasks and the notes as HTML."""
    names = results.algorithms[:_COLUMNS_SHOWN]
    header = "".join(f"<th>{escape(name)}</th>" for name in ["dataset", "class", *names])
    rows = []
    for task, values in zip(
        results.scores.index[:_ROWS_SHOWN],
        results.scores.iloc[:_ROWS_SHOWN, :_COLUMNS_SHOWN].to_numpy(),
        strict=True,
    ):
        cells = "".join(
            f"<td>{'–' if math.isnan(value) else f'{value:.4g}'}</td>" for value in values
        )
        keys = "".join(f"<th>{escape(str(key))}</th>" for key in task)
        rows.append(f"<tr>{keys}{cells}</tr>")
    left_out = []
    if results.n_tasks > _ROWS_SHOWN:
        left_out.append(f"{results.n_tasks - _ROWS_SHOWN:,} more tasks")
    if len(results.algorithms) > _COLUMNS_SHOWN:
        left_out.append(f"{len(results.algorithms) - _COLUMNS_SHOWN:,} more algorithms")
    more = f"<p>… {' and '.join(left_out)}</p>" if left_out else ""
    notes = "".join(f"<li>{escape(note)}</li>" for note in results.notes[:_NOTES_SHOWN])
    return (
        f"<div><p><strong>{escape(headline)}</strong></p>"
        f"<table><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"
        f"{f'<ul>{notes}</ul>' if notes else ''}</div>"
    )
