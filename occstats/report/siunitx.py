r"""Tables as LaTeX for papers: booktabs rules, decimal points in line by siunitx, groups ruled off.

A column of numbers with as many decimals is an ``S`` column; a cell without a number stands in
braces, as siunitx wants it. Bold numbers keep their place: they need ``\robustify\bfseries``
(etoolbox) and ``\sisetup{detect-weight}``, which the first lines of the output say.
"""

import re

from occstats.formats import ABSENT
from occstats.report.latex import PAGE_ROWS, escape, floating
from occstats.report.table import Column, Table

__all__ = ["table_to_siunitx"]

_NUMBER = re.compile(r"([+-]?)(\d+)(?:\.(\d+))?")
_PREAMBLE = (
    r"% needs: \usepackage{booktabs,longtable,siunitx,etoolbox}",
    r"% \robustify\bfseries \sisetup{detect-weight=true, detect-inline-weight=math}",
)


def table_to_siunitx(table: Table, *, group_columns: int = 0) -> str:
    r"""The table with aligned decimals; a ``longtable`` where a page is too short.

    Parameters
    ----------
    table
        The table.
    group_columns
        The first so many columns say what group a row belongs to: repeated values are left out,
        and a rule stands between groups. The first of them decides.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": ["a_b", "c"], "score": [0.5, -0.25]})
    >>> columns = (Column("name", ("name",), number=False),
    ...            Column("score", ("score",), "{:.2f}".format))
    >>> print(table_to_siunitx(Table("t", "Scores", "", frame, columns)))
    % needs: \usepackage{booktabs,longtable,siunitx,etoolbox}
    % \robustify\bfseries \sisetup{detect-weight=true, detect-inline-weight=math}
    \begin{table}
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
    formats = [
        _format([row[position] for row in written]) if column.number else None
        for position, column in enumerate(table.columns)
    ]
    alignment = "".join(
        "l" if not column.number else "r" if form is None else f"S[table-format={form}]"
        for column, form in zip(table.columns, formats, strict=True)
    )
    headers = [
        escape(column.header) if form is None else f"{{{escape(column.header)}}}"
        for column, form in zip(table.columns, formats, strict=True)
    ]
    rows = _rows(table, written, formats, group_columns)
    sentences = [table.title + ".", table.explanation, table.note]
    caption = escape(" ".join(sentence for sentence in sentences if sentence))
    label = f"tab:{table.name.replace('_', '-')}"
    parts = (caption, label, alignment, " & ".join(headers) + r" \\", rows)
    lines = _long(*parts, len(headers)) if len(written) > PAGE_ROWS else floating(*parts)
    return "\n".join([*_PREAMBLE, *lines]) + "\n"


def _format(cells: list[str]) -> str | None:
    """The shape of the numbers of a column; None where they are not all written alike."""
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
    table: Table, written: list[list[str]], formats: list[str | None], group_columns: int
) -> list[str]:
    lines = []
    before: list[str] | None = None
    for index, row in enumerate(written):
        same = before is not None and group_columns > 0 and row[0] == before[0]
        if before is not None and group_columns > 0 and not same:
            lines.append(r"\midrule")
        cells = []
        for position, (cell, column, form) in enumerate(
            zip(row, table.columns, formats, strict=True)
        ):
            repeated = same and before is not None and cell == before[position]
            blank = position < group_columns and repeated
            cells.append("" if blank else _cell(cell, form, table.is_best(index, column), column))
        line = " & ".join(cells) + r" \\"
        # After the end of a row, TeX takes a bracket or a star for an option of that end.
        lines.append("{}" + line if line.startswith(("[", "*")) else line)
        before = row
    return lines


def _cell(cell: str, form: str | None, bold: bool, column: Column) -> str:
    if form is not None and (not cell or _NUMBER.fullmatch(cell)):
        return rf"\bfseries {cell}" if bold else cell
    text = escape(re.sub(r"-(?=[\d.])", "−", cell) if column.number else cell)
    text = rf"\textbf{{{text}}}" if bold else text
    return text if form is None else f"{{{text}}}"


def _long(
    caption: str, label: str, alignment: str, header: str, rows: list[str], width: int
) -> list[str]:
    return [
        rf"\begin{{longtable}}{{@{{}}{alignment}@{{}}}}",
        rf"\caption{{{caption}}}\label{{{label}}}\\",
        r"\toprule",
        header,
        r"\midrule",
        r"\endfirsthead",
        r"\toprule",
        header,
        r"\midrule",
        r"\endhead",
        r"\midrule",
        rf"\multicolumn{{{width}}}{{r@{{}}}}{{Continued on next page}} \\",
        r"\endfoot",
        r"\bottomrule",
        r"\endlastfoot",
        *rows,
        r"\end{longtable}",
    ]
