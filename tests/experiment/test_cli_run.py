"""``occstats run`` and ``occstats datasets`` as a user types them."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
from occstats.experiment.store import Store


@pytest.fixture
def call():
    def run(*arguments):
        result = CliRunner().invoke(main, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def test_run_says_what_it_did_and_what_is_next(call, toy_folder, tmp_path):
    out = tmp_path / "r"
    arguments = ["run", "--data", toy_folder, "--descriptors", "NND,MD", "--out", out, "-j", 1]
    result = call(*arguments)
    assert result.exit_code == 0
    assert "4 tasks from 2 data sets, 2 descriptors: 40 of 40 fits are there." in result.stdout
    assert "fewer than five rows, not used as targets: toy 1." in result.stdout
    assert f"occstats compare {out}" in result.stdout
    compared = call("compare", out, "--json")
    assert compared.exit_code == 0
    assert json.loads(compared.stdout)["meta"]["tasks"] == 4


def test_dry_run_computes_nothing(call, toy_folder, tmp_path):
    out = tmp_path / "r"
    arguments = ["run", "--data", toy_folder, "--descriptors", "NND", "--out", out, "--dry-run"]
    result = call(*arguments)
    assert "4 tasks from 2 datasets × 1 descriptors × 5 folds = 20 fits; 20 are not done" in (
        result.stdout
    )
    assert not out.exists()
    assert json.loads(call(*arguments, "--json").stdout)["fits_remaining"] == 20


def test_failures_are_listed_and_the_exit_code_tells(call, toy_folder, tmp_path):
    out = tmp_path / "r"
    arguments = ["run", "--data", toy_folder, "--datasets", "toy", "--out", out, "-j", 1]
    result = call(*arguments, "--descriptors", "bad=misbehaving:Raising,MD")
    assert result.exit_code == 1
    assert "10 fits failed:" in result.stdout
    assert "bad on toy, class c0, fold 0: ZeroDivisionError: no luck this time" in result.stdout
    assert "--force failed" in result.stdout
    again = call(*arguments, "--descriptors", "bad=misbehaving:Raising,MD", "--json")
    assert again.exit_code == 1
    assert len(json.loads(again.stdout)["failures"]) == 10


def test_force_failed_tries_the_failures_again_and_nothing_else(call, toy_folder, tmp_path):
    out = tmp_path / "r"
    arguments = ["run", "--data", toy_folder, "--datasets", "toy", "--out", out, "-j", 1]
    arguments += ["--descriptors", "bad=misbehaving:Raising,MD"]
    call(*arguments)
    before = Store(out).read().set_index(["descriptor", "class", "fold"])
    call(*arguments, "--force", "failed")
    after = Store(out).read().set_index(["descriptor", "class", "fold"])
    assert len(after) == len(before) == 20
    kept = before.xs("MD")["fit_seconds"]
    pd.testing.assert_series_equal(after.xs("MD")["fit_seconds"].loc[kept.index], kept)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--data", "nowhere"], "nowhere: no such file or folder"),
        (["--descriptors", "NDN"], "NDN"),
        (["--descriptors", "nothing.here:At"], "nothing.here"),
        (["--datasets", "q*"], "no data set matches 'q*'"),
        (["--shard", "4/3"], "not I/N with 1 ≤ I ≤ N"),
        (["--seed", "x"], "expected an integer"),
        (["--timeout", "-1"], "timeout"),
        (["--parameters", "nowhere"], "nowhere"),
    ],
)
def test_wrong_input_is_one_line_and_code_2(call, tmp_path, arguments, message):
    result = call("run", *arguments, "--out", tmp_path / "r")
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 2
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "r").exists()


def test_output_that_is_a_file_is_refused(call, tmp_path):
    (tmp_path / "r").write_text("mine")
    result = call("run", "--datasets", "iris", "--descriptors", "MD", "--out", tmp_path / "r")
    assert result.exit_code == 2
    assert "exists and is no folder" in result.stderr
    assert (tmp_path / "r").read_text() == "mine"


def test_datasets_list_and_check(call, toy_folder):
    listed = call("datasets", "list")
    assert listed.exit_code == 0
    assert len(listed.stdout.splitlines()) == 51
    assert json.loads(call("datasets", "list", "--json").stdout)[1]["name"] == "avila"
    checked = call("datasets", "check", toy_folder)
    assert checked.exit_code == 0
    assert "50 missing, 2 unknown" in checked.stdout
    (toy_folder / "wine.csv").write_text("a,class\n1,1\n")
    checked = call("datasets", "check", toy_folder)
    assert checked.exit_code == 1
    assert "has 1 attributes, the paper's 13" in checked.stdout


def test_fetch_names_what_it_does_not_know(call):
    result = call("datasets", "fetch", "wins")
    assert result.exit_code == 2
    assert "did you mean 'wine'" in result.stderr
