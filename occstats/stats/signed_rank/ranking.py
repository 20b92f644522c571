"""Signed ranks of many samples: as they are, shifted, and with clusters resampled."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from occstats.stats._arrays import FloatArray, IntArray, midranks
from occstats.stats.clusters import Clusters

#: Columns of a matrix of counts that are made at once.
_COLUMNS = 256
#: Size of a failure: below the infinity that marks what is not ranked.
LARGEST = np.finfo(np.float64).max
#: How many multiplications of a product of matrices cost as much as one addition by index.
_CHEAPER = 95


def signed_ranks(x: FloatArray) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the signed midranks of each column, 0 where unranked, and a mask of ranked values.

    NaN and zeros are dropped before ranking.

    Examples
    --------
    >>> signed_ranks(np.array([[0.2], [-0.1], [0.0], [0.2]]))[0].ravel()
    array([ 2.5, -1. ,  0. ,  2.5])
    """
    counted = ~np.isnan(x) & (x != 0)
    sizes = np.ascontiguousarray(np.where(counted, np.minimum(np.abs(x), LARGEST), np.inf).T)
    ranks = midranks(np.atleast_2d(sizes)).reshape(sizes.shape).T
    return np.where(counted, ranks * np.sign(np.where(counted, x, 0.0)), 0.0), counted


@dataclass(frozen=True, eq=False)
class Merged:
    """Differences less a shift, ordered by size in each row.

    A difference equal to the shift counts as positive, so that everything is as just below it.

    Attributes
    ----------
    cells : ndarray of int, rows × n
        Row and cluster as one number; the last cluster of a row gathers what is not there.
    signs, ranks : ndarray, rows × n
        Signs, 0 for what is not there, and midranks of the sizes.
    n_clusters : int
        Clusters, without that last one.
    below, above : ndarray of shape (rows,)
        The largest Walsh average below the shift, and the smallest that is not.
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


@dataclass(frozen=True, eq=False)
class OrderedDifferences:
    """Finite differences of several pairs in ascending order, to be shifted many times.

    Attributes
    ----------
    values : ndarray, pairs × n
        Differences; infinite behind the last.
    codes : ndarray of int, pairs × n
        Their clusters; one more than these behind the last.
    ties : ndarray, pairs × n, or None
        What to add to a position for the middle of equal values; None where all differ.
    n_clusters : int
        Clusters.
    whole : bool
        Whether the differences are whole numbers.
    """

    values: FloatArray
    codes: IntArray
    ties: FloatArray | None
    n_clusters: int
    whole: bool

    @classmethod
    def of(cls, x: FloatArray, clusters: Clusters, *, keep_zeros: bool) -> "OrderedDifferences":
        """Order differences (tasks × pairs), with zeros or without."""
        counted = np.isfinite(x) if keep_zeros else np.isfinite(x) & (x != 0)
        rows = np.ascontiguousarray(np.where(counted, x, np.inf).T)
        order = np.argsort(rows, axis=1, kind="stable")
        values = np.take_along_axis(rows, order, axis=1)
        there = np.isfinite(values)
        codes = np.where(there, clusters.codes[order], clusters.n_clusters)
        ties = None
        if ((values[:, 1:] == values[:, :-1]) & there[:, 1:]).any():
            starts_run = np.ones(values.shape, dtype=bool)
            np.not_equal(values[:, 1:], values[:, :-1], out=starts_run[:, 1:])
            starts = np.flatnonzero(starts_run)
            lengths = np.diff(starts, append=values.size)
            middles = np.repeat(starts + (lengths - 1) / 2, lengths)
            ties = (middles - np.arange(values.size)).reshape(values.shape)
        finite = values[there]
        whole = bool((finite == np.rint(finite)).all())
        return cls(values, codes, ties, clusters.n_clusters, whole)

    @property
    def extent(self) -> tuple[FloatArray, FloatArray]:
        """The smallest and largest difference of each pair; 0 where there is none."""
        there = np.isfinite(self.values)
        low = self.values.min(axis=1, initial=np.inf)
        high = np.where(there, self.values, -np.inf).max(axis=1, initial=-np.inf)
        return np.where(there.any(axis=1), low, 0.0), np.where(there.any(axis=1), high, 0.0)

    def round_up(self, delta: FloatArray) -> FloatArray:
        """Round up to what Walsh averages of whole differences can be; sizes are exact there."""
        return np.ceil(2 * delta) / 2 if self.whole else delta

    def merge(self, pairs: IntArray, delta: FloatArray) -> Merged:
        """Subtract a shift from the differences of some pairs, and order them by size."""
        x, shift = self.values[pairs], delta[:, None]
        # Two runs, descending and ascending, which a stable sort merges.
        order = np.argsort(np.abs(x - shift), axis=1, kind="stable")
        ordered = np.take_along_axis(x, order, axis=1)
        positive = ordered >= shift
        codes = np.take_along_axis(self.codes[pairs], order, axis=1)
        ranks = np.broadcast_to(np.arange(1.0, x.shape[1] + 1), x.shape)
        if self.ties is not None:
            ranks = ranks + np.take_along_axis(self.ties[pairs], order, axis=1)
        means = (ordered[:, 1:] + ordered[:, :-1]) / 2
        rises = positive[:, 1:] & ~positive[:, :-1]
        falls = positive[:, :-1] & ~positive[:, 1:]
        above = np.where(rises, means, np.inf).min(axis=1, initial=np.inf)
        below = np.where(falls, means, -np.inf).max(axis=1, initial=-np.inf)
        nearest, up = ordered[:, 0], positive[:, 0]
        return Merged(
            cells=np.arange(len(pairs))[:, None] * (self.n_clusters + 1) + codes,
            signs=np.where(codes < self.n_clusters, np.where(positive, 1.0, -1.0), 0.0),
            ranks=ranks,
            n_clusters=self.n_clusters,
            below=np.where(up, below, np.maximum(below, nearest)),
            above=np.where(up, np.minimum(above, nearest), above),
        )


def count_matrix(
    at: FloatArray,
    at_weights: FloatArray,
    rows: IntArray,
    values: FloatArray,
    value_weights: FloatArray,
    columns: IntArray,
    shape: tuple[int, int],
) -> FloatArray:
    r"""Return Σ u_s v_t (1[y_t < q_s] + ½ 1[y_t = q_s]) over places s of row i and values t of k.

    The values are sorted and cut into blocks: whole blocks below a place are one product of
    matrices, the rest of its own block is added one by one, instead of all places × all values.

    Examples
    --------
    >>> one, zero = np.ones(2), np.zeros(2, dtype=int)
    >>> count_matrix(np.array([2.0, 3.0]), one, zero, np.array([1.0, 3.0]), one, zero, (1, 1))
    array([[2.5]])
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first, last = np.searchsorted(ordered, at, "left"), np.searchsorted(ordered, at, "right")
    return _count(first, last, at_weights, rows, value_weights[order], columns[order], shape)


def _count(
    first: IntArray,
    last: IntArray,
    weights: FloatArray,
    rows: IntArray,
    value_weights: FloatArray,
    columns: IntArray,
    shape: tuple[int, int],
) -> FloatArray:
    """Return `count_matrix` of ordered values, given how many are below, and up to, each place."""
    n = len(value_weights)
    # A product costs so much less per number than an addition on its own.
    length = max(2, int(np.sqrt(shape[0] * shape[1] * n / (_CHEAPER * max(1, len(first))))))
    tied = last - first
    if 2 * int(tied.sum()) <= len(first) * length:
        # What lies below the first equal value, and half of each equal one.
        place, weight, row = first, weights, rows
        starts, counts, parts = [first], [tied], [weights / 2]
    else:
        # Half of what lies up to the last equal value, half of what lies below the first.
        place = np.concatenate([first, last])
        weight, row = np.tile(weights / 2, 2), np.tile(rows, 2)
        starts, counts, parts = [], [], []
    n_blocks = n // length + 1
    block = place // length
    cells = (np.arange(n) // length + 1) * shape[1] + columns
    below = np.bincount(cells, value_weights, (n_blocks + 1) * shape[1])
    below = np.cumsum(below.reshape(n_blocks + 1, shape[1]), axis=0)
    gathered = np.bincount(row * n_blocks + block, weight, shape[0] * n_blocks)
    matrix = np.asarray(gathered.reshape(shape[0], n_blocks) @ below[:n_blocks], dtype=float)
    # One by one: the values of a place's own block that come before it, and those equal to it.
    start = np.concatenate([block * length, *starts])
    count = np.concatenate([place - block * length, *counts])
    weight, row = np.concatenate([weight, *parts]), np.tile(row, 1 + len(parts))
    value = np.arange(int(count.sum())) + np.repeat(start - np.cumsum(count) + count, count)
    places = np.repeat(row * shape[1], count) + columns[value]
    amounts = np.repeat(weight, count) * value_weights[value]
    return matrix + np.bincount(places, amounts, shape[0] * shape[1]).reshape(shape)


@dataclass(frozen=True, eq=False)
class Magnitudes:
    """Differences of one pair and their clusters, for ranks in resamples.

    A resample gives each cluster a multiplicity c. The rank of a difference in a resample is
    linear in the multiplicities, ½ + Σ_k c_k W_sk, W_sk being the number of differences in cluster
    k that are smaller plus half of those as large: the sums of signed ranks of all clusters in all
    resamples are one product of matrices.
    """

    x: FloatArray
    codes: IntArray
    n_clusters: int

    def signed_counts(self) -> Iterator[tuple[slice, FloatArray]]:
        """Yield Σ_s sign(x_s) W_sk over the differences s of cluster i, for chunks of columns k."""
        magnitudes = np.minimum(np.abs(self.x), LARGEST)
        order = np.argsort(magnitudes)
        ordered, signs, codes = magnitudes[order], np.sign(self.x)[order], self.codes[order]
        new = np.flatnonzero(np.diff(ordered, prepend=-1.0))
        lengths = np.diff(new, append=len(ordered))
        for start in range(0, self.n_clusters, _COLUMNS):
            part = slice(start, min(start + _COLUMNS, self.n_clusters))
            inside = (codes >= part.start) & (codes < part.stop)
            passed = np.append(0, np.cumsum(inside))
            first, last = (np.repeat(passed[edge], lengths) for edge in (new, new + lengths))
            ones, columns = np.ones(passed[-1]), codes[inside] - start
            shape = (self.n_clusters, part.stop - part.start)
            yield part, _count(first, last, signs, codes, ones, columns, shape)

    @cached_property
    def sizes(self) -> FloatArray:
        """Differences per cluster."""
        return np.bincount(self.codes, minlength=self.n_clusters).astype(np.float64)

    @cached_property
    def _ties(self) -> sparse.csr_array:
        """Numbers of differences of each cluster by magnitude: magnitudes × clusters."""
        _, group = np.unique(np.abs(self.x), return_inverse=True)
        cells = (np.ones(len(group)), (group, self.codes))
        shape = (int(group.max(initial=-1)) + 1, self.n_clusters)
        return sparse.csr_array(cells, shape=shape)

    def squares(self, counts: FloatArray) -> FloatArray:
        """Return the sum of squared ranks in each resample (row of counts)."""
        lost = _lost_in_ties((self._ties @ counts.T).T).sum(axis=1)
        return _squares(counts @ self.sizes, lost)

    def squares_without(self) -> FloatArray:
        """Return the sum of squared ranks without each cluster in turn."""
        cells = self._ties.tocoo()
        tied = np.asarray(self._ties.sum(axis=1), dtype=np.float64)
        before = _lost_in_ties(tied)
        change = before[cells.row] - _lost_in_ties(tied[cells.row] - cells.data)
        own = np.bincount(cells.col, change, self.n_clusters)
        return _squares(self.sizes.sum() - self.sizes, before.sum() - own)


def _lost_in_ties(tied: FloatArray) -> FloatArray:
    return np.asarray(tied**3 - tied)


def _squares(n: FloatArray, lost: FloatArray) -> FloatArray:
    """Return Σ r² of n midranks, whose ties lose Σ (t³ − t) / 12."""
    return np.asarray(n * (n + 1) * (2 * n + 1) / 6 - lost / 12)
