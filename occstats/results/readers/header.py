"""Names of columns that stand in several rows, as pandas and spreadsheets write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.aliases import lower_is_better
from occstats.results.numbers import looks_like_decimal_comma, parse_numbers

__all__ = ["check_header", "join_header", "join_names", "n_titles", "name_measures"]

# So much of a table is looked at.
_ROWS, _COLUMNS = 12, 200


def check_header(rows: Sequence[Sequence[str]], where: str) -> None:
    """Refuse a table with names in rows below the first, with the option that reads it."""
    found = _count(rows)
    if found > 1:
        measured = name_measures(join_header(rows, found)[0][1:])
        remedy = "say so" if measured else "give one row of column names"
        raise ResultsError(
            f"{where}: the columns are named in {found} rows, for numbers stand only below them;"
            f" {remedy}",
            {"header_rows": found} if measured else None,
        )


def n_titles(rows: Sequence[Sequence[str]]) -> int:
    """How many rows above a table hold nothing, or a phrase and nothing beside it.

    >>> n_titles([["Table 4: accuracy", ""], ["", ""], ["data", "A"], ["x", "0.1"]])
    2
    >>> n_titles([["data", ""], ["x y", "0.1"]])
    0
    """
    for i, row in enumerate(rows[:_ROWS]):
        first, *others = [cell.strip() for cell in row] or [""]
        if any(others) or (first and " " not in first):
            # A table of one column has no title.
            return i if any(others) else 0
    return 0


def name_measures(names: Sequence[str]) -> bool:
    """Whether every name holds a measure: else levels may be tasks, and columns no algorithms.

    >>> name_measures(["SVM acc", "RF acc"]), name_measures(["class1 SVM", "class2 SVM"])
    (True, False)
    """
    return all(lower_is_better(name) is not None for name in names)


def _count(rows: Sequence[Sequence[str]]) -> int:
    """How many rows of names a table begins with.

    >>> _count([["data", "A", "A"], ["", "acc", "f1"], ["x", "0.1", "0.2"], ["y", "", "0.3"]])
    2
    >>> _count([["data", "A", "B"], ["w", "TIMEOUT", "OOM"], ["x", "0.1", "0.2"]])
    1
    """
    shown = [list(row[:_COLUMNS]) for row in rows[:_ROWS]]
    if len(shown) < 3 or len({len(row) for row in shown}) > 1:
        return 1
    cells = np.array(shown, dtype=object)
    parsed = parse_numbers(pd.Series(cells.ravel()))
    commas = np.array([looks_like_decimal_comma(cell) for cell in cells.ravel()])
    number = (~np.isnan(parsed.values) | commas).reshape(cells.shape)
    text = (parsed.wrong & ~commas).reshape(cells.shape)
    count = 1
    while count < len(cells) - 1:
        of_numbers = number[count + 1 :].any(axis=0) & ~text[count + 1 :].any(axis=0)
        here = text[count] & of_numbers
        if here.sum() < 2 or (number[count] & of_numbers).any():
            break
        count += 1
    return count


def join_header(rows: Sequence[Sequence[str]], count: int) -> tuple[list[str], int]:
    """Join the names that stand in ``count`` rows; give them, and how many rows they took.

    A cell that was merged names all columns up to the next; the row below may name the index.

    >>> join_header([["", "A", "", "B"], ["", "acc", "f1", "acc"], ["data", "", "", ""]], 2)
    (['data', 'A acc', 'A f1', 'B acc'], 3)
    """
    width = max(map(len, rows))
    above = [[*map(str.strip, row), *[""] * (width - len(row))] for row in rows[:count]]
    for i, row in enumerate(above[:-1]):
        for column in range(1, width):
            if not row[column] and any(lower[column] for lower in above[i + 1 :]):
                row[column] = row[column - 1]
    names = [join_names(column) for column in zip(*above, strict=True)]
    below = list(rows[count]) if len(rows) > count else []
    named = [cell.strip() != "" for cell in below]
    levels = sum(named)
    if levels and levels < len(named) and not any(named[levels:]):
        return [*(cell.strip() for cell in below[:levels]), *names[levels:]], count + 1
    return names, count


def join_names(parts: Sequence[object]) -> str:
    """One name from those of several levels.

    >>> join_names(("SVM", "accuracy")), join_names(("dataset", "Unnamed: 0_level_1"))
    ('SVM accuracy', 'dataset')
    """
    words = [str(part).strip() for part in parts]
    return " ".join(word for word in words if word and not word.startswith("Unnamed: "))
