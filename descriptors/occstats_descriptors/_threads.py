"""Pieces of work over threads; the kernels hold no lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

__all__ = ["over_threads"]


def over_threads(
    work: Callable[[NDArray[np.int64]], None], rows: NDArray[np.int64], chunk: int, threads: int
) -> None:
    """Do `work` on pieces of about `chunk` rows; each piece writes to its own rows only."""
    pieces = np.array_split(rows, max(1, -(-len(rows) // chunk)))
    if threads == 1 or len(pieces) == 1:
        for piece in pieces:
            work(piece)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, pieces):
            pass
