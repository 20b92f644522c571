"""Properties of the frames of a comparison."""

from dataclasses import is_dataclass
from importlib import resources

import pandas as pd
import pytest

import occstats
import occstats.comparison
import occstats.stats
from occstats.comparison.study import score_scale


@pytest.fixture(scope="module")
def paper():
    return occstats.compare("lenz2021", n_resamples=500)


def frames(value):
    """All frames of an object and of those it holds."""
    if isinstance(value, pd.DataFrame):
        yield value
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from frames(getattr(value, name))


def test_rows_are_numbered(paper):
    tables = [frame for frame in frames(paper) if not isinstance(frame.index, pd.MultiIndex)]
    assert len(tables) > 10
    for frame in tables:
        assert frame.index.is_unique
        if frame.index.dtype.kind == "i":
            assert frame.index.tolist() == list(range(len(frame))), list(frame)


@pytest.mark.parametrize("loss", [False, True])
def test_strata_are_bounded_by_median_scores(loss):
    results = occstats.load_results("lenz2021")
    scores = 1 - results.scores if loss else results.scores
    found = occstats.compare(scores.reset_index(), lower_is_better=loss, n_resamples=100).strata
    bounds = found.drop_duplicates("stratum")
    medians = scores.median(axis=1).to_numpy()
    assert len(bounds) > 1
    for row in bounds.itertuples():
        inside = (medians >= row.low - 1e-9) & (medians <= row.high + 1e-9)
        assert inside.sum() >= row.n_tasks
    assert bounds["low"].min() == pytest.approx(medians.min())
    assert bounds["high"].max() == pytest.approx(medians.max())


def test_tasks_without_a_logarithm_are_left_out_of_the_regression():
    table = pd.read_csv(resources.files("occstats") / "data" / "lenz2021.csv", dtype={"class": str})
    gone = table["dataset"] == "iris"
    table.loc[gone, "n"] = 0
    found = occstats.compare(table, n_resamples=100)
    without = occstats.compare(table[~gone], n_resamples=100)
    keys = ["algorithm", "term"]
    one, other = (part.regression.set_index(keys).sort_index() for part in (found, without))
    pd.testing.assert_frame_equal(one, other)
    assert any("3 tasks" in note for note in found.notes)


def test_zeros_say_nothing_about_the_scale():
    table = pd.DataFrame(
        {"dataset": list("abcdef"), "one": [0, 0, 0, 0, 50, 60.5], "other": [0, 0, 0, 0, 40, 70.5]}
    )
    results = occstats.load_results(table, lower_is_better=False)
    assert score_scale(results) == 100.0


@pytest.mark.parametrize("module", [occstats, occstats.stats, occstats.comparison])
def test_results_cannot_be_changed(module):
    found = [getattr(module, name) for name in module.__all__]
    kinds = [kind for kind in found if isinstance(kind, type) and is_dataclass(kind)]
    assert kinds
    for kind in kinds:
        assert kind.__dataclass_params__.frozen, kind
