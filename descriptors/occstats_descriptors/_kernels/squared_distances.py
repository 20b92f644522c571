"""Squared distances of all pairs of rows, kept once: the Gaussian kernel of any width from them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.jit import compiled
from occstats_descriptors.base import Matrix, Vector

__all__ = ["SquaredDistances", "kernel_times_weights", "make_row"]

Single = NDArray[np.float32]

_ZERO, _ONE = np.float32(0), np.float32(1)
_PER_BIT = np.float32(1 / math.log(2))
# ln 2 in two parts: the product of the first with any exponent is exact.
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_ROUNDING = np.float32(1.5 * 2**23)  # added to a number, the sum's last bits are the integer
_LEAST = np.float32(-87.0)  # below, the result is less than the smallest normal number: zero
_C2, _C3, _C4 = np.float32(1 / 2), np.float32(1 / 6), np.float32(1 / 24)
_C5, _C6, _C7 = np.float32(1 / 120), np.float32(1 / 720), np.float32(1 / 5040)


class SquaredDistances:
    """
    Squared distances of all pairs of rows, in single precision.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
    whole : bool
        Whether room is kept for a kernel matrix of all rows.

    Attributes
    ----------
    squares : ndarray of shape (n_samples, n_samples)
        The squared distances.
    """

    def __init__(self, rows: Matrix, *, whole: bool) -> None:
        n = len(rows)
        self.squares = np.empty((n, n), np.float32)
        square_distances(rows, np.ascontiguousarray(rows.T), self.squares)
        # New memory takes the system longer to provide than the kernel to compute.
        self._room = np.empty((n, n), np.float32) if whole else None
        self._part = np.empty(0, np.float32)

    def kernel(self, gamma: float) -> Single:
        """The kernel matrix of all rows, in room that the next call takes again."""
        if self._room is None:
            raise ValueError("no room was kept for the kernel of all rows")
        exponentials(self.squares, np.float32(-gamma), self._room, _bits(self.squares))
        return self._room

    def room(self, size: int) -> Single:
        """Room for the kernel matrix of some rows, which the next call takes again."""
        if self._part.size < size * size:
            self._part = np.empty(size * size, np.float32)
        return self._part[: size * size].reshape(size, size)

    def times(self, change: Vector, gamma: float) -> Vector:
        """The kernel matrix times a vector that is mostly zero."""
        result = np.zeros(len(change))
        add_columns(self.squares, np.flatnonzero(change), change, np.float32(-gamma), result)
        return result


# A tile of the kernel (2 MB) that stays in the cache.
_TILE_ROWS, _TILE_COLUMNS = 128, 2048


def kernel_times_weights(rows: Matrix, columns: Matrix, weights: Matrix, gamma: float) -> Matrix:
    """
    Evaluate Σ_j k(x_i, y_j) w_j for each column of weights, without keeping the kernel matrix.

    Exponentials and products are in single precision, and added up in double precision tile by
    tile.
    """
    result = np.zeros((len(rows), weights.shape[1]))
    single = np.ascontiguousarray(weights, dtype=np.float32)
    room = np.empty(_TILE_ROWS * _TILE_COLUMNS, np.float32)
    for left in range(0, len(columns), _TILE_COLUMNS):
        there = np.ascontiguousarray(columns[left : left + _TILE_COLUMNS].T)
        weight = single[left : left + _TILE_COLUMNS]
        for top in range(0, len(rows), _TILE_ROWS):
            here = rows[top : top + _TILE_ROWS]
            shape = len(here), there.shape[1]
            tile = room[: shape[0] * shape[1]].reshape(shape)
            square_distances(here, there, tile)
            exponentials(tile, np.float32(-gamma), tile, _bits(tile))
            result[top : top + _TILE_ROWS] += tile @ weight
    return result


def _bits(matrix: Single) -> NDArray[np.int32]:
    return np.empty(matrix.shape[1], np.int32)


@compiled
def square_distances(rows: Matrix, columns: Matrix, out: Single) -> None:
    """Squared distances of rows and of the columns of a matrix, summed in double precision."""
    count = columns.shape[1]
    sums = np.empty(count)
    for row in range(len(rows)):
        for j in range(count):
            sums[j] = 0.0
        for feature in range(rows.shape[1]):
            here = rows[row, feature]
            there = columns[feature]
            for j in range(count):
                difference = here - there[j]
                sums[j] += difference * difference
        for j in range(count):
            out[row, j] = sums[j]


@compiled
def exponentials(squares: Single, factor: np.float32, out: Single, bits: NDArray[np.int32]) -> None:
    """Set `out` to exp(factor · squares), the factor negative, to two units in the last place."""
    for row in range(len(squares)):
        exponentials_of_row(squares[row], factor, out[row], bits)


@compiled
def exponentials_of_row(
    squares: Single, factor: np.float32, out: Single, bits: NDArray[np.int32]
) -> None:
    """One row of `exponentials`; `bits` is room for as many integers as there are in it."""
    powers = bits.view(np.float32)
    for i in range(len(squares)):
        given = factor * squares[i]
        x = given if given > _LEAST else _LEAST
        shifted = x * _PER_BIT + _ROUNDING
        powers[i] = shifted
        whole = shifted - _ROUNDING
        r = (x - whole * _LN2_HIGH) - whole * _LN2_LOW
        r2 = r * r
        low = _C2 + r * _C3
        high = (_C4 + r * _C5) + (_C6 + r * _C7) * r2
        p = _ONE + (r + r2 * (low + r2 * high))
        out[i] = p if given > _LEAST else _ZERO
    for i in range(len(squares)):
        bits[i] = (bits[i] + np.int32(127)) << np.int32(23)
    for i in range(len(squares)):
        out[i] *= powers[i]


@compiled
def make_row(
    squares: Single,
    chosen: NDArray[np.intp],
    row: int,
    factor: np.float32,
    out: Single,
    bits: NDArray[np.int32],
) -> None:
    """Set `out` to the kernel of one of the chosen rows with all of them."""
    here = squares[chosen[row]]
    for i in range(len(chosen)):
        out[i] = here[chosen[i]]
    exponentials_of_row(out, factor, out, bits)


@compiled
def add_columns(
    squares: Single,
    where: NDArray[np.intp],
    change: Vector,
    factor: np.float32,
    out: Vector,
) -> None:
    """Add the kernel's columns of some rows, times their weights, to a vector."""
    n = squares.shape[1]
    bits = np.empty(n, np.int32)
    column = np.empty(n, np.float32)
    for row in where:
        exponentials_of_row(squares[row], factor, column, bits)
        weight = change[row]
        for i in range(n):
            out[i] += weight * column[i]
