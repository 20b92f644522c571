"""Scores of LOF and ALP for all neighbourhood sizes at once."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled

__all__ = ["advance_sums", "local_factors", "localised_proximities", "reachability_sums"]

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
