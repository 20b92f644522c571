"""Parts of a comparison: some tasks, further algorithms, the pairs."""

import pickle

import pandas as pd
import pytest

import occstats
from occstats.errors import ArgumentError


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021", algorithms=["ALP", "SVM", "NND"], n_resamples=100)


def test_where_compares_the_tasks_that_fulfil_a_condition(comparison):
    large = comparison.where("n > 1000")
    mask = comparison.results.traits["n"] > 1000
    assert large.results.n_tasks == mask.sum() < comparison.results.n_tasks
    # A mask with the tasks as its index goes by task, in whatever order.
    for same in (mask.sample(frac=1, random_state=1), mask.to_numpy()):
        pd.testing.assert_frame_equal(large.pairwise_full, comparison.where(same).pairwise_full)
    alone = occstats.compare(comparison.results.keep_tasks(mask.to_numpy()), n_resamples=100)
    pd.testing.assert_frame_equal(large.pairwise_full, alone.pairwise_full)
    assert any("n > 1000" in note for note in large.notes)
    assert "iris" not in set(comparison.where("dataset != 'iris'").results.clusters)
    assert comparison.where("task == '1'").results.n_tasks > 1
    both = comparison.where("n > 10", dataset=["iris", "wine"])
    assert set(both.results.clusters) == {"iris", "wine"}
    assert "Only tasks where n > 10 and dataset is 'iris', 'wine': 6 tasks of 246." in both.notes


def test_where_and_add_keep_and_take_settings():
    comparison = occstats.compare(
        "lenz2021", algorithms=["ALP", "SVM"], test="ds", alpha=0.1, n_resamples=100
    )
    settings = comparison.where("n > 100").settings
    assert (settings.test, settings.alpha) == ("ds", 0.1)
    found = comparison.add("mine", missing="complete", control="MINE")
    assert (found.settings.missing, found.settings.control) == ("complete", "MINE")
    assert (found.settings.test, found.results.n_tasks) == ("ds", 103)


@pytest.mark.parametrize("condition", ["size > 3", "n >"])
def test_where_refuses_what_is_no_condition(comparison, condition):
    with pytest.raises(ArgumentError, match="is not a condition on 'dataset'"):
        comparison.where(condition)


def test_add_takes_a_series_of_any_name(comparison):
    for name in ("M", "n", "fold"):  # names of traits and folds
        mine = comparison.results.scores["ALP"].rename(name)
        assert name in comparison.add(mine).algorithms


def test_add_compares_a_method_of_ones_own_with_the_others(comparison):
    mine = (comparison.results.scores["ALP"] + 0.01).clip(upper=1).rename("MINE")
    both = comparison.add(mine)
    assert both.algorithms[0] == "MINE"
    assert sorted(both.algorithms) == sorted(["MINE", *comparison.algorithms])
    assert both.results.n_tasks == comparison.results.n_tasks
    assert comparison.algorithms == ["ALP", "SVM", "NND"]


def test_frames_are_computed_when_they_are_used_and_survive_pickling(comparison):
    fresh = occstats.compare(comparison.results, n_resamples=100)
    str(fresh)
    assert not {"pairwise", "summary", "stability", "kendall", "regression"} & set(vars(fresh))
    restored = pickle.loads(pickle.dumps(fresh))
    assert repr(restored) == repr(comparison)
    assert restored.to_json() == comparison.to_json()


def test_changed_frames_change_nothing_else(comparison):
    before = comparison.to_json()
    results, stability = comparison.results, comparison.stability
    for frame in (
        comparison.pairwise_full,
        comparison.summary,
        stability.influence,
        results.scores,
    ):
        frame.iloc[:, -2:] = 0
    comparison.meta["versions"].clear()
    assert comparison.to_json() == before
    with pytest.raises(AttributeError):
        comparison.summary = None


def test_pairwise_has_the_columns_that_people_read(comparison):
    pairs = comparison.pairwise
    assert {*pairs} < {*comparison.pairwise_full}
    assert list(zip(pairs["a"], pairs["b"], strict=True)) == [
        ("ALP", "SVM"), ("ALP", "NND"), ("SVM", "NND"),
    ]  # fmt: skip
    assert list(pairs.columns[2:8]) == [
        "difference", "ci_low", "ci_high", "p", "conclusion", "reversed",
    ]  # fmt: skip
    assert pairs["conclusion"].isin(["better", "worse", "undecided"]).all()
    for row in pairs.itertuples():
        assert row.p == comparison.p_values.at[row.a, row.b]
    controlled = occstats.compare(comparison.results, control="NND", n_resamples=100)
    assert controlled.pairwise["a"].tolist() == ["NND", "NND"]


def test_arguments_that_are_not_taken_are_refused_with_the_nearest(comparison):
    with pytest.raises(TypeError, match="pass lower_is_better=False"):
        occstats.load_results("lenz2021", higher_is_better=True)
    with pytest.raises(TypeError, match="did you mean 'caption'"):
        comparison.to_latex(captoin="x")
    assert comparison.explain(5).startswith("There is no column 5")
    with pytest.raises(ArgumentError, match="where: a function is no condition; write it as text"):
        comparison.where(lambda traits: traits)
    for name in ("p_adjusted", "p_simultaneous"):  # the opposite of p_unadjusted
        with pytest.raises(ArgumentError, match=r"\(did you mean 'p'\?\)$"):
            comparison.matrix(name)
        assert comparison.explain(name).endswith("(did you mean 'p'?).")
    with pytest.raises(ArgumentError, match=r"got '5%' \(did you mean 0\.05\?\)"):
        occstats.compare("lenz2021", margin="5%")
