"""NumPy's ``RandomState`` in compiled code, as far as scikit-learn's forests draw from it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.jit import compiled

__all__ = ["STATE_SIZE", "below", "chosen_without_replacement", "seeded"]

Stream = NDArray[np.uint64]

_WORDS = 624
STATE_SIZE = _WORDS + 1  # words of 32 bits, then the position among them
_ONE, _BITS = np.uint64(1), np.uint64(0xFFFFFFFF)
_UPPER, _LOWER = np.uint64(0x80000000), np.uint64(0x7FFFFFFF)
_MATRIX = np.uint64(0x9908B0DF)
_MULTIPLIER = np.uint64(1812433253)


@compiled
def seeded(stream: Stream, seed: int) -> None:
    """Start the stream of ``RandomState(seed)``."""
    word = np.uint64(seed) & _BITS
    for position in range(_WORDS):
        stream[position] = word
        word = (_MULTIPLIER * (word ^ (word >> np.uint64(30))) + np.uint64(position + 1)) & _BITS
    stream[_WORDS] = np.uint64(_WORDS)


@compiled
def _next_round(stream: Stream) -> None:
    for word in range(_WORDS):
        following = word + 1 if word < _WORDS - 1 else 0
        middle = word + 397 if word < _WORDS - 397 else word + 397 - _WORDS
        joined = (stream[word] & _UPPER) | (stream[following] & _LOWER)
        twist = _MATRIX if joined & _ONE else np.uint64(0)
        stream[word] = stream[middle] ^ (joined >> _ONE) ^ twist
    stream[_WORDS] = np.uint64(0)


@compiled
def _bits(stream: Stream) -> Any:
    if stream[_WORDS] == np.uint64(_WORDS):
        _next_round(stream)
    position = stream[_WORDS]
    stream[_WORDS] = position + _ONE
    bits = stream[np.int64(position)]
    bits ^= bits >> np.uint64(11)
    bits ^= (bits << np.uint64(7)) & np.uint64(0x9D2C5680)
    bits ^= (bits << np.uint64(15)) & np.uint64(0xEFC60000)
    return bits ^ (bits >> np.uint64(18))


@compiled
def below(stream: Stream, bound: int) -> Any:
    """Draw ``randint(bound)``, for 2 ≤ bound ≤ 2³²; ``randint(1)`` draws nothing."""
    largest = np.uint64(bound - 1)
    mask = largest
    for shift in (1, 2, 4, 8, 16):
        mask |= mask >> np.uint64(shift)
    bits = _bits(stream) & mask
    while bits > largest:
        bits = _bits(stream) & mask
    return np.int64(bits)


@compiled
def chosen_without_replacement(
    stream: Stream, count: int, total: int, taken: NDArray[np.bool_]
) -> None:
    """Mark `count` of `total` items, as ``sklearn.utils.random.sample_without_replacement``."""
    ratio = count / total
    if 0.01 < ratio < 0.99:  # a permutation
        order = np.arange(total)
        for last in range(total - 1, 0, -1):
            other = below(stream, last + 1)
            order[last], order[other] = order[other], order[last]
        chosen = order[:count]
        taken[:] = False
        for item in chosen:
            taken[item] = True
    elif ratio < 0.2:  # anew where an item was drawn before
        taken[:] = False
        for _ in range(count):
            item = below(stream, total)
            while taken[item]:
                item = below(stream, total)
            taken[item] = True
    else:  # a reservoir: each later item may take the place of another
        chosen = np.arange(count)
        for item in range(count, total):
            place = below(stream, item + 1)
            if place < count:
                chosen[place] = item
        taken[:] = False
        for item in chosen:
            taken[item] = True
