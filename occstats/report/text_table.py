"""Tables on the terminal: numbers are never cut, wide tables are split into blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from occstats._format import minus_signs, printable
from occstats.report.formatted_table import Table

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["make_text", "print_cells", "print_table", "print_wrapped"]

# Longer tables are read in the files.
MOST_ROWS = 30
MOST_BLOCKS = 4
LONGEST_NAME = 28
SHORTEST_NAME = 8
# Where a table is too wide, longer words of a heading lose their middle.
HEADING_WIDTH = 14
PARAGRAPH_WIDTH = 80
MARK = "*"
GAP = 2


@dataclass(frozen=True)
class _Strip:
    """A column of written cells with its headings; those that are marked are bold."""

    heading: list[str]
    cells: list[str]
    marked: list[bool]
    number: bool
    group: str = ""
    gap: int = GAP

    @property
    def width(self) -> int:
        return max(map(_width, [*self.cells, *self.heading]), default=0)


def print_table(
    console: Console,
    table: Table,
    *,
    most_rows: int = MOST_ROWS,
    most_blocks: int = MOST_BLOCKS,
    whole: int = 0,
    names: Mapping[str, str] | None = None,
) -> bool:
    """Print what fits of a table and say what was left out; return whether anything was.

    A table of at most `whole` rows is printed to its end; `names` are printed in place of others.
    """
    n_rows = len(table) if len(table) <= whole else min(len(table), table.terminal_rows, most_rows)
    print_wrapped(console, table.title, "bold")
    print_wrapped(console, table.explanation, "dim")
    n_columns = print_cells(console, table, n_rows, most_blocks=most_blocks, names=names)
    left_out = _left_out(len(table) - n_rows, len(table.columns) - n_columns)
    for words in filter(None, (left_out, table.remark(MARK))):
        print_wrapped(console, words, "dim")
    console.print()
    return bool(left_out)


def print_cells(
    console: Console,
    table: Table,
    n_rows: int,
    *,
    most_blocks: int = MOST_BLOCKS,
    names: Mapping[str, str] | None = None,
    gaps: Mapping[str, int] | None = None,
) -> int:
    """Print the cells of the first rows; return how many columns were printed.

    Parameters
    ----------
    console, table, n_rows
        Where to print, and what.
    most_blocks
        How many blocks of columns to print at most.
    names
        What is printed in place of a name.
    gaps
        Blanks before a column, by its first key.
    """
    # Where columns form a group, names are shortened before headings are broken.
    grouped = any(column.group for column in table.columns)
    for longest in (LONGEST_NAME, *((20, 14) if grouped else ()), SHORTEST_NAME):
        strips = _strips(table, n_rows, longest, names or {}, gaps or {})
        blocks = _blocks(strips, console.width)
        if blocks is not None and not (grouped and _table_width(strips) > console.width):
            break
    shown = (blocks or [list(range(len(strips)))])[:most_blocks]
    for number, block in enumerate(shown):
        if number:
            console.print()
        for line in _lines(_fitted([strips[position] for position in block], console.width)):
            console.print(line, no_wrap=True, crop=False)
    return len({position for block in shown for position in block})


def _strips(
    table: Table, n_rows: int, longest: int, names: Mapping[str, str], gaps: Mapping[str, int]
) -> list[_Strip]:
    rows = table.cells(n_rows)
    strips = []
    for position, column in enumerate(table.columns):
        cells = [row[position] for row in rows]
        marked = [table.is_best(index, column) for index in range(len(rows))]
        if any(marked) and table.best_means:
            # Without colour the mark has to say it; the others keep their digits in line.
            cells = [f"{c}{MARK if m else ' '}" for c, m in zip(cells, marked, strict=True)]
        if column.number:
            cells = [minus_signs(cell) for cell in cells]
        else:
            cells = [_shorten(names.get(cell, cell), longest) for cell in cells]
        heading = _shorten(names.get(column.header, column.header), LONGEST_NAME)
        strips.append(
            _Strip(
                [heading],
                cells,
                marked,
                column.number,
                column.group,
                gaps.get(column.keys[0], GAP),
            )
        )
    if any(strip.group for strip in strips):
        return [_two_lines(strip) for strip in strips]
    return strips


def _two_lines(strip: _Strip) -> _Strip:
    """Break a heading in two where a group's heading takes two lines."""
    if strip.group:
        return strip
    *above, last = strip.heading[0].rsplit(" ", 1)
    return replace(strip, heading=["".join(above), last])


def _narrow(strip: _Strip) -> _Strip:
    """Break the heading so that it is hardly wider than the cells."""
    widest = max(map(_width, strip.cells), default=0)
    words = [_shorten(word, max(widest, HEADING_WIDTH)) for word in " ".join(strip.heading).split()]
    limit = max(widest, *map(_width, words), 1)
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if _width(longer) <= limit:
            lines[-1] = longer
        else:
            lines.append(word)
    return replace(strip, heading=lines, gap=1)


def _fitted(strips: list[_Strip], width: int) -> list[_Strip]:
    return strips if _table_width(strips) <= width else [_narrow(strip) for strip in strips]


def _blocks(strips: Sequence[_Strip], width: int) -> list[list[int]] | None:
    """Return which columns are side by side; names on the left are in every block.

    None where a name and one number are wider than the screen.
    """
    everything = list(range(len(strips)))
    if _table_width(strips) <= width:
        return [everything]
    narrow = [_narrow(strip) for strip in strips]
    names = next((i for i, strip in enumerate(strips) if strip.number), len(strips))
    fixed = everything[: min(names, len(strips) - 1)]
    blocks, current = [], list(fixed)
    for position in everything[len(fixed) :]:
        if _table_width([narrow[i] for i in [*current, position]]) > width:
            if current == fixed or _table_width([narrow[i] for i in [*fixed, position]]) > width:
                return None
            blocks.append(current)
            current = list(fixed)
        current.append(position)
    return [*blocks, current]


def _table_width(strips: Sequence[_Strip]) -> int:
    return sum(strip.width + strip.gap for strip in strips) - (strips[0].gap if strips else 0)


def _lines(strips: Sequence[_Strip]) -> Iterator[Any]:
    """Yield the headings, those of groups above them, and the rows."""
    height = max(len(strip.heading) + bool(strip.group) for strip in strips)
    for level in range(height, 0, -1):
        line, groups = "", {""}
        for strip, blanks in zip(strips, _blanks(strips), strict=True):
            heading = strip.heading[-level] if level <= len(strip.heading) else ""
            if level == height and strip.group not in groups:
                # A group's heading begins with its first column and may go on over the others.
                line += " " * (blanks - _width(line)) + strip.group
                groups.add(strip.group)
            start = blanks + (strip.width - _width(heading) if strip.number else 0)
            if heading:
                line += " " * (start - _width(line)) + heading
        if line:
            yield make_text(line, "bold")
    # The columns of a triangle that fit may have nothing in its last rows.
    numbers = [strip.cells for strip in strips if strip.number] or [strips[0].cells]
    filled = [index for column in numbers for index, cell in enumerate(column) if cell.strip()]
    for index in range(max(filled, default=-1) + 1):
        row = make_text("")
        for strip, blanks in zip(strips, _blanks(strips), strict=True):
            cell = strip.cells[index]
            start = blanks + (strip.width - _width(cell) if strip.number else 0)
            row.append(" " * (start - row.cell_len))
            row.append(cell, "bold green" if strip.marked[index] else "")
        row.rstrip()
        yield row


def _blanks(strips: Sequence[_Strip]) -> Iterator[int]:
    """Yield where each column begins."""
    start = 0
    for position, strip in enumerate(strips):
        start += strip.gap if position else 0
        yield start
        start += strip.width


def _left_out(rows: int, columns: int) -> str:
    parts = [
        f"{number:,} more {noun}{'s' if number > 1 else ''}"
        for number, noun in ((rows, "row"), (columns, "column"))
        if number > 0
    ]
    return f"… and {' and '.join(parts)}, not shown here" if parts else ""


def _shorten(name: str, longest: int) -> str:
    """Return the name made visible, with its middle left out where it is too long for a column.

    Examples
    --------
    >>> _shorten("forest_of_a_thousand_trees_17", 20)
    'forest_of_…_trees_17'
    """
    from rich.cells import set_cell_size

    shown = printable(name)
    if _width(shown) <= longest:
        return shown
    head = set_cell_size(shown, longest // 2).rstrip()
    tail = set_cell_size(shown[::-1], longest - longest // 2 - 1).rstrip()[::-1]
    return f"{head}…{tail}"


def _width(words: str) -> int:
    from rich.cells import cell_len

    return cell_len(words)


def print_wrapped(console: Console, words: str, style: str = "") -> None:
    """Print lines of a readable length, without blanks at their ends."""
    lines = make_text(printable(words), style).wrap(console, min(console.width, PARAGRAPH_WIDTH))
    for line in lines:
        line.rstrip()
        console.print(line)


def make_text(words: str, style: str = "") -> Any:
    """Return text that is never taken for markup."""
    from rich.text import Text

    return Text(words, style=style)
