"""Compilation ahead of the first fit."""

import os
import subprocess
import sys

import pytest

from occstats_descriptors import MD, warm_up


def test_groups_depend_on_descriptors_and_shapes():
    assert warm_up.kernels_of(["lof"]) == ["neighbours"]
    assert warm_up.kernels_of(["ALP"]) == ["neighbours", "ALP"]
    assert warm_up.kernels_of(["MD", "sklearn.svm:OneClassSVM"]) == []
    assert warm_up.kernels_of() == list(warm_up._KERNELS)
    assert warm_up.kernels_of(["lof"], [(50, 150, 4)]) == []
    assert warm_up.kernels_of(["lof"], [(50, 150, 4), (600, 900, 300)]) == ["neighbours"]
    assert warm_up.kernels_of(["SVM", "IF"], [(150, 150, 4)]) == ["IF"]
    assert warm_up.kernels_of(["SVM"], [(600, 600, 4)]) == ["SVM"]


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


def test_without_kernels_numba_is_not_imported():
    program = (
        "import sys; from occstats_descriptors.warm_up import missing_kernels; "
        "missing_kernels(['MD', 'NND'], [(50, 150, 4)]); assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_missing_kernels(monkeypatch, tmp_path):
    monkeypatch.setattr(warm_up, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(warm_up, "make", lambda *_, **__: MD())
    assert warm_up.missing_kernels(["IF", "EIF"]) == ["IF", "EIF"]
    warm_up.load.__wrapped__("IF")
    assert warm_up.missing_kernels(["IF", "EIF"]) == ["EIF"]
    monkeypatch.setattr("numba.__version__", "another")
    assert warm_up.missing_kernels(["IF"]) == ["IF"]
    monkeypatch.setattr(warm_up, "cache_folder", lambda: None)
    assert warm_up.missing_kernels(["IF"]) == []
