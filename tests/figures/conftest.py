"""Comparisons and frames that figures are drawn from, made once, and helpers."""

from __future__ import annotations

import copy

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

import occstats
from occstats.figures._style import root_figure

HOSTILE = [
    "$",
    "a_b^c{",
    r"\input{/etc/passwd}",
    "50% & #1 ~",
    "近傍法の平均局所近接度",
    "🦊 fox",
    "two\nlines",
    "x" * 300,
    "x" * 150 + "y" + "x" * 149,
    "<script>alert('1')</script>",
    "\x1b[31mred\x00",
    "$\\alpha$ and $",
]


def results_frame(
    algorithms: list[str], datasets: list[str], tasks: int, seed: int = 0
) -> pd.DataFrame:
    """Scores in which earlier algorithms tend to be better."""
    generator = np.random.default_rng(seed)
    rows = []
    for place, dataset in enumerate(datasets):
        for task in range(tasks):
            base = generator.uniform(0.5, 0.95)
            traits = 20 + 13 * place + task, 2 + (7 * place) % 11, (0.31 * place + 0.07 * task) % 1
            for rank, algorithm in enumerate(algorithms):
                score = float(np.clip(base - 0.01 * rank + generator.normal(0, 0.02), 0, 1))
                rows.append((dataset, str(task), algorithm, score, *traits))
    columns = ["dataset", "class", "descriptor", "auroc", "n", "m", "sparsity"]
    return pd.DataFrame(rows, columns=columns)


def decided(comparison, conclusion, names=None, mean_rank=None, **columns):
    """The comparison with other algorithms and other decisions about their pairs."""
    count = len(conclusion)
    names = [f"A{place}" for place in range(count)] if names is None else names
    ranks = np.linspace(1, count, count) if mean_rank is None else mean_rank
    first, second = np.nonzero(~np.eye(count, dtype=bool))
    pairwise = pd.DataFrame(
        {
            "a": np.array(names, dtype=object)[first],
            "b": np.array(names, dtype=object)[second],
            "difference": (second - first) / 100,
            "p": np.nan,
            "wins": 1.0,
            "ties": 0.0,
            "losses": 1.0,
            "conclusion": np.array(conclusion, dtype=object)[first, second],
        }
    )
    summary = pd.DataFrame({"algorithm": names, "mean_rank": ranks})
    changed = copy.copy(comparison)
    vars(changed).update(summary=summary, pairwise_full=pairwise.assign(**columns))
    kind = type("Decided", (occstats.Comparison,), {"algorithms": list(names)})
    object.__setattr__(changed, "__class__", kind)
    return changed


def conclusions(alike, tested=None):
    """Conclusions of which exactly the pairs in a symmetric matrix are not significant."""
    better = np.triu(np.ones_like(alike), 1)
    words = np.where(better, "better", "worse").astype(object)
    words[alike] = "undecided"
    words[~(~np.eye(len(alike), dtype=bool) if tested is None else tested)] = None
    return words


def words(drawn):
    """Every text of a figure, on one line each."""
    texts = [text.get_text() for text in root_figure(drawn).findobj(Text)]
    return [text.replace("\n", " ").replace("\u00a0", " ") for text in texts if text.strip()]


def note_of(drawn):
    return root_figure(drawn)._supxlabel.get_text().replace("\n", " ").replace("\u00a0", " ")


def boxes(drawn, texts=()):
    """Draw a figure, and return the extents of texts in inches."""
    figure = root_figure(drawn)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return extents(figure, texts, canvas.get_renderer())


def extents(figure, texts, renderer):
    found = [text.get_window_extent(renderer) for text in texts]
    return [box.transformed(figure.dpi_scale_trans.inverted()) for box in found]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def default():
    """The paper's table, compared by the default procedure."""
    return occstats.compare("lenz2021", n_resamples=500)


@pytest.fixture(scope="session")
def lenz2021():
    return occstats.compare("lenz2021", preset="paper", n_resamples=200)


@pytest.fixture(scope="session")
def small():
    return occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"], n_resamples=100)


@pytest.fixture(scope="session", params=["RMSE", "accuracy in %"])
def other_scale(request):
    """Names that almost fill a column, lower is better or in per cent."""
    names = ["k-NearestNeighbours (k = 5)", "InceptionTime-ensemble", "MiniRocket (10,000 kernels)"]
    frame = results_frame([*names, "HIVE-COTE 2.0"], list("abcdefgh"), 2)
    lower = request.param == "RMSE"
    frame["auroc"] = 37 * (1 - frame["auroc"]) if lower else 100 * frame["auroc"]
    frame = frame.rename(columns={"auroc": request.param})
    return occstats.compare(
        frame, score=request.param, lower_is_better=lower, alpha=0.25, n_resamples=200
    )


@pytest.fixture(scope="session")
def hostile():
    datasets = ["data$set", "d_1", "日本", "<b>", '"q"', "y" * 300, "d6", "d7", "d8"]
    return occstats.compare(results_frame(HOSTILE, datasets, 2), n_resamples=100)


@pytest.fixture(scope="session")
def many():
    names = [f"algorithm {place}" for place in range(31)]
    return occstats.compare(results_frame(names, list("abcdef"), 1), n_resamples=100)


@pytest.fixture(scope="session")
def times_frame():
    rows = [
        (name, n, repetition, cost * n**power * (1 + 0.1 * repetition), 1e-4 * n**power)
        for name, cost, power in (("NND", 1e-6, 1.0), ("SVM", 1e-7, 2.0), ("IF", 0.1, 0.0))
        for n in (64, 256, 1024, 4096)
        for repetition in range(3)
    ]
    columns = ["descriptor", "n", "repetition", "fit_seconds", "query_seconds"]
    return pd.DataFrame(rows, columns=columns).assign(n_queries=1024)


@pytest.fixture(scope="session")
def sweep_frame():
    curves = [
        {"descriptor": "NND", "metric": metric, "k": k, "score": 0.8 - 0.01 * k + lift}
        for metric, lift in (("manhattan", 0.01), ("euclidean", 0.0))
        for k in range(1, 12)
    ]
    plane = [
        {"descriptor": "ALP", "a": a, "b": b, "score": 0.8 - (a - 2) ** 2 / 90 - (b - 3) ** 2 / 90}
        for a in range(1, 6)
        for b in range(1, 6)
    ]
    frame = pd.DataFrame([*curves, *plane])
    return frame.assign(smoothed=frame["score"])
