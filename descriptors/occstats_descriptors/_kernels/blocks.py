"""
Blocks of nearby points: their layout in memory, their boxes, and distances to their points.

A block holds some hundred points, feature-major in tiles of 64 bytes, so that vector instructions
run over points with the sums held in registers. Each distance is the sum of its terms in the order
of the features, in every block, tile and kernel: equal points have bitwise equal distances on all
paths. Rounding is monotone, so the bound of a box never exceeds the computed distance of a point
in it.

Benefit: distances by `_tile` are 3.5 to 6 times as fast as plain loops over the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types

from occstats_descriptors._kernels import Array, Integers, Matrix, Vector
from occstats_descriptors._kernels.jit import cgutils, compiled, intrinsic, put

__all__ = ["Blocks", "box_bounds", "kd_order", "lay_out", "measure", "natural_order", "node_bound"]

BYTES = 64  # of the values of a feature in a tile: two registers of AVX2, one of AVX-512
VECTOR = 16  # a block has a multiple of this number of points
SAMPLE = 64


@dataclass(frozen=True, eq=False)
class Blocks:
    """
    Blocks of points.

    Attributes
    ----------
    points : ndarray of shape (blocks, tiles, features, lanes)
        Coordinates, in tiles of as many points as 64 bytes hold numbers; unused places hold
        infinity, which is farther than any point.
    ids : ndarray of shape (blocks, size)
        Row of each point; unused places hold ``n``, after all rows.
    lows, highs : ndarray of shape (features, blocks)
        Box around the points of each block; the box of an empty block is infinitely far.
    """

    points: Array
    ids: Integers
    lows: Array
    highs: Array

    @cached_property
    def tree(self) -> Array:
        """
        Return the boxes of the nodes of the complete binary tree over the blocks, lows then highs.

        Nodes are numbered as in a heap: the root is first, the children of node v are 2v + 1 and
        2v + 2, and the blocks come last. The number of blocks must be a power of two.
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


def kd_order(X: Matrix, leaf: int) -> Integers:
    """
    Order rows by median splits along the attribute of widest spread.

    Returns
    -------
    ndarray of shape (leaves, size)
        Rows of each leaf, about `leaf` of them; the number of leaves is a power of two. Unused
        places hold n, and are all in the last leaves.
    """
    n = len(X)
    depth = max(0, round(np.log2(n / leaf)))
    size = -(-n // 2**depth)
    size = -(-size // VECTOR) * VECTOR
    order = np.full(size * 2**depth, n)
    order[:n] = np.arange(n)
    _split(X, size, order)
    return order.reshape(-1, size)


def natural_order(n: int, size: int) -> Integers:
    """Keep rows in their own order, in blocks of `size` places."""
    size = min(size, -(-n // VECTOR) * VECTOR)
    order = np.full(-(-n // size) * size, n)
    order[:n] = np.arange(n)
    return order.reshape(-1, size)


def lay_out(X: Array, order: Integers) -> Blocks:
    """Copy rows, in the given order, into blocks of the same type."""
    blocks, size = order.shape
    m = X.shape[1]
    lanes = BYTES // X.itemsize
    points = np.empty((blocks, size // lanes, m, lanes), X.dtype)
    lows, highs = np.empty((m, blocks), X.dtype), np.empty((m, blocks), X.dtype)
    _fill(X, order, points, lows, highs)
    return Blocks(points, order, lows, highs)


@compiled
def _select(
    keys: Vector, order: Integers, low: int, high: int, middle: int, sample: Vector
) -> None:
    """Move the smallest keys in [low, high], and their order, before place `middle`."""
    while low < high:
        pivot = keys[(low + high) // 2]
        step = (high - low) // SAMPLE
        if step >= 8:  # the median of a sample leaves little to do after one pass
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
def _split(X: Matrix, size: int, order: Integers) -> None:
    """Split the rows of each node at the median, down to nodes of `size` places."""
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
            # A regular sample of rows prunes as well as all of them, and is much cheaper.
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


@compiled
def _fill(X: Array, order: Integers, points: Array, lows: Array, highs: Array) -> None:
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
            highs[attribute, block] = high if order[block, 0] < n else np.inf


def _tile(count: int, squared: bool) -> Callable[..., Any]:
    """
    Make the function that measures the distances of `count` queries to one tile.

    Its arguments are ``(points, first, features, queries, own, out, place, row)``: three arrays of
    one floating type, each followed by the position of its first number (for `points` also by the
    number of features), and the length of a row of `out`. A tile is (features × lanes), and the
    queries are consecutive. The function is written in the compiler's vector types, because the
    compiler does not keep the sums in registers by itself.
    """

    @intrinsic
    def distances(
        typing_context: Any,
        points: Any,
        first: Any,
        features: Any,
        queries: Any,
        own: Any,
        out: Any,
        place: Any,
        row: Any,
    ) -> Any:
        kinds = (points, first, features, queries, own, out, place, row)

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            bits = points.dtype.bitwidth
            lanes = 8 * BYTES // bits
            vector = ir.VectorType(context.get_value_type(points.dtype), lanes)
            fabs = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(vector, [vector]), f"llvm.fabs.v{lanes}f{bits}"
            )

            def start(array: int, position: Any) -> Any:
                data = context.make_array(kinds[array])(context, builder, values[array]).data
                return builder.gep(data, [position])

            def vector_at(pointer: Any, position: Any) -> Any:
                return builder.bitcast(builder.gep(pointer, [position]), vector.as_pointer())

            def times(number: int, step: Any) -> Any:
                return builder.mul(ir.Constant(step.type, number), step)

            def spread(number: Any) -> Any:
                undefined = ir.Constant(vector, ir.Undefined)
                zero = ir.Constant(ir.IntType(32), 0)
                every = ir.Constant(ir.VectorType(ir.IntType(32), lanes), None)
                single = builder.insert_element(undefined, number, zero)
                return builder.shuffle_vector(single, undefined, every)

            tile, query, target = start(0, values[1]), start(3, values[4]), start(5, values[6])
            zeros = ir.Constant(vector, None)
            sums = [cgutils.alloca_once_value(builder, zeros) for _ in range(count)]
            with cgutils.for_range(builder, values[2]) as loop:
                here = builder.load(vector_at(tile, times(lanes, loop.index)), align=bits // 8)
                for number, total in enumerate(sums):
                    position = builder.add(loop.index, times(number, values[2]))
                    there = builder.load(builder.gep(query, [position]), align=bits // 8)
                    gap = builder.fsub(here, spread(there))
                    term = builder.fmul(gap, gap) if squared else builder.call(fabs, [gap])
                    builder.store(builder.fadd(builder.load(total), term), total)
            for number, total in enumerate(sums):
                pointer = vector_at(target, times(number, values[7]))
                builder.store(builder.load(total), pointer, align=bits // 8)
            return context.get_dummy_value()

        return types.void(*kinds), generate

    return distances


one_absolute, one_squared = _tile(1, False), _tile(1, True)
four_absolute, four_squared = _tile(4, False), _tile(4, True)


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
    """Write lower bounds of the distances of one query to all boxes (features × boxes)."""
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
def node_bound(box: Array, query: Array, squared: bool) -> Any:
    """Return a lower bound of the distances of a query to the points in a box (lows, highs)."""
    features = query.shape[0]
    zero = query[0] - query[0]  # of the type of the query
    total = zero
    for f in range(features):
        gap = max(box[f] - query[f], query[f] - box[features + f], zero)
        total += gap * gap if squared else gap
    return total
