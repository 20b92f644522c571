"""Points laid out for the search: blocks of near points, feature-major, with their boxes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.jit import compiled, put
from occstats_descriptors._tile import BYTES

__all__ = ["Blocks", "kd_order", "lay_out", "natural_order"]

VECTOR = 16
SAMPLE = 64


@dataclass(frozen=True, eq=False)
class Blocks:
    """
    Blocks of points.

    Attributes
    ----------
    points : ndarray of shape (blocks, tiles, features, lanes)
        Coordinates, in tiles of as many points as 64 bytes hold numbers; places left over hold
        infinity, which is farther than any point.
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
    Order rows by median splits along the attribute of widest spread.

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
    _split(X, size, order)
    return order.reshape(-1, size)


@compiled
def _select(
    keys: NDArray[np.float64],
    order: NDArray[np.int64],
    low: int,
    high: int,
    middle: int,
    sample: NDArray[np.float64],
) -> None:
    """Bring the smallest keys in [low, high], and what belongs to them, before place `middle`."""
    while low < high:
        pivot = keys[(low + high) // 2]
        step = (high - low) // SAMPLE
        if step >= 8:  # many: the median of a sample leaves little to do after one pass
            size = 0
            for place in range(low, high + 1, step):
                value, slot = keys[place], size
                while slot > 0 and sample[slot - 1] > value:
                    sample[slot] = sample[slot - 1]
                    slot -= 1
                sample[slot] = value
                size += 1
            pivot = sample[(middle - low) * (size - 1) // (high - low)]
        left, right = low, high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                order[left], order[right] = order[right], order[left]
                left += 1
                right -= 1
        if middle - 1 <= right:
            high = right
        elif middle - 1 >= left:
            low = left
        else:
            return


@compiled
def _split(X: NDArray[np.float64], size: int, order: NDArray[np.int64]) -> None:
    """Part the rows of each node at the median, down to nodes of `size` places."""
    n, m = X.shape
    keys, sample = np.empty(n), np.empty(2 * SAMPLE)
    lows, highs = np.empty(m), np.empty(m)
    pending = np.empty((64, 2), np.int64)
    put(pending, 0, (0, len(order)))
    waiting = 1
    while waiting > 0:
        waiting -= 1
        first, end = pending[waiting, 0], pending[waiting, 1]
        middle, last = (first + end) // 2, min(end, n)
        if end - first <= size or first >= n:
            continue
        if middle < last:
            # A regular sample of rows: as good for pruning as all of them, and much cheaper.
            step = max(1, (last - first) // SAMPLE)
            lows[:] = np.inf
            highs[:] = -np.inf
            for place in range(first, last, step):
                row = X[order[place]]
                for attribute in range(m):
                    lows[attribute] = min(lows[attribute], row[attribute])
                    highs[attribute] = max(highs[attribute], row[attribute])
            widest, spread = 0, -1.0
            for attribute in range(m):
                # halved, so that the spread of numbers near the largest is finite
                width = highs[attribute] / 2 - lows[attribute] / 2
                if width > spread:
                    widest, spread = attribute, width
            for place in range(first, last):
                keys[place] = X[order[place], widest]
            _select(keys, order, first, last - 1, middle, sample)
        put(pending, waiting, (middle, end))
        put(pending, waiting + 1, (first, middle))
        waiting += 2


def natural_order(n: int, size: int) -> NDArray[np.int64]:
    """Order rows as they are."""
    size = min(size, -(-n // VECTOR) * VECTOR)
    order = np.full(-(-n // size) * size, n)
    order[:n] = np.arange(n)
    return order.reshape(-1, size)


def lay_out(X: NDArray[Any], order: NDArray[np.int64]) -> Blocks:
    """Copy rows, in the given order, into blocks of their own type."""
    blocks, size = order.shape
    m = X.shape[1]
    lanes = BYTES // X.itemsize
    points = np.empty((blocks, size // lanes, m, lanes), X.dtype)
    lows, highs = np.empty((m, blocks), X.dtype), np.empty((m, blocks), X.dtype)
    _fill(X, order, points, lows, highs)
    return Blocks(points, order, lows, highs)


@compiled
def _fill(
    X: NDArray[Any],
    order: NDArray[np.int64],
    points: NDArray[Any],
    lows: NDArray[Any],
    highs: NDArray[Any],
) -> None:
    n, m = X.shape
    _, tiles, _, lanes = points.shape
    for block in range(len(order)):
        for attribute in range(m):
            low, high = np.inf, -np.inf
            for tile in range(tiles):
                for lane in range(lanes):
                    row = order[block, tile * lanes + lane]
                    if row >= n:
                        points[block, tile, attribute, lane] = np.inf
                        continue
                    value = X[row, attribute]
                    points[block, tile, attribute, lane] = value
                    low, high = min(low, value), max(high, value)
            lows[attribute, block] = low
            # The box of an empty block is infinitely far.
            highs[attribute, block] = high if order[block, 0] < n else np.inf
