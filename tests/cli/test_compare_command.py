"""`occstats compare` as a user calls it: streams, exit codes, options, files."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main
from occstats.cli.compare import command
from occstats.cli.group import COMMANDS
from occstats.cli.options import working
from occstats.comparison import Settings

FAST = ["--n-resamples", "100"]
CASES = Path(__file__).parents[1] / "cases"


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


@pytest.fixture(scope="module")
def printed():
    return run("compare", "lenz2021", "--full", *FAST)


def test_the_answer_comes_first_then_all_tables(printed):
    assert printed.exit_code == 0, printed.output
    assert printed.stderr == ""
    text = printed.stdout
    start = "lenz2021: 9 algorithms, 246 tasks in 50 datasets, AUROC (higher is better)\n\nALP has "
    assert text.startswith(start)
    titles = ("p-values", "All pairs", "Mean ranks and scores", "Effect sizes", "Kendall's τ",
              "Complementary pairs", "What the rank depends on", "Mean rank by difficulty",
              "How much the datasets matter", "Classical tests")  # fmt: skip
    positions = [text.index(f"\n{title}\n") for title in titles]
    assert positions == sorted(positions)


def test_the_first_screen_fits_a_terminal():
    lines = run("compare", "lenz2021", *FAST).stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_preset_paper_prints_its_own_tests():
    text = run("compare", "lenz2021", "--preset", "paper", "--full", *FAST).stdout
    lines = text.split("\np-values\n")[1].split("\n\n")[0].splitlines()
    rows = {line.split()[0]: " ".join(line.split()) for line in lines}
    assert rows["ALP"] == ("ALP 0.17 0.020* 0.035* <0.001* 0.043* <0.001* <0.001* <0.001*")
    assert "≥ 1" in rows["NND"]
    words = " ".join(text.split())
    assert "one-sided clustered signed-rank test corrected within each row (Holm)" in words
    assert "no control of the error rate over all pairs" in words


def test_no_colour_away_from_a_terminal(printed):
    assert "\x1b" not in printed.stdout


def test_json_is_the_only_thing_on_stdout():
    result = run("compare", "lenz2021", "--json", *FAST)
    document = json.loads(result.stdout)
    assert result.stderr == ""
    assert document["meta"]["tasks"] == 246
    row = next(row for row in document["pairwise"] if (row["a"], row["b"]) == ("ALP", "SVM"))
    assert row["conclusion"] == "undecided"
    assert row["ci_low"] < 0 < row["difference"] < row["ci_high"]
    assert [round(row["mean_rank"], 4) for row in document["summary"]][:2] == [3.5073, 3.8647]
    assert document["design"]["power"] is None


def test_json_has_no_nan_literal():
    result = run("compare", "lenz2021", "--json", "--control", "ALP", *FAST)

    def refuse(literal):
        raise AssertionError(literal)

    document = json.loads(result.stdout, parse_constant=refuse)
    assert any(row["p"] is None for row in document["pairwise"])


def test_options_reach_the_settings():
    result = run(
        "compare", "lenz2021", "--json", "--estimand", "typical", "--test", "ds", "--null",
        "asymptotic", "--alternative", "greater", "--correction", "hochberg", "--family", "row",
        "--alpha", "0.1", "--algorithms", "ALP, SVM,NND", "--tie-tolerance", "0", "--kendall",
        "sum", "--inference", "hc3", "--strata", "quantile", "--n-strata", "3", "--rope", "0.02",
        "--random-state", "7", *FAST,
    )  # fmt: skip
    meta = json.loads(result.stdout)["meta"]
    expected = {
        "estimand": "typical", "test": "ds", "null": "asymptotic", "alternative": "greater",
        "correction": "hochberg", "family": "row", "alpha": 0.1, "tie_tolerance": 0,
        "kendall": "sum", "inference": "hc3", "strata": "quantile", "n_strata": 3, "rope": 0.02,
        "random_state": 7, "n_resamples": 100, "algorithms": ["ALP", "SVM", "NND"],
    }  # fmt: skip
    assert {key: meta[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("--rule tests", "set --correction …, --family …, --alternative … and --null …"),
        ("--confidence 0.9", "intervals have the level 1 − α: set --alpha …"),
        ("--null permutation", "is called --null flips now"),
        ("--null exact", "occstats.stats.clustered_wilcoxon computes the exact test"),
        ("--test wilcoxon", "see the column p_ignoring_clusters"),
        ("--test dataset-means", "set --estimand mean"),
        ("--test ds-weighted", "set --estimand mean to give each dataset equal weight"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "figures"])
def test_options_of_version_0_2_are_answered_with_their_successors(
    command, typed, answer, tmp_path
):
    out = ["--out", tmp_path] if command == "figures" else []
    result = run(command, "lenz2021", *typed.split(), *out)
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"Error: {typed} ")
    assert answer in line
    assert not {"--rule", "--confidence"} & set(run(command, "--help").stdout.split())


def test_refusals_name_options():
    result = run("compare", "lenz2021", "--alternative", "greater")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: --correction max-t is two-sided; got --alternative greater: set --correction holm\n"
    )
    result = run("compare", "lenz2021", "--alpha", "5")
    assert result.stderr.startswith("Error: --alpha must be strictly between 0 and 1")


def test_missing_results_are_refused_with_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pd.read_csv(CASES / "miss.csv")
    frame.to_csv("miss.csv", index=False)
    result = run("compare", "miss.csv", "--alpha", "0.1")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "Error: miss.csv: 36 of 180 cells have no score (in 36 of 90 tasks), first 'd0' /",
        "     't0': 'CAND'; 'd0' / 't1': 'CAND'; 'd0' / 't2': 'CAND'",
        "try: occstats compare miss.csv --alpha 0.1 --missing complete",
        "     (54 tasks that all algorithms have)",
        "  or --missing pairwise (for each pair, the tasks that both have)",
        "  or --missing impute=NAME (the score of a baseline)",
    ]
    result = run("compare", "miss.csv", "--estimand", "mean", "--missing", "worst")
    assert result.stderr.splitlines() == [
        "Error: means need a score for failed runs, and 'score' has no known bound",
        "try: occstats compare miss.csv --estimand mean --missing worst=0",
        "     (or another SCORE after worst=)",
        "  or --estimand typical (failures rank below every score)",
    ]


def test_refusals_have_at_most_12_lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    names = [f"a-rather-long-name-of-an-algorithm-{i}" for i in range(8)]
    frame = pd.DataFrame(rng.uniform(size=(30, 8)), columns=names)
    frame[rng.uniform(size=(30, 8)) < 0.1] = np.nan
    frame.insert(0, "dataset", [f"a-rather-long-name-of-a-dataset-{i}" for i in range(30)])
    frame.to_csv("a-rather-long-name-of-a-file-with-results.csv", index=False)
    result = run("compare", "a-rather-long-name-of-a-file-with-results.csv")
    lines = result.stderr.splitlines()
    assert 3 < len(lines) <= 12
    assert max(len(line) for line in lines if not line.startswith("try: ")) <= 80


def test_every_setting_is_an_option_with_help():
    options = {option.name: option for option in command.params}
    assert set(Settings.__dataclass_fields__) <= set(options)
    for option in command.params:
        if option.name != "results":
            assert option.help, option.name


def test_several_results_are_joined(tmp_path):
    frame = occstats.load_results("lenz2021").to_frame()
    mine = frame[frame["descriptor"] == "ALP"].assign(descriptor="MINE")
    mine["auroc"] = (mine["auroc"] + 0.01).clip(upper=1)
    path = tmp_path / "mine.csv"
    mine.to_csv(path, index=False)
    result = run("compare", "lenz2021", path, "--control", "MINE", "--json", *FAST)
    document = json.loads(result.stdout)
    assert document["meta"]["family"] == "control"
    assert len(document["meta"]["algorithms"]) == 10
    assert document["verdict"].startswith("MINE has the best mean rank")
    assert {row["conclusion"] for row in document["pairwise"] if row["a"] == "MINE"} >= {"better"}


def test_out_writes_everything_and_says_where(tmp_path):
    out = tmp_path / "new" / "report"
    result = run("compare", "lenz2021", "--out", out, *FAST)
    assert result.exit_code == 0, result.output
    assert str(out) in result.stdout
    assert json.loads((out / "comparison.json").read_text())["meta"]["tasks"] == 246
    for name in ("comparison", "summary", "p_values", "pairwise", "ranks", "scores"):
        assert (out / "tables" / f"{name}.csv").stat().st_size > 0
    summary = pd.read_csv(out / "tables" / "summary.csv")
    assert summary["mean_rank"].iloc[0] == pytest.approx(3.5072822177822176, abs=1e-15)
    assert "\\cite{rosner2006}" in (out / "methods.tex").read_text()
    assert "@article{rosner2006" in (out / "references.bib").read_text()


def test_single_data_set_is_said(tmp_path):
    frame = occstats.load_results("lenz2021").to_frame().query("dataset == 'wine'")
    path = tmp_path / "wine.csv"
    frame.to_csv(path, index=False)
    result = run("compare", path, *FAST)
    assert result.exit_code == 0, result.output
    assert "no p-values" in result.stdout
    assert "p ≤" not in result.stdout


def test_help_lists_the_commands_that_exist():
    result = run("--help")
    assert result.exit_code == 0
    for name in ("compare", "completion"):
        assert COMMANDS[name][1] in result.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_OCCSTATS_COMPLETE" in result.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("compare lenz", ["lenz2021"]),
        ("compare lenz2021 --control S", ["SVM", "SAE"]),
        ("compare lenz2021 --algorithms ALP,S", ["ALP,SVM", "ALP,SAE"]),
        ("compare no_such_file.csv --control S", []),
        ("figures lenz2021 --only critical_difference,ken", ["critical_difference,kendall"]),
    ],
)
def test_completion_offers_what_can_stand_there(typed, offered):
    environment = {
        "_OCCSTATS_COMPLETE": "bash_complete",
        "COMP_WORDS": f"occstats {typed}",
        "COMP_CWORD": str(len(typed.split())),
    }
    result = CliRunner().invoke(main, [], prog_name="occstats", env=environment)
    kinds = [line.partition(",") for line in result.stdout.splitlines()]
    assert [value for kind, _, value in kinds if kind == "plain"] == offered


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "offered"), [("le", ["lenz2021", "lessons.csv"]), ("ot", ["other.csv"])]
)
def test_bash_completes_bundled_names_and_files(typed, offered, tmp_path):
    """By the script that users source: one answer "file" would make bash drop all others."""
    for name in ("lessons.csv", "other.csv"):
        (tmp_path / name).touch()
    program = tmp_path / "bin" / "occstats"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m occstats "$@"\n')
    program.chmod(0o755)
    asked = f"""
        source <(_OCCSTATS_COMPLETE=bash_source occstats)
        COMP_WORDS=(occstats compare {typed}); COMP_CWORD=2
        _occstats_completion occstats
        (( ${{#COMPREPLY[@]}} )) && printf '%s\\n' "${{COMPREPLY[@]}}" || compgen -f {typed}
    """
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    answer = subprocess.run(
        ["bash", "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"PATH": path, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert answer.stdout.split() == offered


@pytest.mark.parametrize("arguments", [(), ("datasets",)])
def test_no_command_is_an_error_that_helps(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert not result.stdout
    assert "Commands:" in result.stderr


def test_version():
    assert occstats.__version__ in run("--version").stdout


def test_a_narrow_terminal_wraps(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    result = run("compare", "lenz2021", *FAST)
    assert max(len(line) for line in result.stdout.splitlines()) <= 60
    assert re.search("^SAE .* \\*$", result.stdout, flags=re.MULTILINE)


def test_a_terminal_shows_at_once_that_something_happens(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with working("Comparing"):
        assert capsys.readouterr().err == "Comparing …"
    assert capsys.readouterr().err == "\r\x1b[K"


def test_nothing_but_the_answer_goes_to_a_pipe(capsys):
    with working("Comparing"):
        pass
    assert capsys.readouterr().err == ""


INTERRUPTED_WHILE_WRITING = """
import os, signal, sys
from occstats.cli import main
from occstats import _files as files

write = files._write_durably

def write_and_interrupt(path, content):
    write(path, content)
    if path.name == "summary.tex":
        os.kill(os.getpid(), signal.SIGINT)

files._write_durably = write_and_interrupt
main(sys.argv[1:])
"""


def test_an_interrupt_exits_130_and_leaves_no_half_file(tmp_path):
    out = tmp_path / "report"
    arguments = ["compare", "lenz2021", "--n-resamples", "100", "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_WRITING, *arguments],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 130
    assert done.stderr.strip() == b"Interrupted."
    assert done.stdout == b""
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_stops_reading_is_no_error():
    shell = f"{sys.executable} -m occstats compare lenz2021 --n-resamples 100 | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {shell}"], capture_output=True, check=False
    )
    assert done.stdout.startswith(b"lenz2021: 9 algorithms")
    assert done.stderr == b""
    assert done.returncode == 0
