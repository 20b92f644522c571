"""Compiling ahead what a first fit would otherwise wait for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np

from occstats_descriptors._threads import thread_count
from occstats_descriptors.registry import DESCRIPTORS, ENTRIES, make

__all__ = ["compile_kernels", "kernels_of"]


def _fit(name: str, n: int, m: int, **parameters: object) -> Callable[[], None]:
    def fit_and_score() -> None:
        rows = np.random.default_rng(0).normal(size=(n, m))
        make(name, **parameters).fit(rows).score_samples(rows)

    return fit_and_score


_NEIGHBOURS = ("neighbours", "neighbours in a tree", "neighbours in single precision")
_KERNELS: dict[str, Callable[[], None]] = {
    "neighbours": _fit("NND", 100, 4),
    "neighbours in a tree": _fit("NND", 600, 4),
    "neighbours in single precision": _fit("NND", 1200, 300),
    "ALP": _fit("ALP", 50, 4),
    "SVM": _fit("SVM", 600, 4, nu=0.8),
    "IF": _fit("IF", 50, 4),
    "EIF": _fit("EIF", 50, 4),
    "SAE": _fit("SAE", 50, 4, max_epochs=5),
}


def kernels_of(names: Iterable[str] | None = None) -> list[str]:
    """
    Name the groups of kernels that some descriptors use; by default those of all.

    Examples
    --------
    >>> from occstats_descriptors.warm_up import kernels_of
    >>> kernels_of(["MD", "IF", "SVM"])
    ['SVM', 'IF']
    """
    chosen = list(DESCRIPTORS) if names is None else [name.upper() for name in names]
    wanted = set(chosen)
    if any(name in ENTRIES and ENTRIES[name].shares_neighbours for name in chosen):
        wanted.update(_NEIGHBOURS)
    return [kernels for kernels in _KERNELS if kernels in wanted]


def compile_kernels(
    names: Iterable[str] | None = None, *, n_jobs: int | None = None
) -> Iterator[str]:
    """
    Compile the kernels of some descriptors into the cache on disk, in processes side by side.

    Parameters
    ----------
    names : iterable of str, optional
        Names of descriptors; others need no compilation. By default all.
    n_jobs : int, optional
        Number of processes; by default as many as there are cores.

    Yields
    ------
    str
        The name of each group of `kernels_of` when it is ready.

    Raises
    ------
    RuntimeError
        If one cannot be compiled, with what the compiler says.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    program = "import sys; from occstats_descriptors.warm_up import _KERNELS as k; k[sys.argv[1]]()"

    def compile_one(kernels: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", program, kernels],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(
                f"The kernels of {kernels} cannot be compiled: {done.stderr[-2000:]}"
            )
        return kernels

    with ThreadPoolExecutor(thread_count(n_jobs)) as pool:
        for ready in as_completed(pool.submit(compile_one, name) for name in kernels_of(names)):
            yield ready.result()
