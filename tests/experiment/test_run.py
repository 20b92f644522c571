"""The runner: the same table for any number of workers, and rows with reasons for failures."""

import json
import sys
import time

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.svm import OneClassSVM

from occstats import load_results, tune
from occstats.cli import main
from occstats.descriptors import MD, NND, ExternalDetector
from occstats.errors import ArgumentError, ResultsError
from occstats.experiment import prepare, run_experiment
from occstats.experiment.estimators import Recipe
from occstats.experiment.store import KEY, Store
from occstats.experiment.timing import measure_times

TIMINGS = ["fit_seconds", "query_seconds"]
CHECKING = "misbehaving:Checking"


def test_there_is_one_complete_row_per_fit(toy):
    started = time.perf_counter()
    table = run_experiment(toy, descriptors=["NND", "ALP", "MD"], jobs=1)
    elapsed = time.perf_counter() - started
    # 2 targets in each dataset (the class of 3 rows is too small) × 3 descriptors × 5 folds
    assert len(table) == 4 * 3 * 5
    assert not table.duplicated(KEY).any()
    by_precision = load_results(table, score="average_precision").scores
    of_task = table.query("dataset == 'toy' and `class` == 'c0' and descriptor == 'ALP'")
    mean = of_task["average_precision"].mean()
    assert by_precision.loc[("toy", "c0"), "ALP"] == pytest.approx(mean)
    # No fit takes longer than all of them.
    assert ((table[TIMINGS] > 0) & (table[TIMINGS] < elapsed)).all(axis=None)
    # 12 targets: training parts of at least 9, so n' = 8 and k = min(round(5.5 log 8), 8) = 8
    assert {json.loads(p)["k"] for p in of_task["parameters"]} == {8}


@pytest.mark.usefixtures("many_workers")
def test_scores_depend_neither_on_workers_nor_on_other_descriptors(toy, scores):
    toy.pop("toy")
    names = ["NND", "LNND", "LOF", "ALP"]
    together = run_experiment(toy, descriptors=names, jobs=2, seed=11)
    for name in names:
        alone = run_experiment(toy, descriptors=[name], jobs=1, seed=11)
        mine = together[together["descriptor"] == name]
        pd.testing.assert_frame_equal(scores(mine), scores(alone), check_exact=True)


@pytest.mark.usefixtures("in_process")
def test_run_sweep_and_timing_seed_an_estimator_alike(one_target):
    swept = {}
    for seed in ("pinned:0", "pinned:1", "3"):
        grids = {"share": [0.1]}
        swept[seed] = tune(one_target, descriptors=[CHECKING], grids=grids, seed=seed, jobs=1).rows
        assert set(swept[seed]["status"]) == {"ok"}  # with a seed and one thread
        parameters = {"Checking": {"one": {"share": 0.1}}}
        alone = run_experiment(
            one_target, descriptors=[CHECKING], parameters=parameters, seed=seed, jobs=1
        )
        swept[seed] = swept[seed].set_index("fold")["auroc"].sort_index()
        assert alone.set_index("fold")["auroc"].sort_index().equals(swept[seed])
    assert not swept["pinned:0"].equals(swept["pinned:1"])
    table = measure_times(descriptors=[CHECKING], sizes=[64], n_samples=1, n_queries=8, seed=5)
    assert table["error"].tolist() == [None]


@pytest.mark.usefixtures("in_process")
def test_the_seed_reaches_estimators_inside_a_wrapper(one_target, scores):
    recipes = [Recipe("F", "sklearn.ensemble:IsolationForest", {"n_estimators": 2})]
    tables = [run_experiment(one_target, descriptors=recipes, jobs=1, seed=s) for s in (1, 1, 2)]
    pd.testing.assert_frame_equal(scores(tables[0]), scores(tables[1]), check_exact=True)
    assert "random_state=" in tables[0]["parameters"][0]
    assert not tables[0]["parameters"].equals(tables[2]["parameters"])


def test_numbers_of_numpy_are_written_and_printed_as_numbers(one_target):
    grids = {"k": np.arange(1, 3)}
    swept = tune(one_target, descriptors=["NND"], metrics=["manhattan"], grids=grids, jobs=1)
    assert set(swept.rows["parameters"]) == {'{"k": 1}', '{"k": 2}'}
    with pytest.raises(ArgumentError, match=r"positive integers, got 1\.5$"):
        tune(one_target, descriptors=["NND"], grids={"k": [np.float64(1.5)]})
    with pytest.raises(ArgumentError, match=r"^timeout must be a number above 0; got -1\.0$"):
        run_experiment(one_target, timeout=np.float64(-1.0))
    recipes = [Recipe("NND", "NND", {"k": np.int64(2)})]
    table = run_experiment(one_target, descriptors=recipes, jobs=1)
    assert not table["parameters"].str.contains("np.").any()


def test_shares_of_a_job_array_make_the_whole(toy_folder, tmp_path, scores):
    whole = run_experiment(toy_folder, descriptors=["MD", "other=MD"], jobs=1)
    for index in [1, 2, 3]:
        table = run_experiment(
            toy_folder, descriptors=["MD", "other=MD"], out=tmp_path / "r", shard=(index, 3), jobs=1
        )
    pd.testing.assert_frame_equal(scores(table), scores(whole), check_exact=True)


def test_the_results_can_be_compared(toy_folder, tmp_path):
    file, folder = tmp_path / "results.parquet", tmp_path / "r"
    descriptors = ["MD", "other=MD"]
    table = run_experiment(toy_folder, descriptors=descriptors, out=file, jobs=1)
    pd.testing.assert_frame_equal(pd.read_parquet(file), table)
    run_experiment(toy_folder, descriptors=descriptors, out=file, jobs=1)  # its own file
    run_experiment(toy_folder, descriptors=descriptors, out=folder, jobs=1)
    expected = table.groupby(["dataset", "class", "descriptor"])["auroc"].mean()
    for out in (file, folder):
        results = load_results(out)
        assert results.algorithms == ["MD", "other"]
        assert results.scores.loc[("toy", "c1"), "MD"] == pytest.approx(expected["toy", "c1", "MD"])
        assert results.traits.loc[("toy", "c0"), "n"] == 12


def test_paths_may_come_from_an_iterator(toy_folder):
    assert len(run_experiment(toy_folder.glob("*"), descriptors=["MD"], jobs=1))


def test_odd_data():
    few = pd.DataFrame({"x": range(13), "class": ["a"] * 10 + ["b"] * 3})
    holes = pd.DataFrame({"x": [None, 1, 2, 3, 4, 5, 6, 7], "class": ["a"] * 6 + ["b"] * 2})
    dull = pd.DataFrame({"x": [1.0] * 12, "y": [0.0, 1.0] * 6, "class": ["a", "b"] * 6})
    frames = {"few": few, "holes": holes, "dull": dull}
    table = run_experiment(frames, descriptors=["NND", "LNND", "LOF", "ALP", "MD"], jobs=1)
    # Folds without other rows have no AUROC.
    undefined = table[table["status"] == "undefined"]
    assert undefined.groupby("dataset")["fold"].nunique().to_dict() == {"few": 2, "holes": 3}
    assert set(undefined["error"]) == {"the test part has no other rows"}
    assert undefined["auroc"].isna().all()
    # Rows with missing values are omitted and counted.
    assert table.groupby("dataset")["omitted_rows"].first()["holes"] == 1
    assert set(table[table["dataset"] == "holes"]["n"]) == {5}
    # Constant columns and duplicate rows are part of the data.
    assert (table[table["dataset"] == "dull"]["status"] == "ok").all()


def test_the_plan_is_deterministic(toy_folder, tmp_path):
    plans = [
        prepare(toy_folder, out=tmp_path / str(i), descriptors=["NND", "MD"]).plan for i in (1, 2)
    ]
    assert [s.id for s in plans[0].shards] == [s.id for s in plans[1].shards]
    costs = [shard.cost for shard in plans[0].shards]
    assert costs == sorted(costs, reverse=True)


# --- the command


def call(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.mark.usefixtures("in_process")
def test_the_command_lists_failures_and_retries_them(toy_folder, tmp_path):
    out = tmp_path / "r"
    arguments = ["run", "--data", toy_folder, "--datasets", "toy", "--out", out, "-j", 1]
    arguments += ["--descriptors", "bad=misbehaving:Misbehaving,MD"]
    result = call(*arguments)
    assert result.exit_code == 1
    assert "10 fits failed:\n  bad on toy, class c0, fold 0 and 9 others: ZeroDiv" in result.stdout
    assert "--force failed" in result.stdout
    assert load_results(out).scores["bad"].isna().all()
    before = Store(out).read().set_index(["descriptor", "class", "fold"])
    again = call(*arguments, "--json", "--force", "failed")
    assert again.exit_code == 1
    assert len(json.loads(again.stdout)["failures"]) == 10
    after = Store(out).read().set_index(["descriptor", "class", "fold"])
    assert len(after) == len(before) == 20
    kept = before.xs("MD")["fit_seconds"]
    pd.testing.assert_series_equal(after.xs("MD")["fit_seconds"].loc[kept.index], kept)


@pytest.mark.usefixtures("in_process")
def test_a_run_without_any_score_is_not_compared(toy_folder, tmp_path):
    bad = [f"{name}=misbehaving:Misbehaving" for name in ("bad", "worse")]
    out = tmp_path / "r"
    run_experiment(toy_folder, datasets="toy", descriptors=bad, out=out, jobs=1)
    with pytest.raises(ResultsError, match="auroc is empty: 20 of 20 fits failed"):
        load_results(out)


@pytest.mark.parametrize(
    "wrong",
    [
        {"datasets": []},
        {"datasets": 5},
        {"shard": "1/3"},
        {"out": ""},
        {"parameters": {"MD": {"k": 3}}},
        {"data": {"a": np.ones((6, 2))}},
    ],
)
def test_wrong_arguments_are_named(wrong):
    with pytest.raises(ArgumentError, match=rf"^{next(iter(wrong))}\b"):
        run_experiment(**{"datasets": ["iris"], "descriptors": ["MD"], "jobs": 1} | wrong)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["--memory", "0.1"],
            "0.1 GB of memory are not enough for a worker; try --memory 0.5",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="limits memory on Linux"),
        ),
        (["--scheduler", "tcp://127.0.0.1:9"], "no scheduler answers at tcp://127.0.0.1:9"),
        (["--scheduler", "tls://127.0.0.1:9"], "tls needs certificates: set DASK_DISTRIBUTED__"),
    ],
)
def test_limits_and_schedulers_are_checked(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = call("run", "--datasets", "iris", "--descriptors", "MD", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 2


@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize(
    ("descriptors", "names"),
    [
        ("md", ["MD"]),
        (NND, ["NND"]),
        ([NND(k=2), MD(), OneClassSVM()], ["NND", "MD", "OneClassSVM"]),
        ({"two": NND(k=2), "mine": OneClassSVM}, ["two", "mine"]),
        (ExternalDetector(detector=OneClassSVM(), orientation="normal"), ["ExternalDetector"]),
    ],
)
def test_descriptors_may_be_names_classes_and_estimators(one_target, descriptors, names):
    table = run_experiment(one_target, descriptors=descriptors, jobs=1)
    assert list(dict.fromkeys(table["descriptor"])) == names
    assert set(table["status"]) == {"ok"}
    by_name = dict(zip(table["descriptor"], table["parameters"].map(json.loads), strict=True))
    assert {by_name[name]["k"] for name in names if name in {"two", "NND"}} <= {1, 2}
    assert by_name.get("two", {"k": 2})["k"] == 2


def test_datasets_are_listed_and_checked(toy_folder):
    assert json.loads(call("datasets", "list", "--json").stdout)[1]["name"] == "avila"
    checked = call("datasets", "check", toy_folder)
    assert checked.exit_code == 0
    assert "50 missing, 2 unknown" in checked.stdout
    (toy_folder / "wine.csv").write_text("a,class\n1,1\n")
    checked = call("datasets", "check", toy_folder)
    assert checked.exit_code == 1
    assert "has 1 attributes, the paper's 13" in checked.stdout
