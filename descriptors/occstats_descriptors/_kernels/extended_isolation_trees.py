"""Growing and walking the trees of an extended isolation forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numpy.typing import NDArray

from occstats_descriptors._kernels.jit import compiled, put
from occstats_descriptors._kernels.mersenne_twister import (
    STATE_SIZE,
    chosen_without_replacement,
    fill_normal,
    seeded,
    uniform,
)
from occstats_descriptors._writer import F64, I32, I64, Writer, cgutils, intrinsic, word
from occstats_descriptors.base import Matrix, Vector

__all__ = ["average_path", "grow", "sum_of_paths"]

Integers = NDArray[np.int64]


@compiled
def average_path(count: int) -> Any:
    """Average path length of an unsuccessful search among `count` rows, as the authors have it."""
    if count <= 1:
        return 0.0
    return 2.0 * (np.log(count - 1.0) + 0.5772156649) - 2.0 * (count - 1.0) / count


@intrinsic
def _product(typing_context: Any, a: Any, row: Any, b: Any, other: Any) -> Any:
    """Multiply row `row` of a with row `other` of b, as far as a has columns."""
    # Eight fixed sums: as fast as the processor adds, and the same digits wherever it is called,
    # so that rows that coincide stay together.
    kinds = (a, row, b, other)

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        four = ir.VectorType(F64, 4)
        write = Writer(context, builder, kinds, values)
        length = write.length(0, 1)
        one, two = (
            write.address(array, builder.mul(values[array + 1], length)) for array in (0, 2)
        )

        def terms(place: Any, kind: Any, by: int = 0) -> Any:
            offset = write.plus(write.times(8, place), word(8 * by))
            here, there = (write.load(write.plus(start, offset), kind) for start in (one, two))
            return builder.fmul(here, there)

        sums = [cgutils.alloca_once_value(builder, ir.Constant(four, None)) for _ in range(2)]
        eights = builder.lshr(length, word(3))
        done = cgutils.alloca_once_value(builder, write.times(8, eights))
        with cgutils.for_range(builder, eights) as loop:
            for half, total in enumerate(sums):
                write.add_to(total, terms(write.times(8, loop.index), four, 4 * half), builder.fadd)
        left = builder.sub(length, builder.load(done))
        with builder.if_then(builder.icmp_unsigned(">=", left, word(4))):
            write.add_to(sums[0], terms(builder.load(done), four), builder.fadd)
            write.add_to(done, word(4), builder.add)
        pairs = builder.fadd(*(builder.load(total) for total in sums))
        s = [builder.extract_element(pairs, ir.Constant(I32, lane)) for lane in range(4)]
        whole = builder.fadd(builder.fadd(s[0], s[2]), builder.fadd(s[1], s[3]))
        result = cgutils.alloca_once_value(builder, whole)
        first = builder.load(done)
        with cgutils.for_range(builder, builder.sub(length, first)) as loop:
            write.add_to(result, terms(write.plus(first, loop.index), F64), builder.fadd)
        return builder.load(result)

    return types.float64(*kinds), generate


@intrinsic
def _bounding_box(
    typing_context: Any, rows: Any, order: Any, first: Any, end: Any, low: Any, high: Any
) -> Any:
    """
    Write least and greatest of each attribute of the rows that `order` has from `first` to `end`.

    Attributes are taken by fours: behind `rows`, `low` and `high` there is room for three more.
    """
    kinds = (rows, order, first, end, low, high)

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        four = ir.VectorType(F64, 4)
        write = Writer(context, builder, kinds, values)
        length, start = write.length(0, 1), write.address(0)
        names = write.address(1, values[2])
        signs, targets = ("<", ">"), (write.address(4), write.address(5))
        best = [cgutils.alloca_once(builder, four) for _ in signs]
        fours = builder.lshr(builder.add(length, word(3)), word(2))
        with cgutils.for_range(builder, fours) as outer:
            offset = write.times(32, outer.index)
            for sign, so_far in zip(signs, best, strict=True):
                worst = float("inf" if sign == "<" else "-inf")
                builder.store(ir.Constant(four, [worst] * 4), so_far)
            with cgutils.for_range(builder, builder.sub(values[3], values[2])) as inner:
                row = write.load(write.plus(names, write.times(8, inner.index)), I64)
                place = write.plus(start, write.times(8, builder.mul(row, length)), offset)
                here = write.load(place, four)
                for sign, so_far in zip(signs, best, strict=True):
                    there = builder.load(so_far)
                    better = builder.fcmp_ordered(sign, here, there)
                    builder.store(builder.select(better, here, there), so_far)
            for target, so_far in zip(targets, best, strict=True):
                write.store(builder.load(so_far), write.plus(target, offset))
        return context.get_dummy_value()

    return types.void(*kinds), generate


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
    part = np.empty((subsample + 3, m))
    filled = 0
    for row in range(n):
        if taken[row]:
            for j in range(m):
                part[filled, j] = rows[row, j]
            filled += 1
    order = np.arange(subsample)
    aside = np.empty(subsample, np.int64)
    low, high = np.empty((1, m + 3)), np.empty(m + 3)
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
        _bounding_box(part, order, first, end, low, high)
        for j in range(m):
            low[0, j] += uniform(stream) * (high[j] - low[0, j])
        fill_normal(stream, normals, node)
        if extension < m - 1:
            chosen_without_replacement(stream, m - extension - 1, m, taken)
            for j in range(m):
                if taken[j]:
                    normals[node, j] = 0.0
        intercept = _product(normals, node, low, zero)
        intercepts[node] = intercept
        middle, kept = first, 0
        for position in range(first, end):
            # without a branch, which could not be foreseen
            row = order[position]
            left = _product(part, row, normals, node) < intercept
            order[middle] = row
            aside[kept] = row
            middle += left
            kept += not left
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
