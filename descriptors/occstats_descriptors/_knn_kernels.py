"""Kernels of the exact nearest-neighbour search over blocks of points.

A block holds some hundred points feature-major, so that the distances of one query to all of them
are computed by vector instructions that run over points. Each distance is the sum of its terms in
the order of the features, whatever the block, the tile or the kernel: equal points have bitwise
equal distances on every path, and rounding is monotone, so that the bound of a box never exceeds
the computed distance of a point in it.
"""

from __future__ import annotations

import numpy as np

from occstats_descriptors._jit import compiled

TILE = 4
INSERTION = 24


@compiled
def before(distance, index, other_distance, other_index):
    return distance < other_distance or (distance == other_distance and index < other_index)


@compiled
def partition(distances, indices, low, high):
    """Partition [low, high] around a median of three; Hoare's scheme: the last index of the left."""
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
def sort_pairs(distances, indices, size):
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
def keep_nearest(distances, indices, size, keep):
    """Move the `keep` nearest of `size` > `keep` pairs to the front; the largest distance of them."""
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
    return largest


@compiled
def distances_one(block, query, squared, out):
    """Distances of one query to the points of a block (features × points)."""
    features, size = block.shape
    out[:] = 0
    for f in range(features):
        q = query[f]
        row = block[f]
        if squared:
            for i in range(size):
                difference = row[i] - q
                out[i] += difference * difference
        else:
            for i in range(size):
                out[i] += abs(row[i] - q)


@compiled
def distances_four(block, queries, squared, out):
    """Distances of four queries to the points of a block, two features at a time."""
    features, size = block.shape
    out0, out1, out2, out3 = out[0], out[1], out[2], out[3]
    out[:, :] = 0
    f = 0
    while f + 4 <= features:
        row0, row1, row2, row3 = block[f], block[f + 1], block[f + 2], block[f + 3]
        for t in range(4):
            q0, q1, q2, q3 = queries[t, f], queries[t, f + 1], queries[t, f + 2], queries[t, f + 3]
            target = out[t]
            if squared:
                for i in range(size):
                    d0, d1, d2, d3 = row0[i] - q0, row1[i] - q1, row2[i] - q2, row3[i] - q3
                    target[i] = (((target[i] + d0 * d0) + d1 * d1) + d2 * d2) + d3 * d3
            else:
                for i in range(size):
                    target[i] = (
                        ((target[i] + abs(row0[i] - q0)) + abs(row1[i] - q1)) + abs(row2[i] - q2)
                    ) + abs(row3[i] - q3)
        f += 4
    while f < features:
        row = block[f]
        q0, q1, q2, q3 = queries[0, f], queries[1, f], queries[2, f], queries[3, f]
        if squared:
            for i in range(size):
                x = row[i]
                out0[i] += (x - q0) * (x - q0)
                out1[i] += (x - q1) * (x - q1)
                out2[i] += (x - q2) * (x - q2)
                out3[i] += (x - q3) * (x - q3)
        else:
            for i in range(size):
                x = row[i]
                out0[i] += abs(x - q0)
                out1[i] += abs(x - q1)
                out2[i] += abs(x - q2)
                out3[i] += abs(x - q3)
        f += 1


@compiled
def box_bounds(lows, highs, query, squared, out):
    """Lower bounds of the distances of one query to all boxes (features × boxes)."""
    features, boxes = lows.shape
    out[:] = 0
    zero = query[0] - query[0]
    for f in range(features):
        q = query[f]
        low, high = lows[f], highs[f]
        for b in range(boxes):
            gap = max(max(low[b] - q, q - high[b]), zero)
            out[b] += gap * gap if squared else gap


@compiled
def collect(distances, ids, limit, excluded, heap_distances, heap_indices, size):
    """Append the points of a block that are not beyond the limit; the new size of the buffer."""
    count = 0
    for i in range(distances.shape[0]):
        count += distances[i] <= limit
    if count == 0:
        return size
    for i in range(distances.shape[0]):
        distance = distances[i]
        if distance <= limit and ids[i] != excluded:
            heap_distances[size] = distance
            heap_indices[size] = ids[i]
            size += 1
    return size


@compiled
def search_blocks(
    queries, excluded, blocks, ids, lows, highs, keep, squared, tile, prune, out_d, out_i, visited
):
    """
    Find the `keep` nearest points of each query by (distance, index), nearest blocks first.

    `tile` queries (1 or 4) go through the blocks together; with `prune`, blocks are ordered by the
    bounds of their boxes and left out once their bound exceeds the limit of every query of the tile.
    `visited` counts the blocks whose distances were computed.
    """
    n_queries, features = queries.shape
    n_blocks, _, size = blocks.shape
    room = keep + max(keep // 2, 32)
    buffer_d = np.empty((TILE, room + size), blocks.dtype)
    buffer_i = np.empty((TILE, room + size), np.int64)
    near = np.empty((TILE, size), blocks.dtype)
    tile_queries = np.zeros((TILE, features), blocks.dtype)
    bounds = np.zeros((TILE, n_blocks), blocks.dtype)
    order_bounds = np.zeros(n_blocks, blocks.dtype)
    order = np.arange(n_blocks)
    limits = np.empty(TILE, blocks.dtype)
    sizes = np.zeros(TILE, np.int64)
    for start in range(0, n_queries, tile):
        count = min(tile, n_queries - start)
        for t in range(count):
            for f in range(features):
                tile_queries[t, f] = queries[start + t, f]
            limits[t] = np.inf
            sizes[t] = 0
        if prune:
            for t in range(count):
                box_bounds(lows, highs, tile_queries[t], squared, bounds[t])
            for b in range(n_blocks):
                order[b] = b
                order_bounds[b] = bounds[0, b]
                for t in range(1, count):
                    order_bounds[b] = min(order_bounds[b], bounds[t, b])
            sort_pairs(order_bounds, order, n_blocks)
        for position in range(n_blocks):
            b = order[position]
            wanted = 0
            for t in range(count):
                wanted += bounds[t, b] <= limits[t]
            if wanted == 0:
                if prune and count == 1:
                    break
                continue
            if wanted > 1:
                distances_four(blocks[b], tile_queries, squared, near)
            for t in range(count):
                if not bounds[t, b] <= limits[t]:
                    continue
                if wanted == 1:
                    distances_one(blocks[b], tile_queries[t], squared, near[t])
                visited[start + t] += 1
                filled = collect(
                    near[t],
                    ids[b],
                    limits[t],
                    excluded[start + t],
                    buffer_d[t],
                    buffer_i[t],
                    sizes[t],
                )
                if filled >= room:
                    limits[t] = keep_nearest(buffer_d[t], buffer_i[t], filled, keep)
                    filled = keep
                sizes[t] = filled
        for t in range(count):
            sort_pairs(buffer_d[t], buffer_i[t], sizes[t])
            for i in range(keep):
                out_d[start + t, i] = buffer_d[t, i]
                out_i[start + t, i] = buffer_i[t, i]


@compiled
def rerank(queries, points, squared, candidates, k, out_d, out_i, beyond, certain):
    """
    Order float32 candidates by their float64 distances, and certify the k nearest of each row.

    ``beyond[row]`` is a lower bound of the distance of every point that is not a candidate: the row
    is certain if its k-th distance is below that.
    """
    n_queries, keep = candidates.shape
    features = queries.shape[1]
    distances = np.empty(keep, np.float64)
    indices = np.empty(keep, np.int64)
    for row in range(n_queries):
        for c in range(keep):
            index = candidates[row, c]
            total = 0.0
            if squared:
                for f in range(features):
                    difference = points[index, f] - queries[row, f]
                    total += difference * difference
            else:
                for f in range(features):
                    total += abs(points[index, f] - queries[row, f])
            distances[c] = total
            indices[c] = index
        sort_pairs(distances, indices, keep)
        for i in range(k):
            out_d[row, i] = distances[i]
            out_i[row, i] = indices[i]
        last = np.sqrt(distances[k - 1]) if squared else distances[k - 1]
        certain[row] = last < beyond[row]
