"""Read files of all supported kinds; refuse others in one helpful line."""

import gzip
import json
import os
import pickle
import socket
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
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from occstats._files import write_parquet
from occstats.errors import ResultsError
from occstats.results import load_results
from tests.results.pasting import pasted

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


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.parquet", CSV.encode(), "has the suffix .parquet but contains"),
        ("a.parquet", b"\n<html><body>404", "web page"),
        ("a.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
        ("a.csv", b"PK\x03\x04rest", "ZIP"),
        ("a.csv", b"PK\x03\x04....[Content_Types].xml", "has the suffix .csv but contains Excel"),
    ],
)
def test_suffix_contradicts_content(tmp_path, refused, name, content, words):
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, says=(name, words))


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


def test_pipes_devices_and_sockets(tmp_path, refused):
    os.mkfifo(tmp_path / "pipe.csv")
    refused(tmp_path / "pipe.csv", says=("named pipe",))
    refused("/dev/null", says=("device",))
    # The path of a socket is limited to about a hundred characters.
    here = os.open(tmp_path, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{here}/socket")
        refused(tmp_path / "socket", says=("socket",))
    os.close(here)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    path.chmod(stat.S_IWUSR)
    refused(path, says=("permissions",))


def test_parquet_with_too_many_rows_is_not_decoded(tmp_path, refused):
    """A billion equal values take some kilobytes; they are counted, not read."""
    path = tmp_path / "bomb.parquet"
    chunk = pa.table(
        {
            "dataset": pa.DictionaryArray.from_arrays(pa.array(np.zeros(2_000_000, "i1")), ["x"]),
            "auroc": pa.array(np.zeros(2_000_000)),
        }
    )
    with pq.ParquetWriter(path, chunk.schema, compression="zstd") as writer:
        for _ in range(11):
            writer.write_table(chunk)
    assert path.stat().st_size < 200_000
    before = pa.total_allocated_bytes()
    refused(path, says=("22,000,000 rows", "2,000,000", "max_rows"))
    assert pa.total_allocated_bytes() - before < 1_000_000


def test_feather_decompression_bomb(tmp_path, refused):
    path = tmp_path / "bomb.feather"
    table = pa.table({"dataset": pa.array(["a" * 1000] * 100_000)})
    pa.feather.write_feather(table, path, compression="zstd")
    assert path.stat().st_size < 500_000
    refused(path, max_rows=100_000, says=("bytes or more when decompressed", "max_rows"))


def test_gzip_decompression_bomb(tmp_path, refused):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"dataset,A,B\n" + b"x" * 70_000_000, 1))
    assert path.stat().st_size < 1_000_000
    refused(path, max_rows=10_000, says=("bytes or more when decompressed", "max_rows"))
    path.write_bytes(gzip.compress(b"dataset,A,B\n" + b"x,1,2\n" * 200_000))
    refused(path, max_rows=100_000, says=("rows, more than the limit of 100,000",))


def test_shards_and_text_beyond_the_limits(tmp_path, refused, long_frame):
    for i in range(3):
        long_frame.assign(fold=i).to_parquet(tmp_path / f"{i}.parquet")
    refused(tmp_path, max_rows=30, says=("36 rows",))
    assert load_results(tmp_path, max_rows=36).n_tasks == 6
    (tmp_path / "a.csv").write_text(CSV * 50)
    refused(tmp_path / "a.csv", max_rows=20, says=("more than the limit",))
    (tmp_path / "a.jsonl").write_text('{"dataset":"x"}\n' * 50)
    refused(tmp_path / "a.jsonl", max_rows=20, says=("more than the limit",))
    (tmp_path / "b.csv").write_text(",".join(f"c{i}" for i in range(10_001)) + "\n")
    refused(tmp_path / "b.csv", says=("10,001 columns",))


MEASURED = """
import pathlib, re, sys, time
from occstats.errors import ResultsError
from occstats.results import load_results
import pandas, pyarrow.csv, pyarrow.parquet
before = time.process_time()
try:
    message = repr(load_results(sys.argv[1]))
except ResultsError as error:
    message = str(error)
# The peak of this process alone; that of getrusage includes the parent.
peak = re.search(r"VmHWM:\\s*(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]
print(time.process_time() - before, peak, message)
"""


def ever_new_keys(path):
    records = ({"dataset": f"d{i}", "model": "A", "acc": 0.5, f"k{i}": 1} for i in range(9_000))
    path.write_text("\n".join(map(json.dumps, records)))


def equal_rows(path):
    once = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1_900_000, "i1")), ["x"])
    table = pa.table({"dataset": once, "model": once, "auroc": np.zeros(1_900_000)})
    pq.write_table(table, path, compression="zstd")


def zeros(path):
    with path.open("wb") as stream:
        stream.truncate(1_900_000_000)


def long_names(path):
    rows = (f"{'d' * 990}{i},{'c' * 990}{i},0.{i},0.5\n" for i in range(20_000))
    path.write_text("dataset,class,A,B\n" + "".join(rows))


def one_line(path):
    path.write_bytes(b"dataset,A,B\n" + b"x" * 150_000_000)


def packed_zeros(path):
    with gzip.open(path, "wb", 1) as stream:
        for _ in range(400):
            stream.write(bytes(1_000_000))


def many_columns(path):
    names = ",".join(f"x{i}" for i in range(90_000))
    path.write_text(f"dataset,A,B,{names}\n" + "d,1,2," + ",".join("1" for _ in range(90_000)))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux counts it")
@pytest.mark.parametrize(
    ("make", "name", "says"),
    [
        (ever_new_keys, "a.jsonl", "cells or more"),
        (equal_rows, "a.parquet", "with a duplicate key"),
        (zeros, "a.csv", "bytes or more when decompressed"),
        (packed_zeros, "a.csv.gz", "bytes or more when decompressed"),
        (one_line, "a.csv", "1 cells where the header has 3"),
        (many_columns, "a.csv", "90,003 columns"),
        (long_names, "a.csv", "20,000 tasks"),
    ],
)
def test_work_and_memory_are_bounded(tmp_path, make, name, says):
    """CPU time and memory stay far below what exhausts a machine."""
    make(tmp_path / name)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, tmp_path / name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seconds, kilobytes, message = done.stdout.split(" ", 2)
    assert says in message
    assert int(kilobytes) < 1_000_000
    # The aim is five seconds; a loaded machine counts more for the same work.
    assert float(seconds) < 20


def test_insufficient_memory_is_reported(monkeypatch, refused, long_frame):
    def exhaust(*_):
        raise MemoryError

    monkeypatch.setattr("occstats.results.load._open_sources", exhaust)
    refused(long_frame, says=("not enough memory",))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "dataset,A,B\nx,1,2\ny,1,2,3\n", "line 3: 4 cells where the header has 3"),
        ("a.csv", 'model,auroc,dataset\nA,0.5,"x"\nB,0.6,"x', "ends within a quoted cell"),
        ("a.jsonl", '{"dataset": "x"\n', "line 1"),
        ("a.jsonl", '{"dataset": "x"}\n[1]\n', "line 2"),
        ("a.jsonl", '{"dataset": "x", "dataset": "y"}\n', "duplicate key 'dataset'"),
        ("a.jsonl", '{"a": ' + "[" * 100_000 + "\n", "nested too deeply"),
    ],
)
def test_invalid_text(tmp_path, refused, name, text, words):
    (tmp_path / name).write_text(text)
    refused(tmp_path / name, says=(name, words))


def test_quoted_cell_with_a_line_break_at_the_end(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('model,auroc,dataset\nA,0.5,"x\ny"\nB,0.6,"x\ny"')
    assert load_results(path).algorithms == ["A", "B"]


def test_truncated_parquet(tmp_path, refused, long_frame):
    path = tmp_path / "a.parquet"
    long_frame.to_parquet(path)
    whole = path.read_bytes()
    for keep in (4, 11, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:keep])
        refused(path, says=("a.parquet", "truncated"))


def test_feather_with_a_negative_number_in_its_header(tmp_path):
    path = tmp_path / "a.feather"
    pd.DataFrame({"dataset": list("xyz"), "A": [0.1, 0.2, 0.3], "B": 0.4}).to_feather(path)
    whole = path.read_bytes()
    refused = 0
    for sign in range(15, len(whole), 40):
        path.write_bytes(whole[:sign] + b"\x80" + whole[sign + 1 :])
        try:
            load_results(path)
        except ResultsError:
            refused += 1
    assert refused > 0


def test_truncated_feather_and_gzip(tmp_path, refused, long_frame):
    path = tmp_path / "a.feather"
    long_frame.to_feather(path)
    path.write_bytes(path.read_bytes()[:-40])
    refused(path, says=("damaged Feather",))
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(CSV.encode())[:-9])
    refused(packed, says=("damaged or truncated",))


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
    assert "checksum" not in load_results(path).read_as[0]
    long_frame.to_parquet(tmp_path / "foreign.parquet")
    assert "without a checksum" in load_results(tmp_path / "foreign.parquet").read_as[0]
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 11), path)
    refused(path, says=("not what was written",))


SCORES = "{},0.9,0.8\nwine,0.7,0.6\nglass,0.5,0.4\n"


def test_wrong_encodings(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_bytes(b"dataset,A,B\nx\x81,0.9,0.8\n")
    with pytest.raises(ResultsError, match="line 2: byte 14 is not UTF-8") as caught:
        load_results(path)
    assert not caught.value.retry
    assert refused(path, encoding="cp1252", says=("is not cp1252",))
    assert load_results(path, encoding="latin-1").n_tasks == 1
    refused(path, encoding="windows", says=("encoding: 'windows' is not known",))


def test_all_options_for_german_excel_are_suggested_at_once(tmp_path):
    """German Excel: semicolons, decimal commas, and no Unicode."""
    path = tmp_path / "a.csv"
    text = "Datensatz;Verfahren;Fehlerrate (%)\n" + "".join(
        f"{d};{a};{v}\n" for d in ("Köln", "Ulm", "Bonn") for a, v in (("A", "7,25"), ("B", "9,5"))
    )
    path.write_bytes(text.encode("cp1252"))
    with pytest.raises(ResultsError, match="if the cell is 'Köln'"):
        load_results(path)
    table, line = pasted(path)
    assert line == "occstats compare a.csv --encoding cp1252 --decimal ,"
    assert (table.algorithms, table.higher_is_better) == (["A", "B"], False)
    assert table.scores.to_numpy().tolist() == [[7.25, 9.5]] * 3
    assert "Köln" in table.clusters


TWO_ROWS = [
    "dataset,SVM,,RF,\n,acc,f1,acc,f1\n",
    ",SVM,SVM,RF,RF\n,acc,f1,acc,f1\ndataset,,,,\n",
    "model,SVM,SVM,RF,RF\nmetric,acc,f1,acc,f1\ndataset,,,,\n",
]
ROWS = "iris,0.9,0.8,0.7,0.6\nwine,0.91,0.82,0.73,0.64\nglass,0.5,0.4,0.3,0.2\n"


@pytest.mark.parametrize("head", TWO_ROWS)
def test_two_header_rows_are_joined_as_suggested(tmp_path, head):
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


def test_two_header_rows_of_a_workbook_and_a_frame(tmp_path):
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


def test_row_of_failures_is_not_a_header(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM,RF\niris,TIMEOUT,OOM\n" + SCORES.format("x"))
    assert load_results(path).n_tasks == 3
    refused(path, header_rows=0, says=("header_rows: must be a positive integer",))


def test_marks_of_significance_after_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM,RF\nx,0.9*,0.8\ny,**0.7**,0.6 †\nz,0.5 ± 0.1**,0.4\n")
    assert load_results(path).scores.to_numpy().tolist() == [[0.9, 0.8], [0.7, 0.6], [0.5, 0.4]]


def test_text_column_is_named_if_one_algorithm_is_left(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("dataset,SVM,RF\niris,0.9,good\nwine,0.7,bad\nglass,0.5,bad\n")
    with pytest.raises(ResultsError) as caught:
        load_results(path).resolve_missing()
    assert str(caught.value).startswith(
        f"{path}: the column 'RF' holds text ('good'), so it is not an algorithm"
    )


@pytest.fixture
def wide():
    rng = np.random.default_rng(0)
    scores = {name: rng.uniform(size=8) for name in ("SVM", "RF", "XGB")}
    return pd.DataFrame({"dataset": [f"d{i}" for i in range(8)]} | scores)


@pytest.mark.parametrize("take", [lambda t: t, polars.from_arrow, duckdb.from_arrow])
def test_frames_of_other_libraries(wide, take):
    frame = take(pa.Table.from_pandas(wide))
    assert load_results(frame).scores.equals(load_results(wide).scores)


def test_types_of_polars(wide, refused):
    frame = polars.from_pandas(wide)
    typed = frame.with_columns(
        polars.col("dataset").cast(polars.Enum(frame["dataset"])),
        polars.col(polars.Float64).cast(polars.Decimal(20, 10)),
    )
    scores = load_results(typed).scores
    pd.testing.assert_frame_equal(scores, load_results(wide).scores.round(10), rtol=1e-15)
    refused(frame.lazy(), says=("'LazyFrame'", ".collect()"))
