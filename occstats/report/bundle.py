"""The output folder: written completely, or left as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from occstats._files import write_folder

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["write"]

# Tables whose LaTeX is in ``paper/``.
IN_PAPER = ("comparison", "p_values")


def write(comparison: Comparison, folder: str | os.PathLike[str]) -> Path:
    """Write every form of the comparison to the folder.

    ``report.html``, one self-contained page; ``report.md`` with verdict, methods and tables;
    ``comparison.json``; ``methods.tex`` with ``references.bib``; ``paper/`` with the tables of a
    paper in LaTeX; ``tables/`` with each table as CSV, Markdown and, unless it is in ``paper/``,
    LaTeX. Large tables are cut in all forms but CSV, with a note. A frame of more than 10,000 rows
    is in one file only, a CSV packed by gzip, to which ``comparison.json`` refers.

    Returns
    -------
    pathlib.Path
        The folder.
    """
    return write_folder(folder, contents(comparison))


def contents(comparison: Comparison) -> Iterator[tuple[str, str | bytes]]:
    """Yield the path and content of each file; no path is made from a name in the data."""
    from occstats.report.json_document import to_json
    from occstats.report.markup import methods_to_latex
    from occstats.report.markdown import comparison_to_markdown
    from occstats.report.media import table_files
    from occstats.report.page import render
    from occstats.report.paper_tables import paper_files
    from occstats.report.formatted_table import MOST_ROWS
    from occstats.report.tables import all_tables

    tables = all_tables(comparison)
    capped = [table.capped() for table in tables]
    long = {
        table.name: f"tables/{table.csv_name}" for table in tables if len(table.frame) > MOST_ROWS
    }
    yield "comparison.json", to_json(comparison, files=long) + "\n"
    yield "report.md", comparison_to_markdown(comparison, capped)
    yield "methods.tex", methods_to_latex(comparison.methods_text)
    yield "references.bib", comparison.methods_text.bibtex()
    for table in tables:
        suffixes = ("csv", "md") if table.name in IN_PAPER else ("csv", "md", "tex")
        yield from table_files(table, f"tables/{table.name}", suffixes=suffixes)
    yield from paper_files(comparison)
    yield "report.html", render(comparison, capped)
