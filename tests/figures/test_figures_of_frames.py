"""Figures of run times, trade-offs and sweeps, and the worked example."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from occstats import figures
from occstats.figures._trade_off import task_times
from occstats.stats import pareto_front

SECONDS = {"ALP": 4.0, "SVM": 1.0, "LOF": 2.0}


@pytest.fixture(scope="module")
def wide(small):
    tasks = small.results.scores.reset_index()[["dataset", "class"]]
    return tasks.assign(**{f"time_{name}": seconds for name, seconds in SECONDS.items()})


@pytest.fixture(scope="module")
def long(small):
    """As ``occstats run`` writes it: fit and query seconds of each fold."""
    rows = [
        {"dataset": a, "class": b, "descriptor": name, "fold": fold, "auroc": 0.5,
         "fit_seconds": 0.75 * seconds, "query_seconds": 0.25 * seconds}
        for a, b in small.results.scores.index
        for name, seconds in SECONDS.items()
        for fold in (1, 2)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_long_and_wide_tables_say_the_same(small, wide, long):
    for table in (wide, long):
        seconds = task_times(small, table)
        assert seconds.index.equals(small.results.scores.index)
        assert {name: set(seconds[name]) for name in SECONDS} == {
            name: {value} for name, value in SECONDS.items()
        }


def test_measurements_without_datasets_count_at_the_largest_common_size(small):
    rows = [("ALP", 64, 1.0), ("ALP", 128, 4.0), ("SVM", 64, 1.0), ("SVM", 128, 2.0),
            ("LOF", 64, 9.0), ("LOF", 128, 8.0), ("LOF", 256, 99.0)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["descriptor", "n", "fit_seconds"])
    seconds = task_times(small, frame.assign(query_seconds=0.5))
    assert seconds.iloc[0].to_dict() == {"ALP": 4.5, "LOF": 8.5, "SVM": 2.5}
    words = figures.alt_text(small.plot.trade_off(frame))
    assert "ALP 0.817 in 4 s" in words


def test_a_front_worked_by_hand():
    # a: best score, dear; b: cheap; c: dearer than b and worse; d: as b.
    scores = np.array([[0.9, 0.7, 0.6, 0.7], [0.8, 0.6, 0.5, 0.6]])
    costs = np.array([[8.0, 1.0, 2.0, 1.0], [2.0, 4.0, 8.0, 4.0]])
    found = pareto_front(scores, costs, ["x", "y"], n_resamples=400, random_state=0)
    np.testing.assert_allclose(found.score, [0.85, 0.65, 0.55, 0.65])
    # Geometric means: √16, √4, √16, √4.
    np.testing.assert_allclose(found.cost, [4, 2, 4, 2])
    assert found.on_front.tolist() == [True, True, False, True]
    # A quarter of the resamples is y twice, where a beats all; in the others b and d stay.
    assert found.probability[0] == 1
    assert found.probability[1] == found.probability[3] == pytest.approx(0.75, abs=0.07)
    assert found.probability[2] == 0
    # Resamples are x twice, both, or y twice: the ends of the intervals.
    np.testing.assert_allclose([found.cost_low[0], found.cost_high[0]], [2, 8])


def test_of_many_the_fast_ones_likely_on_the_front_are_drawn_though_they_are_the_worst(many):
    # As fast as each other: one is on the front, the other in some of the resamples.
    fast = many.algorithms[-2:]
    index = many.results.scores.reset_index()[["dataset", "class"]]
    seconds = {f"time_{name}": 0.1 if name in fast else 2.0 for name in many.algorithms}
    axes = many.plot.trade_off(index.assign(**seconds))
    key = [text.get_text() for text in axes.get_legend().get_texts()]
    assert {*fast} <= {text.replace("\n", " ").split("  ")[0] for text in key}
    assert len(key) == 9


# -- run times, sweeps and the worked example ------------------------------------------------------


def test_times_leave_out_what_failed(times_frame):
    frame = times_frame.copy()
    frame.loc[(frame["descriptor"] == "SVM") & (frame["n"] > 1000), "fit_seconds"] = np.nan
    frame.loc[frame["descriptor"] == "IF", "query_seconds"] = 0.0
    construction, query = figures.times(frame)
    assert [len(line.get_xdata()) for line in construction.lines[:3]] == [4, 2, 4]
    # NND, SVM and the guide; IF has no time that a logarithmic axis could show.
    assert len(query.lines) == 3


def test_sweep_finds_no_maximum_where_the_window_is_incomplete(sweep_frame):
    frame = sweep_frame.copy()
    frame.loc[frame["k"] == 1, "smoothed"] = np.nan
    assert "NND: highest 0.790 at k = 2 (manhattan)." in figures.alt_text(figures.sweep(frame))
    raw = figures.sweep(frame.drop(columns="smoothed"))
    assert "NND: highest 0.800 at k = 1 (manhattan)." in figures.alt_text(raw)
