r"""Write tables in Markdown, HTML and LaTeX; every name is escaped and stays text.

pandas' ``Styler`` and ``to_latex`` let a name such as ``<script>`` or ``\input{…}`` through.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby

import numpy as np

from occstats._format import TEX_COMMANDS, printable, shorten
from occstats.errors import ArgumentError
from occstats.report.formatted_table import Column, Table

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|~#$&])")
_LATEX = re.compile("|".join(map(re.escape, TEX_COMMANDS)))

# A larger table in an output cell makes a notebook unusable.
NOTEBOOK_COLUMNS = 40
# Sizes in points: a column of a two-column article, the text of one with a single column and of one
# with two, and the height of a page, less the space around a table, its rules and its headings.
COLUMN_WIDTH, TEXT_WIDTH, PAGE_WIDTH, PAGE_HEIGHT = 229.0, 345.0, 469.0, 490.0
# A table of several pages may extend into the margins of narrow text.
LONG_WIDTH = 400.0
# In the smallest font, names wrap in a column that is at least as wide.
NARROWEST_NAMES = 75.0
# Font sizes, largest first: command, width relative to 10 pt, half the space between columns, and
# the distance of lines.
SIZES = (
    ("", 1.0, 6.0, 12.0),
    ("", 1.0, 4.0, 12.0),
    (r"\small", 0.93, 4.0, 11.0),
    (r"\footnotesize", 0.85, 3.0, 9.5),
    (r"\scriptsize", 0.8, 2.0, 8.0),
    (r"\scriptsize", 0.8, 1.5, 8.0),
)
Size = tuple[str, float, float, float]
# Height in points of a rule between groups of rows, and of a line of the caption.
RULE, CAPTION_LINE = 5.0, 12.0
# A long table needs a single column, from which the text returns to two.
ONE_COLUMN = (
    r"\makeatletter\edef\occstatsreturn{\if@twocolumn\noexpand\twocolumn\fi}"
    r"\if@twocolumn\onecolumn\fi\makeatother"
)
RETURN = r"\occstatsreturn"
# Widths of characters of Computer Modern at 10 pt; those of other letters are at most 7.5 and 5.2.
WIDTHS = dict.fromkeys("+−<>≥≤±=×%@&mwKGOQ_", 7.9) | dict.fromkeys(".,:;'|[]()/il", 2.8)
WIDTHS |= dict.fromkeys("0123456789", 5.0) | {" ": 3.3, "M": 9.2, "W": 10.3, "I": 3.7}


def escape_markdown(text: str) -> str:
    r"""Return the text with the special characters of Markdown and HTML made literal."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def escape_html(text: str) -> str:
    """Return the text with the special characters of HTML made literal."""
    return html.escape(printable(text))


def escape_latex(text: str) -> str:
    r"""Return the text with the special characters of TeX made literal.

    Examples
    --------
    >>> print(escape_latex(r"\input{x} & 50 %"))
    \textbackslash{}input\{x\} \& 50 \%
    """
    # Two hyphens would become a dash.
    apart = printable(text).replace("--", "-\u200b-")
    return _LATEX.sub(lambda match: TEX_COMMANDS[match[0]], apart).replace("\u200b", "{}")


def prose_to_latex(text: str) -> str:
    """Return the escaped text; names may break after underscores, slashes and 20 letters."""
    breaks = re.sub(r"([_/]|[^\W_]{20}(?=[^\W_]))", "\\1\ue002", text)
    return escape_latex(breaks).replace("\ue002", r"\allowbreak{}")


def _rows(
    table: Table, escape: Callable[[str], str], bold: Callable[[str], str], limit: int | None = None
) -> Iterator[list[str]]:
    """Yield the rows, escaped, the best in bold."""
    marks = zip(*map(table.bold, table.columns), strict=True)
    for row, marked in zip(table.cells(limit), marks, strict=False):
        escaped = map(escape, row)
        yield [bold(cell) if mark else cell for cell, mark in zip(escaped, marked, strict=True)]


def table_to_markdown(table: Table) -> str:
    """Return the table in GitHub-flavoured Markdown, aligned in the source."""
    head = [escape_markdown(name) for name in table.headers]
    rows = [*_rows(table, escape_markdown, lambda cell: f"**{cell}**")]
    lines = markdown_lines(head, rows, [column.number for column in table.columns])
    parts = [f"### {escape_markdown(table.title)}", escape_markdown(table.explanation)]
    parts += ["\n".join(lines), escape_markdown(table.remark())]
    return "\n\n".join(filter(None, parts)) + "\n"


def markdown_lines(
    head: Sequence[object], rows: Sequence[Sequence[object]], right: Sequence[bool] = ()
) -> list[str]:
    """Return the lines of a table of escaped cells, some columns aligned to the right.

    Examples
    --------
    >>> markdown_lines(["a", "b"], [[1, "xyz"]], right=[True, False])
    ['|   a | b   |', '| --: | --- |', '|   1 | xyz |']
    """
    from rich.cells import cell_len

    aligned = []
    columns = zip(head, *rows, strict=True)
    for cells, number in zip(columns, right or [False] * len(head), strict=True):
        texts = [str(cell) for cell in cells]
        width = max(3, *map(cell_len, texts))
        blanks = [" " * (width - cell_len(text)) for text in texts]
        pairs = zip(blanks, texts, strict=True)
        first, *others = (b + c if number else c + b for b, c in pairs)
        aligned.append([first, "-" * (width - 1) + ":" if number else "-" * width, *others])
    return [f"| {' | '.join(row)} |" for row in zip(*aligned, strict=True)]


def table_to_html(table: Table, *, most_rows: int | None = None) -> str:
    """Return the table with a caption; names of rows are headings for screen readers."""
    columns = table.columns[: None if most_rows is None else NOTEBOOK_COLUMNS]

    def cell(tag: str, content: str, column: Column, scope: str = "") -> str:
        # Numbers are aligned to the right by the table.
        align = "" if column.number else ' style="text-align:left"'
        return f"<{tag}{scope}{align}>{content}</{tag}>"

    body = [
        [
            cell("th", content, column, ' scope="row"')
            if position == 0 and not column.number
            else cell("td", content, column)
            for position, (content, column) in enumerate(zip(row, columns, strict=False))
        ]
        for row in _rows(table, escape_html, lambda text: f"<strong>{text}</strong>", most_rows)
    ]
    head = [[cell("th", escape_html(shorten(c.header)), c, ' scope="col"') for c in columns]]
    if any(column.group for column in columns):
        groups = [(name, len([*some])) for name, some in groupby(c.group for c in columns)]
        above = [f' colspan="{span}">{escape_html(name)}</th>' for name, span in groups]
        scopes = ['<th scope="colgroup"' if name else "<th" for name, _ in groups]
        head.insert(0, [start + end for start, end in zip(scopes, above, strict=True)])
    left_out = len(table) - len(body), len(table.columns) - len(columns)
    more = "<p>… {:,} more rows and {:,} more columns</p>".format(*left_out)
    note = f"<p><small>{escape_html(table.remark())}</small></p>" if table.remark() else ""
    return (
        '<table style="text-align:right"><caption style="text-align:left">'
        f"<strong>{escape_html(table.title)}.</strong> {escape_html(table.explanation)}</caption>"
        f"<thead>{_joined(head)}</thead><tbody>{_joined(body)}</tbody></table>"
        f"{more if any(left_out) else ''}{note}"
    )


def _joined(rows: list[list[str]]) -> str:
    return "".join(f"<tr>{''.join(row)}</tr>" for row in rows)


def table_to_latex(
    table: Table, *, group_columns: int = 0, caption: str = "", label: str = ""
) -> str:
    r"""Return the table in LaTeX, in the largest font that fits its place in a paper.

    The smallest font is ``\scriptsize``. A table that fits a column of a two-column paper is a
    ``table``; a wider one is a ``table*``, which fits the text of an article; if necessary, its
    first column wraps, or it is split into parts. If a page is too short even in the smallest
    font, it is a ``longtable`` on pages of a single column.

    Parameters
    ----------
    table
        The table.
    group_columns
        In the first ones, repeated values are left out; rules separate groups of the first.
    caption
        LaTeX that replaces the title at the beginning of the caption.
    label
        Name by which the paper refers to it; by default ``tab:`` and its own name.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": ["a_b", "c"], "score": [0.5, -0.25]})
    >>> columns = (Column("name", ("name",), number=False),
    ...            Column("score", ("score",), "{:.2f}".format))
    >>> print(table_to_latex(Table("t", "Scores", "", frame, columns)))
    \begin{table}
    % needs: booktabs
    \centering
    \caption{Scores.}
    \label{tab:t}
    \begin{tabular}{@{}lr@{}}
    \toprule
    name & score \\
    \midrule
    a\_b & 0.50 \\
    c & $-$0.25 \\
    \bottomrule
    \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    if not isinstance(caption or "", str):
        raise ArgumentError(f"caption must be text; got {caption!r}")
    title = caption or prose_to_latex(f"{table.title}.")
    explained = " ".join(filter(None, [table.explanation, table.remark()]))
    named = label or f"tab:{table.name.replace('_', '-')}"
    if not re.fullmatch(r"[\w:.\-/ ]+", str(named), re.ASCII):
        raise ArgumentError(f"label must consist of letters, digits and :.-/_; got {named!r}")
    parts = _parts(table, max(group_columns, 1))
    if (explained or len(parts) > 1) and not title.rstrip("}").endswith((".", "!", "?", ":")):
        title += "."
    environment, style = _fitting_style(
        parts, group_columns, f"{caption or table.title} {explained}"
    )
    written = []
    for number, part in enumerate(parts, start=1):
        text, name = f"{title} {prose_to_latex(explained)}".rstrip(), named
        if number > 1:
            text, name = title, f"{named}-{number}"
        text += f" Part {number} of {len(parts)}." if len(parts) > 1 else ""
        head = [rf"\caption{{{text}}}", rf"\label{{{name}}}"]
        if environment:
            lines = [rf"\begin{{{environment}}}", "% needs: booktabs", r"\centering", *head]
            lines += [*_tabular(part, style, group_columns), rf"\end{{{environment}}}"]
        else:
            lines = _long_table(part, "".join(head), style, group_columns)
        written.append("\n".join(lines) + "\n")
    if any("{longtable}" in text for text in written):
        written = [f"{ONE_COLUMN}\n", *written, f"{RETURN}\n"]
    return "\n".join(written)


def tabular_to_latex(table: Table) -> list[str]:
    """Return the lines of a table that does not float, in the font in which it fits the text."""
    return _tabular(table, _commands(_largest([table], TEXT_WIDTH)))


def _tabular(table: Table, style: list[str], group_columns: int = 0) -> list[str]:
    return [
        *style,
        rf"\begin{{tabular}}{_alignments(table)}",
        *_head(table),
        *_latex_rows(table, group_columns),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _long_table(table: Table, caption: str, style: list[str], group_columns: int) -> list[str]:
    head, width = _head(table), len(table.columns)
    return [
        r"\begingroup",
        r"% needs: booktabs, longtable",
        r"\setlength{\LTleft}{0pt plus 1fil minus 1fil}\setlength{\LTright}{\LTleft}",
        *style,
        rf"\begin{{longtable}}{_alignments(table)}",
        rf"{caption}\\",
        *(*head, r"\endfirsthead", *head, r"\endhead", r"\midrule"),
        rf"\multicolumn{{{width}}}{{r@{{}}}}{{Continued on next page}} \\",
        *(r"\endfoot", r"\bottomrule", r"\endlastfoot"),
        *_latex_rows(table, group_columns),
        r"\end{longtable}",
        r"\endgroup",
    ]


def _alignments(table: Table) -> str:
    # A column without a heading marks the number before it, such as a star.
    found = [
        r"@{\,}l" if position and not column.header else "r" if column.number else "l"
        for position, column in enumerate(table.columns)
    ]
    if wrapped := _wrapped_width(table):
        found[0] = f"p{{{wrapped:.0f}pt}}"
    return f"{{@{{}}{''.join(found)}@{{}}}}"


def _head(table: Table) -> list[str]:
    """Return the row of headings, below the row of group headings if there are groups."""
    bottom = [shorten(column.header) for column in table.columns]
    lines = []
    if any(column.group for column in table.columns):
        above: list[str] = []
        rules, start = "", 0
        for group, members in groupby(table.columns, key=lambda column: column.group):
            end = start + len(list(members))
            if group:
                above.append(rf"\multicolumn{{{end - start}}}{{c}}{{{escape_latex(group)}}}")
                rules += rf"\cmidrule(lr){{{start + 1}-{end}}}"
            for place in [] if group else range(start, end):
                # "mean rank" takes two lines.
                first, _, second = bottom[place].partition(" ")
                above.append(escape_latex(first) if second else "")
                bottom[place] = second or first
            start = end
        lines = [_latex_row(above), rules]
    return [r"\toprule", *lines, _latex_row(map(escape_latex, bottom)), r"\midrule"]


def _latex_row(cells: Iterable[str]) -> str:
    line = " & ".join(cells) + r" \\"
    # After the end of a row, TeX would read a bracket or a star as an option.
    return "{}" + line if line.startswith(("[", "*")) else line


def _latex_rows(table: Table, group_columns: int) -> Iterator[str]:
    before: list[str] = []
    wraps = bool(_wrapped_width(table))
    for row in _rows(table, prose_to_latex if wraps else escape_latex, _latex_bold):
        same_group = bool(before) and group_columns > 0 and row[0] == before[0]
        if before and group_columns > 0 and not same_group:
            yield r"\midrule"
        cells = [
            "" if same_group and place < group_columns and cell == before[place] else cell
            for place, cell in enumerate(row)
        ]
        if wraps:
            cells[0] = rf"\raggedright\hangindent=1em {cells[0]}"
        yield _latex_row(cells)
        before = row


def _latex_bold(cell: str) -> str:
    return rf"\textbf{{\boldmath {cell}}}" if "$" in cell else rf"\textbf{{{cell}}}"


def _parts(table: Table, n_leading: int) -> list[Table]:
    """Return the table in as few parts as fit the text; each begins with the leading columns."""
    leading, others = table.columns[:n_leading], table.columns[n_leading:]
    if _wrapped_width(table) or not others:
        return [table]
    _, scale, space, _ = SIZES[-1]
    widths = np.multiply(_column_widths(table), scale) + 2 * space
    room = _room(table) + 2 * space - widths[:n_leading].sum()
    for n_parts in range(1, len(others) + 1):
        places = np.array_split(np.arange(len(others)), n_parts)
        if all(widths[part + n_leading].sum() <= room for part in places):
            break
    parts = [replace(table, columns=(*leading, *(others[p] for p in part))) for part in places]
    return [_without_blank_end(part, n_leading) for part in parts]


def _without_blank_end(part: Table, n_leading: int) -> Table:
    """Return the part of a triangle without its last rows if these are empty."""
    filled = [place for place, row in enumerate(part.cells(), 1) if any(row[n_leading:])]
    return part.head(max(filled, default=len(part)))


def _room(table: Table) -> float:
    """Return the maximum width of a table; a long one may extend into the margins."""
    return LONG_WIDTH if SIZES[-1][3] * len(table) > PAGE_HEIGHT else TEXT_WIDTH


def _wrapped_width(table: Table) -> float:
    """Return the width in points in which the first column wraps; 0 if it need not or cannot."""
    _, scale, space, _ = SIZES[-1]
    names, *others = _column_widths(table) or [0.0]
    room = _room(table) - sum(width * scale + 2 * space for width in others)
    wraps = not table.columns[0].number and NARROWEST_NAMES <= room < names * scale
    return room if wraps else 0.0


def _fitting_style(parts: list[Table], group_columns: int, caption: str) -> tuple[str, list[str]]:
    """Return the environment of all parts, and commands for the largest font in which they fit.

    There is no environment if a part is longer than a page.
    """
    in_column = all(_needed_width(part, SIZES[-1]) <= COLUMN_WIDTH for part in parts)
    environment = "table" if in_column else "table*"
    narrow, wide = (COLUMN_WIDTH, TEXT_WIDTH) if in_column else (TEXT_WIDTH, PAGE_WIDTH)
    wrapped, rules = _wrapped_width(parts[0]), RULE * _n_groups(parts[0], group_columns)

    def fits(width: float, size: Size) -> bool:
        _, scale, _, line = size
        lines = max(map(len, parts))
        if wrapped:
            names = (_width(row[0]) for row in parts[0].cells())
            lines = sum(1 + int(1.2 * scale * name / wrapped) for name in names)
        said = CAPTION_LINE * (1 + _width(caption) / width)
        return lines * line + rules + said <= PAGE_HEIGHT

    if not fits(narrow, SIZES[-1]):
        return "", _commands_by_width(parts, _room(max(parts, key=len)), PAGE_WIDTH)
    return environment, _commands_by_width(parts, narrow, wide, fits)


def _commands_by_width(
    parts: list[Table],
    narrow: float,
    wide: float,
    fits: Callable[[float, Size], bool] = lambda width, size: True,
) -> list[str]:
    """Return the commands for the largest font in a narrow place and in a wide one."""
    small, large = (_commands(_largest(parts, width, fits)) for width in (narrow, wide))
    if small == large:
        return small
    return [rf"\ifdim\linewidth<{wide:g}pt", *small, *([r"\else", *large] if large else []), r"\fi"]


def _largest(
    parts: list[Table],
    width: float,
    fits: Callable[[float, Size], bool] = lambda width, size: True,
) -> Size:
    """Return the largest size in which all parts fit a width, and otherwise the smallest."""
    for size in SIZES:
        if fits(width, size) and all(_needed_width(part, size) <= width for part in parts):
            return size
    return SIZES[-1]


def _commands(size: Size) -> list[str]:
    font, _, space, _ = size
    narrow = rf"\setlength{{\tabcolsep}}{{{space:g}pt}}" if space != SIZES[0][2] else ""
    return [*filter(None, [font, narrow])]


def _needed_width(table: Table, size: Size) -> float:
    """Return the width of the whole table in points in a size."""
    _, scale, space, _ = size
    names, *others = _column_widths(table) or [0.0]
    return (_wrapped_width(table) or scale * names) + sum(scale * w + 2 * space for w in others)


def _n_groups(table: Table, group_columns: int) -> int:
    """Return the number of groups of rows, between which there are rules."""
    first = [row[0] for row in table.cells()] if group_columns else []
    return sum(1 for _ in groupby(first))


def fits_text(table: Table) -> bool:
    """Return True if the whole table fits the text in the smallest font without wrapping."""
    return not _wrapped_width(table) and _needed_width(table, SIZES[-1]) <= _room(table)


def natural_width(table: Table) -> float:
    """Return the width of all columns in points, in a font of 10 points, without the space."""
    return sum(_column_widths(table))


@lru_cache(maxsize=8)
def _column_widths(table: Table) -> list[float]:
    """Return the widths of the columns in points, in a font of 10 points."""
    grouped = any(column.group for column in table.columns)
    found = []
    for column, cells in zip(table.columns, zip(*table.cells(), strict=True), strict=True):
        heading = column.header.partition(" ") if grouped and not column.group else (column.header,)
        bold = table.bold(column)
        widths = [_width(c) * (1.15 if b else 1.0) for c, b in zip(cells, bold, strict=True)]
        found.append(max([*map(_width, heading), *widths]))
    groups = [column.group for column in table.columns]
    for group in {*groups} - {""}:
        # The heading of a group may be wider than its columns.
        places = [place for place, name in enumerate(groups) if name == group]
        found[places[-1]] += max(_width(group) - sum(found[place] for place in places), 0)
    return found


def _width(text: str) -> float:
    return sum(WIDTHS.get(c, 7.5 if c.isupper() else 5.2) for c in text)
