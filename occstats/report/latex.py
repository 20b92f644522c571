r"""Tables as LaTeX (booktabs), with every name escaped: ``\input{}`` in a name stays text."""

import re

from occstats.comparison.methods import MethodsText
from occstats.names import printable
from occstats.report.table import Column, Table

__all__ = ["escape", "floating", "methods_to_latex", "table_to_latex"]

# A table longer than a page breaks across pages.
PAGE_ROWS = 45

_REPLACED = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "±": r"$\pm$",
    "−": r"$-$",
    "×": r"$\times$",
    "–": r"--",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "χ": r"$\chi$",
    "ρ": r"$\rho$",
    "²": r"$^2$",
    "Σ": r"$\Sigma$",
    "½": r"$1/2$",
    "…": r"\ldots{}",
}  # fmt: skip
_PATTERN = re.compile("|".join(re.escape(character) for character in _REPLACED))


def escape(text: str) -> str:
    r"""The text with everything that TeX would interpret made literal.

    Examples
    --------
    >>> print(escape(r"\input{x} & 50 %"))
    \textbackslash{}input\{x\} \& 50 \%
    """
    # Two hyphens would become a dash.
    apart = printable(text).replace("--", "-\u200b-")
    return _PATTERN.sub(lambda match: _REPLACED[match[0]], apart).replace("\u200b", "{}")


def _cell(text: str, column: Column) -> str:
    # In a column of numbers a hyphen before a digit is a minus sign.
    if not column.number:
        return escape(text)
    signed = re.sub(r"-(?=[\d.])", "−", text)
    return escape(signed)


def table_to_latex(table: Table) -> str:
    """The table as a ``table`` environment, or a ``longtable`` where a page is too short."""
    rows = []
    for index, row in enumerate(table.cells()):
        cells = []
        for cell, column in zip(row, table.columns, strict=True):
            written = _cell(cell, column)
            cells.append(rf"\textbf{{{written}}}" if table.is_best(index, column) else written)
        line = " & ".join(cells) + r" \\"
        # After the end of a row, TeX takes a bracket or a star for an option of that end.
        rows.append("{}" + line if line.startswith(("[", "*")) else line)
    header = " & ".join(escape(name) for name in table.headers) + r" \\"
    alignment = "".join("r" if column.number else "l" for column in table.columns)
    sentences = [table.title + ".", table.explanation, table.note]
    caption = escape(" ".join(sentence for sentence in sentences if sentence))
    label = f"tab:{table.name.replace('_', '-')}"
    parts = (caption, label, alignment, header, rows)
    if len(rows) > PAGE_ROWS:
        lines = ["% needs: booktabs, longtable", *_long(*parts)]
    else:
        lines = ["% needs: booktabs", *floating(*parts)]
    return "\n".join(lines) + "\n"


def floating(caption: str, label: str, alignment: str, header: str, rows: list[str]) -> list[str]:
    """The lines of a table that fits one page."""
    return [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{@{{}}{alignment}@{{}}}}",
        r"\toprule",
        header,
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _long(caption: str, label: str, alignment: str, header: str, rows: list[str]) -> list[str]:
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
        r"\bottomrule",
        r"\endfoot",
        *rows,
        r"\end{longtable}",
    ]


def methods_to_latex(methods: MethodsText) -> str:
    r"""The methods paragraph with ``\cite`` commands into ``references.bib``."""
    marks = {
        work.key: f"\ue000{position}\ue001" for position, work in enumerate(methods.references)
    }
    text = escape(methods.cited(lambda work: marks[work.key]))
    for key, mark in marks.items():
        text = text.replace(mark, rf"\cite{{{key}}}")
    return text + "\n"
