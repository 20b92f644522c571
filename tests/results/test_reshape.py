"""Reshape long and wide tables with folds, repeats and failures."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from occstats.results import load_results

WRITERS = {
    "a.csv": lambda frame, path: frame.to_csv(path, index=False),
    "a.tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "semicolon.csv": lambda frame, path: frame.to_csv(path, index=False, sep=";"),
    "pipe.txt": lambda frame, path: frame.to_csv(path, index=False, sep="|"),
    "bom.csv": lambda frame, path: frame.to_csv(path, index=False, encoding="utf-8-sig"),
    "utf16.txt": lambda frame, path: frame.to_csv(path, index=False, sep="\t", encoding="utf-16"),
    "a.csv.gz": lambda frame, path: frame.to_csv(path, index=False),
    "a.parquet": lambda frame, path: frame.to_parquet(path),
    "large.pq": lambda frame, path: frame.astype({"dataset": "category"}).to_parquet(path),
    "a.jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    "a.json": lambda frame, path: frame.to_json(path, orient="records"),
    "a.jsonl.gz": lambda frame, path: path.write_bytes(
        gzip.compress(frame.to_json(orient="records", lines=True).encode())
    ),
    "noending": lambda frame, path: frame.to_csv(path, index=False),
}


def same(first, second, exact=True):
    """Check that two tables are equal up to the order of tasks and algorithms."""
    columns = sorted(first.algorithms)
    assert columns == sorted(second.algorithms)
    pd.testing.assert_frame_equal(
        first.scores[columns].sort_index(),
        second.scores[columns].sort_index(),
        check_exact=exact,
        check_column_type=False,
    )
    traits = sorted(first.traits.columns)
    pd.testing.assert_frame_equal(
        first.traits[traits].sort_index(), second.traits[traits].sort_index()
    )


@pytest.mark.parametrize("name", WRITERS)
def test_every_file_type_gives_the_same_table(tmp_path, long_frame, name):
    path = tmp_path / name
    WRITERS[name](long_frame, path)
    for source in (path, str(path)):
        results = load_results(source)
        same(results, load_results(long_frame))
        assert results.sources == (str(path),)
        assert results.score_name == "auroc"
        assert results.notes == ()


def test_bundled_table_is_that_of_the_paper():
    results = load_results("lenz2021")
    assert (results.n_tasks, results.n_clusters, results.notes) == (246, 50, ())
    assert set(results.traits) == {"n", "m", "sparsity"}
    assert results.score_name == "auroc"
    assert results.scores.index.names == ["dataset", "class"]
    # weighted mean AUROC of the paper's summary, e.g. ALP 0.817, SVM 0.814, NND 0.805
    means = results.weights @ results.scores[["ALP", "SVM", "NND"]].to_numpy()
    assert means.round(3).tolist() == [0.817, 0.814, 0.805]


def fold_frame(long_frame, folds=3):
    rng = np.random.default_rng(0)
    frame = pd.concat([long_frame.assign(fold=fold) for fold in range(folds)])
    return frame.assign(auroc=rng.random(len(frame)), status="ok").reset_index(drop=True)


def test_repeats_are_averaged_within_folds_and_kept(tmp_path, long_frame):
    once, again = fold_frame(long_frame), fold_frame(long_frame)
    again["auroc"] = 1 - again["auroc"]
    frame = pd.concat([once.assign(seed=1), again.assign(seed=2)])
    results = load_results(frame)
    assert np.allclose(results.scores, 0.5)
    # The spread over folds is that within a repeat, here the same in both.
    pd.testing.assert_frame_equal(results.cvsd, load_results(once).cvsd)
    assert "averaged over repeats" in results.notes[0]
    assert results.fold_scores.columns.names == ["algorithm", "fold", "repeat"]
    assert results.fold_scores.shape == (6, 12)
    assert results.fold_scores[("B", "2", "1")].iloc[0] == once["auroc"][25]
    assert results.fold_scores[("B", "2", "2")].iloc[0] == again["auroc"][25]
    results.to_frame().to_csv(tmp_path / "again.csv", index=False)
    same(load_results(tmp_path / "again.csv"), results)
    odd = frame.rename(columns={"seed": "attempt"})
    assert np.allclose(load_results(odd, repeat="attempt").scores, 0.5)
    without_folds = pd.concat([long_frame.assign(seed=s, auroc=s / 10) for s in (2, 4)])
    results = load_results(without_folds)
    assert np.allclose(results.scores, 0.3)
    assert results.cvsd is results.fold_scores is None


def test_thousands_of_folds_are_refused(long_frame, refused):
    n = 30_000
    frame = pd.DataFrame(
        {
            "dataset": np.arange(n).astype(str),
            "model": "A",
            "accuracy": np.arange(n) / n,
            "fold": np.arange(n),
        }
    )
    refused(frame, says=("30,000 distinct values", "fold=…"))


def test_output_of_the_runner(tmp_path):
    """A folder of shards, with columns that do not matter and types that differ between shards."""
    shared = {
        "descriptor": ["NND", "ALP"],
        "fold": [0, 0],
        "auroc": [0.5, 0.75],
        "status": ["ok", "ok"],
        "error": [None, None],
        "fit_seconds": [0.1, 0.2],
        "query_seconds": [0.1, 0.2],
        "n": [50, 50],
        "m": [4, 4],
        "sparsity": [0.1, 0.1],
        "parameters": [json.dumps({"k": 1}), "{}"],
        "seed": [1, 1],
        "version": ["0.1.0", "0.1.0"],
    }
    for i, task in enumerate((["a", "a"], [0, 0], [True, True])):
        frame = pd.DataFrame({"dataset": [f"d{i}"] * 2, "class": task, **shared})
        frame.to_parquet(tmp_path / f"part-{i}.parquet")
    frame.iloc[:, :3].to_parquet(tmp_path / ".part-9.parquet.tmp")
    frame.iloc[:, :3].to_parquet(tmp_path / ".hidden.parquet")
    (tmp_path / "plan.json").write_text("{}")
    results = load_results(tmp_path)
    assert results.scores.index.to_list() == [("d0", "a"), ("d1", "0"), ("d2", "True")]
    assert results.algorithms == ["NND", "ALP"]
    assert set(results.traits) == {"n", "m", "sparsity"}
    assert results.notes == ()
    assert results.fold_scores is not None


def test_only_needed_columns_are_read(tmp_path, long_frame):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.Table.from_pandas(long_frame)
    table = table.append_column("history", pa.array([[1.0, 2.0]] * len(long_frame)))
    table = table.append_column("when", pa.array([2**61] * len(long_frame), pa.timestamp("us")))
    pq.write_table(table, tmp_path / "a.parquet")
    same(load_results(tmp_path / "a.parquet"), load_results(long_frame))


def test_thousands_of_algorithms(tmp_path):
    names = [f"algorithm {i}" for i in range(1_500)]
    frame = pd.DataFrame(np.random.default_rng(0).random((4, 1_500)), columns=names)
    frame.insert(0, "dataset", list("wxyz"))
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert load_results(tmp_path / "a.csv", lower_is_better=False).algorithms == names
