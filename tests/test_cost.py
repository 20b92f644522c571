"""What a comparison leaves out at its size, and what it says of that."""

import json

import numpy as np
import pandas as pd

from occstats import compare, load_results
from occstats.comparison import Settings, cost
from occstats.comparison.cost import affordable
from occstats.comparison.document import plain
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
        "3 pairs" in note and "Hodges-Lehmann shifts (about 1 s)" in note for note in found.notes
    )
    for left_out in ("hodges_lehmann", "bayes_better", "difference_ci_low"):
        assert found.pairwise[left_out].isna().all()
    assert found.pairwise[["wins", "rank_biserial"]].notna().all(axis=None)
    assert found.kendall["tau"].notna().all()
    assert found.kendall["tau_ci_low"].isna().all()
    assert found.stability.leave_one_dataset_out is None
    json.dumps(plain(found.stability), allow_nan=False)


def sizes_of(results, **settings):
    return affordable(Sample.of(results.oriented, results.clusters), Settings(**settings))


def test_what_many_data_sets_leave_time_for():
    sizes = sizes_of(large(12_000, 1, 2))
    assert sizes.intervals
    assert sizes.shifts
    assert sizes.kendall
    assert not sizes.leave_out
    assert "12,000 data sets" in sizes.notes[0]
    assert "leaving out data sets (" in sizes.notes[0]
    assert any("means rest on 8,333 resamples" in note for note in sizes.notes)
    many = sizes_of(large(30_000, 1, 2))
    assert any("shifts rest on 6,666 flips" in note for note in many.notes)
    assert sizes_of(large(12_000, 1, 2), deep=True).leave_out


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
