"""The scores of a source as numbers: of one column, or of one column per algorithm."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.errors import ResultsError
from occstats.results.aliases import ALIASES, is_bounded, normalise
from occstats.results.names import count, quote, quote_list
from occstats.results.raw import RawTable
from occstats.results.values import explain_text, looks_like_decimal_comma, parse_numbers

__all__ = ["check_range", "column_scores", "wide_scores"]


def wide_scores(
    raw: RawTable,
    frame: pd.DataFrame,
    candidates: list[str],
    rows: npt.NDArray[np.int64],
    decimal: str,
    asked: list[str] | None,
    notes: list[str],
) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Choose the columns that are algorithms, and give their scores as a rows × columns array."""
    taken: dict[str, npt.NDArray[np.float64]] = {}
    left_out = []
    for name in candidates:
        column = frame[name]
        numbers = parse_numbers(column, decimal)
        is_text = not np.isfinite(numbers.values).any() and not any(
            looks_like_decimal_comma(cell) for cell in column[numbers.wrong]
        )
        is_counter = normalise(name) in {"", "index", "unnamed:_0", "unnamed:0", "id", "row"} and (
            np.array_equal(numbers.values - numbers.values[0], np.arange(len(frame)))
        )
        if asked is None and (is_text or is_counter):
            left_out.append(name)
        else:
            taken[name] = column_scores(raw, column, rows, decimal)
    if not taken:
        raise ResultsError(
            f"{raw.name}: no column of algorithms, and no column of numbers that could be one;"
            f" found {quote_list(raw.columns)}; say which column names the algorithm with"
            " algorithm=…"
        )
    measures = [name for name in taken if normalise(name) in ALIASES["score"]]
    if asked is None and measures and len(taken) > 1:
        raise ResultsError(
            f"{raw.name}: no column names the algorithm, and {quote_list(measures)} are measures,"
            f" not algorithms; say which column names the algorithm with algorithm=…, or, if all"
            f" rows are of one algorithm, which holds its score with score={quote(measures[0])}"
        )
    if left_out:
        notes.append(
            f"{raw.name}: columns of text or row numbers left out: {quote_list(left_out)}."
        )
    return list(taken), np.column_stack(list(taken.values()))


def column_scores(
    raw: RawTable,
    column: pd.Series,
    rows: npt.NDArray[np.int64],
    decimal: str,
    counted: npt.NDArray[np.bool_] | None = None,
) -> npt.NDArray[np.float64]:
    """Give the scores as numbers; what a failed row holds in place of a score is of no interest."""
    numbers = parse_numbers(column, decimal)
    relevant = np.ones(len(column), dtype=bool) if counted is None else counted
    wrong = numbers.wrong & relevant
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        cell = column.iloc[first]
        raise ResultsError(
            f"{raw.row(rows[first])}, column {quote(column.name)}: {quote(cell)} is not a number"
            f" ({count(wrong.sum(), 'such cell')}); {explain_text(cell)}"
        )
    infinite = np.isinf(numbers.values) & relevant
    if infinite.any():
        first = int(np.flatnonzero(infinite)[0])
        raise ResultsError(
            f"{raw.row(rows[first])}, column {quote(column.name)}: {numbers.values[first]} is no"
            f" score ({count(infinite.sum(), 'such cell')}); correct it, or leave the cell empty"
        )
    return np.where(relevant, numbers.values, np.nan)


def check_range(
    raw: RawTable,
    values: npt.NDArray[np.float64],
    rows: npt.NDArray[np.int64],
    score_name: str,
    scale: float,
    names: list[str],
) -> None:
    if not is_bounded(score_name):
        return
    slack = 1e-9
    outside = (values < -slack) | (values > 1 + slack)
    if not outside.any():
        return
    first, column = (int(i) for i in np.argwhere(outside)[0])
    lowest, highest = np.nanmin(values), np.nanmax(values)
    remedy = (
        "these look like per cent: divide by 100, or give scale=0.01"
        if scale == 1.0 and lowest >= 0 and 1.5 < highest <= 100
        else "correct them, or call the score by another name with score_name=…"
    )
    raise ResultsError(
        f"{raw.row(rows[first])}, column {quote(names[column])}: {values[first, column]:g} lies"
        f" outside [0, 1], where {quote(score_name)} must be"
        f" ({count(outside.sum(), 'such cell')}, from {lowest:g} to"
        f" {highest:g}); {remedy}"
    )
