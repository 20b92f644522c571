"""Read the tables of Markdown documents, with text around them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from occstats._format import count, quote_list
from occstats.errors import ResultsError
from occstats.results.readers.frames import RawTable
from occstats.results.readers.limits import Limits

__all__ = ["is_markdown", "read_markdown"]

# A line of bars, dashes and colons, as below the column names: | --- | :-: |.
_RULE = re.compile(rb"^[ \t|:-]+\r?$", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_FENCE = re.compile(r"\s*(```|~~~)")
_TABLES_SHOWN = 12
_LINE = 10_000


@dataclass
class _Table:
    heading: str
    rows: list[list[str]]
    line: int


def is_markdown(content: bytes) -> bool:
    """Return True if some line is a rule with bars, below a line with bars.

    >>> is_markdown(b"# Results\\n\\n| model | acc |\\n| --- | --- |\\n"), is_markdown(b"a|b\\n")
    (True, False)
    """
    return any(
        _is_rule(rule[0])
        and b"|" in content[max(rule.start() - _LINE, 0) : rule.start() - 1].rpartition(b"\n")[2]
        for rule in _RULE.finditer(content)
    )


def _is_rule(line: bytes) -> bool:
    return b"|" in line and b"-" in line and _RULE.fullmatch(line) is not None


def read_markdown(content: bytes, where: str, limits: Limits, number: int | None) -> RawTable:
    """Read the only table, or the one with the given number, counted from 1."""
    limits.check_rows(content.count(b"\n"), where)
    limits.check_cells(content.count(b"|"), where)
    text = content.decode("utf-8", errors="replace")
    tables = list(_tables(text.splitlines()))
    if not tables:
        raise ResultsError(f"{where}: contains no table outside blocks of code")
    if number is not None and number > len(tables):
        raise ResultsError(f"{where}: contains {count(len(tables), 'table')}; got table={number}")
    if number is None and len(tables) > 1:
        shown = [
            f"{i} {f'({table.heading[:30]}) ' if table.heading else ''}"
            f"{quote_list(name[:20] for name in table.rows[0][:2])}"
            for i, table in enumerate(tables[:_TABLES_SHOWN], start=1)
        ]
        more = f"; {len(tables) - _TABLES_SHOWN} more" if len(tables) > _TABLES_SHOWN else ""
        raise ResultsError(
            f"{where}: contains {len(tables)} tables; choose one with table=N, by its number and"
            f" first columns: {'; '.join(shown)}{more}"
        )
    table = tables[(number or 1) - 1]
    header, *rows = table.rows
    limits.check_columns(len(header), where)
    for place, row in enumerate(rows, start=table.line + 2):
        if len(row) > len(header):
            raise ResultsError(
                f"{where}, line {place}: {len(row)} cells where the header has {len(header)}; write"
                " a bar within a cell as \\|"
            )
        row.extend([""] * (len(header) - len(row)))  # may be left out in Markdown
    return RawTable(where, pd.DataFrame(rows, columns=header, dtype=object))


def _tables(lines: list[str]) -> Iterator[_Table]:
    """Yield the tables outside code blocks, with the last heading above each."""
    heading, fenced, end = "", False, 0
    for i, line in enumerate(lines):
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced or i < end:
            continue
        elif line.startswith("#"):
            heading = _cell(line.strip("# "))
        elif i and "|" in lines[i - 1] and _is_rule(line.encode()):
            end = i + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            rows = [_cells(row) for row in (lines[i - 1], *lines[i + 1 : end])]
            yield _Table(heading, rows, i)


def _cells(line: str) -> list[str]:
    cells = _BAR.split(line.strip())
    # A last bar may be missing.
    return [_cell(cell) for cell in cells[not cells[0] : len(cells) - (not cells[-1])]]


def _cell(text: str) -> str:
    """Return the text of a cell without tags.

    >>> _cell(" <b>0.91</b> "), _cell("A &amp; B<br>C"), _cell("a \\\\| b"), _cell("x <5")
    ('0.91', 'A & B C', 'a | b', 'x <5')
    """
    if "<" in text or "&" in text:
        text = html.unescape(_TAG.sub(" ", text))
        text = " ".join(text.split())
    return text.replace("\\|", "|").strip()
