"""Compilation of kernels ahead of the first fit that needs them."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import as_completed
from contextlib import suppress
from pathlib import Path

import llvmlite.binding
import numba
import numpy as np
from loky import ProcessPoolExecutor

from occstats_descriptors._kernels.block_search import SMALL, worth_single
from occstats_descriptors._kernels.gaussian_kernel import WORTH_COMPILING
from occstats_descriptors._kernels.jit import put
from occstats_descriptors._kernels.threads import thread_count
from occstats_descriptors.registry import DESCRIPTORS, ENTRIES, make
from occstats_descriptors.svm import NATIVE_FROM

__all__ = [
    "Shape",
    "cache_folder",
    "compile_kernels",
    "kernels_of",
    "load_kernels",
    "missing_kernels",
]

# Rows of a class, rows of its dataset, attributes.
Shape = tuple[int, int, int]


def _fit(name: str, n: int, m: int, **parameters: object) -> Callable[[], None]:
    def fit_and_score() -> None:
        rows = np.random.default_rng(0).normal(size=(n, m))
        make(name, **parameters).fit(rows).score_samples(rows)

    return fit_and_score


_NEIGHBOURS = ("neighbours", "neighbours in a tree", "neighbours in single precision")
# Shapes of data for which a group is used; the other groups are used for all shapes.
_USED: dict[str, Callable[[Shape], bool]] = {
    "neighbours in a tree": lambda shape: shape[0] >= SMALL,
    "neighbours in single precision": lambda shape: worth_single(*shape),
    "SVM": lambda shape: shape[0] >= NATIVE_FROM or shape[0] * shape[1] >= WORTH_COMPILING,
}
# In an order in which groups that share kernels rarely compile at the same time.
_KERNELS: dict[str, Callable[[], None]] = {
    "neighbours": _fit("NND", 100, 4),
    "SAE": _fit("SAE", 50, 4, max_epochs=5),
    "neighbours in a tree": _fit("NND", 600, 4),
    "IF": _fit("IF", 50, 4),
    "neighbours in single precision": _fit("NND", 1200, 300),
    "EIF": _fit("EIF", 50, 4),
    "SVM": _fit("SVM", 600, 4, nu=0.8),
    "ALP": _fit("ALP", 50, 4),
}


def kernels_of(
    names: Iterable[str] | None = None, shapes: Collection[Shape] | None = None
) -> list[str]:
    """
    Return the groups of kernels that some descriptors use; by default all, for data of any shape.

    Examples
    --------
    >>> from occstats_descriptors.warm_up import kernels_of
    >>> kernels_of(["MD", "IF", "SVM"])
    ['IF', 'SVM']
    """
    chosen = list(DESCRIPTORS) if names is None else [name.upper() for name in names]
    wanted = set(chosen)
    if any(name in ENTRIES and ENTRIES[name].shares_neighbours for name in chosen):
        wanted.update(_NEIGHBOURS)
    return [
        group
        for group in _KERNELS
        if group in wanted
        and (shapes is None or group not in _USED or any(map(_USED[group], shapes)))
    ]


def missing_kernels(
    names: Iterable[str] | None = None, shapes: Collection[Shape] | None = None
) -> list[str]:
    """
    Return the groups of `kernels_of` that this version has not compiled on this machine.

    The list is empty if no cache can be written, since every process then compiles for itself.
    """
    folder = cache_folder()
    wanted = kernels_of(names, shapes) if folder else []
    return [group for group in wanted if folder and not _marker(folder, group).exists()]


def cache_folder() -> Path | None:
    """Return the folder of the cache on disk; None if no cache can be written."""
    folder = getattr(getattr(put, "_cache", None), "cache_path", None)
    return Path(folder) if folder else None


def _marker(folder: Path, group: str) -> Path:
    """Return the file that exists if a group was compiled from these sources by these tools."""
    sources = sorted(Path(__file__).parent.rglob("*.py"))
    stamps = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in sources]
    processor = llvmlite.binding.get_host_cpu_name()
    tools = (numba.__version__, np.__version__, sys.version, platform.machine(), processor)
    digest = hashlib.sha256(repr((group, stamps, tools)).encode()).hexdigest()[:16]
    return folder / f"compiled-{digest}.txt"


def _compile(group: str) -> None:
    """Compile a group in this process, and mark it as compiled."""
    try:
        _KERNELS[group]()
    except Exception as error:
        raise RuntimeError(f"The kernels of {group} cannot be compiled: {error!r:.2000}") from error
    folder = cache_folder()
    if folder is not None:
        with suppress(OSError):
            _marker(folder, group).touch()


def load_kernels(
    names: Iterable[str] | None = None, shapes: Collection[Shape] | None = None
) -> None:
    """Load the kernels of some descriptors into this process, compiled or from the cache."""
    for group in kernels_of(names, shapes):
        _KERNELS[group]()


def compile_kernels(
    names: Iterable[str] | None = None,
    shapes: Collection[Shape] | None = None,
    *,
    n_jobs: int | None = None,
    again: bool = True,
) -> Iterator[str]:
    """
    Compile the kernels of some descriptors into the cache on disk, in parallel processes.

    Parameters
    ----------
    names : iterable of str, optional
        Names of descriptors; unknown names need no compilation. By default all.
    shapes : collection of (int, int, int), optional
        Rows of a class, rows of its dataset and attributes of the data; by default any.
    n_jobs : int, optional
        Number of processes; by default the number of cores.
    again : bool
        If True, also compile groups that were compiled before.

    Yields
    ------
    str
        Name of each group of `kernels_of` when it is ready.

    Raises
    ------
    RuntimeError
        If a group cannot be compiled, with the compiler's message.
    """
    wanted = (kernels_of if again else missing_kernels)(names, shapes)
    jobs = thread_count(n_jobs)
    if jobs == 1:
        for group in wanted:
            _compile(group)
            yield group
    else:
        # Without the current folder, which may contain any module.
        with ProcessPoolExecutor(jobs, env={"PYTHONSAFEPATH": "1"}) as pool:
            running = {pool.submit(_compile, group): group for group in wanted}
            for done in as_completed(running):
                done.result()
                yield running[done]
