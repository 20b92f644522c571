"""Attribute-relation files (ARFF), with every value as text.

SciPy's reader refuses quoted class names that hold a blank, and turns others into bytes; data sets
need little else than names and rows.
"""

import csv
import re

import pandas as pd

from occstats.errors import DataError

__all__ = ["parse_arff"]

# @attribute name type; a name with blanks is quoted
_ATTRIBUTE = re.compile(r"@attribute\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))", re.IGNORECASE)


def parse_arff(text: str) -> pd.DataFrame:
    """Parse dense ARFF into a table of text; ``?`` stays as it is.

    Examples
    --------
    >>> parse_arff("@attribute a real\\n@attribute 'b c' {x, 'y z'}\\n@data\\n1,'y z'")
       a  b c
    0  1  y z
    """
    names: list[str] = []
    lines = iter(text.splitlines())
    for line in lines:
        stripped = line.strip()
        if stripped.lower().startswith("@data"):
            break
        if match := _ATTRIBUTE.match(stripped):
            names.append(next(group for group in match.groups() if group is not None))
    else:
        raise DataError("no @data section")
    body = [line.strip() for line in lines]
    body = [line for line in body if line and not line.startswith("%")]
    if any(line.startswith("{") for line in body):
        raise DataError("sparse ARFF is not read; convert it to CSV or Parquet")
    quote = '"' if any('"' in line for line in body) else "'"
    rows = list(csv.reader(body, quotechar=quote, skipinitialspace=True))
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
    if wrong is not None:
        raise DataError(
            f"data row {wrong + 1} has {len(rows[wrong])} values for {len(names)} attributes"
        )
    return pd.DataFrame(rows, columns=names, dtype="str")
