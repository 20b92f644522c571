"""The exact search for Minkowski metrics other than the Manhattan and the Euclidean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

__all__ = ["MinkowskiSearch"]

BLOCK = 4_000_000  # distances held at a time


class MinkowskiSearch:
    """Exact nearest neighbours by (distance, row) from blocks of all distances."""

    def __init__(self, X: NDArray[np.float64], *, exponent: float) -> None:
        self.X = X
        self.exponent = exponent

    def search(
        self, queries: NDArray[np.float64], k: int, excluded: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Find the k nearest rows of each query, leaving out the row `excluded` (−1: none)."""
        distances = np.empty((len(queries), k))
        indices = np.empty((len(queries), k), dtype=np.int64)
        step = max(1, BLOCK // len(self.X))
        for start in range(0, len(queries), step):
            rows = slice(start, start + step)
            distances[rows], indices[rows] = self._nearest(queries[rows], k, excluded[rows])
        return distances, indices

    def _nearest(
        self, queries: NDArray[np.float64], k: int, excluded: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        if np.isinf(self.exponent):
            every = cdist(queries, self.X, "chebyshev")
        else:
            every = cdist(queries, self.X, "minkowski", p=self.exponent)
        own = np.flatnonzero(excluded >= 0)
        every[own, excluded[own]] = np.nan  # sorted after infinity
        limits = np.partition(every, k - 1, axis=1)[:, k - 1]
        distances, indices = (
            np.empty((len(queries), k)),
            np.empty((len(queries), k), dtype=np.int64),
        )
        for row, limit in enumerate(limits):
            near = np.flatnonzero(every[row] <= limit)
            # A stable sort keeps equal distances in the order of rows.
            indices[row] = near[np.argsort(every[row, near], kind="stable")[:k]]
            distances[row] = every[row, indices[row]]
        return distances, indices
