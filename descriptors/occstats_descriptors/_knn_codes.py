r"""
The Manhattan search among points in codes of eight bits: bounds for all, distances for few.

Attribute f of a row is :math:`t_f = (x_f - c_f) / w` in units of a common width w, and its code
the integer next to :math:`t_f`, clipped to the 256 that there are. With s the sum of the
differences of the codes of two rows, and e how far the codes of a row are in all from its clipped
:math:`t`, their distance is at least :math:`w (s - e_x - e_q)`, as clipping brings no two numbers
further apart. What a query is beyond both the codes and all points counts in addition. So where k
distances are known, the largest of them gives a sum beyond which no point is a neighbour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._code_tile import (
    LANES,
    ORDER,
    eight_rows,
    measure_codes,
    trailing_zeros,
)
from occstats_descriptors._jit import compiled
from occstats_descriptors._knn_kernels import box_bounds
from occstats_descriptors._knn_select import sort_pairs

__all__ = ["Codes", "search_codes"]

Array = NDArray[Any]
Matrix = NDArray[np.float64]

LEAST, MOST = -128.0, 127.0
CLIPPED = 1 / 510  # share of numbers beyond the codes: there a finer width loses what it gains
SAMPLE = 2**15  # numbers to find the width from
FAR = 1e8  # widths: further out does not count
ROUNDING = 1e-6  # more than a number of at most `FAR` errs by, in widths
FIXED = 2.0**16  # errors are added up as integers, by vector instructions
FEATURES = 2**16  # up to which sums of codes are exact in single precision
NONE = -1  # limit of no sum
ANY = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Codes:
    """
    Points in codes.

    Attributes
    ----------
    rows : ndarray of shape (n, m)
    centre, per_width
        Centre of the codes, and one over their width.
    points : ndarray of shape (blocks, tiles, words, 8)
        Codes of the points of a block, eight of an attribute in a word.
    ids : ndarray of shape (blocks, size)
        Row of each point; places left over hold ``n``.
    lows, highs : ndarray of shape (features, blocks)
        Box around the codes of each block.
    ends : ndarray of shape (2, m)
        Least and greatest :math:`t` of all rows, and of the codes.
    error : float
        Largest error of a row.
    """

    rows: Matrix
    centre: NDArray[np.float64]
    per_width: float
    points: NDArray[np.uint64]
    ids: NDArray[np.int64]
    lows: NDArray[np.float32]
    highs: NDArray[np.float32]
    ends: Matrix
    error: float

    @classmethod
    def of(cls, rows: Matrix, ids: NDArray[np.int64], boxes: bool) -> Codes | None:
        """Code rows; None if their numbers are too large, too small or too many for it."""
        n, m = rows.shape
        sample = rows[:: -(-n * m // SAMPLE)]
        with np.errstate(over="ignore", invalid="ignore"):
            centre = sample.mean(axis=0)
            gaps = np.abs(sample - centre)
            half = float(np.quantile(gaps, 1 - CLIPPED)) or float(gaps.max())
        if not (1e-280 < half < 1e280 and m < FEATURES and np.isfinite(centre).all()):
            return None
        per_width = MOST / half
        ends = np.array([[LEAST], [MOST]]) * np.ones(m)
        words, errors, lost, _ = _coded(rows, centre, per_width, ends)
        beyond = lost > 0
        clipped = rows if beyond.mean() > 0.2 else rows[beyond]
        with np.errstate(over="ignore"):
            low = (clipped.min(axis=0, initial=np.inf) - centre) * per_width
            high = (clipped.max(axis=0, initial=-np.inf) - centre) * per_width
        places = np.minimum(ids, n - 1).reshape(len(ids), -1, LANES)
        points = words[places[:, :, ORDER]].transpose(0, 1, 3, 2)
        codes = words.view(np.uint8)[:, : m if boxes else 1]
        near = codes[places].reshape(*ids.shape, -1)
        return cls(
            rows,
            centre,
            per_width,
            np.ascontiguousarray(points),
            ids,
            near.min(axis=1).T.astype(np.float32, order="C"),
            near.max(axis=1).T.astype(np.float32, order="C"),
            np.array([np.minimum(ends[0], low), np.maximum(ends[1], high)]),
            float(errors.max()),
        )

    def nearest(
        self, queries: Matrix, excluded: NDArray[np.int64], k: int, capacity: int, group: int
    ) -> tuple[Matrix, NDArray[np.int64], NDArray[np.bool_]]:
        """
        Find the k nearest rows of each query, by (distance, row).

        Up to `capacity` candidates are held; whether that was enough is said for each query.
        """
        m = self.rows.shape[1]
        words, errors, lost, gained = _coded(queries, self.centre, self.per_width, self.ends)
        margin = errors + self.error
        distances = np.empty((len(queries), k))
        indices = np.empty((len(queries), k), dtype=np.int64)
        certain = np.empty(len(queries), dtype=np.bool_)
        search_codes(
            queries,
            words,
            words.view(np.uint8)[:, : len(self.lows)].astype(np.float32),
            excluded,
            self.rows,
            self.points,
            self.ids,
            self.lows,
            self.highs,
            # sums rounded in another order, and their comparison in widths, err less than this
            self.per_width * (1 + 4 * (m + 16) * 2.0**-53),
            margin - gained + 1,
            np.minimum(1.25 * margin + lost - gained + 2, FAR),
            k,
            capacity,
            group,
            distances,
            indices,
            certain,
        )
        return distances, indices, certain


def _coded(
    rows: Matrix, centre: NDArray[np.float64], per_width: float, ends: Matrix
) -> tuple[NDArray[np.uint64], Matrix, Matrix, Matrix]:
    """Codes of rows, and in widths: their errors, what is clipped, what is beyond the ends."""
    n, m = rows.shape
    words = np.zeros((-(-n // 4) * 4, -(-m // 8)), np.uint64)
    sums = np.empty((3, n))
    _encode(rows, centre, per_width, ends, words, sums)
    return words, sums[0], sums[1], sums[2]


@compiled
def _encode(
    rows: Matrix, centre: Array, per_width: float, ends: Array, words: Array, sums: Array
) -> None:
    n, m = rows.shape
    lows, highs = ends[0], ends[1]
    codes = np.zeros(8 * words.shape[1], np.uint8)
    own = codes.view(np.uint64)
    for row in range(n):
        here = rows[row]
        error: Any = 0
        outside = 0
        for f in range(m):
            t = (here[f] - centre[f]) * per_width
            inside = min(max(t, LEAST), MOST)
            whole = np.floor(inside + 0.5)
            error += np.int32(abs(inside - whole) * FIXED + 1.0)
            outside += t != inside
            codes[f] = np.uint8(np.int32(whole) + 128)
        lost, gained = 0.0, 0.0
        if outside > 0:
            for f in range(m):
                t = min(max((here[f] - centre[f]) * per_width, -FAR), FAR)
                lost += max(LEAST - t, t - MOST, 0.0)
                gained += max(lows[f] - t, t - highs[f], 0.0)
        sums[0, row] = error / FIXED + m * ROUNDING
        sums[1, row], sums[2, row] = lost, gained
        for word in range(words.shape[1]):
            words[row, word] = own[word]


@compiled
def _smallest(sums: Array, count: int, k: int) -> Any:
    """Find the k-th smallest of some sums by bisection, each step of which is a vector loop."""
    low, high = sums[0], sums[0]
    for i in range(count):
        low, high = min(low, sums[i]), max(high, sums[i])
    while low < high:
        middle = np.int32((np.int64(low) + high) // 2)
        within = 0
        for i in range(count):
            within += sums[i] <= middle
        if within >= k:
            high = middle
        else:
            low = np.int32(middle + 1)
    return low


@compiled
def _cut(sums: Array, candidates: Array, count: int, limit: int) -> int:
    """Leave only candidates up to a limit; how many there are."""
    kept = 0
    for i in range(count):
        if sums[i] <= limit:
            sums[kept], candidates[kept] = sums[i], candidates[i]
            kept += 1
    return kept


@compiled
def _measure(
    query: Array,
    rows: Matrix,
    sums: Array,
    candidates: Array,
    done: int,
    count: int,
    limit: float,
    distances: Array,
) -> int:
    """Bring further candidates with sums up to a limit to those that are done, and measure them."""
    size = done
    for i in range(done, count):
        if sums[i] <= limit:
            sums[i], sums[size] = sums[size], sums[i]
            candidates[i], candidates[size] = candidates[size], candidates[i]
            size += 1
    for i in range(count, count + 8):
        candidates[i] = candidates[0]  # measured with the last ones, and forgotten
    for first in range(done, size, 8):
        eight_rows(rows, rows.shape[1], query, candidates, first, distances)
    return size


@compiled
def _rank(
    query: Array,
    rows: Matrix,
    sums: Array,
    candidates: Array,
    count: int,
    k: int,
    scale: float,
    margin: float,
    distances: Array,
) -> Any:
    """
    Sort the nearest candidates to the front; the sum beyond which no row can be one of the k.

    Those with the k smallest sums are measured first, then all that these do not leave out.
    """
    limit: Any = np.float64(_smallest(sums, count, k))
    done: Any = np.int64(0)
    done = _measure(query, rows, sums, candidates, done, count, limit, distances)
    largest = 0.0
    for i in range(done):
        largest = max(largest, distances[i])
    limit = largest * scale + margin
    size = _measure(query, rows, sums, candidates, done, count, limit, distances)
    kept: Any = np.int64(0)  # no constant: see `compiled`
    for i in range(size):
        if distances[i] <= largest:
            distances[kept], candidates[kept] = distances[i], candidates[i]
            kept += 1
    sort_pairs(distances, candidates, kept)
    return distances[k - 1] * scale + margin


@compiled
def search_codes(
    queries: Matrix,
    words: Array,
    codes: Array,
    excluded: Array,
    rows: Matrix,
    points: Array,
    ids: Array,
    lows: Array,
    highs: Array,
    scale: float,
    margins: Array,
    widths: Array,
    k: int,
    capacity: int,
    group: int,
    out_d: Array,
    out_i: Array,
    certain: Array,
) -> None:
    """
    Find the k nearest rows of each query by (distance, row).

    Queries go through the blocks in groups, nearest first, and collect rows whose sums are not
    much larger, by `widths`, than the k-th smallest so far. A distance d rules out sums beyond
    ``scale * d + margins``; a query is certain if all others were collected.
    """
    n = len(rows)
    n_blocks, tiles, groups, _ = points.shape
    size, row_words = tiles * LANES, -(-tiles // 8)
    near, masks = np.empty((4, size), np.int32), np.zeros((4, row_words), np.uint64)
    sums = np.empty((group, capacity + size), np.int32)
    candidates = np.empty((group, capacity + size + 8), np.int64)
    distances = np.empty(capacity + size + 8)
    filled, limits = np.empty(group, np.int64), np.empty(group, np.int32)
    wanted = np.empty(4, np.int32)
    bounds = np.empty((group, n_blocks), np.float32)
    nearest_bounds, order = np.empty(n_blocks), np.empty(n_blocks, np.int64)
    for start in range(0, len(queries), group):
        count = min(group, len(queries) - start)
        for b in range(n_blocks):
            order[b] = b
            nearest_bounds[b] = np.inf
        for t in range(count):
            filled[t], limits[t] = 0, ANY
            box_bounds(lows, highs, codes[start + t], False, bounds[t])
            for b in range(n_blocks):
                nearest_bounds[b] = min(nearest_bounds[b], bounds[t, b])
        sort_pairs(nearest_bounds, order, n_blocks)
        for position in range(n_blocks):
            b = order[position]
            for four in range(0, count, 4):
                some = False
                for t in range(4):
                    use = four + t < count and bounds[four + t, b] <= limits[four + t]
                    wanted[t] = limits[four + t] if use else NONE
                    some = some or use
                if not some:
                    continue
                measure_codes(
                    points, b * size * groups, tiles, groups, words, (start + four) * groups,
                    wanted, near, masks, row_words,
                )  # fmt: skip
                for lane in range(min(4, count - four)):
                    t = four + lane
                    own, found = excluded[start + t], filled[t]
                    for word in range(row_words):
                        bits = masks[lane, word]
                        while bits != 0:
                            i = word * 64 + trailing_zeros(bits)
                            bits &= bits - np.uint64(1)
                            if ids[b, i] < n and ids[b, i] != own:
                                sums[t, found], candidates[t, found] = near[lane, i], ids[b, i]
                                found += 1
                    if found >= capacity:
                        limit = _smallest(sums[t], found, k) + np.int64(widths[start + t])
                        limits[t] = min(limit, limits[t])
                        found = _cut(sums[t], candidates[t], found, limits[t])
                    if found >= capacity:  # too many, some of which are needed perhaps
                        limits[t] = _smallest(sums[t], found, capacity // 2) - 1
                        found = _cut(sums[t], candidates[t], found, limits[t])
                    filled[t] = found
        for t in range(count):
            row = start + t
            certain[row] = filled[t] >= k
            if certain[row]:
                beyond = _rank(
                    queries[row], rows, sums[t], candidates[t], filled[t], k, scale,
                    margins[row], distances,
                )  # fmt: skip
                certain[row] = beyond <= limits[t]
                for i in range(k):
                    out_d[row, i], out_i[row, i] = distances[i], candidates[t, i]
