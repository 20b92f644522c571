"""The exponential function in double precision, by vector instructions of any processor."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._jit import compiled

__all__ = ["exponentials"]

_PER_BIT = 1 / math.log(2)
# ln 2 in two parts: the product of the first with any exponent is exact.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROUNDING = 1.5 * 2.0**52  # added to a number, the sum's last bits are the nearest integer
_LEAST = -708.0  # below, the result is less than the smallest normal number, and set to zero


@compiled
def exponentials(values: NDArray[np.float64], bits: NDArray[np.int64]) -> None:
    """
    Replace numbers that are not positive by their exponentials, to two units in the last place.

    `bits` is room for as many integers as there are in a row.
    """
    powers = bits.view(np.float64)
    for row in range(len(values)):
        here = values[row]
        for i in range(len(here)):
            given = here[i]
            x = given if given > _LEAST else _LEAST
            shifted = x * _PER_BIT + _ROUNDING
            powers[i] = shifted
            whole = shifted - _ROUNDING
            r = (x - whole * _LN2_HIGH) - whole * _LN2_LOW
            # The series of e^r up to r¹³/13!, for |r| ≤ ln 2 / 2, in parts that do not wait for
            # each other
            r2 = r * r
            r4 = r2 * r2
            low = (0.5 + r * (1 / 6)) + (1 / 24 + r * (1 / 120)) * r2
            middle = (1 / 720 + r * (1 / 5040)) + (1 / 40320 + r * (1 / 362880)) * r2
            high = (1 / 3628800 + r * (1 / 39916800)) + (1 / 479001600 + r * (1 / 6227020800)) * r2
            p = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)))
            here[i] = p if given > _LEAST else 0.0
        for i in range(len(here)):
            bits[i] = (bits[i] + 1023) << 52
        for i in range(len(here)):
            here[i] *= powers[i]
