"""Grids, smoothing and selection against hand-worked cases and brute force."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from occstats.errors import ArgumentError
from occstats.experiment.tasks import Task, size_for_task
from occstats.tuning.grids import (
    PAPER,
    Axis,
    check_names,
    parse_grid,
    with_grids,
    with_windows,
)
from occstats.tuning.recipes import SweepRecipe, make_sweep_recipes
from occstats.tuning.selection import choices, find_optimum
from occstats.tuning.table import GridMeans, expand, rolling_mean


def grid_of(means, windows=(1,), rule="plain"):
    means = np.asarray(means, dtype=float)
    axes = tuple(
        Axis(name, name, rule, tuple(range(1, size + 1)), window)
        for name, size, window in zip("ab", means.shape[1:], windows, strict=False)
    )
    recipe = SweepRecipe("D", "pkg:D", axes=axes, descriptor="D")
    return GridMeans(recipe, [f"d{i}" for i in range(len(means))], means)


# --- grids


def test_the_papers_grids_steps_and_windows():
    # tests/reference/defaults.csv: resolution 1, 0.01, 0.1; window 3, 101, 11 (SVM: see grids.py)
    sizes = {name: [len(axis.values) for axis in axes] for name, axes in PAPER.items()}
    assert sizes == {
        "NND": [40],
        "LNND": [1000],
        "LOF": [1000],
        "SVM": [46, 46],
        "ALP": [100, 100],
    }
    assert PAPER["LOF"][0].values[326] == 3.27
    assert PAPER["SVM"][1].values[-1] == 0.5
    assert [axis.window for axis in PAPER["ALP"]] == [11, 11]


def test_sizes_are_those_of_the_task_and_never_more_than_its_folds_have():
    task = Task("d", "c", n=97, m=60, rows=208)
    # 97 targets: the smallest training part is 77, so n' = 76
    assert PAPER["NND"][0].resolved(task) == list(range(1, 41))
    assert PAPER["LOF"][0].resolved(task)[339] == size_for_task(3.4, 97) == 15
    assert PAPER["SVM"][1].resolved(task)[20] == pytest.approx(15.0)
    tiny = Task("d", "c", n=5, m=7, rows=10)
    assert set(PAPER["NND"][0].resolved(tiny)) == {1, 2, 3}
    assert max(PAPER["ALP"][1].resolved(tiny)) == 3


@settings(deadline=None)
@given(st.integers(5, 3000), st.floats(0.01, 10))
def test_a_setting_comes_to_the_size_that_was_swept(n, a):
    from occstats.experiment.estimators import Recipe, make_estimator

    task = Task("d", "c", n=n, m=2, rows=2 * n)
    for axis in [Axis("a", "k", "log", (a,)), Axis("k", "k", "count", (round(10 * a) + 1,))]:
        recipe = Recipe("NND", "NND", {"k": axis.setting(axis.values[0])})
        assert make_estimator(recipe, 0, n=task.n).k == axis.resolved(task)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=0.1:0.3:0.1", ("a", (0.1, 0.2, 0.3))),
        ("k=1:9:4", ("k", (1, 5, 9))),
        ("k=2:2:1", ("k", (2,))),
        ("x = 3, 1e-3 ,yes", ("x", (3, 0.001, "yes"))),
        ("flag=true,false", ("flag", (True, False))),
    ],
)
def test_grids_are_read(text, expected):
    assert parse_grid(text) == expected


def test_a_grid_is_as_long_as_it_has_values_wherever_it_begins():
    assert parse_grid("c=90000:90001:1")[1] == (90_000, 90_001)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "expected name=start:stop:step"),
        ("=1,2", "expected name=start:stop:step"),
        ("a=", "expected name=start:stop:step"),
        ("a=1:2", "three numbers"),
        ("a=1:x:2", "three numbers"),
        ("a=2:1:1", "start ≤ stop"),
        ("a=1:2:0", "step > 0"),
        ("a=1:inf:1", "finite"),
        ("a=0:1:1e-9", "more than 100000 values"),
    ],
)
def test_bad_grids_are_refused(text, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        parse_grid(text)
    assert "\n" not in str(caught.value)


def test_grids_go_to_the_descriptors_that_have_them():
    recipes = make_sweep_recipes(
        ["NND", "SVM"], metrics=["manhattan"], grids={"k": [1, 2], "SVM.nu": [0.1]}
    )
    assert [[(a.name, len(a.values)) for a in r.axes] for r in recipes] == [
        [("k", 2)],
        [("nu", 1), ("c", 46)],
    ]
    # LOF over numbers of neighbours instead of factors of log n: no smoothing that nobody asked for
    (axis,) = with_grids("LOF", "LOF", {"k": [1, 5]})
    assert (axis.rule, axis.window) == ("count", 1)


@pytest.mark.parametrize(
    ("descriptors", "grids", "message"),
    [
        (["NND"], {"kk": [1]}, r"has no parameter 'kk' \(did you mean 'k'\?\)"),
        (["NND"], {"LOF.a": [1]}, "is for LOF, which is not among"),
        (["NND"], {"k": []}, "has no values"),
        (["NND"], {"k": [1, 1]}, "has a value twice"),
        (["NND"], {"k": [0, 1]}, "positive integers, got 0"),
        (["NND"], {"k": [1.5]}, "positive integers, got 1.5"),
        (["LOF"], {"a": ["x"]}, "positive numbers, got 'x'"),
        (["LOF"], {"a": [2.0, 1.0]}, "must increase"),
        (["SVM"], {"nu": [0.5, 1.5]}, r"numbers in \(0, 1\]"),
        (["MD"], {}, "MD has no default grid"),
    ],
)
def test_grids_that_mean_nothing_are_refused(descriptors, grids, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        make_sweep_recipes(descriptors, grids=grids)
    assert str(caught.value).startswith("--grid")


@pytest.mark.parametrize("window", [0, 2, -1])
def test_windows_are_odd(window):
    with pytest.raises(ArgumentError, match=f"odd number of grid points .* got {window}"):
        with_windows("LOF", PAPER["LOF"], {"a": window})


def test_metrics_are_checked():
    with pytest.raises(ArgumentError, match="expected manhattan or euclidean, got 'cosine'"):
        make_sweep_recipes(["NND"], metrics=["cosine"])
    with pytest.raises(ArgumentError, match="distinct"):
        make_sweep_recipes(["NND"], metrics=["manhattan", "manhattan"])


def test_check_names_takes_parameters_of_any_estimator():
    check_names(["nu", "gamma"], {"OneClassSVM": "sklearn.svm:OneClassSVM"})


# --- smoothing


@settings(deadline=None)
@given(
    hnp.arrays(float, st.integers(1, 40), elements=st.floats(0, 1)),
    st.integers(0, 30).map(lambda half: 2 * half + 1),
)
def test_curves_are_smoothed_as_pandas_does_with_partial_windows(curve, window):
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


def test_a_stack_of_planes_is_smoothed_plane_by_plane():
    planes = np.random.default_rng(1).random((3, 5, 4))
    stacked = rolling_mean(planes, [3, 3])
    np.testing.assert_allclose(stacked, [rolling_mean(plane, [3, 3]) for plane in planes])


# --- selection


def test_optimum_flatness_and_edge_by_hand():
    # mean over the data sets: .70 .7995 .80 .7992 .70
    grid = grid_of([[0.6, 0.8, 0.9, 0.7984, 0.6], [0.8, 0.799, 0.7, 0.8, 0.8]])
    found = find_optimum(grid, n_resamples=200)
    assert (found.values, found.score) == ({"a": 3}, pytest.approx(0.8))
    assert found.flat == {"a": (2, 4)}
    assert found.flat_share == pytest.approx(3 / 5)
    assert not found.at_edge
    low, high = found.interval["a"]
    # with only the second data set drawn, 1, 4 and 5 are best together: the middle one counts
    assert low <= 3 <= high


def test_every_data_set_counts_the_same_and_planes_are_two_dimensional():
    rng = np.random.default_rng(2)
    grid = grid_of(rng.random((6, 5, 7)), windows=(3, 5))
    found = find_optimum(grid, n_resamples=50)
    surface = rolling_mean(grid.means.mean(axis=0), [3, 5])
    at = np.unravel_index(surface.argmax(), surface.shape)
    assert found.values == {"a": at[0] + 1, "b": at[1] + 1}
    assert found.score == pytest.approx(surface.max())
    for name in "ab":
        assert found.interval[name][0] <= found.interval[name][1]


def test_an_optimum_at_an_end_of_the_grid_is_reported_but_one_neighbour_is_no_end():
    falling = [[0.9, 0.8, 0.7, 0.6, 0.5]]
    assert find_optimum(grid_of(falling, windows=(3,)), n_resamples=10).at_edge
    assert not find_optimum(grid_of(falling, windows=(3,), rule="count"), n_resamples=10).at_edge
    rising = [[0.5, 0.6, 0.7, 0.8, 0.9]]
    assert find_optimum(grid_of(rising, windows=(3,), rule="count"), n_resamples=10).at_edge


def test_points_without_a_score_are_never_chosen():
    grid = grid_of([[0.9, np.nan, 0.5], [0.1, 0.9, 0.6]])
    found = find_optimum(grid, n_resamples=20)
    assert found.values == {"a": 3}
    assert choices(grid)["d0"] == {"a": 2}  # where only d0 lacks a score, d1 has one


def test_leaving_one_out_equals_forgetting_it():
    rng = np.random.default_rng(3)
    grid = grid_of(rng.random((5, 6, 4)), windows=(3, 3))
    chosen = choices(grid)
    for number, dataset in enumerate(grid.datasets):
        others = grid_of(np.delete(grid.means, number, axis=0), windows=(3, 3))
        assert chosen[dataset] == find_optimum(others, n_resamples=5).values
    assert choices(grid_of([[0.1, 0.2]])) == {}


# --- expansion


def test_rows_are_expanded_to_the_grid_and_averaged_over_folds_tasks_and_data_sets():
    axis = Axis("k", "k", "count", (1, 2, 3, 9))
    recipe = SweepRecipe("NND", "NND", axes=(axis,), descriptor="NND", metric="manhattan")

    def rows(dataset, target, n, scores, status="ok"):
        return [
            dict(
                zip(
                    ["dataset", "class", "descriptor", "fold", "parameters"],
                    [dataset, target, "NND", fold, f'{{"k": {k}}}'],
                    strict=True,
                ),
                auroc=score,
                n=n,
                m=2,
                status=status,
            )
            for k, of_folds in scores.items()
            for fold, score in enumerate(of_folds)
        ]

    table = pd.DataFrame(
        # five targets: no more than three neighbours, which stand for the grid's 3 and 9
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
    # a fold that is missing or failed leaves no mean
    lacking = expand(table[~((table["class"] == "b") & (table["fold"] == 1))].drop(index=0), recipe)
    assert np.isnan(lacking.means[0]).tolist() == [True, False, False, False]
