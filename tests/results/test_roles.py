"""Find the roles of columns; refuse ambiguous tables with options that read them."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
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


def test_traits_are_not_algorithms(wide):
    traits = {
        "#Samples": whole(1, 100, 9999),
        "Outlier Perc": scores(3, 1, 40),
        "ratio": scores(5),
        "average_anom_length": scores(7, 20, 400),
        "point_anom": np.arange(N) % 2,
        "training time (s)": scores(10, 0, 1),
        "Rank": np.arange(1, N + 1),
        "Model Size (Million Parameters)": whole(11, 10, 9000),
    }
    results = load_results(wide.assign(**traits))
    assert results.algorithms == ["SVM", "RF", "XGB"]
    assert all(name in results.read_as[0] for name in traits)


@pytest.mark.parametrize("name", ["Time-CNN", "RankSVM", "N", "MeanShift"])
def test_algorithms_with_trait_words_in_their_names(wide, name):
    assert name in load_results(wide.assign(**{name: scores(20)})).algorithms


@pytest.mark.parametrize(
    ("name", "values"),
    [("d", whole(1, 3, 90)), ("Mean", scores(2, 0.2, 0.3)), ("Odd", scores(3, 500, 900))],
)
def test_ambiguous_columns_need_a_declaration(wide, name, values):
    assert retry(wide.assign(**{name: values})) == {"traits": [name]}
    named = load_results(
        wide.assign(**{name: values}), cluster="dataset", algorithm=["SVM", "RF", "XGB", name]
    )
    assert named.algorithms[-1] == name


@pytest.mark.parametrize(
    ("name", "made"), [("Avg.", "mean"), ("median", "median"), ("best", "max")]
)
def test_summary_columns_are_excluded(wide, name, made):
    values = getattr(wide.iloc[:, 1:], made)(axis=1).round(2)
    assert load_results(wide.assign(**{name: values})).algorithms == ["SVM", "RF", "XGB"]


@pytest.mark.parametrize("word", ["std", "rank"])
def test_spreads_ranks_and_times_are_not_algorithms(wide, word):
    beside = {f"{m}_{word}": scores(i) for i, m in enumerate(("SVM", "RF", "XGB"))}
    assert load_results(wide.assign(**beside)).algorithms == ["SVM", "RF", "XGB"]


def test_several_measures_need_a_choice(wide):
    frame = wide.rename(columns=lambda c: c if c == "dataset" else f"{c}_auc")
    assert load_results(frame).score_name == "auc"
    both = frame.assign(**{f"{m}_f1": scores(7) for m in ("SVM", "RF", "XGB")})
    assert retry(both) == {"algorithm": ["SVM_auc", "RF_auc", "XGB_auc"]}
    assert retry(frame.assign(kNN=scores(6))) == {"traits": ["kNN"]}


def test_methods_with_measure_words_in_their_names(wide):
    frame = wide.rename(columns={"SVM": "Time-CNN", "RF": "Time-RNN", "XGB": "CNN"})
    results = load_results(frame.assign(**{"Rank-SVM": scores(4), "SVM": scores(5)}))
    assert results.algorithms == ["Time-CNN", "Time-RNN", "CNN", "Rank-SVM", "SVM"]
    assert results.higher_is_better
    assert retry(wide.assign(SVM_rank=scores(6))) == {"traits": ["SVM_rank"]}


def test_measures_of_one_task_are_not_a_leaderboard():
    frame = pd.DataFrame({"classifier": ["A", "B"], "accuracy": [0.9, 0.8], "f1": [0.7, 0.6]})
    frame["recall"] = [0.5, 0.6]
    assert retry(frame) == {"score": "accuracy", "cluster": "@file"}


def test_training_and_test_scores_are_not_averaged(long):
    both = pd.concat([long.assign(split="train"), long.assign(split="test")])
    assert retry(both) == {"where": ["split=test"]}
    assert load_results(long.assign(split="test")).fold_scores is None


# Directions


@pytest.mark.parametrize(
    ("name", "lower"),
    [
        *((name, True) for name in ("log_mse_test", "test error", "runtime_s", "classif.ce")),
        *((name, False) for name in ("r2_test", "neg_rmse", "score", "F1")),
    ],
)
def test_direction_is_known_by_name(long, name, lower):
    results = load_results(long.rename(columns={"accuracy": name}))
    assert results.higher_is_better is not lower
    assert f"{'lower' if lower else 'higher'} is better" in results.read_as[0]


@pytest.mark.parametrize("name", ["objective", "time_to_accuracy"])
def test_unknown_direction_needs_a_declaration(long, name):
    assert list(retry(long.rename(columns={"accuracy": name}))) == ["lower_is_better"]


def test_negated_losses_need_a_declaration(long):
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
def test_file_name_gives_the_measure_of_a_wide_table(tmp_path, wide, name, score, higher):
    wide.to_csv(tmp_path / name, index=False)
    results = load_results(tmp_path / name)
    assert (results.score_name, results.higher_is_better) == (score, higher)


def test_file_of_times_needs_a_direction(tmp_path, wide):
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


@pytest.mark.parametrize(
    ("task", "algorithm"), [("game", "agent"), ("filename", "Key_Scheme"), ("benchmark", "team")]
)
def test_aliases_of_tasks_and_algorithms(long, task, algorithm):
    results = load_results(long.rename(columns={"dataset": task, "model": algorithm}))
    assert (results.n_tasks, len(results.algorithms)) == (N, 3)


def test_an_unknown_column_of_algorithms_is_guessed(long):
    proposed = retry(long.rename(columns={"model": "thing"}))
    assert proposed == {"algorithm": "thing", "score": "accuracy"}
    both = long.rename(columns={"model": "thing", "dataset": "where"})
    assert retry(both) == {"algorithm": "thing", "task": "where"}


def test_booleans_are_scores_if_there_is_no_other(long):
    frame = long.assign(correct=long["accuracy"] > 0.8).drop(columns="accuracy")
    results = load_results(frame)
    assert results.score_name == "correct"
    assert set(np.unique(results.scores)) == {0.0, 1.0}


def test_booleans_and_words_of_success(long, refused):
    for words in ((True, False), ("optimal", "infeasible"), ("yes", "no"), ("solved", "timeout")):
        frame = long.assign(converged=[words[0]] * (len(long) - 1) + [words[1]])
        assert load_results(frame, status="converged").missing["algorithm"].tolist() == ["XGB"]
    assert len(load_results(long.assign(found=[True] * 35 + [False])).missing) == 1
    refused(long.assign(status=["ok"] * 35 + ["weird"]), says=("'weird' is not a known status",))
    assert load_results(long.assign(state="CA")).scores.notna().all(axis=None)


def test_rows_distinguished_by_a_label(long):
    frame = pd.concat([long.assign(settings=s) for s in ("fast", "default")], ignore_index=True)
    assert retry(frame) == {"where": ["settings=default"]}
    assert retry(pd.concat([long, long])) == {"duplicates": "average"}


def test_saved_multiindex_is_dataset_and_seed(tmp_path, wide):
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


def test_matrix_without_names_needs_a_declaration(wide):
    assert retry(wide[["SVM", "RF"]]) == {"cluster": "@row"}


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


def test_ambiguous_orientation_needs_a_declaration(tmp_path, wide):
    path = tmp_path / "a.csv"
    wide.set_index("dataset").T.rename_axis(None).to_csv(path)
    assert retry(path) == {"transpose": True}
    wide.set_index("dataset").rename_axis(None).to_csv(path)
    assert load_results(path).algorithms == ["SVM", "RF", "XGB"]


@pytest.mark.parametrize(
    ("cell", "mean", "spread"),
    [
        ("68.4(7.1)", 68.4, 7.1),
        ("0.7 +/- 0.1", 0.7, 0.1),
        ("$0.6 \\pm 0.2$", 0.6, 0.2),
        ("71.5% ± 2%", 0.715, 0.02),
        ("71%", 0.71, np.nan),
        ("\\textbf{0.93}", 0.93, np.nan),
    ],
)
def test_means_with_their_spread(tmp_path, cell, mean, spread):
    (tmp_path / "a.csv").write_text(f'dataset,A,B\nx,"{cell}",1(0.5)\ny,0.5,0.25\n')
    results = load_results(tmp_path / "a.csv")
    assert results.scores.iloc[0].tolist() == [mean, 1.0]
    assert np.array_equal(results.cvsd.iloc[0], [spread, 0.5], equal_nan=True)


def test_links_around_names_are_removed():
    link = '<a href="https://h.co/x/M1" target="_blank">M1</a>'
    names = [link, "<b>M2</b>", "<script>", "__proto__"]
    frame = pd.DataFrame({"dataset": ["x"] * 4, "model": names, "acc": [0.1, 0.2, 0.3, 0.4]})
    assert load_results(frame).algorithms == ["M1", "M2", "<script>", "__proto__"]
    twice = ['<a href="https://h.co/x/M">M</a>', '<a href="https://h.co/y/M">M</a>', "A", "B"]
    assert load_results(frame.assign(model=twice)).algorithms == ["M (x/M)", "M (y/M)", "A", "B"]


@pytest.mark.parametrize(
    "text",
    [
        '{"dataset":{"0":"x","1":"y"},"A":{"0":0.1,"1":0.2},"B":{"0":0.3,"1":0.1}}',
        '{"dataset":["x","y"],"A":[0.1,0.2],"B":[0.3,0.1]}',
        '{"made": 1, "rows":[{"dataset":"x","A":0.1,"B":0.3},{"dataset":"y","A":0.2,"B":0.1}]}',
        '[\n {"dataset":"x","A":0.1,"B":0.3},\n {"dataset":"y","A":0.2,"B":0.1}\n]',
        "| dataset | A | B |\n|---|:-:|--:|\n| x | **0.1** | 0.3 |\n| y | 0.2 | 0.1 |\n",
        "# made by hand, 2024\ndataset,A,B\nx,.1,.3\ny,.2,.1\n",
    ],
)
def test_json_markdown_and_comments(tmp_path, text):
    path = tmp_path / ("a.json" if text[0] in "{[" else "a.txt")
    path.write_text(text)
    results = load_results(path)
    assert list(results.clusters) == ["x", "y"]
    assert results.scores.to_numpy().tolist() == [[0.1, 0.3], [0.2, 0.1]]


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
    refused(path, decimal=",", says=("row 1, column 'B': '1.234'", "no thousands separators"))


def test_integers_beyond_2_to_the_53_stay_distinct(tmp_path, refused):
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


def test_missing_column_lists_found_and_expected(long_frame, refused):
    refused(
        long_frame.rename(columns={"auroc": "quality"}).assign(other=0.5),
        says=("the score column could be 'quality', 'other'", "expected a name such as auroc"),
    )
    refused(
        long_frame.rename(columns={"dataset": "where", "class": "which"}),
        says=("no column holds the dataset or task", "'where'", "cluster=…"),
    )
    misspelt = pd.DataFrame({"datast": ["x", "x"], "descriptor": ["A", "A"], "auroc": [0.5, 0.6]})
    refused(misspelt, says=("did you mean 'datast'?",))
    refused(long_frame, score="aurok", says=("no column 'aurok'", "did you mean 'auroc'?"))
    refused(long_frame, traits=["p"], says=("no column 'p'", "trait"))


def test_ambiguous_scores_need_a_choice(refused):
    frame = pd.DataFrame({"task": ["x"], "model": ["A"], "acc": [0.5], "f1": [0.4]})
    refused(frame, says=("'acc', 'f1'", "score='acc'"))
    assert load_results(frame, score="f1").scores.iloc[0, 0] == 0.4


def test_duplicate_column_names(tmp_path, long_frame, refused):
    (tmp_path / "a.csv").write_text("dataset,A,A,B\nx,1,2,3\n")
    refused(tmp_path / "a.csv", says=("duplicate column names 'A'",))
    twice = pd.concat([long_frame, long_frame[["auroc"]]], axis=1)
    refused(twice, says=("duplicate column names 'auroc'",))
    # As text, the columns 1 and "1" are equal.
    refused(pd.DataFrame([["x", 0.1, 0.2]], columns=["dataset", 1, "1"]), says=("names '1'",))


def test_duplicate_keys_show_three(long_frame, refused):
    message = refused(
        pd.concat([long_frame, long_frame.head(5)]),
        says=("5 rows with a duplicate key", "'x' / '0': 'A' (row 1 and row 13)", "repeat=…"),
    )
    assert message.count(" and row ") == 3
    wide = pd.DataFrame({"dataset": ["x", "y", "x"], "A": [0.1, 0.2, 0.3], "B": [1.0, 2.0, 3.0]})
    refused(wide, says=("1 row with a duplicate key", "key: 'x': 'A'", "row 1 and row 3"))


def test_duplicate_keys_in_shards_name_the_files(tmp_path, long_frame, refused):
    for name in ("a", "b"):
        long_frame.to_parquet(tmp_path / f"{name}.parquet")
    refused(tmp_path, says=("12 rows", "a.parquet, row 1 and ", "b.parquet, row 1)"))


def test_missing_cells_are_listed(long_frame):
    holes = long_frame.drop(index=[1, 4, 6])
    results = load_results(holes)
    with pytest.raises(ResultsError) as caught:
        results.resolve_missing()
    message = str(caught.value)
    assert "3 of 12 cells have no score" in message
    assert "'x' / '0': 'B'; 'y' / '0': 'A'; 'y' / '1': 'A'" in message
    assert "\ntry: missing='complete' (3 tasks that all algorithms have)\n" in message
    assert "worst" not in message  # nobody says that these runs failed


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_scores(long_frame, refused, value, tmp_path):
    long_frame.loc[3, "auroc"] = value
    refused(long_frame, says=("row 4", "'auroc'", str(value)))
    long_frame.to_csv(tmp_path / "a.csv", index=False)
    refused(tmp_path / "a.csv", says=("a.csv, row 4", "'auroc'"))


def test_auroc_in_percent_and_out_of_range(long_frame, refused):
    per_cent = long_frame.assign(auroc=100 * long_frame["auroc"])
    refused(per_cent, says=("row 1", "outside [0, 1]", "scale=0.01"))
    scaled = load_results(per_cent, scale=0.01).scores.to_numpy()
    assert np.allclose(scaled, load_results(long_frame).scores.to_numpy())
    message = refused(long_frame.assign(auroc=-long_frame["auroc"]), says=("correct them",))
    assert "scale" not in message
    # Only a score that is bounded by definition is checked.
    free = per_cent.rename(columns={"auroc": "score"})
    assert load_results(free).scores.max().max() > 50
    long_frame.loc[0, "auroc"] = 1 + 1e-12
    load_results(long_frame)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("0,85", "write 0.85, or declare a decimal comma"),
        ("0.8.5", "write a number"),
        ("1_000", "write a number"),
    ],
)
def test_scores_as_text(tmp_path, refused, cell, words):
    (tmp_path / "a.csv").write_text(f"dataset;descriptor;auroc\nx;A;0.5\nx;B;{cell}\n")
    refused(tmp_path / "a.csv", says=("a.csv, row 2, column 'auroc'", repr(cell), words))


def test_booleans_are_not_mixed_with_scores(long_frame, refused):
    refused(
        long_frame.assign(auroc=True), says=("none contains numbers", "'auroc' contains 'True'")
    )
    one = long_frame.astype({"auroc": object})
    one.loc[3, "auroc"] = True
    refused(one, says=("row 4, column 'auroc': 'True' is not a number",))


def test_names_that_are_missing(tmp_path, long_frame, refused):
    long_frame["dataset"] = long_frame["dataset"].where(long_frame.index != 7)
    refused(long_frame, says=("row 8, column 'dataset'", "keep_default_na=False"))
    (tmp_path / "a.csv").write_text("dataset,A,B\nx,1,2\n,1,2\n")
    refused(tmp_path / "a.csv", says=("row 2, column 'dataset'",))


def test_mixed_metrics_need_a_choice(refused):
    frame = pd.DataFrame(
        {
            "task": ["x", "x", "x", "x"],
            "framework": ["A", "B", "A", "B"],
            "result": [0.9, 0.8, -0.3, -0.2],
            "metric": ["auc", "auc", "neg_logloss", "neg_logloss"],
        }
    )
    refused(frame, says=("column 'metric'", "'auc', 'neg_logloss'", "metric='auc'"))
    refused(frame, metric="f1", says=("no row has the metric 'f1'", "'auc'"))
    kept = load_results(frame, metric="auc")
    assert kept.score_name == "auc"
    assert kept.scores.to_numpy().tolist() == [[0.9, 0.8]]
    # Beside a named score, a column called metric may hold the distance that a model used.
    assert load_results(frame.iloc[:2].assign(f1=[0.1, 0.2]), score="f1").score_name == "f1"


def test_measures_are_not_algorithms(refused):
    frame = pd.DataFrame({"dataset": ["x", "y"], "auroc": [0.9, 0.8], "accuracy": [0.7, 0.6]})
    refused(frame, says=("'auroc', 'accuracy' are measures", "score='auroc'"))


@pytest.mark.parametrize(
    "options",
    [{"on_clash": "merge"}, {"scale": 0}, {"scale": float("nan")}, {"decimal": ";"}],
)
def test_options_out_of_range(long_frame, refused, options):
    refused(long_frame, says=tuple(options), **options)


def test_text_in_a_trait_column(long_frame, refused):
    long_frame["size"] = "big"
    refused(long_frame, traits=["size"], says=("row 1, column 'size'", "'big'"))
    # A column that is a trait by its name only is ignored.
    results = load_results(long_frame.assign(n="many"))
    assert list(results.traits) == ["m"]
    assert any("'n'" in note and "'many'" in note for note in results.notes)


def test_frame_with_two_rows_of_column_names(long_frame, refused):
    frame = long_frame.pivot(index="dataset", columns=["class", "descriptor"], values="auroc")
    refused(frame, says=("2 levels",))


def test_scores_beyond_2_to_the_53_do_not_tie(tmp_path, refused):
    table = pd.DataFrame({"dataset": ["x", "y"], "A": [2**53, 5], "B": [2**53 + 1, 6]})
    path = tmp_path / "a.csv"
    table.to_csv(path, index=False)
    for source in (table, path):
        refused(source, says=("row 1, column 'B': ", "9007199254740993", "more digits"))
    for digits in (400, 5000):
        path.write_text(f"dataset,A,B\nx,0.5,0.6\ny,{'9' * digits},0.7\n")
        refused(path, says=("column 'A'", "more digits than a float"))
    assert load_results(table.assign(B=[2**54, 6])).scores.loc[("x", "x"), "B"] == 2.0**54


def test_largest_numbers_do_not_warn():
    table = pd.DataFrame({"dataset": list("xyz"), "A": [1.7e308, 2, 3], "B": 1.0, "C": 2.0})
    assert load_results(table).scores.loc[("x", "x"), "A"] == 1.7e308


def test_suggestion_replaces_an_option(tmp_path):
    (tmp_path / "a.csv").write_text("dataset,A,B\nx,1,TIMEOUT\ny,OOM,2\nz,3,NaN\n")
    result = CliRunner().invoke(main, ["compare", str(tmp_path / "a.csv"), "--missing", "complete"])
    assert result.exit_code == 2
    proposed = result.stderr.split("try: ")[1]
    assert proposed.count("--missing") == 1
    assert proposed.rstrip().endswith("--missing worst")
