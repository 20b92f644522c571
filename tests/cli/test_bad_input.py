"""Bad input to `occstats compare`: exit code 2, a message that helps, nothing written."""

import gzip
import json
import os
import pickle
import shlex
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main

FAST = ["--n-resamples", "100"]
GOOD = pd.DataFrame(
    {
        "dataset": ["x", "x", "y", "y", "z", "z"],
        "class": ["1", "2"] * 3,
        "p": [0.9, 0.8, 0.7, 0.9, 0.6, 0.8],
        "q": [0.8, 0.7, 0.7, 0.8, 0.7, 0.6],
    }
)


def compare(*arguments):
    return CliRunner().invoke(main, ["compare", *FAST, *map(str, arguments)])


def refused(*arguments):
    """The message of a refusal: one line, or several with the command to try."""
    result = compare(*arguments)
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    first, *others = lines = result.stderr.splitlines()
    assert first.startswith("Error: ")
    assert len(lines) <= 12
    assert not others or any(line.startswith("try: occstats compare ") for line in others)
    return " ".join(line.strip() for line in lines)


def answered(*arguments):
    result = compare(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    assert result.stderr == ""
    return result.stdout


@pytest.fixture
def csv(tmp_path):
    def write(frame, name="results.csv"):
        path = tmp_path / name
        frame.to_csv(path, index=False)
        return path

    return write


# What is not a results file


def test_missing_path_suggests_near_names(csv, tmp_path):
    csv(GOOD, "results_2024.csv")
    line = refused(tmp_path / "result_2024.csv")
    assert "results_2024.csv" in line
    assert "lenz2021" in refused("lenz2012")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty"),
        ("truncated.parquet", b"PAR1\x00\x00", ""),
        ("text.parquet", b"dataset,p,q\nx,0.1,0.2\n", ""),
        ("page.csv", b"<!DOCTYPE html><html><body>404</body></html>", "HTML"),
        ("pointer.parquet", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "LFS"),
        ("header.csv", b"dataset,class,p,q\n", "row"),
        ("twice.csv", b"dataset,p,p,q\nx,0.1,0.2,0.3\n", "'p'"),
    ],
)
def test_files_that_hold_no_results(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    line = refused(path)
    assert name in line
    assert said in line


def test_directory_without_results(tmp_path):
    (tmp_path / "note.txt").write_text("hello")
    assert tmp_path.name in refused(tmp_path)


class Bomb:
    def __reduce__(self):
        return (os.mkdir, ("opened-a-pickle",))


@pytest.mark.parametrize("name", ["results.pkl", "results.joblib", "results.csv"])
def test_pickles_are_refused_and_never_loaded(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(pickle.dumps(Bomb()))
    refused(name)
    assert not (tmp_path / "opened-a-pickle").exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_fifo_and_device_are_refused_without_reading(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    refused(tmp_path / "pipe.csv")
    refused("/dev/zero")


def test_flipped_byte_in_parquet_is_noticed(tmp_path):
    path = tmp_path / "results.parquet"
    occstats.load_results("lenz2021").write(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(bytes(content))
    assert "results.parquet" in refused(path)


def test_expansion_bomb_is_limited(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb") as stream:
        stream.write(b"dataset,class,p,q\n" + b"x,1,0.1,0.2\n" * 20_000)
    assert "bomb.csv.gz" in refused(path, "--max-rows", 1000)


# What is wrong inside


def test_missing_column_lists_found_and_expected(csv):
    line = refused(csv(GOOD), "--score", "auroc")
    assert "auroc" in line
    assert "'q'" in line


def test_duplicate_keys_are_shown(csv):
    line = refused(csv(pd.concat([GOOD, GOOD.head(1)])))
    assert "'x'" in line


def test_single_algorithm(csv):
    assert "'p'" in refused(csv(GOOD[["dataset", "class", "p"]]))
    assert "two" in refused("lenz2021", "--algorithms", "ALP")


@pytest.mark.parametrize("bad", ["inf", "-inf", "1.2", "85", "good", "0,85"])
def test_scores_that_are_no_scores(csv, bad):
    frame = GOOD.melt(["dataset", "class"], var_name="descriptor", value_name="auroc")
    frame["auroc"] = frame["auroc"].astype(object)
    frame.loc[3, "auroc"] = bad
    assert "auroc" in refused(csv(frame))


def test_missing_cells_are_refused_or_dropped_and_counted(csv):
    frame = GOOD.copy()
    frame.loc[2, "q"] = np.nan
    path = csv(frame)
    line = refused(path)
    assert "'y'" in line
    assert "complete" in line
    output = answered(path, "--missing", "complete")
    assert "1 of 6 tasks dropped" in output
    document = json.loads(answered(path, "--missing", "pairwise", "--json"))
    assert document["pairwise"][0]["n_tasks"] == 5


def test_mixed_metrics_are_refused(csv):
    frame = GOOD.melt(["dataset", "class"], var_name="model", value_name="value")
    frame["metric"] = ["auroc", "f1"] * (len(frame) // 2)
    assert "metric" in refused(csv(frame))


def test_a_loss_is_never_ranked_upside_down(csv):
    frame = GOOD.melt(["dataset", "class"], var_name="model", value_name="rmse")
    path = csv(frame)
    output = answered(path)
    assert "lower is better" in " ".join(output.split()).partition("results.csv: 2 ")[0]
    document = json.loads(answered(path, "--json"))
    assert document["meta"]["higher_is_better"] is False
    assert document["summary"][0]["algorithm"] == "q"
    document = json.loads(answered(path, "--higher-is-better", "--json"))
    assert document["summary"][0]["algorithm"] == "p"


def test_unequal_folds_are_missing_cells(csv):
    rows = [
        {"dataset": d, "class": "1", "model": m, "fold": f, "score": 0.5 + 0.1 * f}
        for d in "xyz"
        for m in "pq"
        for f in range(3)
        if not (d == "x" and m == "q" and f == 2)
    ]
    path = csv(pd.DataFrame(rows))
    refused(path)
    answered(path, "--unequal-folds", "common")


def test_a_clash_of_names_is_refused_or_renamed(csv):
    one = csv(GOOD, "one.csv")
    two = csv(GOOD, "two.csv")
    refused(one, two)
    document = json.loads(answered(one, two, "--on-clash", "rename", "--json"))
    assert len(document["meta"]["algorithms"]) == 4


def test_names_stay_text(csv):
    names = ["NA", "null", "None", "nan", "001", "1e5", "True"]
    frame = pd.DataFrame({"dataset": names, "p": np.linspace(0.5, 0.9, 7), "q": [0.5] * 7})
    comparison = occstats.compare(csv(frame), n_resamples=100)
    assert sorted(set(comparison.results.clusters)) == sorted(names)


def test_look_alike_names_are_noted(csv):
    frame = GOOD.assign(dataset=["Iris", "Iris", "iris ", "iris ", "z", "z"])
    assert "iris" in answered(csv(frame)).lower().split("note:", 1)[1]


def test_all_differences_zero_spill_no_warnings(csv):
    frame = GOOD.assign(q=GOOD["p"])
    path = csv(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        document = json.loads(answered(path, "--json"))
    assert [row["p"] for row in document["pairwise"]] == [1.0, 1.0]


def test_what_a_refusal_says_can_be_typed(csv, tmp_path, monkeypatch):
    """Paste the command; names with blanks, quotes and a leading dash are no hindrance."""
    monkeypatch.chdir(tmp_path)
    frame = GOOD.melt(["dataset", "class"], var_name="model", value_name="-log loss")
    frame = pd.concat([frame.assign(**{"it's": s}) for s in ("a b", "$x")], ignore_index=True)
    csv(frame.assign(mse=0.5), "my results.csv")
    line = refused("my results.csv")
    program, *arguments = shlex.split(line.split(" try: ", 1)[1])
    assert (program, arguments[0]) == ("occstats", "compare")
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("my results.csv read as: dataset = 'dataset' (3)")


def test_switches_are_named_as_they_are_typed(csv):
    frame = GOOD.melt(["dataset", "class"], var_name="model", value_name="objective")
    line = refused(csv(frame))
    assert "--lower-is-better True" not in line
    assert line.endswith(" --lower-is-better")


# Arguments


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--algorithms", "ALP,SVN"], "'SVM'"),
        (["--algorithms", "ALP,ALP"], "'ALP'"),
        (["--control", "alp"], "'ALP'"),
        (["--control", "ALP", "--family", "all"], "control"),
        (["--family", "control"], "control"),
        (["--family", "row"], "--correction holm"),
        (["--estimand", "mean", "--test", "ds"], "--estimand typical"),
        (["--estimand", "mean", "--null", "flips"], "--null bootstrap"),
        (["--test", "rlg"], "rgl"),
        (["--alpha", "5"], "alpha"),
        (["--alpha", "nan"], "alpha"),
        (["--tie-tolerance", "-1"], "--tie-tolerance"),
        (["--n-resamples", "3"], "--n-resamples"),
        (["--engine", "rscript", "--estimand", "mean"], "--engine native"),
        (["--colour"], "--colour"),
    ],
)
def test_arguments_that_cannot_be(arguments, said):
    assert said in refused("lenz2021", *arguments)


def test_no_results_at_all():
    result = CliRunner().invoke(main, ["compare"])
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1


def test_unknown_command_suggests():
    result = CliRunner().invoke(main, ["comapre"])
    assert result.exit_code == 2
    assert "did you mean 'compare'?" in result.stderr


def test_r_that_is_not_there_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("R_HOME", raising=False)
    line = refused("lenz2021", "--engine", "rscript")
    assert "native" in line


# Output


def test_out_that_is_a_file_is_refused(csv):
    path = csv(GOOD)
    before = path.read_bytes()
    assert "is a file" in refused(path, "--out", path)
    assert path.read_bytes() == before
    assert "is a file" in refused(path, "--out", path / "below")


@pytest.mark.parametrize("name", ["a" * 300, "nul\0l"])
def test_out_with_an_impossible_name_is_refused(csv, tmp_path, name):
    refused(csv(GOOD), "--out", tmp_path / name)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a folder nobody can write to")
def test_out_that_is_unwritable_is_refused(csv):
    refused(csv(GOOD), "--out", "/proc/report")


SMALL_FILES_ONLY = """
import resource, signal, sys
from occstats.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), -1))
main(sys.argv[2:])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_a_full_disk_leaves_the_old_report(csv, tmp_path):
    path, out = csv(GOOD), tmp_path / "report"
    answered(path, "--out", out)
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    frame = GOOD.assign(q=GOOD["q"] / 2)
    changed = csv(frame, "changed.csv")
    done = subprocess.run(
        [sys.executable, "-c", SMALL_FILES_ONLY, "4000", "compare", changed, "--out", out, *FAST],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "what was there before is untouched" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
    assert not list(out.glob("*.tmp"))
