"""Print a comparison on the terminal: the verdict and its table, or all tables."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from occstats.comparison.text.verdict import (
    headline,
    make_verdict,
    short_names,
    subject_of,
    tally_sentence,
)
from occstats.report.tables import all_tables, comparison_table, legend
from occstats.report.text_table import (
    PARAGRAPH_WIDTH,
    make_text,
    print_cells,
    print_table,
    print_wrapped,
)
from occstats.results.load import bundled_names

if TYPE_CHECKING:
    from rich.console import Console

    from occstats.comparison.comparison import Comparison

__all__ = ["brief", "make_console", "print_comparison", "print_table"]

# Rows of a table that are printed with --full: all pairs of ten algorithms.
WHOLE = 45
MOST_NOTES = 3
# A pipe has no width; wide enough for the tables of most studies.
PIPE_WIDTH = 200
# Blanks before the columns of the first table.
GAPS = {"mean_rank": 3, "mean_score": 3}


def make_console(file: Any = None, *, width: int | None = None) -> Console:
    """Return a console that never takes a name for markup, with colour on terminals only."""
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
    """Print the verdict and its table, and say where the rest is; or print all of it.

    Parameters
    ----------
    comparison
        The comparison.
    folder
        The folder that it was written to, if it was.
    full
        Print every table that can be read on a screen.
    file
        Where to print instead of to standard output.
    """
    console = make_console(file)
    for line in comparison.results.read_as:
        print_wrapped(console, line, "dim")
    if comparison.results.read_as:
        console.print()
    _print_answer(console, comparison, full=full)
    if full:
        console.print()
        names, _ = short_names(comparison.algorithms)
        for table in all_tables(comparison)[1:]:
            if table.terminal_rows:
                print_table(console, table, whole=WHOLE, names=names)
        notes = list(comparison.notes)
    else:
        notes = _notes_of_the_answer(comparison)
    for note in notes:
        print_wrapped(console, f"Note: {note}")
    if folder is not None:
        # A path that is broken into lines cannot be copied.
        console.print(f"Written to {folder}.", soft_wrap=True)
    else:
        print_wrapped(console, _more(comparison, full=full), "dim")


def _print_answer(console: Console, comparison: Comparison, *, full: bool = False) -> None:
    """Print what was compared, the verdict, its table and how many pairs differ."""
    print_wrapped(console, headline(comparison))
    console.print()
    for line in make_verdict(comparison, shorten=True).lines(min(console.width, PARAGRAPH_WIDTH)):
        console.print(make_text(line, "bold"))
    subject = subject_of(comparison)
    closing = [tally_sentence(comparison)]
    table, (names, _) = comparison_table(comparison), short_names(comparison.algorithms)
    if len(table) > 2:
        n_rows = len(table) if full else min(len(table), table.terminal_rows)
        gaps = GAPS if table.columns[-1].header else {**GAPS, "conclusion": 1}
        console.print()
        print_cells(console, table, n_rows, names=names, gaps=gaps)
        if n_rows < len(table):
            print_wrapped(console, f"{len(table) - n_rows:,} more with --full", "dim")
        console.print()
        closing = [*legend(comparison), *closing]
    for words in filter(None, closing):
        print_wrapped(console, words.replace(subject, names.get(subject, subject)), "dim")


def _notes_of_the_answer(comparison: Comparison) -> list[str]:
    """Return the notes on the input, the ranks and the p-values."""
    notes = [
        note
        for note in comparison.notes
        if note in comparison.results.notes or note.startswith("Ranks") or "p-value" in note
    ]
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"{len(notes) - MOST_NOTES} more notes with --full."]
    return notes


def _more(comparison: Comparison, *, full: bool) -> str:
    sources = comparison.results.sources
    figures = f"occstats figures {' '.join(map(quote, sources))}"
    parts = ["--out DIR (report, LaTeX)"]
    if not full:
        parts.insert(0, "--full (all pairs)")
    line = f"More: {', '.join([*parts, figures])}"
    files = all(source in bundled_names() or os.path.exists(source) for source in sources)
    return line if files and len(line) <= PARAGRAPH_WIDTH else f"More: {', '.join(parts)}"


def brief(comparison: Comparison) -> str:
    """Return the verdict and its table as text, for the interactive prompt."""
    stream = io.StringIO()
    _print_answer(make_console(stream, width=PARAGRAPH_WIDTH), comparison)
    return stream.getvalue().rstrip()
