"""Compiled loops of the sweeps: scores for all neighbourhood sizes at once, and their AUROC."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.jit import compiled

__all__ = ["Areas", "advance_sums", "local_factors", "localised_proximities", "reachability_sums"]

Array = NDArray[Any]
Function = TypeVar("Function", bound=Callable[..., Any])


def _reordering(function: Function) -> Function:
    """Compile a kernel whose sums may be added in any order, which lets them use whole vectors."""
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "fastmath": {"reassoc", "nsz"},
    }
    try:
        kernel = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # there is nowhere to write a cache
        kernel = numba.njit(**options)(function)
    return cast(Function, kernel)


@compiled
def reachability_sums(near_d: Array, near_i: Array, training_d: Array, out: Array) -> None:
    """Sum the reachability distances of each row to its k neighbours, for every k (columns)."""
    largest = near_d.shape[1]
    for row in range(near_d.shape[0]):
        sums = out[row]
        sums[:] = 0.0
        for i in range(largest):
            distance = near_d[row, i]
            reach = training_d[near_i[row, i]]
            for k in range(i, largest):
                sums[k] += distance if distance > reach[k] else reach[k]


@compiled
def local_factors(own: Array, near_i: Array, training: Array, out: Array) -> None:
    """Score rows by their local outlier factor for every k (rows of `out`).

    `own` and `training` are the sums of reachability distances of the rows and of the training
    rows; both sums of a ratio have as many terms.
    """
    largest = own.shape[1]
    factors = np.empty(largest)
    for row in range(own.shape[0]):
        factors[:] = 0.0
        mine = own[row]
        for j in range(largest):
            theirs = training[near_i[row, j]]
            for k in range(j, largest):
                ratio = mine[k] / theirs[k]
                factors[k] += 1.0 if np.isnan(ratio) else ratio
        for k in range(largest):
            out[k, row] = 1.0 / (1.0 + factors[k] / (k + 1))


@compiled
def advance_sums(indices: Array, training_d: Array, sums: Array, double_sums: Array) -> None:
    """Take one more neighbour into the sums S and the sums of sums, row by row.

    After l neighbours the double sum at scale i is (l + 1 − j) d_i(NN_j) summed over j ≤ l: the
    local distance with linear weights, but for the constant factor.
    """
    largest = sums.shape[1]
    for row in range(len(indices)):
        distances = training_d[indices[row]]
        for i in range(largest):
            sums[row, i] += distances[i]
            double_sums[row, i] += sums[row, i]


@_reordering
def localised_proximities(near_d: Array, double_sums: Array, scale: float, out: Array) -> None:
    """Average localised proximity for every k (rows of `out`) and one l.

    With linear weights the ordered weighted average has the numerator Σ_{i≤j≤k} max(lp_i, lp_j):
    the r-th largest proximity is the larger one in k + 1 − r of the pairs. So a scale more adds
    its maxima with those before it, and nothing is sorted.
    """
    largest = near_d.shape[1]
    proximities = np.empty(largest)
    for row in range(near_d.shape[0]):
        for i in range(largest):
            local = double_sums[row, i] * scale
            distance = near_d[row, i]
            total = local + distance
            proximities[i] = local / total if total > 0.0 else 0.5
        numerator = 0.0
        for k in range(largest):
            newest = proximities[k]
            added = newest
            for i in range(k):
                other = proximities[i]
                added += other if other > newest else newest
            numerator += added
            out[k, row] = numerator / ((k + 1) * (k + 2) / 2)


# Scores handled at a time, so that they stay in the cache.
BLOCK = 1 << 18
# Where scores are so uneven that buckets leave more moves per score than this, sorting is faster.
MOST_MOVES = 8


class Areas:
    """AUROC of many score vectors on the rows of one test part.

    Scores of distances are rounded to 12 significant digits, as by `auroc` of the protocol. The
    last bit of a double is of no account, and says here whether the row is a target; so
    ordering plain integers orders the scores and carries the labels along. They are spread over as
    many buckets as there are scores and put in order from there; vectors for which that does not
    pay (nearly all scores in a few buckets) are sorted.

    Parameters
    ----------
    is_target : ndarray of bool
        The labels of the rows; both kinds must be there.
    of_distances : bool, default True
        Whether the scores are made of distances, of which those that tie must do so.

    Examples
    --------
    >>> areas = Areas(np.array([True, True, False, False]))
    >>> areas(np.array([[0.9, 0.1 + 0.2, 0.3, 0.1], [0.1, 0.2, 0.3, 0.4]])).tolist()
    [0.875, 0.0]
    """

    def __init__(self, is_target: NDArray[np.bool_], *, of_distances: bool = True) -> None:
        self._of_distances = of_distances
        self._labels = is_target.astype(np.int64)
        self._positives = int(is_target.sum())
        self._negatives = len(is_target) - self._positives

    def __call__(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The AUROC of each row of a matrix of scores, which must not be negative."""
        pairs = np.empty(len(scores))
        step = max(1, BLOCK // len(self._labels))
        for start in range(0, len(scores), step):
            values = np.array(scores[start : start + step], dtype=np.float64, order="C")
            if self._of_distances:
                round_to_twelve_digits(values.reshape(-1))
            keys = values.view(np.int64)
            keys &= ~1
            keys |= self._labels
            part = pairs[start : start + step]
            count_by_buckets(values, keys, part)
            unordered = np.flatnonzero(part < 0)
            if len(unordered):
                part[unordered] = _count_sorted(keys[unordered])
        return pairs / (2.0 * self._positives * self._negatives)


def _count_sorted(keys: NDArray[np.int64]) -> NDArray[np.float64]:
    keys.sort(axis=1)
    found = np.empty(len(keys))
    for row in range(len(keys)):
        found[row] = count_ordered_pairs(keys[row])
    return found


@compiled
def round_to_twelve_digits(values: NDArray[Any]) -> None:
    """Round to 12 significant digits in place; zero stays zero."""
    for position in range(len(values)):
        value = values[position]
        if value > 0.0:
            scale = 1e11
            while value * scale < 1e11 and scale < 1e300:
                scale *= 10.0
            values[position] = np.rint(value * scale) / scale
        else:
            values[position] = 0.0


@compiled
def count_ordered_pairs(keys: NDArray[Any]) -> int:
    """Twice the number of (target, other) pairs in order, a tie counting one half."""
    below = 0
    pairs = 0
    position = 0
    n = len(keys)
    while position < n:
        score = keys[position] >> 1
        targets = 0
        others = 0
        while position < n and keys[position] >> 1 == score:
            label = keys[position] & 1
            targets += label
            others += 1 - label
            position += 1
        pairs += targets * (2 * below + others)
        below += others
    return pairs


@compiled
def count_by_buckets(values: NDArray[Any], keys: NDArray[Any], out: NDArray[Any]) -> None:
    """Order each row by buckets of equal width and count its pairs; −1 where that takes long.

    `values` are the keys read as numbers, which are in the same order.
    """
    n = keys.shape[1]
    starts = np.empty(n + 1, dtype=np.int32)
    bucket = np.empty(n, dtype=np.int32)
    ordered = np.empty(n, dtype=np.int64)
    for row in range(keys.shape[0]):
        low = values[row, 0]
        high = low
        for position in range(n):
            low = min(low, values[row, position])
            high = max(high, values[row, position])
        scale = (n - 1) / (high - low) if high - low > 1e-290 else 0.0
        starts[:] = 0
        for position in range(n):
            place = np.int32((values[row, position] - low) * scale)
            bucket[position] = place
            starts[place + 1] += 1
        for following in range(n):
            starts[following + 1] += starts[following]
        for position in range(n):
            place = bucket[position]
            ordered[starts[place]] = keys[row, position]
            starts[place] += 1
        moves = 0
        for position in range(1, n):
            key = ordered[position]
            gap = position
            while gap > 0 and ordered[gap - 1] >> 1 > key >> 1:
                ordered[gap] = ordered[gap - 1]
                gap -= 1
            ordered[gap] = key
            moves += position - gap
            if moves > MOST_MOVES * n:
                break
        out[row] = -1 if moves > MOST_MOVES * n else count_ordered_pairs(ordered)
