"""Error messages where R, clusrank or rpy2 is missing, broken, slow or noisy."""

import os
from dataclasses import replace

import numpy as np
import pytest

from occstats.engines import installation
from occstats.engines.clusrank import EQUAL_RANKS, EngineCheck, clusrank_pairs
from occstats.engines.installation import find_rscript, probe
from occstats.errors import EngineError
from occstats.stats import Sample, pairwise_tests

needs_r = pytest.mark.skipif(not find_rscript(), reason="needs R: there is no Rscript")
posix = pytest.mark.skipif(os.name == "nt", reason="the stand-in programs are shell scripts")

SAMPLE = Sample.of([[1, 0], [2, 0], [-3, 0], [4, 0], [5, 0]], [1, 1, 2, 2, 3])
OFFER = "or use engine 'native', which needs no R and gives the same asymptotic p-values"
NO_CLUSRANK = {"R_LIBS": "", "R_LIBS_SITE": "/nonexistent", "R_LIBS_USER": "/nonexistent"}


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    monkeypatch.setattr(installation, "_FOUND", {})
    # An R embedded by another test has set it.
    monkeypatch.delenv("R_HOME", raising=False)


def refusal(engine):
    with pytest.raises(EngineError) as error:
        clusrank_pairs(SAMPLE, engine=engine)
    message = str(error.value)
    assert "\n" not in message
    assert message.endswith(OFFER)
    return message


def program(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def fake_rpy2(folder, text):
    (folder / "rpy2").mkdir()
    (folder / "rpy2" / "__init__.py").write_text(text)
    return str(folder)


@pytest.mark.parametrize("engine", ["rpy2", "rscript"])
def test_r_is_absent(monkeypatch, tmp_path, engine):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "R is not installed: there is no Rscript on the PATH; install R" in refusal(engine)


@pytest.mark.parametrize("engine", ["rpy2", "rscript"])
def test_r_home_is_wrong(monkeypatch, tmp_path, engine):
    monkeypatch.setenv("R_HOME", str(tmp_path))
    assert f"there is no Rscript in R_HOME ({tmp_path})" in refusal(engine)


@posix
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "#!/bin/sh\necho 'libR.so: cannot open shared object file' >&2; exit 127\n",
            "Rscript fails: libR.so: cannot open shared object file",
        ),
        ("#!/bin/sh\nexit 3\n", "Rscript fails: it ended with code 3; run it by hand"),
        ("no program", "Rscript does not start: "),
        ("#!/bin/sh\nexec /bin/sleep 60\n", "did not answer within 0.2 seconds"),
    ],
)
def test_r_is_broken(monkeypatch, tmp_path, text, said):
    (tmp_path / "Rscript").write_text(text)
    (tmp_path / "Rscript").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(installation, "PROBE_SECONDS", 0.2 if "sleep" in text else 60)
    assert said in refusal("rscript")


@needs_r
def test_clusrank_is_absent(monkeypatch):
    for name, value in NO_CLUSRANK.items():
        monkeypatch.setenv(name, value)
    found = probe("rscript")
    assert found.r
    assert not found.clusrank
    message = refusal("rscript")
    assert f"the R package clusrank is not installed in R {found.r}" in message
    assert "install clusrank with Rscript " in message
    if probe("rpy2").r:
        assert "the R package clusrank is not installed in R" in refusal("rpy2")


@posix
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "raise ModuleNotFoundError('no', name='rpy2')",
            "rpy2 is not installed; install it with pip install 'occstats[r]'",
        ),
        (
            "print('noise')\nraise ImportError('undefined symbol:\\n R_getVar')",
            "cannot be used: ImportError: undefined symbol: R_getVar",
        ),
        ("raise ValueError('r_home is None')", "cannot be used: ValueError: r_home is None"),
        ("raise ModuleNotFoundError('no cffi', name='cffi')", "cannot be used: no cffi"),
        ("import os; os.abort()", "cannot be used: it ends the process with code "),
    ],
)
def test_rpy2_is_absent_or_broken(monkeypatch, tmp_path, capfd, text, said):
    # An R that is well, as far as it is asked.
    program(tmp_path, "Rscript", "printf '\\nversions\\t4.2.2\\t1.0.4'")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", fake_rpy2(tmp_path, text))
    assert said in refusal("rpy2")
    assert capfd.readouterr() == ("", "")


@posix
@pytest.mark.parametrize(
    ("clusrank", "problem"),
    [("", "clusrank is not installed in R 4.2.2"), ("0.5.1", "clusrank is too old: 0.5.1; 0.6-2")],
)
def test_all_that_is_missing_is_named_at_once(monkeypatch, tmp_path, clusrank, problem):
    program(tmp_path, "Rscript", f"printf '\\nversions\\t4.2.2\\t{clusrank}'")
    monkeypatch.setenv("PATH", str(tmp_path))
    absent = "raise ModuleNotFoundError('no', name='rpy2')"
    monkeypatch.setenv("PYTHONPATH", fake_rpy2(tmp_path, absent))
    message = refusal("rpy2")
    assert problem in message
    assert "rpy2 is not installed" in message
    assert (
        f'least <- "{installation.LEAST_CLUSRANK}"' in installation.r_file("install.R").read_text()
    )
    (tmp_path / "Rscript").unlink()
    message = refusal("rpy2")
    for part in ("R is not installed", "install clusrank with", "rpy2 is not installed"):
        assert part in message


@posix
@pytest.mark.parametrize(
    ("ending", "said"),
    [
        ("echo 'Error in f(x) : boom' >&2; echo 'Execution halted' >&2; exit 1", "f(x) : boom"),
        ("exit 3", "R ended with code 3: no message"),
        ("exit 0", "R ended with code 0: no message"),
        ("kill -9 $$", "R ended with code -9"),
        ("exec /bin/sleep 60", "R did not finish 2 tests within 0.3 seconds"),
    ],
)
def test_rscript_fails_in_the_middle(monkeypatch, tmp_path, ending, said):
    well = "printf '\\nversions\\t4.2.2\\t1.0.4'; exit 0"
    program(tmp_path, "Rscript", f'case "$*" in *versions*) {well};; esac\n{ending}')
    monkeypatch.setenv("PATH", str(tmp_path))
    if "sleep" in ending:
        monkeypatch.setattr("occstats.engines.sessions.RUN_SECONDS", 0.3)
    assert said in refusal("rscript")


def test_a_disagreement_is_called_one():
    scores, clusters = np.random.default_rng(0).random((12, 3)), np.repeat(np.arange(4), 3)
    native = pairwise_tests(scores, clusters)
    p = native.p.copy()
    p[0, 1] += 1e-9
    versions = {"engine": "rscript", "R": "4.2.2", "clusrank": "1.0.4"}
    apart = EngineCheck(native, replace(native, p=p), versions)
    assert not apart.agrees
    assert "does NOT agree with clusrank 1.0.4 (R 4.2.2) on 6 tests" in apart.sentence()
    assert "1.0e-09 (A against B)" in apart.sentence(["A", "B", "C"])
    # Pairs that clusrank does not test because all signed ranks are equal are ignored, others not.
    p = np.where(np.arange(9).reshape(3, 3) == 1, np.nan, native.p)
    for reason, agrees in ((EQUAL_RANKS, True), ("too few clusters", False)):
        without = replace(native, p=p, reasons={(0, 1): reason})
        assert EngineCheck(native, without, versions).agrees == agrees
