"""The gate: one line and one exit code for a candidate and its baseline."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main
from occstats.comparison.gate import judge

CASES = Path(__file__).parents[1] / "cases"


def gate(results, candidate, baseline, *options):
    direction = [] if "--lower-is-better" in options else ["--higher-is-better"]
    names = ["--candidate", candidate, "--baseline", baseline]
    return CliRunner().invoke(main, ["gate", str(results), *direction, *names, *options])


@pytest.mark.parametrize(
    ("candidate", "baseline", "options", "outcome", "code"),
    [
        ("ALP", "SAE", (), "superior", 0),
        ("SVM", "ALP", ("--margin", "0.05"), "non-inferior", 0),
        ("SVM", "ALP", (), "inconclusive", 3),
        ("SAE", "ALP", ("--margin", "0.01"), "inferior", 4),
    ],
)
def test_exit_codes(candidate, baseline, options, outcome, code):
    result = gate("lenz2021", candidate, baseline, *options)
    assert result.exit_code == code
    assert max(map(len, result.stdout.splitlines())) <= 80
    text = " ".join(result.stdout.split())
    assert text.startswith(f"{outcome}: {candidate} − {baseline} = ")
    assert "mean AUROC (95 % CI " in text
    assert text.endswith(
        " A failure that affects fewer than about 5.8 % of all datasets can easily be absent from "
        "these 50."
    )


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
    share, n = re.search(r"A failure that affects fewer than about ([\d.]+) % of all datasets can "
                         r"easily be absent from these (\d+)\.$", line).groups()  # fmt: skip
    assert (1 - float(share) / 100) ** int(n) == pytest.approx(0.05, rel=0.15)
    assert "nan" not in line
    assert not re.search(r"[−-]0(?!\.\d*[1-9])", line)
    depends = "CAND is typically better than BASE (typical difference +0.00989), but BASE has the "
    assert (f"{depends}higher mean: the answer depends on the question." in line) == (
        name == "gate2"
    )


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
    assert worse.stdout.startswith("inferior: CAND − BASE = −0.296 mean score (95 % CI ")
    # A measure with a known bound needs none.
    known = gate(path, *names, "--missing", "worst", "--score-name", "auroc")
    assert known.exit_code == 4
    # Without a policy a candidate that crashes is refused.
    assert gate(path, *names).exit_code == 2


def test_the_line_has_the_decision_of_the_comparison(lenz):
    found = lenz(algorithms=("ALP", "SAE"), estimand="mean")
    row = found.pairwise_full.set_index(["a", "b"]).loc[("ALP", "SAE")]
    line = judge(found, "ALP", "SAE").evidence
    numbers = " to ".join(f"{row[name]:+.3g}" for name in ("ci_low", "ci_high"))
    assert f"= {row['difference']:+.3g} mean AUROC (95 % CI {numbers}; p " in line
    assert row["conclusion"] == "better"


def test_a_loss_is_named_so_that_positive_is_better(tmp_path):
    frame = occstats.load_results("lenz2021").scores[["ALP", "SAE"]].reset_index()
    frame[["ALP", "SAE"]] = 1 - frame[["ALP", "SAE"]]
    frame.to_csv(tmp_path / "loss.csv", index=False)
    options = ("--lower-is-better", "--score-name", "loss")
    result = gate(tmp_path / "loss.csv", "ALP", "SAE", *options)
    assert result.exit_code == 0
    assert result.stdout.startswith("superior: SAE − ALP = +0.0605 mean loss (95 % CI +")


def test_few_datasets(tmp_path):
    path = tmp_path / "few.csv"
    frame = pd.DataFrame({"dataset": list("abc"), "x": [0.5, 0.6, 0.7], "y": [0.4, 0.5, 0.6]})
    frame.to_csv(path, index=False)
    cases = ((frame, 3, 63), (frame.head(2), 3, 78), (frame.head(1), 3, 95),
             (frame.head(1).assign(y=0.5), 0, 95))  # fmt: skip
    for rows, code, share in cases:
        rows.to_csv(path, index=False)
        result = gate(path, "x", "y")
        assert result.exit_code == code
        assert "nan" not in result.stdout
        assert f"fewer than about {share} % of all datasets" in " ".join(result.stdout.split())


def test_the_same_name_twice_is_refused():
    result = gate("lenz2021", "ALP", "ALP")
    assert result.exit_code == 2
    assert "--candidate and --baseline must be different algorithms" in result.stderr
    result = gate("lenz2021", "ALP", "SVMM")
    assert "--baseline: there is no 'SVMM' in the results (did you mean 'SVM'?)" in result.stderr


def test_markdown_names_the_largest_losses_and_gains_and_flipped_tasks():
    comment = gate("lenz2021", "ALP", "SVM", "--margin", "0.02", "--markdown")
    assert comment.exit_code == 0
    lines = comment.stdout.splitlines()
    assert lines[0] == "### ALP against SVM: non-inferior"
    assert lines[2].startswith("**non-inferior**: ALP − SVM = +0.00329 mean AUROC")
    scores = occstats.load_results("lenz2021").scores
    change = (scores["ALP"] - scores["SVM"]).groupby(level=0).mean()
    worst = lines[lines.index("<details><summary>Datasets with the largest losses</summary>") + 4]
    assert worst.startswith(f"| {change.idxmin()} | ")
    assert float(worst.split()[-2].replace("−", "-")) == pytest.approx(change.min(), abs=1e-3)
    assert "Flipped" not in comment.stdout
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
