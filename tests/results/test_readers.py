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

from occstats._files import write_parquet
from occstats.errors import ResultsError
from occstats.results import load_results

CELLS = [("A", "x", 0.1), ("B", "x", 0.3), ("A", "y", 0.2), ("B", "y", 0.1)]
CSV = "dataset,class,descriptor,auroc\nx,0,A,0.5\nx,0,B,0.6\n"


def test_impossible_paths_and_directories_without_results(tmp_path, refused):
    for path in ("a\0b.csv", "x" * 300 + ".csv"):
        refused(path, says=("check the path",))
    refused(tmp_path, says=("folder without results", "contains nothing"))
    (tmp_path / "notes.txt").write_text("hello")
    refused(tmp_path, says=("'notes.txt'",))


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


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"PK\x03\x04rest", "ZIP"),
        ("a.feather", b"ARROW1\0\0", "has a format or compression that occstats does not read"),
        ("a.csv", b"PK\x03\x04....[Content_Types].xml", "damaged Excel workbook"),
        ("a.jsonl", b'{"a": ' + b"[" * 100_000 + b"\n", "nested too deeply"),
    ],
)
def test_the_true_cause_of_bytes_is_named(tmp_path, refused, name, content, words):
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, says=(name, words))


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
        above = wide.set_axis([["", "f1", "f1"], wide.columns], axis=1)
        above.to_excel(writer, sheet_name="third")
    refused(path, says=("3 tables", "1 first\n  2 second"))
    for chosen in ("second", 2, "2"):
        assert load_results(path, table=chosen, lower_is_better=False).n_tasks == 2
    refused(path, table="4th", says=("; got table='4th'",))
    path.write_bytes(path.read_bytes()[:2000])
    refused(path, says=("damaged Excel workbook",))


def test_a_workbook_with_two_header_rows_and_an_unnamed_mean(tmp_path, refused):
    openpyxl = pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    workbook = openpyxl.Workbook()
    rows = [("dataset", "accuracy", None), (None, "SVM", "RF"), ("x", 0.9, 0.8), ("y", 0.7, 0.5)]
    for row in (*rows, (None, 0.8, 0.65)):
        workbook.active.append(row)
    workbook.save(tmp_path / "a.xlsx")
    refused(tmp_path / "a.xlsx", header_rows=2, says=("row 5", "where='dataset!='"))
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
    """Each file is named by the part of its path in which it differs."""
    text = "dataset,f1\nx,0.5\ny,0.6\n"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "scores.csv").write_text(text)
    assert load_results(tmp_path).algorithms == ["one", "two"]
    (tmp_path / "one" / "more.tsv").write_text(text.replace(",", "\t"))
    assert load_results(tmp_path).algorithms == ["one/more", "one/scores", "two/scores"]


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


def test_wrong_encodings(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_bytes(b"dataset,A,B\nx\x81,0.9,0.8\n")
    with pytest.raises(ResultsError, match=r"line 2: byte 14 is not UTF-8; .*encoding=…") as caught:
        load_results(path)
    assert not caught.value.retry
    assert refused(path, encoding="cp1252", says=("is not cp1252",))
    assert load_results(path, encoding="latin-1", lower_is_better=False).n_tasks == 1
    refused(path, encoding="windows", says=("encoding: 'windows' is not known",))


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


def test_blanks_and_what_spreadsheets_add_to_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("sep=;\ndataset;A; B;\n x y ; 0.5;\t0.6;\n;;; \nz ;0.1;0.2;\n;;;\n")
    table = load_results(path, algorithms=["A", "B"], lower_is_better=False)
    assert list(table.clusters) == ["x y", "z"]
    assert table.scores.to_numpy().tolist() == [[0.5, 0.6], [0.1, 0.2]]


SCORES = {"x": {"acc": 0.5}, "y": {"acc": 0.6}}
RUNS = [{"data": {"id": name, "by": "me"}, "acc": cells["acc"]} for name, cells in SCORES.items()]


def of_models(**columns):
    return [{"model": {"name": name, "by": {"id": "one"}}, **columns} for name in "AB"]


@pytest.mark.parametrize(
    ("document", "options"),
    [
        ({"A": SCORES, "B": SCORES}, {"algorithm": "key", "dataset": "key 2"}),
        (of_models(runs=RUNS), {"algorithm": "model.name", "dataset": "data.id"}),
        (of_models(data=SCORES), {"algorithm": "model.name", "score": "acc"}),
        (of_models(data=SCORES, s=0.5), {"table": 2, "algorithm": "model.name", "score": "acc"}),
    ],
)
def test_nested_json(tmp_path, document, options):
    (tmp_path / "a.json").write_text(json.dumps(document))
    scores = load_results(tmp_path / "a.json", **options).scores
    assert scores.to_dict("list") == {"A": [0.5, 0.6], "B": [0.5, 0.6]}
    assert list(scores.index.unique(0)) == ["x", "y"]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (of_models(runs=RUNS, more=RUNS), "contains 2 tables; choose one with table=N\n  1 runs"),
        (of_models(data=SCORES, s=0.5), "choose one with table=N\n  1 records\n  2 data"),
        (of_models(runs=[RUNS]), "nested deeper than one level ('runs' is a list of lists)"),
        ({"system": "A", "result": [[0.1, 0.2]]}, "('result' is a list of lists)"),
        ([*of_models(runs=RUNS), {"model": {"name": "C"}, "runs": {}}], "row 5, column"),
        ([{"model": "A", "s": "0.5", "x" * 990: {"y" * 990: 1}}], "a column name of 1,981"),
    ],
)
def test_nested_json_that_is_unclear(tmp_path, refused, document, words):
    (tmp_path / "a.json").write_text(json.dumps(document))
    refused(tmp_path / "a.json", algorithm="model.name", dataset="data.id", says=(words,))


def test_a_record_with_a_known_measure_is_a_row(tmp_path):
    rows = [
        row | {"dataset": d, "auc": i}
        for row in of_models(runs=RUNS)
        for d, i in zip("xy", (0.5, 0.6), strict=False)
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    assert load_results(tmp_path / "a.json", algorithm="model.name").scores.shape == (2, 2)


def test_tables_one_below_the_other(tmp_path, refused):
    openpyxl = pytest.importorskip("openpyxl", reason="reading Excel needs openpyxl")
    block = [("dataset", "A", "B"), ("x", 1, 2), ("y", 3, 1)]
    text = "\n".join(",".join(map(str, row)) for row in block)
    (tmp_path / "a.csv").write_text(f"{text}\n\n{text}\n")
    refused(tmp_path / "a.csv", says=("the column names are repeated in line 5,",))
    workbook = openpyxl.Workbook()
    for row in [("k=1", None, None), *block, (), ("k=2", None, None), *block]:
        workbook.active.append(row)
    workbook.save(tmp_path / "a.xlsx")
    refused(tmp_path / "a.xlsx", says=("the column names are repeated in row 7,",))
