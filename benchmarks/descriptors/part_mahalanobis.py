"""Mahalanobis distance against scikit-learn's EmpiricalCovariance, fit and score."""

from __future__ import annotations

from measuring import OURS, Row, Rows, best_seconds, make_data
from sklearn.covariance import EmpiricalCovariance

from occstats_descriptors import MD

CASES = ((1_000, 10), (10_000, 10), (10_000, 50), (194_000, 3))


def rows(quick: bool) -> Rows:
    """Fit to gaussian rows, and score 1,024 queries."""
    for n, m in CASES[: 2 if quick else None]:
        X, Y = make_data(n, m, "gaussian")
        contenders = {
            OURS: lambda X=X, Y=Y: MD().fit(X).score_samples(Y),
            "EmpiricalCovariance": lambda X=X, Y=Y: EmpiricalCovariance().fit(X).mahalanobis(Y),
        }
        seconds = best_seconds(contenders, 20)
        yield Row("MD against scikit-learn", f"{n:,} × {m}", seconds, 1.0, 1.5)
