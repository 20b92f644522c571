"""
Exact nearest neighbours in the Manhattan and Euclidean metrics, by (distance, row).

Training rows are stored in blocks of some hundred nearby points, feature-major in tiles of 64
bytes, so that vector instructions run over points. Each distance is the sum of its terms in the
order of the features, in every block and kernel: equal points have bitwise equal distances.
Rounding is monotone, so the bound of a box never exceeds the computed distance of a point in it.

Benefit: for 1,024 queries, 1 to 7 times as fast as the best of nanoflann, faiss, cKDTree and
scikit-learn-intelex, most of which use single precision only (with 649 attributes, 0.8 times), and
2 to 50 times as fast as scikit-learn's KD-tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from occstats_descriptors._kernels import Array, Integers, Matrix, Vector
from occstats_descriptors._kernels.jit import compiled, inner, put
from occstats_descriptors._kernels.threads import for_each_block
from occstats_descriptors._kernels.tiles import absolute_difference, squared_difference, tile

# Largest number of attributes, rows of a block. With few attributes, the nearest rows are in few
# small blocks; with very many, a large block would not fit in the cache.
BLOCKS = ((6, 64), (16, 128), (256, 384), (np.inf, 32))
CHUNK = 128  # queries of one call of the kernel
LANES = 16  # numbers of a feature in a tile; a block has a multiple of this number of points
SAMPLE = 64  # rows that determine the attribute of a split


class BlockSearch:
    """Search in a tree of blocks of training rows, nearest block first."""

    def __init__(self, X: Matrix, *, squared: bool, threads: int) -> None:
        self.X = X
        self.squared = squared
        self.threads = threads
        m = X.shape[1]
        self._ids = kd_order(X, next(size for limit, size in BLOCKS if m <= limit))
        count, size = self._ids.shape
        self._points = np.empty((count, size // LANES, m, LANES))
        boxes = np.empty((count, 2 * m))
        _fill(X, self._ids, self._points, boxes)
        self._boxes = _tree(boxes)

    def search(self, queries: Matrix, k: int, excluded: Integers) -> tuple[Matrix, Integers]:
        """
        Find the k nearest rows of each query, except for the row `excluded` (−1: none).

        Returns reduced distances (squared if Euclidean) and rows.
        """
        distances = np.empty((len(queries), k))
        indices = np.empty((len(queries), k), dtype=np.int64)
        # Nearby queries that follow each other find the blocks that they need in the cache.
        rows = self._ids[self._ids < len(queries)] if queries is self.X else np.arange(len(queries))

        def work(part: slice) -> None:
            some = rows[part]
            near_d, near_i = np.empty((len(some), k)), np.empty((len(some), k), dtype=np.int64)
            search_tree(
                queries[some], excluded[some], self._points, self._ids, self._boxes, self.squared,
                near_d, near_i,
            )  # fmt: skip
            distances[some], indices[some] = near_d, near_i

        for_each_block(work, len(rows), CHUNK, self.threads)
        return distances, indices


def kd_order(X: Matrix, leaf: int) -> Integers:
    """
    Order rows by median splits along the attribute of widest spread.

    Returns the rows of each of 2ⁱ leaves, about `leaf` of them. Unused places hold n, and are all
    in the last leaves.
    """
    n = len(X)
    leaves = 2 ** max(0, round(np.log2(n / leaf)))
    size = -(-n // (leaves * LANES)) * LANES
    order = np.full(size * leaves, n)
    order[:n] = np.arange(n)
    _split(X, size, order)
    return order.reshape(-1, size)


@inner
def _select(keys: Vector, order: Integers, low: int, high: int, middle: int) -> None:
    """Move the smallest keys in [low, high], and their order, before place `middle`."""
    while low < high:
        pivot = keys[(low + high) // 2]
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
def _split(X: Matrix, size: int, order: Integers) -> None:
    """Split the rows of each node at the median, down to nodes of `size` places."""
    n, m = X.shape
    keys = np.empty(n)
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
            # A regular sample of rows prunes as well as all of them, and is much cheaper.
            step = max(1, (last - first) // SAMPLE)
            widest, spread = 0, -1.0
            for attribute in range(m):
                low, high = np.inf, -np.inf
                for place in range(first, last, step):
                    # halved, so that the spread of numbers near the largest is finite
                    value = X[order[place], attribute] / 2
                    low, high = min(low, value), max(high, value)
                if high - low > spread:
                    widest, spread = attribute, high - low
            for place in range(first, last):
                keys[place] = X[order[place], widest]
            _select(keys, order, first, last - 1, middle)
        put(pending, waiting, (middle, end))
        put(pending, waiting + 1, (first, middle))
        waiting += 2


@compiled
def _fill(X: Matrix, ids: Integers, points: Array, boxes: Matrix) -> None:
    """
    Copy rows into their blocks, and write the box around each: lows, then highs.

    Unused places hold infinity, which is farther than any point; so is the box of an empty block.
    """
    n, m = X.shape
    for block in range(len(ids)):
        for attribute in range(m):
            low, high = np.inf, -np.inf
            for place in range(ids.shape[1]):
                row, value = ids[block, place], np.inf
                if row < n:
                    value = X[row, attribute]
                    low, high = min(low, value), max(high, value)
                points[block, place // LANES, attribute, place % LANES] = value
            boxes[block, attribute] = low
            boxes[block, m + attribute] = high if ids[block, 0] < n else np.inf


def _tree(boxes: Matrix) -> Matrix:
    """
    Return the boxes of the nodes of the complete binary tree over the blocks.

    Nodes are numbered as in a heap: the root is first, the children of node v are 2v + 1 and
    2v + 2, and the blocks come last.
    """
    m = boxes.shape[1] // 2
    levels = [boxes]
    while len(levels[-1]) > 1:
        one, other = levels[-1][0::2], levels[-1][1::2]
        lows = np.minimum(one[:, :m], other[:, :m])
        levels.append(np.hstack([lows, np.maximum(one[:, m:], other[:, m:])]))
    return np.vstack(levels[::-1])


absolute, squared_sum = (tile(1, LANES, term) for term in (absolute_difference, squared_difference))


@inner
def measure(points: Array, block: int, query: Array, squared: bool, out: Array) -> None:
    """Write the distances of a query to the points of a block."""
    _, tiles, features, _ = points.shape
    for number in range(tiles):
        place = number * LANES
        first = (block * tiles + number) * features * LANES
        if squared:
            squared_sum(query, 0, 0, points, first, LANES, out, place, 0, out, place, 0, features)
        else:
            absolute(query, 0, 0, points, first, LANES, out, place, 0, out, place, 0, features)


@inner
def box_bound(box: Array, query: Array, squared: bool) -> Any:
    """Return a lower bound of the distances of a query to the points in a box."""
    features = len(query)
    total = 0.0
    for f in range(features):
        gap = max(box[f] - query[f], query[f] - box[features + f], 0.0)
        total += gap * gap if squared else gap
    return total


@inner
def collect(
    distances: Array, ids: Array, excluded: int, limit: float, near_d: Array, near_i: Array,
    filled: int,
) -> tuple[int, float]:  # fmt: skip
    """
    Insert the points of a block that are among the nearest so far.

    Returns the number of points found and the limit, the distance beyond which points can be
    skipped.
    """
    k = len(near_d)
    count = 0
    for i in range(len(distances)):  # vectorised; most often the count is zero
        count += distances[i] <= limit
    if count == 0:
        return filled, limit
    for i in range(len(distances)):
        distance, index = distances[i], ids[i]
        if not distance <= limit or index == excluded:
            continue
        if filled < k:
            filled += 1
        elif distance == near_d[k - 1] and index > near_i[k - 1]:
            continue
        place = filled - 1  # of the pairs in order, the last is overwritten
        while place > 0 and (
            distance < near_d[place - 1]
            or (distance == near_d[place - 1] and index < near_i[place - 1])
        ):
            near_d[place], near_i[place] = near_d[place - 1], near_i[place - 1]
            place -= 1
        near_d[place], near_i[place] = distance, index
        if filled == k:
            limit = near_d[k - 1]
    return filled, limit


@compiled
def search_tree(
    queries: Array,
    excluded: Array,
    points: Array,
    ids: Array,
    boxes: Array,
    squared: bool,
    near_d: Array,
    near_i: Array,
) -> None:
    """
    Find the nearest points of each query by (distance, index), nearer child first.

    Nodes whose box is beyond the limit, the distance of the farthest point so far, are skipped.
    """
    n_blocks, size = ids.shape
    near = np.empty(size)
    stack, bounds = np.empty(128, np.int64), np.empty(128)
    for row in range(len(queries)):
        query = queries[row]
        limit, filled = np.inf, 0
        stack[0], bounds[0] = 0, 0.0
        depth = 1
        while depth > 0:
            depth -= 1
            node, bound = stack[depth], bounds[depth]
            while bound <= limit and node < n_blocks - 1:
                node = 2 * node + 1
                bound = box_bound(boxes[node], query, squared)
                other = box_bound(boxes[node + 1], query, squared)
                if bound <= other:
                    stack[depth], bounds[depth] = node + 1, other
                else:
                    stack[depth], bounds[depth] = node, bound
                    node, bound = node + 1, other
                if bounds[depth] <= limit:
                    depth += 1
            if not bound <= limit:
                continue
            block = node - (n_blocks - 1)
            measure(points, block, query, squared, near)
            filled, limit = collect(
                near, ids[block], excluded[row], limit, near_d[row], near_i[row], filled
            )
