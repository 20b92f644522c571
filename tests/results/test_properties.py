"""Properties that hold for any table."""

import re
import statistics
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from occstats.results import load_results
from occstats.results.aliases import is_summary
from occstats.results.cells import parse_numbers
from occstats.results.readers.delimited import find_delimiter

names = st.text(st.characters(exclude_categories=["Cs"], codec="utf-8"), min_size=1, max_size=8)
scores = st.floats(0, 1, allow_nan=False)


@st.composite
def tables(draw):
    """A long table with some cells missing, and nasty names."""
    tasks = draw(st.lists(st.tuples(names, names), min_size=1, max_size=6, unique=True))
    algorithms = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    folds = draw(st.sampled_from([None, ["0"], ["0", "1", "x"]]))
    rows = [
        (*task, algorithm, fold, draw(scores))
        for task in tasks
        for algorithm in algorithms
        for fold in folds or [None]
        if folds or draw(st.booleans())
    ]
    if not rows:
        rows = [(*tasks[0], algorithms[0], None, 0.5)]
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


@settings(deadline=None, max_examples=40)
@given(tables(), st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_does_not_matter(frame, random):
    rows, columns = list(range(len(frame))), list(frame.columns)
    random.shuffle(rows)
    random.shuffle(columns)
    assert_same(load_results(frame), load_results(frame.iloc[rows][columns]))


@settings(deadline=None, max_examples=40)
@given(tables(), st.sampled_from(["parquet", "feather", "csv", "tsv", "jsonl"]))
def test_written_tables_come_back(frame, ending):
    results = load_results(frame)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{ending}"
        results.write(path)
        again = load_results(path)
    assert again.scores.index.to_list() == results.scores.index.to_list()
    assert_same(results, again)


@settings(deadline=None, max_examples=40)
@given(tables())
def test_long_and_wide_agree(frame):
    assume("fold" not in frame)
    # In a wide table a row of that name may sum up the others.
    assume(not any(is_summary(name) for name in frame["dataset"]))
    results = load_results(frame)
    wide = results.scores.dropna(axis=1, how="all").reset_index()
    again = load_results(wide, algorithm=list(wide.columns[2:]), cluster="dataset", task="class")
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


@settings(deadline=None, max_examples=60)
@given(uneven_repeats())
def test_the_score_is_the_mean_over_folds_of_the_mean_over_repeats(rows):
    results = load_results(pd.DataFrame(rows))
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


@given(st.text(max_size=20))
def test_text_is_a_number_only_if_python_agrees(text):
    numbers = parse_numbers(pd.Series([text], dtype=object))
    if not numbers.wrong[0] and not np.isnan(numbers.values[0]):
        plain = text.strip().rstrip("%").strip()
        if re.fullmatch(r"[^(±%*${\\]*%?", text.strip()) and "+-" not in text and "+/" not in text:
            assert float(plain) / (100 if "%" in text else 1) == numbers.values[0]


@given(st.text(max_size=200))
def test_any_sample_has_a_delimiter(sample):
    assert find_delimiter(sample) in {",", ";", "\t", "|"}
