"""A table on the terminal: whole numbers at every width, in several blocks where it is wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from occstats.report.table import Table
from occstats.text import printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["make_text", "print_table", "print_wrapped"]

# Beyond this a table is no longer read on a screen; the files have it whole.
MOST_ROWS = 30
MOST_BLOCKS = 4
LONGEST_NAME = 28
SHORTEST_NAME = 8
# Where a table is too wide, a heading is broken into lines of about this length.
HEADING_WIDTH = 12
PARAGRAPH_WIDTH = 96
MARK = "*"


@dataclass(frozen=True)
class _Strip:
    """A column of written cells: how wide its widest cell is, and which cells are marked."""

    heading: str
    cells: list[str]
    marked: list[bool]
    number: bool

    @property
    def cell_width(self) -> int:
        return max(map(_width, self.cells), default=0)

    def width(self, *, narrow: bool) -> int:
        """A name gives way to nothing but a heading; a number is as wide as it is."""
        heading = _width(self.heading)
        if narrow:
            longest = max(map(_width, self.heading.split()), default=0)
            heading = min(longest, HEADING_WIDTH)
        return max(self.cell_width, heading, 1)


def print_table(
    console: Console,
    table: Table,
    *,
    most_rows: int = MOST_ROWS,
    most_blocks: int = MOST_BLOCKS,
    whole: int = 0,
) -> bool:
    """Print as many rows and columns as fit, and say what was left out; whether anything was.

    A table of no more than `whole` rows is printed to its end.
    """
    n_rows = len(table) if len(table) <= whole else min(len(table), table.terminal_rows, most_rows)
    strips = _strips(table, n_rows, LONGEST_NAME)
    blocks = _blocks(strips, console.width)
    if blocks is None:
        strips = _strips(table, n_rows, SHORTEST_NAME)
        blocks = _blocks(strips, console.width) or [list(range(len(strips)))]
    shown = blocks[:most_blocks]
    print_wrapped(console, table.title, "bold")
    print_wrapped(console, table.explanation, "dim")
    for number, block in enumerate(shown):
        if number:
            console.print()
        _print_block(console, [strips[position] for position in block])
    n_columns = len({position for block in shown for position in block})
    left_out = _left_out(len(table) - n_rows, len(strips) - n_columns)
    for words in filter(None, (left_out, table.remark(MARK))):
        print_wrapped(console, words, "dim")
    console.print()
    return bool(left_out)


def _strips(table: Table, n_rows: int, longest_name: int) -> list[_Strip]:
    rows = table.cells(n_rows)
    strips = []
    for position, column in enumerate(table.columns):
        cells = [row[position] for row in rows]
        marked = [table.is_best(index, column) for index in range(len(rows))]
        if any(marked) and table.best_means:
            # Without colour the mark has to say it; the others keep their digits in line.
            cells = [f"{c}{MARK if m else ' '}" for c, m in zip(cells, marked, strict=True)]
        shortened = cells if column.number else [_shorten(cell, longest_name) for cell in cells]
        heading = _shorten(column.header, LONGEST_NAME)
        strips.append(_Strip(heading, shortened, marked, column.number))
    return strips


def _blocks(strips: Sequence[_Strip], width: int) -> list[list[int]] | None:
    """Which columns stand side by side; the names on the left are in every block.

    None where a name and one number are wider than the screen.
    """
    names = next((i for i, strip in enumerate(strips) if strip.number), len(strips))
    everything = list(range(len(strips)))
    if _table_width(strips) <= width:
        return [everything]
    fixed = everything[: min(names, len(strips) - 1)]
    blocks, current = [], list(fixed)
    for position in everything[len(fixed) :]:
        wider = [*current, position]
        if _table_width([strips[i] for i in wider], narrow=True) <= width:
            current = wider
        elif current == fixed:
            return None
        else:
            blocks.append(current)
            current = [*fixed, position]
            if _table_width([strips[i] for i in current], narrow=True) > width:
                return None
    return [*blocks, current]


def _table_width(strips: Sequence[_Strip], *, narrow: bool = False) -> int:
    gap = 1 if narrow else 2
    return sum(strip.width(narrow=narrow) + gap for strip in strips) - gap


def _print_block(console: Console, strips: Sequence[_Strip]) -> None:
    from rich import box
    from rich.table import Table as RichTable

    narrow = _table_width(strips) > console.width
    gap = 1 if narrow else 2
    # The box itself puts one blank between columns.
    drawn = RichTable(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, gap - 1, 0, 0)
    )
    for strip in strips:
        width = strip.width(narrow=narrow)
        justify: Any = "right" if strip.number else "left"
        heading = "\n".join(_lines(console, strip.heading, width))
        drawn.add_column(
            make_text(heading), justify=justify, min_width=width, no_wrap=True, vertical="bottom"
        )
    # The columns of a triangle that fit may have nothing in its last rows.
    numbers = [strip.cells for strip in strips if strip.number] or [strips[0].cells]
    filled = [index for column in numbers for index, cell in enumerate(column) if cell.strip()]
    for index in range(max(filled, default=-1) + 1):
        drawn.add_row(
            *(
                make_text(strip.cells[index], "bold green" if strip.marked[index] else "")
                for strip in strips
            )
        )
    with console.capture() as capture:
        console.print(drawn)
    for line in capture.get().splitlines():
        console.out(line.rstrip(), highlight=False)


def _lines(console: Console, heading: str, width: int) -> Iterator[str]:
    for line in make_text(heading).wrap(console, width):
        yield line.plain.rstrip()


def _left_out(rows: int, columns: int) -> str:
    parts = [
        f"{number:,} more {noun}{'s' if number > 1 else ''}"
        for number, noun in ((rows, "row"), (columns, "column"))
        if number > 0
    ]
    return f"… and {' and '.join(parts)}, not shown here" if parts else ""


def _shorten(name: str, longest: int) -> str:
    """The name made visible and short enough for a column; its end often tells it from others.

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
    """Lines of a readable length, without blanks at their ends."""
    lines = make_text(printable(words), style).wrap(console, min(console.width, PARAGRAPH_WIDTH))
    for line in lines:
        line.rstrip()
        console.print(line)


def make_text(words: str, style: str = "") -> Any:
    """Text that is never taken for markup."""
    from rich.text import Text

    return Text(words, style=style)
