"""Score against run time: the front, its probability, and every form of a table of times."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats import figures
from occstats.cli import main
from occstats.errors import OccstatsError
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


def test_measurements_without_data_sets_count_at_the_largest_common_size(small):
    rows = [("ALP", 64, 1.0), ("ALP", 128, 4.0), ("SVM", 64, 1.0), ("SVM", 128, 2.0),
            ("LOF", 64, 9.0), ("LOF", 128, 8.0), ("LOF", 256, 99.0)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["descriptor", "n", "fit_seconds"])
    seconds = task_times(small, frame.assign(query_seconds=0.5))
    assert seconds.iloc[0].to_dict() == {"ALP": 4.5, "LOF": 8.5, "SVM": 2.5}
    words = figures.alt_text(small.plot.trade_off(frame))
    assert "ALP 0.817 in 4 s" in words


def test_the_picture_says_who_is_on_the_front(small, wide):
    words = figures.alt_text(small.plot.trade_off(wide))
    # ALP has the best score, SVM is the fastest; LOF is slower than SVM and no better.
    assert "SVM 0.814 in 1 s (100 % on the front)" in words
    assert "LOF 0.803 in 2 s (" in words


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
    import occstats

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


def test_the_command_draws_it_and_passes_on_every_option(wide, tmp_path):
    wide.to_csv(tmp_path / "times.csv", index=False)
    arguments = ["figures", "lenz2021", "--algorithms", "ALP,SVM,LOF", "--n-resamples", "100"]
    arguments += ["--only", "trade_off,mean_ranks", "--times", str(tmp_path / "times.csv")]
    arguments += ["--format", "svg", "--out", str(tmp_path / "out"), "--title", "A title"]
    arguments += ["--height", "4", "--show", "2", "--label", "ALP=Local", "--highlight", "ALP"]
    arguments += ["--order", "name", "--palette", "deep", "--no-note"]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    drawn = (tmp_path / "out" / "mean_ranks.svg").read_text(encoding="utf-8")
    assert "A title" in drawn
    assert ">Local<" in drawn
    assert ">LOF<" not in drawn
    assert "intervals (" not in drawn.split("</desc>")[1]
    assert 'height="288pt"' in drawn
    assert (tmp_path / "out" / "trade_off.svg").exists()
    refused = CliRunner().invoke(main, [*arguments, "--label", "ALP"])
    assert refused.exit_code != 0
    assert "--label takes NAME=TEXT" in refused.output


def test_of_many_the_fast_one_on_the_front_is_drawn_though_it_is_the_worst(many):
    worst = many.algorithms[-1]
    index = many.results.scores.reset_index()[["dataset", "class"]]
    seconds = {f"time_{name}": 0.1 if name == worst else 2.0 for name in many.algorithms}
    figure = many.plot.trade_off(index.assign(**seconds))
    key = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert f"{worst}  100 %" in [text.replace("\n", " ") for text in key]
    assert len(key) == 16
