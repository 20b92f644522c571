"""How kernels are compiled: cached on disk wherever a cache can be written."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["compiled", "put"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """
    Compile a kernel on first use, without the interpreter lock, and keep the result on disk.

    The cache is beside the package, or where that cannot be written in the user's cache folder (or
    the one that NUMBA_CACHE_DIR names), or where that cannot be written either in a private folder
    of the system's temporary files; only where all of these fail, each process compiles anew. The
    cache of a kernel is renewed when its own file changes: after changing one that kernels in other
    files call, touch those too.

    What keeps compilation short: no assignment of slices or tuples to parts of an array (each
    brings the error messages of broadcasting with it; see `put`), and no constants as arguments of
    another kernel (for each, it is compiled once more).
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    kernel: Any = None
    for folder in (None, private_folder):
        try:
            with _cache_folder(folder):
                kernel = numba.njit(cache=True, **options)(function)
            break
        except (RuntimeError, OSError):
            continue  # no cache can be written there
    return cast(Function, kernel or numba.njit(**options)(function))


@contextmanager
def _cache_folder(choose: Callable[[], str] | None) -> Iterator[None]:
    """Have numba cache in a folder of our choice; it is bound when a function is decorated."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    try:
        settings.CACHE_DIR = choose() if choose else before
        yield
    finally:
        settings.CACHE_DIR = before


def private_folder() -> str:
    """
    Make a folder of temporary files that only this user can write: what is cached is executed.

    Its name is always the same, so that the next process finds it.
    """
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"occstats-kernels-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.stat(follow_symlinks=False)
    if not stat.S_ISDIR(state.st_mode):
        raise OSError(f"{folder} is no folder.")
    if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o022):
        raise OSError(f"{folder} can be written by other users.")
    return str(folder)


@compiled
def put(rows: NDArray[np.int64], row: int, values: tuple[int, ...]) -> None:
    """Write integers to a row of an array."""
    for column in range(len(values)):
        rows[row, column] = values[column]
