"""The output folder: complete, or unchanged."""

import io
import json

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats import _files as files
from occstats.errors import OutputError
from occstats.report.bundle import contents

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def comparison():
    results = occstats.load_results("lenz2021").select(["ALP", "SVM", "NND"])
    return occstats.compare(results, n_resamples=100)


def content(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.*")}


def test_impossible_folders_are_refused_before_any_move(comparison, tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError

    (tmp_path / "tables" / "summary.csv").mkdir(parents=True)
    with pytest.raises(OutputError, match="is a folder where a file belongs"):
        comparison.write(tmp_path)
    assert not (tmp_path / "comparison.json").exists()
    monkeypatch.setattr(files.tempfile, "mkdtemp", refuse)
    with pytest.raises(OutputError, match="not writable"):
        comparison.write(tmp_path / "report")


def test_files_are_the_same_every_time(comparison, tmp_path):
    one, two = comparison.write(tmp_path / "one"), comparison.write(tmp_path / "two")
    assert content(one) == content(two)


def test_long_frames_are_compressed_and_named_in_the_document(comparison, monkeypatch):
    monkeypatch.setattr("occstats.report.formatted_table.MOST_ROWS", 5)
    found = contents(comparison)
    document = json.loads(found["comparison.json"])
    assert document["pairwise"] == {"rows": 6, "file": "tables/pairwise.csv.gz"}
    assert document["stability"]["leave_one_dataset_out"]["rows"] == 50
    assert isinstance(document["summary"], list)
    written = pd.read_csv(io.BytesIO(found["tables/pairwise.csv.gz"]), compression="gzip")
    assert written["p"].tolist() == comparison.pairwise_full["p"].tolist()


def test_limits_that_do_not_exist_are_null():
    frame = pd.DataFrame(
        {
            "dataset": list("abcdef"),
            "A": [0.9, 0.8, 0.7, 0.9, 0.8, 0.6],
            "B": [0.8, None, 0.6, 0.7, None, 0.5],
        }
    )
    found = occstats.compare(frame, missing="worst", lower_is_better=False, n_resamples=100)
    assert np.isinf(found.pairwise_full[["ci_low", "ci_high"]]).to_numpy().any()
    rows = json.loads(found.to_json())["pairwise"]
    finite = np.isfinite(found.pairwise_full["ci_high"])
    assert [row["ci_high"] is not None for row in rows] == finite.tolist()
