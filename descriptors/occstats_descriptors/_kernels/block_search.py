"""The exact search over blocks: which order, which precision, how many threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.blocks import Blocks, kd_order, lay_out, natural_order
from occstats_descriptors._kernels.threads import for_each_block
from occstats_descriptors._knn_kernels import rerank, search_blocks, search_tree

__all__ = ["BlockSearch"]

Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]

FEW, MANY = 4, 16
# Attributes up to, rows of a block: with few attributes, the nearest rows are in few small blocks;
# with very many, a large block would leave the cache.
BLOCKS = ((FEW, 32), (MANY, 128), (256, 384), (np.inf, 32))
SMALL = 512  # rows below which they stay in their order: a tree would not pay
SMALL_BLOCK = 128
LARGE = 50_000  # rows from which a tree does not stay in the cache
CHUNK = 128
PILOT = 32
PRUNED = 0.35  # share of blocks visited up to which the tree is faster
GROUP = 64  # queries that otherwise go through the blocks together, for the sake of the cache
EXTRA = 8  # candidates in single precision beyond k
WORTH_SINGLE = 4e8  # terms of distances from which single precision pays for its compilation
CERTAIN = 0.8  # share of queries for which single precision has to suffice
UNIT = 2.0**-24


def worth_single(n: int, n_queries: int, m: int) -> bool:
    """Return True where a search in single precision first is expected to be faster."""
    return m > MANY and float(n_queries) * n * m >= WORTH_SINGLE


@dataclass(frozen=True, eq=False)
class _Job:
    """Queries, and room for what is found about them."""

    queries: Matrix
    excluded: Indices
    distances: Matrix
    indices: Indices
    visited: Indices
    certain: NDArray[np.bool_]

    @property
    def k(self) -> int:
        return int(self.distances.shape[1])


_Method = Callable[[_Job, Indices], None]


class BlockSearch:
    """
    Exact nearest neighbours in the Manhattan or (squared) Euclidean metric, by (distance, row).

    With few attributes, queries go down a tree of blocks one by one. Otherwise a pilot on a few
    queries decides: up to a medium number of attributes, whether the others go down the tree
    or through all blocks in groups; with many, they go in groups, and the pilot decides whether
    single precision first leaves out most rows. The result does not depend on it.
    """

    def __init__(self, X: Matrix, *, squared: bool, threads: int) -> None:
        self.X = X
        self.squared = squared
        self.threads = threads

    def search(self, queries: Matrix, k: int, excluded: Indices) -> tuple[Matrix, Indices]:
        """
        Find the k nearest rows of each query, leaving out the row `excluded` (−1: none).

        Returns reduced distances (squared if Euclidean) and rows.
        """
        rows = np.arange(len(queries))
        job = _Job(
            queries,
            excluded,
            distances=np.empty((len(queries), k)),
            indices=np.empty((len(queries), k), dtype=np.int64),
            visited=np.zeros(len(queries), dtype=np.int64),
            certain=np.ones(len(queries), dtype=np.bool_),
        )
        down = len(self.X) >= SMALL and self.X.shape[1] <= MANY
        # one after the other, near queries find the blocks that they need in the cache
        if queries is self.X:
            rows = self._order[self._order < len(rows)]
        elif down and len(self.X) >= LARGE and len(rows) >= 4 * PILOT:
            order = kd_order(queries, 64)
            rows = order[order < len(rows)]
        n, m = self.X.shape
        single = worth_single(n, len(rows), m) and 4 * (k + EXTRA) < n and self._fits_single
        if (single or (down and m > FEW)) and len(rows) >= 4 * PILOT:
            places = np.linspace(0, len(rows) - 1, PILOT).astype(np.int64)
            pilot, rows = rows[places], np.delete(rows, places)
            if single:
                self._run(job, pilot, self._by_single)
                single = bool(job.certain[pilot].mean() > CERTAIN)
            if down:
                self._run(job, pilot, self._down_tree)
                down = bool(job.visited[pilot].mean() < PRUNED * len(self._order))
        exactly = self._down_tree if down else self._in_groups
        self._run(job, rows, self._by_single if single else exactly)
        self._run(job, np.flatnonzero(~job.certain), exactly)
        return job.distances, job.indices

    @cached_property
    def _order(self) -> Indices:
        n, m = self.X.shape
        if n < SMALL:
            return natural_order(n, SMALL_BLOCK)
        return kd_order(self.X, next(size for limit, size in BLOCKS if m <= limit))

    @cached_property
    def _double(self) -> Blocks:
        return lay_out(self.X, self._order)

    @cached_property
    def _single(self) -> Blocks:
        return lay_out((self.X - self._centre).astype(np.float32), self._order)

    @cached_property
    def _centre(self) -> NDArray[np.float64]:
        centre: NDArray[np.float64] = self.X.mean(axis=0)
        return centre

    @cached_property
    def _fits_single(self) -> bool:
        """Whether the error bound of single precision holds: nothing overflows or gets lost."""
        with np.errstate(over="ignore", invalid="ignore"):
            above, below = self.X.max(axis=0) - self._centre, self._centre - self.X.min(axis=0)
            extent = np.maximum(above, below).max()
        return bool(1e-6 < extent < 1e12)

    def _run(self, job: _Job, rows: Indices, method: _Method) -> None:
        """Search some rows."""
        if len(rows) == 0:
            return
        method(job, rows[:0])  # makes the blocks before threads need them
        for_each_block(lambda part: method(job, rows[part]), len(rows), CHUNK, self.threads)

    def _in_groups(self, job: _Job, rows: Indices, down: bool = False) -> None:
        found = self._nearest(job.queries[rows], job.excluded[rows], self._double, job.k, down)
        job.distances[rows], job.indices[rows], job.visited[rows] = found
        job.certain[rows] = True

    def _down_tree(self, job: _Job, rows: Indices) -> None:
        self._in_groups(job, rows, down=True)

    def _nearest(
        self, queries: NDArray[Any], excluded: Indices, blocks: Blocks, keep: int, down: bool
    ) -> tuple[NDArray[Any], Indices, Indices]:
        distances = np.empty((len(queries), keep), dtype=queries.dtype)
        indices = np.empty((len(queries), keep), dtype=np.int64)
        visited = np.zeros(len(queries), dtype=np.int64)
        if down:
            search_tree(
                queries, excluded, blocks.points, blocks.ids, blocks.tree, keep, self.squared,
                distances, indices, visited,
            )  # fmt: skip
        else:
            search_blocks(
                queries, excluded, blocks.points, blocks.ids, blocks.lows, blocks.highs, keep,
                self.squared, GROUP, distances, indices,
            )  # fmt: skip
        return distances, indices, visited

    def _by_single(self, job: _Job, rows: Indices) -> None:
        r"""
        Find candidates in single precision and order them in double precision.

        With u = 2⁻²⁴, c the centre and coordinates x − c rounded to single precision, a Manhattan
        distance d and its single-precision value s satisfy
        :math:`|s - d| \le u(|x-c| + |q-c|) + (m+2)u\,d` to first order, and |x−c| ≤ |q−c| + d, so
        that :math:`d \ge (s - 2u|q-c|) / (1 + (m+3)u)`; the Euclidean distance errs less. A row is
        certain if its k-th distance is below that bound for all points that are no candidates.
        The constants leave a margin for terms of higher order.
        """
        queries = job.queries[rows]
        centred = queries - self._centre
        near, candidates, _ = self._nearest(
            centred.astype(np.float32), job.excluded[rows], self._single, job.k + EXTRA, False
        )
        beyond = near[:, -1].astype(np.float64)
        if self.squared:
            beyond, norms = np.sqrt(beyond), np.sqrt((centred**2).sum(axis=1))
        else:
            norms = np.abs(centred).sum(axis=1)
        scale = 1 + 1.1 * (self.X.shape[1] + 8) * UNIT
        bounds = (beyond - 2.1 * UNIT * norms - 1e-18) / scale
        distances = np.empty((len(rows), job.k))
        indices = np.empty((len(rows), job.k), dtype=np.int64)
        certain = np.empty(len(rows), dtype=np.bool_)
        rerank(
            queries, self.X, self.squared, candidates, job.k, distances, indices, bounds, certain
        )
        job.distances[rows], job.indices[rows], job.certain[rows] = distances, indices, certain
