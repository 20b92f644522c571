"""How kernels are compiled: cached on disk wherever a cache can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """
    Compile a kernel on first use, without the interpreter lock.

    numba refuses to make a caching function when neither the package's folder nor the user's cache
    folder can be written; such machines compile anew in each process. The cache of a kernel is
    renewed when its own file changes: after changing one that kernels in other files call, touch
    those too.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        kernel = numba.njit(cache=True, **options)(function)
    except RuntimeError:
        kernel = numba.njit(**options)(function)
    return cast(Function, kernel)
