"""The tables: one source for every medium, the paper's forms, and sizes that do not blow up."""

import io

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.report.html import render
from occstats.report.latex import table_to_latex
from occstats.report.markdown import table_to_markdown
from occstats.report.table import Column, Table
from occstats.report.tables import all_tables, leading_tables
from occstats.report.text import make_console, print_comparison, print_table
from occstats.text import decimals, p_value, percent


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021", n_resamples=100)


@pytest.fixture(scope="module")
def tables(comparison):
    return {table.name: table for table in all_tables(comparison)}


def test_names_are_unique_and_every_section_is_there(tables, comparison):
    assert len(tables) == len(all_tables(comparison))
    expected = {"summary", "p_values", "pairwise", "kendall", "complementary_pairs", "regression",
                "strata", "rank_frequencies", "diagnostics", "scores", "ranks"}  # fmt: skip
    assert expected <= set(tables)
    for table in tables.values():
        assert table.title
        assert table.explanation.endswith(".")


def test_summary_is_the_papers(tables):
    cells = tables["summary"].cells()
    headers = tables["summary"].headers
    assert headers[:2] == ["algorithm", "mean rank"]
    assert [row[0] for row in cells][:3] == ["ALP", "SVM", "NND"]
    assert cells[0][1] == "3.51"
    assert cells[0][headers.index("mean AUROC")] == "0.817"
    assert "CVSD" not in headers


def test_scores_have_the_best_of_each_task_in_bold(tables):
    table = tables["scores"]
    first = table.cells(1)[0]
    bold = [cell for cell, column in zip(first, table.columns, strict=True)
            if table.is_best(0, column)]  # fmt: skip
    assert bold == ["0.765"]
    assert r"\textbf{0.765}" in table_to_latex(table)
    assert r"\begin{longtable}" in table_to_latex(table)
    assert "**0.765**" in table_to_markdown(table)


def test_latex_is_booktabs(tables):
    text = table_to_latex(tables["p_values"])
    for command in (r"\toprule", r"\midrule", r"\bottomrule", r"$<$ 0.0001", r"$\geq$ 1"):
        assert command in text


def test_negative_numbers_have_a_minus_in_latex(tables):
    assert "$-$0.31" in table_to_latex(tables["regression"])


def test_p_values_of_a_control_are_one_row():
    comparison = occstats.compare("lenz2021", control="SVM", n_resamples=100)
    table = next(table for table in all_tables(comparison) if table.name == "p_values")
    assert len(table.cells()) == 1
    assert len(table.headers) == 9


def test_uncorrected_p_values_are_not_called_corrected():
    found = all_tables(
        occstats.compare("lenz2021", correction="none", rule="tests", n_resamples=100)
    )
    named = {table.name: table for table in found}
    assert named["p_values"].title == "P-values, not corrected"
    assert named["pairwise"].explanation.startswith("P-value;")


def test_less_shows_the_same_triangle(tables):
    less = occstats.compare("lenz2021", alternative="less", family="all", n_resamples=100)
    greater = occstats.compare("lenz2021", family="all", n_resamples=100)
    first, second = (
        next(table for table in all_tables(found) if table.name == "p_values").cells()
        for found in (less, greater)
    )
    assert first == second


def many_algorithms(k, n_datasets=6):
    generator = np.random.default_rng(0)
    frame = pd.DataFrame(
        generator.random((n_datasets, k)), columns=[f"algorithm {i}" for i in range(k)]
    )
    frame.insert(0, "dataset", [f"d{i}" for i in range(n_datasets)])
    return occstats.compare(frame, n_resamples=100)


def test_many_algorithms_are_capped_on_screen_and_whole_in_files():
    comparison = many_algorithms(45)
    stream = io.StringIO()
    print_comparison(comparison, file=stream)
    text = stream.getvalue()
    assert len(text.splitlines()) < 500
    assert "more rows" in text
    assert "more columns" in text
    tables = {table.name: table for table in all_tables(comparison)}
    assert len(tables["pairwise"].frame) == 45 * 44
    assert len(tables["p_values"].cells()) == 44
    assert len(comparison._repr_html_()) < 2_000_000


def test_a_wide_name_does_not_break_the_table():
    frame = pd.DataFrame({"a": ["x" * 80], "b": [1.0]})
    columns = (Column("name", ("a",), str, number=False), Column("n", ("b",), decimals(1)))
    table = Table("t", "Title", "Explanation.", frame, columns)
    stream = io.StringIO()
    assert print_table(make_console(stream, width=40), table) is False
    assert max(len(line) for line in stream.getvalue().splitlines()) <= 40


def test_terminal_colours_and_no_color(comparison, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    bold = Terminal()
    print_comparison(comparison, file=bold)
    assert "\x1b[1m" in bold.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    print_comparison(comparison, file=plain)
    assert not any(code in plain.getvalue() for code in ("\x1b[3", "\x1b[9", "\x1b[4"))


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.00009999, "< 0.0001"),
        (0.0001, "0.00010"),
        (0.0996, "0.10"),
        (0.5, "0.50"),
        (1.0, "1"),
        (1.01, "≥ 1"),
    ],
)
def test_p_values_at_the_edges(p, shown):
    assert p_value(p) == shown


def test_percentages_never_round_to_certainty():
    assert [percent(value) for value in (0.9999, 1.0, 1e-9, 0.0)] == ["> 99 %", "100 %", "< 1 %",
                                                                      "0 %"]  # fmt: skip


def test_every_medium_says_what_bold_means(tables, comparison):
    table = tables["p_values"]
    assert table.best.to_numpy().any()
    for text in (
        table_to_markdown(table),
        table_to_latex(table),
        comparison._repr_html_(),
        render(comparison),
    ):
        assert "Bold: significant, corrected over all pairs" in text


def test_two_data_sets_have_a_table_of_p_values():
    frame = pd.DataFrame({"dataset": list("aabb"), "x": [0.1, 0.2, 0.3, 0.4], "y": 0.2})
    comparison = occstats.compare(frame, task="@row", lower_is_better=False, n_resamples=100)
    assert [table.name for table in leading_tables(comparison)] == ["summary", "p_values"]


def test_headings_and_words_have_the_levels_of_the_comparison():
    comparison = occstats.compare("lenz2021", confidence=0.9, n_resamples=100)
    tables = all_tables(comparison)
    headers = [
        column.header
        for table in tables
        for column in table.columns
        if any(key.endswith("ci_low") for key in column.keys)
    ]
    assert len(headers) > 2
    assert all("90 %" in header for header in headers)
    detectable = next(table for table in tables if table.name == "detectable")
    assert "with 80 % power" in detectable.explanation
