"""The paper's experiment in one command, on data sets that are quick to run."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.neighbors import NearestNeighbors

from occstats.cli import main
from occstats.experiment.evaluate import make_search
from occstats.experiment.store import Store
from occstats.report.published import nearness
from occstats.tuning import paper

DATA = os.environ.get("OCCSTATS_DATA")


@pytest.fixture
def coarse(monkeypatch):
    """Grids of a few points, so that the sweep takes seconds."""
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


def test_one_command_sweeps_chooses_runs_and_compares(coarse, data, tmp_path):
    out = tmp_path / "out"
    command = ["run", "--preset", "paper", "--fast", "--data", str(data), "--out", str(out)]
    done = CliRunner().invoke(main, [*command, "-j", "1", "--json"])
    assert done.exit_code == 0, done.output
    assert "2 datasets (4 tasks): roughly" in done.stderr
    assert "wine: has 3 attributes, the paper's 13" in done.stderr
    assert "scikit-learn's KD-tree" in done.stderr
    rows = Store(out / "results").read()
    assert len(rows) == 4 * 9 * 5
    forest = rows[rows["descriptor"] == "IF"]["parameters"].map(json.loads)
    assert {row["sampling"] for row in forest} == {"scikit-learn-0.22"}
    assert (out / "published.md").read_text().startswith("# Published numbers and ours")
    assert (out / "report" / "comparison.json").exists()
    before = rows["fit_seconds"].tolist()
    assert CliRunner().invoke(main, [*command, "-j", "1"]).exit_code == 0
    assert Store(out / "results").read()["fit_seconds"].tolist() == before


def test_the_preset_settles_what_it_is_about(tmp_path):
    done = CliRunner().invoke(main, ["run", "--preset", "paper", "--seed", "3"])
    assert done.exit_code == 2
    assert "--preset paper settles" in done.stderr


def test_neighbours_of_the_preset_are_in_the_order_of_the_tree():
    rows = np.random.default_rng(1).integers(0, 3, size=(80, 2)).astype(float)
    queries = rows[::7] + 0.5
    ours = make_search(rows, metric="manhattan", order="kd-tree")
    tree = NearestNeighbors(algorithm="kd_tree", leaf_size=30, metric="manhattan").fit(rows)
    distances, indices = tree.kneighbors(queries, 9)
    np.testing.assert_array_equal(ours.query(queries, 9).indices, indices)
    # A row's first neighbour is taken for itself, even where a duplicate comes first.
    distances, indices = tree.kneighbors(rows, 6)
    np.testing.assert_array_equal(ours.training(5).indices, indices[:, 1:])
    np.testing.assert_array_equal(ours.training(5).distances, distances[:, 1:])
    by_index = make_search(rows, metric="manhattan", order="index").query(queries, 9)
    np.testing.assert_array_equal(by_index.distances, ours.query(queries, 9).distances)
    assert not np.array_equal(by_index.indices, ours.query(queries, 9).indices)


def test_nearness_counts_like_with_like():
    tasks = pd.MultiIndex.from_tuples([("a", "1"), ("a", "2"), ("b", "1")])
    published = pd.DataFrame({"X": [0.9, 0.8, 0.7], "Y": [0.6, 0.7, 0.8]}, index=tasks)
    ours = (published + np.array([[0.0005, 0.006], [0.0, 0.0], [0.001, 0.1]])).iloc[[2, 0, 1]]
    near = nearness(ours.iloc[:2], published)
    assert near.loc["X"].iloc[:4].tolist() == [2, 1, 2, 2]
    assert near.loc["Y"].iloc[:4].tolist() == [2, 0, 0, 1]
    # each data set counts the same: (0.9005 + 0.701) / 2
    assert near.loc["X", "mean"] == pytest.approx(0.80075)


@pytest.mark.skipif(DATA is None, reason="OCCSTATS_DATA does not name a folder of data sets")
def test_the_forest_of_the_paper_comes_out_to_its_digits():
    import occstats

    fast = ["iris", "wine", "seeds"]
    missing = [name for name in fast if not Path(DATA, f"{name}.parquet").exists()]
    if missing:
        pytest.skip(f"OCCSTATS_DATA lacks {', '.join(missing)}")
    (forest,) = [recipe for recipe in paper.paper_recipes() if recipe.name == "IF"]
    table = occstats.run_experiment(DATA, datasets=fast, descriptors=[forest], jobs=1)
    ours = table.groupby(["dataset", "class"])["auroc"].mean()
    published = occstats.load_results("lenz2021").scores["IF"].loc[ours.index]
    assert (ours - published).abs().le(0.0005 + 1e-9).all()
