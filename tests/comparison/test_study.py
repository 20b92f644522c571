"""Preparation of a comparison: the scale of scores, the parts for a size, and notes on them."""

import json

import numpy as np
import pandas as pd
import pytest

from occstats import load_results
from occstats.comparison import Settings, study
from occstats.comparison.study import prepare, score_scale
from occstats.results import Results
from tests.comparison.synthetic import compare


def test_zeros_say_nothing_about_the_scale():
    frame = pd.DataFrame(
        {"dataset": list("abcdef"), "one": [0, 0, 0, 0, 50, 60.5], "other": [0, 0, 0, 0, 40, 70.5]}
    )
    assert score_scale(load_results(frame, lower_is_better=False)) == 100.0


def large(m, tasks, k):
    rng = np.random.default_rng(0)
    clusters = np.repeat([f"d{i:04}" for i in range(m)], tasks)
    index = pd.MultiIndex.from_arrays(
        [clusters, np.arange(len(clusters)).astype(str)], names=["dataset", "class"]
    )
    scores = rng.uniform(size=(len(index), k)).round(3)
    frame = pd.DataFrame(scores, index=index, columns=[f"A{i}" for i in range(k)])
    return Results(scores=frame, traits=pd.DataFrame(index=index), score_name="auroc")


def prepared(results, **settings):
    return prepare(results, Settings.of(**settings))


def test_usual_sizes_have_every_part():
    found = prepared(load_results("lenz2021"))
    assert found.left_out == {}
    assert found.flips == found.mean_resamples == found.form_resamples == 10_000
    assert found.notes == ()


def test_the_most_expensive_part_is_left_out_first(monkeypatch):
    results = large(20, 1, 3)
    monkeypatch.setattr(study, "BUDGET", 0.0)
    costs = prepared(results).left_out
    assert len(costs) == 7
    monkeypatch.setattr(study, "BUDGET", 0.999 * sum(costs.values()))
    estimates = costs.pop("typical differences")
    assert estimates > 0
    assert list(prepared(results).left_out) == [max(costs, key=costs.get)]


def test_many_datasets_leave_no_time_to_leave_each_out():
    results = large(12_000, 1, 2)
    found = prepared(results)
    assert "leaving out datasets" in found.left_out
    assert not {"typical differences", "intervals of Kendall's τ"} & set(found.left_out)
    (note,) = (note for note in found.notes if "left out to save time" in note)
    assert "12,000 datasets" in note
    assert "leaving out datasets (about " in note
    assert any("means are based on 8,333 resamples" in note for note in found.notes)
    assert prepared(results, deep=True).left_out == {}


def test_many_algorithms_leave_no_time_for_estimates():
    assert "typical differences" not in prepared(large(50, 5, 100)).left_out
    results = large(50, 5, 400)
    assert "typical differences" in prepared(results).left_out
    # With a control there are few tests.
    assert "typical differences" not in prepared(results, control="A0").left_out


def test_the_number_of_resamples_follows_the_size():
    assert prepared(large(20, 1, 9)).flips == 10_000
    assert prepared(large(2_000, 1, 9)).flips == int(3e8 / (36 * 2_000))
    found = prepared(large(200, 1, 12))
    assert found.form_resamples == int(1e10 / (2 * 66 * 200**2))
    assert any("probabilities are based on 1,893 resamples" in note for note in found.notes)


def test_parts_that_were_left_out_are_empty(monkeypatch):
    monkeypatch.setattr(study, "BUDGET", 0.0)
    found = compare(large(6, 1, 3))
    (note,) = (note for note in found.notes if "left out to save time" in note)
    assert "With 3 pairs of algorithms" in note
    assert "typical differences (about 1 s)" in note
    pairs, stability = found.pairwise, found.stability
    assert pairs[["difference", "ci_low", "bayes_better", "difference_above"]].isna().all(axis=None)
    decided = ["p", "statistic", "mean_difference", "wins", "rank_biserial"]
    assert pairs[decided].notna().all(axis=None)
    assert set(pairs["conclusion"]) == {"undecided"}
    assert found.kendall["tau"].notna().all()
    assert found.kendall["tau_ci_low"].isna().all()
    assert stability.leave_one_dataset_out is None
    assert stability.leave_one_algorithm_out is None
    json.loads(found.to_json())


@pytest.mark.parametrize("estimand", ["typical", "mean"])
@pytest.mark.parametrize(("margin", "correction"), [(None, "holm"), (0.02, "bonferroni")])
def test_tests_are_asymptotic_where_resampling_takes_too_long(
    monkeypatch, estimand, margin, correction
):
    monkeypatch.setattr(study, "FLIPS_BUDGET", {"typical": 1.0, "mean": 1.0})
    found = compare(large(8, 2, 3), estimand=estimand, margin=margin)
    assert (found.settings.null, found.settings.correction) == ("asymptotic", correction)
    assert found.meta["resamples_used"] == 0
    assert any("resampling would take too long" in note for note in found.notes)
    assert ("ci_low" in found.pairwise) == (margin is not None)


def test_fewer_resamples_of_tests_are_noted(monkeypatch):
    monkeypatch.setattr(study, "FLIPS_BUDGET", {"typical": 2_000.0 * 3 * 15, "mean": 1.0})
    found = compare(large(15, 1, 3), n_resamples=3_000)
    assert found.meta["resamples_used"] == 2_000
    assert "The p-values are based on 2,000 resamples." in found.notes
