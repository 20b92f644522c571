r"""Tables as LaTeX (booktabs), with every name escaped: ``\input{}`` in a name stays text."""

import re
from itertools import groupby

from occstats._format import ABSENT, minus_signs, printable
from occstats.comparison.text.methods import MethodsText
from occstats.report.formatted_table import Column, Table
from occstats.tex import COMMANDS

__all__ = ["escape", "methods_to_latex", "table_to_latex"]

# A table longer than a page breaks across pages.
PAGE_ROWS = 45
# Width of the text of an article, in points.
TEXT_WIDTH = 345.0
# Font sizes, largest first: command, widths relative to 10 pt, half the space between columns.
SIZES = (
    ("", 1.0, 6.0),
    ("", 1.0, 4.0),
    (r"\small", 0.93, 4.0),
    (r"\footnotesize", 0.85, 3.0),
    (r"\scriptsize", 0.8, 2.0),
    (r"\tiny", 0.68, 2.0),
)
# Widths of characters of Computer Modern at 10 pt; digits and most letters are 5.
WIDE = dict.fromkeys("+−<>≥≤±=×%mw", 7.8) | dict.fromkeys(".,:;'|[]()/il", 2.8) | {" ": 3.3}

_PATTERN = re.compile("|".join(re.escape(character) for character in COMMANDS))


def escape(text: str) -> str:
    r"""Return the text with everything that TeX would interpret made literal.

    Examples
    --------
    >>> print(escape(r"\input{x} & 50 %"))
    \textbackslash{}input\{x\} \& 50 \%
    """
    # Two hyphens would become a dash.
    apart = printable(text).replace("--", "-\u200b-")
    return _PATTERN.sub(lambda match: COMMANDS[match[0]], apart).replace("\u200b", "{}")


_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?")
_ALIGNED = (
    r"% needs: \usepackage{booktabs,longtable,siunitx,etoolbox}",
    r"% needs: \robustify\bfseries \sisetup{detect-weight=true, detect-inline-weight=math}",
)


def table_to_latex(table: Table, *, aligned: bool = False, group_columns: int = 0) -> str:
    r"""Return the table as a ``table`` environment, or a ``longtable`` if a page is too short.

    The font is as small as it takes to fit the text width of an article, down to ``\tiny``.

    Parameters
    ----------
    table
        The table.
    aligned
        Align decimal points by siunitx: a column of numbers with equally many decimals becomes an
        ``S`` column, with other cells in braces. Bold numbers need ``\robustify\bfseries``
        (etoolbox) and ``\sisetup{detect-weight}``, as a comment in the output says.
    group_columns
        The number of leading columns that name the group of a row: repeated values are left out,
        and a rule separates groups of the first column.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": ["a_b", "c"], "score": [0.5, -0.25]})
    >>> columns = (Column("name", ("name",), number=False),
    ...            Column("score", ("score",), "{:.2f}".format))
    >>> print(table_to_latex(Table("t", "Scores", "", frame, columns), aligned=True))
    \begin{table}
    % needs: \usepackage{booktabs,longtable,siunitx,etoolbox}
    % needs: \robustify\bfseries \sisetup{detect-weight=true, detect-inline-weight=math}
    \centering
    \caption{Scores.}
    \label{tab:t}
    \begin{tabular}{@{}lS[table-format=-1.2]@{}}
    \toprule
    name & {score} \\
    \midrule
    a\_b & 0.50 \\
    c & -0.25 \\
    \bottomrule
    \end{tabular}
    \end{table}
    <BLANKLINE>
    """
    written = table.cells()
    forms = [
        _form([row[position] for row in written]) if aligned and column.number else None
        for position, column in enumerate(table.columns)
    ]
    alignment = "".join(map(_alignment, range(len(forms)), table.columns, forms))
    sentences = [table.title + ".", table.explanation, table.remark()]
    caption = rf"\caption{{{escape(' '.join(filter(None, sentences)))}}}"
    label = rf"\label{{tab:{table.name.replace('_', '-')}}}"
    columns = f"{{@{{}}{alignment}@{{}}}}"
    head = [r"\toprule", *_headings(table, forms), r"\midrule"]
    rows = _rows(table, written, forms, group_columns)
    size, space = _fitting(table, written)
    style = [size] if size else []
    if space != SIZES[0][2]:
        style.append(rf"\setlength{{\tabcolsep}}{{{space:g}pt}}")
    long = len(written) > PAGE_ROWS
    plain = ("% needs: booktabs, longtable" if long else "% needs: booktabs",)
    needs = _ALIGNED if aligned else plain
    if long:
        continued = rf"\multicolumn{{{len(table.columns)}}}{{r@{{}}}}{{Continued on next page}} \\"
        lines = [
            r"\begingroup",
            *needs,
            *style,
            rf"\begin{{longtable}}{columns}",
            rf"{caption}{label}\\",
            *head,
            r"\endfirsthead",
            *head,
            r"\endhead",
            r"\midrule",
            continued,
            r"\endfoot",
            r"\bottomrule",
            r"\endlastfoot",
            *rows,
            r"\end{longtable}",
            r"\endgroup",
        ]
    else:
        lines = [
            r"\begin{table}",
            *needs,
            r"\centering",
            caption,
            label,
            *style,
            rf"\begin{{tabular}}{columns}",
            *head,
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    return "\n".join(lines) + "\n"


def _alignment(position: int, column: Column, form: str | None) -> str:
    if position and not column.header:
        return r"@{\,}l"  # a mark, such as a star, of the number before it
    if not column.number:
        return "l"
    return "r" if form is None else f"S[table-format={form}]"


def _headings(table: Table, forms: list[str | None]) -> list[str]:
    """Return the row of headings; if columns have groups, also a row of these above it."""
    bottom = [column.header for column in table.columns]
    above: list[str] = []
    rules: list[str] = []
    if any(column.group for column in table.columns):
        start = 0
        for group, members in groupby(table.columns, key=lambda column: column.group):
            end = start + len(list(members))
            if group:
                above.append(rf"\multicolumn{{{end - start}}}{{c}}{{{escape(group)}}}")
                rules.append(rf"\cmidrule(lr){{{start + 1}-{end}}}")
            for place in [] if group else range(start, end):
                # "mean rank" takes two lines.
                first, _, second = bottom[place].partition(" ")
                above.append(escape(first) if second else "")
                bottom[place] = second or first
            start = end
    headers = [
        escape(header) if form is None else f"{{{escape(header)}}}"
        for header, form in zip(bottom, forms, strict=True)
    ]
    top = [" & ".join(above) + r" \\", "".join(rules)] if above else []
    return [*top, " & ".join(headers) + r" \\"]


def _fitting(table: Table, written: list[list[str]]) -> tuple[str, float]:
    """Choose the largest font in which the table fits the text; the smallest one if none does."""
    grouped = any(column.group for column in table.columns)
    width = 0.0
    for position, column in enumerate(table.columns):
        heading = column.header.partition(" ") if grouped and not column.group else (column.header,)
        cells = [
            _width(row[position]) * (1.15 if table.is_best(index, column) else 1.0)
            for index, row in enumerate(written)
        ]
        width += max([*map(_width, heading), *cells])
    gaps = 2 * (len(table.columns) - 1)
    fits = ((n, s) for n, scale, s in SIZES if scale * width + gaps * s <= TEXT_WIDTH)
    return next(fits, (SIZES[-1][0], SIZES[-1][2]))


def _width(text: str) -> float:
    return sum(WIDE.get(letter, 7.5 if letter.isupper() else 5.2) for letter in minus_signs(text))


def _form(cells: list[str]) -> str | None:
    """Return the format of the numbers of a column; None if it is not the same for all."""
    present = [cell for cell in cells if cell not in ("", ABSENT)]
    numbers = [match for cell in present if (match := _NUMBER.fullmatch(cell)) is not None]
    decimals = {len(match[3] or "") for match in numbers}
    if len(numbers) < len(present) or len(decimals) != 1:
        return None
    sign = "+" if any(match[1] == "+" for match in numbers) else ""
    sign = sign or ("-" if any(match[1] for match in numbers) else "")
    whole = max(len(match[2]) for match in numbers)
    places = decimals.pop()
    return f"{sign}{whole}.{places}" if places else f"{sign}{whole}"


def _rows(
    table: Table, written: list[list[str]], forms: list[str | None], group_columns: int
) -> list[str]:
    lines: list[str] = []
    before: list[str] = []
    for index, row in enumerate(written):
        same_group = bool(before) and group_columns > 0 and row[0] == before[0]
        if before and group_columns > 0 and not same_group:
            lines.append(r"\midrule")
        cells = []
        for position, (cell, column, form) in enumerate(
            zip(row, table.columns, forms, strict=True)
        ):
            blank = same_group and position < group_columns and cell == before[position]
            bold = table.is_best(index, column)
            cells.append("" if blank else _cell(cell, column, form, bold=bold))
        line = " & ".join(cells) + r" \\"
        # After the end of a row, TeX would read a bracket or a star as an option.
        lines.append("{}" + line if line.startswith(("[", "*")) else line)
        before = row
    return lines


def _cell(cell: str, column: Column, form: str | None, *, bold: bool) -> str:
    if form is not None and (not cell or _NUMBER.fullmatch(cell)):
        return rf"\bfseries {cell}" if bold else cell
    # In a column of numbers a hyphen before a digit is a minus sign.
    written = escape(minus_signs(cell) if column.number else cell)
    if bold:
        command = r"\textbf{\boldmath " if "$" in written else r"\textbf{"
        written = f"{command}{written}}}"
    return written if form is None else f"{{{written}}}"


def methods_to_latex(methods: MethodsText) -> str:
    r"""Return the methods with ``\cite`` commands into ``references.bib``, lists as ``itemize``."""
    marks = {
        work.key: f"\ue000{position}\ue001" for position, work in enumerate(methods.references)
    }

    def written(text: str) -> str:
        text = escape(text)
        for key, mark in marks.items():
            text = text.replace(f" {mark}", rf"~\cite{{{key}}}")
        return text

    blocks = []
    for block in methods.blocks(lambda work: marks[work.key]):
        if isinstance(block, str):
            blocks.append(written(block))
        else:
            items = "\n".join(rf"\item {written(item)}" for item in block)
            blocks.append(f"\\begin{{itemize}}\n{items}\n\\end{{itemize}}")
    return "\n\n".join(blocks) + "\n"
