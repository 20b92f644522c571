"""Find the names of the columns in the first rows of a table of text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.cells import parse_numbers

Rows = Sequence[Sequence[str]]
_ROWS, _COLUMNS = 12, 200


def find_header(rows: Rows, n_rows: int, where: str) -> tuple[list[str], int]:
    """Return the names of the columns, and the number of rows above the data.

    A merged cell names all columns up to the next; the row below may name the index.

    >>> rows = [["", "A", "", "B"], ["", "acc", "f1", "acc"], ["data", "", "", ""]]
    >>> find_header(rows, 2, "")
    (['data', 'A acc', 'A f1', 'B acc'], 3)
    """
    titles = n_titles(rows)
    cells = [[cell.strip() for cell in row] for row in rows[titles:]]
    if not cells:
        return [], 0
    if n_rows == 1:
        if _has_two_headers(rows):
            raise ResultsError(
                f"{where}: the first two rows contain no numbers and look like column names; write"
                " one row, or join them with header_rows=2",
                {"header_rows": 2},
            )
        return cells[0], titles + 1
    width = max(map(len, cells))
    above = [row + [""] * (width - len(row)) for row in cells[:n_rows]]
    for i, row in enumerate(above[:-1]):
        for column in range(1, width):
            if not row[column] and any(lower[column] for lower in above[i + 1 :]):
                row[column] = row[column - 1]
    names = [join_names(column) for column in zip(*above, strict=True)]
    below = cells[n_rows] if len(cells) > n_rows else []
    index = [cell for cell in below if cell]
    if index and below[: len(index)] == index != below and not hold_numbers(index):
        return [*index, *names[len(index) :]], titles + n_rows + 1
    return names, min(titles + n_rows, len(rows))


def n_titles(rows: Rows) -> int:
    """Return the number of rows above a table that are empty, a comment or a title.

    >>> n_titles([["Table 4: accuracy", ""], ["", ""], ["data", "A"], ["x", "0.1"]])
    2
    >>> n_titles([["data", ""], ["x y", "0.1"]]), n_titles([["# by me"], ["data", "A"]])
    (0, 1)
    """
    for i, row in enumerate(rows[:_ROWS]):
        first, *others = [cell.strip() for cell in row] or [""]
        below = rows[i + 1] if len(rows) > i + 1 else row
        # A sentence with commas, between others and the names.
        sentence = i > 0 and " " in first and all(below) and not hold_numbers(below)
        comment = first[:1] in {"#", "%"} and (len(below) != len(row) or sentence)
        if not any(others):  # Excel writes the delimiter above the table; a title may be one word
            title = "" not in below[:1] and sum(map(bool, below)) > 1 < len(others)
            comment |= first.lower().startswith("sep=") or (title and not hold_numbers(below))
        if not comment and (any(others) or (first and " " not in first)):
            # A table of one column has no title.
            return i if any(others) else 0
    return 0


def refuse_repeated(where: str, row: str) -> ResultsError:
    """Return the error for column names that are repeated further down."""
    return ResultsError(
        f"{where}: the column names are repeated in {row}, where a second table begins; save each"
        " table in a separate file"
    )


def _has_two_headers(rows: Rows) -> bool:
    """Return True if the second row has names above columns of numbers, and no number."""
    rows = rows[n_titles(rows) :][:_ROWS]
    if len(rows) < 3 or len({len(row) for row in rows}) > 1:
        return False
    # Beside the first columns without a name, there may be other notes.
    named = [i for i, names in enumerate(zip(*rows[:2], strict=True)) if any(names)]
    width = next((i for i, column in enumerate(named) if i < column - named[0]), len(rows[0]))
    shown = [row[: min(width, _COLUMNS)] for row in rows[1:]]
    found = parse_numbers(pd.Series([cell.replace("%", "") for row in shown for cell in row]))
    values, wrong = (part.reshape(len(shown), -1) for part in (found.values, found.wrong))
    numeric = np.isfinite(values[1:]).any(axis=0) & ~wrong[1:].any(axis=0)
    return bool(wrong[0, numeric].sum() > 1 and np.isnan(values[0, numeric]).all())


def hold_numbers(cells: Sequence[str]) -> bool:
    return not np.isnan(parse_numbers(pd.Series(cells)).values).all()


def join_names(parts: Sequence[object]) -> str:
    """Join the names of several levels.

    >>> join_names(("SVM", "accuracy")), join_names(("dataset", "Unnamed: 0_level_1"))
    ('SVM accuracy', 'dataset')
    """
    words = [str(part).strip() for part in parts]
    return " ".join(word for word in words if word and not word.startswith("Unnamed: "))
