"""Run times: samples, rows, files, and the command."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
from occstats.errors import DataError
from occstats.experiment.timing import COLUMNS, RowPool, generated_rows, measure_times, rows_of_file

QUICK = {"sizes": [64, 128], "n_samples": 2, "n_queries": 16, "progress": False}


@pytest.fixture
def recorded(monkeypatch):
    """Return the training rows and queries of all fits."""
    seen = []

    def record(estimator, train, queries, **options):
        seen.append((train, queries))
        return np.zeros(len(queries)), 0.1, 0.1

    monkeypatch.setattr("occstats.experiment.timing.fit_and_score", record)
    return seen


def test_one_row_per_descriptor_size_and_sample():
    table = measure_times(descriptors=["NND", "MD"], **QUICK)
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 2 * 2 * 2
    assert not table.duplicated(["descriptor", "n", "repetition"]).any()
    assert (table["status"] == "ok").all()
    assert (table[["fit_seconds", "query_seconds"]] > 0).all(axis=None)
    assert set(table["m"]) == {28}


def test_training_rows_and_queries_are_distinct(recorded):
    rows = np.arange(300.0)[:, None] * [1.0, 1.0]
    measure_times(RowPool(rows, "counted"), descriptors=["NND"], **QUICK)
    # Two warm-ups, one with as many queries as the samples; then two samples of each of two sizes.
    assert [len(queries) for _, queries in recorded[:2]] == [8, 64]
    measured = recorded[2:]
    sizes = [(len(train), len(queries)) for train, queries in measured]
    assert sizes == [(64, 16), (64, 16), (128, 16), (128, 16)]
    for train, queries in measured:
        together = np.vstack([train, queries])
        assert len(np.unique(together[:, 0])) == len(together)
        # Scaled by the interquartile range of the training rows.
        low, high = np.percentile(train[:, 0], [25, 75])
        assert high - low == pytest.approx(1)
    assert not np.array_equal(measured[0][0], measured[1][0])


def test_samples_depend_only_on_the_seed(recorded):
    pool = generated_rows(200, 3)
    for seed in (0, 0, 1):
        measure_times(pool, descriptors=["NND"], seed=seed, **QUICK)
    first, again, other = (recorded[start : start + 6] for start in (0, 6, 12))
    same = [np.array_equal(a[1], b[1]) for a, b in zip(first, again, strict=True)]
    assert all(same)
    assert not np.array_equal(first[2][1], other[2][1])


def test_slow_descriptors_are_skipped_on_larger_samples():
    table = measure_times(descriptors=["MD"], **{**QUICK, "limit": 1e-9})
    assert table["status"].tolist() == ["ok", "ok", "skipped", "skipped"]
    assert table.query("n == 128")["fit_seconds"].isna().all()


def test_a_table_without_header_is_read_like_higgs(tmp_path):
    path = tmp_path / "HIGGS.csv.gz"
    rows = np.random.default_rng(0).normal(size=(50, 3))
    rows[:, 0] = 1.0
    with gzip.open(path, "wt") as file:
        file.writelines(",".join(f"{value:.18e}" for value in row) + "\n" for row in rows)
    pool = rows_of_file(path, label="0")
    # pandas before 3.1 parses a third of such numbers with a wrong last bit.
    np.testing.assert_allclose(pool.rows, rows[:, 1:], rtol=1e-15)
    assert rows_of_file(path).rows.shape == (50, 3)


def test_numeric_columns_of_a_table_are_read(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2, np.nan], "word": list("xyz"), "class": [0, 1, 0]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        assert rows_of_file(tmp_path / name, label="class").rows.tolist() == [[1.0], [2.0]]
        with pytest.raises(DataError, match="has no column 'label'; it has a, word, class"):
            rows_of_file(tmp_path / name, label="label")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("no.csv", None, "no such file"),
        ("words.csv", b"a,b\nx,y\n", "no rows of numbers"),
        ("t.txt", b"1,2\n", "expected .csv"),
        ("empty.csv", b"", "cannot read"),
    ],
)
def test_unreadable_files_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=message):
        rows_of_file(path)


def run(*arguments):
    return CliRunner().invoke(main, ["time", *map(str, arguments)])


def test_command_writes_table_and_figure(tmp_path):
    out = tmp_path / "times"
    done = run("--descriptors", "MD", "--sizes", "64,128", "--samples", 1, "--queries", 16,
               "--attributes", 4, "--format", "svg", "--out", out)  # fmt: skip
    assert done.exit_code == 0, done.output
    written = sorted(path.name for path in out.glob("[!.]*"))
    assert written == ["times.csv", "times.parquet", "times.svg"]
    table = pd.read_csv(out / "times.csv")
    assert set(table["m"]) == {4}
    assert "construction s" in done.output
    done = run("--descriptors", "MD", "--sizes", "64", "--samples", 1, "--queries", 8,
               "--format", "none", "--out", tmp_path / "t", "--json")  # fmt: skip
    document = json.loads(done.output)
    assert [row["n"] for row in document["times"]] == [64]
