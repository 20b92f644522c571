"""Parse names and numbers, and keep them through every file type."""

import json
import re
import statistics
import unicodedata

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from occstats.errors import ResultsError
from occstats.results import load_results
from occstats.results.aliases import is_summary, likely_summaries, may_summarise, measure
from occstats.results.cells import parse_numbers

NASTY = [
    *("NA", "null", "None", "nan", "NaN", "001", "1e5", "True", "false", "1.0", "-", "?", "inf"),
    *("<script>alert(1)</script>", "\\input{x}", "$", "a_b^c%", "=1+1", "+x", "-x", "@x"),
    *("../../x", "/etc/passwd", "x" * 300, "a\0b", "\x1b[31mred", "line\nbreak", "tab\there"),
    *("数据", "😀", "e\u0301", "\u00e9", " leading", "trailing ", 'quo"te', "com,ma", "semi;colon"),
    *("car\rriage", "'", "|", "\u2028", "\u200b", "#", "//"),
]


def nasty_frame():
    n = len(NASTY)
    return pd.DataFrame(
        {
            "dataset": NASTY * 2,
            "class": (NASTY[::-1]) * 2,
            "descriptor": ["A"] * n + ["B"] * n,
            "auroc": np.linspace(0, 1, 2 * n),
        }
    )


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_nasty_names_survive_every_format(tmp_path, ending):
    results = load_results(nasty_frame())
    path = tmp_path / f"a.{ending}"
    if ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, results.to_frame().to_dict("records"))))
    else:
        results.write(path)
    again = load_results(path)
    # Blanks around cells align the columns of a text file.
    names = [name.strip(" ") if ending == "csv" else name for name in NASTY]
    assert again.scores.index.to_list() == list(zip(names, names[::-1], strict=True))
    assert np.array_equal(again.scores, results.scores)


def test_numbers_as_names(tmp_path):
    table = pa.table(
        {
            "dataset": pa.array([1, 2], pa.int8()),
            "class": pa.array([True, False]),
            "descriptor": pa.array([1.0, 2.0]),
            "auroc": [0.1, 0.2],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    results = load_results(tmp_path / "a.parquet")
    assert results.scores.index.to_list() == [("1", "True"), ("2", "False")]
    assert results.algorithms == ["1", "2"]


def test_html_escapes_names():
    html = load_results(nasty_frame())._repr_html_()
    frame = pd.DataFrame({"dataset": ["<script>"], "<b>": [0.1], "B": [0.2]})
    html += load_results(frame, lower_is_better=False)._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html
    assert "&lt;b&gt;" in html


@given(st.lists(st.text("01.eE+-\n", max_size=4), min_size=1, max_size=3))
def test_fast_parsing_of_numbers_equals_the_slow_one(cells):
    at_once = parse_numbers(pd.Series(cells, dtype=object))
    one_by_one = parse_numbers(pd.Series([*cells, "word"], dtype=object))
    np.testing.assert_array_equal(at_once.values, one_by_one.values[:-1])
    np.testing.assert_array_equal(at_once.wrong, one_by_one.wrong[:-1])


names = st.text(st.characters(exclude_categories=["Cs"], codec="utf-8"), min_size=1, max_size=8)
scores = st.floats(0, 1, allow_nan=False)


def canonical(text):
    """Return what tells names apart: "A" with a combining macron is "Ā"."""
    parts = text if isinstance(text, tuple) else (text,)
    return tuple(unicodedata.normalize("NFKC", part).strip() for part in parts)


@st.composite
def tables(draw, folds=st.sampled_from([None, ["0"], ["0", "1", "x"]]), least=1):  # noqa: B008
    """A long table with some cells missing, and nasty names."""
    tasks = draw(st.lists(st.tuples(names, names), min_size=1, max_size=6, unique_by=canonical))
    algorithms = draw(st.lists(names, min_size=least, max_size=4, unique_by=canonical))
    folds = draw(folds)
    rows = [
        (*task, algorithm, fold, draw(scores))
        for task in tasks
        for algorithm in algorithms
        for fold in folds or [None]
        if folds or draw(st.booleans())
    ]
    absent = [name for name in algorithms[:least] if not any(row[2] == name for row in rows)]
    rows += [(*tasks[0], name, None, 0.5) for name in absent]
    frame = pd.DataFrame(rows, columns=["dataset", "class", "descriptor", "fold", "auroc"])
    frame["n"] = pd.factorize(frame["dataset"])[0] + 0.5
    return frame if folds else frame.drop(columns="fold")


def assert_same(first, second):
    columns = sorted(first.algorithms)
    assert columns == sorted(second.algorithms)
    for one, two in ((first.scores, second.scores), (first.cvsd, second.cvsd)):
        assert (one is None) == (two is None)
        if one is not None:
            order = sorted(one.index)
            np.testing.assert_allclose(
                one.loc[order, columns], two.loc[order, columns], rtol=1e-12, atol=1e-15
            )
    order = sorted(first.scores.index)
    assert first.traits.loc[order].equals(second.traits.loc[order])


@settings(deadline=None, max_examples=20)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_does_not_matter(frame, random):
    rows, columns = list(range(len(frame))), list(frame.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    told = {"score": "auroc"}
    assert_same(load_results(frame, **told), load_results(frame.iloc[rows][columns], **told))


@settings(deadline=None, max_examples=20)
# In a wide table, a single column may be named by its measure, and a row be a summary or measure.
@given(tables(folds=st.none(), least=2))
def test_long_and_wide_agree(frame):
    names = [*frame["dataset"], *frame["class"]]
    assume(not any(is_summary(name) or measure(name)[0] for name in names))
    assume(not {"dataset", "class"} & {*frame["descriptor"]})  # their columns would clash
    try:
        results = load_results(frame, score="auroc")
    except ResultsError as error:
        assume("an earlier row has" not in str(error))  # names that are read alike
        raise
    wide = results.scores.dropna(axis=1, how="all").reset_index()
    again = load_results(
        wide,
        algorithms=list(wide.columns[2:]),
        dataset="dataset",
        task="class",
        lower_is_better=False,
    )
    shared = list(wide.columns[2:])
    assert again.scores[shared].equals(results.scores[shared].astype(float))


@st.composite
def uneven_repeats(draw):
    """A task with folds that have different numbers of repeats, for two algorithms."""
    repeats = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    return [
        {"dataset": "x", "model": model, "fold": fold, "seed": seed, "score": draw(scores)}
        for model in "AB"
        for fold, count in enumerate(repeats)
        for seed in range(count)
    ]


@settings(deadline=None, max_examples=25)
@given(uneven_repeats())
def test_the_score_is_the_mean_over_folds_of_the_mean_over_repeats(rows):
    results = load_results(pd.DataFrame(rows), score="score", lower_is_better=False)
    for model in "AB":
        mine = [row for row in rows if row["model"] == model]
        folds = {row["fold"] for row in mine}
        means = [statistics.fmean(r["score"] for r in mine if r["fold"] == f) for f in folds]
        # Sums of at most sixteen numbers up to 1, in another order.
        assert abs(results.scores[model].iloc[0] - statistics.fmean(means)) < 1e-14


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_numbers_survive_text_to_the_bit(values):
    numbers = parse_numbers(pd.Series([repr(value) for value in values], dtype=object))
    assert numbers.values.tolist() == values
    assert not numbers.wrong.any()


@given(st.text(max_size=20) | st.text("0123456789.+-%e ", max_size=9))
@example("0.8239+0.0104")
@example("12+34")
def test_text_is_a_number_only_if_python_agrees(text):
    numbers = parse_numbers(pd.Series([text], dtype=object))
    if numbers.wrong[0] or np.isnan(numbers.values[0]) or re.search(r"[(\[±*_${\\]", text):
        return
    spread = re.fullmatch(r"(.*[\d.%])\s*(?:\+-|\+/-|(?<=\d)\+(?=\d+\.\d)).*", text.strip())
    plain = (text if spread is None else spread[1]).strip().rstrip("%").strip()
    assert float(plain) / (100 if "%" in text else 1) == numbers.values[0]


def test_every_summary_is_likely_to_be_one():
    words = "average avg. mean median overall all total sum rank best worst oracle vbs wins ties"
    words += " draws losses w/t/l w/d/l win/tie/loss improvement diff p-value p.values count #wins"
    words += " virtual_best difference #_best grand_mean AVG_eu mean_auc"
    names = [f"{word}{end}" for word in words.split() for end in ("", "_score", " (5 tasks)")]
    assert likely_summaries([*names, "iris", "SVM"]) == names
    assert all(is_summary(n) or may_summarise(n) for n in words.split())
