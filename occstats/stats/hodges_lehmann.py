r"""Hodges-Lehmann shift between two algorithms, by inverting a clustered signed-rank test.

Let :math:`R_i(\delta)` be the sum of the signed ranks of :math:`x_{ij} - \delta` in dataset i. The
shift is the root of :math:`\sum_i w_i R_i(\delta) = 0`, with the weights of the test at δ = 0; its
limits are where :math:`|Z(\delta)|` passes the critical value. For independent differences of equal
weight it is the median of all Walsh averages, the means of two differences [1]_.

Z changes only at Walsh averages. In the order of the :math:`|x - \delta|`, the Walsh averages next
to δ are means of neighbours on different sides of it, so that each evaluation of Z also gives the
interval on which it is constant; the search by false position [3]_ ends between two neighbours.

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

from occstats.stats._arrays import FloatArray, IntArray, tied_runs
from occstats.stats.signed_rank.null import SAME_Z

if TYPE_CHECKING:
    from occstats.stats.signed_rank.interface import Prepared

# A statistic Z this small is zero but for rounding.
_ZERO = 1e-9
# Differences that are ordered at a time: few enough to stay in the cache.
_CHUNK_ELEMENTS = 50_000
# False position takes about ten steps; after this many, halving is safer.
_FALSE_POSITIONS = 40


@dataclass(frozen=True, eq=False)
class Merged:
    """Differences less a shift, ordered by magnitude in each row, with midranks of the magnitudes.

    A difference equal to the shift counts as positive: the state just below the shift. `cells` are
    row and cluster as one number; one more cluster in each row gathers absent differences. `below`
    and `above` are the largest Walsh average below the shift, and the smallest that is not.
    """

    cells: IntArray
    signs: FloatArray
    ranks: FloatArray
    n_clusters: int
    below: FloatArray
    above: FloatArray

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum values within each cluster: rows × clusters."""
        shape = len(values), self.n_clusters + 1
        found = np.bincount(self.cells.ravel(), values.ravel(), shape[0] * shape[1])
        return np.asarray(found, dtype=np.float64).reshape(shape)[:, :-1]

    def within_clusters(self) -> FloatArray:
        """Return the position of each difference within its cluster, minus one half."""
        cells = self.cells.ravel()
        order = np.argsort(cells, kind="stable")
        ordered = cells[order]
        starts = np.flatnonzero(np.diff(ordered, prepend=-1))
        lengths = np.diff(starts, append=len(ordered))
        places = np.empty(len(cells))
        places[order] = np.arange(len(cells)) - np.repeat(starts, lengths) + 0.5
        return places.reshape(self.cells.shape)


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
    """Search for shifts and limits of some pairs, in units of the prepared differences.

    Finite differences and their clusters, pairs × n, are held in ascending order, padded with
    infinity and one more than the last cluster. `_ties` are the offsets from positions to the
    middle of equal values, and None where all differ.
    """

    def __init__(self, prepared: Prepared, pairs: IntArray) -> None:
        self._prepared, self._pairs = prepared, pairs
        x, clusters = prepared.grid[:, pairs], prepared.clusters
        counted = np.isfinite(x) & (prepared.keeps_zeros | (x != 0))
        rows = np.ascontiguousarray(np.where(counted, x, np.inf).T)
        order = np.argsort(rows, axis=1)
        self._codes = clusters.codes[order]
        order += rows.shape[1] * np.arange(len(rows))[:, None]
        self._values = values = rows.ravel()[order]
        there = np.isfinite(values)
        self._codes[~there] = clusters.n_clusters
        self._ties = None
        if ((values[:, 1:] == values[:, :-1]) & there[:, 1:]).any():
            starts, lengths, members = tied_runs(values)
            self._ties = np.zeros(values.shape)
            middles = np.repeat(starts + (lengths - 1) / 2, lengths)
            self._ties.ravel()[members] = middles - members
        # Infinity is whole, too.
        self._whole = bool((values == np.rint(values)).all())

    def shift(self) -> FloatArray:
        """Return the shift of each pair, and the ends of its crossing: 5 × pairs.

        These are the Walsh averages between which Z passes zero, and Z outside of them. The shift
        is infinite where failures leave no finite one, and NaN where there is none at all.
        """
        # Most shifts lie in the middle of the differences.
        start, stop = map(self._at, self._quantiles(0.4, 0.6))
        (outside,) = np.nonzero(~((start.z > _ZERO) & (stop.z < -_ZERO)))
        if len(outside):
            for inner, outer in zip((start, stop), self._extremes(outside), strict=True):
                for values, replaced in zip(inner, outer, strict=True):
                    values[outside] = replaced
        ends = _Ends(start.above, start.z, stop.below, stop.z)
        level = np.full(len(start.z), _ZERO)
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
        return np.stack([np.where(none, np.nan, shift), *ends])

    def _extremes(self, rows: IntArray) -> tuple[_Point, _Point]:
        """Evaluate Z below the smallest and above the largest difference of some rows."""
        first, last = (extreme[rows] for extreme in self._quantiles(0.0, 1.0))
        return self._at(first, rows), self._at(last + np.maximum(1.0, np.abs(last)), rows)

    def limits(
        self, found: FloatArray, z: FloatArray, critical: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        r"""Return the limits between which \|Z(δ)\| does not exceed the critical value.

        Z at δ = 0 and the critical values decide about δ = 0, so that ties can put a limit on 0.
        """
        first, last = self._quantiles(0.0, 1.0)
        below, beyond = self._extremes(np.arange(len(z)))
        level = critical + SAME_Z
        positive, negative = z > level, z < -level
        undecided = ~(positive | negative)
        zero = self._at(np.zeros(len(z)))
        not_above = np.where(zero.above == 0, 0.0, zero.below)
        shift, ends = found[0], _Ends(*found[1:])
        from_zero, to_zero = positive, undecided & (shift > 0)
        low, _ = self._cross(
            _Ends(
                np.where(from_zero, zero.above, first),
                np.where(from_zero, z, below.z),
                np.where(to_zero, not_above, ends.right),
                np.where(to_zero, z, ends.z_right),
            ),
            level,
        )
        from_zero, to_zero = undecided & (shift < 0), negative
        high, _ = self._cross(
            _Ends(
                np.where(from_zero, zero.above, ends.left),
                np.where(from_zero, z, ends.z_left),
                np.where(to_zero, not_above, last),
                np.where(to_zero, z, beyond.z),
            ),
            -level,
        )
        return _limit(low, level), _limit(high, -level)

    def _quantiles(self, *shares: float) -> list[FloatArray]:
        """Return quantiles of the differences of each pair; 0 where there is none."""
        n, rows = np.isfinite(self._values).sum(axis=1), np.arange(len(self._values))
        places = [np.maximum(0, np.ceil(share * n).astype(np.intp) - 1) for share in shares]
        return [np.where(n > 0, self._values[rows, place], 0.0) for place in places]

    def _merge(self, pairs: IntArray, delta: FloatArray) -> Merged:
        """Subtract a shift from the differences of some pairs, and order them by magnitude."""
        x, shift = self._values[pairs], delta[:, None]
        # Two runs, descending and ascending, which a stable sort merges.
        distance = x - shift
        order = np.argsort(np.abs(distance, out=distance), axis=1, kind="stable")
        order += x.shape[1] * np.arange(len(x))[:, None]
        ordered = x.take(order)
        positive = ordered >= shift
        codes = self._codes[pairs].take(order)
        ranks = np.broadcast_to(np.arange(1.0, x.shape[1] + 1), x.shape)
        if self._ties is not None:
            ranks = ranks + self._ties[pairs].ravel()[order]
        sums = np.add(ordered[:, 1:], ordered[:, :-1], out=distance[:, 1:])
        rises, falls = positive[:, 1:] > positive[:, :-1], positive[:, 1:] < positive[:, :-1]
        above = np.where(rises, sums, np.inf).min(axis=1, initial=np.inf) / 2
        below = np.where(falls, sums, -np.inf).max(axis=1, initial=-np.inf) / 2
        nearest, up = ordered[:, 0], positive[:, 0]
        return Merged(
            cells=np.arange(len(pairs))[:, None] * (self._prepared.clusters.n_clusters + 1) + codes,
            signs=np.where(positive, 1.0, -1.0),
            ranks=ranks,
            n_clusters=self._prepared.clusters.n_clusters,
            below=np.where(up, below, np.maximum(below, nearest)),
            above=np.where(up, np.minimum(above, nearest), above),
        )

    def _at(self, delta: FloatArray, rows: IntArray | None = None) -> _Point:
        """Evaluate Z of some rows, or of all, at one δ each."""
        rows = np.arange(len(delta)) if rows is None else rows
        found = _Point(*np.empty((3, len(rows))))
        step = max(1, _CHUNK_ELEMENTS // max(1, self._values.shape[1]))
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            merged = self._merge(rows[part], delta[part])
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
            delta = a + (b - a) * share
            if self._whole:
                # Up to a possible Walsh average, where magnitudes are exact.
                delta = np.ceil(2 * delta) / 2
            delta = np.where((delta > a) & (delta <= b), delta, b)
            found = self._at(delta, rows)
            f = found.z - level[rows]
            # Rounding of raw differences must not stop an end from moving.
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
