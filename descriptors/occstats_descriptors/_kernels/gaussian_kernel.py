"""
The Gaussian kernel in blocks: a matrix product in double precision, then exponentials.

This module does not import numba, which takes longer than most kernels of few rows.

Benefit: scoring is 8 to 11 times as fast as LIBSVM.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from occstats_descriptors._kernels import Array, Matrix, Single, Vector
from occstats_descriptors._kernels.threads import for_each_block, single_threaded_blas

# A tile of the kernel matrix (0.5 MB) fits in the cache of a core, and its memory is reused.
_BLOCK_ROWS = 256
_TILE_COLUMNS = 256
# Rows beyond this are infinitely far from any other; their squares are still finite.
_FAR = 1e140
# Norms (in units of the kernel width) from which their difference loses too many digits.
_CANCELLING = 1e8


def bounded(rows: Matrix) -> Matrix:
    """Clip rows to numbers whose squares are finite."""
    return np.clip(rows, -_FAR, _FAR)


def kernel_matrix(rows: Matrix, columns: Matrix, gamma: float) -> Single:
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
    # Rounding must not make a row more similar to another row than to itself.
    return np.minimum(result, 1, out=result)


def kernel_times(
    rows: Matrix,
    columns: Matrix,
    weights: Array,
    gamma: float,
    *,
    threads: int = 1,
    dtype: type = np.float64,
) -> Vector:
    """
    Evaluate Σ_j k(x_i, y_j) w_j without storing the kernel matrix.

    Exponents are in double precision; `dtype` is the type of the exponentials and of their products
    with the weights. Tiles are summed in double precision.
    """
    weights = np.ascontiguousarray(weights, dtype=dtype)
    result = np.zeros(len(rows))
    if len(columns) == 0 or len(rows) == 0:
        return result
    exponents = _exponents(rows, columns, gamma)

    def work(part: slice) -> None:
        for tile in _tiles(len(columns)):
            with np.errstate(over="ignore"):
                kernel: Array = exponents(part, tile).astype(dtype, copy=False)
            result[part] += np.exp(kernel, out=kernel) @ weights[tile]

    with single_threaded_blas():
        for_each_block(work, len(rows), _BLOCK_ROWS, threads)
    return result


def _exponents(rows: Matrix, columns: Matrix, gamma: float) -> Callable[[slice, slice], Matrix]:
    """Return a function that evaluates −γ‖x − y‖² for slices of the rows and columns."""
    row_norms = gamma * np.einsum("ij,ij->i", rows, rows)
    column_norms = gamma * np.einsum("ij,ij->i", columns, columns)
    if max(row_norms.max(initial=0.0), column_norms.max(initial=0.0)) > _CANCELLING:
        from scipy.spatial.distance import cdist

        return lambda part, tile: -gamma * cdist(rows[part], columns[tile], "sqeuclidean")
    # 2γ x·y − γ‖x‖² − γ‖y‖² as one matrix product.
    left = np.column_stack([rows, -row_norms, np.ones(len(rows))])
    right = np.vstack([(2 * gamma) * columns.T, np.ones(len(columns)), -column_norms])
    return lambda part, tile: left[part] @ right[:, tile]


def _tiles(columns: int) -> list[slice]:
    return [slice(start, start + _TILE_COLUMNS) for start in range(0, columns, _TILE_COLUMNS)]
