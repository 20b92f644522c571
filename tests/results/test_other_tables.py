"""Tables of other people: read rightly, or refused with the options that read them rightly."""

import numpy as np
import pandas as pd
import pytest

from occstats.errors import ResultsError
from occstats.results import load_results

N = 12
DATASETS = [f"d{i}" for i in range(N)]


def scores(seed, low=0.6, high=0.95):
    return np.random.default_rng(seed).uniform(low, high, N).round(4)


def whole(seed, low, high):
    return np.random.default_rng(seed).integers(low, high, N)


@pytest.fixture
def wide():
    methods = ("SVM", "RF", "XGB")
    return pd.DataFrame({"dataset": DATASETS} | {m: scores(i) for i, m in enumerate(methods)})


@pytest.fixture
def long(wide):
    return wide.melt("dataset", var_name="model", value_name="accuracy")


def retry(*sources, **options):
    """The options that a refusal proposes; they must work."""
    with pytest.raises(ResultsError) as caught:
        load_results(*sources, **options)
    proposed = {k: v for k, v in caught.value.retry.items() if k != "missing"}
    assert proposed, str(caught.value)
    load_results(*sources, **{**options, **proposed})
    return proposed


TRAITS = {
    "#Samples": whole(1, 100, 9999),
    "# Dimensions": whole(2, 3, 90),
    "Outlier Perc": scores(3, 1, 40),
    "period_length": whole(4, 6, 300),
    "ratio": scores(5),
    "nb_anomaly": whole(6, 1, 9),
    "average_anom_length": scores(7, 20, 400),
    "data_len": whole(8, 700, 90_000),
    "point_anom": np.arange(N) % 2,
    "seed": whole(9, 1, 5),
    "training time (s)": scores(10, 0, 1),
    "Rank": np.arange(1, N + 1),
    "Model Size (Million Parameters)": whole(11, 10, 9000),
}


@pytest.mark.parametrize("name", TRAITS)
def test_traits_are_no_algorithms(wide, name):
    results = load_results(wide.assign(**{name: TRAITS[name]}))
    assert results.algorithms == ["SVM", "RF", "XGB"]
    assert name in results.read_as[0]


@pytest.mark.parametrize("name", ["Time-CNN", "RankSVM", "SizeNet", "N", "MeanShift", "baseline"])
def test_algorithms_may_have_words_of_traits_in_their_names(wide, name):
    assert name in load_results(wide.assign(**{name: scores(20)})).algorithms


@pytest.mark.parametrize(
    ("name", "values"),
    [("d", whole(1, 3, 90)), ("Mean", scores(2, 0.2, 0.3)), ("Odd", scores(3, 500, 900))],
)
def test_a_column_in_doubt_is_asked_for(wide, name, values):
    assert retry(wide.assign(**{name: values})) == {"traits": [name]}
    named = load_results(
        wide.assign(**{name: values}), cluster="dataset", algorithm=["SVM", "RF", "XGB", name]
    )
    assert named.algorithms[-1] == name


@pytest.mark.parametrize(
    ("name", "made"),
    [("Average", "mean"), ("Avg.", "mean"), ("median", "median"), ("best", "max"), ("Min", "min")],
)
def test_columns_that_sum_up_are_left_out(wide, name, made):
    values = getattr(wide.iloc[:, 1:], made)(axis=1).round(2)
    assert load_results(wide.assign(**{name: values})).algorithms == ["SVM", "RF", "XGB"]


@pytest.mark.parametrize("word", ["std", "sd", "rank", "time"])
def test_columns_beside_scores_are_no_algorithms(wide, word):
    beside = {f"{m}_{word}": scores(i) for i, m in enumerate(("SVM", "RF", "XGB"))}
    assert load_results(wide.assign(**beside)).algorithms == ["SVM", "RF", "XGB"]


def test_several_measures_side_by_side_are_asked_for(wide):
    frame = wide.rename(columns=lambda c: c if c == "dataset" else f"{c}_auc")
    assert load_results(frame).score_name == "auc"
    both = frame.assign(**{f"{m}_f1": scores(7) for m in ("SVM", "RF", "XGB")})
    assert retry(both) == {"algorithm": ["SVM_auc", "RF_auc", "XGB_auc"]}


def test_names_of_methods_with_words_of_measures(wide):
    frame = wide.rename(columns={"SVM": "Time-CNN", "RF": "Time-RNN", "XGB": "CNN"})
    results = load_results(frame.assign(**{"Rank-SVM": scores(4), "SVM": scores(5)}))
    assert results.algorithms == ["Time-CNN", "Time-RNN", "CNN", "Rank-SVM", "SVM"]
    assert results.higher_is_better
    assert retry(wide.assign(SVM_rank=scores(6))) == {"traits": ["SVM_rank"]}


def test_a_column_without_the_measure_of_the_others_is_asked_for(wide):
    frame = wide.rename(columns=lambda c: c if c == "dataset" else f"{c}_auc")
    assert retry(frame.assign(kNN=scores(6))) == {"traits": ["kNN"]}


def test_measures_of_one_task_are_no_leaderboard():
    frame = pd.DataFrame({"classifier": ["A", "B"], "accuracy": [0.9, 0.8], "f1": [0.7, 0.6]})
    frame["recall"] = [0.5, 0.6]
    assert retry(frame) == {"score": "accuracy", "cluster": "@file"}


def test_scores_in_training_and_in_tests_are_not_averaged(long):
    both = pd.concat([long.assign(split="train"), long.assign(split="test")])
    assert retry(both) == {"where": ["split=test"]}
    assert load_results(long.assign(split="test")).fold_scores is None


# Directions


@pytest.mark.parametrize(
    ("name", "lower"),
    [
        *[
            (name, True)
            for name in ("rmse", "rmse_test", "log_mse_test", "MAE", "err", "test error")
        ],
        *[
            (name, True)
            for name in ("loss", "WER", "cer", "time", "runtime_s", "seconds", "regret")
        ],
        *[(name, True) for name in ("duality_gap", "perplexity", "rank", "classif.ce", "duration")],
        *[(name, False) for name in ("accuracy", "r2_test", "neg_rmse", "score", "F1", "reward")],
    ],
)
def test_direction_is_known_by_name(long, name, lower):
    results = load_results(long.rename(columns={"accuracy": name}))
    assert results.higher_is_better is not lower
    assert f"{'lower' if lower else 'higher'} is better" in results.read_as[0]


@pytest.mark.parametrize("name", ["objective", "time_to_accuracy"])
def test_direction_that_is_not_known_is_asked(long, name):
    assert list(retry(long.rename(columns={"accuracy": name}))) == ["lower_is_better"]


def test_negated_losses_are_asked_for(long):
    frame = long.assign(accuracy=-long["accuracy"]).rename(columns={"accuracy": "rmse"})
    assert retry(frame) == {"lower_is_better": False}


@pytest.mark.parametrize(
    ("name", "score", "higher"),
    [
        ("results_rmse.csv", "rmse", False),
        ("mergedTable_AUC_ROC.csv", "auroc", True),
        ("time_series_results.csv", "score", True),
        ("HC2_accuracy.csv", "accuracy", True),
    ],
)
def test_the_name_of_the_file_says_what_a_wide_table_holds(tmp_path, wide, name, score, higher):
    wide.to_csv(tmp_path / name, index=False)
    results = load_results(tmp_path / name)
    assert (results.score_name, results.higher_is_better) == (score, higher)


def test_a_file_of_times_is_not_ranked_upside_down(tmp_path, wide):
    wide.to_csv(tmp_path / "runtimes.csv", index=False)
    assert retry(tmp_path / "runtimes.csv") == {"lower_is_better": True}


def test_ranks_are_known_by_their_values():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame([rng.permutation(4) + 1 for _ in DATASETS], columns=list("ABCD"))
    results = load_results(frame.assign(dataset=DATASETS))
    assert (results.score_name, results.higher_is_better) == ("rank", False)
    stars = frame.clip(lower=2).assign(dataset=DATASETS)
    assert load_results(stars).higher_is_better


# Names and roles


@pytest.mark.parametrize("name", ["solver", "agent", "optimizer", "policy", "Key_Scheme", "team"])
def test_aliases_of_algorithms(long, name):
    assert len(load_results(long.rename(columns={"model": name})).algorithms) == 3


@pytest.mark.parametrize("name", ["game", "env", "file", "filename", "benchmark", "instance_name"])
def test_aliases_of_tasks(long, name):
    assert load_results(long.rename(columns={"dataset": name})).n_tasks == N


def test_an_unknown_column_of_algorithms_is_guessed(long):
    proposed = retry(long.rename(columns={"model": "thing"}))
    assert proposed == {"algorithm": "thing", "score": "accuracy"}
    both = long.rename(columns={"model": "thing", "dataset": "where"})
    assert retry(both) == {"algorithm": "thing", "task": "where"}


def test_the_only_numbers_are_the_score_and_text_never_is(long):
    frame = long.rename(columns={"accuracy": "quality"}).assign(result="fine")
    assert load_results(frame).score_name == "quality"


def test_several_scores_are_asked_for_the_most_usual_first(long):
    frame = long.assign(recall=0.5, precision=0.4, duration=3.0)
    assert retry(frame) == {"score": "accuracy"}


def test_booleans_are_scores_where_nothing_else_is(long):
    frame = long.assign(correct=long["accuracy"] > 0.8).drop(columns="accuracy")
    results = load_results(frame)
    assert results.score_name == "correct"
    assert set(np.unique(results.scores)) == {0.0, 1.0}


def test_booleans_and_words_of_success(long, refused):
    for words in ((True, False), ("optimal", "infeasible"), ("yes", "no"), ("solved", "timeout")):
        frame = long.assign(converged=[words[0]] * (len(long) - 1) + [words[1]])
        assert load_results(frame, status="converged").missing["algorithm"].tolist() == ["XGB"]
    assert len(load_results(long.assign(found=[True] * 35 + [False])).missing) == 1
    refused(long.assign(status=["ok"] * 35 + ["weird"]), says=("'weird' does not say",))
    assert load_results(long.assign(state="CA")).scores.notna().all(axis=None)


def test_the_same_column_for_data_set_and_task(long):
    assert load_results(long, cluster="dataset", task="dataset").n_clusters == N


def test_rows_that_a_label_tells_apart(long):
    frame = pd.concat([long.assign(settings=s) for s in ("fast", "default")], ignore_index=True)
    assert retry(frame) == {"where": ["settings=default"]}
    assert retry(pd.concat([long, long])) == {"duplicates": "average"}


def test_a_saved_multiindex_is_data_set_and_seed(tmp_path, wide):
    rows = [(d, level, seed) for d in DATASETS for level in (0.0, 0.1) for seed in (1, 2)]
    frame = pd.DataFrame({"A": 0.5, "B": np.arange(len(rows)) / 100}, index=map(str, rows))
    frame.loc[[", 0.1," in name for name in frame.index]] = np.nan
    frame.to_csv(tmp_path / "a.csv")
    results = load_results(tmp_path / "a.csv")
    assert list(results.clusters) == DATASETS
    assert results.algorithms == ["A", "B"]
    assert results.scores["B"].iloc[0] == pytest.approx(0.005)
    unnamed = frame.set_axis(pd.MultiIndex.from_tuples(rows)).dropna()
    assert load_results(unnamed).scores.equals(results.scores)


def test_a_matrix_without_names_is_asked_for(wide):
    assert retry(wide[["SVM", "RF"]]) == {"cluster": "@row"}


def test_thousands_of_columns_are_judged_in_seconds():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((5, 4_000)), columns=[f"a{i}" for i in range(4_000)])
    assert load_results(frame.assign(dataset=list("vwxyz"))).scores.shape == (5, 4_000)


# Shapes


def test_leaderboards_have_algorithms_in_rows(tmp_path, wide):
    board = wide.set_index("dataset").T.rename_axis("Model").reset_index()
    board["Average"] = board[DATASETS].mean(axis=1).round(2)
    board["Params (B)"], board["License"] = [7, 13, 70], "open"
    results = load_results(board)
    assert results.algorithms == ["SVM", "RF", "XGB"]
    assert list(results.clusters) == DATASETS
    assert load_results(board, transpose=True).scores.equals(results.scores)
    wer = board[["Model", "d0", "d1", "d2"]]
    wer.columns = ["Model", "AMI WER", "LS WER", "Ted WER"]
    results = load_results(wer.assign(RTFx=[1, 2, 3]))
    assert (results.score_name, results.higher_is_better, results.n_tasks) == ("WER", False, 3)


def test_sides_that_nothing_tells_are_asked_for(tmp_path, wide):
    path = tmp_path / "a.csv"
    wide.set_index("dataset").T.rename_axis(None).to_csv(path)
    assert retry(path) == {"transpose": True}
    wide.set_index("dataset").rename_axis(None).to_csv(path)
    assert load_results(path).algorithms == ["SVM", "RF", "XGB"]


@pytest.mark.parametrize(
    ("cell", "mean", "spread"),
    [
        ("68.4(7.1)", 68.4, 7.1),
        ("71.7 ± 0.5", 71.7, 0.5),
        ("0.7 +/- 0.1", 0.7, 0.1),
        ("$0.6 \\pm 0.2$", 0.6, 0.2),
        ("71.5% ± 2%", None, None),
        ("71%", 0.71, np.nan),
        ("**0.93**", 0.93, np.nan),
        ("\\textbf{0.93}", 0.93, np.nan),
    ],
)
def test_means_with_their_spread(tmp_path, cell, mean, spread):
    (tmp_path / "a.csv").write_text(f'dataset,A,B\nx,"{cell}",1(0.5)\ny,0.5,0.25\n')
    if mean is None:
        mean, spread = 0.715, 0.02
    results = load_results(tmp_path / "a.csv")
    assert results.scores.iloc[0].tolist() == [mean, 1.0]
    assert np.array_equal(results.cvsd.iloc[0], [spread, 0.5], equal_nan=True)


def test_links_around_names_are_left_out():
    names = ['<a href="https://h.co/x/M1" target="_blank">M1</a>', "<b>M2</b>", "<script>", "M<3"]
    frame = pd.DataFrame({"dataset": ["x"] * 4, "model": names, "acc": [0.1, 0.2, 0.3, 0.4]})
    assert load_results(frame).algorithms == ["M1", "M2", "<script>", "M<3"]
    twice = ['<a href="https://h.co/x/M">M</a>', '<a href="https://h.co/y/M">M</a>', "A", "B"]
    assert load_results(frame.assign(model=twice)).algorithms == ["M (x/M)", "M (y/M)", "A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        '{"dataset":{"0":"x","1":"y"},"A":{"0":0.1,"1":0.2},"B":{"0":0.3,"1":0.1}}',
        '{"dataset":["x","y"],"A":[0.1,0.2],"B":[0.3,0.1]}',
        '{"A":{"x":0.1,"y":0.2},\n "B":{"x":0.3,"y":0.1}}',
        '{"made": 1, "rows":[{"dataset":"x","A":0.1,"B":0.3},{"dataset":"y","A":0.2,"B":0.1}]}',
        '[\n {"dataset":"x","A":0.1,"B":0.3},\n {"dataset":"y","A":0.2,"B":0.1}\n]',
        "| dataset | A | B |\n|---|:-:|--:|\n| x | **0.1** | 0.3 |\n| y | 0.2 | 0.1 |\n",
        "# made by hand, 2024\ndataset,A,B\nx,.1,.3\ny,.2,.1\n",
    ],
)
def test_other_forms_of_text(tmp_path, text):
    path = tmp_path / ("a.json" if text[0] in "{[" else "a.txt")
    path.write_text(text)
    results = load_results(path)
    assert list(results.clusters) == ["x", "y"]
    assert results.scores.to_numpy().tolist() == [[0.1, 0.3], [0.2, 0.1]]


def test_excel_workbooks(tmp_path, wide, refused):
    pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    path = tmp_path / "a.xlsx"
    wide.to_excel(path, index=False)
    assert load_results(path).scores.equals(load_results(wide).scores)
    with pd.ExcelWriter(path) as writer:
        wide.to_excel(writer, sheet_name="first", index=False)
        wide.to_excel(writer, sheet_name="second", index=False)
    assert retry(path) == {"sheet": "first"}
    refused(path, sheet="third", says=("no sheet 'third'", "'second'"))
    path.write_bytes(path.read_bytes()[:2000])
    refused(path, says=("damaged Excel workbook",))


def test_a_file_per_algorithm(tmp_path):
    for name, shift in (("HC2", 0.0), ("QUANT", 0.1)):
        lines = [f"x,{0.5 + shift},{0.7 + shift}", f"y,{0.6 + shift},"]
        (tmp_path / f"my_{name}_accuracy.csv").write_text("Resamples:,0,1\n" + "\n".join(lines))
    one = tmp_path / "my_HC2_accuracy.csv"
    both = load_results(*sorted(tmp_path.iterdir()))
    assert both.algorithms == ["HC2", "QUANT"]
    assert both.score_name == "accuracy"
    np.testing.assert_allclose(both.scores, [[0.6, 0.7], [0.6, 0.7]], rtol=1e-15)
    with pytest.raises(ResultsError, match="only one algorithm") as caught:
        load_results(one).resolve_missing()
    assert caught.value.retry == {"sources": [str(tmp_path / "my_QUANT_accuracy.csv")]}


# Numbers


def test_a_decimal_comma_excludes_the_point(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text("dataset;A;B\nx;901,5;0,5\ny;0,5;0,6\n")
    assert retry(path) == {"decimal": ","}
    path.write_text("dataset;A;B\nx;901,5;1.234\ny;0,5;0,6\n")
    refused(path, decimal=",", says=("row 1, column 'B': '1.234'", "leave the thousands unmarked"))


def test_whole_numbers_beyond_2_to_the_53_stay_apart(tmp_path, refused):
    first, second = 2**53, 2**53 + 1
    frame = pd.DataFrame({"dataset": [first, second], "A": [0.1, 0.2], "B": [0.3, 0.4]})
    frame["extra"] = pd.array([first, None], dtype="Int64")
    assert list(load_results(frame, algorithm=["A", "B"]).clusters) == [str(first), str(second)]
    nulls = pd.DataFrame({"dataset": pd.array([first, second], dtype="Int64"), "A": [0.1, 0.2]})
    nulls["B"] = 0.5
    nulls.to_parquet(tmp_path / "a.parquet")
    assert list(load_results(tmp_path / "a.parquet").clusters) == [str(first), str(second)]
    refused(
        frame.astype({"dataset": float}),
        cluster="dataset",
        algorithm=["A", "B"],
        says=("lose their last digits",),
    )
