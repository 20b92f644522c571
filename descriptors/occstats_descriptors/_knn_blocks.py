"""Points laid out for the search: blocks of near points, feature-major, with their boxes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Blocks", "kd_order", "lay_out", "natural_order"]

VECTOR = 16
SAMPLE = 64


@dataclass(frozen=True, eq=False)
class Blocks:
    """
    Blocks of points.

    Attributes
    ----------
    points : ndarray of shape (blocks, features, size)
        Coordinates; places left over hold infinity, which is farther than any point.
    ids : ndarray of shape (blocks, size)
        Row of each point; places left over hold ``n``, after all rows.
    lows, highs : ndarray of shape (features, blocks)
        Box around the points of each block; that of an empty block is infinitely far.
    """

    points: NDArray[Any]
    ids: NDArray[np.int64]
    lows: NDArray[Any]
    highs: NDArray[Any]

    @cached_property
    def tree(self) -> NDArray[Any]:
        """
        Boxes of the nodes of the complete binary tree over the blocks, lows then highs.

        Nodes are numbered as in a heap: the root first, the children of node v are 2v + 1 and
        2v + 2, the blocks themselves come last. Only for a number of blocks that is a power of two.
        """
        m = len(self.lows)
        level = np.hstack([self.lows.T, self.highs.T])
        levels = [level]
        while len(level) > 1:
            one, other = level[0::2], level[1::2]
            lows = np.minimum(one[:, :m], other[:, :m])
            level = np.hstack([lows, np.maximum(one[:, m:], other[:, m:])])
            levels.append(level)
        return np.vstack(levels[::-1])


def kd_order(X: NDArray[np.float64], leaf: int) -> NDArray[np.int64]:
    """
    Order rows by median splits along the attribute of widest spread, all nodes of a level at once.

    The spread of a node is estimated from a regular sample of its rows, which is as good for
    pruning as the exact one and costs little when there are many attributes.

    Returns
    -------
    ndarray of shape (leaves, size)
        Rows of each leaf, about `leaf` of them; the number of leaves is a power of two. Places left
        over hold n, and are all in the last leaves.
    """
    n = len(X)
    depth = max(0, round(np.log2(n / leaf)))
    size = -(-n // 2**depth)
    size = -(-size // VECTOR) * VECTOR
    order = np.full(size * 2**depth, n)
    order[:n] = np.arange(n)
    order = order.reshape(1, -1)
    padded = np.vstack([X, np.full((1, X.shape[1]), np.inf)])
    for _ in range(depth):
        length = order.shape[1]
        sample = padded[order[:, :: max(1, length // SAMPLE)]]
        lows = sample.min(axis=1)
        highs = np.where(np.isinf(sample), -np.inf, sample).max(axis=1)
        # halved, so that the spread of numbers near the largest is finite
        widest = np.argmax(highs / 2 - lows / 2, axis=1)
        keys = padded[order, widest[:, None]]
        halves = np.argpartition(keys, length // 2 - 1, axis=1)
        order = np.take_along_axis(order, halves, axis=1).reshape(-1, length // 2)
    return order


def natural_order(n: int, size: int) -> NDArray[np.int64]:
    """Order rows as they are."""
    size = min(size, -(-n // VECTOR) * VECTOR)
    order = np.full(-(-n // size) * size, n)
    order[:n] = np.arange(n)
    return order.reshape(-1, size)


def lay_out(X: NDArray[Any], order: NDArray[np.int64]) -> Blocks:
    """Copy rows, in the given order, into blocks of their own type."""
    padded = np.vstack([X, np.full((1, X.shape[1]), np.inf, dtype=X.dtype)])
    points = np.ascontiguousarray(padded[order].transpose(0, 2, 1))
    lows = points.min(axis=2).T
    highs = points.max(axis=2).T
    for block in np.flatnonzero((order == len(X)).any(axis=1)):
        rows = order[block, order[block] < len(X)]
        highs[:, block] = X[rows].max(axis=0, initial=-np.inf)
    return Blocks(points, order, np.ascontiguousarray(lows), np.ascontiguousarray(highs))
