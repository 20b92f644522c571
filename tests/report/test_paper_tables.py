"""Tables for a paper: what they say, and LaTeX that compiles and fits a column."""

import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.errors import ArgumentError
from occstats.report.markup import table_to_latex
from occstats.report.paper_tables import comparison_latex, paper_files, paper_scores
from occstats.report.formatted_table import Column, Table
from occstats._format import p_writer
from occstats.tuning import default_hyperparameters

# The columns of the paper's full table.
ORDER = ["NND", "LNND", "LOF", "MD", "SVM", "IF", "EIF", "SAE", "ALP"]


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021", n_resamples=100)


def body(latex):
    """The rows of the table."""
    lines = latex.splitlines()
    last = max(i for i, line in enumerate(lines) if line in {r"\endlastfoot", r"\midrule"})
    start = lines.index(r"\endlastfoot") if r"\endlastfoot" in lines else last
    return [line for line in lines[start:] if line.endswith(r"\\")]


def cells(line):
    """The cells of a row as text, and whether each is bold."""
    found = []
    for cell in line.removesuffix(r"\\").split("&"):
        bold = re.fullmatch(r"\s*\\textbf\{(?:\\boldmath )?(.*)\}\s*", cell)
        text = bold[1] if bold else cell.strip()
        for command, sign in ((r"$<$", "<"), (r"$>$", ">"), (r"$\geq$", "≥"), (r"$-$", "-")):
            text = text.replace(command, sign)
        found.append((text, bold is not None))
    return found


def headings(latex):
    """The cells of the row above the first row."""
    lines = latex.splitlines()
    return [text for text, _ in cells(lines[lines.index(r"\midrule") - 1])]


SETTINGS = [
    {},
    {"estimand": "mean"},
    {"preset": "paper"},
    {"correction": "holm", "alternative": "less", "null": "asymptotic"},
    {"correction": "benjamini-hochberg"},
    {"correction": "none"},
    {"margin": 0.03},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_p_values_are_those_that_decide_and_bold_where_decided(settings):
    comparison = occstats.compare("lenz2021", n_resamples=300, **settings)
    latex = dict(paper_files(comparison))["paper/p_values.tex"]
    names = headings(latex)[1:]
    pairs = comparison.pairwise.set_index(["a", "b"])
    alternative, write = comparison.settings.alternative, p_writer(comparison.settings)
    claimed = {"better", "worse"} if alternative == "two-sided" else {"better"}
    shown = set()
    for line in body(latex):
        (row, _), *values = cells(line)
        for column, (text, bold) in zip(names, values, strict=True):
            if text:
                pair = (column, row) if alternative == "less" else (row, column)
                assert text == write(pairs.loc[pair, "p"])
                assert bold == (pairs.loc[(row, column), "conclusion"] in claimed)
                shown.add((row, column))
    order = comparison.algorithms
    expected = {(a, b) for a in order for b in order if a != b}
    if alternative == "two-sided":
        expected = {(a, b) for a, b in expected if order.index(a) < order.index(b)}
    assert shown == expected
    # Best first in rows and columns.
    assert names == [name for name in order if name in names]


@pytest.mark.parametrize("settings", [*SETTINGS, {"control": "NND"}], ids=str)
def test_the_table_of_the_comparison_shows_the_decision(settings):
    comparison = occstats.compare("lenz2021", n_resamples=300, **settings)
    latex = comparison.to_latex()
    found = headings(latex)
    subject = comparison.settings.control or comparison.algorithms[0]
    write, pairs = p_writer(comparison.settings), comparison.pairwise.set_index(["a", "b"])
    rows = [[text for text, _ in cells(line)] for line in body(latex)]
    assert [row[0] for row in rows] == comparison.algorithms
    for name, *row in rows:
        shown = dict(zip(found[1:], row, strict=True))
        if name == subject:
            assert set(row[found.index("p") - 1 :]) == {""}
            continue
        pair = pairs.loc[(subject, name)]
        less = comparison.settings.alternative == "less"
        assert shown["p"] == write(pairs.loc[(name, subject) if less else (subject, name), "p"])
        size = float(shown[f"{subject} - it"])
        assert size == pytest.approx(pair["difference"], abs=5.1e-4)
        mark = r"$\dagger$" if pair["reversed"] else ""
        if "conclusion" in shown:
            assert shown["conclusion"] == f"{pair['conclusion']} {mark}".strip()
        else:
            decided = pair["conclusion"] in ("better", "worse")
            assert shown[""] == (f"*{mark}" if decided else "")


def test_a_p_value_of_one_is_at_least_one_in_the_form_of_lenz_et_al_only():
    paper = occstats.compare("lenz2021", n_resamples=100, preset="paper")
    holm = occstats.compare("lenz2021", n_resamples=100, correction="holm")
    texts = ["".join(text for _, text in paper_files(c) if "&" in text) for c in (paper, holm)]
    assert [r"$\geq$ 1" in text for text in texts] == [True, False]


def test_two_algorithms_or_a_control_need_no_matrix():
    for settings in ({"algorithms": ["ALP", "SVM"]}, {"control": "ALP"}):
        files = dict(paper_files(occstats.compare("lenz2021", n_resamples=100, **settings)))
        assert list(files) == ["paper/comparison.tex", "paper/scores.tex"]


def test_long_names_are_numbered_at_the_head_of_the_matrix():
    results = occstats.load_results("lenz2021").select(["ALP", "SVM", "NND", "SAE"])
    names = {name: f"descriptor {name}" for name in results.algorithms}
    table = results.scores.rename(columns=names).reset_index()
    found = occstats.compare(table, lower_is_better=False, n_resamples=100)
    latex = dict(paper_files(found))["paper/p_values.tex"]
    assert headings(latex) == ["", "2", "3", "4"]
    order = found.algorithms
    assert [cells(line)[0][0] for line in body(latex)] == [
        f"{place} {name}" for place, name in enumerate(order[:-1], start=1)
    ]
    # The last algorithm has no row.
    assert f"4: {order[-1]}." in latex


def test_first_rows_of_the_full_table_are_the_papers(comparison):
    latex = table_to_latex(paper_scores(comparison, order=ORDER), aligned=True, group_columns=2)
    # paper.tex, table of all AUROC values, spaces removed and \bftab written \bfseries
    assert [re.sub(r"\s+", " ", line) for line in body(latex)[:3]] == [
        r"appendicitis & 7 & 0 & 85 & 0.05 & 0.741 & 0.644 & 0.744 & 0.691 & 0.665 & "
        r"\bfseries 0.765 & 0.734 & 0.518 & 0.721 \\",
        r" & & 1 & 21 & 0.12 & 0.688 & 0.741 & 0.787 & 0.683 & 0.686 & \bfseries 0.799 & "
        r"0.787 & 0.603 & 0.780 \\",
        r"avila & 10 & A & 8572 & 0.08 & \bfseries 0.914 & 0.759 & 0.844 & 0.622 & 0.743 & "
        r"0.599 & 0.596 & 0.582 & 0.891 \\",
    ]
    assert latex.count(r"\begin{longtable}") == 1
    assert "Dataset & {m} & Class & {n} & {s} & {NND} & {LNND}" in latex
    assert "Continued on next page" in latex
    # A rule after the heading, twice, one before the page ends, one between two datasets.
    assert latex.count(r"\midrule") == 3 + 49
    assert len(body(latex)) == 246


def test_the_best_of_every_task_is_bold(comparison):
    table = paper_scores(comparison)
    scores = comparison.results.scores[comparison.algorithms].to_numpy()
    best = scores == scores.max(axis=1, keepdims=True)
    assert np.array_equal(table.best.to_numpy(), best)


def test_lower_is_better_makes_the_lowest_bold_and_missing_never():
    index = pd.MultiIndex.from_product([list("abcd"), ["1"]], names=["dataset", "class"])
    frame = pd.DataFrame(
        {"x": [1.0, 2, 3, 4], "y": [2.0, 1, 3, np.nan], "z": [5.0, 5, 5, 5]}, index=index
    )
    results = occstats.Results(
        scores=frame, traits=pd.DataFrame(index=index), score_name="error", higher_is_better=False
    )
    table = paper_scores(occstats.compare(results, missing="pairwise", n_resamples=100))
    names = [column.header for column in table.columns[2:]]
    best = table.best.set_axis(names, axis=1)[["x", "y"]]
    assert best.to_numpy().tolist() == [[True, False], [False, True], [True, True], [True, False]]
    assert table.headers[:2] == ["Dataset", "Class"]


def test_unknown_algorithm_in_the_order_is_refused(comparison):
    with pytest.raises(ArgumentError, match=r"order names 'alp'.*did you mean 'ALP'"):
        paper_scores(comparison, order=["alp"])


def test_defaults_are_the_papers():
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


def table_of(cells, **columns):
    frame = pd.DataFrame({"a": cells})
    return Table("t", "T", "", frame, (Column("a", ("a",), str, **columns),))


def test_columns_of_equal_decimals_align_and_others_do_not():
    assert "S[table-format=-2.1]" in table_to_latex(table_of(["-1.5", "10.0", "–"]), aligned=True)
    assert "S[table-format=+1]" in table_to_latex(table_of(["+1", "-2"]), aligned=True)
    assert "@{}r@{}" in table_to_latex(table_of(["0.1", "0.25"]), aligned=True)
    assert "@{}r@{}" in table_to_latex(table_of(["1", "< 1"]), aligned=True)
    assert "@{}l@{}" in table_to_latex(table_of(["1", "2"], number=False), aligned=True)
    assert "{–}" not in table_to_latex(table_of(["1", "–"]), aligned=True)
    assert "{--}" in table_to_latex(table_of(["1", "–"]), aligned=True)


def test_names_stay_text():
    latex = table_to_latex(table_of([r"\input{x} & 5 %", "[0]", "*"], number=False), aligned=True)
    assert r"\input{" not in latex
    assert r"\textbackslash{}input\{x\} \& 5 \% \\" in latex
    assert "{}[0]" in latex
    assert "{}*" in latex


def compiles(tmp_path, latex, *, packages=""):
    """Set the text with pdflatex; return the widths in points that boxes are too wide by."""
    (tmp_path / "main.tex").write_text(
        rf"\documentclass{{article}}\usepackage{{booktabs}}{packages}"
        rf"\begin{{document}}{latex}\end{{document}}",
        encoding="utf-8",
    )
    done = subprocess.run(
        ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "main.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    printed = done.stdout.decode(errors="replace")
    assert done.returncode == 0, printed[-2000:]
    return re.findall(r"Overfull .hbox \(([\d.]+)pt", printed)


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")


@needs_latex
@pytest.mark.parametrize("settings", [{}, {"preset": "paper"}, {"control": "ALP"}], ids=str)
def test_nine_algorithms_fit_one_column(settings, tmp_path):
    comparison = occstats.compare("lenz2021", n_resamples=100, **settings)
    files = dict(paper_files(comparison))
    for path, latex in files.items():
        if path != "paper/scores.tex":
            assert compiles(tmp_path, latex) == []


@needs_latex
def test_names_with_commands_of_tex_compile(tmp_path):
    results = occstats.load_results("lenz2021").select(["ALP", "SVM", "NND"])
    names = {"ALP": r"\input{x} & 5 %", "SVM": "[0]_$", "NND": "*#~^"}
    table = results.scores.rename(columns=names).reset_index()
    comparison = occstats.compare(table, lower_is_better=False, n_resamples=100)
    text = "".join(text for path, text in paper_files(comparison) if "scores" not in path)
    assert compiles(tmp_path, text) == []
    assert r"\input{" not in comparison_latex(comparison)


def has_siunitx():
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    found = subprocess.run(["kpsewhich", "siunitx.sty"], capture_output=True, check=False)
    return found.returncode == 0


@pytest.mark.skipif(not has_siunitx(), reason="needs pdflatex with siunitx")
def test_all_scores_compile_and_fit(comparison, tmp_path):
    packages = (
        r"\usepackage{longtable,siunitx,etoolbox}"
        r"\robustify\bfseries \sisetup{detect-weight=true, detect-inline-weight=math}"
    )
    latex = dict(paper_files(comparison))["paper/scores.tex"]
    assert compiles(tmp_path, latex, packages=packages) == []
