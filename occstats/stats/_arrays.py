"""Validation of arrays, ranks within rows, and matrices over pairs of algorithms."""

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._checks import check_number
from occstats._format import count
from occstats.errors import ArgumentError

FloatArray = npt.NDArray[np.float64]
AnyFloats = npt.NDArray[np.floating[Any]]
IntArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]
ObjectArray = npt.NDArray[np.object_]

#: Below the infinity that marks unranked values: the magnitude of a failure.
LARGEST = np.finfo(np.float64).max


def as_vector(name: str, values: npt.ArrayLike) -> FloatArray:
    """Return finite floats in one dimension."""
    return as_scores(name, values, dimensions=1)


def as_scores(
    name: str, values: npt.ArrayLike, *, allow_nan: bool = False, dimensions: int = 2
) -> FloatArray:
    """Return finite floats, tasks × algorithms, with NaN where it is allowed."""
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
        raise ArgumentError(f"{name} must be finite; got {count(n_infinite, 'infinite value')}.")
    n_missing = int(np.count_nonzero(np.isnan(array)))
    if n_missing and not allow_nan:
        raise ArgumentError(
            f"{name} must not contain missing values; got {count(n_missing, 'NaN')}: "
            "remove those tasks first."
        )
    return array


def cluster_codes(
    clusters: npt.ArrayLike, n_tasks: int | None = None
) -> tuple[IntArray, npt.NDArray[Any]]:
    """Return the number of each task's cluster, in sorted order of the labels, and the labels.

    Sorting makes seeded resampling independent of the order of the rows.
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
            "clusters must not be missing; got "
            f"{count(int((codes < 0).sum()), 'task')} without a label."
        )
    return codes.astype(np.intp, copy=False), np.asarray(uniques)


def round_to_grid(values: FloatArray, tie_tolerance: float) -> FloatArray:
    """Return values in whole units of the tolerance, so that values within it become equal.

    Ranks and signs do not depend on the unit.
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


@lru_cache(maxsize=4)
def upper_pairs(n_algorithms: int) -> tuple[IntArray, IntArray]:
    """Return the positions (a, b), a < b, of all pairs of algorithms."""
    first, second = np.triu_indices(n_algorithms, 1)
    for positions in (first, second):
        positions.flags.writeable = False
    return first, second


def pair_positions(a: IntArray, b: IntArray, n_algorithms: int) -> IntArray:
    """Return the positions of some pairs (a, b), a < b, among all pairs."""
    return np.asarray(a * (2 * n_algorithms - a - 1) // 2 + b - a - 1)


def mirror(upper: FloatArray, lower: FloatArray, n_algorithms: int, diagonal: float) -> FloatArray:
    """Return the matrix [a, b] from the values of the pairs (a, b) and of (b, a)."""
    matrix = np.full((n_algorithms, n_algorithms), diagonal, dtype=float)
    first, second = upper_pairs(n_algorithms)
    matrix[first, second] = upper
    matrix[second, first] = lower
    return matrix


def antisymmetric(upper: FloatArray, n_algorithms: int) -> FloatArray:
    """Return the matrix [a, b] with values above the diagonal and their negatives below."""
    return mirror(upper, -upper, n_algorithms, 0.0)


def midranks(rows: FloatArray) -> FloatArray:
    """Return average ranks within each row, 1 for the lowest (without NaN).

    Replaces `scipy.stats.rankdata`, whose import takes longer than most comparisons.
    """
    ranks, (order, starts, lengths, members) = np.empty(rows.size), _sorted_runs(rows)
    n = max(1, rows.shape[1])
    ranks[order] = np.arange(1.0, n + 1)
    ranks[order.ravel()[members]] = np.repeat(starts % n + (lengths + 1) / 2, lengths)
    return ranks.reshape(rows.shape)


def count_tied(rows: FloatArray) -> FloatArray:
    """Count the values of its row that equal each value, itself included."""
    counts, (order, _, lengths, members) = np.ones(rows.size), _sorted_runs(rows)
    counts[order.ravel()[members]] = np.repeat(lengths, lengths)
    return counts.reshape(rows.shape)


def _sorted_runs(rows: FloatArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the places of sorted rows in the flat array, and their runs of equal values."""
    order = np.argsort(rows, axis=1)
    # Much faster than `take_along_axis`.
    order += rows.shape[1] * np.arange(len(rows))[:, None]
    return order, *tied_runs(rows.ravel()[order])


def tied_runs(ordered: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return starts and lengths of runs of two or more equal values, and the places in them.

    Rows are sorted; places are those in the flat array.
    """
    tied = np.zeros(ordered.shape, dtype=bool)
    np.equal(ordered[:, 1:], ordered[:, :-1], out=tied[:, 1:])
    followers = np.flatnonzero(tied)
    first = np.flatnonzero(np.diff(followers, prepend=-2) > 1)
    starts, lengths = followers[first] - 1, np.diff(first, append=len(followers)) + 1
    ends = np.cumsum(lengths)
    return starts, lengths, np.arange(lengths.sum()) + np.repeat(starts - ends + lengths, lengths)


def signed_ranks(x: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the signed midranks of each column, 0 where unranked, and a mask of ranked values.

    NaN and zeros are dropped before ranking.
    """
    counted = ~np.isnan(x) & (x != 0)
    sizes = np.ascontiguousarray(np.where(counted, np.minimum(np.abs(x), LARGEST), np.inf).T)
    ranks = midranks(np.atleast_2d(sizes)).reshape(sizes.shape).T
    return np.where(counted, ranks * np.sign(np.where(counted, x, 0.0)), 0.0), counted
