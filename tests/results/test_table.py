"""The table itself: weights, orientation, selection, policies, writing."""

import os

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from occstats.errors import OutputError
from occstats.results import load_results
from occstats.results.missing import POLICIES, best_policy


def test_oriented_scores():
    frame = pd.DataFrame({"dataset": list("xy"), "A": [1.0, 2.0], "B": [3.0, 4.0]})
    assert load_results(frame, lower_is_better=True).oriented.tolist() == [[-1, -3], [-2, -4]]
    results = load_results(frame, lower_is_better=False)
    results.oriented[:] = 0
    assert results.scores.iloc[0, 0] == 1.0


def gappy():
    nan = np.nan
    return load_results(
        pd.DataFrame(
            {
                "dataset": list("xxyyz"),
                "class": list("01010"),
                "A": [0.1, 0.2, 0.3, nan, nan],
                "B": [0.1, nan, 0.3, 0.4, nan],
                "C": [0.1, 0.2, 0.3, 0.4, 0.5],
            }
        ),
        algorithms=list("ABC"),
        lower_is_better=False,
    )


def test_complete_tables_pass_every_policy(long_frame):
    results = load_results(long_frame)
    for policy in (*POLICIES, "impute=A"):
        assert results.resolve_missing(policy) is results


@given(
    st.lists(
        st.lists(st.sampled_from([0.1, 0.5, None]), min_size=3, max_size=3), min_size=1, max_size=6
    )
)
@settings(deadline=None, max_examples=30)
def test_the_proposed_policy_always_works(rows):
    frame = pd.DataFrame(rows, columns=list("ABC"), dtype=float)
    frame.insert(0, "dataset", [f"d{i}" for i in range(len(frame))])
    results = load_results(frame, algorithms=list("ABC"), lower_is_better=False)
    policy = best_policy(results)
    assume(frame[list("ABC")].notna().any(axis=None))
    present = results.scores.notna()  # without rows that have no score
    assert policy != "worst"  # an empty cell is no failure
    if policy or present.all(axis=None):
        assert results.resolve_missing(policy or "refuse").n_tasks
    else:  # no ranks and no two algorithms that have all tasks
        assert not present.all(axis=1).any()
        assert present.all(axis=0).sum() < 2


def test_repr_and_html(long_frame):
    text = repr(load_results(long_frame.drop(index=0), score_name="f1\n"))
    assert text == "<Results: f1\\n of 2 algorithms on 6 tasks of 3 datasets, 1 missing: 'B', 'A'>"
    html = load_results("lenz2021")._repr_html_()
    assert "246 tasks of 50 datasets</strong> (first 10 tasks)" in html
    assert "0.741" in html


@pytest.mark.parametrize(
    ("ending", "score_name"),
    [("parquet", "rmse"), ("csv", "my own score"), ("csv", "score")],
)
def test_written_folds_come_back(tmp_path, long_frame, ending, score_name):
    rng = np.random.default_rng(0)
    frame = pd.concat([long_frame.assign(fold=f) for f in range(3)], ignore_index=True)
    frame["auroc"] = rng.random(len(frame))
    frame["status"] = "ok"
    frame.loc[0, "status"] = "failed"
    frame.loc[[14, 15], "status"] = "undefined"
    results = load_results(frame, score_name=score_name, lower_is_better=False)
    results.write(tmp_path / f"a.{ending}")
    again = load_results(tmp_path / f"a.{ending}", lower_is_better=False)
    order = results.algorithms
    pd.testing.assert_frame_equal(again.scores[order], results.scores, check_column_type=False)
    pd.testing.assert_frame_equal(
        again.cvsd[order], results.cvsd, check_column_type=False, check_exact=True
    )
    pd.testing.assert_frame_equal(again.traits, results.traits, check_exact=True)
    assert again.score_name == score_name


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    results = load_results("lenz2021")
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(OutputError, match="is not supported"):
        results.write(tmp_path / "a.xlsx")
    with pytest.raises(OutputError, match="cannot be written"):
        results.write(path / "a.csv")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OutputError, match="No space left on device"):
        results.write(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.csv"]
