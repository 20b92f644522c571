"""Pairs of algorithms: their order, and square matrices from values of one half."""

from functools import lru_cache

import numpy as np

from occstats.stats._arrays import FloatArray, IntArray


@lru_cache(maxsize=4)
def upper_pairs(n_algorithms: int) -> tuple[IntArray, IntArray]:
    """Return the positions (a, b), a < b, of all pairs of algorithms.

    Examples
    --------
    >>> [list(map(int, positions)) for positions in upper_pairs(3)]
    [[0, 0, 1], [1, 2, 2]]
    """
    first, second = np.triu_indices(n_algorithms, 1)
    for positions in (first, second):
        positions.flags.writeable = False
    return first, second


def antisymmetric(upper: FloatArray, n_algorithms: int) -> FloatArray:
    """Return the matrix [a, b] with values above the diagonal and their negatives below."""
    return mirror(upper, -upper, n_algorithms, 0.0)


def mirror(upper: FloatArray, lower: FloatArray, n_algorithms: int, diagonal: float) -> FloatArray:
    """Return the matrix [a, b] from the values of the pairs (a, b) and of (b, a)."""
    matrix = np.full((n_algorithms, n_algorithms), diagonal, dtype=float)
    first, second = upper_pairs(n_algorithms)
    matrix[first, second] = upper
    matrix[second, first] = lower
    return matrix
