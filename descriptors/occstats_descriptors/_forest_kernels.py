"""Growing and walking the trees of an extended isolation forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled, put
from occstats_descriptors._mersenne import (
    STATE_SIZE,
    chosen_without_replacement,
    normal,
    seeded,
    uniform,
)
from occstats_descriptors.base import Matrix, Vector

__all__ = ["average_path", "grow", "sum_of_paths"]

Integers = NDArray[np.int64]


@compiled
def average_path(count: int) -> Any:
    """Average path length of an unsuccessful search among `count` rows, as the authors have it."""
    if count <= 1:
        return 0.0
    return 2.0 * (np.log(count - 1.0) + 0.5772156649) - 2.0 * (count - 1.0) / count


@compiled
def _product(a: Matrix, row: int, b: Matrix, other: int) -> Any:
    """Multiply row `row` of a with row `other` of b."""
    # Eight fixed sums: as fast as the processor adds, and the same digits wherever it is called,
    # so that rows that coincide stay together.
    length = a.shape[1]
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = length - length % 8
    for j in range(0, whole, 8):
        s0 += a[row, j] * b[other, j]
        s1 += a[row, j + 1] * b[other, j + 1]
        s2 += a[row, j + 2] * b[other, j + 2]
        s3 += a[row, j + 3] * b[other, j + 3]
        s4 += a[row, j + 4] * b[other, j + 4]
        s5 += a[row, j + 5] * b[other, j + 5]
        s6 += a[row, j + 6] * b[other, j + 6]
        s7 += a[row, j + 7] * b[other, j + 7]
    if length - whole >= 4:
        s0 += a[row, whole] * b[other, whole]
        s1 += a[row, whole + 1] * b[other, whole + 1]
        s2 += a[row, whole + 2] * b[other, whole + 2]
        s3 += a[row, whole + 3] * b[other, whole + 3]
        whole += 4
    total = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
    for j in range(whole, length):
        total += a[row, j] * b[other, j]
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
            for j in range(m):
                part[filled, j] = rows[row, j]
            filled += 1
    order = np.arange(subsample)
    aside = np.empty(subsample, np.int64)
    low, high = np.empty((1, m)), np.empty(m)
    # Pending nodes: first and end position in `order`, height, and where the parent wants the name.
    pending = np.empty((limit + 2, 4), np.int64)
    zero: Any = np.int64(0)  # no constant, in what follows: see `compiled`
    waiting: int = zero + 1
    inner: int = zero
    outer: int = zero
    put(pending, zero, (zero, subsample, zero, zero - 1))
    while waiting > 0:
        waiting -= 1
        here = pending[waiting]
        first, end, height, parent = here[0], here[1], here[2], here[3]
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
        row = order[first]
        for j in range(m):
            low[0, j] = part[row, j]
            high[j] = part[row, j]
        for position in range(first + 1, end):
            row = order[position]
            for j in range(m):
                value = part[row, j]
                low[0, j] = min(low[0, j], value)
                high[j] = max(high[j], value)
        for j in range(m):
            low[0, j] += uniform(stream) * (high[j] - low[0, j])
        for j in range(m):
            normals[node, j] = normal(stream)
        if extension < m - 1:
            chosen_without_replacement(stream, m - extension - 1, m, taken)
            for j in range(m):
                if taken[j]:
                    normals[node, j] = 0.0
        intercept = _product(low, zero, normals, node)
        intercepts[node] = intercept
        middle, kept = first, 0
        for position in range(first, end):
            row = order[position]
            if _product(part, row, normals, node) < intercept:
                order[middle] = row
                middle += 1
            else:
                aside[kept] = row
                kept += 1
        for position in range(kept):
            order[middle + position] = aside[position]
        put(pending, waiting, (middle, end, height + 1, 2 * node + 1))
        put(pending, waiting + 1, (first, middle, height + 1, 2 * node))
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
    count = len(rows)
    for row in range(count):
        result[row] = 0.0
    nodes = np.empty(count, np.int64)
    for tree in range(len(starts) - 1):
        start = starts[tree]
        leaf_start = leaf_starts[tree]
        # Level by level: the steps of different rows do not wait for each other.
        for row in range(count):
            nodes[row] = 0
        walking = count
        while walking > 0:
            walking = 0
            for row in range(count):
                node = nodes[row]
                if node >= 0:
                    place = start + node
                    value = _product(rows, row, normals, place)
                    node = children[place, 1 - np.int64(value < intercepts[place])]
                    nodes[row] = node
                    walking += 1 if node >= 0 else 0
        for row in range(count):
            result[row] += leaves[leaf_start - nodes[row] - 1]
