"""`occstats compare` as a user calls it: streams, exit codes, options, files."""

import json
import os
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main
from occstats.progress import advance, working
from tests.cli.conftest import FAST, SMALL
from tests.report.screens import HIGHER, simulated


def run(*arguments):
    result = CliRunner().invoke(main, ["compare", *map(str, arguments), *FAST])
    assert result.exit_code == 0, (result.output, result.exception)
    assert result.stderr == ""
    return result.stdout


def refuse_literal(literal):
    raise AssertionError(literal)


def document(*arguments):
    return json.loads(run(*arguments, "--json"), parse_constant=refuse_literal)


def test_json_is_the_only_output():
    found = document("lenz2021")
    assert found["meta"]["tasks"] == 246
    row = next(row for row in found["pairwise"] if (row["a"], row["b"]) == ("ALP", "SVM"))
    assert row["conclusion"] == "undecided"
    assert row["ci_low"] < 0 < row["difference"] < row["ci_high"]
    assert [round(row["mean_rank"], 4) for row in found["summary"]][:2] == [3.5073, 3.8647]


def test_options_reach_the_settings():
    meta = document(
        "lenz2021", "--estimand", "typical", "--test", "ds", "--null", "asymptotic",
        "--alternative", "greater", "--correction", "hochberg", "--family", "row",
        "--alpha", "0.1", "--algorithms", "ALP, SVM,NND", "--tie-tolerance", "0",
        "--inference", "cr1", "--rope", "0.02", "--random-state", "7",
    )["meta"]  # fmt: skip
    expected = {
        "estimand": "typical", "test": "ds", "null": "asymptotic", "alternative": "greater",
        "correction": "hochberg", "family": "row", "alpha": 0.1, "tie_tolerance": 0,
        "inference": "cr1", "rope": 0.02,
        "random_state": 7, "n_resamples": 100, "algorithms": ["ALP", "SVM", "NND"],
    }  # fmt: skip
    assert {key: meta[key] for key in expected} == expected


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Return the folder of a report and the output of the command."""
    folder = tmp_path_factory.mktemp("compare")
    SMALL.to_csv(folder / "results.csv", index=False)
    out = folder / "new" / "report"
    return out, run(folder / "results.csv", "--out", out, "--higher-is-better")


def test_out_writes_the_report_and_names_the_folder(report):
    out, text = report
    assert str(out) in text
    assert json.loads((out / "comparison.json").read_text())["meta"]["tasks"] == 6
    assert pd.read_csv(out / "tables" / "summary.csv")["mean_rank"].iloc[0] < 1.5
    assert "@article{rosner2006" in (out / "references.bib").read_text()


def test_an_interrupt_exits_130_and_leaves_the_old_report(report, csv, monkeypatch):
    out, _ = report
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    fsync, calls = os.fsync, iter(range(2))

    def interrupt_later(descriptor):
        if next(calls, None) is None:
            raise KeyboardInterrupt
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", interrupt_later)
    path = csv(SMALL.assign(q=SMALL["q"] / 2))
    result = CliRunner().invoke(
        main, ["compare", str(path), "--higher-is-better", "--out", str(out), *FAST]
    )
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr.strip() == "Interrupted."
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert [each.name for each in out.parent.iterdir()] == ["report"]


def test_a_terminal_shows_that_something_happens(monkeypatch, capsys):
    with working("Comparing"):
        assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with working("Comparing"):
        advance("tests", 0.5)  # within two seconds, no percentage
        assert capsys.readouterr().err == "\r\x1b[KComparing …"
    assert capsys.readouterr().err == "\r\x1b[K"
    monkeypatch.setattr("occstats.progress.PATIENCE_SECONDS", -1)
    with working("Comparing"):
        occstats.compare(simulated(4), n_resamples=100, **HIGHER)
    assert "\r\x1b[KComparing … tests 100 %\r" in capsys.readouterr().err


def test_a_pipe_that_is_closed_is_no_error():
    shell = f"{sys.executable} -m occstats compare lenz2021 --n-resamples 100 | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {shell}"], capture_output=True, check=False
    )
    assert done.stdout.startswith(b"lenz2021: 9 algorithms")
    assert (done.stderr, done.returncode) == (b"", 0)


def test_a_terminal_of_ascii_shows_plain_signs():
    run = [sys.executable, "-P", "-m", "occstats", "plan", "lenz2021", "--budget", "20"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    printed = subprocess.run(run, env=environment, capture_output=True, text=True, check=True)
    assert "ALP - SVM" in printed.stdout
    assert "20 datasets x 1 task" in printed.stdout
