"""Compilation of kernels, cached on disk wherever a cache can be written."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic as untyped_intrinsic

from occstats_descriptors._kernels import Integers

__all__ = ["cgutils", "compiled", "intrinsic", "put"]

cgutils: Any = untyped_cgutils
# It is called without the typing context that it is declared with.
intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = untyped_intrinsic
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, *, fastmath: bool | set[str] = False) -> Function:
    """
    Compile a kernel on first use, without the interpreter lock, and cache the result on disk.

    The cache is next to the package. If that folder is read-only, it is the user's cache folder (or
    the folder that NUMBA_CACHE_DIR names), and if that is read-only too, a private folder of
    temporary files. Only if all of these fail does each process compile for itself. The cache of a
    kernel is invalidated when its own file changes: after editing a kernel that is called from
    other files, touch those files as well.

    Two rules keep compilation short. Do not assign slices or tuples to parts of an array: each
    assignment compiles the error messages of broadcasting (see `put`). Do not pass constants to
    another kernel: it is compiled again for each of them.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    options["no_cfunc_wrapper"] = True
    kernel: Any = None
    for folder in (None, private_folder):
        try:
            with _cache_folder(folder):
                kernel = numba.njit(cache=True, **options)(function)
            break
        except (RuntimeError, OSError):
            continue  # the folder is not writable
    return cast(Function, kernel or numba.njit(**options)(function))


@contextmanager
def _cache_folder(choose: Callable[[], str] | None) -> Iterator[None]:
    """Set the folder of numba's cache, which is bound when a function is decorated."""
    settings: Any = numba.config
    before = settings.CACHE_DIR
    try:
        settings.CACHE_DIR = choose() if choose else before
        yield
    finally:
        settings.CACHE_DIR = before


def private_folder() -> str:
    """
    Make a folder of temporary files that only this user can write, since cached code is executed.

    The name is fixed, so that later processes find the folder.
    """
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"occstats-kernels-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    state = folder.stat(follow_symlinks=False)
    if not stat.S_ISDIR(state.st_mode):
        raise OSError(f"{folder} is not a folder.")
    if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o022):
        raise OSError(f"{folder} is writable by other users.")
    return str(folder)


@compiled
def put(rows: Integers, row: int, values: tuple[int, ...]) -> None:
    """Write integers to a row of an array."""
    for column in range(len(values)):
        rows[row, column] = values[column]
