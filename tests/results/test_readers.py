"""Read files of all supported kinds; refuse others in one helpful line."""

import gzip
import json
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import duckdb
import joblib
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import occstats
from occstats._files import write_parquet
from occstats.errors import ResultsError
from occstats.results import load_results
from occstats.results.readers import read_path
from occstats.results.readers.limits import Limits
from occstats.results.reading import Reading

CELLS = [("A", "x", 0.1), ("B", "x", 0.3), ("A", "y", 0.2), ("B", "y", 0.1)]
CSV = "dataset,class,descriptor,auroc\nx,0,A,0.5\nx,0,B,0.6\n"


def test_missing_path_suggests_bundled_and_neighbouring_names(tmp_path, refused):
    refused("lenz2012", says=("lenz2012: ", "did you mean 'lenz2021'?"))
    (tmp_path / "results.csv").write_text(CSV)
    refused(tmp_path / "result.csv", says=("result.csv", "did you mean 'results.csv'?"))
    refused(tmp_path / "nowhere" / "a.csv", says=("does not exist either", "nowhere"))
    refused("", says=("path is empty",))
    refused(says=("none given",))
    refused(3, says=("'int'",))


def test_impossible_paths_and_directories_without_results(tmp_path, refused):
    for path in ("a\0b.csv", "x" * 300 + ".csv"):
        refused(path, says=("check the path",))
    refused(tmp_path, says=("folder without results", "contains nothing"))
    (tmp_path / "notes.txt").write_text("hello")
    refused(tmp_path, says=("'notes.txt'",))


def test_files_without_rows(tmp_path, refused, long_frame):
    path = tmp_path / "a.csv"
    for text, words in (("", "empty"), ("\n \n", "only whitespace"), ("dataset,A,B", "no rows")):
        path.write_text(text)
        refused(path, says=("a.csv", words))
    refused(long_frame.iloc[:0], says=("no rows",))


def test_the_content_decides_how_a_file_is_read(tmp_path, long_frame):
    for write in (long_frame.to_parquet, long_frame.to_excel):
        with (tmp_path / "a.csv").open("wb") as stream:
            write(stream, index=False)
        assert load_results(tmp_path / "a.csv").scores.equals(load_results(long_frame).scores)


def test_cells_of_mixed_types():
    frame = pd.DataFrame(
        {
            "dataset": ["x", b"y", 3, 4.0, b"\xff"],
            "A": ["0.5", b"0.25", 0.75, np.float32(1), 0],
            "B": [None, float("nan"), pd.NA, "n/a", ""],
        }
    )
    table = load_results(frame, score_name="auroc", algorithms=["A", "B"])
    assert list(table.clusters) == ["x", "y", "3", "4", r"\xff"]
    assert table.scores["A"].tolist() == [0.5, 0.25, 0.75, 1.0, 0.0]
    assert table.scores["B"].isna().all()


class Bomb:
    """Pickle that leaves a trace if loaded."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


@pytest.mark.parametrize("name", ["a.pkl", "a.csv", "no_suffix"])
@pytest.mark.parametrize("protocol", [0, 5])
def test_pickles_are_never_loaded(tmp_path, refused, name, protocol):
    trace = tmp_path / "loaded"
    (tmp_path / name).write_bytes(pickle.dumps(Bomb(trace), protocol=protocol))
    message = refused(tmp_path / name)
    assert protocol == 0 or "pickle" in message
    assert not trace.exists()


def test_joblib_is_never_loaded(tmp_path, refused):
    joblib.dump({"a": np.zeros(3)}, tmp_path / "a.dat", compress=3)
    refused(tmp_path / "a.dat", says=("pickle or joblib",))


def test_pipes_and_devices(tmp_path, refused):
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", "/dev/null"):
        refused(path, says=("is a pipe, socket or device",))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    path.chmod(stat.S_IWUSR)
    refused(path, says=("permissions",))


def test_insufficient_memory_is_reported(monkeypatch, refused, long_frame):
    def exhaust(*_):
        raise MemoryError

    monkeypatch.setattr("occstats.results.load._open_sources", exhaust)
    refused(long_frame, says=("not enough memory",))


MARKDOWN = """---
title: Scores
---
<h1 align="center">Scores</h1>

Text | with a bar.

## First

| dataset | <b>A</b> | B |
| --- | :-: | --: |
| x \\| y | <b>0.1</b> | **0.3** |
| z | 0.2 | 0.1<br> |

## Second

dataset | C
---|---
x | 0.5

```
| dataset | D |
| ------- | - |
```
"""


def test_tables_of_a_markdown_document(tmp_path, refused):
    path = tmp_path / "README.md"
    path.write_text(MARKDOWN)
    refused(
        path,
        says=("2 tables; choose one with table=N: 1 (First: dataset, A); 2 (Second: dataset, C)",),
    )
    table = load_results(path, table=1, lower_is_better=False)
    assert table.scores.to_numpy().tolist() == [[0.1, 0.3], [0.2, 0.1]]
    assert list(table.clusters) == ["x | y", "z"]
    refused(path, table=3, says=("2 tables", "table=3"))
    single = tmp_path / "a.csv"
    single.write_text("dataset,A,B\nd,0.1,0.2\ne,0.3,0.1\n")
    refused(single, table=2, says=("contains one table", "table=2"))
    path.write_text("```\n| dataset | A |\n|--|--|\n| x | 1 |\n```\n")
    refused(path, says=("no table outside blocks of code",))
    path.write_text("| dataset | A |\n|--|--|\n| x | 1 | 2 |\n")
    refused(path, says=("README.md, line 3: 3 cells where the header has 2",))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.parquet", CSV.encode(), "has the suffix .parquet but other content"),
        ("a.parquet", b"\n<html><body>404", "web page"),
        ("a.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
        ("a.csv", b"PK\x03\x04rest", "ZIP"),
        ("a.feather", b"ARROW1\0\0", "is a Feather or Arrow file; save the table as Parquet"),
        ("a.csv", b"PK\x03\x04....[Content_Types].xml", "damaged Excel workbook"),
        ("a.csv", "dataset,A,B\nx,1,2\ny,1,2,3\n", "line 3: 4 cells where the header has 3"),
        ("a.csv", 'model,auroc,dataset\nA,0.5,"x"\nB,0.6,"x', "ends within a quoted cell"),
        ("a.jsonl", '{"dataset": "x"\n', "line 1, column 16"),
        ("a.jsonl", '{"dataset": "x"}\n[1]\n', "line 2"),
        ("a.jsonl", '{"dataset": "x", "dataset": "y"}\n', "duplicate key 'dataset'"),
        ("a.jsonl", '{"a": ' + "[" * 100_000 + "\n", "nested too deeply"),
        ("a.txt", "hello", "is text, not a table"),
        ("a.txt", "% by me\n\\begin{tabular}{l}\nA & 1 \\\\\n", "is LaTeX"),
        ("a.yaml", "a, b\n", "is YAML"),
        ("a.txt", "models:\n  - name: A\n", "is YAML"),
        ("a.md", "# Results\n<table></table>\n", "contains no Markdown table"),
        ("a.json", '{"a": 1,\n "b": {"c": [2]},\n "a": 2}', "duplicate key 'a'"),
        ("a.json", '{"a": {"b": 1}, "c": 3}', "is JSON, but not a table"),
        ("a.json", "[[1, 2], [3, 4]]", "not an object"),
        (
            "a.json",
            '{"a": [{"b": 1}], "c": [{"d": 1}]}',
            "2 tables; choose one with table=N: 1 (a)",
        ),
        ("a.json", "12", "a single value"),
        ("a.json", '[{"a": 1},\n {"a" 2}]', "line 2, column 7"),
        ("a.csv", "dataset,A,B\nx,1\n", "line 2: 2 cells where the header has 3"),
        ("a.npz", "PK", "is a file of NumPy arrays"),
    ],
)
def test_the_true_cause_is_named(tmp_path, refused, name, content, words):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    refused(tmp_path / name, says=(name, words))


@pytest.mark.parametrize(
    "document",
    [
        [{"method": m, "dataset": d, "metrics": {"acc": s}} for m, d, s in CELLS],
        {"config": {"n": 1}, "rows": [{"method": m, "dataset": d, "acc": s} for m, d, s in CELLS]},
        {"method": list("ABAB"), "dataset": list("xxyy"), "acc": [0.1, 0.3, 0.2, 0.1]},
    ],
)
def test_shapes_of_json(tmp_path, document):
    (tmp_path / "a.json").write_text(json.dumps(document, indent=1))
    score = "metrics.acc" if isinstance(document, list) else "acc"
    table = load_results(tmp_path / "a.json", score=score, lower_is_better=False)
    assert table.scores.to_numpy().tolist() == [[0.1, 0.3], [0.2, 0.1]]


def test_one_of_several_tables_of_a_json_document(tmp_path):
    rows = [{"method": m, "dataset": d, "acc": s} for m, d, s in CELLS]
    (tmp_path / "a.json").write_text(json.dumps({"n": 1, "other": [{"b": 1}], "rows": rows}))
    for chosen in (2, "rows"):
        assert load_results(tmp_path / "a.json", table=chosen).algorithms == ["A", "B"]


def test_json_of_runs_by_name(tmp_path):
    (tmp_path / "a.json").write_text('{"DQN": {"Pong": [18, 20]}, "PPO": {"Pong": [21]}}')
    (raw,) = read_path(tmp_path / "a.json", Limits())
    assert raw.frame.to_numpy().tolist() == [
        ["DQN", "0", "18"],
        ["DQN", "1", "20"],
        ["PPO", "0", "21"],
    ]
    assert raw.columns == ["key", "repeat", "Pong"]


def test_sheets_of_a_workbook(tmp_path, refused):
    pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    wide = pd.DataFrame({"dataset": ["x", "y"], "A": [0.1, 0.2], "B": [0.3, 0.1]})
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame().to_excel(writer, sheet_name="empty", index=False)
        wide.to_excel(writer, sheet_name="first", index=False)
    assert load_results(path, lower_is_better=False).algorithms == ["A", "B"]
    with pd.ExcelWriter(path, mode="a") as writer:
        wide.to_excel(writer, sheet_name="second", index=False)
    refused(path, says=("2 tables", "1 (first); 2 (second)"))
    for chosen in ("second", 2, "2"):
        assert load_results(path, table=chosen, lower_is_better=False).n_tasks == 2
    refused(path, table="third", says=("2 (second); got table='third'",))
    path.write_bytes(path.read_bytes()[:2000])
    refused(path, says=("damaged Excel workbook",))


def test_a_workbook_with_two_header_rows_and_an_unnamed_mean(tmp_path, refused):
    openpyxl = pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    workbook = openpyxl.Workbook()
    rows = [("dataset", "accuracy", None), (None, "SVM", "RF"), ("x", 0.9, 0.8), ("y", 0.7, 0.5)]
    for row in (*rows, (None, 0.8, 0.65)):
        workbook.active.append(row)
    workbook.save(tmp_path / "a.xlsx")
    refused(tmp_path / "a.xlsx", header_rows=2, says=("row 3", "where='dataset!='"))
    told = {"header_rows": 2, "where": "dataset!=", "algorithms": ["accuracy SVM", "accuracy RF"]}
    table = load_results(tmp_path / "a.xlsx", **told)
    assert table.scores.to_numpy().tolist() == [[0.9, 0.8], [0.7, 0.5]]


def test_excel_without_openpyxl(tmp_path, refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04....[Content_Types].xml")
    refused(tmp_path / "a.xlsx", says=("pip install 'occstats[excel]'",))


def test_standard_input(tmp_path):
    script = "from occstats.results import load_results as f; print(f('-').algorithms)"
    for text in (CSV, "", "hello"):
        done = subprocess.run(
            [sys.executable, "-c", script], input=text, capture_output=True, text=True, check=False
        )
        assert ("['A', 'B']" in done.stdout) == (text == CSV)
        assert ("ResultsError: standard input: " in done.stderr) == (text != CSV)


def test_a_folder_of_text_files(tmp_path):
    """Each file is a table with the part of its path in which it differs as its label."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "scores.csv").write_text(CSV)
    tables = read_path(tmp_path, Limits())
    assert [table.label for table in tables] == ["one", "two"]
    (tmp_path / "one" / "more.tsv").write_text(CSV.replace(",", "\t"))
    found = [table.label for table in read_path(tmp_path, Limits())]
    assert found == ["one/more", "one/scores", "two/scores"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_quoted_cells_at_the_end(tmp_path, refused, end):
    path = tmp_path / "a.csv"
    for name in ("x", f"x{end}y", f"x{end}"):
        rows = ["model,auroc,dataset", f'A,0.5,"{name}"', f'B,0.6,"{name}"']
        for text in (end.join(rows), end.join([*rows, ""])):
            path.write_bytes(text.encode())
            table = load_results(path)
            assert (table.algorithms, list(table.clusters)) == (["A", "B"], [name])
        path.write_bytes(end.join([*rows[:-1], 'B,0.6,"x', ""]).encode())
        refused(path, says=("ends within a quoted cell",))


def test_commas_within_the_cells_of_other_delimiters(tmp_path):
    path = tmp_path / "auroc.csv"
    for delimiter in (";", "\t", "|"):
        text = "dataset;SVM (a,b);RF (c,d)\nx;0,5;0,6\ny;0,7;0,8\n"
        path.write_text(text.replace(";", delimiter))
        table = load_results(path, decimal=",")
        assert table.algorithms == ["SVM (a,b)", "RF (c,d)"]
        assert table.scores.to_numpy().tolist() == [[0.5, 0.6], [0.7, 0.8]]


def test_truncated_parquet_and_gzip(tmp_path, refused, long_frame):
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(CSV.encode())[:-9])
    refused(packed, says=("damaged or truncated",))
    path = tmp_path / "a.parquet"
    long_frame.to_parquet(path)
    whole = path.read_bytes()
    for keep in (4, 11, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:keep])
        refused(path, says=("a.parquet", "truncated"))


def test_every_flipped_byte_is_found_or_harmless(tmp_path):
    """Pages carry checksums; a flip in them must not give other numbers."""
    path = tmp_path / "a.parquet"
    load_results("lenz2021").write(path)
    whole = path.read_bytes()
    original = load_results(path)
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    rng = np.random.default_rng(0)
    found = 0
    for position in rng.choice(np.arange(4, footer), size=25, replace=False):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            result = load_results(path)
        except ResultsError as error:
            found += "a.parquet" in str(error)
        else:
            pd.testing.assert_frame_equal(result.scores, original.scores)
    assert found > 15


def test_damaged_shard_is_named(tmp_path, refused, long_frame):
    for i, part in enumerate((long_frame.iloc[:6], long_frame.iloc[6:])):
        pq.write_table(pa.Table.from_pandas(part), tmp_path / f"part-{i}.parquet")
    (tmp_path / "part-1.parquet").write_bytes(b"PAR1junkPAR1")
    refused(tmp_path, says=("part-1.parquet", "damaged"))


def test_a_shard_whose_content_was_changed_is_refused(tmp_path, refused, long_frame):
    """The digest tells, even if pages and checksums are those of a sound file."""
    rows = long_frame.astype({"dataset": "string"}).assign(error=None, seed=2**60)
    path = write_parquet(rows, tmp_path / "part-0.parquet", {"occstats": "1"})
    assert load_results(tmp_path).n_tasks == 6
    table = pq.read_table(path)
    for column, value in (("auroc", 0.99), ("dataset", "X"), ("error", "odd")):
        changed = table.to_pandas().assign(**{column: value})
        again = pa.Table.from_pandas(changed, preserve_index=False)
        pq.write_table(again.replace_schema_metadata(table.schema.metadata), path)
        refused(tmp_path, says=("part-0.parquet", "not what was written"))


def test_written_results_have_a_checksum(tmp_path, refused, long_frame):
    path = tmp_path / "a.parquet"
    load_results(long_frame).write(path)
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 11), path)
    refused(path, says=("not what was written",))


SCORES = "{},0.9,0.8\nwine,0.7,0.6\nglass,0.5,0.4\n"


def test_wrong_encodings(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_bytes(b"dataset,A,B\nx\x81,0.9,0.8\n")
    with pytest.raises(ResultsError, match=r"line 2: byte 14 is not UTF-8; .*encoding=…") as caught:
        load_results(path)
    assert not caught.value.retry
    assert refused(path, encoding="cp1252", says=("is not cp1252",))
    assert load_results(path, encoding="latin-1", lower_is_better=False).n_tasks == 1
    refused(path, encoding="windows", says=("encoding: 'windows' is not known",))


def test_two_header_rows_without_data(tmp_path, refused):
    (tmp_path / "a.csv").write_text("dataset,A,B\n")
    refused(tmp_path / "a.csv", header_rows=2, says=("no rows",))


def test_two_header_rows_beside_empty_columns(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Method,sMAPE,,\nID,Yearly,Daily,\nETS,1.5,2.5,\nARIMA,1.25,2,\n")
    (raw,) = read_path(path, Limits(), Reading(header_rows=2))
    assert raw.columns == ["Method ID", "sMAPE Yearly", "sMAPE Daily"]
    assert raw.frame["sMAPE Daily"].tolist() == ["2.5", "2"]


def test_row_of_failures_is_not_a_header(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM,RF\niris,TIMEOUT,OOM\n" + SCORES.format("x"))
    assert load_results(path, lower_is_better=False).n_tasks == 4
    refused(path, header_rows=0, says=("header_rows: must be a positive integer",))


def test_marks_of_significance_after_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM,RF\nx,0.9*,0.8\ny,**0.7**,0.6 †\nz,0.5 ± 0.1**,0.4\n")
    scores = load_results(path, lower_is_better=False).scores
    assert scores.to_numpy().tolist() == [[0.9, 0.8], [0.7, 0.6], [0.5, 0.4]]


@pytest.fixture
def wide():
    rng = np.random.default_rng(0)
    scores = {name: rng.uniform(size=8) for name in ("SVM", "RF", "XGB")}
    return pd.DataFrame({"dataset": [f"d{i}" for i in range(8)]} | scores)


@pytest.mark.parametrize("take", [lambda t: t, polars.from_arrow, duckdb.from_arrow])
def test_frames_of_other_libraries(wide, take):
    frame = take(pa.Table.from_pandas(wide))
    found, expected = (load_results(f, score_name="auroc").scores for f in (frame, wide))
    assert found.equals(expected)


def test_scores_by_algorithm(refused):
    scores = {"A": np.array([0.1, 0.2, 0.4]), "B": [0.3, 0.1, 0.5]}
    table = load_results(scores, datasets=["x", "x", "y"], score_name="auroc")
    assert table.scores.to_numpy().tolist() == [[0.1, 0.3], [0.2, 0.1], [0.4, 0.5]]
    assert list(table.clusters) == ["x", "x", "y"]
    table = load_results({"dataset": ["x", "y", "z"], **scores}, score_name="auroc")
    assert (table.algorithms, table.n_clusters) == (["A", "B"], 3)
    table = load_results(scores, score_name="auroc")
    assert (list(table.clusters), table.n_clusters) == (["1", "2", "3"], 3)
    refused(scores, says=("is a higher or a lower score better?",))
    refused(scores, datasets=["x"], says=("1 names for 3 scores",))
    refused({"A": [1, 2], "B": np.ones((2, 2))}, says=("'B': (2, 2)", "average over folds"))


def test_arrays_with_names(refused):
    scores = np.array([[0.1, 0.3], [0.2, 0.1], [0.4, 0.5]])
    told = {"datasets": ["x", "x", "y"], "score_name": "auroc"}
    table = load_results(scores, algorithms=["A", "B"], **told)
    assert table.scores.to_numpy().tolist() == scores.tolist()
    assert (table.algorithms, list(table.clusters)) == (["A", "B"], ["x", "x", "y"])
    named = np.array([tuple(row) for row in scores], dtype=[("A", float), ("B", float)])
    assert load_results(named, **told).scores.equals(table.scores)
    refused(scores, says=("shape (3, 2) and no names", "algorithms=…, the name of each"))
    refused(scores, algorithms=["A"], says=("shape (3, 2) and 1 names",))
    comparison = occstats.compare(scores, algorithms=["B", "A"], n_resamples=100, **told)
    assert set(comparison.algorithms) == {"A", "B"}
    assert occstats.compare({"A": scores[:, 0], "B": scores[:, 1]}, lower_is_better=False)


def test_types_of_polars(wide, refused):
    frame = polars.from_pandas(wide)
    typed = frame.with_columns(
        polars.col("dataset").cast(polars.Enum(frame["dataset"])),
        polars.col(polars.Float64).cast(polars.Decimal(20, 10)),
    )
    scores = load_results(typed, score_name="auroc").scores
    expected = load_results(wide, score_name="auroc").scores.round(10)
    pd.testing.assert_frame_equal(scores, expected, rtol=1e-15)
    refused(frame.lazy(), says=("'LazyFrame'", ".collect()"))
