"""A comparison on the terminal: verdict first, then tables that fit the screen."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from occstats.report.tables import all_tables, leading_tables
from occstats.report.text_table import (
    MOST_BLOCKS,
    PARAGRAPH_WIDTH,
    print_table,
    print_wrapped,
)

if TYPE_CHECKING:
    from rich.console import Console

    from occstats.comparison.result import Comparison

__all__ = ["brief", "make_console", "print_comparison", "print_table"]

# What is looked at first is a screen, not a scroll.
MOST_LEADING_BLOCKS = 2
# Rows of a table that is asked for and still read: all pairs of ten algorithms.
WHOLE = 45
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
        # In a notebook Rich would show every line as an output of its own.
        force_jupyter=False,
    )


def print_comparison(
    comparison: Comparison,
    folder: Path | None = None,
    *,
    full: bool = False,
    file: Any = None,
) -> None:
    """Print the verdict, what is looked at first, and where the rest is; or all of it.

    Parameters
    ----------
    comparison
        The comparison.
    folder
        Where it was written to, if it was.
    full
        Whether to print every table that can be read on a screen.
    file
        Where to print instead of to standard output.
    """
    console = make_console(file)
    _paragraph(console, comparison.verdict, "bold")
    tables = all_tables(comparison) if full else leading_tables(comparison)
    blocks = MOST_BLOCKS if full else MOST_LEADING_BLOCKS
    for table in tables:
        if table.terminal_rows:
            print_table(console, table, most_blocks=blocks, whole=WHOLE if full else 0)
    _print_notes(console, comparison)
    if folder is not None:
        print_wrapped(console, f"Written to {folder}.")
        return
    more = "" if full else "--full all tables, "
    print_wrapped(console, f"More: {more}--out DIR a report, --json all values.", "dim")


def _print_notes(console: Console, comparison: Comparison) -> None:
    for note in comparison.notes:
        print_wrapped(console, f"Note: {note}")


def _paragraph(console: Console, words: str, style: str = "") -> None:
    print_wrapped(console, words, style)
    console.print()


def brief(comparison: Comparison) -> str:
    """The verdict and the summary, for the interactive prompt."""
    stream = io.StringIO()
    console = make_console(stream, width=PARAGRAPH_WIDTH)
    _paragraph(console, comparison.verdict)
    for table in leading_tables(comparison):
        print_table(console, table)
    lines = [line.rstrip() for line in stream.getvalue().rstrip().splitlines()]
    return "\n".join(lines)
