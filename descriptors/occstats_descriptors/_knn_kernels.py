"""Kernels of the exact nearest-neighbour search over blocks of points.

A block holds some hundred points feature-major, so that the distances of one query to all of them
are computed by vector instructions that run over points. Each distance is the sum of its terms in
the order of the features, whatever the block, the tile or the kernel: equal points have bitwise
equal distances on every path, and rounding is monotone, so that the bound of a box never exceeds
the computed distance of a point in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled

Array = NDArray[Any]
INSERTION = 24
SORTED = 256  # neighbours up to which inserting each in its place is fastest


@compiled
def before(distance: float, index: int, other_distance: float, other_index: int) -> bool:
    return distance < other_distance or (distance == other_distance and index < other_index)


@compiled
def partition(distances: Array, indices: Array, low: int, high: int) -> int:
    """Partition [low, high] around a median of three (Hoare); the end of the left part."""
    middle = (low + high) // 2
    for first, second in ((low, middle), (middle, high), (low, middle)):
        if before(distances[second], indices[second], distances[first], indices[first]):
            distances[first], distances[second] = distances[second], distances[first]
            indices[first], indices[second] = indices[second], indices[first]
    pivot_distance, pivot_index = distances[middle], indices[middle]
    left, right = low - 1, high + 1
    while True:
        left += 1
        while before(distances[left], indices[left], pivot_distance, pivot_index):
            left += 1
        right -= 1
        while before(pivot_distance, pivot_index, distances[right], indices[right]):
            right -= 1
        if left >= right:
            return right
        distances[left], distances[right] = distances[right], distances[left]
        indices[left], indices[right] = indices[right], indices[left]


@compiled
def sort_pairs(distances: Array, indices: Array, size: int) -> None:
    """Sort the first `size` pairs by (distance, index)."""
    starts = np.empty(64, np.int64)
    ends = np.empty(64, np.int64)
    starts[0], ends[0] = 0, size - 1
    depth = 1
    while depth > 0:
        depth -= 1
        low, high = starts[depth], ends[depth]
        while high - low > INSERTION:
            split = partition(distances, indices, low, high)
            if split - low < high - split - 1:
                starts[depth], ends[depth] = split + 1, high
                high = split
            else:
                starts[depth], ends[depth] = low, split
                low = split + 1
            depth += 1
        for i in range(low + 1, high + 1):
            distance, index = distances[i], indices[i]
            j = i - 1
            while j >= low and before(distance, index, distances[j], indices[j]):
                distances[j + 1], indices[j + 1] = distances[j], indices[j]
                j -= 1
            distances[j + 1], indices[j + 1] = distance, index


@compiled
def keep_nearest(distances: Array, indices: Array, size: int, keep: int) -> float:
    """Move the `keep` nearest of `size` pairs to the front; the largest distance of them."""
    low, high = 0, size - 1
    while low < high:
        split = partition(distances, indices, low, high)
        if keep - 1 <= split:
            high = split
        else:
            low = split + 1
    largest = distances[0]
    for i in range(1, keep):
        largest = max(largest, distances[i])
    return largest  # type: ignore[no-any-return]


@compiled
def add_distances(block: Array, query: Array, squared: bool, out: Array) -> None:
    """Add the distances of a query to the points of a block (features × points)."""
    features, size = block.shape
    f = 0
    while f + 4 <= features:
        row0, row1, row2, row3 = block[f], block[f + 1], block[f + 2], block[f + 3]
        q0, q1, q2, q3 = query[f], query[f + 1], query[f + 2], query[f + 3]
        if squared:
            for i in range(size):
                d0, d1, d2, d3 = row0[i] - q0, row1[i] - q1, row2[i] - q2, row3[i] - q3
                out[i] = (((out[i] + d0 * d0) + d1 * d1) + d2 * d2) + d3 * d3
        else:
            for i in range(size):
                pair = (out[i] + abs(row0[i] - q0)) + abs(row1[i] - q1)
                out[i] = (pair + abs(row2[i] - q2)) + abs(row3[i] - q3)
        f += 4
    while f < features:
        row, q = block[f], query[f]
        if squared:
            for i in range(size):
                out[i] += (row[i] - q) * (row[i] - q)
        else:
            for i in range(size):
                out[i] += abs(row[i] - q)
        f += 1


@compiled
def add_distances_of_four(block: Array, queries: Array, squared: bool, out: Array) -> None:
    """Add the distances of four queries to the points of a block, which is read only once."""
    features, size = block.shape
    f = 0
    while f + 4 <= features:
        row0, row1, row2, row3 = block[f], block[f + 1], block[f + 2], block[f + 3]
        for t in range(4):
            q0, q1, q2, q3 = queries[t, f], queries[t, f + 1], queries[t, f + 2], queries[t, f + 3]
            here = out[t]
            if squared:
                for i in range(size):
                    d0, d1, d2, d3 = row0[i] - q0, row1[i] - q1, row2[i] - q2, row3[i] - q3
                    here[i] = (((here[i] + d0 * d0) + d1 * d1) + d2 * d2) + d3 * d3
            else:
                for i in range(size):
                    pair = (here[i] + abs(row0[i] - q0)) + abs(row1[i] - q1)
                    here[i] = (pair + abs(row2[i] - q2)) + abs(row3[i] - q3)
        f += 4
    for t in range(4):
        add_distances(block[f:], queries[t, f:], squared, out[t])


@compiled
def box_bounds(lows: Array, highs: Array, query: Array, squared: bool, out: Array) -> None:
    """Lower bounds of the distances of one query to all boxes (features × boxes)."""
    features, boxes = lows.shape
    out[:] = 0
    zero = query[0] - query[0]
    for f in range(features):
        q = query[f]
        low, high = lows[f], highs[f]
        for b in range(boxes):
            gap = max(low[b] - q, q - high[b], zero)
            out[b] += gap * gap if squared else gap


@compiled
def room(keep: int) -> int:
    """Number of places that a buffer for `keep` points needs besides those of a block."""
    return keep if keep <= SORTED else keep + keep // 2


@compiled
def collect(
    distances: Array,
    ids: Array,
    excluded: int,
    keep: int,
    limit: Any,
    buffer_d: Array,
    buffer_i: Array,
    filled: int,
) -> tuple[int, Any]:
    """
    Take the points of a block that are among the `keep` nearest so far into the buffer.

    Returns the number of points in the buffer and the new limit: the distance beyond which points
    need not be looked at. A short buffer is kept sorted; a long one is cut when it is full.
    """
    count = 0
    for i in range(distances.shape[0]):  # by vector instructions: most often there are none
        count += distances[i] <= limit
    if count == 0:
        return filled, limit
    if keep > SORTED:
        for i in range(distances.shape[0]):
            if distances[i] <= limit and ids[i] != excluded:
                buffer_d[filled], buffer_i[filled] = distances[i], ids[i]
                filled += 1
        if filled >= room(keep):
            limit = keep_nearest(buffer_d, buffer_i, filled, keep)
            filled = keep
        return filled, limit
    for i in range(distances.shape[0]):
        distance, index = distances[i], ids[i]
        if not distance <= limit or index == excluded:
            continue
        if filled < keep:
            filled += 1
        elif not before(distance, index, buffer_d[keep - 1], buffer_i[keep - 1]):
            continue
        place = filled - 1
        while place > 0 and before(distance, index, buffer_d[place - 1], buffer_i[place - 1]):
            buffer_d[place], buffer_i[place] = buffer_d[place - 1], buffer_i[place - 1]
            place -= 1
        buffer_d[place], buffer_i[place] = distance, index
        if filled == keep:
            limit = buffer_d[keep - 1]
    return filled, limit


@compiled
def finish(
    buffer_d: Array, buffer_i: Array, filled: int, keep: int, out_d: Array, out_i: Array
) -> None:
    """Write the `keep` nearest points of the buffer, sorted by (distance, index)."""
    if keep > SORTED:
        keep_nearest(buffer_d, buffer_i, filled, keep)
        sort_pairs(buffer_d, buffer_i, keep)
    for i in range(keep):  # assigning slices would take seconds more to compile
        out_d[i], out_i[i] = buffer_d[i], buffer_i[i]


@compiled
def search_blocks(
    queries: Array,
    excluded: Array,
    points: Array,
    ids: Array,
    lows: Array,
    highs: Array,
    keep: int,
    squared: bool,
    group: int,
    out_d: Array,
    out_i: Array,
) -> None:
    """
    Find the `keep` nearest points of each query by (distance, index).

    A query first visits the block with the nearest box, then, in a group of queries that share
    an order of blocks and so the cache, those whose box is not beyond its limit, the distance
    of the `keep`-th nearest point so far.
    """
    n_queries = queries.shape[0]
    n_blocks, _, size = points.shape
    places = room(keep) + size
    buffer_d = np.empty((group, places), points.dtype)
    buffer_i = np.empty((group, places), np.int64)
    near = np.empty((4, size), points.dtype)
    bounds = np.empty((group, n_blocks), points.dtype)
    nearest_bounds = np.empty(n_blocks, points.dtype)
    order = np.empty(n_blocks, np.int64)
    limits = np.empty(group, points.dtype)
    sizes = np.empty(group, np.int64)
    for start in range(0, n_queries, group):
        count = min(group, n_queries - start)
        limits[:] = np.inf
        sizes[:] = 0
        for b in range(n_blocks):
            order[b] = b
            nearest_bounds[b] = np.inf
        for t in range(count):
            box_bounds(lows, highs, queries[start + t], squared, bounds[t])
            for b in range(n_blocks):
                nearest_bounds[b] = min(nearest_bounds[b], bounds[t, b])
        sort_pairs(nearest_bounds, order, n_blocks)
        for position in range(-1, n_blocks):
            for four in range(0, count, 4):
                wanted = 0
                if position >= 0 and four + 4 <= count:
                    b = order[position]
                    for t in range(four, four + 4):
                        wanted += bounds[t, b] <= limits[t]
                    if wanted > 2:
                        some = queries[start + four : start + four + 4]
                        near[:, :] = 0
                        add_distances_of_four(points[b], some, squared, near)
                for t in range(four, min(four + 4, count)):
                    b = order[position] if position >= 0 else bounds[t].argmin()
                    if not bounds[t, b] <= limits[t]:
                        continue
                    bounds[t, b] = np.nan  # done
                    here = near[t - four]
                    if wanted <= 2:
                        here[:] = 0
                        add_distances(points[b], queries[start + t], squared, here)
                    own = excluded[start + t]
                    sizes[t], limits[t] = collect(
                        here, ids[b], own, keep, limits[t], buffer_d[t], buffer_i[t], sizes[t]
                    )
        for t in range(count):
            row = start + t
            finish(buffer_d[t], buffer_i[t], sizes[t], keep, out_d[row], out_i[row])


@compiled
def rerank(
    queries: Array,
    points: Array,
    squared: bool,
    candidates: Array,
    k: int,
    out_d: Array,
    out_i: Array,
    beyond: Array,
    certain: Array,
) -> None:
    """
    Order float32 candidates by their float64 distances, and certify the k nearest of each row.

    ``beyond[row]`` is a lower bound of the distance of every point that is not a candidate: the row
    is certain if its k-th distance is below that.
    """
    n_queries, keep = candidates.shape
    features = queries.shape[1]
    distances = np.empty(keep + 3, np.float64)
    indices = np.empty(keep, np.int64)
    for row in range(n_queries):
        query = queries[row]
        for first in range(0, keep, 4):
            # four sums at a time: each waits for its own additions only; the last candidate is
            # repeated to fill the four
            i0 = candidates[row, first]
            i1 = candidates[row, min(first + 1, keep - 1)]
            i2 = candidates[row, min(first + 2, keep - 1)]
            i3 = candidates[row, min(first + 3, keep - 1)]
            total0, total1, total2, total3 = 0.0, 0.0, 0.0, 0.0
            for f in range(features):
                q = query[f]
                d0, d1 = points[i0, f] - q, points[i1, f] - q
                d2, d3 = points[i2, f] - q, points[i3, f] - q
                if squared:
                    total0, total1 = total0 + d0 * d0, total1 + d1 * d1
                    total2, total3 = total2 + d2 * d2, total3 + d3 * d3
                else:
                    total0, total1 = total0 + abs(d0), total1 + abs(d1)
                    total2, total3 = total2 + abs(d2), total3 + abs(d3)
            distances[first], distances[first + 1] = total0, total1
            distances[first + 2], distances[first + 3] = total2, total3
        for i in range(keep):
            indices[i] = candidates[row, i]
        sort_pairs(distances, indices, keep)
        for i in range(k):
            out_d[row, i] = distances[i]
            out_i[row, i] = indices[i]
        last = np.sqrt(distances[k - 1]) if squared else distances[k - 1]
        certain[row] = last < beyond[row]
