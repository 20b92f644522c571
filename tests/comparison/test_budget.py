"""The parts that a comparison leaves out at its size, and its notes on them."""

import json

import numpy as np
import pandas as pd
import pytest

from occstats import compare, load_results
from occstats.comparison import Settings
from occstats.comparison import budget as cost
from occstats.comparison.budget import affordable
from occstats.report.json_document import plain
from occstats.results import Results
from occstats.stats.sample import Sample


def large(m, tasks, k):
    rng = np.random.default_rng(0)
    clusters = np.repeat([f"d{i:04}" for i in range(m)], tasks)
    index = pd.MultiIndex.from_arrays(
        [clusters, np.arange(len(clusters)).astype(str)], names=["dataset", "class"]
    )
    scores = rng.uniform(size=(len(index), k)).round(3)
    frame = pd.DataFrame(scores, index=index, columns=[f"A{i}" for i in range(k)])
    return Results(scores=frame, traits=pd.DataFrame(index=index), score_name="auroc")


def test_what_is_left_out_is_said_with_what_it_would_take(monkeypatch):
    monkeypatch.setattr(cost, "BUDGET", 0.0)
    found = compare(large(6, 1, 3), n_resamples=100)
    assert any(
        "3 pairs" in note and "typical differences (about 1 s)" in note for note in found.notes
    )
    for left_out in ("difference", "ci_low", "bayes_better", "difference_above"):
        assert found.pairwise[left_out].isna().all()
    decided = ["p", "statistic", "mean_difference", "wins", "rank_biserial"]
    assert found.pairwise[decided].notna().all(axis=None)
    assert set(found.pairwise["conclusion"]) == {"undecided"}
    assert found.kendall["tau"].notna().all()
    assert found.kendall["tau_ci_low"].isna().all()
    assert found.stability.leave_one_dataset_out is None
    json.dumps(plain(found.stability), allow_nan=False)


def sizes_of(results, **settings):
    return affordable(Sample.of(results.oriented, results.clusters), Settings(**settings))


def test_what_many_data_sets_leave_time_for():
    sizes = sizes_of(large(12_000, 1, 2))
    assert sizes.mean_posterior
    assert sizes.shifts
    assert sizes.kendall
    assert not sizes.leave_out
    assert "12,000 datasets" in sizes.notes[0]
    assert "leaving out datasets (" in sizes.notes[0]
    assert any("means rest on 8,333 resamples" in note for note in sizes.notes)
    assert sizes_of(large(12_000, 1, 2), deep=True).leave_out


def test_many_algorithms_leave_no_time_for_shifts():
    assert sizes_of(large(50, 5, 100)).shifts
    assert not sizes_of(large(50, 5, 400)).shifts
    # With a control there are few tests.
    assert sizes_of(large(50, 5, 400), control="A0", family="control").shifts


@pytest.mark.parametrize("estimand", ["typical", "mean"])
@pytest.mark.parametrize(("margin", "correction"), [(None, "holm"), (0.02, "bonferroni")])
def test_tests_are_asymptotic_where_resampling_takes_too_long(
    monkeypatch, estimand, margin, correction
):
    monkeypatch.setattr(cost, "FLIPS_BUDGET", {"typical": 1.0, "mean": 1.0})
    found = compare(large(8, 2, 3), estimand=estimand, margin=margin)
    assert (found.settings.null, found.settings.correction) == ("asymptotic", correction)
    assert found.meta["resamples_used"] == 0
    assert any("resampling would take too long" in note for note in found.notes)
    assert ("ci_low" in found.pairwise) == (margin is not None)
    kept = compare(large(8, 2, 3), estimand=estimand, preset="paper")
    assert kept.settings.correction == "holm"
    assert not any("too long" in note for note in kept.notes)


def test_fewer_resamples_of_tests_are_said(monkeypatch):
    monkeypatch.setattr(cost, "FLIPS_BUDGET", {"typical": 2_000.0 * 3 * 15, "mean": 1.0})
    found = compare(large(15, 1, 3), n_resamples=3_000)
    assert found.meta["resamples_used"] == 2_000
    assert "The p-values rest on 2,000 resamples." in found.notes


def test_usual_sizes_have_everything():
    assert sizes_of(load_results("lenz2021")).notes == ()


def test_fewer_resamples_are_said():
    sizes = sizes_of(large(200, 1, 12))
    assert sizes.form_resamples == int(1e10 / (2 * 66 * 200**2))
    assert any("1,893 resamples" in note for note in sizes.notes)
    assert sizes_of(large(200, 1, 3)).notes == ()


def test_many_algorithms_leave_no_time_to_leave_each_out(monkeypatch):
    monkeypatch.setattr(cost, "BUDGET", 0.0)
    found = compare(large(6, 1, 2), n_resamples=100)
    assert found.stability.leave_one_algorithm_out is None
    assert any("With 1 pair of algorithms" in note for note in found.notes)


def test_flips_are_part_of_what_a_comparison_costs():
    usual = sizes_of(large(20, 1, 9))
    assert usual.without_algorithms
    assert usual.flips == 10_000
    assert sizes_of(large(2_000, 1, 9)).flips == int(3e8 / (36 * 2_000))
    assert sizes_of(large(12_000, 1, 9)).flips == 0
