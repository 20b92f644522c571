"""The exponential function in double precision, by vector instructions of any processor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numpy.typing import NDArray

from occstats_descriptors._kernels.jit import compiled
from occstats_descriptors._writer import F64, I64, intrinsic, word

__all__ = ["exponentials"]

_PER_BIT = 1 / math.log(2)
# ln 2 in two parts: the product of the first with any exponent is exact.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROUNDING = 1.5 * 2.0**52  # added to a number, the sum's last bits are the nearest integer
_LEAST = -708.0  # below, the result is less than the smallest normal number, and set to zero


@intrinsic
def _power(typing_context: Any, shifted: Any) -> Any:
    """Two to the power of the integer that `_ROUNDING` was added to."""

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        whole = builder.add(builder.bitcast(values[0], I64), word(1023))
        return builder.bitcast(builder.shl(whole, word(52)), F64)

    return types.float64(shifted), generate


@compiled
def exponentials(values: NDArray[np.float64]) -> None:
    """Replace numbers, none positive, by their exponentials, to two units in the last place."""
    for row in range(len(values)):
        here = values[row]
        for i in range(len(here)):
            given = here[i]
            x = given if given > _LEAST else _LEAST
            shifted = x * _PER_BIT + _ROUNDING
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
            here[i] = p * _power(shifted) if given > _LEAST else 0.0
