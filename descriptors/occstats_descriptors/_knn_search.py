"""The exact search: which kernel, which precision, how many threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors import _knn_kernels as kernels
from occstats_descriptors._knn_blocks import Blocks, kd_order, lay_out, natural_order

__all__ = ["BlockSearch"]

Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]

BLOCK = 256
SMALL = 2048  # rows below which points stay in their order and every block is visited
PILOT = 32
CHUNK = 128
EXTRA = 8  # float32 candidates beyond k
WORTH_SINGLE = 4e8  # terms of distances from which single precision pays for its compilation
UNIT = 2.0**-24


class BlockSearch:
    """
    Exact nearest neighbours in the Manhattan or (squared) Euclidean metric.

    Results are ordered by (distance, row) and do not depend on how they were found: the pilot only
    decides what is fastest.
    """

    def __init__(self, X: Matrix, *, squared: bool, threads: int) -> None:
        self.X = X
        self.squared = squared
        self.threads = threads

    @cached_property
    def order(self) -> Indices:
        """Rows of each block."""
        if len(self.X) < SMALL:
            return natural_order(len(self.X), BLOCK)
        return kd_order(self.X, BLOCK)

    @cached_property
    def double(self) -> Blocks:
        return lay_out(self.X, self.order)

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        return self.X.mean(axis=0)

    @cached_property
    def single(self) -> Blocks:
        return lay_out((self.X - self.centre).astype(np.float32), self.order)

    @cached_property
    def fits_single(self) -> bool:
        """Whether the error bound of single precision holds: no overflow, no loss of tiny values."""
        with np.errstate(over="ignore", invalid="ignore"):
            extent = np.abs(self.X - self.centre).max()
        return bool(1e-6 < extent < 1e12)

    def search(self, queries: Matrix, k: int, excluded: Indices) -> tuple[Matrix, Indices]:
        """
        Find the k nearest rows of each query, leaving out the row `excluded` (−1: none).

        Returns reduced distances (squared if Euclidean) and rows.
        """
        n_queries = len(queries)
        distances = np.empty((n_queries, k))
        indices = np.empty((n_queries, k), dtype=np.int64)
        rest = np.arange(n_queries)
        if queries is self.X:
            rest = self.order[self.order < n_queries]  # a tile of neighbours prunes better
        prune = len(self.X) >= SMALL
        tile = kernels.TILE
        single = self._single_pays(n_queries, k)
        if prune and n_queries >= 4 * PILOT:
            pilot = np.linspace(0, n_queries - 1, PILOT).astype(np.int64)
            rest = rest[~np.isin(rest, pilot)]
            share, certain = self._run(
                queries, excluded, pilot, k, 1, prune, single, distances, indices
            )
            tile = 1 if share < 0.35 else kernels.TILE
            single = single and certain > 0.8
        self._run(queries, excluded, rest, k, tile, prune, single, distances, indices)
        return distances, indices

    def _single_pays(self, n_queries: int, k: int) -> bool:
        n, m = self.X.shape
        large = m >= 16 and float(n_queries) * n * m >= WORTH_SINGLE
        return large and n >= SMALL and 4 * k < n and self.fits_single

    def _run(
        self,
        queries: Matrix,
        excluded: Indices,
        rows: Indices,
        k: int,
        tile: int,
        prune: bool,
        single: bool,
        distances: Matrix,
        indices: Indices,
    ) -> tuple[float, float]:
        """Search some rows; the shares of blocks visited and of rows certain in single precision."""
        visited = np.zeros(len(queries), dtype=np.int64)
        uncertain: list[Indices] = []
        blocks = self.single if single else self.double
        run = self._run_single if single else self._run_double

        def work(chunk: Indices) -> None:
            failed = run(queries, excluded, chunk, k, tile, prune, distances, indices, visited)
            if len(failed):
                uncertain.append(failed)

        pieces = np.array_split(rows, max(1, -(-len(rows) // CHUNK)))
        self._over_threads(work, pieces)
        n_failed = sum(map(len, uncertain))
        if n_failed:
            again = np.sort(np.concatenate(uncertain))
            self._run(queries, excluded, again, k, tile, prune, False, distances, indices)
        share = visited[rows].mean() / len(blocks.points) if len(rows) else 0.0
        return float(share), 1 - n_failed / max(1, len(rows))

    def _over_threads(self, work: Callable[[Indices], None], pieces: list[Indices]) -> None:
        if self.threads == 1 or len(pieces) == 1:
            for piece in pieces:
                work(piece)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for _ in pool.map(work, pieces):
                pass

    def _run_double(
        self,
        queries: Matrix,
        excluded: Indices,
        rows: Indices,
        k: int,
        tile: int,
        prune: bool,
        distances: Matrix,
        indices: Indices,
        visited: Indices,
    ) -> Indices:
        found_d, found_i, seen = _room(len(rows), k, np.float64)
        _search_blocks(
            queries[rows], excluded[rows], self.double, k, self.squared, tile, prune, found_d,
            found_i, seen,
        )  # fmt: skip
        distances[rows], indices[rows], visited[rows] = found_d, found_i, seen
        return rows[:0]

    def _run_single(
        self,
        queries: Matrix,
        excluded: Indices,
        rows: Indices,
        k: int,
        tile: int,
        prune: bool,
        distances: Matrix,
        indices: Indices,
        visited: Indices,
    ) -> Indices:
        r"""
        Filter in single precision, re-rank in double precision; the rows that are not certain.

        With u = 2⁻²⁴, c the centre and coordinates x − c rounded to single precision, a Manhattan
        distance d and its single-precision value s satisfy
        :math:`|s - d| \le u(|x-c| + |q-c|) + (m+2)u\,d` to first order, and |x−c| ≤ |q−c| + d, so
        that :math:`d \ge (s - 2u|q-c|) / (1 + (m+3)u)`; the Euclidean metric is milder. The factors
        below leave a margin for terms of higher order.
        """
        double = queries[rows]
        centred = double - self.centre
        found_d, found_i, seen = _room(len(rows), k + EXTRA, np.float32)
        _search_blocks(
            centred.astype(np.float32), excluded[rows], self.single, k + EXTRA, self.squared, tile,
            prune, found_d, found_i, seen,
        )  # fmt: skip
        beyond = found_d[:, -1].astype(np.float64)
        if self.squared:
            beyond = np.sqrt(beyond)
            norms = np.sqrt((centred**2).sum(axis=1))
        else:
            norms = np.abs(centred).sum(axis=1)
        shift = 2.1 * UNIT * norms + 1e-18
        scale = 1 / (1 + (self.X.shape[1] + 8) * 1.1 * UNIT)
        exact_d, exact_i, _ = _room(len(rows), k, np.float64)
        certain = np.zeros(len(rows), dtype=np.bool_)
        kernels.rerank(
            double,
            self.X,
            self.squared,
            found_i,
            k,
            exact_d,
            exact_i,
            beyond * scale - shift,
            certain,
        )
        distances[rows], indices[rows], visited[rows] = exact_d, exact_i, seen
        return rows[~certain]


def _room(rows: int, k: int, kind: Any) -> tuple[NDArray[Any], Indices, Indices]:
    return np.empty((rows, k), kind), np.empty((rows, k), np.int64), np.zeros(rows, np.int64)


def _search_blocks(
    queries: NDArray[Any], excluded: Indices, blocks: Blocks, keep: int, *rest: Any
) -> None:
    kernels.search_blocks(
        queries, excluded, blocks.points, blocks.ids, blocks.lows, blocks.highs, keep, *rest
    )
