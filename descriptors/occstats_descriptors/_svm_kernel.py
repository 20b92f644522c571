"""The Gaussian kernel in blocks: a matrix product in double precision, then exponentials."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._blocks import for_each_block, single_threaded_blas
from occstats_descriptors.base import Matrix, Vector

__all__ = ["kernel_matrix", "kernel_times"]

# Elements of one block of the kernel matrix: few enough to stay in the cache of a core.
_BLOCK_ELEMENTS = 1 << 17


def kernel_matrix(rows: Matrix, columns: Matrix, gamma: float) -> NDArray[np.float32]:
    """Evaluate exp(−γ‖x − y‖²) for all pairs, in single precision."""
    result = np.empty((len(rows), len(columns)), dtype=np.float32)
    right, right_norms = _right_side(columns, gamma)
    left_norms = gamma * np.einsum("ij,ij->i", rows, rows)
    step = _step(len(columns))
    with single_threaded_blas():
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            exponents = rows[part] @ right
            exponents -= right_norms
            exponents -= left_norms[part, None]
            np.minimum(exponents, 0, out=exponents)
            block = result[part]
            np.copyto(block, exponents, casting="same_kind")
            np.exp(block, out=block)
    return result


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
    products with the weights.
    """
    weights = np.ascontiguousarray(weights, dtype=dtype)
    result = np.zeros((len(rows), *weights.shape[1:]))
    if len(columns) == 0 or len(rows) == 0:
        return result
    right, right_norms = _right_side(columns, gamma)
    left_norms = gamma * np.einsum("ij,ij->i", rows, rows)

    def work(part: slice) -> None:
        exponents = rows[part] @ right
        exponents -= right_norms
        exponents -= left_norms[part, None]
        np.minimum(exponents, 0, out=exponents)
        kernel: NDArray[Any] = exponents.astype(dtype, copy=False)
        np.exp(kernel, out=kernel)
        result[part] = kernel @ weights

    with single_threaded_blas():
        for_each_block(work, len(rows), _step(len(columns)), threads)
    return result


def _right_side(columns: Matrix, gamma: float) -> tuple[Matrix, Vector]:
    return (2 * gamma) * columns.T, gamma * np.einsum("ij,ij->i", columns, columns)


def _step(columns: int) -> int:
    return max(8, _BLOCK_ELEMENTS // max(columns, 1))
