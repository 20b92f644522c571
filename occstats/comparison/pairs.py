"""Frames with one row per pair of algorithms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["ordered_pairs", "unordered_pairs"]

Matrices = Mapping[str, npt.NDArray[Any]]


def ordered_pairs(algorithms: Sequence[str], matrices: Matrices) -> pd.DataFrame:
    """One row per ordered pair a ≠ b, row by row, with the element [a, b] of each matrix.

    Examples
    --------
    >>> ordered_pairs(["x", "y"], {"p": np.array([[0.0, 0.1], [0.9, 0.0]])})
       a  b    p
    0  x  y  0.1
    1  y  x  0.9
    """
    first, second = np.nonzero(~np.eye(len(algorithms), dtype=bool))
    return _frame(algorithms, first, second, matrices)


def unordered_pairs(algorithms: Sequence[str], matrices: Matrices) -> pd.DataFrame:
    """One row per pair, a before b in the order of the algorithms."""
    first, second = np.triu_indices(len(algorithms), 1)
    return _frame(algorithms, first, second, matrices)


def _frame(
    algorithms: Sequence[str],
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
    matrices: Matrices,
) -> pd.DataFrame:
    names = np.array(list(algorithms), dtype=object)
    columns = {name: np.asarray(matrix)[first, second] for name, matrix in matrices.items()}
    return pd.DataFrame({"a": names[first], "b": names[second], **columns})
