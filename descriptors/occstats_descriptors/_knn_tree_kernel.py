"""The kernel of the exact search over a balanced tree of small leaves, for few attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled
from occstats_descriptors._knn_kernels import add_distances, collect, keep_nearest, sort_pairs

Array = NDArray[Any]


@compiled
def node_bound(box: Array, query: Array, squared: bool) -> float:
    """Lower bound of the distances of a query to the points in a box (lows, then highs)."""
    features = query.shape[0]
    total = 0.0
    for f in range(features):
        gap = max(box[f] - query[f], query[f] - box[features + f], 0.0)
        total += gap * gap if squared else gap
    return total


@compiled
def search_tree(
    queries: Array,
    excluded: Array,
    points: Array,
    ids: Array,
    boxes: Array,
    keep: int,
    squared: bool,
    out_d: Array,
    out_i: Array,
) -> None:
    """
    Find the `keep` nearest points of each query by (distance, index), nearer child first.

    Nodes are numbered as in a heap: the children of node v are 2v + 1 and 2v + 2, and the leaves
    come last, in the order of the blocks.
    """
    n_queries = queries.shape[0]
    n_leaves, _, size = points.shape
    room = keep + max(keep, 32)
    buffer_d = np.empty(room + size)
    buffer_i = np.empty(room + size, np.int64)
    near = np.empty(size)
    stack = np.empty(128, np.int64)
    stack_bounds = np.empty(128)
    for row in range(n_queries):
        query = queries[row]
        limit = np.inf
        filled = 0
        stack[0], stack_bounds[0] = 0, 0.0
        depth = 1
        while depth > 0:
            depth -= 1
            if stack_bounds[depth] > limit:
                continue
            node = stack[depth]
            while node < n_leaves - 1:
                left, right = 2 * node + 1, 2 * node + 2
                left_bound = node_bound(boxes[left], query, squared)
                right_bound = node_bound(boxes[right], query, squared)
                if right_bound < left_bound:
                    left, right = right, left
                    left_bound, right_bound = right_bound, left_bound
                if right_bound <= limit:
                    stack[depth], stack_bounds[depth] = right, right_bound
                    depth += 1
                if left_bound > limit:
                    break
                node = left
            if node < n_leaves - 1:
                continue
            leaf = node - (n_leaves - 1)
            near[:] = 0
            add_distances(points[leaf], query, squared, near)
            filled = collect(near, ids[leaf], limit, excluded[row], buffer_d, buffer_i, filled)
            if filled >= room:
                limit = keep_nearest(buffer_d, buffer_i, filled, keep)
                filled = keep
        sort_pairs(buffer_d, buffer_i, filled)
        out_d[row] = buffer_d[:keep]
        out_i[row] = buffer_i[:keep]
