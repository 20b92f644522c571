"""The runner: the same table whoever computes it, and rows with reasons where fits fail."""

import json

import pandas as pd
import pytest

from occstats import load_results
from occstats.errors import ArgumentError, DataError, ResultsError
from occstats.experiment import prepare, run_experiment
from occstats.experiment.store import KEY

TIMINGS = ["fit_seconds", "query_seconds"]


def scores(table):
    return table.drop(columns=TIMINGS)


def test_one_row_per_fit_with_all_that_belongs_to_it(toy):
    table = run_experiment(toy, descriptors=["NND", "ALP", "MD"], jobs=1)
    # 2 targets in each data set (the class of 3 rows is none) × 3 descriptors × 5 folds
    assert len(table) == 4 * 3 * 5
    assert not table.duplicated(KEY).any()
    assert (table["status"] == "ok").all()
    assert table["auroc"].between(0, 1).all()
    assert (table[TIMINGS] > 0).all().all()
    alp = table[(table["descriptor"] == "ALP") & (table["dataset"] == "toy")]
    # 12 targets: training parts of at least 9, so n' = 8 and k = min(round(5.5 log 8), 8) = 8
    assert {json.loads(p)["k"] for p in alp[alp["class"] == "c0"]["parameters"]} == {8}


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_number_of_workers_changes_nothing(toy, tmp_path, jobs):
    del toy["toy"]
    table = run_experiment(
        toy, descriptors=["NND", "LOF", "IF"], out=tmp_path / "r", jobs=jobs, seed=11
    )
    alone = run_experiment(toy, descriptors=["IF"], jobs=1, seed=11)
    forest = table[table["descriptor"] == "IF"].reset_index(drop=True)
    pd.testing.assert_frame_equal(scores(forest), scores(alone), check_exact=True)


def test_detectors_of_other_packages_are_seeded_too(one_target):
    origin = "sklearn.ensemble:IsolationForest"
    tables = [
        run_experiment(one_target, descriptors=[f"F={origin}"], jobs=1, seed=s) for s in (1, 1, 2)
    ]
    pd.testing.assert_frame_equal(scores(tables[0]), scores(tables[1]), check_exact=True)
    assert "random_state=" in tables[0]["parameters"][0]
    assert not tables[0]["parameters"].equals(tables[2]["parameters"])


def test_neighbours_shared_or_not_give_the_same_scores(toy):
    together = run_experiment(toy, descriptors=["NND", "LNND", "LOF", "ALP"], jobs=1)
    for name in ["NND", "LNND", "LOF", "ALP"]:
        alone = run_experiment(toy, descriptors=[name], jobs=1)
        mine = together[together["descriptor"] == name].reset_index(drop=True)
        pd.testing.assert_frame_equal(scores(mine), scores(alone), check_exact=True)


def test_shares_of_a_job_array_make_the_whole(toy_folder, tmp_path):
    whole = run_experiment(toy_folder, descriptors=["NND", "MD"], jobs=1)
    for index in [1, 2, 3]:
        table = run_experiment(
            toy_folder, descriptors=["NND", "MD"], out=tmp_path / "r", shard=(index, 3), jobs=1
        )
    pd.testing.assert_frame_equal(scores(table), scores(whole), check_exact=True)


def test_what_is_there_is_not_computed_again(toy_folder, tmp_path):
    out = tmp_path / "r"
    first = run_experiment(toy_folder, descriptors=["NND"], out=out, jobs=1)
    again = run_experiment(toy_folder, descriptors=["NND"], out=out, jobs=1)
    pd.testing.assert_frame_equal(first, again)  # timings included
    more = run_experiment(toy_folder, descriptors=["NND", "LOF"], out=out, jobs=1)
    kept = more[more["descriptor"] == "NND"].reset_index(drop=True)
    pd.testing.assert_frame_equal(first, kept)
    forced = run_experiment(toy_folder, descriptors=["NND"], out=out, jobs=1, force="all")
    pd.testing.assert_frame_equal(scores(first), scores(forced))
    assert not forced[TIMINGS].equals(first[TIMINGS])


def test_results_of_other_settings_are_not_mixed(toy_folder, tmp_path):
    out = tmp_path / "r"
    run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1)
    with pytest.raises(ResultsError, match="other data, code, parameters"):
        run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1, seed=3)
    run_experiment(toy_folder, descriptors=["MD"], out=out, jobs=1, seed=3, force="all")


def test_a_single_file_is_written_when_all_is_there(toy_folder, tmp_path):
    out = tmp_path / "results.parquet"
    table = run_experiment(toy_folder, descriptors=["NND", "MD"], out=out, jobs=1)
    pd.testing.assert_frame_equal(pd.read_parquet(out), table)
    assert load_results(out).algorithms == ["NND", "MD"]


def test_compare_takes_a_folder_as_it_is(toy_folder, tmp_path):
    out = tmp_path / "r"
    table = run_experiment(toy_folder, descriptors=["NND", "MD"], out=out, jobs=1)
    results = load_results(out)
    expected = table.groupby(["dataset", "class", "descriptor"])["auroc"].mean()
    assert results.scores.loc[("toy", "c1"), "MD"] == pytest.approx(expected["toy", "c1", "MD"])
    assert results.traits.loc[("toy", "c0"), "n"] == 12


def test_failures_are_rows_with_reasons(toy_folder, tmp_path):
    out = tmp_path / "r"
    table = run_experiment(
        toy_folder,
        descriptors=["misbehaving:Raising", "misbehaving:NotFinite", "misbehaving:Fine"],
        out=out,
        jobs=1,
    )
    reasons = table.groupby("descriptor")["error"].first()
    assert reasons["Raising"] == "ZeroDivisionError: no luck this time"
    assert reasons["NotFinite"].endswith("scores are not finite")
    assert (table[table["descriptor"] == "Fine"]["status"] == "ok").all()
    assert load_results(out).scores["Raising"].isna().all()


def test_a_fit_that_hangs_costs_its_rows_only(one_target):
    table = run_experiment(
        one_target, descriptors=["misbehaving:Hanging", "misbehaving:Fine"], timeout=3, jobs=1
    )
    by_name = table.groupby("descriptor")
    assert set(by_name.get_group("Hanging")["status"]) == {"timeout"}
    assert set(by_name.get_group("Hanging")["error"]) == {"took longer than 3 s"}
    assert set(by_name.get_group("Fine")["status"]) == {"ok"}


def test_a_fold_without_other_rows_has_no_auroc(tmp_path):
    rows = pd.DataFrame({"x": range(13), "class": ["a"] * 10 + ["b"] * 3})
    table = run_experiment({"few": rows}, descriptors=["NND"], jobs=1)
    undefined = table[table["status"] == "undefined"]
    assert len(undefined) == 2
    assert set(undefined["error"]) == {"the test part has no other rows"}
    assert undefined["auroc"].isna().all()


def test_missing_values_are_omitted_and_counted(toy):
    frame = toy["toy"].copy()
    frame.loc[[0, 5], "x"] = float("nan")
    table = run_experiment({"holes": frame}, descriptors=["MD"], jobs=1)
    assert set(table["omitted_rows"]) == {2}
    assert set(table[table["class"] == "c0"]["n"]) == {10}


def test_constant_columns_and_duplicate_rows_are_part_of_the_data():
    rows = pd.DataFrame({"x": [1.0] * 12, "y": [0.0, 1.0] * 6, "class": ["a", "b"] * 6})
    table = run_experiment({"dull": rows}, jobs=1, descriptors=["NND", "LNND", "LOF", "ALP", "MD"])
    assert (table["status"] == "ok").all()
    assert table["auroc"].notna().all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"descriptors": ["NDN"]}, "NDN"),
        ({"descriptors": ["NND", "NND"]}, "two descriptors are called 'NND'"),
        ({"descriptors": ["no.such.module:Class"]}, "no.such.module"),
        ({"datasets": ["x*"]}, r"no data set matches 'x\*'; there are digits, iris"),
        ({"timeout": 0}, "positive number of seconds"),
        ({"force": "some"}, "expected 'failed' or 'all'"),
    ],
)
def test_wrong_requests_are_refused_before_anything_runs(arguments, message):
    with pytest.raises((ArgumentError, DataError), match=message):
        run_experiment(**arguments)


def test_the_plan_is_the_same_every_time(toy_folder, tmp_path):
    plans = [
        prepare(toy_folder, out=tmp_path / str(i), descriptors=["NND", "MD"]).plan for i in (1, 2)
    ]
    assert [s.id for s in plans[0].shards] == [s.id for s in plans[1].shards]
    costs = [shard.cost for shard in plans[0].shards]
    assert costs == sorted(costs, reverse=True)
