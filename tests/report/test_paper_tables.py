"""The tables of a paper in its form, and LaTeX that siunitx sets."""

import csv
import io
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.errors import ArgumentError
from occstats.report.latex import table_to_latex
from occstats.report.paper_tables import (
    defaults_table,
    paper_files,
    paper_p_values,
    paper_scores,
    paper_summary,
)
from occstats.report.table import Column, Table
from occstats.tuning import default_hyperparameters

# The columns of the paper's full table.
ORDER = ["NND", "LNND", "LOF", "MD", "SVM", "IF", "EIF", "SAE", "ALP"]


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021", n_resamples=100)


def has_siunitx():
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    found = subprocess.run(["kpsewhich", "siunitx.sty"], capture_output=True, check=False)
    return found.returncode == 0


def body(latex):
    lines = latex.splitlines()
    last = max(i for i, line in enumerate(lines) if line in {r"\endlastfoot", r"\midrule"})
    start = lines.index(r"\endlastfoot") if r"\endlastfoot" in lines else last
    return [line for line in lines[start:] if line.endswith(r"\\")]


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
    # A rule after the heading, twice, one before the page ends, one between two data sets.
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


def test_summary_has_the_columns_of_the_paper(comparison):
    table = paper_summary(comparison)
    assert table.headers == ["Algorithm", "Rank", "AUROC"]
    assert table.cells()[0] == ["ALP", "3.51", "0.817"]
    assert r"\begin{tabular}{@{}lS[table-format=1.2]S[table-format=1.3]@{}}" in table_to_latex(
        table, aligned=True
    )


def test_spread_over_folds_is_shown_where_there_are_folds():
    index = pd.MultiIndex.from_product([list("abcd"), ["1"]], names=["dataset", "class"])
    rows = [
        {"dataset": dataset, "class": "1", "descriptor": name, "fold": fold, "auroc": score}
        for dataset, _ in index
        for name, score in (("x", 0.5), ("y", 0.75))
        for fold, score in enumerate([score, score + 0.1])
    ]
    comparison = occstats.compare(pd.DataFrame(rows), n_resamples=100)
    table = paper_summary(comparison)
    assert table.headers[-1] == "CVSD"
    # The standard deviation of two values 0.1 apart is 0.1/√2.
    assert {row[-1] for row in table.cells()} == {"0.0707"}


def test_triangle_has_the_form_of_the_paper(comparison):
    table = paper_p_values(comparison)
    assert table.headers == ["", *comparison.algorithms[1:]]
    assert [row[0] for row in table.cells()] == comparison.algorithms[:-1]
    latex = table_to_latex(table, aligned=True)
    assert r"$<$ 0.0001" in latex
    assert r"$\geq$ 1" in latex


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


def test_defaults_need_their_columns():
    with pytest.raises(ArgumentError, match="needs the column 'default'"):
        defaults_table(pd.DataFrame({"descriptor": [], "hyperparameter": []}))


def test_every_table_comes_in_four_forms(comparison):
    files = dict(paper_files(comparison))
    stems = ("summary", "p_values", "scores")
    assert list(files) == [f"paper/{s}.{e}" for s in stems for e in ("csv", "md", "tex", "html")]
    rows = list(csv.reader(io.StringIO(files["paper/scores.csv"])))
    assert len(rows) == 247
    assert rows[0][:5] == ["Dataset", "m", "Class", "n", "s"]
    assert files["paper/scores.html"].count("<strong>") > 246
    assert files["paper/scores.md"].count("**0.765**") == 1


def table_of(cells, **columns):
    frame = pd.DataFrame({"a": cells})
    return Table("t", "T", "", frame, (Column("a", ("a",), str, **columns),))


def test_columns_of_alike_numbers_align_and_others_do_not():
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


@pytest.mark.skipif(not has_siunitx(), reason="pdflatex with siunitx is not installed")
def test_latex_compiles(comparison, tmp_path):
    names = []
    for name, content in paper_files(comparison):
        if name.endswith(".tex"):
            path = tmp_path / name.replace("/", "_")
            path.write_text(content)
            names.append(path.name)
    defaults = tmp_path / "defaults.tex"
    defaults.write_text(
        table_to_latex(defaults_table(default_hyperparameters()), aligned=True, group_columns=1)
    )
    inputs = "\n".join(rf"{{\tiny\input{{{name}}}}}" for name in [*names, defaults.name])
    (tmp_path / "main.tex").write_text(
        "\n".join(
            [
                r"\documentclass{article}",
                r"\usepackage[margin=1cm]{geometry}",
                r"\usepackage{booktabs,longtable,siunitx,etoolbox}",
                r"\robustify\bfseries \sisetup{detect-weight=true, detect-inline-weight=math}",
                rf"\begin{{document}}{inputs}\end{{document}}",
            ]
        )
    )
    done = subprocess.run(
        ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "main.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert b"Overfull" not in done.stdout
