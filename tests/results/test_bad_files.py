"""Files that are no results: each is refused in one line that says what to do, and none is run."""

import gzip
import json
import os
import pickle
import socket
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from occstats.results import load_results

CSV = "dataset,class,descriptor,auroc\nx,0,A,0.5\nx,0,B,0.6\n"


def test_missing_path_suggests_bundled_and_neighbouring_names(tmp_path, refused):
    refused("lenz2012", says=("lenz2012: ", "did you mean 'lenz2021'?"))
    (tmp_path / "results.csv").write_text(CSV)
    refused(tmp_path / "result.csv", says=("result.csv", "did you mean 'results.csv'?"))
    refused(tmp_path / "nowhere" / "a.csv", says=("nor is there a folder", "nowhere"))
    refused("", says=("path is empty",))
    refused(says=("none given",))
    refused(3, says=("'int'",))


@pytest.mark.parametrize("path", ["a\0b.csv", "x" * 300 + ".csv"])
def test_impossible_path(path, refused):
    refused(path, says=("check the path",))


def test_directory_without_results(tmp_path, refused):
    refused(tmp_path, says=("folder without results", "holds nothing"))
    (tmp_path / "notes.txt").write_text("hello")
    refused(tmp_path, says=("'notes.txt'",))


def test_empty_and_blank_files(tmp_path, refused):
    for name in ("a.csv", "a.parquet", "a.jsonl", "a.feather"):
        (tmp_path / name).write_bytes(b"")
        refused(tmp_path / name, says=(name, "empty"))
    (tmp_path / "b.csv").write_text("\n \n")
    refused(tmp_path / "b.csv", says=("only blanks",))


def test_header_without_rows(tmp_path, refused, long_frame):
    for text in ("dataset,class,descriptor,auroc\n", "dataset,class,descriptor,auroc"):
        (tmp_path / "a.csv").write_text(text)
        refused(tmp_path / "a.csv", says=("no rows",))
    long_frame.iloc[:0].to_parquet(tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", says=("no rows",))
    refused(long_frame.iloc[:0], says=("no rows",))


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.parquet", CSV.encode(), "is called .parquet but holds"),
        ("a.feather", CSV.encode(), "is called .feather but holds"),
        ("a.csv", b"<!DOCTYPE html>\n<html>", "web page"),
        ("a.parquet", b"\n<html><body>404", "web page"),
        ("a.csv", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "git lfs pull"),
        ("a.parquet", b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        ("a.csv", b"PK\x03\x04rest", "ZIP"),
        ("a.csv", b"PK\x03\x04....[Content_Types].xml", "is called .csv but holds Excel"),
        ("a.csv", b"\x89HDF\r\n", "HDF5"),
        ("a.csv", b"SQLite format 3\0", "SQLite"),
        ("a.csv", b"\xfd7zXZ\x00", "xz"),
    ],
)
def test_something_else_than_it_is_called(tmp_path, refused, name, content, words):
    (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, says=(name, words))


def test_parquet_called_csv(tmp_path, refused, long_frame):
    long_frame.to_parquet(tmp_path / "a.csv")
    refused(tmp_path / "a.csv", says=("is called .csv but holds Parquet", "rename"))


class Bomb:
    """A pickle that leaves a trace if it is ever loaded."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self):
        return os.mkdir, (str(self.trace),)


@pytest.mark.parametrize("name", ["a.pkl", "a.joblib", "a.csv", "a.parquet", "noending"])
@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_pickles_are_never_loaded(tmp_path, refused, name, protocol):
    trace = tmp_path / "loaded"
    (tmp_path / name).write_bytes(pickle.dumps(Bomb(trace), protocol=protocol))
    message = refused(tmp_path / name)
    assert protocol == 0 or "pickle" in message
    assert not trace.exists()


def test_joblib_is_never_loaded(tmp_path, refused):
    import joblib

    joblib.dump({"a": np.zeros(3)}, tmp_path / "a.dat", compress=3)
    refused(tmp_path / "a.dat", says=("pickle or joblib",))


def test_pipes_devices_and_sockets(tmp_path, refused):
    os.mkfifo(tmp_path / "pipe.csv")
    refused(tmp_path / "pipe.csv", says=("named pipe",))
    refused("/dev/null", says=("device",))
    # A socket's path may have about a hundred characters, which pytest's folder can exceed.
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


def test_parquet_with_too_many_rows_is_not_unpacked(tmp_path, refused):
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


def test_rows_of_shards_are_added_up(tmp_path, refused, long_frame):
    for i in range(3):
        long_frame.assign(fold=i).to_parquet(tmp_path / f"{i}.parquet")
    refused(tmp_path, max_rows=30, says=("36 rows",))
    assert load_results(tmp_path, max_rows=36).n_tasks == 6


def test_feather_that_unpacks_to_too_much(tmp_path, refused):
    path = tmp_path / "bomb.feather"
    table = pa.table({"dataset": pa.array(["a" * 1000] * 100_000)})
    pa.feather.write_feather(table, path, compression="zstd")
    assert path.stat().st_size < 500_000
    refused(path, max_rows=100_000, says=("bytes or more when unpacked", "max_rows"))
    refused(path, max_rows=1_000, says=("rows, more than the limit of 1,000",))


def test_gzip_that_unpacks_to_too_much(tmp_path, refused):
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"dataset,A,B\n" + b"x" * 70_000_000, 1))
    assert path.stat().st_size < 1_000_000
    refused(path, max_rows=10_000, says=("bytes or more when unpacked", "max_rows"))
    path.write_bytes(gzip.compress(b"dataset,A,B\n" + b"x,1,2\n" * 200_000))
    refused(path, max_rows=100_000, says=("rows, more than the limit of 100,000",))


def test_text_with_too_much(tmp_path, refused):
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
# The peak of this program alone: that of getrusage begins at the peak of what started it.
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
        (equal_rows, "a.parquet", "with a key that stands there already"),
        (zeros, "a.csv", "bytes or more when unpacked"),
        (packed_zeros, "a.csv.gz", "bytes or more when unpacked"),
        (one_line, "a.csv", "a line of more than"),
        (many_columns, "a.csv", "90,003 columns"),
        (long_names, "a.csv", "20,000 tasks"),
    ],
)
def test_work_and_memory_are_bounded(tmp_path, make, name, says):
    """Seconds of the processor and memory, far below what exhausts a machine, not a speed test."""
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
    # Five seconds are the aim; a machine under load counts more for the same work.
    assert float(seconds) < 20


def test_memory_that_does_not_suffice_is_said(monkeypatch, refused, long_frame):
    def exhaust(*_):
        raise MemoryError

    monkeypatch.setattr("occstats.results.load._open_sources", exhaust)
    refused(long_frame, says=("the memory does not suffice",))


def test_ragged_rows_and_stray_bytes(tmp_path, refused):
    path = tmp_path / "a.csv"
    path.write_text("dataset,A,B\nx,1,2\ny,1,2,3\n")
    refused(path, says=("line 3", "4 cells where the header has 3"))
    path.write_bytes(b"dataset,A,B\nx,1,2\n\xe9,1,2\n")
    refused(path, says=("line 3", "not UTF-8"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"dataset": "x"\n', "line 1"),
        ('{"dataset": "x"}\n[1]\n', "line 2"),
        ('{"dataset": "x", "dataset": "y"}\n', "'dataset' stands there twice"),
        ('{"a": ' + "[" * 100_000 + "\n", "nested too deeply"),
    ],
)
def test_json_that_is_none(tmp_path, refused, text, words):
    (tmp_path / "a.jsonl").write_text(text)
    refused(tmp_path / "a.jsonl", says=("a.jsonl", words))
