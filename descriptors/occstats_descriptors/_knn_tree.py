"""The exact search for few attributes: a balanced tree with small leaves."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._knn_blocks import Blocks, kd_order, lay_out
from occstats_descriptors._knn_threads import over_threads
from occstats_descriptors._knn_tree_kernel import search_tree

__all__ = ["TreeSearch"]

Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAF = 32
CHUNK = 256


class TreeSearch:
    """Exact Manhattan or (squared) Euclidean nearest neighbours, by (distance, row)."""

    def __init__(self, X: Matrix, *, squared: bool, threads: int) -> None:
        self.X = X
        self.squared = squared
        self.threads = threads

    @cached_property
    def leaves(self) -> Blocks:
        """Leaves, as many as a complete tree has; the last ones may be empty."""
        n = len(self.X)
        order = kd_order(self.X, LEAF)
        missing = (1 << (len(order) - 1).bit_length()) - len(order)
        return lay_out(self.X, np.pad(order, ((0, missing), (0, 0)), constant_values=n))

    @cached_property
    def boxes(self) -> Matrix:
        """Boxes of all nodes, lows then highs: the root first, the leaves last."""
        m = self.X.shape[1]
        level = np.hstack([self.leaves.lows.T, self.leaves.highs.T])
        levels = [level]
        while len(level) > 1:
            one, other = level[0::2], level[1::2]
            lows = np.minimum(one[:, :m], other[:, :m])
            level = np.hstack([lows, np.maximum(one[:, m:], other[:, m:])])
            levels.append(level)
        return np.vstack(levels[::-1])

    def search(self, queries: Matrix, k: int, excluded: Indices) -> tuple[Matrix, Indices]:
        """
        Find the k nearest rows of each query, leaving out the row `excluded` (−1: none).

        Returns reduced distances (squared if Euclidean) and rows.
        """
        leaves, boxes = self.leaves, self.boxes
        distances = np.empty((len(queries), k))
        indices = np.empty((len(queries), k), dtype=np.int64)

        def work(rows: Indices) -> None:
            found_d = np.empty((len(rows), k))
            found_i = np.empty((len(rows), k), dtype=np.int64)
            search_tree(
                queries[rows], excluded[rows], leaves.points, leaves.ids, boxes, k, self.squared,
                found_d, found_i,
            )  # fmt: skip
            distances[rows], indices[rows] = found_d, found_i

        rows = np.arange(len(queries))
        if queries is self.X:
            rows = leaves.ids[leaves.ids < len(rows)]  # near queries visit the same leaves
        over_threads(work, rows, CHUNK, self.threads)
        return distances, indices
