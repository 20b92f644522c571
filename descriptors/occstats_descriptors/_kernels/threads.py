"""Blocks of rows on threads, with results that do not depend on the number of threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any


def thread_count(n_jobs: int | None, *, at_most: int | None = None) -> int:
    """Return the number of threads: all cores for −1 and None, for None `at_most` of them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cores = cores or 1
    if n_jobs is None:
        return min(at_most or cores, cores)
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of threads or -1 for all cores, got n_jobs=0.")
    return n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)


def for_each_block(work: Callable[[slice], None], rows: int, block: int, threads: int) -> None:
    """Call `work` on slices of `block` rows; each call writes its own part of the result."""
    blocks = [slice(start, min(start + block, rows)) for start in range(0, rows, block)]
    if threads == 1 or len(blocks) == 1:
        for part in blocks:
            work(part)
        return
    with ThreadPoolExecutor(min(threads, len(blocks))) as pool:
        for _ in pool.map(work, blocks):
            pass


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Restrict BLAS to the calling thread, so that sums do not depend on the number of cores."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    # Compiled kernels use SciPy's BLAS, which the controller finds only once it is loaded.
    import_module("scipy.linalg.cython_blas")
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
