"""The page that compares published numbers with ours."""

import numpy as np
import pandas as pd
import pytest

import occstats
from benchmarks.reproduction_statements import NAMES, statements_table
from occstats.report.published import (
    comparisons,
    nearness,
    published_page,
    published_table,
    scores_of,
)
from occstats.tuning import default_hyperparameters


@pytest.fixture(scope="module")
def without_two_datasets():
    """The paper's own digits, without the datasets that nobody else has."""
    table = published_table()
    return occstats.load_results(
        table[~table["dataset"].isin(["miniboone", "sensorless"])], lower_is_better=False
    )


@pytest.fixture(scope="module")
def page(without_two_datasets):
    return published_page(without_two_datasets, published_table(), notes=["five folds"])


def cells(page, start):
    """The cells of the first line that starts so."""
    rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines())
    first = start.split(" | ")
    return next(row for row in rows if row[: len(first)] == first)


def test_like_is_compared_with_like(page):
    # Known of the paper's digits on the 233 tasks, on all 246, and printed in the paper.
    assert cells(page, "ALP > NND") == ["ALP > NND", "0.042", "0.042", "0.020", "0.018", ""]
    assert cells(page, "LOF > EIF") == ["LOF > EIF", "0.052", "0.052", "0.033", "0.036", ""]
    assert cells(page, "LOF > LNND")[1:5] == ["< 0.0001"] * 4
    assert cells(page, "NND > LOF")[3:5] == ["≥ 1", "≥ 1"]


def test_statements_of_the_paper(without_two_datasets):
    table = statements_table(comparisons(without_two_datasets, published_table()))
    found = table.set_index(["where", "statement"])
    # Printed, ours, the paper's digits on our tasks, and on all.
    assert found.loc[("§4", "246 tasks, 50 datasets")].tolist() == [
        "246, 50", "233, 48 ✗", "233, 48 ✗", "246, 50 ✓"
    ]  # fmt: skip
    better = found.loc[("table 5", "ALP is better than IF")]
    assert better[1:].tolist() == ["IF 0.060 ✗"] * 2 + ["0.043 ✓"]
    assert found.loc[("table 4", "CVSD of the nine")].iloc[-1] == "no folds"
    # The paper: size is a positive factor for SAE (p = 0.002), by 0.31 places.
    size = found.loc[("§5", "a large class favours SAE (ranks per unit of log n)")]
    assert size.iloc[-1].startswith("−0.31 ± 0.19, p 0.0015")


def test_a_pair_on_two_sides_of_the_threshold_is_pointed_out(without_two_datasets):
    table = published_table()
    table = table[~table["dataset"].isin(["miniboone", "sensorless"])]
    moved = occstats.load_results(
        table.assign(NND=table["NND"] + 0.02), algorithms=NAMES, lower_is_better=False
    )
    changed = published_page(moved, published_table(), notes=[])
    assert cells(changed, "ALP > NND")[-1] == "differs"


def test_every_task_is_there_with_differences_in_bold():
    table = published_table()
    few = table[table["dataset"].isin(["wine", "iris"])].copy()
    few.loc[few["class"] == "1", "MD"] += 0.001
    page = published_page(occstats.load_results(few, lower_is_better=False), table, notes=[])
    wine = few[few["dataset"] == "wine"].set_index("class")["MD"]
    first, second = cells(page, "wine | 1"), cells(page, "wine | 2")
    assert f"**{wine['1']:.3f} / {wine['1'] - 0.001:.3f}**" in first
    assert f"{wine['2']:.3f} / {wine['2']:.3f}" in second


def test_nearness_counts_by_half_a_unit_of_the_third_decimal():
    paper = scores_of(published_table())[["NND", "MD"]]
    shift = np.resize([0.0004, 0.0006, 0.004, 0.03], len(paper))
    near = nearness(paper + pd.DataFrame({"NND": shift, "MD": 0.0}, index=paper.index), paper)
    counts = near.loc["NND", ["equal to 3 decimals", "within 0.005", "within 0.02"]]
    assert counts.tolist() == [sum(shift <= limit) for limit in (0.0005, 0.005, 0.02)]
    assert near.loc["MD", "equal to 3 decimals"] == len(paper)


def test_default_hyperparameters_are_those_of_the_paper():
    # paper.tex, table of optimal default hyperparameter values
    assert default_hyperparameters().to_numpy().tolist() == [
        ["NND", "k", "1"],
        ["LNND", "k", "3.4 log n"],
        ["LOF", "k", "2.5 log n"],
        ["SVM", "nu", "0.20"],
        ["SVM", "c", "0.25 m"],
        ["ALP", "k", "5.5 log n"],
        ["ALP", "l", "6.0 log n"],
    ]
