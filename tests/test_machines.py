"""The same comparison with any number of threads and on an older processor.

Environment variables make OpenBLAS and NumPy emulate another x86-64 processor; elsewhere they are
ignored.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

# Another processor adds in another order. On the paper's results p-values then differ by 3e-14 of
# their value, and a coefficient near 0 (0.002, standard error 0.1) by 6e-13.
RELATIVE_TOLERANCE = 1e-10

OLD_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": " ".join(
        np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    ),
}
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def document(source, **environment):
    """Return the output of ``compare --json`` in a new process."""
    options = ["--json", "--n-resamples", "100", "--higher-is-better"]
    return subprocess.run(
        [sys.executable, "-m", "occstats", "compare", source, *options],
        env={**os.environ, **environment},
        check=True,
        stdout=subprocess.PIPE,
    ).stdout


def leaves(value, path=""):
    """Return every value of a document by its path."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        return {k: v for key, each in pairs for k, v in leaves(each, f"{path}/{key}").items()}
    return {path: value}


@pytest.fixture(scope="module")
def large_table(tmp_path_factory):
    """Return a table that is large enough for BLAS to use several threads."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(1000, 6)).cumsum(axis=1), columns=list("ABCDEF"))
    table.insert(0, "dataset", rng.integers(60, size=1000))
    table.insert(1, "class", np.arange(1000))
    path = tmp_path_factory.mktemp("machines") / "large.csv"
    table.to_csv(path, index=False)
    return str(path)


def test_threads_do_not_change_a_bit(large_table):
    one, two = (document(large_table, **dict.fromkeys(THREADS, threads)) for threads in ("1", "2"))
    assert one == two


def test_an_old_processor_gives_ten_digits_and_the_same_conclusions():
    here, there = (json.loads(document("lenz2021", **each)) for each in ({}, OLD_PROCESSOR))
    assert there["verdict"] == here["verdict"]
    found, expected = leaves(there), leaves(here)
    numbers = {path: value for path, value in expected.items() if isinstance(value, float)}
    assert {path: found.pop(path) for path in numbers} == pytest.approx(
        numbers, rel=RELATIVE_TOLERANCE, abs=0, nan_ok=True
    )
    # Texts, counts and the order of the algorithms.
    assert found == {path: value for path, value in expected.items() if path not in numbers}
