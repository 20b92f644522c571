"""The gate: one line and one exit code for a candidate and its baseline."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main

CASES = Path(__file__).parents[1] / "cases"


def gate(results, candidate, baseline, *options):
    direction = [] if "--lower-is-better" in options else ["--higher-is-better"]
    names = ["--candidate", candidate, "--baseline", baseline]
    return CliRunner().invoke(main, ["gate", str(results), *direction, *names, *options])


def test_unknown_names():
    result = gate(CASES / "gate1.csv", "A", "B")
    assert result.exit_code == 2
    assert "--candidate: there is no 'A'; --baseline: there is no 'B' in" in result.stderr


@pytest.mark.parametrize(
    ("name", "names", "outcome", "code"),
    [
        # The mean is 0.035 and 0.033 lower: rare failures outweigh many small wins.
        ("gate1", ("CAND", "BASE"), "inferior", 4),
        ("gate2", ("CAND", "BASE"), "inconclusive", 3),
        ("bin", ("A", "B"), "superior", 0),
        ("bin", ("B", "A"), "inferior", 4),
        ("ident", ("CAND", "BASE"), "non-inferior", 0),
        ("same", ("A", "B"), "non-inferior", 0),
    ],
)
def test_cases(name, names, outcome, code):
    result = gate(CASES / f"{name}.csv", *names, "--margin", "0.02")
    line = " ".join(result.stdout.split())
    assert (line.split(":")[0], result.exit_code) == (outcome, code)
    share, n = re.search(r"fewer than about ([\d.]+) % .* sample of (\d+)\.$", line).groups()
    assert (1 - float(share) / 100) ** int(n) == pytest.approx(0.05, rel=0.15)
    assert not re.search(r"nan|[−-]0(?!\.\d*[1-9])", line)
    assert ("the answer depends on the question" in line) == (name == "gate2")


def test_a_margin_of_the_range_of_all_scores_is_noted(tmp_path):
    solved = {"ours": [1, 0, 1, 1, 0, 1], "base": [0, 1, 1, 1, 0, 1]}
    frame = pd.DataFrame({"dataset": list("abcdef"), **solved})
    long = frame.melt("dataset", var_name="model", value_name="solved")
    long.to_csv(tmp_path / "solved.csv", index=False)
    for margin, noted in (("1", True), ("0.9", False)):
        options = ("--score", "solved", "--margin", margin)
        said = gate(tmp_path / "solved.csv", "ours", "base", *options).stdout
        assert ("every difference is within the margin of 1" in " ".join(said.split())) == noted


@pytest.mark.parametrize("form", [[], ["--markdown"]])
def test_the_direction_and_the_notes_are_told(tmp_path, form):
    wide = pd.read_csv(CASES / "gate1.csv")
    frame = wide.melt(["dataset", "task"], var_name="model", value_name="accuracy")
    frame.to_csv(tmp_path / "long.csv", index=False)
    found = gate(tmp_path / "long.csv", "CAND", "BASE", "--lower-is-better", *form)
    said = " ".join(found.stdout.split())
    assert "The difference in mean accuracy (lower is better), BASE − CAND, is" in said
    assert re.search(r"Note: \S+long.csv: 'accuracy' is usually higher-is-better\.", said)


@pytest.mark.parametrize("margin", ["0.02", "0.012345"])
def test_difference_limits_and_margin_have_equal_digits(margin):
    line = " ".join(gate(CASES / "gate2.csv", "CAND", "BASE", "--margin", margin).stdout.split())
    found = re.search(r"is (\S+) \(95 % CI (\S+) to (\S+); .*margin (\S+);", line).groups()
    assert len({len(number.partition(".")[2]) for number in found}) == 1
    assert float(found[-1]) == float(margin)


def test_failed_runs_need_a_score():
    path = CASES / "miss.csv"
    names = ("CAND", "BASE")
    refused = gate(path, *names, "--margin", "0.02", "--missing", "worst")
    assert (refused.exit_code, refused.stdout) == (2, "")
    command = re.search(r"^try: occstats (.*)$", refused.stderr, flags=re.MULTILINE)[1]
    assert command.endswith("--margin 0.02 --missing worst=0")
    assert "--estimand" not in refused.stderr  # which the gate has not
    worse = CliRunner().invoke(main, command.split())
    assert worse.exit_code == 4
    assert worse.stdout.startswith(
        "inferior: The difference in mean score (higher is better), CAND − BASE, is\n"
        "−0.2959 (95 % CI "
    )
    # A measure with a known bound needs none.
    known = gate(path, *names, "--missing", "worst", "--score-name", "auroc")
    assert known.exit_code == 4
    # Without a policy a candidate that crashes is refused.
    assert gate(path, *names).exit_code == 2


def test_markdown_counts_flipped_tasks():
    binary = gate(CASES / "bin.csv", "B", "A", "--markdown")
    assert binary.exit_code == 4
    assert "**Flipped**: 30 tasks lost, 0 won." in binary.stdout


def test_markdown_escapes_names(tmp_path):
    name = "<img src=x>|*a*"
    table = tmp_path / "scores.csv"
    frame = pd.DataFrame({"dataset": [f"d{i}|<b>" for i in range(9)], "BASE": 0.5})
    frame.assign(**{name: [0.1 * i for i in range(9)]}).to_csv(table, index=False)
    comment = gate(table, name, "BASE", "--markdown")
    assert comment.exit_code == 3, comment.output
    assert "<img" not in comment.stdout.replace(r"\<img", "")
    assert "<b>" not in comment.stdout.replace(r"\<b", "")


@pytest.mark.parametrize(
    ("names", "margin", "code"), [(("ALP", "SVM"), "0.02", 0), (("SAE", "ALP"), "", 4)]
)
def test_the_steps_of_the_action(tmp_path, names, margin, code):
    action = (Path(__file__).parents[2] / "action.yml").read_text("utf-8")
    step = action[action.index("set +e") : action.index("    - if: inputs.comment")]
    files = {"GITHUB_OUTPUT": tmp_path / "output", "GITHUB_STEP_SUMMARY": tmp_path / "summary"}
    inputs = {"RESULTS": "lenz2021", "CANDIDATE": names[0], "BASELINE": names[1], "MARGIN": margin}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **files, **inputs, "OPTIONS": "--alpha 0.05", "PATH": path}
    subprocess.run(
        ["bash", "-eo", "pipefail", "-c", step],
        env={**environment, "RUNNER_TEMP": str(tmp_path)},
        check=True,
    )
    assert files["GITHUB_OUTPUT"].read_text() == f"code={code}\n"
    assert files["GITHUB_STEP_SUMMARY"].read_text("utf-8").startswith(f"### {names[0]} against ")
