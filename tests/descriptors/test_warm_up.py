"""Compilation ahead of the first fit."""

import os
import subprocess
import sys

import numpy as np
import pytest

from occstats_descriptors import NND, warm_up
from occstats_descriptors._kernels.block_search import SMALL


def test_groups_depend_on_descriptors_and_shapes():
    neighbours = ["neighbours", "neighbours in a tree", "neighbours in single precision"]
    assert warm_up.kernels_of(["lof"]) == neighbours
    assert warm_up.kernels_of(["ALP"]) == [*neighbours, "ALP"]
    assert warm_up.kernels_of(["MD", "sklearn.svm:OneClassSVM"]) == []
    assert warm_up.kernels_of() == list(warm_up._KERNELS)
    assert warm_up.kernels_of(["lof"], [(150, 150, 4)]) == neighbours[:1]
    assert warm_up.kernels_of(["lof"], [(150, 150, 4), (600, 900, 300)]) == neighbours[:2]
    assert warm_up.kernels_of(["lof"], [(2000, 9000, 600)]) == neighbours
    assert warm_up.kernels_of(["SVM", "IF"], [(150, 150, 4)]) == ["IF"]
    for shape in ((600, 600, 4), (450, 900, 4)):  # compiled solver, or many kernel values
        assert warm_up.kernels_of(["SVM"], [shape]) == ["SVM"]


def test_smaller_classes_need_no_tree(monkeypatch):
    def refuse(*arguments):
        raise AssertionError

    monkeypatch.setattr("occstats_descriptors._kernels.block_search.kd_order", refuse)
    rows = np.random.default_rng(0).normal(size=(SMALL, 4))
    NND().fit(rows[1:]).score_samples(rows)
    with pytest.raises(AssertionError):
        NND().fit(rows).score_samples(rows)


@pytest.mark.slow
def test_compiled_kernels_are_found(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert list(warm_up.compile_kernels(["IF"])) == ["IF"]
    made = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert any("grow" in path.name for path in made)
    program = (
        "import numpy as np; from occstats_descriptors import IF, warm_up; "
        "IF().fit(np.eye(9)).offset_; assert warm_up.missing_kernels(['IF', 'SVM']) == ['SVM']"
    )
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", program], env=paths, check=True)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == made


def test_errors_of_the_compiler_are_reported(monkeypatch):
    def fail():
        raise KeyError("type")

    monkeypatch.setitem(warm_up._KERNELS, "IF", fail)
    with pytest.raises(RuntimeError, match=r"kernels of IF cannot be compiled: KeyError\('type'\)"):
        list(warm_up.compile_kernels(["IF"], n_jobs=1))


def test_missing_kernels(monkeypatch, tmp_path):
    monkeypatch.setattr(warm_up, "cache_folder", lambda: tmp_path)
    monkeypatch.setitem(warm_up._KERNELS, "IF", lambda: None)
    assert warm_up.missing_kernels(["IF", "EIF"]) == ["IF", "EIF"]
    warm_up._compile("IF")
    assert warm_up.missing_kernels(["IF", "EIF"]) == ["EIF"]
    monkeypatch.setattr(warm_up.numba, "__version__", "another")
    assert warm_up.missing_kernels(["IF"]) == ["IF"]
    monkeypatch.setattr(warm_up, "cache_folder", lambda: None)
    assert warm_up.missing_kernels(["IF"]) == []
