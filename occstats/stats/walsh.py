"""Sums of every two of some values (their Walsh averages, doubled), never all of them at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from occstats.stats.arrays import FloatArray as Array

__all__ = ["WalshSums"]

# Values whose sums are all listed; of more, as many evenly spaced ones stand for the others.
LISTED = 500
# Sums of a narrow range that are listed.
MOST_LISTED = 300_000


class WalshSums:
    """The sums x_s + x_t, s ≤ t, of whole numbers in ascending order.

    Examples
    --------
    >>> sums = WalshSums(np.array([1.0, 2.0, 5.0]))
    >>> sums.count(4.0), sums.median(), sums.some_between(2.0, 10.0, 9).tolist()
    (3, 5.0, [3.0, 4.0, 6.0, 7.0])
    """

    def __init__(self, x: Array) -> None:
        self.x = x

    @property
    def least(self) -> float:
        """The smallest sum."""
        return float(2 * self.x[0])

    @property
    def most(self) -> float:
        """The largest sum."""
        return float(2 * self.x[-1])

    def turned(self) -> WalshSums:
        """The sums of −x."""
        other = WalshSums(-self.x[::-1])
        other.__dict__["_listed"] = -self._listed[::-1]
        return other

    def count(self, value: float) -> int:
        """How many sums are at most so large."""
        both = int(np.searchsorted(self.x, value - self.x, side="right").sum())
        return (both + int(np.searchsorted(2 * self.x, value, side="right"))) // 2

    def quantiles(self, shares: Array) -> Array:
        """About which sums have such shares of all sums below them, ascending."""
        places = np.clip((shares * len(self._listed)).astype(np.intp), 0, len(self._listed) - 1)
        return np.unique(self._listed[places])

    def median(self) -> float:
        """The middle one, or the mean of the two middle ones."""
        n = len(self.x) * (len(self.x) + 1) // 2
        return (self._smallest((n - 1) // 2) + self._smallest(n // 2)) / 2

    def some_between(self, low: float, high: float, n: int) -> Array:
        """At most so many values within a range, of which each sum is one once they are few."""
        inside = self._within(self._listed, low, high)
        if inside.size == 0 and not self._all_listed:
            inside = self._within(self._between(low, high), low, high)
        if inside.size <= n:
            return np.unique(inside)
        places = (np.arange(1, n + 1) * inside.size) // (n + 1)
        return np.unique(inside[places])

    @property
    def _all_listed(self) -> bool:
        return len(self.x) <= LISTED

    @cached_property
    def _listed(self) -> Array:
        """All sums in order, or those of some values that stand for all."""
        x = self.x
        if not self._all_listed:
            x = x[np.linspace(0, len(x) - 1, LISTED).astype(np.intp)]
        return np.sort(np.add.outer(x, x)[np.triu_indices(len(x))])

    def _within(self, ordered: Array, low: float, high: float) -> Array:
        return ordered[np.searchsorted(ordered, low, "right") : np.searchsorted(ordered, high)]

    def _between(self, low: float, high: float) -> Array:
        """All sums above low and up to high in order; where too many, whole numbers on the way."""
        if high - low <= MOST_LISTED:
            return np.arange(low + 1, high)
        known: dict[tuple[float, float], Array] = self.__dict__.setdefault("_known", {})
        for (start, stop), sums in known.items():
            if start <= low and high <= stop:
                return sums
        # Each s with the t ≥ s that it takes.
        own = np.arange(len(self.x))
        first = np.maximum(np.searchsorted(self.x, low - self.x, side="right"), own)
        last = np.maximum(np.searchsorted(self.x, high - self.x, side="right"), first)
        lengths = last - first
        if lengths.sum() > MOST_LISTED:
            return np.rint(np.linspace(low, high, 16)[1:-1])
        s = np.repeat(own, lengths)
        t = np.arange(len(s)) - np.repeat(np.cumsum(lengths) - lengths - first, lengths)
        known[low, high] = np.sort(self.x[s] + self.x[t])
        return known[low, high]

    def _smallest(self, place: int) -> float:
        """The sum that has so many before it."""
        if self._all_listed:
            return float(self._listed[place])
        low, high = self.least - 1, self.most
        around = (place + 0.5) / (len(self.x) * (len(self.x) + 1) / 2)
        tries = self.quantiles(around * np.array([0.995, 1.005]))
        while high - low > 1:
            inside = self._within(tries, low, high)
            if inside.size == 0:
                inside = self.some_between(low, high, 1)
                if inside.size == 0:
                    break
            middle = float(inside[0])
            if self.count(middle) > place:
                high = middle
            else:
                low = middle
        return high
