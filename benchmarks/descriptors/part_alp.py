"""ALP and LOF, fit and score 1,024 rows, against fuzzy-rough-learn and scikit-learn."""

from __future__ import annotations

import numpy as np
from measuring import OURS, Row, Rows, best_seconds, make_data
from sklearn.neighbors import LocalOutlierFactor

from occstats_descriptors import ALP, LOF

CASES = ((10_000, 50), (50_000, 50))


def rows(quick: bool) -> Rows:
    """Measure both descriptors on each training set."""
    small, _ = make_data(2_500, 50, "gaussian")
    ALP(n_jobs=1).fit(small).score_samples(small)  # compiles
    for n, m in CASES[:1] if quick else CASES:
        X, Y = make_data(n, m, "gaussian")
        yield from alp_rows(X, Y)
        yield from lof_rows(X, Y)


def alp_rows(X: np.ndarray, Y: np.ndarray) -> Rows:
    """Measure ALP and fuzzy-rough-learn's, if that is installed."""
    try:
        from frlearn import data_descriptors
    except ImportError:
        return
    fitted = {}

    def fit_ours() -> None:
        fitted[OURS] = ALP(n_jobs=1).fit(X)

    def fit_theirs() -> None:
        fitted["fuzzy-rough-learn"] = data_descriptors.ALP(preprocessors=())(X)

    repeats = 1 if len(X) > 20_000 else 3
    fit = best_seconds({OURS: fit_ours, "fuzzy-rough-learn": fit_theirs}, repeats)
    score = best_seconds(
        {
            OURS: lambda: fitted[OURS].score_samples(Y),
            "fuzzy-rough-learn": lambda: fitted["fuzzy-rough-learn"](Y),
        }
    )
    case = f"ALP {len(X):,} × {X.shape[1]}"
    yield Row("ALP against fuzzy-rough-learn", f"{case}, fit", fit, 2.3, 5.0)
    yield Row("ALP against fuzzy-rough-learn", f"{case}, score", score, 2.3, 5.0)
    both = {name: fit[name] + score[name] for name in fit}
    yield Row("ALP against fuzzy-rough-learn", f"{case}, fit + score", both, 2.3, 5.0)


def lof_rows(X: np.ndarray, Y: np.ndarray) -> Rows:
    """Measure LOF and scikit-learn's, with the same number of neighbours."""
    k = LOF().k(len(X))
    ours = LOF(n_jobs=1)
    theirs = LocalOutlierFactor(n_neighbors=k, metric="manhattan", novelty=True)
    repeats = 1 if len(X) > 20_000 else 3
    fit = best_seconds({OURS: lambda: ours.fit(X), "scikit-learn": lambda: theirs.fit(X)}, repeats)
    score = best_seconds(
        {OURS: lambda: ours.score_samples(Y), "scikit-learn": lambda: theirs.score_samples(Y)}
    )
    case = f"LOF {len(X):,} × {X.shape[1]}"
    yield Row("LOF against scikit-learn", f"{case}, fit", fit, 1.0, 2.0)
    yield Row("LOF against scikit-learn", f"{case}, score", score, 1.0, 2.0)
