"""Compilation of kernels ahead of the first fit that needs them."""

from __future__ import annotations

import gc
import hashlib
import platform
import sys
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import as_completed
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from occstats_descriptors._kernels.threads import thread_count
from occstats_descriptors.neighbours import FEW_PAIRS, NeighbourDescriptor
from occstats_descriptors.registry import DESCRIPTORS, make
from occstats_descriptors.svm import NATIVE_FROM

# Rows of a class, rows of its dataset, attributes.
Shape = tuple[int, int, int]
# Groups of kernels: the descriptor whose fit compiles them, the shape of its rows, parameters. In
# an order in which groups that share kernels rarely compile at the same time.
_KERNELS: dict[str, tuple[str, int, int, dict[str, object]]] = {
    "SAE": ("SAE", 50, 4, {"max_epochs": 5}),
    "IF": ("IF", 50, 4, {}),
    "neighbours": ("NND", 600, 4, {}),
    "EIF": ("EIF", 50, 4, {}),
    "SVM": ("SVM", 600, 4, {"nu": 0.8}),
    "ALP": ("ALP", 50, 4, {}),
}


def _is_used(group: str, shape: Shape) -> bool:
    """Return True if a group is used for folds of data of this shape."""
    n, rows, _ = shape
    if group == "SVM":
        return n >= NATIVE_FROM
    return group != "neighbours" or n * max(n, rows // 4) > FEW_PAIRS


def kernels_of(
    names: Iterable[str] | None = None, shapes: Collection[Shape] | None = None
) -> list[str]:
    """
    Return the groups of kernels that some descriptors use; by default all, for data of any shape.
    """
    wanted = set(DESCRIPTORS if names is None else map(str.upper, names))
    if any(issubclass(DESCRIPTORS.get(name, object), NeighbourDescriptor) for name in wanted):
        wanted.add("neighbours")
    return [
        group
        for group in _KERNELS
        if group in wanted and (shapes is None or any(_is_used(group, each) for each in shapes))
    ]


def missing_kernels(
    names: Iterable[str] | None = None, shapes: Collection[Shape] | None = None
) -> list[str]:
    """
    Return the groups of `kernels_of` that this version has not compiled on this machine.

    The list is empty if no cache can be written, since every process then compiles for itself.
    """
    wanted = kernels_of(names, shapes)
    folder = cache_folder() if wanted else None
    return [group for group in wanted if folder and not _marker(folder, group).exists()]


def cache_folder() -> Path | None:
    """Return the folder of the cache on disk; None if no cache can be written."""
    from occstats_descriptors._kernels.localised_proximity import average_localised_proximity

    cache = getattr(average_localised_proximity, "_cache", None)
    folder = getattr(cache, "cache_path", None)
    return Path(folder) if folder else None


def _marker(folder: Path, group: str) -> Path:
    """Return the file that exists if a group was compiled from these sources by these tools."""
    import llvmlite.binding
    import numba

    sources = sorted(Path(__file__).parent.rglob("*.py"))
    stamps = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in sources]
    processor = llvmlite.binding.get_host_cpu_name()
    tools = (numba.__version__, np.__version__, sys.version, platform.machine(), processor)
    digest = hashlib.sha256(repr((group, stamps, tools)).encode()).hexdigest()[:16]
    return folder / f"compiled-{digest}.txt"


@cache
def load(group: str) -> None:
    """Load a group of kernels into this process, compiled or from the cache."""
    name, n, m, parameters = _KERNELS[group]
    rows = np.random.default_rng(0).normal(size=(n, m))
    collecting = gc.isenabled()
    gc.disable()  # the compiler's objects are many and live long
    try:
        make(name, **parameters).fit(rows).score_samples(rows)
    except Exception as error:
        raise RuntimeError(f"The kernels of {group} cannot be compiled: {error!r:.2000}") from error
    finally:
        if collecting:
            gc.enable()
    folder = cache_folder()
    if folder is not None:
        with suppress(OSError):
            _marker(folder, group).touch()


def compile_kernels(names: Iterable[str] | None = None, *, again: bool = True) -> Iterator[str]:
    """
    Compile the kernels of some descriptors, by default all, in parallel processes.

    Yields the name of each group of `kernels_of` when it is in the cache on disk. Unless `again`,
    groups that were compiled before are left out. Raises a RuntimeError, with the compiler's
    message, if a group cannot be compiled.
    """
    wanted = (kernels_of if again else missing_kernels)(names)
    if not wanted:
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(thread_count(None), mp_context=get_context("spawn")) as pool:
        running = {pool.submit(load, group): group for group in wanted}
        for done in as_completed(running):
            done.result()
            yield running[done]
