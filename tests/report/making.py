"""Small comparisons of made-up scores, and LaTeX that is typeset."""

import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

import occstats

needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")


def scores(datasets, algorithms, *, classes=("1", "2")):
    """Return random scores: a row for each class of each dataset."""
    index = pd.MultiIndex.from_product([list(datasets), list(classes)], names=["dataset", "class"])
    values = np.random.default_rng(3).random((len(index), len(algorithms)))
    return pd.DataFrame(values, index=index, columns=list(algorithms))


def compared(frame, *, score_name="auroc", higher_is_better=True, **settings):
    """Compare scores whose index is the dataset and the class."""
    traits = pd.DataFrame(index=frame.index)
    results = occstats.Results(frame, traits, score_name, higher_is_better=higher_is_better)
    return occstats.compare(results, **{"n_resamples": 100, **settings})


def typeset(folder, body, head):
    """Typeset LaTeX; return what pdflatex prints."""
    document = rf"{head}\usepackage{{booktabs,longtable}}\begin{{document}}{body}\end{{document}}"
    (folder / "main.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "main.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    printed = done.stdout.decode(errors="replace")
    assert done.returncode == 0, printed[-2000:]
    return printed
