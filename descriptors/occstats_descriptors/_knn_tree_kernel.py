"""The kernel of the exact search down the tree of blocks, where most of them can be left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled
from occstats_descriptors._knn_kernels import add_distances, collect, finish, room

Array = NDArray[Any]


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
    n_blocks, _, size = points.shape
    places = room(keep) + size
    buffer_d = np.empty(places, points.dtype)
    buffer_i = np.empty(places, np.int64)
    near = np.empty(size, points.dtype)
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
            near[:] = 0
            add_distances(points[block], query, squared, near)
            filled, limits[0] = collect(
                near, ids[block], excluded[row], keep, limits[0], buffer_d, buffer_i, filled
            )
        finish(buffer_d, buffer_i, filled, keep, out_d[row], out_i[row])
