"""Compilation of kernels, cached on disk wherever a cache can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.core import cgutils as untyped_cgutils
from numba.extending import intrinsic as untyped_intrinsic
from numba.extending import register_jitable

from occstats_descriptors._kernels import Integers

cgutils: Any = untyped_cgutils
# It is called without the typing context that it is declared with.
intrinsic: Callable[[Callable[..., Any]], Callable[..., Any]] = untyped_intrinsic
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, *, fastmath: bool | set[str] = False) -> Function:
    """
    Compile a kernel on first use, without the interpreter lock, and cache the result on disk.

    The cache is next to the package, or where that is read-only in the user's cache folder, or in
    the folder that NUMBA_CACHE_DIR names. If none is writable, each process compiles for itself.
    The cache of a kernel is invalidated when its own file changes: after editing a function that it
    calls from another file, touch its file as well.

    Three rules keep compilation short. Declare functions that only kernels call as `inner`. Do not
    assign slices or tuples to parts of an array: each assignment compiles the error messages of
    broadcasting (see `put`). Do not pass constants to another kernel: it is compiled again for each
    of them.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    options["no_cfunc_wrapper"] = True
    try:
        kernel: Function = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # no folder is writable
        kernel = numba.njit(**options)(function)
    return kernel


def inner(function: Function) -> Function:
    """
    Compile a function only within the kernels that call it; Python calls it uncompiled.

    Benefit: without a wrapper for Python and a cache of its own, all kernels compile in three
    quarters of the time.
    """
    kernel: Function = register_jitable(error_model="numpy", no_cfunc_wrapper=True)(function)
    return kernel


@inner
def put(rows: Integers, row: int, values: tuple[int, ...]) -> None:
    """Write integers to a row of an array."""
    for column in range(len(values)):
        rows[row, column] = values[column]
