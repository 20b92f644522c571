"""
The k nearest points so far, by (distance, index).

Most searches keep some sixty neighbours, which are inserted in order. Longer lists are partitioned
when the buffer is full, so that the time per point does not grow with k.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from occstats_descriptors._kernels import Array
from occstats_descriptors._kernels.jit import compiled

__all__ = ["collect", "finish", "room", "sort_pairs"]

INSERTION = 24  # pairs up to which insertion sort is fastest
SORTED = 256  # neighbours up to which inserting each in its place is fastest


@compiled
def before(distance: float, index: int, other_distance: float, other_index: int) -> bool:
    """Return True where the first pair sorts before the second."""
    return distance < other_distance or (distance == other_distance and index < other_index)


@compiled
def partition(distances: Array, indices: Array, low: int, high: int) -> int:
    """Partition [low, high] around a median of three (Hoare); return the end of the left part."""
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
    """Move the `keep` nearest of `size` pairs to the front; return their largest distance."""
    low: Any = np.int64(0)
    high = size - 1
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
def room(keep: int) -> int:
    """Return the number of places of a buffer for `keep` points, besides those of a block."""
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
    Add the points of a block that are among the `keep` nearest so far to the buffer.

    Returns the number of points in the buffer and the new limit, the distance beyond which points
    can be skipped. A short buffer is kept sorted; a long one is cut when it is full.
    """
    count = 0
    for i in range(distances.shape[0]):  # vectorised; most often the count is zero
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
    for i in range(keep):  # slices would take seconds longer to compile
        out_d[i], out_i[i] = buffer_d[i], buffer_i[i]
