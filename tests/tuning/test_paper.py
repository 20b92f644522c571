"""The paper's experiment in one command, on small datasets."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.neighbors import NearestNeighbors

import occstats
from occstats.cli import main
from occstats.experiment.store import Store
from occstats.experiment.worker import make_search
from occstats.tuning import paper

DATA = os.environ.get("OCCSTATS_DATA")


@pytest.fixture
def coarse(monkeypatch):
    """Use grids of a few points, and only some of the nine descriptors."""
    some = [recipe for recipe in paper.paper_recipes() if recipe.name in {"LNND", "MD", "IF"}]
    monkeypatch.setattr(paper, "paper_recipes", lambda: some)
    few = {
        name: tuple(
            type(axis)(**{**vars(axis), "values": axis.values[:: max(1, len(axis.values) // 3)]})
            for axis in axes
        )
        for name, axes in paper.PAPER.items()
    }
    monkeypatch.setattr("occstats.tuning.grids.PAPER", few)


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(3)
    folder = tmp_path / "data"
    folder.mkdir()
    for name, sizes in {"wine": [12, 10], "iris": [14, 8], "large": [200, 60]}.items():
        labels = np.repeat([str(i + 1) for i in range(len(sizes))], sizes)
        X = rng.normal(size=(len(labels), 3)) + np.repeat(np.arange(len(sizes)), sizes)[:, None]
        frame = pd.DataFrame(X, columns=list("xyz")).assign(**{"class": labels})
        frame.to_parquet(folder / f"{name}.parquet")
    return folder


def test_one_command_sweeps_chooses_runs_and_compares(coarse, data, tmp_path, monkeypatch):
    out = tmp_path / "out"
    reports = []
    monkeypatch.setattr(occstats.Comparison, "write", lambda self, folder: reports.append(folder))
    command = ["run", "--preset", "paper", "--fast", "--data", str(data), "--out", str(out)]
    done = CliRunner().invoke(main, [*command, "-j", "1", "--json"])
    assert done.exit_code == 0, done.output
    assert "2 datasets (4 tasks): roughly" in done.stderr
    assert "wine: has 3 attributes, the paper's 13" in done.stderr
    assert "scikit-learn's KD-tree" in done.stderr
    rows = Store(out / "results").read()
    assert len(rows) == 4 * 3 * 5
    forest = rows[rows["descriptor"] == "IF"]["parameters"].map(json.loads)
    assert {row["sampling"] for row in forest} == {"scikit-learn-0.22"}
    assert (out / "published.md").read_text().startswith("# Published numbers and ours")
    assert reports == [out / "report"]
    before = rows["fit_seconds"].tolist()
    assert CliRunner().invoke(main, [*command, "-j", "1"]).exit_code == 0
    assert Store(out / "results").read()["fit_seconds"].tolist() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--preset", "papper"], "did you mean 'paper'?"),
        (["--fast"], "--fast is for --preset paper"),
        (["--preset", "paper", "--datasets", "iris"], "at least two datasets"),
    ],
)
def test_wrong_uses_of_the_preset_are_refused_before_the_sweep(options, message, tmp_path):
    done = CliRunner().invoke(main, ["run", *options, "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_neighbours_are_in_the_order_of_the_tree():
    rows = np.random.default_rng(1).integers(0, 3, size=(80, 2)).astype(float)
    queries = rows[::7] + 0.5
    ours = make_search(rows, metric="manhattan", order="kd-tree")
    tree = NearestNeighbors(algorithm="kd_tree", leaf_size=30, metric="manhattan").fit(rows)
    distances, indices = tree.kneighbors(queries, 9)
    np.testing.assert_array_equal(ours.query(queries, 9).indices, indices)
    # The first neighbour of a row is dropped as the row itself, even if it is a duplicate.
    distances, indices = tree.kneighbors(rows, 6)
    np.testing.assert_array_equal(ours.training(5).indices, indices[:, 1:])
    np.testing.assert_array_equal(ours.training(5).distances, distances[:, 1:])
    by_index = make_search(rows, metric="manhattan", order="index").query(queries, 9)
    np.testing.assert_array_equal(by_index.distances, ours.query(queries, 9).distances)
    assert not np.array_equal(by_index.indices, ours.query(queries, 9).indices)


@pytest.mark.skipif(DATA is None, reason="OCCSTATS_DATA is not set")
def test_the_isolation_forest_agrees_to_the_printed_digits():
    fast = ["iris", "wine", "seeds"]
    missing = [name for name in fast if not Path(DATA, f"{name}.parquet").exists()]
    if missing:
        pytest.skip(f"OCCSTATS_DATA lacks {', '.join(missing)}")
    (forest,) = [recipe for recipe in paper.paper_recipes() if recipe.name == "IF"]
    table = occstats.run_experiment(DATA, datasets=fast, descriptors=[forest], jobs=1)
    ours = table.groupby(["dataset", "class"])["auroc"].mean()
    published = occstats.load_results("lenz2021").scores["IF"].loc[ours.index]
    assert (ours - published).abs().le(0.0005 + 1e-9).all()
