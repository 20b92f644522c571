"""A comparison in a notebook: show it, restrict it, add to it, choose a pair."""

import sys

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.comparison.text.verdict import tally_sentence
from occstats.errors import ArgumentError, OccstatsError
from occstats.report.tables import comparison_table

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021", algorithms=["ALP", "SVM", "NND"], n_resamples=100)


def test_where_compares_the_tasks_that_fulfil_a_condition(comparison):
    large = comparison.where("n > 1000")
    mask = comparison.results.traits["n"] > 1000
    assert large.results.n_tasks == mask.sum() < comparison.results.n_tasks
    pd.testing.assert_frame_equal(large.pairwise, comparison.where(mask).pairwise)
    pd.testing.assert_frame_equal(large.pairwise, comparison.where(mask.to_numpy()).pairwise)
    alone = occstats.compare(comparison.results.keep_tasks(mask.to_numpy()), n_resamples=100)
    pd.testing.assert_frame_equal(large.pairwise, alone.pairwise)
    assert any("n > 1000" in note for note in large.notes)
    assert "iris" not in set(comparison.where("dataset != 'iris'").results.clusters)


def test_where_keeps_the_settings():
    comparison = occstats.compare(
        "lenz2021", algorithms=["ALP", "SVM"], test="ds", alpha=0.1, n_resamples=100
    )
    settings = comparison.where("n > 100").settings
    assert (settings.test, settings.alpha) == ("ds", 0.1)


@pytest.mark.parametrize("condition", ["size > 3", "n >", "n", np.ones(3, bool), "n > 1e12"])
def test_where_refuses_what_is_no_condition(comparison, condition):
    with pytest.raises(ArgumentError, match="where"):
        comparison.where(condition)


def test_a_mask_in_another_order_goes_by_task(comparison):
    mask = comparison.results.traits["n"] > 1000
    shuffled = mask.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(
        comparison.where(shuffled).results.scores, comparison.where(mask).results.scores
    )


def test_add_compares_a_method_of_ones_own_with_the_others(comparison):
    mine = (comparison.results.scores["ALP"] + 0.01).clip(upper=1).rename("MINE")
    both = comparison.add(mine)
    assert both.algorithms[0] == "MINE"
    assert sorted(both.algorithms) == sorted(["MINE", *comparison.algorithms])
    assert both.results.n_tasks == comparison.results.n_tasks
    assert comparison.algorithms == ["ALP", "SVM", "NND"]
    with pytest.raises(ArgumentError, match="add needs results"):
        comparison.add()


def test_add_takes_settings():
    comparison = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
    found = comparison.add("mine", missing="complete", control="MINE")
    assert (found.settings.missing, found.settings.control) == ("complete", "MINE")
    assert found.results.n_tasks == 103


def test_pairs_are_the_columns_that_people_read(comparison):
    pairs = comparison.pairs
    assert list(zip(pairs["a"], pairs["b"], strict=True)) == [
        ("ALP", "SVM"), ("ALP", "NND"), ("SVM", "NND"),
    ]  # fmt: skip
    assert list(pairs.columns[2:8]) == [
        "difference", "ci_low", "ci_high", "p", "conclusion", "reversed",
    ]  # fmt: skip
    assert pairs["conclusion"].isin(["better", "worse", "undecided"]).all()
    for row in pairs.itertuples():
        assert row.p == comparison.p_values.at[row.a, row.b]


def test_a_notebook_shows_the_verdict_and_its_table(comparison):
    html = comparison._repr_html_()
    first = html.partition("<details>")[0]
    table = comparison_table(comparison)
    assert first.startswith('<div class="occstats"><p><strong>ALP has the best mean rank')
    assert first.count("<table") == 1
    for row in table.cells():
        for cell in row:
            assert cell.replace("-", "−") in first
    assert '<th scope="colgroup" colspan="2">typical difference</th>' in first
    assert "<li>not distinguishable from SVM" in first
    assert tally_sentence(comparison) in first
    assert "\x1b" not in html
    assert "\x1b" not in repr(comparison)
    assert repr(comparison).startswith("lenz2021: 3 algorithms, 246 tasks in 50 datasets, AUROC")


def test_a_notebook_shows_two_algorithms_in_sentences():
    two = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100)
    first = two._repr_html_().partition("<details>")[0]
    assert "<table" not in first
    assert "The typical difference ALP − SVM is" in first


def test_pairs_of_a_control_are_its_tests():
    comparison = occstats.compare(
        "lenz2021", algorithms=["ALP", "SVM", "NND"], control="NND", n_resamples=100
    )
    assert comparison.pairs["a"].tolist() == ["NND", "NND"]


def test_sections_show_as_html(comparison):
    assert "Leave one dataset out" in comparison.stability._repr_html_()
    assert "Smallest p" in comparison.design._repr_html_()
    assert "Friedman" in comparison.classical._repr_html_()
    index = pd.MultiIndex.from_product([list("abcd"), list("12")], names=["dataset", "class"])
    values = np.random.default_rng(0).random((8, 2))
    hostile = occstats.Results(
        scores=pd.DataFrame(values, index=index, columns=[HOSTILE, "ok"]),
        traits=pd.DataFrame(index=index),
        score_name="auroc",
    )
    found = occstats.compare(hostile, n_resamples=100)
    for section in (found.stability, found.design, found.classical):
        assert "<img" not in section._repr_html_()
    assert "&lt;img" in found.stability._repr_html_()


def test_the_widget_shows_the_pair_that_is_chosen(comparison):
    pytest.importorskip("ipywidgets")
    widget = comparison.pick()
    choices, shown = widget.children
    assert "ALP and SVM are not distinguishable" in shown.value
    choices.children[1].value = 2
    assert "ALP is typically better than NND" in shown.value
    choices.children[1].value = 0
    assert "two different" in shown.value


def test_the_widget_needs_two_datasets(comparison):
    pytest.importorskip("ipywidgets")
    with pytest.raises(ArgumentError, match="two or more datasets"):
        comparison.where("dataset == 'glass'").pick()


def test_without_ipywidgets_the_widget_says_what_to_install(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(OccstatsError, match="pip install ipywidgets"):
        comparison.pick()
