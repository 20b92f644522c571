"""
Gaussian kernels of squared distances in single precision.

Benefit: a grid of kernel widths (`SupportVectorGrid`) reuses one matrix of squared distances.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels import Integers, Matrix, Single, Vector
from occstats_descriptors._kernels.jit import compiled, inner

Bits = NDArray[np.int32]

# Constants of exp(x) = 2^k exp(r), with k the integer nearest to x / ln 2, and |r| ≤ ln 2 / 2. The
# constant ln 2 is in two parts, of which the product of the first with any k is exact. The last
# bits of a number to which ROUNDING is added are k. Below LEAST, the exponential is less than the
# smallest normal number, and is set to zero.
_PER_BIT_32, _ROUNDING_32 = np.float32(1 / math.log(2)), np.float32(1.5 * 2**23)
_LEAST_32 = np.float32(-87.0)
_LN2_HIGH_32, _LN2_LOW_32 = np.float32(0.693359375), np.float32(-2.12194440e-4)
_ZERO, _ONE = np.float32(0), np.float32(1)
_C2, _C3, _C4 = np.float32(1 / 2), np.float32(1 / 6), np.float32(1 / 24)
_C5, _C6, _C7 = np.float32(1 / 120), np.float32(1 / 720), np.float32(1 / 5040)

# A tile of the kernel (1 MB) that stays in the cache.
_TILE_ROWS, _TILE_COLUMNS = 128, 2048


@compiled
def single_exponentials(squares: Single, factor: np.float32, out: Single, bits: Bits) -> None:
    """Set `out` to exp(factor · squares), the factor negative, to two units in the last place."""
    for row in range(len(squares)):
        exponentials_of_row(squares[row], factor, out[row], bits)


@inner
def exponentials_of_row(squares: Single, factor: np.float32, out: Single, bits: Bits) -> None:
    """Make one row of `single_exponentials`; `bits` is a buffer of the length of the row."""
    powers = bits.view(np.float32)
    for i in range(len(squares)):
        given = factor * squares[i]
        x = given if given > _LEAST_32 else _LEAST_32
        shifted = x * _PER_BIT_32 + _ROUNDING_32
        powers[i] = shifted
        whole = shifted - _ROUNDING_32
        r = (x - whole * _LN2_HIGH_32) - whole * _LN2_LOW_32
        r2 = r * r
        low = _C2 + r * _C3
        high = (_C4 + r * _C5) + (_C6 + r * _C7) * r2
        p = _ONE + (r + r2 * (low + r2 * high))
        out[i] = p if given > _LEAST_32 else _ZERO
    for i in range(len(squares)):
        bits[i] = (bits[i] + np.int32(127)) << np.int32(23)
    for i in range(len(squares)):
        out[i] *= powers[i]


@compiled
def square_distances(rows: Matrix, columns: Matrix, out: Single) -> None:
    """Write squared distances of rows to the columns of a matrix, summed in double precision."""
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
def add_columns(
    squares: Single, where: Integers, change: Vector, factor: np.float32, out: Vector
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


class SquaredDistances:
    """Squared distances of all pairs of rows, in single precision."""

    def __init__(self, rows: Matrix) -> None:
        self._squares = np.empty((len(rows), len(rows)), np.float32)
        square_distances(rows, np.ascontiguousarray(rows.T), self._squares)
        # The system takes longer to provide new memory than the kernel takes to compute.
        self._room = np.empty(0, np.float32)

    def kernel(self, gamma: float, chosen: NDArray[np.intp] | None = None) -> Single:
        """Return the kernel matrix of all or some rows, in memory that the next call overwrites."""
        squares = self._squares if chosen is None else self._squares[np.ix_(chosen, chosen)]
        if self._room.size < squares.size:
            self._room = np.empty(squares.size, np.float32)
        kernel = self._room[: squares.size].reshape(squares.shape)
        single_exponentials(squares, np.float32(-gamma), kernel, _buffer(squares))
        return kernel

    def times(self, change: Vector, gamma: float) -> Vector:
        """Multiply the kernel matrix with a vector that is mostly zero."""
        result = np.zeros(len(change))
        add_columns(self._squares, np.flatnonzero(change), change, np.float32(-gamma), result)
        return result


def kernel_times_weights(rows: Matrix, columns: Matrix, weights: Matrix, gamma: float) -> Matrix:
    """
    Evaluate Σ_j k(x_i, y_j) w_j for each column of weights, without storing the kernel matrix.

    Exponentials and products are in single precision; tiles are summed in double precision.
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
            single_exponentials(tile, np.float32(-gamma), tile, _buffer(tile))
            result[top : top + _TILE_ROWS] += tile @ weight
    return result


def _buffer(matrix: Single) -> Bits:
    return np.empty(matrix.shape[1], np.int32)
