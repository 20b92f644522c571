"""Tables that cannot be compared as they are: each is refused in one line that says what to do."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
from occstats.errors import ResultsError
from occstats.results import load_results


def test_missing_column_lists_found_and_expected(long_frame, refused):
    refused(
        long_frame.rename(columns={"auroc": "quality"}).assign(other=0.5),
        says=("the score could be 'quality', 'other'", "expected one called auroc"),
    )
    refused(
        long_frame.rename(columns={"dataset": "where", "class": "which"}),
        says=("no column holds the data set or task", "'where'", "cluster=…"),
    )
    refused(long_frame, score="aurok", says=("no column 'aurok'", "did you mean 'auroc'?"))
    refused(long_frame, traits=["p"], says=("no column 'p'", "trait"))


def test_misspelt_column_is_guessed(refused):
    frame = pd.DataFrame({"datast": ["x", "x"], "descriptor": ["A", "A"], "auroc": [0.5, 0.6]})
    refused(frame, says=("is it 'datast'?",))


def test_ambiguous_columns_are_asked_for(refused):
    frame = pd.DataFrame({"task": ["x"], "model": ["A"], "acc": [0.5], "f1": [0.4]})
    refused(frame, says=("'acc', 'f1'", "score='acc'"))
    assert load_results(frame, score="f1").scores.iloc[0, 0] == 0.4


def test_duplicate_column_names(tmp_path, long_frame, refused):
    (tmp_path / "a.csv").write_text("dataset,A,A,B\nx,1,2,3\n")
    refused(tmp_path / "a.csv", says=("several columns are called 'A'",))
    twice = pd.concat([long_frame, long_frame[["auroc"]]], axis=1)
    refused(twice, says=("several columns are called 'auroc'",))
    # To text, the columns 1 and "1" are the same.
    refused(pd.DataFrame([["x", 0.1, 0.2]], columns=["dataset", 1, "1"]), says=("called '1'",))


def test_duplicate_keys_show_three(long_frame, refused):
    message = refused(
        pd.concat([long_frame, long_frame.head(5)]),
        says=("5 rows with a key", "'x' / '0': 'A' (row 1 and row 13)", "repeat=…"),
    )
    assert message.count(" and row ") == 3


def test_duplicate_keys_in_shards_name_the_files(tmp_path, long_frame, refused):
    for name in ("a", "b"):
        long_frame.to_parquet(tmp_path / f"{name}.parquet")
    refused(tmp_path, says=("12 rows", "a.parquet, row 1 and ", "b.parquet, row 1)"))


def test_duplicate_task_of_a_wide_table(refused):
    frame = pd.DataFrame({"dataset": ["x", "y", "x"], "A": [0.1, 0.2, 0.3], "B": [1.0, 2.0, 3.0]})
    refused(frame, says=("1 row with a key", "already: 'x': 'A'", "row 1 and row 3"))


@pytest.mark.parametrize("text", ["NA", "nan", "", "null", "None", "n/a", "?", " "])
def test_missing_scores_as_text(tmp_path, text):
    (tmp_path / "a.csv").write_text(f"dataset,A,B\nx,0.5,{text}\ny,0.5,0.6\n")
    results = load_results(tmp_path / "a.csv")
    assert results.missing.to_dict("records") == [{"dataset": "x", "class": "x", "algorithm": "B"}]


def test_missing_cells_are_refused_with_a_list(long_frame):
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


def test_auroc_in_per_cent_and_beyond(long_frame, refused):
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


def test_wide_table_in_per_cent(refused):
    frame = pd.DataFrame({"dataset": ["x", "y"], "best": ["A", "A"], "A": [0.9, 0.8], "B": [80, 1]})
    refused(frame, score_name="accuracy", says=("row 1, column 'B'", "80"))


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("0,85", "write 0.85, or say that the decimal mark is a comma"),
        ("85 percent", "write a number"),
        ("good", "write a number"),
        ("0.8.5", "write a number"),
        ("1_000", "write a number"),
        ("0x1A", "write a number"),
    ],
)
def test_scores_as_text(tmp_path, refused, cell, words):
    (tmp_path / "a.csv").write_text(f"dataset;descriptor;auroc\nx;A;0.5\nx;B;{cell}\n")
    refused(tmp_path / "a.csv", says=("a.csv, row 2, column 'auroc'", repr(cell), words))


def test_decimal_comma_throughout(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text("dataset;A;B\nx;0,85;0,9\ny;0,7;1\n")
    refused(path, says=("'0,85' is not a number", "decimal=','"))
    assert load_results(path, decimal=",").scores.to_numpy().tolist() == [[0.85, 0.9], [0.7, 1.0]]


def test_booleans_are_no_scores(long_frame, refused):
    refused(long_frame.assign(auroc=True), says=("none has numbers in it", "'auroc' holds 'True'"))
    one = long_frame.astype({"auroc": object})
    one.loc[3, "auroc"] = True
    refused(one, says=("row 4, column 'auroc': 'True' is not a number",))


def test_names_that_are_missing(tmp_path, long_frame, refused):
    long_frame["dataset"] = long_frame["dataset"].where(long_frame.index != 7)
    refused(long_frame, says=("row 8, column 'dataset'", "keep_default_na=False"))
    (tmp_path / "a.csv").write_text("dataset,A,B\nx,1,2\n,1,2\n")
    refused(tmp_path / "a.csv", says=("row 2, column 'dataset'",))


def test_single_algorithm(long_frame):
    alone = load_results(long_frame.query("descriptor == 'A'"))
    with pytest.raises(ResultsError, match="only one algorithm \\('A'\\)"):
        alone.resolve_missing()


def test_mixed_metrics_are_asked_for(refused):
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


def test_metric_of_a_named_score_is_something_else(long_frame):
    """A column called metric may hold the distance that a descriptor used."""
    long_frame["metric"] = np.where(long_frame["descriptor"] == "A", "manhattan", "euclidean")
    assert load_results(long_frame).score_name == "auroc"


def test_measures_are_no_algorithms(refused):
    frame = pd.DataFrame({"dataset": ["x", "y"], "auroc": [0.9, 0.8], "accuracy": [0.7, 0.6]})
    refused(frame, says=("'auroc', 'accuracy' are measures", "score='auroc'"))


def test_losses_are_known(long_frame, refused):
    loss = long_frame.rename(columns={"auroc": "rmse"})
    assert not load_results(loss).higher_is_better
    assert not load_results(loss, lower_is_better=True).higher_is_better
    assert load_results(loss, lower_is_better=False).higher_is_better
    refused(loss.assign(rmse=-loss["rmse"]), says=("all its values are negative",))


@pytest.mark.parametrize(
    "options",
    [
        {"on_clash": "merge"},
        {"unequal_folds": "x"},
        {"scale": 0},
        {"scale": float("nan")},
        {"decimal": ";"},
    ],
)
def test_options_out_of_range(long_frame, refused, options):
    refused(long_frame, says=tuple(options), **options)


def test_unknown_policy(long_frame):
    with pytest.raises(ResultsError, match="'drop' is no policy"):
        load_results(long_frame).resolve_missing("drop")


def test_text_where_a_trait_should_be(long_frame, refused):
    long_frame["size"] = "big"
    refused(long_frame, traits=["size"], says=("row 1, column 'size'", "'big'"))
    # A column that was only taken for a trait by its name is passed over.
    results = load_results(long_frame.assign(n="many"))
    assert list(results.traits) == ["m"]
    assert any("'n'" in note and "'many'" in note for note in results.notes)


def test_frame_with_two_rows_of_column_names(long_frame, refused):
    frame = long_frame.pivot(index="dataset", columns=["class", "descriptor"], values="auroc")
    refused(frame, says=("2 levels",))


@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_scores_beyond_2_to_the_53_do_not_tie(tmp_path, refused, kind):
    table = pd.DataFrame({"dataset": ["x", "y"], "A": [2**53, 5], "B": [2**53 + 1, 6]})
    table.to_csv(tmp_path / "a.csv", index=False)
    source = table if kind == "frame" else tmp_path / "a.csv"
    refused(source, says=("row 1, column 'B': ", "9007199254740993", "more digits than a score"))
    assert load_results(table.assign(B=[2**54, 6])).scores.loc[("x", "x"), "B"] == 2.0**54


def test_the_largest_numbers_are_looked_at_without_a_warning():
    table = pd.DataFrame({"dataset": list("xyz"), "A": [1.7e308, 2, 3], "B": 1.0, "C": 2.0})
    assert load_results(table).scores.loc[("x", "x"), "A"] == 1.7e308


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_number_of_very_many_digits_is_refused(tmp_path, refused, digits):
    path = tmp_path / "a.csv"
    path.write_text(f"dataset,A,B\nx,0.5,0.6\ny,{'9' * digits},0.7\n")
    refused(path, says=("column 'A'", "more digits than a score"))


def test_an_option_that_changes_is_not_typed_twice(tmp_path):
    (tmp_path / "a.csv").write_text("dataset,A,B\nx,1,TIMEOUT\ny,OOM,2\nz,3,NaN\n")
    result = CliRunner().invoke(main, ["compare", str(tmp_path / "a.csv"), "--missing", "complete"])
    assert result.exit_code == 2
    proposed = result.stderr.split("try: ")[1]
    assert proposed.count("--missing") == 1
    assert proposed.rstrip().endswith("--missing worst")


def test_pgf_without_latex_is_refused_before_anything_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    out = tmp_path / "figures"
    result = CliRunner().invoke(
        main, ["figures", "lenz2021", "--format", "svg,pgf", "--out", str(out)]
    )
    assert result.exit_code == 2
    assert "needs LaTeX" in result.stderr
    assert not out.exists()
