r"""Tables as LaTeX (booktabs), with every name escaped: ``\input{}`` in a name stays text."""

import re

from occstats.comparison.words.methods import MethodsText
from occstats.report.table import Column, Table
from occstats.tex import COMMANDS
from occstats.text import ABSENT, minus_signs, printable

__all__ = ["escape", "methods_to_latex", "table_to_latex"]

# A table longer than a page breaks across pages.
PAGE_ROWS = 45

_PATTERN = re.compile("|".join(re.escape(character) for character in COMMANDS))


def escape(text: str) -> str:
    r"""The text with everything that TeX would interpret made literal.

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
    r"% \robustify\bfseries \sisetup{detect-weight=true, detect-inline-weight=math}",
)


def table_to_latex(table: Table, *, aligned: bool = False, group_columns: int = 0) -> str:
    r"""The table as a ``table`` environment, or a ``longtable`` where a page is too short.

    Parameters
    ----------
    table
        The table.
    aligned
        Decimal points in line by siunitx: a column of numbers with as many decimals is an ``S``
        column, and a cell without a number stands in braces, as siunitx wants it. Bold numbers
        keep their place: they need ``\robustify\bfseries`` (etoolbox) and
        ``\sisetup{detect-weight}``, which the first lines of the output say.
    group_columns
        The first so many columns say what group a row belongs to: repeated values are left out,
        and a rule stands between groups. The first of them decides.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"name": ["a_b", "c"], "score": [0.5, -0.25]})
    >>> columns = (Column("name", ("name",), number=False),
    ...            Column("score", ("score",), "{:.2f}".format))
    >>> print(table_to_latex(Table("t", "Scores", "", frame, columns), aligned=True))
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
    forms = [
        _form([row[position] for row in written]) if aligned and column.number else None
        for position, column in enumerate(table.columns)
    ]
    alignment = "".join(
        "l" if not column.number else "r" if form is None else f"S[table-format={form}]"
        for column, form in zip(table.columns, forms, strict=True)
    )
    headers = [
        escape(header) if form is None else f"{{{escape(header)}}}"
        for header, form in zip(table.headers, forms, strict=True)
    ]
    sentences = [table.title + ".", table.explanation, table.remark()]
    caption = rf"\caption{{{escape(' '.join(filter(None, sentences)))}}}"
    label = rf"\label{{tab:{table.name.replace('_', '-')}}}"
    columns = f"{{@{{}}{alignment}@{{}}}}"
    head = [r"\toprule", " & ".join(headers) + r" \\", r"\midrule"]
    rows = _rows(table, written, forms, group_columns)
    long = len(written) > PAGE_ROWS
    if long:
        continued = rf"\multicolumn{{{len(headers)}}}{{r@{{}}}}{{Continued on next page}} \\"
        lines = [
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
        ]
    else:
        lines = [
            r"\begin{table}",
            r"\centering",
            caption,
            label,
            rf"\begin{{tabular}}{columns}",
            *head,
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    plain = ("% needs: booktabs, longtable" if long else "% needs: booktabs",)
    return "\n".join([*(_ALIGNED if aligned else plain), *lines]) + "\n"


def _form(cells: list[str]) -> str | None:
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
        # After the end of a row, TeX takes a bracket or a star for an option of that end.
        lines.append("{}" + line if line.startswith(("[", "*")) else line)
        before = row
    return lines


def _cell(cell: str, column: Column, form: str | None, *, bold: bool) -> str:
    if form is not None and (not cell or _NUMBER.fullmatch(cell)):
        return rf"\bfseries {cell}" if bold else cell
    # In a column of numbers a hyphen before a digit is a minus sign.
    written = escape(minus_signs(cell) if column.number else cell)
    written = rf"\textbf{{{written}}}" if bold else written
    return written if form is None else f"{{{written}}}"


def methods_to_latex(methods: MethodsText) -> str:
    r"""The methods paragraph with ``\cite`` commands into ``references.bib``."""
    marks = {
        work.key: f"\ue000{position}\ue001" for position, work in enumerate(methods.references)
    }
    text = escape(methods.cited(lambda work: marks[work.key]))
    for key, mark in marks.items():
        text = text.replace(mark, rf"\cite{{{key}}}")
    return text + "\n"
