"""Runs, sweeps and times make, seed and limit an estimator in the same way."""

import numpy as np
import pandas as pd
import pytest

from occstats import run_experiment, tune
from occstats.errors import ArgumentError, DataError
from occstats.experiment.estimators import Recipe, make_recipes
from occstats.experiment.timing import measure_times

CHECKING = "misbehaving:Checking"


@pytest.mark.parametrize("given", [{}, {"grids": {"share": [0.1, 0.9]}}])
def test_seed_and_threads_reach_a_stranger_by_every_way(one_target, given):
    run = tune if given else run_experiment
    found = run(one_target, descriptors=[CHECKING], seed="pinned:5", jobs=1, **given)
    rows = found.rows if given else found
    assert rows["error"].dropna().tolist() == [] if not given else set(rows["status"]) == {"ok"}


def test_times_are_measured_with_seed_and_one_thread():
    table = measure_times(
        descriptors=[CHECKING], sizes=[64], n_samples=1, n_queries=8, seed=5, progress=False
    )
    assert table["error"].tolist() == [None]


@pytest.mark.parametrize(
    ("name", "grid"),
    [
        ("IF", {"n_trees": [5]}),
        ("EIF", {"n_trees": [5]}),
        ("sklearn.ensemble:IsolationForest", {"n_estimators": [5]}),
    ],
)
def test_the_seed_of_a_sweep_is_that_of_its_fits(toy, name, grid):
    origin, name = name, name.rpartition(":")[2]
    swept = {
        seed: tune({"toy": toy["toy"]}, descriptors=[origin], grids=grid, seed=seed, jobs=1).rows
        for seed in ("pinned:0", "pinned:1", "3")
    }
    for seed, rows in swept.items():
        alone = run_experiment(
            {"toy": toy["toy"]},
            descriptors=make_recipes([origin]),
            parameters={name: {"toy": {key: values[0] for key, values in grid.items()}}},
            seed=seed,
            jobs=1,
        )
        ordered = rows.sort_values(["class", "fold"], ignore_index=True)["auroc"]
        pd.testing.assert_series_equal(
            ordered, alone.sort_values(["class", "fold"], ignore_index=True)["auroc"]
        )
    assert not swept["pinned:0"]["auroc"].equals(swept["pinned:1"]["auroc"])


def test_numbers_of_numpy_are_numbers_and_print_as_such(toy):
    frames = {"toy": toy["toy"]}
    grids = {"k": np.arange(1, 3)}
    swept = tune(frames, descriptors=["NND"], metrics=["manhattan"], grids=grids, jobs=1)
    assert set(swept.rows["parameters"]) == {'{"k": 1}', '{"k": 2}'}
    with pytest.raises(ArgumentError, match=r"positive integers, got 1\.5$"):
        tune(frames, descriptors=["NND"], grids={"k": [np.float64(1.5)]})
    with pytest.raises(DataError, match=r"^timeout=-1\.0: expected"):
        run_experiment(frames, timeout=np.float64(-1.0))
    recipes = [Recipe("NND", "NND", {"k": np.int64(2)})]
    table = run_experiment(frames, descriptors=recipes, jobs=1)
    assert not table["parameters"].str.contains("np.").any()
