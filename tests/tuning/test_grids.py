"""Grids of hyperparameters: parsing, checks, and values for a task."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats.errors import ArgumentError
from occstats.experiment.estimators import Recipe, make_estimator
from occstats.experiment.tasks import Task, size_for_task
from occstats.tuning.grids import PAPER, Axis, make_sweep_recipes, parse_grid


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


def test_sizes_are_limited_by_the_folds_of_a_task():
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
def test_a_setting_gives_the_size_that_was_swept(n, a):
    task = Task("d", "c", n=n, m=2, rows=2 * n)
    for axis in [Axis("a", "k", "log", (a,)), Axis("k", "k", "count", (round(10 * a) + 1,))]:
        recipe = Recipe("NND", "NND", {"k": axis.setting(axis.values[0])})
        assert make_estimator(recipe, 0, n=task.n).k == axis.resolved(task)[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=0.1:0.3:0.1", ("a", (0.1, 0.2, 0.3))),
        ("k=1:9:4", ("k", (1, 5, 9))),
        ("x = 3, 1e-3 ,yes", ("x", (3, 0.001, "yes"))),
        ("flag=true,false", ("flag", (True, False))),
        ("c=90000:90001:1", ("c", (90_000, 90_001))),
        ("a=0.03125:0.1:0.03125", ("a", (0.03125, 0.0625, 0.09375))),
    ],
)
def test_grids_are_parsed(text, expected):
    assert parse_grid(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "expected name=start:stop:step"),
        ("a=", "expected name=start:stop:step"),
        ("a=1:x:2", "three finite numbers"),
        ("a=2:1:1", "start ≤ stop"),
        ("a=1:inf:1", "three finite numbers"),
        ("a=0:1:1e-9", "more than 100000 values"),
    ],
)
def test_malformed_grids_are_refused(text, message):
    with pytest.raises(ArgumentError, match=message) as caught:
        parse_grid(text)
    assert "\n" not in str(caught.value)


def test_grids_are_passed_to_the_descriptors_that_have_them():
    recipes = make_sweep_recipes(
        ["NND", "SVM"], metrics=["manhattan"], grids={"k": [1, 2], "SVM.nu": [1.0]}
    )
    assert [[(a.name, len(a.values)) for a in r.axes] for r in recipes] == [
        [("k", 2)],
        [("nu", 1), ("c", 46)],
    ]
    # LOF over numbers of neighbours instead of factors of log n is not smoothed.
    (lof,) = make_sweep_recipes(["LOF"], metrics=["manhattan"], grids={"k": [1, 5]})
    assert [(axis.rule, axis.window) for axis in lof.axes] == [("count", 1)]
    (lof,) = make_sweep_recipes(["LOF"], metrics=["manhattan"], grids={"k": [1], "LOF.a": [2.0]})
    assert [(axis.name, axis.values) for axis in lof.axes] == [("a", (2.0,))]
    (other,) = make_sweep_recipes(["sklearn.svm:OneClassSVM"], grids={"nu": [0.1], "gamma": [1]})
    assert [axis.rule for axis in other.axes] == ["plain", "plain"]


@pytest.mark.parametrize(
    ("descriptors", "grids", "message"),
    [
        (["NND"], {"kk": [1]}, r"has a parameter 'kk' \(did you mean 'k'\?\)"),
        (["NND"], {"LOF.a": [1]}, "no descriptor has a parameter 'LOF.a'"),
        (["NND"], {"k": []}, "has no values"),
        (["NND"], {"k": [1, 1]}, "has a duplicate value"),
        (["NND"], {"k": [[1], [2]]}, r"needs numbers or names, got \[1\]"),
        (["NND"], {"k": [1.5]}, "positive integers, got 1.5"),
        (["LOF"], {"a": ["x"]}, "positive numbers, got 'x'"),
        (["LOF"], {"a": [2.0, 1.0]}, "must increase"),
        (["SVM"], {"nu": [0.5, 1.5]}, r"numbers in \(0, 1\]"),
        (["MD"], {}, "MD has no parameters to tune; leave it out"),
        (["sklearn.svm:OneClassSVM"], {}, r"no default grid; .*OneClassSVM\.coef0=… \(or degree, "),
        (["own.py:Own"], {"zz": [1]}, "parameter 'zz'; there are none to choose from"),
        (["LOF", "SVM"], {"k": [1, 2]}, "SVM has no parameter k; leave SVM out or .*SVM.nu=…"),
        (["NND", "LOF"], {"k": [1], "a": [1.0]}, "k and a both set k of NND; pass one of them"),
    ],
)
def test_invalid_grids_are_refused(descriptors, grids, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text("""
from sklearn.base import BaseEstimator, OutlierMixin
class Own(OutlierMixin, BaseEstimator):
    def fit(self, X, y=None): return self
    def score_samples(self, X): return X[:, 0]
""")
    with pytest.raises(ArgumentError, match=message) as caught:
        make_sweep_recipes(descriptors, grids=grids)
    assert str(caught.value).startswith("grids")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"windows": {"k": "3"}}, "windows: .* odd number of grid points, got '3' for k"),
        ({"windows": {"k": 2.5}}, "got 2.5 for k"),
        ({"metrics": 5}, "metrics: expected a list of names, got 5"),
    ],
)
def test_windows_and_metrics_of_a_wrong_type_are_refused(options, message):
    with pytest.raises(ArgumentError, match=message):
        make_sweep_recipes(["NND"], **options)


def test_a_parameter_that_is_not_proposed_can_be_swept():
    (recipe,) = make_sweep_recipes(["MD"], grids={"contamination": [0.1, 0.2]})
    assert [axis.name for axis in recipe.axes] == ["contamination"]
