"""Refusals of the command line: exit code 2, a message that helps, nothing written."""

import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main
from tests.cli.conftest import FAST, SMALL

LONG = SMALL.melt(["dataset", "class"], var_name="model", value_name="score")
MISSING = """
dataset,task,CAND,BASE
d0,t0,,0.5
d0,t1,0.6,0.5
d1,t0,0.7,0.6
d1,t1,,0.7
d2,t0,0.7,0.5
"""


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


# Files


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("empty.csv", b"", "empty"),
        ("twice.csv", b"dataset,class,model,f1\nx,1,p,0.1\nx,1,p,0.1\n", "'x'"),
        ("single.csv", b"dataset,class,p\nx,1,0.1\ny,1,0.2\n", "'p'"),
    ],
)
def test_files_without_results(tmp_path, monkeypatch, name, content, text):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    line = " ".join(refused(name))
    assert name in line
    assert text in line


def test_names_that_are_near_are_proposed(csv):
    csv(SMALL, "results_2024.csv")
    assert "results_2024.csv" in refused("result_2024.csv")[0]
    assert "lenz2021" in refused("lenz2012")[0]


# Commands to try


def test_the_command_of_a_refusal_can_be_pasted(csv):
    """Names with blanks, quotes and a leading dash are no hindrance."""
    frame = LONG.pivot(index=["dataset", "class"], columns="model", values="score").reset_index()
    frame = frame.assign(**{"-p value": 0.5, "it's the average": 0.5, "Average": 0.5})
    frame = frame.rename(columns={"it's the average": "average of 'x'", "-p value": "-params"})
    lines = refused(csv(frame, "my results.csv"), "--higher-is-better")
    line = next(line for line in lines if line.startswith("try: "))
    program, *arguments = shlex.split(line.removeprefix("try: "))
    assert (program, arguments[0]) == ("occstats", "compare")
    result = CliRunner().invoke(main, [*arguments, *FAST])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("my results.csv read as: dataset = 'dataset' (3)")


def test_slices_by_two_measures_are_refused_with_a_command(csv):
    path = csv(LONG.assign(f1=LONG["score"], language="en"))
    *_, line = refused(path, "--score", "score,f1", "--by", "language")
    assert line == f"try: occstats compare {path} --by language {' '.join(FAST)} --score score"


def test_switches_take_no_value(csv):
    lines = refused(csv(LONG.rename(columns={"score": "objective"})))
    assert lines[-1].endswith(" --higher-is-better (or --lower-is-better)")


def test_missing_results_are_refused_with_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "miss.csv").write_text(MISSING.lstrip())
    up = "--higher-is-better"
    assert refused("miss.csv", "--alpha", "0.1", up) == [
        "Error: miss.csv: 2 of 10 cells have no score (in 2 of 5 tasks), first 'd0' /",
        "     't0': 'CAND'; 'd1' / 't1': 'CAND'",
        f"try: occstats compare miss.csv --alpha 0.1 {up} {' '.join(FAST)} --missing complete",
        "     (3 tasks that all algorithms have)",
        "  or --missing pairwise (for each pair, the tasks that both have)",
        "  or --missing impute=NAME (the score of a baseline)",
    ]
    assert refused("miss.csv", up, "--estimand", "mean", "--missing", "worst") == [
        "Error: means need a score for failed runs, and 'score' has no known bound",
        f"try: occstats compare miss.csv {up} --estimand mean {' '.join(FAST)} --missing worst=0",
        "     (or another SCORE after worst=)",
        "  or --estimand typical (failures rank below every score)",
    ]


def test_refusals_of_long_names_are_short(csv):
    rng = np.random.default_rng(0)
    names = [f"a-rather-long-name-of-an-algorithm-{i}" for i in range(8)]
    frame = pd.DataFrame(rng.uniform(size=(30, 8)), columns=names)
    frame[rng.uniform(size=(30, 8)) < 0.1] = np.nan
    frame.insert(0, "dataset", [f"a-rather-long-name-of-a-dataset-{i}" for i in range(30)])
    assert len(refused(csv(frame, "a-rather-long-name-of-a-file-with-results.csv"))) > 3


# Arguments


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("--algorithms ALP,SVN", "(did you mean 'SVM'?)"),
        ("--algorithms ALP", "two"),
        ("--control alp", "(did you mean 'ALP'?)"),
        ("--control ALP --family all", "leave --family out"),
        ("--family control", "--family control needs an algorithm: set --control …"),
        ("--family row", "set --alternative greater and --correction holm, or --family all"),
        ("--family row --correction holm", "set --alternative greater, or --family all"),
        ("--family row --alternative greater", "got --alternative greater: set --correction holm"),
        ("--alternative greater", "is two-sided; got --alternative greater: set --correction holm"),
        ("--estimand mean --test ds", "set --estimand typical, or leave --test out"),
        ("--estimand mean --null flips", "set --null bootstrap or --null asymptotic"),
        ("--test rlg", "--test must be one of rgl, ds; got 'rlg' (did you mean 'rgl'?)"),
        ("--decimal ;", "--decimal must be one of '.', ','; got ';'"),
        ("--alpha 5", "--alpha must be strictly between 0 and 1; got 5"),
        ("--alpha nan", "--alpha must be strictly between 0 and 1"),
        ("--tie-tolerance -1", "--tie-tolerance must be a number of 0 or more"),
        ("--random-state -1", "--random-state must be an integer of at least 0"),
        ("--missing wurst", "(did you mean 'worst'?)"),
        ("--engine rscript --estimand mean", "or --engine native"),
        ("--colour", "--colour"),
        ("--lower-is-better", "--lower-is-better: bundled results are read as they are"),
        ("--by size", "there is no column 'size', given as by;"),
        ("--where n", "--where must be COLUMN=VALUE or COLUMN!=VALUE; got 'n'"),
        ("--where clas=1", "no column 'clas', given as where (did you mean 'class'?)"),
        ("--lower-is-better --higher-is-better", "cannot be combined with --higher-is-better"),
    ],
)
def test_arguments(typed, text):
    (line,) = refused("lenz2021", *typed.split())
    assert text in line


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("compare", "Missing argument 'RESULTS...'"),
        ("comapre", "(did you mean 'compare'?)"),
        ("help", "try: occstats --help"),
        ("help compare", "try: occstats compare --help"),
        ("lenz2021 --full", "try: occstats compare lenz2021 --full"),
        ("absent.csv", "there is no command or file 'absent.csv'"),
        ("compare mine.csv --contol p", "--control"),
        ("compare mine.csv --score cla", "given as score (did you mean 'class'?)"),
        (
            "figures mine.csv --theme hous",
            "--theme must be one of house, user; got 'hous' (did you mean",
        ),
        ("figures lenz2021 --order ranks --n-resamples 100", "--order 'ranks' is not in this"),
        ("figures lenz2021 --label alp=x --n-resamples 100", "--label 'alp' is not in this"),
        ("figures mine.csv --width ieeee", "--width must be a number"),
        ("run --datasets iriss", "(did you mean 'iris'?)"),
        ("run --descriptors ALPP", "(did you mean 'ALP'?)"),
        ("tune --descriptors ALP --grid aa=1:2:1", "--grid: no descriptor has a parameter 'aa'"),
        ("mine.csv --out x", "try: occstats compare mine.csv --out x"),
        ("figures mine.csv --label SVM", "--label takes NAME=TEXT"),
        ("gate mine.csv --candidate p --baseline p", "must be different algorithms"),
        ("check-r --null exact --test ds", "ds has no exact null"),
        ("run --preset paper --seed 1", "determines --descriptors"),
        ("run --shard 3/2", "is not I/N"),
        ("time --sizes 64,many", "'many' is not a valid integer"),
        ("time --sizes 64,0", "0 is not in the range x>=1"),
        ("run --shard ²/3", "is not I/N"),
        ("tune --window a=²", "expected a number of grid points"),
        ("tune --window wide", "expected a number of grid points"),
        ("run iris", "iris: unexpected; try: occstats run --datasets iris"),
        ("time mine.csv", "mine.csv: unexpected; try: occstats time --data mine.csv"),
        ("compare https://example.org/a.csv", "addresses are not read; download the file"),
        ("time --seed -1", "--seed must be an integer of at least 0; got -1"),
        ("time --sizes ,", "Invalid value for '--sizes': is empty"),
        ("plan --sd-dataset 1 --difference 1 --candidate p", "--candidate needs results of a"),
        ("run --datasets ,", "Invalid value for '--datasets': is empty"),
        ("run --force al", "--force must be one of failed, all; got 'al' (did you mean 'all'?)"),
        ("gate mine.csv --json", "there is no option --json (see occstats gate --help)"),
        ("figures --times mine.csv", "drawn: times lacks the columns descriptor, n,"),
        ("figures --only times", "figure 'times' needs a table: pass --times …"),
    ],
)
def test_commands(csv, typed, text):
    csv(SMALL, "mine.csv")
    result = CliRunner().invoke(main, typed.split(), prog_name="occstats")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert text in line


def test_r_that_is_not_installed_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    assert "native" in refused("lenz2021", "--engine", "rscript")[0]


# Output


@pytest.mark.parametrize("out", ["results.csv", "results.csv/below", "a" * 300])
def test_impossible_folders_are_refused(csv, out):
    path = csv(SMALL)
    before = Path(path).read_bytes()
    refused(path, "--out", out)
    assert Path(path).read_bytes() == before


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("compare lenz2021 --margin -0.1", "--margin must be a number above 0"),
        ("gate lenz2021 --candidate ALP --baseline SVM --margin -0.1", "--margin must be"),
        ("figures lenz2021 --show 0", "--show must be an integer of at least 1"),
        ("plan lenz2021 --power-curve x.doc", "--power-curve must end in .pdf, .svg or .png"),
    ],
)
def test_errors_name_the_option_that_was_typed(typed, message):
    result = CliRunner().invoke(main, typed.split())
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {message}")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("alpha", 5, "alpha must be strictly between"),
        ("alpha", "0.05", "alpha must be strictly between 0 and 1; got '0.05'"),
        ("margin", -0.1, "margin must be a number above 0"),
        ("control", ["ALP"], "control must be the name of one algorithm"),
    ],
)
def test_errors_of_python_name_the_argument(option, value, message):
    with pytest.raises(occstats.errors.ArgumentError, match=f"^{message}"):
        occstats.compare("lenz2021", **{option: value})


def test_errors_of_python_name_keywords():
    with pytest.raises(occstats.errors.ResultsError, match="'bytes' cannot be read; pass a path"):
        occstats.compare(b"x")
    for value, hint in ((True, "pass lower_is_better=False"), (None, "leave it out")):
        with pytest.raises(TypeError, match=f"'higher_is_better'; {hint}"):
            occstats.compare("lenz2021", higher_is_better=value)


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
