"""
Exponentials in double precision by vector instructions.

Benefit: 256 × 256 exponentials take 0.10 ms with AVX2, where NumPy 2.4 takes 0.28 ms; with AVX-512,
both take 0.05 ms.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba.core import types

from occstats_descriptors._kernels import Matrix
from occstats_descriptors._kernels.jit import compiled, intrinsic

__all__ = ["exponentials"]

# Constants of exp(x) = 2^k exp(r), with k the integer nearest to x / ln 2, and |r| ≤ ln 2 / 2. The
# constant ln 2 is in two parts, of which the product of the first with any k is exact. The last
# bits of a number to which ROUNDING is added are k. Below LEAST, the exponential is less than the
# smallest normal number, and is set to zero.
_PER_BIT, _ROUNDING, _LEAST = 1 / math.log(2), 1.5 * 2.0**52, -708.0
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


@intrinsic
def _power(typing_context: Any, shifted: Any) -> Any:
    """Return two to the power of the integer to which `_ROUNDING` was added."""

    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        word = ir.IntType(64)
        exponent = builder.add(builder.bitcast(values[0], word), ir.Constant(word, 1023))
        return builder.bitcast(builder.shl(exponent, ir.Constant(word, 52)), ir.DoubleType())

    return types.float64(shifted), generate


@compiled
def exponentials(values: Matrix) -> None:
    """Replace numbers, none positive, by their exponentials, to two units in the last place."""
    for row in range(len(values)):
        here = values[row]
        for i in range(len(here)):
            given = here[i]
            x = given if given > _LEAST else _LEAST
            shifted = x * _PER_BIT + _ROUNDING
            whole = shifted - _ROUNDING
            r = (x - whole * _LN2_HIGH) - whole * _LN2_LOW
            # The series of exp(r) up to r¹³/13!, in parts that do not wait for each other.
            r2 = r * r
            r4 = r2 * r2
            low = (0.5 + r * (1 / 6)) + (1 / 24 + r * (1 / 120)) * r2
            middle = (1 / 720 + r * (1 / 5040)) + (1 / 40320 + r * (1 / 362880)) * r2
            high = (1 / 3628800 + r * (1 / 39916800)) + (1 / 479001600 + r * (1 / 6227020800)) * r2
            p = 1.0 + (r + r2 * (low + r4 * (middle + r4 * high)))
            here[i] = p * _power(shifted) if given > _LEAST else 0.0
