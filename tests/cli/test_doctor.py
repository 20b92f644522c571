"""``occstats doctor``: found, version, usable, or what to do."""

import json
import platform

import pytest
from click.testing import CliRunner

from occstats import diagnosis
from occstats.backends import embedded_r as embedded
from occstats.backends import rscript
from occstats.backends.embedded_r import Rpy2Found
from occstats.backends.rscript import RFound
from occstats.cli.doctor import command
from occstats.diagnosis import Diagnosis, Finding, diagnose


def pretend(monkeypatch, r, rpy2):
    monkeypatch.setattr(rscript, "probe_r", lambda: r)
    monkeypatch.setattr(embedded, "probe_rpy2", lambda: rpy2)


def by_name(found):
    return {finding.name: finding for finding in found.findings}


WELL = RFound("/usr/bin/Rscript", "4.2.2", "1.0.4"), Rpy2Found("3.6.5", "4.2.2", "1.0.4")


def test_this_machine_as_json():
    done = CliRunner().invoke(command, ["--json"])
    document = json.loads(done.stdout)
    findings = {finding["name"]: finding for finding in document["findings"]}
    assert done.exit_code == 0
    assert document["healthy"] is True
    assert document["engines"]["native"] is True
    assert findings["Python"]["version"] == platform.python_version()
    assert findings["numba"]["status"] == "ok"
    assert any(
        name.startswith("BLAS") and "thread" in findings[name]["detail"] for name in findings
    )
    for name in ("R", "clusrank", "rpy2"):
        finding = findings[name]
        assert finding["optional"]
        assert finding["version"] if finding["status"] == "ok" else finding["detail"]
    works = findings["R"]["status"] == findings["clusrank"]["status"] == "ok"
    assert document["engines"]["rscript"] is works


def test_everything_is_well(monkeypatch):
    pretend(monkeypatch, *WELL)
    done = CliRunner().invoke(command)
    assert done.exit_code == 0
    assert "can be used: native, clusrank, rscript." in done.stdout
    assert "→" not in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize(
    ("r", "rpy2", "statuses", "engines"),
    [
        (
            RFound(problem="R is not installed", remedy="install R"),
            Rpy2Found("3.6.5", problem="rpy2 3.6.5 cannot be used", remedy="another"),
            ("missing", "unknown", "unknown"),
            (False, False),
        ),
        (
            RFound("/usr/bin/Rscript", problem="Rscript fails", remedy="reinstall R"),
            Rpy2Found(problem="rpy2 is not installed", remedy="pip install"),
            ("broken", "unknown", "missing"),
            (False, False),
        ),
        (
            RFound("/usr/bin/Rscript", "4.2.2", problem="clusrank is not", remedy="install it"),
            Rpy2Found("3.6.5", "4.2.2"),
            ("ok", "missing", "ok"),
            (False, False),
        ),
        (
            WELL[0],
            Rpy2Found("3.6.6", problem="undefined symbol: R_getVar", remedy="another"),
            ("ok", "ok", "broken"),
            (False, True),
        ),
    ],
)
def test_what_is_wrong_with_r(monkeypatch, r, rpy2, statuses, engines):
    pretend(monkeypatch, r, rpy2)
    found = diagnose()
    findings = by_name(found)
    assert tuple(findings[name].status for name in ("R", "clusrank", "rpy2")) == statuses
    assert (found.engines["clusrank"], found.engines["rscript"]) == engines
    assert found.healthy
    for name in ("R", "clusrank", "rpy2"):
        wrong = findings[name].status in ("missing", "broken")
        assert bool(findings[name].remedy) is wrong
    text = CliRunner().invoke(command)
    assert text.exit_code == 0
    assert "The native engine needs no R and gives the same asymptotic p-values." in text.stdout


def test_a_broken_numba_is_an_illness(monkeypatch):
    import numba

    def explode(_function):
        raise SystemError("LLVM\n is missing")

    pretend(monkeypatch, *WELL)
    monkeypatch.setattr(numba, "njit", explode)
    found = by_name(diagnose())["numba"]
    assert (found.status, found.detail) == ("broken", "SystemError: LLVM is missing")
    assert "pip install" in found.remedy
    done = CliRunner().invoke(command)
    assert done.exit_code == 1
    assert "BROKEN" in done.stdout


def test_a_missing_library_is_an_illness(monkeypatch):
    pretend(monkeypatch, *WELL)
    monkeypatch.setattr(diagnosis, "LIBRARIES", ("no-such-library",))
    found = diagnose()
    assert not found.healthy
    assert by_name(found)["no-such-library"].remedy == "pip install no-such-library"


def test_threads_asked_for_are_shown(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    pretend(monkeypatch, *WELL)
    blas = [finding for finding in diagnose().findings if finding.name.startswith("BLAS")]
    assert all("OMP_NUM_THREADS=1" in finding.detail for finding in blas)


def test_colour_follows_no_color(monkeypatch):
    pretend(monkeypatch, *WELL)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" in CliRunner().invoke(command, color=True).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in CliRunner().invoke(command, color=True).stdout


def test_health():
    ok, ill = Finding("a", "ok"), Finding("b", "missing", optional=True)
    assert Diagnosis((ok, ill), {"native": True}).healthy
    assert not Diagnosis((Finding("c", "broken"), ill), {"native": True}).healthy


def test_kernels_are_compiled_ahead_when_asked(monkeypatch):
    from occstats_descriptors import warm_up

    compiled = []
    monkeypatch.setattr(warm_up, "compile_kernels", lambda: compiled.append("all") or iter(["IF"]))
    pretend(monkeypatch, *WELL)
    result = CliRunner().invoke(command, ["--compile"])
    assert compiled == ["all"]
    assert "Compiled the kernels of the descriptors, kept in" in result.stderr
