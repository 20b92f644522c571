"""Kernels of the exact nearest-neighbour search over blocks of points.

A block holds some hundred points, feature-major in tiles of 64 bytes, so that the distances of
queries to them are computed by vector instructions that run over points, with the sums in
registers. Each distance is the sum of its terms in the order of the features, whatever the block,
the tile or the kernel: equal points have bitwise equal distances on every path, and rounding is
monotone, so that the bound of a box never exceeds the computed distance of a point in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.jit import compiled
from occstats_descriptors._kernels.top_k import collect, finish, room, sort_pairs
from occstats_descriptors._tile import four_absolute, four_squared, one_absolute, one_squared

__all__ = ["rerank", "search_blocks", "search_tree"]

Array = NDArray[Any]


@compiled
def measure(
    points: Array, block: int, queries: Array, query: int, four: bool, squared: bool, out: Array
) -> None:
    """Write the distances of one query or four to the points of a block to the rows of `out`."""
    _, tiles, features, lanes = points.shape
    size = tiles * lanes
    own = query * features
    for tile in range(tiles):
        first, place = (block * tiles + tile) * lanes * features, tile * lanes
        if four and squared:
            four_squared(points, first, features, queries, own, out, place, size)
        elif four:
            four_absolute(points, first, features, queries, own, out, place, size)
        elif squared:
            one_squared(points, first, features, queries, own, out, place, size)
        else:
            one_absolute(points, first, features, queries, own, out, place, size)


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
    n_blocks, size = ids.shape
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
                        measure(points, b, queries, start + four, True, squared, near)
                for t in range(four, min(four + 4, count)):
                    b = order[position] if position >= 0 else bounds[t].argmin()
                    if not bounds[t, b] <= limits[t]:
                        continue
                    bounds[t, b] = np.nan  # done
                    here = near[t - four : t - four + 1]
                    if wanted <= 2:
                        measure(points, b, queries, start + t, False, squared, here)
                    own = excluded[start + t]
                    sizes[t], limits[t] = collect(
                        here[0], ids[b], own, keep, limits[t], buffer_d[t], buffer_i[t], sizes[t]
                    )
        for t in range(count):
            row = start + t
            finish(buffer_d[t], buffer_i[t], sizes[t], keep, out_d[row], out_i[row])


@compiled
def node_bound(box: Array, query: Array, squared: bool) -> Any:
    """Lower bound of the distances of a query to the points in a box (lows, then highs)."""
    features = query.shape[0]
    zero = query[0] - query[0]  # of the type of the query
    total = zero
    for f in range(features):
        gap = max(box[f] - query[f], query[f] - box[features + f], zero)
        total += gap * gap if squared else gap
    return total


@compiled
def search_tree(
    queries: Array,
    excluded: Array,
    points: Array,
    ids: Array,
    tree: Array,
    keep: int,
    squared: bool,
    out_d: Array,
    out_i: Array,
    visited: Array,
) -> None:
    """
    Find the `keep` nearest points of each query by (distance, index), nearer child first.

    Nodes whose box is beyond the limit, the distance of the `keep`-th nearest point so far, are
    left out. `visited` counts the blocks of each query.
    """
    n_blocks, size = ids.shape
    places = room(keep) + size
    buffer_d = np.empty(places, points.dtype)
    buffer_i = np.empty(places, np.int64)
    near = np.empty((1, size), points.dtype)
    stack = np.empty(128, np.int64)
    bounds = np.empty(128, points.dtype)
    limits = np.empty(1, points.dtype)
    for row in range(queries.shape[0]):
        query = queries[row]
        limits[0] = np.inf
        filled = 0
        stack[0], bounds[0] = 0, 0
        depth = 1
        while depth > 0:
            depth -= 1
            node, bound = stack[depth], bounds[depth]
            while bound <= limits[0] and node < n_blocks - 1:
                node = 2 * node + 1
                bound = node_bound(tree[node], query, squared)
                other = node_bound(tree[node + 1], query, squared)
                if bound <= other:
                    stack[depth], bounds[depth] = node + 1, other
                else:
                    stack[depth], bounds[depth] = node, bound
                    node, bound = node + 1, other
                if bounds[depth] <= limits[0]:
                    depth += 1
            if not bound <= limits[0]:
                continue
            block = node - (n_blocks - 1)
            visited[row] += 1
            measure(points, block, queries, row, False, squared, near)
            filled, limits[0] = collect(
                near[0], ids[block], excluded[row], keep, limits[0], buffer_d, buffer_i, filled
            )
        finish(buffer_d, buffer_i, filled, keep, out_d[row], out_i[row])


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
