"""A comparison on the terminal: verdict first, then tables that fit the screen."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from occstats.report.table import Table
from occstats.report.tables import all_tables, leading_tables
from occstats.text import printable

if TYPE_CHECKING:
    from rich.console import Console

    from occstats.comparison.result import Comparison

__all__ = ["brief", "print_comparison", "print_table"]

# Beyond this a table is no longer read on a screen; the files have it whole.
MOST_ROWS = 30
LONGEST_NAME = 28
PARAGRAPH_WIDTH = 96
# A pipe has no width; wide enough for the tables of any study that is read at all.
PIPE_WIDTH = 200


def make_console(file: Any = None, *, width: int | None = None) -> Console:
    """A console that never takes a name for markup; colour only where a terminal shows it."""
    from rich.console import Console

    class OpenConsole(Console):
        def on_broken_pipe(self) -> None:
            # Rich would exit with code 1; the command line knows better.
            raise BrokenPipeError

    stream = sys.stdout if file is None else file
    on_terminal = bool(getattr(stream, "isatty", lambda: False)())
    if width is None and not on_terminal:
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isdecimal() and int(columns) else PIPE_WIDTH
    return OpenConsole(
        file=stream,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        no_color=True if "NO_COLOR" in os.environ or not on_terminal else None,
        force_terminal=None if on_terminal else False,
    )


def print_comparison(
    comparison: Comparison, folder: Path | None = None, *, file: Any = None
) -> None:
    """Print the verdict, the tables and the notes."""
    console = make_console(file)
    _paragraph(console, comparison.verdict, "bold")
    cut = False
    for table in all_tables(comparison):
        if table.terminal_rows:
            cut |= print_table(console, table)
    _print_notes(console, comparison)
    if cut and folder is None:
        _paragraph(
            console, "Use --out DIR for all tables, whole, and --json for all values.", "dim"
        )
    if folder is not None:
        _paragraph(console, f"Written to {folder}.")


def _print_notes(console: Console, comparison: Comparison) -> None:
    if not comparison.notes:
        return
    _print_wrapped(console, "Notes", "bold")
    for note in comparison.notes:
        _print_wrapped(console, f"- {note}")
    console.print()


def _paragraph(console: Console, words: str, style: str = "") -> None:
    _print_wrapped(console, words, style)
    console.print()


def _print_wrapped(console: Console, words: str, style: str = "") -> None:
    """Lines of a readable length, without blanks at their ends."""
    lines = _text(printable(words), style).wrap(console, min(console.width, PARAGRAPH_WIDTH))
    for line in lines:
        line.rstrip()
        console.print(line)


def _text(words: str, style: str = "") -> Any:
    from rich.text import Text

    return Text(words, style=style)


def print_table(console: Console, table: Table) -> bool:
    """Print as many rows and columns as fit, and say what was left out; whether anything was."""
    from rich import box
    from rich.table import Table as RichTable

    n_rows = min(len(table), table.terminal_rows, MOST_ROWS)
    rows = [[shorten(cell) for cell in row] for row in table.cells(n_rows)]
    headers = [shorten(name) for name in table.headers]
    n_columns = _fitting(headers, rows, console.width)
    drawn = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1))
    for header, column in list(zip(headers, table.columns, strict=True))[:n_columns]:
        drawn.add_column(_text(header), justify="right" if column.number else "left", no_wrap=True)
    for index, row in enumerate(rows):
        cells = list(zip(row, table.columns, strict=True))[:n_columns]
        drawn.add_row(
            *(_text(cell, "bold" if table.is_best(index, column) else "") for cell, column in cells)
        )
    _print_wrapped(console, table.title, "bold")
    _print_wrapped(console, table.explanation, "dim")
    with console.capture() as capture:
        console.print(drawn)
    for line in capture.get().splitlines():
        console.out(line.rstrip(), highlight=False)
    left_out = _left_out(len(table) - n_rows, len(headers) - n_columns)
    for words in (left_out, table.note):
        if words:
            _print_wrapped(console, words, "dim")
    console.print()
    return bool(left_out)


def _fitting(headers: list[str], rows: list[list[str]], width: int) -> int:
    """How many columns fit the screen; at least two, which may wrap."""
    from rich.cells import cell_len

    used = 0
    for position in range(len(headers)):
        used += max(cell_len(row[position]) for row in [headers, *rows]) + 2
        if used - 1 > width:
            return max(position, 2)
    return len(headers)


def _left_out(rows: int, columns: int) -> str:
    parts = [
        f"{number:,} more {noun}{'s' if number > 1 else ''}"
        for number, noun in ((rows, "row"), (columns, "column"))
        if number > 0
    ]
    return f"… and {' and '.join(parts)}, not shown here" if parts else ""


def shorten(name: str) -> str:
    """The name made visible and short enough for a column.

    Examples
    --------
    >>> shorten("a" * 40)
    'aaaaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    from rich.cells import cell_len, set_cell_size

    shown = printable(name)
    if cell_len(shown) <= LONGEST_NAME:
        return shown
    return set_cell_size(shown, LONGEST_NAME - 1).rstrip() + "…"


def brief(comparison: Comparison) -> str:
    """The verdict and the summary, for the interactive prompt."""
    stream = io.StringIO()
    console = make_console(stream, width=PARAGRAPH_WIDTH)
    _paragraph(console, comparison.verdict)
    for table in leading_tables(comparison):
        print_table(console, table)
    lines = [line.rstrip() for line in stream.getvalue().rstrip().splitlines()]
    return "\n".join(lines)
