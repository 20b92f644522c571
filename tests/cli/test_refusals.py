"""Refusals of the command line: exit code 2, a message that helps, nothing written."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
from tests.cli.conftest import FAST, SMALL

LONG = SMALL.melt(["dataset", "class"], var_name="model", value_name="score")


def compare(*arguments):
    return CliRunner().invoke(main, ["compare", *map(str, arguments), *FAST])


def refused(*arguments):
    """Return the lines of a refusal."""
    result = compare(*arguments)
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    first, *others = lines = result.stderr.splitlines()
    assert first.startswith("Error: ")
    assert len(lines) <= 12
    assert not others or any(line.startswith("try: occstats compare ") for line in others)
    assert not others or max(len(line) for line in lines if not line.startswith("try: ")) <= 80
    return lines


def test_refusals_of_long_names_are_short(csv):
    rng = np.random.default_rng(0)
    names = [f"a-rather-long-name-of-an-algorithm-{i}" for i in range(8)]
    frame = pd.DataFrame(rng.uniform(size=(30, 8)), columns=names)
    frame[rng.uniform(size=(30, 8)) < 0.1] = np.nan
    frame.insert(0, "dataset", [f"a-rather-long-name-of-a-dataset-{i}" for i in range(30)])
    assert len(refused(csv(frame, "a-rather-long-name-of-a-file-with-results.csv"))) > 3


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["compare", "long.csv", "--score", "acc"], "(did you mean 'accuracy'?)"),
        (["compare", "long.csv", "--decimal", ","], "no column holds numbers with a decimal comma"),
        (["compare", "long.csv", "--task", "model"], "no column name indicates the algorithm"),
        (["compare", "long.csv", "--transpose"], "may not be tasks"),
        (["compare", "long.csv", "--margin", "5%"], "got '5%' (did you mean 0.05?)"),
        (["plan", "long.csv", "--datasets", "10"], "(did you mean '--n-datasets'?)"),
        (["plan", "long.csv", "--effect", "0.01"], "(did you mean '--difference'?)"),
        (["run", "--datasets", "ecoli", "--out", "x"], "pass their folder as --data …"),
    ],
)
def test_refusals_name_the_cause(csv, typed, told):
    frame = SMALL.melt(["dataset", "class"], ["p", "q"], "model", "accuracy").assign(auc=0.5)
    csv(frame.assign(**{"class": "c" + frame["class"]}), "long.csv")
    found = CliRunner().invoke(main, typed)
    assert found.exit_code == 2
    assert told in " ".join(found.stderr.split())


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["compare", "--algorithms", "p,r (10,000)"], """(did you mean '"r (10,000)"'?)"""),
        (["figures", "--highlight", "r (10,000)"], """(did you mean '"r (10,000)"'?)"""),
        (["compare", "--control", "r (10,00)"], "(did you mean 'r (10,000)'?)"),
        (
            ["compare", "--algorithms", "p", "--algorithms", "r (10,000)"],
            "write --algorithms 'p,r (10,000)', with double quotes around a name that contains",
        ),
    ],
)
def test_names_with_a_comma_are_proposed_as_they_must_be_typed(csv, typed, told):
    path = csv(SMALL.assign(**{"r (10,000)": 0.5 * SMALL["p"]}))
    found = CliRunner().invoke(main, [typed[0], path, *typed[1:], "--higher-is-better"])
    assert found.exit_code == 2
    assert told in " ".join(found.stderr.split())


def test_templates_are_wrapped_and_leave_the_direction_out(csv):
    frame = SMALL.rename(columns={"dataset": "of", "class": "part", "p": "points"})
    found = CliRunner().invoke(main, ["compare", csv(frame), "--no-input"])
    lines = found.stderr.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines.count("  each with --higher-is-better or --lower-is-better") == 1
    frame = SMALL.rename(columns={"p": "one", "q": "two"})
    found = CliRunner().invoke(main, ["compare", csv(frame), "--no-input"])
    assert found.stderr.endswith(
        "try: occstats compare results.csv --no-input\n"
        "  with --higher-is-better or --lower-is-better\n"
    )


def test_r_that_is_not_installed_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    assert "native" in refused("lenz2021", "--engine", "rscript")[0]


def test_impossible_folders_are_refused(csv):
    path = csv(SMALL)
    before = Path(path).read_bytes()
    refused(path, "--out", "a" * 300)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("typed", "name", "remedy"),
    [
        ("figures lenz2021 --only kendall --format svg", "kendall.svg", "pass --force"),
        ("time --descriptors NND --sizes 8 --format svg", "times.svg", "pass --force"),
        ("tune --datasets iris --descriptors NND --format svg", "sweep.svg", "move them away"),
    ],
)
def test_files_of_others_are_never_replaced(tmp_path, monkeypatch, typed, name, remedy):
    """The refusal comes before any computation."""
    monkeypatch.setattr("occstats.results.load_results", None)
    monkeypatch.setattr("occstats.experiment.timing.measure_times", None)
    (tmp_path / name).write_text("mine")
    result = CliRunner().invoke(main, [*typed.split(), "--out", str(tmp_path)])
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"did not write there: '{name}'; choose another folder, or {remedy}" in result.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
