"""Write tables as CSV in full precision, safe to open in a spreadsheet."""

import pandas as pd

from occstats.report.formatted_table import Table

__all__ = ["guard", "table_to_csv"]

# A spreadsheet takes a cell that begins so for a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def guard(name: str) -> str:
    """Return the name, with an apostrophe before what a spreadsheet would run as a formula.

    Examples
    --------
    >>> guard("=1+1"), guard("ALP")
    ("'=1+1", 'ALP')
    """
    return f"'{name}" if name.startswith(_FORMULA_STARTS) else name


def table_to_csv(table: Table) -> str:
    """Return the whole table; undefined cells are empty, text is guarded."""
    guarded = pd.DataFrame(
        {
            position: [guard(cell) if isinstance(cell, str) else cell for cell in column.tolist()]
            for position, (_, column) in enumerate(table.frame.items())
        }
    )
    header = [guard(str(name)) for name in table.frame.columns]
    return guarded.to_csv(index=False, header=header, lineterminator="\n")
