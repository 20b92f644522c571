"""Print a comparison on the terminal; numbers are never cut, wide tables are split into blocks."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from occstats._format import count, printable, wrap
from occstats.comparison.decision import BETTER, WORSE
from occstats.comparison.text.verdict import (
    headline,
    main_notes,
    make_verdict,
    short_names,
    tally_sentence,
    with_short_names,
)
from occstats.report.formatted_table import Table
from occstats.report.tables import all_tables, comparison_table, legend

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

PARAGRAPH_WIDTH = 80
# A pipe has no width; this suits the tables of most studies.
PIPE_WIDTH = 200
# Longer tables are printed in part; with --full, up to all pairs of ten algorithms.
MOST_ROWS = 30
FULL_ROWS = 45
MOST_BLOCKS = 4
MOST_NOTES = 3
LONGEST_NAME = 28
SHORTEST_NAME = 8
# Names that look alike at this length are numbered; a table of 80 columns leaves so much.
DISTINCT_NAME = 20
# Longer words of a heading lose their middle if the table is too wide.
HEADING_WIDTH = 14
MARK = "*"
GAP = 2
# Blanks before columns of the first table.
GAPS = {"mean_rank": 3, "mean_score": 3}


class _Console(Console):
    def on_broken_pipe(self) -> None:
        # Rich would exit with code 1; the command line handles the error.
        raise BrokenPipeError


def make_console(file: Any = None, *, width: int | None = None) -> Console:
    """Return a console that prints names literally, with colour on terminals only."""
    stream = sys.stdout if file is None else file
    on_terminal = bool(getattr(stream, "isatty", lambda: False)())
    if width is None and not on_terminal:
        columns = os.environ.get("COLUMNS", "")
        width = int(columns) if columns.isdecimal() and int(columns) else PIPE_WIDTH
    return _Console(
        file=stream,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        no_color=True if "NO_COLOR" in os.environ or not on_terminal else None,
        force_terminal=None if on_terminal else False,
        # In a notebook, Rich would show every line as a separate output.
        force_jupyter=False,
    )


def print_comparison(
    comparison: Comparison,
    folder: Path | None = None,
    *,
    full: bool = False,
    file: Any = None,
    spell: Callable[[str], str] = str,
    figures: str = "",
) -> None:
    """Print the verdict and its table, or all tables and notes; name the folder written to.

    `spell` writes the keyword arguments in sentences as options of the command line, and `figures`
    is the command that draws the figures of this comparison.
    """
    console = make_console(file)
    for line in comparison.results.read_as:
        print_wrapped(console, line, "dim")
    if comparison.results.read_as:
        console.print()
    _print_answer(console, comparison, full=full, spell=spell)
    if full:
        notes = list(comparison.notes)
        console.print()
        labels = labels_of(comparison.algorithms)
        for table in all_tables(comparison)[1:]:
            if table.terminal_rows:
                print_table(console, table, whole=FULL_ROWS, labels=labels)
    else:
        notes = main_notes(comparison)
        if len(notes) > MOST_NOTES:
            notes[MOST_NOTES:] = [f"{len(notes) - MOST_NOTES} more notes with --full."]
    for note in notes:
        print_wrapped(console, spell(f"Note: {note}"))
    if folder is not None:
        # A path broken into lines cannot be copied.
        console.print(f"Written to {folder}.", soft_wrap=True)
    else:
        more = "--out DIR (report, LaTeX)"
        more = more if full else f"--full (all pairs), {more}"
        line = f"More: {more}, {figures}" if figures else f"More: {more}"
        if len(line) <= PARAGRAPH_WIDTH:
            print_wrapped(console, line, "dim")
        else:  # a command broken into lines cannot be copied
            print_wrapped(console, f"More: {more},", "dim")
            console.print(f"      {figures}", style="dim", soft_wrap=True)


def brief(comparison: Comparison) -> str:
    """Return the verdict and its table as text, for the interactive prompt."""
    stream = io.StringIO()
    console = make_console(stream, width=PARAGRAPH_WIDTH)
    _print_answer(console, comparison, more="comparison.summary")
    return stream.getvalue().rstrip()


def _print_answer(
    console: Console,
    comparison: Comparison,
    *,
    full: bool = False,
    more: str = "--full",
    spell: Callable[[str], str] = str,
) -> None:
    print_wrapped(console, headline(comparison))
    console.print()
    for line in make_verdict(comparison, shorten=True).lines(min(console.width, PARAGRAPH_WIDTH)):
        console.print(Text(line, "bold"))
    closing = [tally_sentence(comparison)]
    table, labels = comparison_table(comparison), labels_of(comparison.algorithms)
    if len(table) > 2:
        n_rows = len(table) if full else min(len(table), table.terminal_rows)
        gaps = GAPS if table.columns[-1].header else {**GAPS, "conclusion": 1}
        console.print()
        _print_cells(console, table, n_rows, labels, gaps)
        if n_rows < len(table):
            rest = f"{len(table) - n_rows:,} more with {more}"
            differ = int(table.frame["conclusion"][n_rows:].isin((BETTER, WORSE)).sum())
            if differ and comparison.decision.possible:
                rest += f", of which {differ:,} differ"
            print_wrapped(console, rest, "dim")
        console.print()
        closing = [*legend(comparison), *closing]
    for sentence in filter(None, closing):
        print_wrapped(console, spell(with_short_names(sentence, labels.prose)), "dim")


# -- tables ----------------------------------------------------------------------------------------


class Labels(NamedTuple):
    """Algorithms as sentences, cells and headings call them, where that is not their name."""

    prose: Mapping[str, str] = {}
    cells: Mapping[str, str] = {}
    headings: Mapping[str, str] = {}


UNCHANGED = Labels()


def labels_of(algorithms: list[str]) -> Labels:
    """Leave out a common prefix, and number names that would look alike when shortened.

    Examples
    --------
    >>> names = ["SVM", *(f"nearest neighbours, k = {k}, standardised" for k in (1, 5))]
    >>> list(labels_of(names).headings.values())
    ['1', '2', '3']
    """
    short, _ = short_names(algorithms)
    shown = [short.get(name, name) for name in algorithms]
    if len({_shorten(name, DISTINCT_NAME) for name in shown}) == len(shown):
        return Labels(short, short, short)
    numbers = {name: str(place) for place, name in enumerate(algorithms, start=1)}
    cells = {
        name: f"{numbers[name]} {called}" for name, called in zip(algorithms, shown, strict=True)
    }
    return Labels(short, cells, numbers)


def print_table(
    console: Console,
    table: Table,
    *,
    whole: int = 0,
    labels: Labels = UNCHANGED,
    spell: Callable[[str], str] = str,
) -> None:
    """Print a table as far as it fits, completely if it has at most `whole` rows."""
    n_rows = len(table) if len(table) <= whole else min(len(table), table.terminal_rows, MOST_ROWS)
    print_wrapped(console, table.title, "bold")
    print_wrapped(console, table.explanation, "dim")
    n_columns = _print_cells(console, table, n_rows, labels)
    counts = ((len(table) - n_rows, "more row"), (len(table.columns) - n_columns, "more column"))
    parts = [count(number, noun) for number, noun in counts if number]
    left_out = f"… and {' and '.join(parts)}, not shown here" if parts else ""
    for words in filter(None, (left_out, table.remark(MARK))):
        print_wrapped(console, spell(with_short_names(words, labels.prose)), "dim")
    console.print()


# Rich's own Table has no headings over several columns, and wraps or cuts numbers.
@dataclass(frozen=True)
class _Strip:
    """Represent a column: lines of its heading, formatted cells, and which are bold."""

    heading: list[str]
    cells: list[str]
    marked: list[bool]
    number: bool
    group: str = ""
    gap: int = GAP

    @property
    def width(self) -> int:
        return max(map(cell_len, [*self.cells, *self.heading]), default=0)

    def indent(self, text: str) -> int:
        return self.width - cell_len(text) if self.number else 0


def _print_cells(
    console: Console,
    table: Table,
    n_rows: int,
    labels: Labels,
    gaps: Mapping[str, int] = MappingProxyType({}),
) -> int:
    """Print the first rows, with gaps by first keys of columns; return the number of columns."""
    # Under group headings, names are shortened before headings are broken.
    grouped = any(column.group for column in table.columns)
    blocks: list[list[int]] = []
    for longest in (LONGEST_NAME, DISTINCT_NAME, 14, SHORTEST_NAME):
        narrower = _strips(table, n_rows, longest, labels, gaps)
        found = _blocks(narrower, console.width)
        if grouped and longest > SHORTEST_NAME and _starts(narrower)[-1] > console.width:
            found = []
        if not blocks or 0 < len(found) < len(blocks):
            strips, blocks = narrower, found
        if blocks and longest <= DISTINCT_NAME:
            break
    shown = (blocks or [list(range(len(strips)))])[:MOST_BLOCKS]
    for number, block in enumerate(shown):
        if number:
            console.print()
        side_by_side = [strips[position] for position in block]
        if _starts(side_by_side)[-1] > console.width:
            side_by_side = [_narrow(strip) for strip in side_by_side]
        for line in _lines(side_by_side):
            console.print(line, no_wrap=True, overflow="ignore", crop=False)
    return len({position for block in shown for position in block})


def _strips(
    table: Table, n_rows: int, longest: int, labels: Labels, gaps: Mapping[str, int]
) -> list[_Strip]:
    rows, strips = table.cells(n_rows), []
    grouped = any(column.group for column in table.columns)
    for position, column in enumerate(table.columns):
        cells = [row[position] for row in rows]
        marked = table.bold(column)[:n_rows]
        if any(marked) and table.best_means:
            # A mark replaces colour; a blank keeps the digits of the others aligned.
            cells = [f"{c}{MARK if m else ' '}" for c, m in zip(cells, marked, strict=True)]
        if not column.number:
            cells = [_shorten(labels.cells.get(cell, cell), longest) for cell in cells]
        heading = [_shorten(labels.headings.get(column.header, column.header), LONGEST_NAME)]
        if grouped and not column.group:
            *above, last = heading[0].rsplit(" ", 1)
            heading = ["".join(above), last]
        gap = gaps.get(column.keys[0], GAP)
        strips.append(_Strip(heading, cells, marked, column.number, column.group, gap))
    return strips


def _narrow(strip: _Strip) -> _Strip:
    """Break the heading into lines that are hardly wider than the cells."""
    widest = max(map(cell_len, strip.cells), default=0)
    # "95 % CI" stays on one line.
    heading = " ".join(filter(None, strip.heading)).replace(" % ", "\u00a0%\u00a0")
    words = [_shorten(word, max(widest, HEADING_WIDTH)) for word in heading.split(" ")]
    limit = max(widest, *map(cell_len, words), 1)
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if cell_len(longer) <= limit:
            lines[-1] = longer
        else:
            lines.append(word)
    return replace(strip, heading=[line.replace("\u00a0", " ") for line in lines], gap=1)


def _blocks(strips: Sequence[_Strip], width: int) -> list[list[int]]:
    """Return the columns of each block; the names on the left are repeated in each.

    There are none if names and a single number are wider than the screen.
    """
    everything = list(range(len(strips)))
    if _starts(strips)[-1] <= width:
        return [everything]
    narrow = [_narrow(strip) for strip in strips]
    names = next((i for i, strip in enumerate(strips) if strip.number), len(strips))
    fixed = everything[: min(names, len(strips) - 1)]
    blocks, current = [], list(fixed)
    for position in everything[len(fixed) :]:
        if _starts([narrow[i] for i in [*current, position]])[-1] > width:
            if current == fixed or _starts([narrow[i] for i in [*fixed, position]])[-1] > width:
                return []
            blocks.append(current)
            current = list(fixed)
        current.append(position)
    return [*blocks, current]


def _starts(strips: Sequence[_Strip]) -> list[int]:
    """Return where each column begins, and the end of the table."""
    *starts, end = accumulate(
        [0, *(s.width + n.gap for s, n in pairwise(strips)), strips[-1].width]
    )
    # The heading of the last group may be wider than its columns.
    group = strips[-1].group
    first = next(x for x, strip in zip(starts, strips, strict=True) if strip.group == group)
    return [*starts, max(end, first + cell_len(group))]


def _lines(strips: Sequence[_Strip]) -> Iterator[Text]:
    """Yield the headings, those of groups above them, and the rows."""
    *starts, _ = _starts(strips)
    height = max(len(strip.heading) + bool(strip.group) for strip in strips)
    for level in range(height, 0, -1):
        line, groups = "", {""}
        for strip, start in zip(strips, starts, strict=True):
            heading = strip.heading[-level] if level <= len(strip.heading) else ""
            if level == height and strip.group not in groups:
                # A group's heading may extend over all its columns.
                line += " " * (start - cell_len(line)) + strip.group
                groups.add(strip.group)
            if heading:
                line += " " * (start + strip.indent(heading) - cell_len(line)) + heading
        if line:
            yield Text(line, "bold")
    # The last rows of a triangle may be empty in the columns of this block.
    numbers = [strip.cells for strip in strips if strip.number] or [strips[0].cells]
    filled = [index for column in numbers for index, cell in enumerate(column) if cell.strip()]
    for index in range(max(filled, default=-1) + 1):
        row = Text()
        for strip, start in zip(strips, starts, strict=True):
            cell = strip.cells[index]
            row.append(" " * (start + strip.indent(cell) - row.cell_len))
            row.append(cell, "bold green" if strip.marked[index] else "")
        row.rstrip()
        yield row


def _shorten(name: str, longest: int) -> str:
    """Return the printable name, without its middle if it is too long.

    Examples
    --------
    >>> _shorten("forest_of_a_thousand_trees_17", 20)
    'forest_of_…_trees_17'
    """
    shown = printable(name)
    if cell_len(shown) <= longest:
        return shown
    head = set_cell_size(shown, longest // 2).rstrip()
    tail = set_cell_size(shown[::-1], longest - longest // 2 - 1).rstrip()[::-1]
    return f"{head}…{tail}"


def print_wrapped(console: Console, text: str, style: str = "") -> None:
    """Print text on lines of at most 80 columns."""
    for line in wrap(printable(text), min(console.width, PARAGRAPH_WIDTH)):
        console.print(Text(line, style), soft_wrap=True)
