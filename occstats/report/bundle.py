"""Write the output folder of a comparison, completely or not at all."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from occstats._checks import check_choice
from occstats._files import check_folder, write_folder
from occstats.comparison.text.verdict import headline, make_verdict, tally_sentence
from occstats.report import page
from occstats.report.formatted_table import Table
from occstats.report.json_document import to_json
from occstats.report.markup import (
    escape_markdown,
    fits_text,
    natural_width,
    prose_to_latex,
    table_to_latex,
    table_to_markdown,
)
from occstats.report.tables import all_tables, paper_comparison, paper_p_values, paper_scores

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison
    from occstats.comparison.text.methods import MethodsText

PAPER_TABLES = {
    "comparison": paper_comparison,
    "p_values": paper_p_values,
    "scores": paper_scores,
}

# Where the names of all algorithms do not fit above the columns, shorter numbers replace them.
NUMBERED = {
    "p_values": (
        partial(paper_p_values, numbered="columns"),
        partial(paper_p_values, numbered="rows and columns"),
    ),
    "scores": (partial(paper_scores, numbered=True),),
}


def write(comparison: Comparison, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write the comparison to a folder.

    ``report.html``, a self-contained page; ``report.md`` with verdict, tables and methods;
    ``comparison.json``; ``methods.tex`` with ``references.bib``; ``tables/`` with each table as
    CSV; and ``paper/`` with the tables of a paper in LaTeX. Long tables are cut in all but CSV,
    with a note. The CSV file of more than 10,000 rows is compressed by gzip, and
    ``comparison.json`` refers to it.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    folder : path
        The folder; created if it does not exist.
    force : bool, default False
        Replace files of the same names that occstats did not write.

    Returns
    -------
    pathlib.Path
        The folder.
    """
    check_folder(folder)
    return write_folder(folder, contents(comparison).items(), force=force)


def contents(comparison: Comparison, *, label: str = "") -> dict[str, str | bytes]:
    """Return the content of each file by its path, which does not depend on names in the data.

    In a document of several comparisons, `label` distinguishes the labels of their tables.
    """
    tables = all_tables(comparison)
    capped = [table.capped() for table in tables]
    long = {table.name: table.csv_path for table in tables if table.csv_path.endswith(".gz")}

    def to_csv(table: Table) -> str | bytes:
        if table.name not in long:
            return table.to_csv()
        return gzip.compress(table.to_csv().encode("utf-8", "backslashreplace"), mtime=0)

    return {
        "comparison.json": to_json(comparison, files=long) + "\n",
        "report.md": _report_markdown(comparison, capped),
        "methods.tex": methods_to_latex(comparison.methods_text),
        "references.bib": comparison.methods_text.bibtex(),
        **{table.csv_path: to_csv(table) for table in tables},
        **paper_files(comparison, label=label),
        "report.html": page.render(comparison, capped),
    }


def paper_files(comparison: Comparison, *, label: str = "") -> dict[str, str]:
    """Return the tables of a paper in LaTeX: the comparison, p-values of all pairs, and scores."""
    several = len(comparison.algorithms) > 2 and comparison.settings.control is None
    matrix = several and comparison.results.n_independent > 1
    return {
        f"paper/{name}.tex": paper_table(
            comparison, name, label=label and f"tab:{label}-{name.replace('_', '-')}"
        )
        for name in PAPER_TABLES
        if name != "p_values" or matrix
    }


def paper_table(
    comparison: Comparison, name: str = "comparison", caption: str = "", label: str = ""
) -> str:
    """Return a table of a paper in LaTeX."""
    check_choice("table", name, PAPER_TABLES)
    table = PAPER_TABLES[name](comparison)
    if not fits_text(table):
        # Numbers replace the names of all columns, and then also those of rows, if the table fits.
        numbered = [make(comparison) for make in NUMBERED.get(name, ())]
        narrowest = min([table, *numbered[:1]], key=natural_width)
        table = next(filter(fits_text, numbered), narrowest)
    table = table.capped()
    # In the table of scores, repeated datasets are left out; m precedes the tasks.
    grouped = 0
    if name == "scores" and comparison.results.scores.index.get_level_values(0).has_duplicates:
        grouped = 3 if table.headers[1] == "m" else 2
    return table_to_latex(table, group_columns=grouped, caption=caption, label=label)


def methods_to_latex(methods: MethodsText) -> str:
    r"""Return the methods with ``\cite`` commands into ``references.bib``, lists as ``itemize``."""
    # Private characters pass the escaping and mark the place of a citation.
    marks = {work.key: f"\ue000{place}\ue001" for place, work in enumerate(methods.references)}

    def written(text: str) -> str:
        text = re.sub(r"\b1e-0?(\d+)\b", r"$10^{-\1}$", prose_to_latex(text))
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
    blocks.insert(1, "% The details follow; delete what you do not report.")
    return "\n\n".join(blocks) + "\n"


def _report_markdown(comparison: Comparison, tables: list[Table]) -> str:
    """Return verdict, tables, methods with references, and notes as one document."""
    methods, verdict = comparison.methods_text, make_verdict(comparison)
    relations = [f"{label} {', '.join(names)}" for label, names in verdict.relations]
    parts = ["# Comparison", escape_markdown(f"{headline(comparison)}.")]
    parts += [escape_markdown(" ".join(verdict.sentences)), _markdown_list(relations)]
    parts += map(escape_markdown, [*verdict.remarks, tally_sentence(comparison)])
    parts += ["## Tables", *(table_to_markdown(table).rstrip() for table in tables), "## Methods"]
    for block in methods.blocks():
        parts.append(escape_markdown(block) if isinstance(block, str) else _markdown_list(block))
    parts += ["### References", _markdown_list([work.text for work in methods.references])]
    if comparison.notes:
        parts += ["## Notes", _markdown_list(comparison.notes)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _markdown_list(items: Iterable[str]) -> str:
    return "\n".join(f"- {escape_markdown(item)}" for item in items)
