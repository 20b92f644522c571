"""Read the tables of Markdown documents, with text around them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pandas as pd

from occstats.errors import ResultsError
from occstats.results.readers.frames import RawTable
from occstats.results.readers.limits import Limits, choose_table

# A line of bars, dashes and colons, as below the column names: | --- | :-: |.
_RULE = re.compile(rb"^(?=.*\|)(?=.*-)[ \t|:-]+\r?$", re.MULTILINE)
_BAR = re.compile(r"(?<!\\)\|")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_ESCAPED = re.compile(r"\\([|*_~`#<>\[\]])")
_LINE = 10_000


def is_markdown(content: bytes) -> bool:
    """Return True if some line is a rule with bars, below a line with bars.

    >>> is_markdown(b"# Results\\n\\n| model | acc |\\n| --- | --- |\\n"), is_markdown(b"a|b\\n")
    (True, False)
    """
    return any(
        b"|" in content[max(rule.start() - _LINE, 0) : rule.start() - 1].rpartition(b"\n")[2]
        for rule in _RULE.finditer(content)
    )


def read_markdown(content: bytes, where: str, limits: Limits, number: int | str | None) -> RawTable:
    """Read the only table, or the one with the given number, counted from 1."""
    limits.check(where, rows=content.count(b"\n"), cells=content.count(b"|"))
    tables = list(_tables(content.decode("utf-8", errors="replace").splitlines()))
    if not tables:
        raise ResultsError(f"{where}: contains no table outside blocks of code")
    labels = [
        f"{f'{heading[:30]}: ' if heading else ''}{', '.join(name[:20] for name in rows[0][:2])}"
        for heading, rows, _ in tables
    ]
    _, (header, *rows), line = tables[choose_table(labels, number, where)]
    limits.check(where, columns=len(header))
    for place, row in enumerate(rows, start=line + 2):
        while len(header) < len(row) <= 2 * len(header) and not row[-1]:
            row.pop()
        if len(row) > len(header):
            raise ResultsError(
                f"{where}, line {place}: {len(row)} cells where the header has {len(header)}; write"
                " a bar within a cell as \\|"
            )
        row.extend([""] * (len(header) - len(row)))  # may be left out in Markdown
    return RawTable(where, pd.DataFrame(rows, columns=header, dtype=object))


def _tables(lines: list[str]) -> Iterator[tuple[str, list[list[str]], int]]:
    """Yield the last heading above, the rows and the line of tables outside code blocks."""
    heading, fenced, end = "", False, 0
    for i, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif fenced or i < end:
            continue
        elif line.startswith("#"):
            heading = _cell(line.strip("# "))
        elif i and "|" in lines[i - 1] and _RULE.fullmatch(line.encode()):
            end = i + 1
            while end < len(lines) and "|" in lines[end]:
                end += 1
            yield heading, [_cells(row) for row in (lines[i - 1], *lines[i + 1 : end])], i


def _cells(line: str) -> list[str]:
    cells = _BAR.split(line.strip())
    # A last bar may be missing.
    return [_cell(cell) for cell in cells[not cells[0] : len(cells) - (not cells[-1])]]


def _cell(text: str) -> str:
    """Return the text of a cell without tags and backslashes.

    >>> _cell(" <b>0.91</b> "), _cell("A &amp; B<br>C"), _cell("a \\\\| b"), _cell("x <5")
    ('0.91', 'A & B C', 'a | b', 'x <5')
    >>> _cell("92.8%\\\\*"), _cell("a\\\\_b")
    ('92.8%*', 'a_b')
    """
    if "<" in text or "&" in text:
        text = " ".join(html.unescape(_TAG.sub(" ", text)).split())
    return _ESCAPED.sub(r"\1", text).strip()
