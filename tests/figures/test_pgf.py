"""PGF: names stay text for TeX; without LaTeX there is a clear answer."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from occstats import figures
from occstats.errors import EngineError
from occstats.figures.pgf import _SPECIAL, escape

LATEX = shutil.which("pdflatex")
needs_latex = pytest.mark.skipif(LATEX is None, reason="pdflatex is not installed")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_every_sign_of_tex_that_comes_out_was_put_there_by_us(text):
    out = escape(text)
    for command in sorted({*_SPECIAL.values(), r"\ensuremath{\Box}"}, key=len, reverse=True):
        out = out.replace(command, "")
    out = out.replace(r"{\ifdefined\pdftexversion\else ", "").replace(r"\fi}", "")
    assert not set(out) & set("\\{}$&#%_^~")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("50%", r"50\%"),
        ("$x$", r"\$x\$"),
        ("a^b~c", r"a\textasciicircum{}b\textasciitilde{}c"),
        ("τ ≥ 1", r"$\tau$ $\geq$ 1"),
    ],
)
def test_special_characters_become_commands(name, expected):
    assert escape(name) == expected


def test_without_latex_the_error_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match=r"needs LaTeX.*texlive.*or choose pdf, svg or png"):
        figures.save(figures.alp_diagram(), tmp_path / "alp.pgf")
    assert not list(tmp_path.iterdir())


@needs_latex
def test_a_document_with_hostile_names_compiles(hostile, tmp_path):
    (path,) = figures.save(hostile.plot.mean_ranks(), tmp_path / "ranks.pgf")
    content = path.read_text()
    assert r"\textbackslash{}input\{/e" in content
    assert r"\input{" not in content.split("\n", 1)[1]
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage{pgf,amssymb}\n"
        "\\begin{document}\\input{ranks.pgf}\\end{document}\n"
    )
    done = subprocess.run(
        [LATEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 1000


@needs_latex
def test_planes_are_drawn_without_images(sweep_frame, tmp_path):
    (path,) = figures.save(figures.sweep(sweep_frame), tmp_path / "sweep.pgf")
    assert "includegraphics" not in path.read_text()
