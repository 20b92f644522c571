"""Write tables to files: CSV, Markdown, LaTeX and HTML."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from occstats.report.csv import table_to_csv
from occstats.report.markup import table_to_latex
from occstats.report.markdown import table_to_markdown
from occstats.report.notebook import table_to_html
from occstats.report.formatted_table import Table

__all__ = ["MEDIA", "table_files"]

# suffix of the file → how a table is written
MEDIA: dict[str, Callable[[Table], str]] = {
    "csv": table_to_csv,
    "md": table_to_markdown,
    "tex": table_to_latex,
    "html": table_to_html,
}


def table_files(
    table: Table,
    stem: str,
    *,
    suffixes: Sequence[str] = ("csv", "md", "tex"),
    aligned: bool = False,
    group_columns: int = 0,
) -> Iterator[tuple[str, str | bytes]]:
    """Yield path and content of the table in each format.

    Parameters
    ----------
    table
        The table.
    stem
        The path without its suffix.
    suffixes
        The formats.
    aligned, group_columns
        Of the LaTeX, see `table_to_latex`.

    Examples
    --------
    >>> import pandas as pd
    >>> from occstats.report.formatted_table import Column
    >>> frame = pd.DataFrame({"name": ["ALP"]})
    >>> table = Table("t", "Names", "All.", frame, (Column("name", ("name",), number=False),))
    >>> [path for path, _ in table_files(table, "tables/t")]
    ['tables/t.csv', 'tables/t.md', 'tables/t.tex']
    """
    latex = partial(table_to_latex, aligned=aligned, group_columns=group_columns)
    media = MEDIA | {"tex": latex}
    packed = table.csv_name.endswith(".gz")
    capped = table.capped(f"{stem}.csv{'.gz' if packed else ''}")
    for suffix in suffixes:
        content = media[suffix](table if suffix == "csv" else capped)
        if suffix == "csv" and packed:
            yield (
                f"{stem}.csv.gz",
                gzip.compress(content.encode("utf-8", "backslashreplace"), mtime=0),
            )
        else:
            yield f"{stem}.{suffix}", content
