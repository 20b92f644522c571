"""
Exact nearest neighbours in the Manhattan and Euclidean metrics, by (distance, row).

Benefit: for 1,024 queries, 1 to 9 times as fast as the best of nanoflann, faiss, cKDTree and
scikit-learn-intelex (most of which use single precision only), and 3 to 85 times as fast as
scikit-learn's KD-tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels import Array, Integers, Matrix, Vector
from occstats_descriptors._kernels.blocks import (
    Blocks,
    box_bounds,
    kd_order,
    lay_out,
    measure,
    natural_order,
    node_bound,
)
from occstats_descriptors._kernels.jit import compiled
from occstats_descriptors._kernels.threads import for_each_block

__all__ = ["BlockSearch", "worth_single"]

FEW, MANY = 4, 16  # attributes: up to FEW only the tree is used, beyond MANY never
# Largest number of attributes, rows of a block. With few attributes, the nearest rows are in few
# small blocks; with very many, a large block would not fit in the cache.
BLOCKS = ((FEW, 64), (MANY, 128), (256, 384), (np.inf, 32))
SMALL, SMALL_BLOCK = 512, 128  # below 512 rows, they keep their order: a tree does not pay
LARGE = 50_000  # rows from which a tree does not fit in the cache
CHUNK = 128  # queries of one call of a kernel
PILOT = 32  # queries
PRUNED = 0.35  # share of visited blocks up to which the tree is faster
GROUP = 64  # queries that pass through the blocks together, sharing the cache
EXTRA = 8  # candidates in single precision beyond k
WORTH_SINGLE = 4e8  # terms of distances from which single precision pays for its compilation
CERTAIN = 0.8  # share of queries for which single precision has to suffice
UNIT = 2.0**-24  # rounding error of single precision
INSERTION = 24  # pairs up to which insertion sort is fastest
SORTED = 256  # neighbours up to which inserting each in its place is fastest


def worth_single(n: int, n_queries: int, m: int) -> bool:
    """Return True if searching in single precision first is expected to be faster."""
    return m > MANY and float(n_queries) * n * m >= WORTH_SINGLE


@dataclass(frozen=True, eq=False)
class _Job:
    """Queries, and arrays for their results."""

    queries: Matrix
    excluded: Integers
    distances: Matrix
    indices: Integers
    visited: Integers
    certain: NDArray[np.bool_]

    @property
    def k(self) -> int:
        return int(self.distances.shape[1])


_Method = Callable[[_Job, Integers], None]


class BlockSearch:
    """
    Search over blocks of training rows.

    With few attributes, queries descend a tree of blocks one by one. Otherwise a pilot of a few
    queries decides: up to a medium number of attributes, between the tree and passing through all
    blocks in groups; with many attributes, between single precision first and double precision
    only. The result does not depend on the decision.
    """

    def __init__(self, X: Matrix, *, squared: bool, threads: int) -> None:
        self.X = X
        self.squared = squared
        self.threads = threads

    def search(self, queries: Matrix, k: int, excluded: Integers) -> tuple[Matrix, Integers]:
        """
        Find the k nearest rows of each query, except for the row `excluded` (−1: none).

        Returns reduced distances (squared if Euclidean) and rows.
        """
        rows = np.arange(len(queries))
        job = _Job(
            queries,
            excluded,
            distances=np.empty((len(queries), k)),
            indices=np.empty((len(queries), k), dtype=np.int64),
            visited=np.zeros(len(queries), dtype=np.int64),
            certain=np.ones(len(queries), dtype=np.bool_),
        )
        n, m = self.X.shape
        down = n >= SMALL and m <= MANY
        # Nearby queries that follow each other find the blocks that they need in the cache.
        if queries is self.X:
            rows = self._order[self._order < len(rows)]
        elif down and n >= LARGE and len(rows) >= 4 * PILOT:
            order = kd_order(queries, 64)
            rows = order[order < len(rows)]
        single = worth_single(n, len(rows), m) and 4 * (k + EXTRA) < n and self._fits_single
        if (single or (down and m > FEW)) and len(rows) >= 4 * PILOT:
            places = np.linspace(0, len(rows) - 1, PILOT).astype(np.int64)
            pilot, rows = rows[places], np.delete(rows, places)
            if single:
                self._run(job, pilot, self._by_single)
                single = bool(job.certain[pilot].mean() > CERTAIN)
            if down:
                self._run(job, pilot, self._down_tree)
                down = bool(job.visited[pilot].mean() < PRUNED * len(self._order))
        exactly = self._down_tree if down else self._in_groups
        self._run(job, rows, self._by_single if single else exactly)
        self._run(job, np.flatnonzero(~job.certain), exactly)
        return job.distances, job.indices

    @cached_property
    def _order(self) -> Integers:
        n, m = self.X.shape
        if n < SMALL:
            return natural_order(n, SMALL_BLOCK)
        return kd_order(self.X, next(size for limit, size in BLOCKS if m <= limit))

    @cached_property
    def _double(self) -> Blocks:
        return lay_out(self.X, self._order)

    @cached_property
    def _single(self) -> Blocks:
        return lay_out((self.X - self._centre).astype(np.float32), self._order)

    @cached_property
    def _centre(self) -> Vector:
        return np.asarray(self.X.mean(axis=0))

    @cached_property
    def _fits_single(self) -> bool:
        """Return True if no row overflows or underflows in single precision."""
        with np.errstate(over="ignore", invalid="ignore"):
            above, below = self.X.max(axis=0) - self._centre, self._centre - self.X.min(axis=0)
            extent = np.maximum(above, below).max()
        return bool(1e-6 < extent < 1e12)

    def _run(self, job: _Job, rows: Integers, method: _Method) -> None:
        """Search for some of the queries, in chunks on threads."""
        if len(rows) == 0:
            return
        method(job, rows[:0])  # makes the blocks before threads need them
        for_each_block(lambda part: method(job, rows[part]), len(rows), CHUNK, self.threads)

    def _in_groups(self, job: _Job, rows: Integers, down: bool = False) -> None:
        found = self._nearest(job.queries[rows], job.excluded[rows], self._double, job.k, down)
        job.distances[rows], job.indices[rows], job.visited[rows] = found
        job.certain[rows] = True

    def _down_tree(self, job: _Job, rows: Integers) -> None:
        self._in_groups(job, rows, down=True)

    def _nearest(
        self, queries: Array, excluded: Integers, blocks: Blocks, keep: int, down: bool
    ) -> tuple[Array, Integers, Integers]:
        distances = np.empty((len(queries), keep), dtype=queries.dtype)
        indices = np.empty((len(queries), keep), dtype=np.int64)
        visited = np.zeros(len(queries), dtype=np.int64)
        if down:
            search_tree(
                queries, excluded, blocks.points, blocks.ids, blocks.tree, keep, self.squared,
                distances, indices, visited,
            )  # fmt: skip
        else:
            search_blocks(
                queries, excluded, blocks.points, blocks.ids, blocks.lows, blocks.highs, keep,
                self.squared, GROUP, distances, indices,
            )  # fmt: skip
        return distances, indices, visited

    def _by_single(self, job: _Job, rows: Integers) -> None:
        r"""
        Find candidates in single precision and order them in double precision.

        With u = 2⁻²⁴, c the centre and coordinates x − c rounded to single precision, a Manhattan
        distance d and its single-precision value s satisfy
        :math:`|s - d| \le u(|x-c| + |q-c|) + (m+2)u\,d` to first order, and |x−c| ≤ |q−c| + d, so
        that :math:`d \ge (s - 2u|q-c|) / (1 + (m+3)u)`; the error of the Euclidean distance is
        smaller. A query is certain if its k-th distance is below that bound for all points that
        are not candidates. The constants leave a margin for terms of higher order.
        """
        queries = job.queries[rows]
        centred = queries - self._centre
        scale = 1 + 1.1 * (self.X.shape[1] + 8) * UNIT
        with np.errstate(over="ignore", invalid="ignore"):
            near, candidates, _ = self._nearest(
                centred.astype(np.float32), job.excluded[rows], self._single, job.k + EXTRA, False
            )
            beyond = near[:, -1].astype(np.float64)
            if self.squared:
                beyond, norms = np.sqrt(beyond), np.sqrt((centred**2).sum(axis=1))
            else:
                norms = np.abs(centred).sum(axis=1)
            bounds = (beyond - 2.1 * UNIT * norms - 1e-18) / scale
        bounds[np.isinf(beyond)] = -np.inf  # the query overflows: nothing is certain
        distances = np.empty((len(rows), job.k))
        indices = np.empty((len(rows), job.k), dtype=np.int64)
        certain = np.empty(len(rows), dtype=np.bool_)
        rerank(
            queries, self.X, self.squared, candidates, job.k, distances, indices, bounds, certain
        )
        job.distances[rows], job.indices[rows], job.certain[rows] = distances, indices, certain


# The k nearest points so far, by (distance, index). Most searches keep some sixty neighbours, which
# are inserted in order. Longer lists are partitioned when the buffer is full, so that the time per
# point does not grow with k.


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

    A query first visits the block with the nearest box. Groups of queries then share one order of
    blocks, and so the cache, and each visits the blocks whose box is within its limit, the distance
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
                        measure(points, b, queries, start + four, wanted > 2, squared, near)
                for t in range(four, min(four + 4, count)):
                    b = order[position] if position >= 0 else bounds[t].argmin()
                    if not bounds[t, b] <= limits[t]:
                        continue
                    bounds[t, b] = np.nan  # done
                    here = near[t - four : t - four + 1]
                    if wanted <= 2:
                        measure(points, b, queries, start + t, wanted > 2, squared, here)
                    own = excluded[start + t]
                    sizes[t], limits[t] = collect(
                        here[0], ids[b], own, keep, limits[t], buffer_d[t], buffer_i[t], sizes[t]
                    )
        for t in range(count):
            row = start + t
            finish(buffer_d[t], buffer_i[t], sizes[t], keep, out_d[row], out_i[row])


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
    skipped. `visited` counts the blocks of each query.
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
            measure(points, block, queries, row, size < 0, squared, near)
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
    Sort candidates by their distances in double precision, and certify the k nearest.

    ``beyond[row]`` is a lower bound of the distances of all points that are not candidates: the row
    is certain if its k-th distance is below it.
    """
    n_queries, keep = candidates.shape
    features = queries.shape[1]
    distances = np.empty(keep + 3, np.float64)
    indices = np.empty(keep, np.int64)
    for row in range(n_queries):
        query = queries[row]
        for first in range(0, keep, 4):
            # Four independent sums hide the latency of additions; the last candidate is repeated
            # to fill the four.
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
