r"""Hodges-Lehmann shift between two algorithms, by inverting a clustered signed-rank test.

Let :math:`R_i(\delta)` be the sum of the signed ranks of :math:`x_{ij} - \delta` in dataset i. The
shift is the δ at which the test finds nothing, :math:`\sum_i w_i R_i(\delta) = 0`, with the weights
that the test gives the datasets at δ = 0; its limits are where :math:`|Z(\delta)|` passes the
critical value. For independent differences of equal weight the shift is the median of all Walsh
averages, the means of two differences [1]_.

Z changes only at Walsh averages. In the order of the :math:`|x - \delta|`, the Walsh averages next
to δ are the means of neighbours on different sides of it, so that each evaluation of Z also tells
how far its value holds; the search by false position [3]_ ends where nothing lies in between.

References
----------
.. [1] J. L. Hodges, E. L. Lehmann (1963). Estimates of location based on rank tests. Annals of
   Mathematical Statistics 34(2), 598-611.
.. [2] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
   comparisons of clustered data. Biometrics 62(1), 185-192.
.. [3] M. Dowell, P. Jarratt (1971). A modified regula falsi method for computing the root of an
   equation. BIT 11(2), 168-174.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from occstats.stats._arrays import FloatArray, IntArray
from occstats.stats.signed_rank.null import SAME_Z
from occstats.stats.signed_rank.ranking import OrderedDifferences

if TYPE_CHECKING:
    from occstats.stats.signed_rank.interface import Prepared

__all__ = ["Bracket", "ShiftSearch"]

# A statistic Z this small is zero but for rounding.
_ZERO = 1e-9
# Differences that are ordered at once: few enough to stay in the cache.
_CHUNK_ELEMENTS = 100_000
# False position takes about ten steps; after this many, halving is safer.
_FALSE_POSITIONS = 40


@dataclass(frozen=True, eq=False)
class Bracket:
    """The shift of each pair and what the search for it found on either side.

    Attributes
    ----------
    shift : ndarray
        Infinite where failures leave no finite one, NaN where there is none at all.
    ends : _Ends
        The Walsh average at which Z passes zero, and Z on either side.
    z_first, z_last : ndarray
        Z below the smallest and above the largest difference.
    """

    shift: FloatArray
    ends: _Ends
    z_first: FloatArray
    z_last: FloatArray


class _Point(NamedTuple):
    """Z just below δ, the largest Walsh average below δ, and the smallest that is not."""

    z: FloatArray
    below: FloatArray
    above: FloatArray


class _Ends(NamedTuple):
    """Walsh averages between which a crossing lies, and Z outside of them."""

    left: FloatArray
    z_left: FloatArray
    right: FloatArray
    z_right: FloatArray


class ShiftSearch:
    """Search for shifts and limits of some pairs, in units of the prepared differences."""

    def __init__(self, prepared: Prepared, pairs: IntArray) -> None:
        self._prepared, self._pairs = prepared, pairs
        self._differences = OrderedDifferences.of(
            prepared.grid[:, pairs], prepared.clusters, keep_zeros=prepared.keeps_zeros
        )

    def shift(self) -> Bracket:
        """Return the shift of each pair."""
        first, last = self._differences.extent
        start = self._at(first)
        # Beyond all differences, by any distance.
        stop = self._at(last + np.maximum(1.0, np.abs(last)))
        ends = _Ends(start.above, start.z, stop.below, stop.z)
        level = np.full(len(first), _ZERO)
        ends, above = self._cross(ends, level, stop.above)
        # Z passes zero at one Walsh average, or is zero between two.
        flat = np.abs(ends.z_right) <= _ZERO
        after = _Ends(above, np.where(flat, ends.z_right, -1.0), stop.below, stop.z)
        last_zero = self._cross(after, -level)[0].right
        with np.errstate(invalid="ignore"):
            shift = np.where(flat, (ends.right + last_zero) / 2, ends.right)
        shift = np.where(stop.z < -_ZERO, shift, np.inf)
        shift = np.where(start.z > _ZERO, shift, -np.inf)
        none = (np.abs(start.z) <= _ZERO) & (np.abs(stop.z) <= _ZERO)
        return Bracket(np.where(none, np.nan, shift), ends, start.z, stop.z)

    def limits(
        self, bracket: Bracket, z: FloatArray, critical: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        r"""Return the limits between which \|Z(δ)\| does not exceed the critical value.

        Parameters
        ----------
        bracket : Bracket
            The shifts.
        z, critical : ndarray
            Z at δ = 0, and the critical value of each pair. What they say about δ = 0 holds, so
            that ties can put a limit on 0.
        """
        first, last = self._differences.extent
        level = critical + SAME_Z
        positive, negative = z > level, z < -level
        undecided = ~(positive | negative)
        zero = self._at(np.zeros(len(z)))
        not_above = np.where(zero.above == 0, 0.0, zero.below)
        ends = bracket.ends
        from_zero, to_zero = positive, undecided & (bracket.shift > 0)
        low, _ = self._cross(
            _Ends(
                np.where(from_zero, zero.above, first),
                np.where(from_zero, z, bracket.z_first),
                np.where(to_zero, not_above, ends.right),
                np.where(to_zero, z, ends.z_right),
            ),
            level,
        )
        from_zero, to_zero = undecided & (bracket.shift < 0), negative
        high, _ = self._cross(
            _Ends(
                np.where(from_zero, zero.above, ends.left),
                np.where(from_zero, z, ends.z_left),
                np.where(to_zero, not_above, last),
                np.where(to_zero, z, bracket.z_last),
            ),
            -level,
        )
        return _limit(low, level), _limit(high, -level)

    def _at(self, delta: FloatArray, rows: IntArray | None = None) -> _Point:
        """Evaluate Z of some rows, or of all, at one δ each."""
        rows = np.arange(len(delta)) if rows is None else rows
        found = _Point(*np.empty((3, len(rows))))
        step = max(1, _CHUNK_ELEMENTS // max(1, self._differences.values.shape[1]))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            merged = self._differences.merge(rows[part], delta[part])
            found.z[part] = self._prepared.z_of(self._pairs[rows[part]], merged)
            found.below[part], found.above[part] = merged.below, merged.above
        return found

    def _cross(
        self, ends: _Ends, level: FloatArray, above: FloatArray | None = None
    ) -> tuple[_Ends, FloatArray]:
        """Narrow the ends to the Walsh average at which Z falls from above a level.

        Also returns the Walsh average that follows it.
        """
        left, z_left, right, z_right = (np.array(end) for end in ends)
        above = np.full(len(left), np.nan) if above is None else above.copy()
        f_left, f_right = z_left - level, z_right - level
        side = np.zeros(len(left))
        rows = np.flatnonzero((f_left > 0) & (f_right <= 0))
        for step in count():
            rows = rows[left[rows] < right[rows]]
            if not len(rows):
                break
            a, b = left[rows], right[rows]
            share = f_left[rows] / (f_left[rows] - f_right[rows])
            share = np.where(step < _FALSE_POSITIONS, share, 0.5)
            delta = self._differences.round_up(a + (b - a) * share)
            delta = np.where((delta > a) & (delta <= b), delta, b)
            found = self._at(delta, rows)
            f = found.z - level[rows]
            # Rounding of raw differences must not make an end stay where it is.
            up_to = np.maximum(found.above, delta)
            down_to = np.minimum(found.below, np.nextafter(delta, -np.inf))
            for up, place, end, z, own, other in (
                (1.0, up_to, left, z_left, f_left, f_right),
                (-1.0, down_to, right, z_right, f_right, f_left),
            ):
                which = (f > 0) == (up > 0)
                moved = rows[which]
                end[moved], z[moved], own[moved] = place[which], found.z[which], f[which]
                # An end that stays twice counts half (Illinois).
                other[moved] *= np.where(side[moved] == up, 0.5, 1.0)
                side[moved] = up
            down = f <= 0
            above[rows[down]] = found.above[down]
        return _Ends(left, z_left, right, z_right), above


def _limit(ends: _Ends, level: FloatArray) -> FloatArray:
    """Return where Z passes the level: infinite where it is below, or above, throughout."""
    limit = np.where(ends.z_right > level, np.inf, ends.right)
    return np.where(ends.z_left > level, limit, -np.inf)
