"""Figures of run times, trade-offs and sweeps, and the worked example."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats import figures
from occstats.errors import FigureError, OccstatsError
from occstats.figures._alp_example import QUERIES, TRAINING, work_example
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


def test_where_lower_is_better_the_front_turns(small, wide):
    frame = small.results.to_frame()
    frame["auroc"] = 1 - frame["auroc"]
    flipped = occstats.compare(frame, lower_is_better=True, n_resamples=100)
    words = figures.alt_text(flipped.plot.trade_off(wide))
    assert "SVM 0.186 in 1 s (100 % on the front)" in words


def test_times_that_say_nothing_are_refused(small, wide):
    with pytest.raises(figures.FigureError, match="needs a column of seconds"):
        small.plot.trade_off(wide[["dataset", "class"]])
    with pytest.raises(figures.FigureError, match="at least two of the algorithms"):
        small.plot.trade_off(wide[["dataset", "class", "time_ALP"]])
    with pytest.raises(OccstatsError, match="costs must be positive"):
        small.plot.trade_off(wide.assign(time_ALP=0.0))


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


def test_an_axis_of_times_within_two_decades_has_several_ticks(times_frame):
    axes = figures.times(times_frame[times_frame["n"].between(200, 2000)])[1]
    low, high = axes.get_xlim()
    shown = [tick for tick in axes.xaxis.get_major_locator()() if low <= tick <= high]
    assert shown == [500, 1000]


def test_the_guide_of_times_starts_from_what_is_drawn(times_frame):
    slow = times_frame["descriptor"] == times_frame["descriptor"].iloc[0]
    frame = times_frame.assign(fit_seconds=times_frame["fit_seconds"].where(~slow, 1e6))
    drawn = [name for name in frame["descriptor"].unique() if name != frame["descriptor"].iloc[0]]
    axes = figures.times(frame, algorithms=drawn)[0]
    assert axes.get_ylim()[1] < 1e5


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


def test_an_axis_of_whole_hyperparameters_has_whole_ticks():
    frame = pd.DataFrame({"descriptor": "NND", "metric": "manhattan", "k": [1, 2, 3, 5, 7, 9]})
    axes = np.ravel(figures.sweep(frame.assign(score=[0.1, 0.2, 0.4, 0.3, 0.2, 0.1])))[0]
    assert all(tick == round(tick) for tick in axes.get_xticks())


def test_sweep_gives_each_metric_of_a_plane_a_panel(sweep_frame):
    plane = sweep_frame[sweep_frame["descriptor"] == "ALP"].dropna(axis=1, how="all")
    both = pd.concat([plane.assign(metric=metric) for metric in ("manhattan", "euclidean")])
    titles = [axes.get_title() for axes in figures.sweep(both)]
    assert titles == ["ALP (manhattan)", "ALP (euclidean)"]


MEASURED = {"descriptor": ["a"], "n": [1], "fit_seconds": [0], "query_seconds": [0]}
SWEPT = {"descriptor": "a", "score": [0.5, 0.6]}


@pytest.mark.parametrize(
    ("draw", "columns", "message"),
    [
        (figures.times, {"n": [1]}, "times lacks the columns descriptor"),
        (figures.times, {key: [] for key in MEASURED}, "has no rows"),
        (figures.times, MEASURED, "no positive fit_seconds"),
        (figures.sweep, {"descriptor": ["a"]}, "sweep lacks the column score"),
        (figures.sweep, SWEPT, "one or two hyperparameters a descriptor; 'a' has 0"),
        (figures.sweep, SWEPT | {key: [1, 2] for key in "xyz"}, "'a' has 3"),
    ],
)
def test_frames_that_cannot_be_drawn_are_refused(draw, columns, message):
    with pytest.raises(FigureError, match=message):
        draw(pd.DataFrame(columns))


def test_the_example_reproduces_every_entry_of_the_papers_tables():
    # Table of the ALP example in Lenz et al. (2021): neighbours by number, and Manhattan distances.
    expected = {
        "y1": ([1, 2, 3], [4, 5, 6]),
        "y2": ([9, 10, 6], [7, 8, 11]),
        "x1": ([2, 3, 4], [1, 2, 3]),
        "x2": ([1, 3, 4], [1, 1, 2]),
        "x9": ([8, 10, 6], [5, 5, 6]),
        "x10": ([7, 9, 5], [5, 5, 9]),
    }
    for name, (neighbours, distances) in expected.items():
        point = (QUERIES if name[0] == "y" else TRAINING)[int(name[1:]) - 1]
        away = np.abs(TRAINING - point).sum(axis=1)
        if name[0] == "x":
            away[int(name[1:]) - 1] = np.inf
        order = np.argsort(away, kind="stable")
        assert (order[:3] + 1).tolist() == neighbours
        assert away[order[:3]].tolist() == distances
        assert away[order[3]] > distances[-1]
    found = {name: values.round(2).tolist() for name, values in work_example().items()}
    assert found["local distances"] == [[1, 1.67, 2.67], [5, 5, 7]]
    assert found["localised proximities"] == [[0.2, 0.25, 0.31], [0.42, 0.38, 0.39]]
    assert found["scores"] == [0.27, 0.4]
