"""
Trees of scikit-learn's isolation forest: growth and path lengths.

A tree is an extremely randomised regression tree of depth ⌈log₂ ψ⌉ on a random target: a node draws
attributes until one varies, then a threshold between its extremes, and is not split if its random
targets agree. Every draw (of scikit-learn's xorshift) and every sum is in scikit-learn's order, so
that equal seeds give equal trees, bit for bit.

Benefit: scikit-learn's scores; a fit is 4 to 30 times as fast, and scoring 2 to 3 times.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels import Integers, Single, Vector
from occstats_descriptors._kernels.jit import compiled, inner, put

LARGEST = 2**31 - 1  # bound of the seeds that scikit-learn draws
_EPSILON = float(np.finfo(np.float64).eps)
_CONSTANT = np.float32(1e-7)  # spread up to which an attribute counts as constant
_ZERO_STATE = np.uint32(1)


def average_paths(largest: int) -> Vector:
    """Return average path lengths of unsuccessful searches among 0, 1, … `largest` rows."""
    counts = np.arange(largest + 1, dtype=np.float64)
    paths = np.minimum(np.maximum(counts - 1.0, 0.0), 1.0)
    some = counts[3:]
    paths[3:] = 2.0 * (np.log(some - 1.0) + np.euler_gamma) - 2.0 * (some - 1.0) / some
    return paths


@inner
def _shifted(state: NDArray[np.uint32]) -> Any:
    """Draw an integer from [0, 2³¹) by scikit-learn's 32-bit xorshift."""
    bits = state[0]
    if bits == np.uint32(0):
        bits = _ZERO_STATE
    bits = np.uint32(bits ^ np.uint32(bits << np.uint32(13)))
    bits = np.uint32(bits ^ np.uint32(bits >> np.uint32(17)))
    bits = np.uint32(bits ^ np.uint32(bits << np.uint32(5)))
    state[0] = bits
    return np.int64(bits & np.uint32(LARGEST))


@compiled
def grow(
    rows: Single,
    target: Vector,
    samples: Integers,
    seed: int,
    purity: float,
    limit: int,
    paths: Vector,
) -> tuple[Integers, Vector, Integers, Vector]:
    """
    Grow a tree of the rows `samples`; return attributes, thresholds, children and leaves.

    Child c of an inner node is inner node c if c ≥ 0, else leaf −c − 1, whose path length is in
    `leaves`. The rows x with x[attributes[i]] ≤ thresholds[i] are left of node i.

    A node is a leaf at depth `limit` or with an impurity up to `purity`; `paths` holds the average
    path length by number of rows.
    """
    subsample, m = len(samples), rows.shape[1]
    attributes, thresholds = np.empty(subsample, np.int64), np.empty(subsample)
    children, leaves = np.empty((subsample, 2), np.int64), np.empty(subsample)
    state = np.empty(1, np.uint32)
    state[0] = np.uint32(seed)
    values = np.empty(subsample, np.float32)
    order = np.arange(m)  # constant attributes of the current path first
    constants = np.empty(m, np.int64)
    # Pending nodes: first and end position, height, place among `children`, constant attributes.
    pending = np.empty((limit + 2, 5), np.int64)
    impurities = np.empty(limit + 2)
    zero: Any = np.int64(0)  # not a constant: see `compiled`
    waiting: int = zero + 1
    n_inner: int = zero
    n_leaves: int = zero
    put(pending, zero, (zero, subsample, zero, zero - 1, zero))
    impurities[0] = np.inf
    while waiting > 0:
        waiting -= 1
        here = pending[waiting]
        first, end, height, parent, known = here[0], here[1], here[2], here[3], here[4]
        impurity = impurities[waiting]
        count = end - first
        total = squares = 0.0
        for position in range(first, end):
            value = target[samples[position]]
            total += value
            squares += value * value
        if parent < 0:
            impurity = squares / count - (total / count) ** 2
        middle, attribute, threshold = end, 0, 0.0
        found, drawn, last = 0, 0, m
        is_leaf = height >= limit or count < 2 or impurity <= purity
        # Draw attributes until one is not constant here.
        while not is_leaf and middle == end and last > known + found:
            place = drawn + _shifted(state) % (last - found - drawn)
            if place < known:
                order[drawn], order[place] = order[place], order[drawn]
                drawn += 1
                continue
            place += found
            attribute = order[place]
            low = high = rows[samples[first], attribute]
            for position in range(first, end):
                value32 = rows[samples[position], attribute]
                values[position] = value32
                low = min(low, value32)
                high = max(high, value32)
            if high <= np.float32(low + _CONSTANT):
                order[place] = order[known + found]
                order[known + found] = attribute
                found += 1
                continue
            last -= 1
            order[last], order[place] = order[place], order[last]
            lowest, highest = np.float64(low), np.float64(high)
            threshold = (highest - lowest) * np.float64(_shifted(state)) / LARGEST + lowest
            if threshold == highest:
                threshold = lowest
            middle, rest = first, end
            while middle < rest:
                if values[middle] <= threshold:
                    middle += 1
                else:
                    rest -= 1
                    values[middle], values[rest] = values[rest], values[middle]
                    samples[middle], samples[rest] = samples[rest], samples[middle]
        if not is_leaf:
            for place in range(known):
                order[place] = constants[place]
            for place in range(known, known + found):
                constants[place] = order[place]
        left_impurity = right_impurity = 0.0
        if middle < end:
            left, right = middle - first, end - middle
            left_squares = 0.0
            for position in range(first, middle):
                value = target[samples[position]]
                left_squares += value * value
            if left <= right:
                left_total = 0.0
                for position in range(first, middle):
                    left_total += target[samples[position]]
            else:
                left_total = total
                for position in range(end - 1, middle - 1, -1):
                    left_total -= target[samples[position]]
            # The sums of a node are those before its rows are reordered.
            right_total = total - left_total
            left_impurity = left_squares / left - (left_total / left) ** 2
            right_impurity = (squares - left_squares) / right - (right_total / right) ** 2
            gain = impurity - right / count * right_impurity - left / count * left_impurity
            is_leaf = count / subsample * gain + _EPSILON < 0.0
        else:
            is_leaf = True
        if is_leaf:
            leaves[n_leaves] = (height + 1.0) + paths[count] - 1.0
            n_leaves += 1
            if parent >= 0:
                children[parent // 2, parent % 2] = -n_leaves
            continue
        node = n_inner
        n_inner += 1
        if parent >= 0:
            children[parent // 2, parent % 2] = node
        attributes[node] = attribute
        thresholds[node] = threshold
        put(pending, waiting, (middle, end, height + 1, 2 * node + 1, known + found))
        impurities[waiting] = right_impurity
        put(pending, waiting + 1, (first, middle, height + 1, 2 * node, known + found))
        impurities[waiting + 1] = left_impurity
        waiting += 2
    return attributes[:n_inner], thresholds[:n_inner], children[:n_inner], leaves[:n_leaves]


@compiled
def sum_of_paths(
    rows: Single,
    starts: Integers,
    leaf_starts: Integers,
    attributes: Integers,
    thresholds: Vector,
    children: Integers,
    leaves: Vector,
    result: Vector,
) -> None:
    """Sum the path lengths of rows over all trees."""
    count = len(rows)
    for row in range(count):
        result[row] = 0.0
    for tree in range(len(starts) - 1):
        start = starts[tree]
        leaf_start = leaf_starts[tree]
        for row in range(count):
            node = np.int64(-1) if start == starts[tree + 1] else np.int64(0)
            while node >= 0:
                place = start + node
                right = np.int64(not rows[row, attributes[place]] <= thresholds[place])
                node = children[place, right]
            result[row] += leaves[leaf_start - node - 1]
