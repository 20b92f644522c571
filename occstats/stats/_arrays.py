"""Validation of arrays: finite numbers, numbered clusters, a grid for ties."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._checks import check_number
from occstats.errors import ArgumentError

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]


def as_vector(name: str, values: npt.ArrayLike, *, allow_nan: bool = False) -> FloatArray:
    """Return finite floats in one dimension, with NaN where it is allowed."""
    return _as_floats(name, values, dimensions=1, allow_nan=allow_nan)


def as_scores(name: str, values: npt.ArrayLike, *, allow_nan: bool = False) -> FloatArray:
    """Return finite floats, tasks × algorithms, with NaN where it is allowed."""
    return _as_floats(name, values, dimensions=2, allow_nan=allow_nan)


def _as_floats(name: str, values: npt.ArrayLike, *, dimensions: int, allow_nan: bool) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} must hold numbers; {error}.") from error
    if array.ndim != dimensions:
        raise ArgumentError(
            f"{name} must have {dimensions} dimension{'s' * (dimensions > 1)}; "
            f"got an array of shape {array.shape}."
        )
    n_infinite = int(np.count_nonzero(np.isinf(array)))
    if n_infinite:
        raise ArgumentError(f"{name} must be finite; {n_infinite} values are infinite.")
    if not allow_nan:
        n_missing = int(np.count_nonzero(np.isnan(array)))
        if n_missing:
            raise ArgumentError(
                f"{name} must not be missing anywhere; {n_missing} values are NaN: "
                "leave those tasks out first."
            )
    return array


def absent(reasons: npt.NDArray[np.object_]) -> npt.NDArray[np.bool_]:
    """Mark the entries without a reason (None)."""
    return np.asarray(pd.isna(reasons))


def cluster_codes(
    clusters: npt.ArrayLike, n_tasks: int | None = None
) -> tuple[IntArray, npt.NDArray[Any]]:
    """Number the clusters 0 … m − 1 in sorted order of their labels, and list these.

    Sorted, so that neither the order of the rows nor a random stream that walks over the
    clusters depends on which row came first.
    """
    # Objects, because numpy would turn a missing label among text into the text "nan".
    labels = (
        clusters if isinstance(clusters, np.ndarray) else np.asarray(clusters, dtype=np.object_)
    )
    if labels.ndim != 1 or (n_tasks is not None and len(labels) != n_tasks):
        expected = "" if n_tasks is None else f" ({n_tasks})"
        raise ArgumentError(
            f"clusters must hold one label per task{expected}; got shape {labels.shape}."
        )
    try:
        codes, uniques = pd.factorize(labels, sort=True)
    except TypeError:  # labels of several types have no order
        codes, uniques = pd.factorize(labels)
    if (codes < 0).any():
        raise ArgumentError(
            f"clusters must not be missing; {int((codes < 0).sum())} tasks have no label."
        )
    return codes.astype(np.intp, copy=False), np.asarray(uniques)


def round_to_grid(values: FloatArray, tie_tolerance: float) -> FloatArray:
    """Round values to whole units of the tolerance, so that values within it become equal.

    The unit drops out of everything that is computed from ranks and signs.
    """
    check_number("tie_tolerance", tie_tolerance, least=0)
    if tie_tolerance == 0:
        return values
    with np.errstate(over="ignore"):
        rounded: FloatArray = np.rint(values / tie_tolerance)
    if (np.isinf(rounded) & np.isfinite(values)).any():
        raise ArgumentError(
            f"tie_tolerance {tie_tolerance!r} is too small for values as large as "
            f"{np.max(np.abs(values[np.isfinite(values)])):g}; use a larger one, or 0."
        )
    return rounded


def medians_of_others(rows: FloatArray) -> FloatArray:
    """Return for each value the median of the others in its row, by one sort; without NaN.

    Examples
    --------
    >>> medians_of_others(np.array([[4.0, 1.0, 3.0], [2.0, 2.0, 8.0]]))
    array([[2. , 3.5, 2.5],
           [5. , 5. , 2. ]])
    """
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(rows.shape[1])[None], axis=1)
    others = rows.shape[1] - 1
    low, high = (
        np.where(place > middle, ordered[:, [middle]], ordered[:, [middle + 1]])
        for middle in ((others - 1) // 2, others // 2)
    )
    return np.asarray((low + high) / 2)


def midranks(rows: FloatArray) -> FloatArray:
    """Return average ranks within each row, 1 for the lowest; without NaN.

    `scipy.stats.rankdata`, whose import takes longer than most comparisons.

    Examples
    --------
    >>> midranks(np.array([[0.3, 0.1, 0.3]]))
    array([[2.5, 1. , 2.5]])
    """
    first, length, order = _runs(rows)
    return _in_place(first + (length + 1) / 2, length, order)


def count_tied(rows: FloatArray) -> FloatArray:
    """Count the values of its row that equal each value, itself included.

    Examples
    --------
    >>> count_tied(np.array([[0.3, 0.1, 0.3]]))
    array([[2., 1., 2.]])
    """
    _, length, order = _runs(rows)
    return _in_place(length.astype(np.float64), length, order)


def _runs(rows: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return the start and length of each run of equal values in the sorted rows, and the order."""
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    starts_run = np.ones(rows.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts_run[:, 1:])
    starts = np.flatnonzero(starts_run)
    return starts % max(1, rows.shape[1]), np.diff(starts, append=rows.size), order


def _in_place(of_runs: FloatArray, lengths: IntArray, order: IntArray) -> FloatArray:
    values = np.empty(order.shape)
    found = np.repeat(of_runs, lengths).reshape(order.shape)
    np.put_along_axis(values, order, found, axis=1)
    return values
