"""Compilation of kernels with and without a writable cache."""

import os
import subprocess
import sys

import numba
import pytest

from occstats_descriptors._kernels import jit

SCRIPT = """
import numpy as np
from occstats_descriptors._kernels.localised_proximity import average_localised_proximity as kernel
out = np.empty(1)
near, training = np.array([[1.0]]), np.array([[3.0]])
kernel(near, np.zeros((1, 1), np.int64), training, np.ones(1), np.ones(1), out)
print(out[0], type(kernel._cache).__name__)
"""


def run_with_cache_folder(folder):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.slow
def test_kernels_are_cached_on_disk(tmp_path):
    assert run_with_cache_folder(tmp_path) == ["0.75", "FunctionCache"]
    assert list(tmp_path.rglob("*average_localised_proximity*.nbc"))


def test_kernels_compile_without_a_cache(monkeypatch):
    original = numba.njit

    def refuse(*arguments, **options):
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return original(*arguments, **options)

    monkeypatch.setattr(numba, "njit", refuse)
    with pytest.raises(RuntimeError):
        numba.njit(cache=True)
    assert jit.compiled(lambda x: x + 1)(2) == 3
