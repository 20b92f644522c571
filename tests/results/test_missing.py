"""Failures: which cells count as failed, where they rank, and when the policy is proposed."""

from dataclasses import replace
from textwrap import wrap

import numpy as np
import pandas as pd
import pytest

from occstats.errors import ResultsError
from occstats.results import load_results
from occstats.results.missing import best_policy


def crashing(score_name="auroc", *, lower=False):
    """CAND crashes on two of five datasets and is slightly better on the others."""
    base = np.array([0.70, 0.72, 0.74, 0.76, 0.78])
    sign = -1 if lower else 1
    frame = pd.DataFrame({"dataset": list("vwxyz"), "BASE": base, "CAND": base + sign * 0.01})
    frame.loc[:1, "CAND"] = np.nan
    return load_results(frame, score_name=score_name, lower_is_better=lower)


def text_file(tmp_path, text, **options):
    path = tmp_path / "a.csv"
    path.write_text(text)
    return load_results(path, **options)


def test_tasks_on_which_all_algorithms_failed_are_kept():
    results = crashing()
    scores = results.scores.copy()
    scores.iloc[0] = np.nan
    kept = replace(results, scores=scores).resolve_missing("worst")
    assert kept.n_tasks == 5
    assert kept.tested[0].tolist() == [-np.inf, -np.inf]
    assert kept.scores.iloc[0].tolist() == [0, 0]
    assert "On 1 task every algorithm failed, which is a tie." in kept.notes[-1]
    with pytest.raises(ResultsError, match="no cell has a score"):
        replace(results, scores=scores * np.nan).resolve_missing("worst")


def test_failures_survive_selection():
    results = crashing().resolve_missing("worst")
    assert results.select(["CAND", "BASE"]).failed.columns.tolist() == ["CAND", "BASE"]
    assert results.select(["CAND"]).tested[:, 0].tolist() == results.tested[:, 1].tolist()
    assert results.select(["BASE"]).failed is None
    kept = results.keep_tasks(np.array([True, False, True, False, False]))
    assert kept.failed["CAND"].tolist() == [True, False]
    assert kept.tested.tolist() == results.tested[[0, 2]].tolist()
    assert kept.failure_score == 0.0
    assert results.keep_tasks(np.array([False, False, True, True, True])).failed is None
    noted = replace(results, notes=())
    assert noted.failed.equals(results.failed)


def test_tables_with_failures_are_joined_before_they_are_resolved():
    other = pd.DataFrame({"dataset": list("wxyzu"), "OTHER": 0.5})
    options = {"algorithms": ["OTHER"], "score_name": "auroc"}
    with pytest.raises(ResultsError, match="join the sources first, then call resolve_missing"):
        load_results(crashing().resolve_missing("worst"), load_results(other, **options))
    both = load_results(crashing(), load_results(other, **options)).resolve_missing("worst")
    assert (both.tested == -np.inf).sum() == 5


def test_a_failure_can_be_given_another_score():
    results = crashing("score").resolve_missing("worst")
    assert results.resolve_missing("worst") is results
    assert results.resolve_missing("worst=0").scores["CAND"].tolist()[:2] == [0, 0]
    assert results.resolve_missing("worst=0").failure_score == 0


def test_failures_are_shown_and_written_as_such():
    results = crashing().resolve_missing("worst")
    assert "2 failed" in repr(results)
    assert results._repr_html_().count("<td>failed</td>") == 2
    frame = results.to_frame()
    assert frame.query("status == 'failed'")["algorithm"].tolist() == ["CAND", "CAND"]
    assert frame["auroc"].isna().sum() == 2
    again = load_results(frame)
    assert again.recorded_failures.equals(results.failed)
    assert best_policy(again) == "worst"


def test_absent_rows_are_not_failures(long_frame):
    frame = long_frame.assign(status="ok").drop(index=[0, 3])
    assert load_results(frame).recorded_failures is None
    # NaN in a frame may be an empty cell of a file.
    empty = long_frame.assign(auroc=long_frame["auroc"].where(long_frame.index > 1))
    assert load_results(empty).recorded_failures is None
    frame.loc[5, "status"] = "failed"
    results = load_results(frame)
    assert results.recorded_failures.to_numpy().sum() == 1
    # With one failure among absent runs, the policy is listed, but not first.
    assert best_policy(results) != "worst"
    with pytest.raises(ResultsError, match=r"or missing='worst' \(.*; 1 of 3 recorded\)"):
        results.resolve_missing()
    assert "record 1 of these failures" in results.resolve_missing("worst").notes[-1]


def n_lines(error):
    return sum(len(wrap(line, 80)) for line in str(error).splitlines())


def test_error_is_short(tmp_path):
    header = ",".join(["dataset", *(f"an algorithm with a long name {i}" for i in range(30))])
    rows = [
        ",".join([f"a dataset with a long name {i}", *(["TIMEOUT", "", *["0.5"] * 28])])
        for i in range(20)
    ]
    text = "\n".join([header, *rows, ",".join(["last", *["0.5"] * 30])])
    names = header.split(",")[1:]
    results = text_file(tmp_path, text, score_name="auroc", algorithms=names)
    results = replace(results, notes=(*results.notes, *(f"{'n ' * 200}count as missing",) * 3))
    with pytest.raises(ResultsError) as caught:
        results.resolve_missing()
    assert n_lines(caught.value) <= 12
    with pytest.raises(ResultsError) as caught:
        load_results("lenz2021", "mine").resolve_missing()
    assert n_lines(caught.value) <= 12
    assert caught.value.retry == {"missing": "complete"}  # not one that drops what was added
