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


def test_a_crash_ranks_below_the_score_of_the_only_other_algorithm():
    results = crashing().resolve_missing("worst")
    assert results.failed["CAND"].tolist() == [True, True, False, False, False]
    assert not results.failed["BASE"].any()
    assert results.tested[:, 1].tolist() == [-np.inf, -np.inf, 0.75, 0.77, 0.79]
    assert results.tested[:, 0].tolist() == [0.70, 0.72, 0.74, 0.76, 0.78]
    assert np.isfinite(results.oriented).all()
    assert results.missing.empty
    assert results.notes[-1] == (
        "missing='worst': 2 cells on 2 tasks count as failures, which rank below every score:"
        " 'CAND' 2. Their score in means is 0. The sources record none of these failures."
    )


@pytest.mark.parametrize(
    ("score_name", "lower", "score", "failure_score"),
    [
        ("auroc", False, 0.0, 0.0),
        ("error_rate", True, 1.0, 1.0),
        ("score", False, 0.70, None),  # the worst in the table, only to describe
        ("rmse", True, 0.78, None),
    ],
)
def test_failures_have_the_worst_possible_score_of_the_measure(
    score_name, lower, score, failure_score
):
    results = crashing(score_name, lower=lower).resolve_missing("worst")
    assert results.failure_score == failure_score
    assert results.scores["CAND"].tolist()[:2] == [score, score]
    assert (results.tested == -np.inf).tolist() == results.failed.to_numpy().tolist()
    without_mean = "They have no score in means; missing='worst=SCORE' would give them one."
    assert (without_mean in results.notes[-1]) == (failure_score is None)


@pytest.mark.parametrize(("lower", "score"), [(False, 0.5), (True, 10.0), (False, -3.0)])
def test_a_given_score_represents_a_failure(lower, score):
    results = crashing("score", lower=lower).resolve_missing(f"worst={score}")
    assert results.failure_score == score
    assert results.scores["CAND"].tolist()[:2] == [score, score]
    assert results.tested[0, 1] == -np.inf
    assert f"Their score in means is {score:g}." in results.notes[-1]


@pytest.mark.parametrize("score", ["", "nan", "-inf", "0,5"])
def test_score_of_a_failure_must_be_a_finite_number(score):
    with pytest.raises(ResultsError, match=r"the score of a failure .*a finite number; got"):
        crashing().resolve_missing(f"worst={score}")


def test_a_failure_better_than_a_score_is_refused():
    with pytest.raises(ResultsError, match=r"the worst of which is 0.7 \('BASE' on 'v'\)"):
        crashing().resolve_missing("worst=0.71")
    with pytest.raises(ResultsError, match=r"the worst of which is 0.78 \('BASE' on 'z'\)"):
        crashing("rmse", lower=True).resolve_missing("worst=0.77")
    with pytest.raises(ResultsError, match=r"outside the range of 'auroc'.* score is 0$"):
        crashing().resolve_missing("worst=-0.1")
    results = crashing().resolve_missing("worst=0.7")  # as bad is bad enough
    assert (results.failure_score, results.bounds) == (0.7, (0.0, 1.0))


def test_score_of_a_failure_is_checked_even_if_nothing_is_missing(long_frame):
    results = load_results(long_frame)
    assert results.resolve_missing("worst=0.1") is results
    with pytest.raises(ResultsError, match="better than some scores"):
        results.resolve_missing("worst=0.9")


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


def test_failures_are_checked_against_the_scores():
    results = crashing()
    failed = results.scores.isna()
    with pytest.raises(ResultsError, match="failed: the rows must be the tasks"):
        replace(results, failed=failed.iloc[::-1])
    with pytest.raises(ResultsError, match="failed: the columns must be those of scores"):
        replace(results, failed=failed[["CAND", "BASE"]])


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


def test_written_folds_distinguish_failed_from_absent_runs():
    rows = [
        (dataset, name, fold, 0.5 + 0.1 * fold, "ok")
        for dataset in "xyz"
        for name in "AB"
        for fold in range(2)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "model", "fold", "auroc", "status"])
    frame.loc[0, "status"] = "timeout"
    results = load_results(frame.drop(index=7), status="status")  # of y, B lacks a fold
    assert results.recorded_failures.sum().to_dict() == {"A": 1, "B": 0}
    again = load_results(results.to_frame())
    assert again.recorded_failures.equals(results.recorded_failures)
    assert again.scores.equals(results.scores)


RECORDED = ["TIMEOUT", "OOM", "NaN", "inf"]
NOT_RECORDED = ["", "n/a", "-"]


@pytest.mark.parametrize("cell", [*RECORDED, *NOT_RECORDED])
def test_words_for_failures_and_for_missing_scores(tmp_path, cell):
    text = f"dataset,A,B\nx,0.5,{cell}\ny,0.5,0.6\nz,0.4,0.3\n"
    results = text_file(tmp_path, text, lower_is_better=True)
    if cell in RECORDED:
        assert results.recorded_failures["B"].tolist() == [True, False, False]
        assert best_policy(results) == "worst"
    else:
        assert results.recorded_failures is None
        assert best_policy(results) == "complete"
    with pytest.raises(ResultsError) as caught:
        results.resolve_missing()
    assert ("missing='worst'" in str(caught.value)) == (cell in RECORDED)


@pytest.mark.parametrize(
    ("status", "failed"),
    [("failed", True), ("OOM", True), ("not run", False), ("undefined", False)],
)
def test_statuses_of_failed_and_absent_runs(long_frame, status, failed):
    frame = long_frame.assign(status="ok")
    frame.loc[[0, 3], "status"] = status
    results = load_results(frame)
    assert len(results.missing) == 2
    assert (results.recorded_failures is not None) == failed
    assert (best_policy(results) == "worst") == failed


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


def test_error_lists_the_best_option_first(tmp_path):
    results = text_file(
        tmp_path, "dataset,A,B\nx,0.5,TIMEOUT\ny,0.5,0.6\nz,0.4,0.3\n", lower_is_better=False
    )
    with pytest.raises(ResultsError) as caught:
        results.resolve_missing()
    assert caught.value.retry == {"missing": "worst"}
    assert str(caught.value).splitlines()[1:] == [
        "try: missing='worst' (failures rank below every score)",
        "  or missing='worst=SCORE' (the same; SCORE represents a failure in means)",
        "  or missing='complete' (2 tasks that all algorithms have)",
        "  or missing='pairwise' (for each pair, the tasks that both have)",
        "  or missing='impute=NAME' (the score of a baseline)",
    ]
    assert "1 cell of failed runs ('TIMEOUT')" in str(caught.value)
    with pytest.raises(ResultsError) as caught:
        replace(results, score_name="auroc").resolve_missing()
    assert "worst=SCORE" not in str(caught.value)  # the worst AUROC is known


def test_half_of_the_results_is_enough_to_propose_complete_tasks(tmp_path):
    text = "dataset,A,B\nx,0.5,\ny,0.5,0.6\nz,0.4,0.3\nu,,0.2\n"
    with pytest.raises(ResultsError) as caught:
        text_file(tmp_path, text, lower_is_better=False).resolve_missing()
    assert caught.value.retry == {"missing": "complete"}


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


def test_no_policy_is_suggested_if_none_fits():
    frame = pd.DataFrame({"dataset": list("xy"), "A": [0.1, np.nan], "B": [np.nan, 0.2]})
    results = load_results(frame, lower_is_better=False)
    for policy in ("refuse", "complete", "drop-algorithms"):
        with pytest.raises(ResultsError) as caught:
            results.resolve_missing(policy)
        assert caught.value.retry == {}
        assert "try: missing" not in str(caught.value)
    with pytest.raises(ResultsError, match="no task has a score of two algorithms"):
        results.resolve_missing("pairwise")
    assert (results.resolve_missing("worst").tested == -np.inf).sum() == 2


def test_a_refusal_names_the_first_missing_cells():
    scores = {"A": [0.1, 0.2, 0.3], "B": [0.1, 0.2, np.nan]}
    frame = pd.DataFrame({"dataset": ["iris", "wine", "wine"], "task": [*"xyz"], **scores})
    with pytest.raises(ResultsError, match=r"\(in 1 of 3 tasks\), first 'wine' / 'z': 'B'"):
        load_results(frame, lower_is_better=False).resolve_missing()


def test_a_table_without_empty_names_needs_no_condition_on_them():
    frame = pd.DataFrame({"dataset": list("ab"), "x": [0.1, 0.2], "y": [0.3, 0.4]})
    assert load_results(frame, where="dataset!=", lower_is_better=False).scores.shape == (2, 2)
