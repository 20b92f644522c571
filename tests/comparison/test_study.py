"""Preparation of a comparison: the scale of scores, the parts for a size, and notes on them."""

import json

import numpy as np
import pandas as pd

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
    assert found.left_out == []
    assert found.flips == found.mean_resamples == found.form_resamples == 10_000
    assert found.notes == ()


def test_many_datasets_leave_no_time_to_leave_each_out():
    found = prepared(large(60_000, 1, 2))
    assert found.left_out == ["intervals of Kendall's τ", "leaving out datasets"]
    (note,) = (note for note in found.notes if "left out" in note)
    assert "60,000 datasets" in note
    assert any("means are based on 1,666 resamples" in note for note in found.notes)


def test_the_number_of_resamples_follows_the_size():
    assert prepared(large(20, 1, 9)).flips == 10_000
    assert prepared(large(5_000, 1, 9)).flips == int(1e10 / (10 * 36 * 5_100))
    assert prepared(large(50, 1, 200)).flips == 999
    assert prepared(large(50, 1, 200), n_resamples=100).flips == 100
    # With a control there are few tests.
    assert prepared(large(50, 1, 200), control="A0").flips == 10_000
    found = prepared(large(200, 1, 12))
    assert found.form_resamples == int(1e10 / (2 * 66 * 200**2))
    assert any("probabilities are based on 1,893 resamples" in note for note in found.notes)


def test_parts_that_were_left_out_are_empty(monkeypatch):
    monkeypatch.setattr(study, "LONGEST", 0.0)
    found = compare(large(6, 1, 3))
    (note,) = (note for note in found.notes if "left out" in note)
    assert "With 3 pairs of algorithms" in note
    stability = found.stability
    assert found.kendall["tau"].notna().all()
    assert found.kendall["tau_ci_low"].isna().all()
    assert stability.leave_one_dataset_out is None
    assert stability.leave_one_algorithm_out is None
    json.loads(found.to_json())


def test_fewer_resamples_of_tests_are_noted(monkeypatch):
    monkeypatch.setattr(study, "STEPS", 2_000.0 * 10 * 3 * 115)
    found = compare(large(15, 1, 3), n_resamples=3_000)
    assert found.meta["resamples_used"] == 2_000
    assert any("p-values are based on 2,000 of the" in note for note in found.notes)
