"""Smoothing, the optimum and its interval, against hand-worked cases and brute force."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from occstats.errors import ResultsError
from occstats.tuning.grids import Axis, SweepRecipe
from occstats.tuning.optimum import GridMeans, expand, rolling_mean


def grid_of(means, windows=(1,), rule="plain"):
    means = np.asarray(means, dtype=float)
    axes = tuple(
        Axis(name, name, rule, tuple(range(1, size + 1)), window)
        for name, size, window in zip("ab", means.shape[1:], windows, strict=False)
    )
    recipe = SweepRecipe("D", "pkg:D", axes=axes, descriptor="D")
    return GridMeans(recipe, [f"d{i}" for i in range(len(means))], means)


@settings(deadline=None)
@given(
    hnp.arrays(float, st.integers(1, 40), elements=st.floats(0, 1)),
    st.integers(0, 30).map(lambda half: 2 * half + 1),
)
def test_curves_are_smoothed_as_by_pandas(curve, window):
    expected = pd.Series(curve).rolling(window, center=True, min_periods=1).mean()
    np.testing.assert_allclose(rolling_mean(curve, [window]), expected, atol=1e-12)


def test_planes_are_smoothed_over_the_points_that_exist():
    plane = np.random.default_rng(0).random((7, 9))
    plane[2, 3] = np.nan
    smooth = rolling_mean(plane, [3, 5])
    for i in range(7):
        for j in range(9):
            part = plane[max(i - 1, 0) : i + 2, max(j - 2, 0) : j + 3]
            assert smooth[i, j] == pytest.approx(np.nanmean(part), abs=1e-12)
    np.testing.assert_allclose(rolling_mean([plane, plane], [3, 5]), [smooth, smooth])


def test_optimum_flatness_and_edge_by_hand():
    # mean over the datasets: .70 .7995 .80 .7992 .70
    grid = grid_of([[0.6, 0.8, 0.9, 0.7984, 0.6], [0.8, 0.799, 0.7, 0.8, 0.8]])
    (found,) = grid.defaults(n_resamples=200)
    assert (found["optimum"], found["score"]) == (3, pytest.approx(0.8))
    assert (found["flat_low"], found["flat_high"]) == (2, 4)
    assert not found["at_edge"]
    # With only the second dataset drawn, 1, 4 and 5 tie, and the first one counts.
    assert (found["ci_low"], found["ci_high"]) == (1, 3)
    (flat,) = grid_of([[0.8] * 5]).defaults(n_resamples=200)
    assert (flat["flat_low"], flat["flat_high"]) == (1, 5)


def test_datasets_have_equal_weight_and_planes_are_two_dimensional():
    rng = np.random.default_rng(2)
    grid = grid_of(rng.random((6, 5, 7)), windows=(3, 5))
    found = grid.defaults(n_resamples=50)
    surface = rolling_mean(grid.means.mean(axis=0), [3, 5])
    at = np.unravel_index(surface.argmax(), surface.shape)
    assert [record["optimum"] for record in found] == [at[0] + 1, at[1] + 1]
    for record in found:
        assert record["score"] == pytest.approx(surface.max())
        assert record["ci_low"] <= record["ci_high"]


def test_an_optimum_at_an_end_of_the_grid_is_reported_except_one_neighbour():
    falling = [[0.9, 0.8, 0.7, 0.6, 0.5]]
    assert grid_of(falling, windows=(3,)).at_edge
    assert not grid_of(falling, windows=(3,), rule="count").at_edge
    rising = [[0.5, 0.6, 0.7, 0.8, 0.9]]
    assert grid_of(rising, windows=(3,), rule="count").at_edge


def test_points_without_a_score_are_never_chosen():
    grid = grid_of([[0.9, np.nan, 0.5], [0.1, 0.9, 0.6]])
    assert grid.values_at(grid.best) == {"a": 3}
    assert grid.choices["d0"] == {"a": 2}  # only d0 lacks a score there
    with pytest.raises(ResultsError, match="no point of the grid has a score on every dataset"):
        grid_of([[np.nan, 0.9], [0.8, np.nan]]).defaults()


def test_leaving_a_dataset_out_equals_a_sweep_without_it():
    rng = np.random.default_rng(3)
    grid = grid_of(rng.random((5, 6, 4)), windows=(3, 3))
    for number, dataset in enumerate(grid.datasets):
        others = grid_of(np.delete(grid.means, number, axis=0), windows=(3, 3))
        assert grid.choices[dataset] == others.values_at(others.best)
    assert grid_of([[0.1, 0.2]]).choices == {}


def test_rows_are_expanded_to_the_grid_and_averaged():
    axis = Axis("k", "k", "count", (1, 2, 3, 9))
    recipe = SweepRecipe("NND", "NND", axes=(axis,), descriptor="NND", metric="manhattan")

    def rows(dataset, target, n, scores):
        task = {"dataset": dataset, "class": target, "descriptor": "NND", "n": n, "m": 2}
        return [
            {**task, "fold": fold, "parameters": f'{{"k": {k}}}', "auroc": score, "status": "ok"}
            for k, of_folds in scores.items()
            for fold, score in enumerate(of_folds)
        ]

    table = pd.DataFrame(
        # Five targets: at most three neighbours, for the grid points 3 and 9.
        rows("d", "a", 5, {1: [0.2, 0.4], 2: [0.5, 0.5], 3: [0.6, 0.8]})
        + rows("d", "b", 50, {1: [0.5, 0.5], 2: [0.1, 0.1], 3: [0.2, 0.2], 9: [1.0, 1.0]})
        + rows("e", "a", 50, {1: [0.5], 2: [0.5], 3: [0.5], 9: [0.5]})
        + [
            {**row, "fold": 1, "auroc": np.nan, "status": "undefined"}
            for row in rows("e", "a", 50, {1: [0], 2: [0], 3: [0], 9: [0]})
        ]
    )
    found = expand(table, recipe)
    assert found.datasets == ["d", "e"]
    np.testing.assert_allclose(found.means, [[0.4, 0.3, 0.45, 0.85], [0.5, 0.5, 0.5, 0.5]])
    np.testing.assert_allclose(found.overall, [0.45, 0.4, 0.475, 0.675])
    # A failed fit leaves no mean.
    failed = table.copy()
    failed.loc[0, ["auroc", "status"]] = np.nan, "failed"
    assert np.isnan(expand(failed, recipe).means[0]).tolist() == [True, False, False, False]
    failed = table.assign(auroc=table["auroc"].where(table["dataset"] != "d"))
    failed.loc[failed["dataset"] == "d", "status"] = "failed"
    assert expand(failed, recipe).datasets == ["e"]


def sweep(noise, seed=0):
    rng = np.random.default_rng(seed)
    level = rng.uniform(0.6, 0.9, (25, 1))
    return level - (np.arange(21) / 20 - 0.4) ** 2 + rng.normal(0, noise, (25, 21))


def interval(means, windows=(1,)):
    (found,) = grid_of(means, windows).defaults(n_resamples=500)
    return found["ci_low"], found["ci_high"]


def test_noise_widens_the_interval_and_smoothing_narrows_it():
    assert interval(sweep(1e-6)) == (9, 9)
    (low, high), (smooth_low, smooth_high) = interval(sweep(0.2)), interval(sweep(0.2), (5,))
    assert 0 < smooth_high - smooth_low < high - low


def test_the_interval_covers_the_truth():
    limits = [interval(sweep(0.05, seed=seed)) for seed in range(60)]
    assert np.mean([low <= 9 <= high for low, high in limits]) >= 0.85


def test_the_first_of_tied_values_counts_and_a_single_dataset_has_no_interval():
    assert grid_of(np.ones((4, 3))).best == (0,)
    assert interval(np.ones((4, 3))) == (1, 1)
    assert np.isnan(interval(np.ones((1, 3)))).all()
