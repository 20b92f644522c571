"""
C++'s ``std::mt19937_64`` with the distributions of the GNU standard library.

The authors' package of the extended isolation forest draws from these streams, so that equal seeds
give equal trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.jit import inner

Stream = NDArray[np.uint64]

_WORDS, _HALF = 312, 156
# State words, then the tempered output of the current round, then the position in it.
STATE_SIZE = 2 * _WORDS + 1
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_UPPER, _LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
_MATRIX = np.uint64(0xB5026F5AA96619E9)
_MULTIPLIER = np.uint64(6364136223846793005)
_TO_UNIT = 1.0 / 18446744073709551616.0


@inner
def seeded(stream: Stream, seed: int) -> None:
    """Initialise the stream of a seed."""
    stream[0] = np.uint64(seed)
    for word in range(1, _WORDS):
        last = stream[word - 1]
        stream[word] = _MULTIPLIER * (last ^ (last >> np.uint64(62))) + np.uint64(word)
    stream[2 * _WORDS] = np.uint64(_WORDS)


@inner
def _twisted(here: Any, following: Any, middle: Any) -> Any:
    joined = (here & _UPPER) | (following & _LOWER)
    return middle ^ (joined >> _ONE) ^ (_MATRIX & (_ZERO - (joined & _ONE)))


@inner
def _next_round(stream: Stream) -> None:
    # in parts without a branch, which are vectorised
    for word in range(_HALF):
        stream[word] = _twisted(stream[word], stream[word + 1], stream[word + _HALF])
    for word in range(_HALF, _WORDS - 1):
        stream[word] = _twisted(stream[word], stream[word + 1], stream[word - _HALF])
    last = _WORDS - 1
    stream[last] = _twisted(stream[last], stream[0], stream[last - _HALF])
    for word in range(_WORDS):
        bits = stream[word]
        bits ^= (bits >> np.uint64(29)) & np.uint64(0x5555555555555555)
        bits ^= (bits << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
        bits ^= (bits << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
        stream[_WORDS + word] = bits ^ (bits >> np.uint64(43))
    stream[2 * _WORDS] = _ZERO


@inner
def _bits(stream: Stream) -> Any:
    if stream[2 * _WORDS] == np.uint64(_WORDS):
        _next_round(stream)
    position = stream[2 * _WORDS]
    stream[2 * _WORDS] = position + _ONE
    return stream[np.int64(position) + _WORDS]


@inner
def uniform(stream: Stream) -> Any:
    """Draw from [0, 1)."""
    value = np.float64(_bits(stream)) * _TO_UNIT
    return min(value, 0.9999999999999999)


@inner
def fill_normal(stream: Stream, rows: NDArray[np.float64], row: int) -> None:
    """Draw a row from N(0, 1) by the polar method, without the second value of each pair."""
    filled = 0
    while filled < rows.shape[1]:
        x = 2.0 * uniform(stream) - 1.0
        y = 2.0 * uniform(stream) - 1.0
        squared = x * x + y * y
        # Rejected values are overwritten: a branch here could not be predicted.
        rows[row, filled] = y * np.sqrt(-2.0 * np.log(squared) / squared)
        filled += 0.0 < squared <= 1.0


@inner
def _high_product(a: Any, b: Any) -> Any:
    half, mask = np.uint64(32), np.uint64(0xFFFFFFFF)
    low = (a & mask) * (b & mask)
    middle = (a >> half) * (b & mask) + (low >> half)
    other = (a & mask) * (b >> half) + (middle & mask)
    return (a >> half) * (b >> half) + (middle >> half) + (other >> half)


@inner
def below(stream: Stream, bound: int) -> Any:
    """Draw an integer from [0, bound) by Lemire's method."""
    size = np.uint64(bound)
    bits = _bits(stream)
    if bits * size < size:
        threshold = (_ZERO - size) % size
        while bits * size < threshold:
            bits = _bits(stream)
    return np.int64(_high_product(bits, size))


@inner
def chosen_without_replacement(
    stream: Stream, count: int, total: int, taken: NDArray[np.bool_]
) -> None:
    """Mark `count` of `total` items by Floyd's method."""
    taken[:total] = False
    for bound in range(total - count + 1, total + 1):
        item = below(stream, bound)
        taken[bound - 1 if taken[item] else item] = True
    # GNU's library then shuffles the items, two at a time: only the draws have an effect here.
    for _ in range(count // 2):
        _bits(stream)
