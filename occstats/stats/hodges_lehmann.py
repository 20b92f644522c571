r"""Hodges-Lehmann shift between two algorithms, by inverting a clustered signed-rank test.

Let :math:`R_i(\delta)` be the sum of the signed ranks of :math:`x_{ij} - \delta` in dataset i. The
shift is the δ at which the test finds nothing, :math:`\sum_i w_i R_i(\delta) = 0`, with the weights
that the test gives the datasets at δ = 0; its limits are the smallest and largest δ with
:math:`|Z(\delta)| \le c`. Both change only where δ is the mean of two differences (a Walsh
average), that is at multiples of half the tie tolerance: the search is a bisection of these.

For independent differences of equal weight the shift is the median of all Walsh averages [1]_.

References
----------
.. [1] J. L. Hodges, E. L. Lehmann (1963). Estimates of location based on rank tests. Annals of
   Mathematical Statistics 34(2), 598-611.
.. [2] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
   comparisons of clustered data. Biometrics 62(1), 185-192.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from occstats.stats.arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from occstats.stats.tests.engine import Prepared

__all__ = ["shift_limits", "weighted_shift"]

# A statistic Z this small is zero but for rounding.
_ZERO = 1e-9
# Differences beyond which the search stops at a millionth of their range.
_MANY = 2_000_000


def weighted_shift(prepared: Prepared, pairs: IntArray) -> FloatArray:
    """Return the shift of some pairs, in units of the prepared differences.

    Infinite where failures leave no finite one.
    """
    lattice = _Lattice(prepared, pairs)

    def sign(places: FloatArray, some: IntArray) -> FloatArray:
        z = prepared.z_at(pairs[some], lattice.between(places, some))
        return np.where(np.abs(z) <= _ZERO, 0.0, np.sign(z))

    everything = np.arange(len(pairs))
    at_low, at_high = sign(lattice.low, everything), sign(lattice.high, everything)
    # The last place with a positive sum, and the first with a negative one.
    last = _bisect(lattice.low, lattice.high, lambda at, some: sign(at, some) > 0)
    first = last + 1
    flat = np.flatnonzero((sign(first, everything) == 0) & (at_high < 0))
    if len(flat):
        first[flat] = 1 + _bisect(
            first[flat], lattice.high[flat], lambda at, some: sign(at, flat[some]) >= 0
        )
    shift = lattice.value((last + 1 + first) / 2)
    shift[at_high >= 0] = np.inf
    shift[at_low <= 0] = -np.inf
    return np.where(at_low == at_high, np.where(at_low == 0, np.nan, shift), shift)


def shift_limits(
    prepared: Prepared,
    pairs: IntArray,
    shift: FloatArray,
    critical: FloatArray,
    rejected: NDArray[np.bool_],
) -> tuple[FloatArray, FloatArray]:
    r"""Return the smallest and largest δ with \|Z(δ)\| ≤ c for some pairs.

    Parameters
    ----------
    prepared, pairs
        A clustered test, and its columns.
    shift, critical : ndarray
        The shift and the critical value c of each pair.
    rejected : ndarray of bool
        Whether δ = 0 is rejected; the limits never contradict it.
    """
    lattice = _Lattice(prepared, pairs)
    everything = np.arange(len(pairs))

    def outside(places: FloatArray, some: IntArray) -> NDArray[np.bool_]:
        z = prepared.z_at(pairs[some], lattice.between(places, some))
        return np.asarray(np.abs(z) > critical[some])

    limits = []
    for side, far in ((-1.0, lattice.low), (1.0, lattice.high)):
        # Zero lies between the places −1 and 0; what the test says about it holds.
        zero = np.full(len(pairs), -1.0 if side < 0 else 0.0)
        beyond = side * shift < 0
        exists = outside(far, everything) | (beyond & rejected)
        # Just inside, seen from this side, so that the shift itself can be the limit.
        centre = lattice.place(shift, round_up=side > 0)
        start = np.where(beyond & rejected, zero, far)
        stop = np.where(beyond & ~rejected, zero - side, centre)
        usable = exists & (side * (start - stop) > 0)
        places = _bisect(start, stop, outside, np.flatnonzero(usable))
        limit = lattice.value(places + (1.0 if side < 0 else 0.0))
        limit = np.where(usable, limit, shift)
        limits.append(np.where(exists, limit, side * np.inf))
    # Where failures leave no finite shift, there may be no finite limit either.
    endless = np.isinf(shift) & rejected & outside(lattice.place(shift, round_up=False), everything)
    return np.where(endless, shift, limits[0]), np.where(endless, shift, limits[1])


class _Lattice:
    """Places between the multiples of half a step: δ = (place + ½) · step / 2."""

    def __init__(self, prepared: Prepared, pairs: IntArray) -> None:
        low, high = prepared.extent(pairs)
        reach = np.maximum(np.abs(low), np.abs(high))
        step = np.where(reach > 0, reach, 1.0) * 2.0**-40
        if prepared.on_lattice:
            step = np.ones(len(pairs))
        if len(pairs) * len(prepared.grid) > _MANY:
            step = np.maximum(step, np.rint((high - low) * 2.0**-20))
        self.step = step
        self.low = 2 * np.floor(low / step) - 2
        self.high = 2 * np.ceil(high / step) + 1

    def between(self, places: FloatArray, some: IntArray) -> FloatArray:
        return np.asarray((places + 0.5) / 2 * self.step[some])

    def value(self, places: FloatArray) -> FloatArray:
        return np.asarray(places / 2 * self.step)

    def place(self, values: FloatArray, *, round_up: bool) -> FloatArray:
        """The place just above some values or, rounding up, just below them."""
        doubled = 2 * values / self.step
        places = np.ceil(doubled) - 1 if round_up else np.floor(doubled)
        return np.asarray(np.clip(places, self.low, self.high))


def _bisect(
    true: FloatArray,
    false: FloatArray,
    holds: Callable[[FloatArray, IntArray], NDArray[np.bool_]],
    searched: IntArray | None = None,
) -> FloatArray:
    """Return the last place, seen from where a condition is true, before it becomes false."""
    true, false = true.astype(float), false.astype(float)
    some = np.arange(len(true)) if searched is None else searched
    while True:
        some = some[np.abs(false[some] - true[some]) > 1]
        if len(some) == 0:
            return true
        middle = np.floor((true[some] + false[some]) / 2)
        found = holds(middle, some)
        true[some] = np.where(found, middle, true[some])
        false[some] = np.where(found, false[some], middle)
