"""Text in other encodings, and names of columns in several rows."""

import pandas as pd
import pytest

from occstats.errors import ResultsError
from occstats.results import load_results
from tests.results.pasting import pasted

SCORES = "{},0.9,0.8\nwine,0.7,0.6\nglass,0.5,0.4\n"


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
def test_a_file_of_windows_is_read_at_the_second_try(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes(("dataset,Größe,RF\n" + SCORES.format("Zürich")).encode(encoding))
    table, line = pasted(path)
    assert line == "occstats compare --encoding cp1252".replace(" --", " a.csv --", 1)
    assert table.algorithms == ["Größe", "RF"]
    assert "Zürich" in table.clusters
    with pytest.raises(ResultsError, match="if 'Größe' is meant there"):
        load_results(path)


def test_encodings_that_do_not_fit(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_bytes(b"dataset,A,B\nx\x81,0.9,0.8\n")
    with pytest.raises(ResultsError, match="line 2: byte 14 is not UTF-8") as caught:
        load_results(path)
    assert not caught.value.retry
    assert refused(path, encoding="cp1252", says=("is not cp1252",))
    assert load_results(path, encoding="latin-1").n_tasks == 1
    refused(path, encoding="windows", says=("encoding: 'windows' is not known",))


def test_all_that_a_file_of_windows_needs_stands_in_one_line(tmp_path):
    """German Excel: semicolons, decimal commas, and no Unicode."""
    path = tmp_path / "a.csv"
    text = "Datensatz;Verfahren;Fehlerrate (%)\n" + "".join(
        f"{d};{a};{v}\n" for d in ("Köln", "Ulm", "Bonn") for a, v in (("A", "7,25"), ("B", "9,5"))
    )
    path.write_bytes(text.encode("cp1252"))
    table, line = pasted(path)
    assert line == "occstats compare a.csv --encoding cp1252 --decimal ,"
    assert (table.algorithms, table.higher_is_better) == (["A", "B"], False)
    assert table.scores.to_numpy().tolist() == [[7.25, 9.5]] * 3
    assert "Köln" in table.clusters


TWO_ROWS = [
    "dataset,SVM,SVM,RF,RF\n,acc,f1,acc,f1\n",
    "dataset,SVM,,RF,\n,acc,f1,acc,f1\n",
    ",SVM,SVM,RF,RF\n,acc,f1,acc,f1\ndataset,,,,\n",
    "model,SVM,SVM,RF,RF\nmetric,acc,f1,acc,f1\ndataset,,,,\n",
]
ROWS = "iris,0.9,0.8,0.7,0.6\nwine,0.91,0.82,0.73,0.64\nglass,0.5,0.4,0.3,0.2\n"


@pytest.mark.parametrize("head", TWO_ROWS)
def test_names_in_two_rows_are_joined_at_the_second_try(tmp_path, head):
    path = tmp_path / "a.csv"
    path.write_text(head + ROWS)
    table, line = pasted(path)
    assert "--header-rows 2" in line
    assert table.algorithms == ["SVM acc", "RF acc"]
    assert table.scores["RF acc"].tolist() == [0.7, 0.73, 0.3]
    assert list(table.clusters) == ["iris", "wine", "glass"]
    assert table.score_name == "acc"


def test_the_measure_of_chosen_columns_gives_the_direction(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM_rmse,SVM_r2,RF_rmse,RF_r2\n" + ROWS)
    table, line = pasted(path)
    assert line.endswith("--algorithm SVM_rmse --algorithm RF_rmse")
    assert (table.score_name, table.higher_is_better) == ("rmse", False)


def test_the_same_in_a_workbook_and_in_a_frame(tmp_path):
    columns = pd.MultiIndex.from_product([["rmse"], ["SVM", "RF"]])
    index = pd.Index(["iris", "wine", "glass"], name="dataset")
    frame = pd.DataFrame([[0.9, 0.8], [0.7, 0.6], [0.5, 0.4]], index, columns)
    expected = load_results(frame)
    assert expected.algorithms == ["rmse SVM", "rmse RF"]
    assert not expected.higher_is_better
    frame.to_excel(tmp_path / "a.xlsx")
    table, line = pasted(tmp_path / "a.xlsx")
    assert line == "occstats compare a.xlsx --header-rows 2"
    pd.testing.assert_frame_equal(table.scores, expected.scores)


def test_a_row_of_failures_is_no_row_of_names(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM,RF\niris,TIMEOUT,OOM\n" + SCORES.format("x"))
    assert load_results(path).n_tasks == 3
    refused(path, header_rows=0, says=("header_rows: must be a whole number from 1",))


def test_marks_of_significance_stand_behind_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM,RF\nx,0.9*,0.8\ny,**0.7**,0.6 †\nz,0.5 ± 0.1**,0.4\n")
    assert load_results(path).scores.to_numpy().tolist() == [[0.9, 0.8], [0.7, 0.6], [0.5, 0.4]]


def test_a_column_of_text_is_the_cause_where_one_algorithm_is_left(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM,RF\niris,0.9,good\nwine,0.7,bad\nglass,0.5,bad\n")
    with pytest.raises(ResultsError) as caught:
        load_results(path).resolve_missing()
    assert str(caught.value).startswith(
        f"{path}: the column 'RF' holds no number but 'good', so that it is no algorithm"
    )
