"""Tables in Markdown, HTML and LaTeX, and LaTeX that compiles and fits a column."""

import re

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.errors import ArgumentError
from occstats.report.bundle import methods_to_latex, paper_files, paper_table
from occstats.report.formatted_table import Column, Table
from occstats.report.markup import escape_latex, table_to_html, table_to_latex
from occstats.report.tables import all_tables, paper_scores
from tests.report.making import needs_latex, typeset

# Columns of the full table of Lenz et al.
ORDER = ["NND", "LNND", "LOF", "MD", "SVM", "IF", "EIF", "SAE", "ALP"]


def table_of(cells, **columns):
    frame = pd.DataFrame({"a": cells})
    return Table("t", "T", "", frame, (Column("a", ("a",), str, **columns),))


def body(latex):
    """Return the rows of a table."""
    lines = latex.splitlines()
    start = r"\endlastfoot" if r"\endlastfoot" in lines else r"\midrule"
    return [line for line in lines[lines.index(start) :] if line.endswith(r"\\")]


def cells(line):
    return [cell.strip() for cell in line.removesuffix(r"\\").split("&")]


@pytest.fixture(scope="module")
def tables(comparison):
    return {table.name: table for table in all_tables(comparison)}


def test_long_tables_are_cut_in_notebooks_and_break_across_pages_in_latex(tables):
    html = table_to_html(tables["scores"], most_rows=50)
    assert html.count("<tr>") == 51
    assert "… 196 more rows and 0 more columns" in html
    latex = table_to_latex(tables["scores"])
    assert latex.count(r"\begin{longtable}") == 1
    assert "Continued on next page" in latex
    assert len(body(latex)) == 246


def test_brackets_and_stars_at_the_beginning_of_a_row_are_no_options_of_tex():
    latex = table_to_latex(table_of([r"\input{x} & 5 %", "[0]", "*"], number=False))
    assert r"\textbackslash{}input\{x\} \& 5 \% \\" in latex
    assert "{}[0]" in latex
    assert "{}*" in latex
    assert escape_latex("Holm-corrected, a--b ≥ 1") == r"Holm-corrected, a-{}-b $\geq$ 1"


def test_names_that_do_not_fit_are_numbered_in_the_matrix_of_a_paper(comparison):
    assert " & SVM & NND &" in comparison.to_latex("p_values")
    results = occstats.load_results("lenz2021").select(["ALP", "SVM", "NND", "SAE"])
    names = {name: f"a descriptor with a name of many words: {name}" for name in results.algorithms}
    table = results.scores.rename(columns=names).reset_index()
    found = occstats.compare(table, lower_is_better=False, n_resamples=100)
    latex = paper_files(found)["paper/p_values.tex"]
    assert "\n & 2 & 3 & 4 \\\\" in latex
    order = found.algorithms
    assert [cells(line)[0] for line in body(latex)] == [
        f"{place} {name}" for place, name in enumerate(order[:-1], start=1)
    ]
    # The last algorithm has no row.
    assert f"Column 4: {order[-1]}." in latex


def test_names_are_not_numbered_where_other_columns_are_too_wide():
    frame = pd.DataFrame(np.random.default_rng(0).random((9, 3)), columns=["ours", "SVM", "base"])
    frame = frame.assign(
        dataset=[f"a dataset with a name of very many words: {i}" for i in range(9)]
    )
    frame["task"] = frame["dataset"].str.replace("dataset", "task")
    latex = occstats.compare(frame, lower_is_better=False, n_resamples=100).to_latex("scores")
    assert "& ours" in latex
    assert "1: " not in latex


def test_first_rows_of_the_full_table_are_those_of_the_paper(comparison):
    # paper.tex, table of all AUROCs: NND, LNND, LOF, MD, SVM, IF, EIF, SAE, ALP
    latex = table_to_latex(paper_scores(comparison), group_columns=3)
    scores = comparison.results.scores[comparison.algorithms].to_numpy()
    best = scores == scores.max(axis=1, keepdims=True)
    assert np.array_equal(paper_scores(comparison).best.to_numpy(), best)
    columns = [5 + comparison.algorithms.index(name) for name in ORDER]
    rows = [cells(line) for line in body(latex)[:3]]
    assert [" ".join([*row[:5], *(row[place] for place in columns)]) for row in rows] == [
        r"appendicitis 7 0 85 0.05 0.741 0.644 0.744 0.691 0.665 \textbf{0.765} 0.734 0.518 0.721",
        r"  1 21 0.12 0.688 0.741 0.787 0.683 0.686 \textbf{0.799} 0.787 0.603 0.780",
        r"avila 10 A 8572 0.08 \textbf{0.914} 0.759 0.844 0.622 0.743 0.599 0.596 0.582 0.891",
    ]
    assert "Dataset & m & Class & n & s & ALP & SVM" in latex
    # A rule after the heading, twice, one before the page ends, one between two datasets.
    assert latex.count(r"\midrule") == 3 + 49


def test_a_shortened_table_keeps_the_bold_cells_of_its_rows(comparison):
    whole = paper_scores(comparison)
    latex = table_to_latex(whole.capped(rows=3), group_columns=3)
    assert latex.count(r"\textbf{") == whole.best.to_numpy()[:3].sum() > 0
    assert "The first 3 of 246 rows" in latex


def rounded_tasks(scale=1.0, noise=(0.0, -0.004, 0.004), tasks=20):
    """Return RMSE between 0.5 and 3, whose algorithms differ by the same amount everywhere."""
    hardness = np.linspace(0.5, 3, tasks) + 1e-5
    frame = pd.DataFrame({name: hardness + by for name, by in zip("abc", noise, strict=True)})
    return frame.round(5).mul(scale).assign(dataset=[f"d{i}" for i in range(tasks)])


@pytest.mark.parametrize(("scale", "mean"), [(1, "1.746 1.750 1.754"), (100, "174.6 175.0 175.4")])
def test_scores_have_the_decimals_in_which_they_differ(scale, mean):
    found = occstats.compare(rounded_tasks(scale), lower_is_better=True, n_resamples=100)
    assert " ".join(cells(line)[2] for line in body(found.to_latex())) == mean
    latex = found.to_latex("scores")
    assert [line.count(r"\textbf{") for line in body(latex)] == [1] * 20
    assert "The best score of each task is in bold." in latex


@pytest.mark.parametrize("sign", [1, -1])
def test_halves_have_the_decimals_in_which_they_differ(sign):
    hardness = np.random.default_rng(0).integers(1, 600, 20) / 1000
    frame = pd.DataFrame({name: hardness + by for name, by in (("a", 0.0005), ("b", 0.001))})
    frame = sign * frame.assign(c=0.3 + hardness)
    frame["dataset"] = [f"d{i}" for i in range(20)]
    found = occstats.compare(frame, lower_is_better=sign > 0, n_resamples=100)
    bold = [line.count(r"\textbf{") for line in body(found.to_latex("scores"))]
    assert bold == [1] * 20


def test_scores_that_round_to_the_best_are_bold_and_the_caption_says_so():
    frame = rounded_tasks(noise=(0, 1e-9, 0.1))
    frame["b"] += 1e-8
    latex = occstats.compare(frame, lower_is_better=True, n_resamples=100).to_latex("scores")
    assert [line.count(r"\textbf{") for line in body(latex)] == [2] * 20
    assert "The best score of each task and all scores that round to it are in bold." in latex


@pytest.mark.parametrize("lower", [False, True])
def test_the_caption_of_a_paper_says_where_lower_is_better(lower):
    found = occstats.compare(rounded_tasks(noise=(0, 1, 2)), lower_is_better=lower, n_resamples=100)
    caption = next(line for line in found.to_latex().splitlines() if "caption" in line)
    assert (" (lower is better) on 20 tasks" in caption) == lower


def test_the_tolerance_of_ties_is_a_power_of_ten_in_latex(comparison):
    assert "multiples of $10^{-9}$" in methods_to_latex(comparison.methods_text)


# One column of text, and the columns of two-column papers.
CLASSES = {
    "article": r"\documentclass{article}",
    "two-column": r"\documentclass[twocolumn]{article}",
    "ieee": r"\documentclass[twocolumn]{article}\setlength{\textwidth}{516pt}"
    r"\setlength{\columnsep}{12pt}",
}


@needs_latex
@pytest.mark.parametrize("kind", CLASSES)
def test_tables_of_a_paper_compile_and_fit(comparison, kind, tmp_path):
    others = {"preset": "paper"}, {"control": "ALP"}, {"margin": 0.02}
    found = [occstats.compare("lenz2021", n_resamples=100, **settings) for settings in others]
    found.append(comparison)
    names = [
        f"{place:02}-gradient_boosted_nearest-neighbour_variant_{place}" for place in range(40)
    ]
    generator = np.random.default_rng(0)
    many = pd.DataFrame(generator.uniform(0.5, 1, (60, 40)), columns=names)
    many = many.assign(dataset=[f"dataset {place % 12}" for place in range(60)], task=range(60))
    short = many.rename(columns={name: f"METHOD_WX_{name[-2:]}" for name in names})
    few = dict(zip(names[:5], [*("gradientboosting" * 4 + c for c in "abcd"), "x"], strict=True))
    few = many[["dataset", "task", *few]].rename(columns=few)
    two = many[["dataset", "task", *names[:2]]].assign(n=np.arange(60) + 20_000, m=7)
    for frame in (many, short, few, two):
        found.append(occstats.compare(frame, lower_is_better=False, n_resamples=100))
    parts = [text for each in found for text in paper_files(each).values()]
    assert not any("Part 2" in paper_table(each) for each in found)
    if kind == "article":
        parts += [each._repr_latex_() for each in found]
    assert [("longtable" in text) for text in paper_files(found[4]).values()] == [1, 0, 1]
    printed = typeset(tmp_path, "\n\n\\clearpage\n".join(dict.fromkeys(parts)), CLASSES[kind])
    too_wide = map(float, re.findall(r"Overfull .hbox \(([\d.]+)pt", printed))
    assert [points for points in too_wide if points > 2] == []
    assert "Float too large" not in printed


def test_nine_algorithms_fit_a_column_and_labels_can_be_set(comparison):
    files = paper_files(comparison)
    assert files["paper/comparison.tex"].startswith(r"\begin{table}")
    assert files["paper/p_values.tex"].startswith(r"\begin{table*}")
    assert "The confidence intervals hold for all pairs together." in comparison.to_latex()
    for table in ("comparison", "p_values", "scores"):
        latex = comparison.to_latex(table, caption=r"See \cite{x}.", label="tab:mine")
        assert r"\label{tab:mine}" in latex
        assert r"\caption{See \cite{x}. " in latex
    assert comparison.to_latex(caption=None) == comparison.to_latex()
    assert r"\caption{My cap. Difference" in comparison.to_latex("p_values", caption="My cap")
    assert r"\caption{\emph{Why?} Diff" in comparison.to_latex("p_values", caption=r"\emph{Why?}")
    with pytest.raises(ArgumentError, match="caption must be text; got 5"):
        comparison.to_latex(caption=5)


def sizes(latex):
    """Return the commands of fonts of each tabular, in a narrow place and in a wide one."""
    parts = re.findall(r"\\label\{.*?\}\n(.*?)\\begin\{tabular", latex, re.DOTALL)
    return [re.findall(r"\\(tiny|scriptsize|footnotesize|small|else)", part) for part in parts]


def test_tables_take_the_largest_font_that_fits_their_place(comparison):
    assert sizes(comparison.to_latex()) == [["scriptsize"]]
    assert sizes(comparison.to_latex("p_values")) == [[]]
    generator = np.random.default_rng(0)
    names = [f"a descriptor with a name of many words: {place}" for place in range(40)]
    scores = pd.DataFrame(generator.random((40, 40)), columns=names)
    scores = scores.assign(dataset=[f"d{place // 2}" for place in range(40)], task=range(40))
    found = occstats.compare(scores, lower_is_better=False, n_resamples=100).to_latex("p_values")
    # All parts of a split table look alike.
    (size,) = {tuple(part) for part in sizes(found)}
    assert "tiny" not in size
    columns = [len(each) for each in re.findall(r"\{@\{\}l(r+)@\{\}\}", found)]
    assert len(columns) > 1
    assert max(columns) - min(columns) <= 1


def test_rows_and_columns_are_numbered_where_the_names_of_rows_leave_no_room(comparison):
    names = {name: f"{name}, " + 12 * "a long name " for name in comparison.algorithms}
    table = comparison.results.scores.rename(columns=names).reset_index()
    latex = occstats.compare(table, lower_is_better=False, n_resamples=100).to_latex("p_values")
    assert [cells(line)[0] for line in body(latex)] == [str(place) for place in range(1, 9)]
    assert all(f" {place}: " in latex for place in range(1, 10))


def test_a_long_caption_takes_room_from_the_table():
    found = occstats.compare(rounded_tasks(tasks=38), lower_is_better=True, n_resamples=100)
    assert r"\scriptsize" not in found.to_latex("scores")
    assert r"\scriptsize" in found.to_latex("scores", caption="A sentence of a caption. " * 20)
