"""``occstats doctor``: status, version and remedy of every component."""

import json
import platform

import pytest
from click.testing import CliRunner

from occstats.cli import doctor as module
from occstats.cli.doctor import diagnose
from occstats.cli.main import main
from occstats.engines import installation
from occstats.engines.installation import Installation


def pretend(monkeypatch, r, rpy2):
    found = {"rscript": r, "rpy2": rpy2}
    monkeypatch.setattr(installation, "probe", lambda engine: found[engine])


def by_name(findings):
    return {finding.name: finding for finding in findings}


WELL = (
    Installation("/usr/bin/Rscript", "4.2.2", "1.0.4"),
    Installation(r="4.2.2", clusrank="1.0.4", rpy2="3.6.5"),
)


def test_this_machine_as_json():
    done = CliRunner().invoke(main, ["doctor", "--json"])
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
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 0
    assert "tests: native, rpy2, rscript." in done.stdout
    assert "→" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    blas = [finding for finding in diagnose() if finding.name.startswith("BLAS")]
    assert all("OMP_NUM_THREADS=1" in finding.detail for finding in blas)
    assert "\x1b" in CliRunner().invoke(main, ["doctor"], color=True).stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in CliRunner().invoke(main, ["doctor"], color=True).stdout


@pytest.mark.parametrize(
    ("r", "rpy2", "statuses", "engines"),
    [
        (
            Installation(problem="R is not installed", remedy="install R"),
            Installation(rpy2="3.6.5", problem="rpy2 3.6.5 cannot be used", remedy="another"),
            ("missing", "unknown", "unknown"),
            (False, False),
        ),
        (
            Installation("/usr/bin/Rscript", problem="Rscript fails", remedy="reinstall R"),
            Installation(problem="rpy2 is not installed", remedy="pip install"),
            ("broken", "unknown", "missing"),
            (False, False),
        ),
        (
            Installation("/usr/bin/Rscript", "4.2.2", problem="no clusrank", remedy="install it"),
            Installation(r="4.2.2", rpy2="3.6.5", problem="no clusrank", remedy="install it"),
            ("ok", "missing", "ok"),
            (False, False),
        ),
        (
            WELL[0],
            Installation(rpy2="3.6.6", problem="undefined symbol: R_getVar", remedy="another"),
            ("ok", "ok", "broken"),
            (False, True),
        ),
    ],
)
def test_problems_with_r(monkeypatch, r, rpy2, statuses, engines):
    pretend(monkeypatch, r, rpy2)
    findings = by_name(diagnose())
    for name, status in zip(("R", "clusrank", "rpy2"), statuses, strict=True):
        assert findings[name].status == status
        assert bool(findings[name].remedy) is (status in ("missing", "broken"))
    document = json.loads(CliRunner().invoke(main, ["doctor", "--json"]).stdout)
    assert document["healthy"]
    assert (document["engines"]["rpy2"], document["engines"]["rscript"]) == engines
    text = CliRunner().invoke(main, ["doctor"])
    assert text.exit_code == 0
    assert "The native engine needs no R and gives the same asymptotic p-values." in text.stdout


def test_a_broken_or_missing_library_fails(monkeypatch):
    import numba

    def explode(_function):
        raise SystemError("LLVM\n is missing")

    pretend(monkeypatch, *WELL)
    monkeypatch.setattr(numba, "njit", explode)
    found = by_name(diagnose())["numba"]
    assert (found.status, found.detail) == ("broken", "SystemError: LLVM is missing")
    assert "pip install" in found.remedy
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 1
    assert "BROKEN" in done.stdout
    monkeypatch.setattr(module, "LIBRARIES", ("no-such-library",))
    assert "→ pip install no-such-library" in CliRunner().invoke(main, ["doctor"]).stdout


def test_kernels_are_compiled_ahead_when_asked(monkeypatch):
    from occstats_descriptors import warm_up

    compiled = []
    monkeypatch.setattr(warm_up, "compile_kernels", lambda: compiled.append("all") or iter(["IF"]))
    pretend(monkeypatch, *WELL)
    result = CliRunner().invoke(main, ["doctor", "--compile"])
    assert compiled == ["all"]
    assert "Compiled the kernels of the descriptors, cached in" in result.stderr
