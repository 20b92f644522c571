"""The Gaussian kernel in blocks: a matrix product in double precision, then exponentials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.threads import for_each_block, single_threaded_blas
from occstats_descriptors.base import Matrix

__all__ = ["bounded", "kernel_matrix", "kernel_times"]

# A tile of the kernel matrix (0.5 MB) stays in the cache of a core, and is small enough for its
# memory to be used again instead of being asked of the system each time.
_BLOCK_ROWS = 256
_TILE_COLUMNS = 256


# Rows further out than this are infinitely far from any other; their squares are still finite.
_FAR = 1e140
# From norms (in units of the kernel width) of this size on, their difference loses too many digits.
_CANCELLING = 1e8
# Exponentials that NumPy makes in less time than it takes to load the compiled function.
_WORTH_COMPILING = 200_000


def bounded(rows: Matrix) -> Matrix:
    """Keep rows within what can be squared."""
    return np.clip(rows, -_FAR, _FAR)


def kernel_matrix(rows: Matrix, columns: Matrix, gamma: float) -> NDArray[np.float32]:
    """Evaluate exp(−γ‖x − y‖²) for all pairs, in single precision."""
    result = np.empty((len(rows), len(columns)), dtype=np.float32)
    exponents = _exponents(rows, columns, gamma)

    def work(part: slice) -> None:
        for tile in _tiles(len(columns)):
            with np.errstate(over="ignore"):
                result[part, tile] = exponents(part, tile)
        np.exp(result[part], out=result[part])

    with single_threaded_blas():
        for_each_block(work, len(rows), _BLOCK_ROWS, 1)
    # Rounding must not make a row more similar to another than to itself.
    return np.minimum(result, 1, out=result)


def kernel_times(
    rows: Matrix,
    columns: Matrix,
    weights: NDArray[Any],
    gamma: float,
    *,
    threads: int = 1,
    dtype: type = np.float64,
) -> NDArray[np.float64]:
    """
    Evaluate Σ_j k(x_i, y_j) w_j without keeping the kernel matrix.

    The exponents are made in double precision; `dtype` is that of the exponentials and of their
    products with the weights, which are added up in double precision tile by tile.
    """
    weights = np.ascontiguousarray(weights, dtype=dtype)
    result = np.zeros(len(rows))
    if len(columns) == 0 or len(rows) == 0:
        return result
    exponents = _exponents(rows, columns, gamma)
    exponential = _exponential(len(rows) * len(columns), dtype)

    def work(part: slice) -> None:
        for tile in _tiles(len(columns)):
            with np.errstate(over="ignore"):
                kernel: NDArray[Any] = exponents(part, tile).astype(dtype, copy=False)
            exponential(kernel)
            result[part] += kernel @ weights[tile]

    with single_threaded_blas():
        for_each_block(work, len(rows), _BLOCK_ROWS, threads)
    return result


def _exponents(rows: Matrix, columns: Matrix, gamma: float) -> Callable[[slice, slice], Matrix]:
    """Make the function that evaluates −γ‖x − y‖² for slices of the rows and columns."""
    row_norms = gamma * np.einsum("ij,ij->i", rows, rows)
    column_norms = gamma * np.einsum("ij,ij->i", columns, columns)
    if max(row_norms.max(initial=0.0), column_norms.max(initial=0.0)) > _CANCELLING:
        from scipy.spatial.distance import cdist

        return lambda part, tile: -gamma * cdist(rows[part], columns[tile], "sqeuclidean")
    # 2γ x·y − γ‖x‖² − γ‖y‖² as one matrix product.
    left = np.column_stack([rows, -row_norms, np.ones(len(rows))])
    right = np.vstack([(2 * gamma) * columns.T, np.ones(len(columns)), -column_norms])
    return lambda part, tile: left[part] @ right[:, tile]


def _exponential(count: int, dtype: type) -> Callable[[NDArray[Any]], object]:
    """Choose what replaces a matrix by its exponentials, `count` of them in all."""
    # NumPy has vector instructions for single precision on all processors, for double on some.
    if dtype is not np.float64 or count < _WORTH_COMPILING:
        return lambda kernel: np.exp(kernel, out=kernel)
    from occstats_descriptors._exponential import exponentials

    return exponentials


def _tiles(columns: int) -> list[slice]:
    return [slice(start, start + _TILE_COLUMNS) for start in range(0, columns, _TILE_COLUMNS)]
