"""Growing and walking the trees of an extended isolation forest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled
from occstats_descriptors._mersenne import (
    STATE_SIZE,
    chosen_without_replacement,
    normal,
    seeded,
    uniform,
)
from occstats_descriptors.base import Matrix, Vector

__all__ = ["average_path", "grow", "height_limit", "sum_of_paths"]

Integers = NDArray[np.int64]


def height_limit(subsample: int) -> int:
    """Give the greatest height of a tree of `subsample` rows."""
    return math.ceil(math.log2(subsample))


@compiled
def average_path(count: int) -> Any:
    """Average path length of an unsuccessful search among `count` rows, as the authors have it."""
    if count <= 1:
        return 0.0
    return 2.0 * (np.log(count - 1.0) + 0.5772156649) - 2.0 * (count - 1.0) / count


@compiled
def _dot(a: Vector, b: Vector) -> Any:
    # Eight fixed sums: as fast as the processor adds, and the same digits wherever it is called,
    # so that rows that coincide stay together.
    length = len(a)
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = length - length % 8
    for j in range(0, whole, 8):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
        s4 += a[j + 4] * b[j + 4]
        s5 += a[j + 5] * b[j + 5]
        s6 += a[j + 6] * b[j + 6]
        s7 += a[j + 7] * b[j + 7]
    total = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
    for j in range(whole, length):
        total += a[j] * b[j]
    return total


@compiled
def grow(
    rows: Matrix,
    subsample: int,
    limit: int,
    extension: int,
    seed: int,
    normals: Matrix,
    intercepts: Vector,
    children: Integers,
    leaves: Vector,
) -> int:
    """
    Grow one tree into the given arrays and return the number of its inner nodes.

    Child c of an inner node is inner node c if c ≥ 0, else leaf −c − 1, whose path length is in
    `leaves`. Left of node i are the rows x with x · normals[i] < intercepts[i].
    """
    n, m = rows.shape
    stream = np.empty(STATE_SIZE, np.uint64)
    seeded(stream, seed)
    taken = np.empty(max(n, m), np.bool_)
    chosen_without_replacement(stream, subsample, n, taken)
    part = np.empty((subsample, m))
    filled = 0
    for row in range(n):
        if taken[row]:
            part[filled] = rows[row]
            filled += 1
    order = np.arange(subsample)
    aside = np.empty(subsample, np.int64)
    low, high = np.empty(m), np.empty(m)
    # Pending nodes: first and end position in `order`, height, and where the parent wants the name.
    pending = np.empty((limit + 2, 4), np.int64)
    pending[0] = (0, subsample, 0, -1)
    waiting, inner, outer = 1, 0, 0
    while waiting > 0:
        waiting -= 1
        first, end, height, parent = pending[waiting]
        if height >= limit or end - first <= 1:
            leaves[outer] = height + average_path(end - first)
            outer += 1
            if parent >= 0:
                children[parent // 2, parent % 2] = -outer
            continue
        node = inner
        inner += 1
        if parent >= 0:
            children[parent // 2, parent % 2] = node
        low[:] = part[order[first]]
        high[:] = low
        for position in range(first + 1, end):
            values = part[order[position]]
            for j in range(m):
                low[j] = min(low[j], values[j])
                high[j] = max(high[j], values[j])
        for j in range(m):
            low[j] = uniform(stream) * (high[j] - low[j]) + low[j]
        direction = normals[node]
        for j in range(m):
            direction[j] = normal(stream)
        if extension < m - 1:
            chosen_without_replacement(stream, m - extension - 1, m, taken)
            for j in range(m):
                if taken[j]:
                    direction[j] = 0.0
        intercept = _dot(low, direction)
        intercepts[node] = intercept
        middle, kept = first, 0
        for position in range(first, end):
            row = order[position]
            if _dot(part[row], direction) < intercept:
                order[middle] = row
                middle += 1
            else:
                aside[kept] = row
                kept += 1
        order[middle:end] = aside[:kept]
        pending[waiting] = (middle, end, height + 1, 2 * node + 1)
        pending[waiting + 1] = (first, middle, height + 1, 2 * node)
        waiting += 2
    return inner


@compiled
def sum_of_paths(
    rows: Matrix,
    starts: Integers,
    leaf_starts: Integers,
    normals: Matrix,
    intercepts: Vector,
    children: Integers,
    leaves: Vector,
    result: Vector,
) -> None:
    """Add up the path lengths of rows over all trees, tree by tree."""
    result[:] = 0.0
    for tree in range(len(starts) - 1):
        start = starts[tree]
        leaf_start = leaf_starts[tree]
        for row in range(len(rows)):
            node = 0
            while node >= 0:
                place = start + node
                right = 0 if _dot(rows[row], normals[place]) < intercepts[place] else 1
                node = children[place, right]
            result[row] += leaves[leaf_start - node - 1]
