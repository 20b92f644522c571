"""
Isolation forests against scikit-learn's, the authors' package eif, and isotree.

The package eif builds only with numpy < 2 and Cython < 3; OCCSTATS_EIF_PYTHON names the interpreter
of an environment that has it::

    python -m venv eif && eif/bin/pip install "numpy<2" "cython<3" "setuptools<70" wheel
    eif/bin/pip install --no-build-isolation eif
    OCCSTATS_EIF_PYTHON=eif/bin/python python benchmarks/descriptors --only forest
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from measuring import OURS, Row, Rows, best_seconds, make_data
from sklearn.ensemble import IsolationForest as ScikitLearnForest

from occstats_descriptors import EIF, IF

CASES = [(1_000, 10, "gaussian"), (10_000, 50, "gaussian"), (10_000, 50, "clustered")]

_EIF = """
import json, sys, time
import eif, numpy
data = numpy.load(sys.argv[1])
rows, queries = data["rows"], data["queries"]
best = {"fit": float("inf"), "score": float("inf")}
for _ in range(int(sys.argv[2])):
    start = time.process_time()
    forest = eif.iForest(rows, ntrees=100, sample_size=min(256, len(rows)),
                         ExtensionLevel=rows.shape[1] - 1, seed=0)
    middle = time.process_time()
    scores = forest.compute_paths(X_in=queries)
    best["fit"] = min(best["fit"], middle - start)
    best["score"] = min(best["score"], time.process_time() - middle)
print(json.dumps({**best, "scores": (1 - scores).tolist()}))
"""


def eif_seconds(rows: np.ndarray, queries: np.ndarray, repeats: int) -> dict | None:
    """Measure eif in its own interpreter; return None without one."""
    interpreter = os.environ.get("OCCSTATS_EIF_PYTHON")
    if interpreter is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        np.savez(path, rows=rows, queries=queries)
        done = subprocess.run(
            [interpreter, "-c", _EIF, str(path), str(repeats)],
            check=True,
            capture_output=True,
            text=True,
        )
    return dict(json.loads(done.stdout))


def rows(quick: bool) -> Rows:
    """Fit 100 trees, and score 1,024 queries."""
    for kind in (IF, EIF):
        kind(n_jobs=1).fit(np.eye(5)).score_samples(np.eye(5))
    for n, m in [(150, 4), (1_000, 10), (10_000, 50)][: 2 if quick else None]:
        yield from against_scikit_learn(n, m)
    for n, m, kind in CASES[: 1 if quick else None]:
        yield from fit_and_score(n, m, kind)


def against_scikit_learn(n: int, m: int) -> Rows:
    """Measure IF, whose scores are scikit-learn's, and EIF."""
    training, queries = make_data(n, m, "gaussian")
    other = ScikitLearnForest(max_samples=min(256, n), random_state=0)
    makers = {"IF": IF(n_jobs=1), "EIF": EIF(n_jobs=1)}
    fits = {name: partial(forest.fit, training) for name, forest in makers.items()}
    fits["scikit-learn"] = partial(other.fit, training)
    fit_seconds = best_seconds(fits, 7)
    scores = {name: partial(forest.score_samples, queries) for name, forest in makers.items()}
    scores["scikit-learn"] = partial(other.score_samples, queries)
    score_seconds = best_seconds(scores, 7)
    for step, seconds in {"fit": fit_seconds, "score": score_seconds}.items():
        for name in makers:
            pair = {OURS: seconds[name], "scikit-learn's IF": seconds["scikit-learn"]}
            yield Row(f"{name} {step} against scikit-learn's IF", f"{n:,} × {m}", pair, 1.0, 2.0)


def fit_and_score(n: int, m: int, kind: str) -> Rows:
    """Measure one training set."""
    training, queries = make_data(n, m, kind)
    forest = EIF(n_jobs=1).fit(training)
    fits = {OURS: lambda: EIF(n_jobs=1).fit(training)}
    scores = {OURS: lambda: forest.score_samples(queries)}
    try:
        from isotree import IsolationForest
    except ImportError:
        pass
    else:
        make = partial(
            IsolationForest,
            ntrees=100, sample_size=min(256, n), ndim=m, nthreads=1, missing_action="fail",
        )  # fmt: skip
        other = make().fit(training)
        fits["isotree"] = lambda: make().fit(training)
        scores["isotree"] = lambda: other.predict(queries)
    fit_seconds, score_seconds = best_seconds(fits, 7), best_seconds(scores, 7)
    note = ""
    authors = eif_seconds(training, queries, 7)
    if authors is not None:
        fit_seconds["eif"], score_seconds["eif"] = authors["fit"], authors["score"]
        difference = np.abs(forest.score_samples(queries) - authors["scores"]).max()
        note = f"scores equal eif's to {difference:.0e}"
    if len(fit_seconds) == 1:
        return
    case = f"{n:,} × {m} {kind}"
    yield Row("EIF fit", case, fit_seconds, 2.5, 5.0, note=note)
    yield Row("EIF score", case, score_seconds, 2.5, 5.0)
