"""Tables are read by convention, as told, or not at all: the contract and its rules."""

import numpy as np
import pandas as pd
import pytest

from occstats.errors import ResultsError
from occstats.results import load_results
from occstats.results.ask import UnclearTableError

DATASETS = [f"d{i}" for i in range(6)]


def wide(first="dataset", **columns):
    """Return a wide table of three algorithms on six datasets, with further columns."""
    rng = np.random.default_rng(0)
    scores = {name: rng.uniform(0.6, 0.9, 6).round(4) for name in ("SVM", "LOF", "IF")}
    return pd.DataFrame({first: DATASETS, **scores, **columns})


def long(algorithm="model", dataset="dataset", score="accuracy", **columns):
    frame = wide().melt("dataset", var_name=algorithm, value_name=score)
    return frame.rename(columns={"dataset": dataset}).assign(**columns)


def reading(results):
    return len(results.algorithms), results.n_tasks, results.n_clusters, results.higher_is_better


def unclear(frame, **options):
    with pytest.raises(UnclearTableError) as caught:
        load_results(frame, **options)
    return caught.value


@pytest.mark.parametrize("algorithm", ["algorithm", "Classifier Name", "method_id", "solver"])
@pytest.mark.parametrize(
    "dataset", ["dataset", "DATASET-NAME", "data_name", "task", "env_id", "file"]
)
@pytest.mark.parametrize(
    ("score", "higher"),
    [("AUC", True), ("test_accuracy", True), ("mcc", True), ("rmse", False), ("WER", False)],
)
def test_long_tables_of_listed_names_are_read(algorithm, dataset, score, higher):
    table = load_results(long(algorithm, dataset, score))
    assert reading(table) == (3, 6, 6, higher)
    assert table.scores.loc[("d0", "d0"), "SVM"] == wide()["SVM"][0]


@pytest.mark.parametrize("name", ["models", "system", "name", "approach"])
def test_other_names_of_algorithms_are_asked(name):
    error = unclear(long(name, score="score"))
    assert error.template["algorithm" if "algorithm" in error.template else "ignore"]


@pytest.mark.parametrize(
    "score", ["score", "result", "value", "loss", "error", "map", "ap", "train_accuracy", "points"]
)
def test_scores_of_unlisted_names_are_asked(score):
    error = unclear(long(score=score))
    assert error.template.get("lower_is_better") or error.template.get("score")
    told = load_results(long(score=score), score=score, lower_is_better=False)
    assert reading(told) == (3, 6, 6, True)


@pytest.mark.parametrize("column", ["n_samples", "fit_time", "accuracy_std", "#Features", "index"])
def test_listed_columns_beside_the_score_do_not_matter(column):
    table = load_results(long(**{column: np.arange(18) / 7}))
    assert reading(table) == (3, 6, 6, True)


@pytest.mark.parametrize("column", ["f1", "params", "epoch", "depth"])
def test_another_number_beside_the_score_is_asked(column):
    error = unclear(long(**{column: np.arange(18) / 7}))
    assert "score" in error.template
    table = load_results(long(**{column: np.arange(18) / 7}), score="accuracy")
    assert reading(table) == (3, 6, 6, True)


def test_a_time_is_the_score_only_alone():
    assert reading(load_results(long(score="fit_time"))) == (3, 6, 6, False)


def test_the_first_line_says_what_is_not_used():
    (line,) = load_results(long(commit="abc", score="val_f1")).read_as
    assert line.endswith("higher is better; not used: 'commit'")
    assert "on validation data" in line


def test_columns_of_our_own_runs_are_not_called_unused():
    frame = long("descriptor").assign(
        **{"class": "1", "version": "2", "fit_seconds": 0.5, "x": "y"}
    )
    assert load_results(frame, score="accuracy").read_as[0].endswith("not used: 'x'")


def test_wide_tables_need_a_direction():
    error = unclear(wide())
    assert error.template == {"lower_is_better": "True|False"}
    assert "lower_is_better=True or False" in str(error)
    assert reading(load_results(wide(), lower_is_better=True)) == (3, 6, 6, False)
    assert reading(load_results(wide(), score_name="auc")) == (3, 6, 6, True)


@pytest.mark.parametrize(
    ("file", "higher"),
    [("table_AUC_ROC.csv", True), ("rmse.csv", False), ("acc_rmse.csv", None), ("roc.csv", None)],
)
def test_a_measure_in_the_name_of_the_file_gives_the_direction(tmp_path, file, higher):
    wide().to_csv(tmp_path / file, index=False)
    if higher is None:
        unclear(tmp_path / file)
    else:
        assert load_results(tmp_path / file).higher_is_better is higher


def test_a_measure_in_all_columns_gives_the_direction():
    frame = wide().rename(columns=lambda c: c if c == "dataset" else f"{c} acc")
    assert reading(load_results(frame)) == (3, 6, 6, True)
    both = load_results(frame, algorithm_from="(.*) acc", lower_is_better=False)
    assert both.algorithms == ["SVM", "LOF", "IF"]


def test_leaderboards():
    board = wide("model").rename(columns={"SVM": "iris", "LOF": "wine", "IF": "glass"})
    table = load_results(board, transpose=True, lower_is_better=False)
    assert load_results(board, score_name="auc").scores.equals(table.scores)
    assert reading(table) == (6, 3, 3, True)
    assert table.scores.loc[("iris", "iris"), "d0"] == wide()["SVM"][0]
    chosen = load_results(board, task=["iris", "wine"], lower_is_better=False)
    assert reading(chosen) == (6, 2, 2, True)
    unnamed = board.rename(columns={"model": "Entry"})
    assert "dataset" in unclear(unnamed).template
    told = load_results(unnamed, transpose=True, algorithm="Entry", lower_is_better=False)
    assert reading(told) == (6, 3, 3, True)


def test_percentages_are_a_scale_of_their_own():
    percent = wide()[["SVM", "LOF", "IF"]] * 100
    assert reading(load_results(wide().assign(**percent), score_name="acc"))[3]
    mixed = wide().assign(SVM=percent["SVM"])
    assert "0 … 1 or 0 … 100" in str(unclear(mixed, score_name="acc"))
    for values in (-0.1, 101):
        assert "but the values" in str(unclear(long(accuracy=np.linspace(0, values, 18))))


# -- rules -----------------------------------------------------------------------------------------

SUSPECTS = {
    "Unnamed: 3": np.arange(6) * 1.0 + 3,
    "run_id": [7, 3, 5, 9, 1, 4],
    "params (M)": [1.5, 2.5, 3.5, 4.5, 5.5, 6.5],
    "Average": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "p-value": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "AVG_eu": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "All of it": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "P@N": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "ROC": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "SVM (standard deviation)": [0.05, 0.06, 0.07, 0.08, 0.09, 0.065],
    "SVM (std)": [0.05, 0.06, 0.07, 0.08, 0.09, 0.065],
    "SVM variance": [0.05, 0.06, 0.07, 0.08, 0.09, 0.065],
    "VBS": [0.95, 0.96, 0.97, 0.98, 0.99, 0.96],
    "Avg. over tasks": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "whole": [3, 5, 7, 20, 40, 1000],
    "flag": [0, 1, 1, 0, 1, 0],
    "constant": [0.5] * 6,
    "rows": [1, 2, 3, 4, 5, 6],
    "SVM_std": [0.05, 0.06, 0.07, 0.08, 0.09, 0.065],
    "SVM test": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "SVM time": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "accuracy": [0.5, 0.6, 0.7, 0.8, 0.9, 0.65],
    "Outlier Perc": [0.5, 0.6, 0.7, 30.8, 0.9, 0.65],
    "text": list("abcdef"),
}


@pytest.mark.parametrize("name", SUSPECTS)
@pytest.mark.parametrize("key", ["dataset", "model"])
def test_doubtful_columns_are_asked_and_left_out_as_told(name, key):
    """Neither a direction nor the proposed options make such a column an algorithm or a task."""
    frame = wide(key, **{name: SUSPECTS[name]})
    error = unclear(frame, lower_is_better=False)
    assert repr(name) in str(error)
    if error.retry:
        assert name not in load_results(frame, lower_is_better=False, **error.retry).algorithms
    table = load_results(frame, lower_is_better=False, ignore=[name], transpose=key == "model")
    assert reading(table) == ((3, 6, 6, True) if key == "dataset" else (6, 3, 3, True))
    assert "not used: " in table.read_as[0]


def test_what_is_told_is_not_second_guessed():
    frame = wide(constant=0.5, rank=[1, 2, 3, 4, 5, 6])
    table = load_results(frame, algorithms=["SVM", "constant", "rank"], lower_is_better=False)
    assert table.algorithms == ["SVM", "constant", "rank"]


def test_names_of_methods_are_no_summaries():
    frame = long().replace({"model": {"SVM": "sbs", "LOF": "Simple Average", "IF": "Mean Shift"}})
    assert load_results(frame).algorithms == ["sbs", "Simple Average", "Mean Shift"]
    told = unclear(frame.replace("sbs", "Oracle"), algorithm="model")
    assert not told.retry
    assert "unless you name it among all with algorithms=…" in str(told)
    beauty = long().replace({"dataset": {"d0": "All_Beauty"}})
    assert reading(load_results(beauty)) == (3, 6, 6, True)


def test_means_beside_their_spreads_are_the_scores():
    frame = wide().rename(columns={"SVM": "A (mean)", "LOF": "A (std)", "IF": "B (mean)"})
    error = unclear(frame, lower_is_better=False)
    assert "'A (std)' may not be an algorithm" in str(error)
    assert "(mean)" not in error.problem.split("\n")[0]
    table = load_results(frame, lower_is_better=False, ignore="A (std)")
    assert table.algorithms == ["A (mean)", "B (mean)"]


def test_measures_whose_direction_is_not_listed_are_no_algorithms():
    frame = wide().rename(columns={"SVM": "ROC", "LOF": "AP", "IF": "P@N"})
    error = unclear(frame)
    assert "'ROC', 'AP', 'P@N' are measures, not algorithms" in str(error)
    assert "algorithms" not in error.template


def test_a_doubtful_column_beside_traits_can_be_left_out():
    frame = wide(**{"#Samples": range(10, 16), "Outlier Perc": SUSPECTS["Outlier Perc"]})
    error = unclear(frame, lower_is_better=False)
    assert error.template["ignore"] == ["COLUMN"]
    for told in ({"ignore": "Outlier Perc"}, {"traits": "Outlier Perc"}):
        table = load_results(frame, lower_is_better=False, **told)
        assert table.algorithms == ["SVM", "LOF", "IF"]


def test_combinations_of_other_columns_are_no_algorithms():
    scores = wide()[["SVM", "LOF", "IF"]]
    for name, values in (
        ("Ours", scores.mean(axis=1).round(4)),
        ("Hybrid", scores.max(axis=1)),
        ("Low", scores.min(axis=1)),
    ):
        error = unclear(wide(**{name: values}), lower_is_better=False)
        assert error.retry == {"ignore": [name]}


def test_identical_algorithms_are_compared():
    frame = pd.DataFrame({"dataset": DATASETS, "A": wide()["SVM"], "B": wide()["SVM"]})
    assert reading(load_results(frame, lower_is_better=False)) == (2, 6, 6, True)


@pytest.mark.parametrize("name", ["Average", "mean rank", "Average (6 datasets)", "Wins", "ALL"])
def test_summary_rows_are_left_out_only_as_told(name):
    frame = wide()
    frame.loc[6] = [name, 0.7, 0.8, 0.6]
    error = unclear(frame, lower_is_better=False)
    assert error.retry == {"where": [f"dataset!={name}"]}
    assert load_results(frame, lower_is_better=False, **error.retry).n_tasks == 6


def test_rows_that_are_measures_are_refused():
    frame = wide("task").assign(task=["accuracy", "recall", "f1", "mcc", "auc", "ndcg"])
    assert "are measures, not tasks" in str(unclear(frame, lower_is_better=False))


def test_mixed_measures_need_one():
    frame = long(score="value", metric=["accuracy", "logloss"] * 9)
    assert unclear(frame).template["where"] == ["metric=VALUE"]
    pairs = pd.concat([long(score="value", metric="accuracy"), long(score="value", metric="mse")])
    assert reading(load_results(pairs, where="metric=accuracy")) == (3, 6, 6, True)
    assert reading(load_results(pairs, metric="mse")) == (3, 6, 6, False)
    with pytest.raises(ResultsError, match=r"no row has the metric 'acuracy' \(did you mean"):
        load_results(pairs, metric="acuracy")


def test_rows_are_averaged_over_listed_repeats_only():
    both = [long(seed=i, accuracy=0.5 + i / 10 + np.arange(18) / 100) for i in (0, 1)]
    table = load_results(pd.concat(both))
    assert table.scores.loc[("d0", "d0"), "SVM"] == pytest.approx(0.55)
    for column in ("split", "iteration", "epoch", "run_id", "trial"):
        frame = pd.concat(both).rename(columns={"seed": column})
        with pytest.raises(ResultsError):
            load_results(frame, score="accuracy")
        told = load_results(frame, score="accuracy", repeat=column)
        assert told.scores.equals(table.scores)
    with pytest.raises(ResultsError, match=r"differ in 'setting' \('a', 'b'\)"):
        load_results(pd.concat([both[0].assign(setting="a"), both[1].assign(setting="b")]))
    twice = pd.concat([long(), long().assign(accuracy=lambda f: f["accuracy"] + 0.02)])
    with pytest.raises(ResultsError, match="pass repeat='@row' if they are repeats"):
        load_results(twice)
    averaged = load_results(twice, repeat="@row").scores
    assert averaged.loc[("d0", "d0"), "SVM"] == pytest.approx(wide()["SVM"][0] + 0.01)


def test_failed_runs_with_scores_are_asked():
    frame = long(status=["ok"] * 17 + ["TO"])
    error = unclear(frame)
    assert "if these runs failed, pass status='status', otherwise ignore='status'" in str(error)
    assert load_results(frame, status="status").scores.isna().to_numpy().sum() == 1
    assert load_results(frame, ignore="status").scores.notna().to_numpy().all()
    frame.loc[17, "accuracy"] = None
    assert load_results(frame).recorded_failures.to_numpy().sum() == 1


def test_matrices_without_names_are_refused():
    frame = pd.DataFrame(np.random.default_rng(0).random((5, 3)), columns=["0.0", "17", "0.25"])
    with pytest.raises(ResultsError, match="the first row looks like data"):
        load_results(frame)
    unnamed = long().set_axis(["c", "pi_sum", "27.36"], axis=1)
    for options in ({}, {"algorithm": "c", "dataset": "pi_sum", "score": "27.36"}):
        with pytest.raises(ResultsError, match=r"first row looks like data \('27.36'\)"):
            load_results(unnamed, **options)
    levels = wide("model").set_axis(["model", "0.1", "0.2", "0.5"], axis=1)
    assert reading(load_results(levels, transpose=True, lower_is_better=False))[1] == 3
    folds = wide().rename(columns={"SVM": "1", "LOF": "2", "IF": "3"})
    assert "named by numbers" in str(unclear(folds, lower_is_better=False))


def test_unnamed_keys_are_asked():
    frame = wide("")
    assert unclear(frame).template == {"dataset": "COLUMN", "lower_is_better": "True|False"}
    assert reading(load_results(frame, dataset="", lower_is_better=False)) == (3, 6, 6, True)
    indexed = wide().set_index("dataset").rename_axis(None)
    assert "dataset" in unclear(indexed).template


# -- told ------------------------------------------------------------------------------------------


def test_several_algorithm_columns_are_joined():
    frame = long(backbone="small")
    table = load_results(frame, algorithm=["model", "backbone"])
    assert table.algorithms == ["SVM / small", "LOF / small", "IF / small"]


def test_datasets_inside_names_of_tasks():
    frame = long().assign(dataset=lambda f: "part" + f["dataset"].str[1:].map(int).mod(2).map(str))
    frame["task"] = frame["dataset"] + "/" + long()["dataset"]
    one = load_results(frame.drop(columns="dataset"))
    assert reading(one) == (3, 6, 6, True)
    assert one.dataset_hint == {"dataset_from": "^([^/]+)/."}
    assert "Are these the datasets?" in one.notes[-1]
    table = load_results(frame.drop(columns="dataset"), **one.dataset_hint)
    assert reading(table) == (3, 6, 2, True)
    assert list(table.scores.index.unique(0)) == ["part0", "part1"]
    board = frame.pivot(index="model", columns="task", values="accuracy").reset_index()
    assert reading(load_results(board, score_name="acc", **one.dataset_hint))[2] == 2
    with pytest.raises(ResultsError, match="finds nothing in 'part0/d0'"):
        load_results(frame.drop(columns="dataset"), dataset_from="[A-Z]+")


ROWS_APART = {
    "iteration": ([0, 1], {"repeat": "iteration"}, "where='iteration=VALUE'"),
    "settings": (["slow", "fast"], {"where": ["settings=VALUE"]}, ""),
}


@pytest.mark.parametrize("column", ROWS_APART)
def test_a_template_names_the_column_that_tells_rows_apart(column):
    values, expected, other = ROWS_APART[column]
    parts = [long(f1=0.5, **{column: value}) for value in values]
    frame = pd.concat(parts)
    assert unclear(frame).template.items() >= {"score": "COLUMN", **expected}.items()
    error = unclear(frame, score="accuracy")
    assert error.template == expected
    assert other in str(error)
    assert not error.retry  # the choice is the user's


def test_rows_with_sizes_are_models():
    frame = wide("name", pretrained=list("aabbcc"), **{"params (M)": np.arange(6) + 0.5})
    template = unclear(frame).template
    assert (template["algorithm"], template["transpose"]) == ("COLUMN", "True")
    assert template["ignore"] == ["params (M)"]
    kept = {"transpose": True, "ignore": "params (M)", "lower_is_better": False}
    table = load_results(frame, algorithm=["name", "pretrained"], **kept)
    assert table.algorithms[:2] == ["d0 / a", "d1 / a"]


def as_long(frame):
    return frame.melt("dataset", var_name="model", value_name="accuracy")


def as_dict(frame):
    return frame.drop(columns="dataset").to_dict("list")


@pytest.mark.parametrize("form", [pd.DataFrame, as_long, as_dict])
@pytest.mark.parametrize("comma", [True, False])
def test_the_cell_that_is_not_a_number_is_named(form, comma):
    frame = wide().astype({"SVM": object})
    frame.loc[1, "SVM"] = "b"
    if comma:
        frame["SVM"] = wide()["SVM"].map(lambda score: f"{score:.4f}".replace(".", ","))
    with pytest.raises(ResultsError) as caught:
        load_results(form(frame))
    row, cell = (1, f"{frame['SVM'][0]}") if comma else (2, "b")
    column = "accuracy" if form is as_long else "SVM"
    assert f"row {row}, column '{column}': '{cell}' is not a number" in str(caught.value)
    assert ("decimal=','" in str(caught.value)) is comma
    assert "dataset" not in getattr(caught.value, "template", {})


def test_thousands_are_not_taken_for_decimals():
    seconds = wide().assign(SVM=[f"{1 + i},200" for i in range(len(wide()))])
    with pytest.raises(ResultsError, match=r"'1,200' is not a number .* write 1200") as caught:
        load_results(seconds)
    assert "decimal" not in (getattr(caught.value, "template", None) or {})


def test_an_unused_column_that_groups_tasks_is_pointed_out():
    frame = long().rename(columns={"dataset": "task"})
    frame["ds"] = frame["task"].map(lambda name: f"data{int(name[1:]) // 2}")
    table = load_results(frame)
    assert table.dataset_hint == {"dataset": "ds", "task": "task"}
    assert "'ds' (3 values, constant within tasks) is not used" in table.notes[-1]
    assert reading(load_results(frame, **table.dataset_hint)) == (3, 6, 3, True)
    # Of two, neither is more likely; and a column named as the dataset is the dataset.
    assert not load_results(frame.assign(path=frame["ds"] + "/x")).dataset_hint
    assert not load_results(frame.rename(columns={"task": "dataset"})).dataset_hint


def test_times_with_units_are_no_tasks():
    board = wide("model").rename(columns={"SVM": "Fit Time (s/epoch)", "LOF": "GPU Memory (GB)"})
    assert "may not be a task (by the end of its name)" in str(unclear(board))


def test_measures_that_are_not_listed_are_asked_about():
    """With a direction alone, POS, UAS and LAS are not read as tasks."""
    board = wide("model").rename(columns={"SVM": "POS", "LOF": "UAS", "IF": "LAS"})
    for options in ({}, {"lower_is_better": False}):
        error = unclear(board, **options)
        assert "re 'POS', 'UAS', 'LAS' tasks (transpose=True), or measures?" in str(error)
        assert "transpose=True (or score=COLUMN, dataset='@file')" in str(error)
        assert not error.retry
    one = load_results(board, score="LAS", dataset="@file", lower_is_better=False)
    assert reading(one) == (6, 1, 1, True)


def test_rows_of_summaries_are_not_left_out_if_they_are_most():
    frame = wide().assign(dataset=["Average", "Mean", "Total", "Rank", "iris", "wine"])
    assert not unclear(frame, lower_is_better=False).retry


def test_algorithms_inside_names():
    frame = wide().melt("dataset", var_name="model", value_name="acc")
    frame["task"] = frame["dataset"] + "/" + frame["model"]
    table = load_results(
        frame[["task", "acc"]], task="task", score="acc", algorithm_from="[^/]+$",
        dataset_from="^[^/]+",
    )  # fmt: skip
    assert reading(table) == (3, 6, 6, True)
    versions = long().assign(model=lambda frame: frame["model"] + "-1.0")
    table = load_results(versions, algorithm="model", algorithm_from="^[A-Z]+")
    assert sorted(table.algorithms) == ["IF", "LOF", "SVM"]


def test_a_column_beyond_the_scale_of_the_others_is_doubtful():
    frame = wide(depth=[0.4, 1.3, 0.7, 1.1, 0.2, 0.9])
    assert "'depth' may not be an algorithm" in str(unclear(frame, lower_is_better=False))


def test_several_files(tmp_path):
    for i, part in enumerate((slice(0, 9), slice(9, 18))):
        long().iloc[part].to_csv(tmp_path / f"part{i}.csv", index=False)
    appended = load_results(tmp_path / "part0.csv", tmp_path / "part1.csv")
    assert reading(appended) == (3, 6, 6, True)
    assert appended.scores.notna().to_numpy().all()
    for name in ("iris", "wine"):
        long()[:3].assign(model=list("ABC")).drop(columns="dataset").to_csv(
            tmp_path / f"{name}.csv", index=False
        )
    assert reading(load_results(tmp_path / "iris.csv", tmp_path / "wine.csv")) == (3, 2, 2, True)
    for name in ("A", "B"):
        long()[:6].drop(columns="model").to_csv(tmp_path / f"{name}.csv", index=False)
    files = load_results(tmp_path / "A.csv", tmp_path / "B.csv")
    assert (files.algorithms, files.n_tasks) == (["A", "B"], 6)


def test_told_columns_are_checked():
    for options in ({"dataset": "datset"}, {"score": "acuracy"}, {"ignore": "datset"}):
        with pytest.raises(ResultsError, match="did you mean"):
            load_results(long(), **options)
    with pytest.raises(ResultsError, match=r"no row has 'd00'"):
        load_results(long(), where="dataset=d00")
    with pytest.raises(ResultsError, match="is not a regular expression"):
        load_results(long(), dataset_from="(")
    with pytest.raises(ResultsError, match="no 'XGB' in the results; choose from 'SVM', 'LOF'"):
        load_results(wide(), algorithms=["SVM", "XGB"], score_name="auc")
    with pytest.raises(ResultsError, match=r"choose from 'SVM', 'LOF', 'IF'$"):
        load_results(long(), algorithms=["SVM", "XGB"])
    with pytest.raises(ResultsError, match=r"choose from 'SVM', 'LOF', 'IF'$"):
        load_results(wide(n_samples=range(6)), algorithms=["SVM", "XGB"], score_name="auc")
    with pytest.raises(ResultsError, match=r"'SAE', 'ALP'$"):
        load_results("lenz2021", algorithms=["SVM", "XGB"])
    with pytest.raises(ResultsError, match="column 'source': 'text' is not a number"):
        load_results(long(source="text"), score="source")
    with pytest.raises(ResultsError, match="datasets: gives the datasets of a mapping"):
        load_results(long(), datasets=DATASETS)
    with pytest.raises(ResultsError, match="cluster: 'model' is a synonym of dataset"):
        load_results(long(), dataset="dataset", cluster="model")


def test_a_value_to_leave_out_may_be_in_one_source_only():
    parts = [
        long().replace({"model": {"SVM": "Mean"}}),
        long().assign(model=lambda f: f.model + "2"),
    ]
    assert len(load_results(*parts, where="model!=Mean").algorithms) == 5
    with pytest.raises(ResultsError, match=r"frame, column 'model': no row has 'Mode'"):
        load_results(*parts, where="model!=Mode")
    with pytest.raises(ResultsError, match=r"frame 2, column 'model': no row has 'LOF'"):
        load_results(*parts, where="model=LOF")


def test_conditions_with_the_word_of_a_blank_are_no_blanks():
    frame = wide()
    frame.loc[6] = ["Mean VALUE", 0.7, 0.8, 0.6]
    frame.loc[7] = ["Average (VALUE)", 0.7, 0.8, 0.6]
    assert unclear(frame, lower_is_better=False).retry == {"where": ["dataset!=Average (VALUE)"]}


def test_messages_are_short():
    names = [f"a long column name number {i}" for i in range(60)]
    frame = wide("key", **{name: [f"text {i} {name}" for i in range(6)] for name in names})
    for table in (frame, wide(), long("system"), *(wide(**{n: v}) for n, v in SUSPECTS.items())):
        lines = str(unclear(table)).splitlines()
        assert len(lines) <= 10
        assert lines[-1].startswith("try: ")


def test_columns_of_several_files_are_algorithms_unless_their_names_clash():
    first, second = wide()[["dataset", "SVM", "LOF"]], wide()[["dataset", "IF"]]
    both = load_results(first, second, lower_is_better=True)
    assert reading(both) == (3, 6, 6, False)
    with pytest.raises(ResultsError, match=r"of the same name .* algorithm='@file', score=…"):
        load_results(first, first, lower_is_better=True)


@pytest.mark.parametrize("key", ["dataset", "model"])
def test_clean_and_robust_accuracy_are_measures(key):
    frame = wide(key)[[key, "SVM", "LOF"]].set_axis([key, "clean acc", "Robust acc"], axis=1)
    assert unclear(frame).template["score"] == "COLUMN"


def test_text_in_wide_tables_is_asked_about_also_if_constant():
    error = unclear(wide(system="A"), lower_is_better=False)
    assert "'system' holds text" in str(error)
    assert not error.retry
    kept = pd.concat([wide(kind="a"), wide(kind="b")])
    assert reading(load_results(kept, where="kind=a", lower_is_better=False)) == (3, 6, 6, True)


def test_rows_without_a_name_may_be_left_out():
    frame = wide()
    frame.loc[6] = [None, 0.7, 0.8, 0.6]
    with pytest.raises(ResultsError, match="where='dataset!='"):
        load_results(frame, lower_is_better=False)
    assert load_results(frame, lower_is_better=False, where="dataset!=").n_tasks == 6


def test_files_of_several_measures_are_algorithms_and_what_is_told_stays():
    first = wide().set_axis(["dataset", "accuracy_a", "f1", "recall"], axis=1)
    second = first.rename(columns={"accuracy_a": "accuracy"})
    with pytest.raises(UnclearTableError) as caught:
        load_results(first, second)
    assert caught.value.template["algorithm"] == "@file"
    assert caught.value.template["score"] == "COLUMN"
    with pytest.raises(UnclearTableError) as caught:
        load_results(first, second, score="accuracy")
    assert "score" not in caught.value.template
    with pytest.raises(UnclearTableError, match="no column is named 'accuracy' as in another"):
        load_results(first, second, score="accuracy", algorithm="@file")
    both = load_results(first, second, score="f1", algorithm="@file")
    assert reading(both) == (2, 6, 6, True)


@pytest.mark.parametrize("role", ["task", "dataset"])
def test_names_in_several_columns_are_joined(role):
    frame = long(score="x", dataset="part").assign(size=0.5, lang="en")
    frame = pd.concat([frame, frame.assign(size=0.1), frame.assign(lang="de")])
    told = {"score": "x", "lower_is_better": False}
    both = load_results(frame, **told, **{role: ["part", "size", "lang"]})
    assert reading(both)[:2] == (3, 18)
    assert "d0 / 0.5 / en" in both.scores.index.unique(1)
    # Without a score, several columns of text are names, too.
    text = frame[frame["size"] == 0.5].drop(columns="size").rename(columns={"x": "accuracy"})
    assert reading(load_results(text, task=["part", "lang"]))[:2] == (3, 12)
    # A column may have a role of its own beside.
    within = load_results(frame, **told, dataset="part", task=["part", "size", "lang"])
    assert reading(within)[:3] == (3, 18, 6)


def test_a_template_presumes_no_orientation():
    one = unclear(wide("series"))
    assert "dataset=COLUMN (or algorithm=COLUMN, transpose=True)" in str(one)
    two = unclear(wide("series").assign(kind=list("aabbcc")))
    assert "algorithm=COLUMN, transpose=True (or dataset=COLUMN, score=COLUMN)" in str(two)


def test_rows_with_a_word_of_summaries_are_asked_about():
    error = unclear(long().replace({"dataset": {"d0": "AVG_eu"}}))
    assert error.template == {"where": ["dataset!=AVG_eu"]}
    assert not error.retry


def test_levels_of_a_factor_are_not_averaged():
    rng = np.random.default_rng(0)
    keys = pd.MultiIndex.from_product([list("abc"), ["X", "Y"], [0.0, 0.1, 0.5]])
    frame = keys.to_frame(index=False, name=["dataset", "model", "noise"])
    frame = frame.assign(accuracy=rng.random(len(frame)), f1=rng.random(len(frame)))
    with pytest.raises(ResultsError, match=r"rows of one task and algorithm differ in 'noise'"):
        load_results(frame, score="accuracy")


def test_an_ensemble_may_be_called_all():
    frame = pd.DataFrame({"dataset": list("abcd"), "FCN": [0.1, 0.2, 0.3, 0.4]})
    frame = frame.assign(ResNet=[0.2, 0.1, 0.5, 0.3], ALL=[0.3, 0.3, 0.6, 0.5])
    with pytest.raises(UnclearTableError, match="'ALL' may not be an algorithm"):
        load_results(frame, lower_is_better=False)
    told = load_results(frame, lower_is_better=False, algorithms=["FCN", "ResNet", "ALL"])
    assert told.algorithms == ["FCN", "ResNet", "ALL"]
