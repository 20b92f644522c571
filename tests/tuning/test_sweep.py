"""Sweeps from end to end: resumed, divided into shares, refitted, and used by a run."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main
from occstats.errors import DataError, ResultsError
from occstats.experiment import Recipe, run_experiment
from occstats.experiment.tasks import size_for_task
from occstats.tuning import leave_one_out_parameters, prepare_sweep, read_sweep, tune

TASK = ["dataset", "class", "descriptor", "fold"]
SMALL = {"descriptors": ["NND", "LOF", "ALP"], "metrics": ["manhattan"], "jobs": 1}
# Refits of third-party estimators run in this process, where their isolation is not the point.
IN_PROCESS = "occstats.experiment.plan._third_party_name"


@pytest.fixture(scope="module")
def frames():
    rng = np.random.default_rng(8)
    found = {}
    for name, sizes in {"one": [14, 9], "two": [8, 8], "three": [30, 20]}.items():
        labels = np.repeat([f"c{i}" for i in range(len(sizes))], sizes)
        X = rng.normal(size=(len(labels), 2)) + np.repeat(np.arange(len(sizes)), sizes)[:, None]
        found[name] = pd.DataFrame(X, columns=list("xy")).assign(**{"class": labels})
    return found


@pytest.fixture(scope="module")
def folder(frames, tmp_path_factory):
    data = tmp_path_factory.mktemp("data")
    for name, frame in frames.items():
        frame.to_csv(data / f"{name}.csv", index=False)
    return data


@pytest.fixture(scope="module")
def swept(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("sweep") / "s"
    return out, tune(folder, out=out, **SMALL)


def invoke(*arguments):
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return result.exit_code, result.output, result.stderr


def sorted_rows(rows):
    return rows.sort_values([*TASK, "parameters"], ignore_index=True)


def test_one_row_per_task_fold_and_distinct_value(swept):
    _, sweep = swept
    rows = sweep.rows
    assert not rows.duplicated([*TASK, "parameters"]).any()
    assert (rows["status"] == "ok").all()
    # 8 targets: training parts of 6, so 1 to 5 neighbours
    nnd = rows[(rows["dataset"] == "two") & (rows["descriptor"] == "NND")]
    assert set(nnd["parameters"]) == {f'{{"k": {k}}}' for k in range(1, 6)}
    alp = rows[(rows["dataset"] == "two") & (rows["descriptor"] == "ALP")]
    assert len(alp) == 2 * 5 * 25
    assert [grid.means.shape for grid in sweep.grids] == [(3, 40), (3, 1000), (3, 100, 100)]


def test_the_results_agree_with_a_run_with_the_chosen_parameters(swept, folder):
    out, sweep = swept
    parameters = leave_one_out_parameters(out)
    table = run_experiment(folder, descriptors=SMALL["descriptors"], parameters=parameters, jobs=1)
    joined = table.merge(sweep.results, on=TASK, suffixes=("", "_swept"), validate="1:1")
    assert len(joined) == len(table) == len(sweep.results) == 6 * 3 * 5
    np.testing.assert_allclose(joined["auroc"], joined["auroc_swept"], atol=1e-12)
    for used, chosen in zip(joined["parameters"], joined["parameters_swept"], strict=True):
        assert json.loads(used).items() >= json.loads(chosen).items()


def test_a_sweep_is_resumed(swept, folder, tmp_path):
    _, whole = swept
    out = tmp_path / "s"
    for index in (2, 1):
        tune(folder, out=out, shard=(index, 2), **SMALL)
    np.testing.assert_array_equal(
        sorted_rows(read_sweep(out).rows)["auroc"], sorted_rows(whole.rows)["auroc"]
    )
    experiment = prepare_sweep(
        folder, out=out, descriptors=["NND", "LOF", "ALP"], metrics=["manhattan"]
    )
    assert not experiment.remaining().shards
    lost = sorted(experiment.store.shard_ids())[0]
    experiment.store.path_of(lost).unlink()
    assert experiment.remaining().shards
    again = tune(folder, out=out, **SMALL)
    pd.testing.assert_frame_equal(sorted_rows(again.rows), sorted_rows(whole.rows))


def test_only_finished_datasets_of_an_unfinished_sweep_count(folder, tmp_path):
    out = tmp_path / "s"
    options = {"descriptors": ["NND"], "metrics": ["manhattan"]}
    experiment = prepare_sweep(folder, out=out, **options)
    experiment.begin()
    with pytest.raises(ResultsError, match="no dataset is finished yet"):
        read_sweep(out)
    tune(folder, out=out, datasets=["two", "three"], jobs=1, **options)
    rows = experiment.store.read()
    lost = rows[(rows["dataset"] == "three") & (rows["fold"] == 4)].index
    for shard_id in experiment.store.shard_ids():
        experiment.store.path_of(shard_id).unlink()
    experiment.store.write("kept", rows.drop(index=lost), {})
    sweep = read_sweep(out)
    assert sweep.grids[0].datasets == ["two"]
    assert sweep.notes == ("NND: swept on 1 of 2 datasets; missing three.",)


def test_descriptors_can_be_added_to_a_sweep(folder, tmp_path):
    grid = {"k": [1, 2]}
    out = {"out": tmp_path / "s", "datasets": ["one", "two"], "jobs": 1}
    tune(folder, descriptors=["NND"], grids=grid, **out)
    sweep = tune(folder, descriptors=["LNND"], grids=grid, **out)
    names = [grid.recipe.name for grid in sweep.grids]
    assert names == ["NND", "NND (euclidean)", "LNND", "LNND (euclidean)"]
    assert list(sweep.results_by_metric) == [None, "euclidean"]
    with pytest.raises(ResultsError, match="other data, code, parameters, grids or seed"):
        tune(folder, descriptors=["NND"], grids={"k": [1, 3]}, **out)


def test_any_estimator_can_be_refitted(frames, monkeypatch):
    monkeypatch.setattr(IN_PROCESS, lambda unit: "")
    sweep = tune(
        {"one": frames["one"], "two": frames["two"]},
        descriptors=["machine=sklearn.svm:OneClassSVM"],
        grids={"nu": [0.2, 0.5], "kernel": ["rbf", "linear"]},
        jobs=1,
    )
    assert sweep.grids[0].means.shape == (2, 2, 2)
    assert sweep.defaults["hyperparameter"].tolist() == ["nu", "kernel"]
    assert sweep.curves.empty  # no numeric axis
    assert set(sweep.results["descriptor"]) == {"machine"}


def test_a_sweep_keeps_the_parameters_of_a_recipe(frames):
    data = {"one": frames["one"]}
    swept = [
        tune(data, descriptors=[Recipe("NND", "NND", given)], metrics=["manhattan"], jobs=1,
             grids={"k": [1, 2]})
        for given in ({}, {"contamination": 0.2}, {"metric": "euclidean"})
    ]  # fmt: skip
    recipes = [sweep.grids[0].recipe for sweep in swept]
    assert [recipe.parameters for recipe in recipes] == [{}, {"contamination": 0.2}, {}]
    assert len({recipe.fingerprint("one") for recipe in recipes}) == 2
    assert swept[0].rows["auroc"].equals(swept[1].rows["auroc"])  # refitted with the same k


def test_failed_fits_are_reported_retried_and_never_chosen(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(IN_PROCESS, lambda unit: "")
    options = ["--descriptors", "sklearn.svm:OneClassSVM", "--out", tmp_path / "s", "-j", 1]
    data = ["--data", folder, "--datasets", "one,two", "--grid"]
    code, output, _ = invoke("tune", *options, *data, "nu=0.5,7")
    assert code == 1
    assert "20 fits failed" in output
    assert read_sweep(tmp_path / "s").defaults["optimum"].tolist() == [0.5]
    code, _, errors = invoke("tune", *options, *data, "nu=0.5,0.9", "--force", "failed")
    assert code == 2
    assert "other data, code, parameters, grids or seed" in errors
    # A failure that is retried leaves no partial fold behind.
    code, _, _ = invoke("tune", *options, *data, "nu=0.5,7", "--force", "failed")
    assert code == 1
    assert len(read_sweep(tmp_path / "s").rows) == 2 * 2 * 5 * 2
    code, _, errors = invoke("tune", *options, *data, "nu=7", "--force", "all")
    assert code == 2
    assert "all fits failed or exceeded their time" in errors


@pytest.mark.skipif("OCCSTATS_DATA" not in os.environ, reason="OCCSTATS_DATA is not set")
def test_scores_at_the_papers_choice_agree_to_the_printed_digits():
    sweep = tune(
        os.environ["OCCSTATS_DATA"],
        datasets=["sonar", "leaf"],
        descriptors=["NND", "LNND"],
        metrics=["manhattan"],
        jobs=1,
    )
    means = sweep.rows.groupby([*TASK[:3], "parameters"])["auroc"].mean()
    # The paper's table: sonar, NND, with k = 6 chosen on the other datasets.
    assert means["sonar", "M", "NND", '{"k": 6}'] == pytest.approx(0.573, abs=5.1e-4)
    assert means["sonar", "R", "NND", '{"k": 6}'] == pytest.approx(0.680, abs=5.1e-4)
    paper = occstats.load_results("lenz2021").scores["LNND"]
    leaf = sweep.rows[(sweep.rows["descriptor"] == "LNND") & (sweep.rows["dataset"] == "leaf")]
    for target, n in leaf.groupby("class")["n"].first().items():
        chosen = f'{{"k": {size_for_task(3.27, int(n))}}}'
        assert means["leaf", target, "LNND", chosen] == pytest.approx(
            paper["leaf", target], abs=5.1e-4
        )


def test_folds_without_targets_or_others_are_ignored():
    lone = pd.DataFrame({"x": range(12), "class": ["a"] * 10 + ["b"] * 2})
    sweep = tune({"lone": lone}, descriptors=["NND"], metrics=["manhattan"], jobs=1)
    status = sweep.rows.drop_duplicates("fold").set_index("fold")["status"]
    assert sorted(status) == ["ok"] * 2 + ["undefined"] * 3
    assert np.isfinite(sweep.grids[0].means).all()
    assert sweep.results.empty  # no other datasets to choose on


def test_the_command_writes_tables_figures_choices_and_results(folder, tmp_path):
    out = tmp_path / "s"
    code, output, _ = invoke(
        "tune", "--data", folder, "--descriptors", "NND,LNND", "--metric", "manhattan",
        "--grid", "LNND.a=0.5:4:0.5", "--window", "LNND.a=3", "--out", out, "-j", 1,
        "--format", "svg",
    )  # fmt: skip
    assert code == 0, output
    assert "Optimal default hyperparameters" in output
    found = {path.name for path in out.iterdir()}
    assert found == {
        "defaults.csv", "defaults.tex", "leave_one_dataset_out.csv", "shards",
        "sweep.json", "sweep.svg", "tuning.json", "curves.csv", "results.csv",
        ".occstats-manifest.json",
    }  # fmt: skip
    for path in out.glob("*.csv"):
        assert not any(name.startswith("Unnamed") for name in pd.read_csv(path)), path
    document = json.loads((out / "tuning.json").read_text())
    assert set(document["leave_one_dataset_out"]["LNND"]) == {"one", "two", "three"}
    results = occstats.load_results(out / "results.csv")
    assert results.algorithms == ["NND", "LNND"]
    assert results.n_tasks == 6


def test_the_last_part_of_a_job_array_writes_the_tables(folder, tmp_path):
    out = tmp_path / "s"
    options = ["tune", "--data", folder, "--descriptors", "NND", "--grid", "k=1,2", "--out", out]
    for part in ("2/2", "1/2"):
        assert not (out / "defaults.csv").exists()
        code, _, errors = invoke(*options, "--shard", part, "-j", 1, "--format", "none")
        assert code == 0
        assert ("the last part writes the tables" in " ".join(errors.split())) is (part == "2/2")
    assert (out / "defaults.csv").exists()


def test_a_folder_without_a_sweep_is_refused(tmp_path, folder):
    with pytest.raises(ResultsError, match="contains no sweep"):
        leave_one_out_parameters(tmp_path)
    (tmp_path / "sweep.json").write_text('{"tasks": {}, "recipes": [{"axes": 3}]}')
    with pytest.raises(ResultsError, match="not the description of a sweep"):
        read_sweep(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="is a file, not a folder"):
        prepare_sweep(folder, out=tmp_path / "file")


def test_leaving_a_dataset_out_needs_two(frames, tmp_path):
    options = {"descriptors": ["NND"], "metrics": ["manhattan"], "jobs": 1}
    tune({"one": frames["one"]}, out=tmp_path / "s", **options)
    with pytest.raises(ResultsError, match="needs a sweep of at least two"):
        leave_one_out_parameters(tmp_path / "s")
