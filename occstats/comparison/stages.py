"""The stages of a comparison, each from the results table to one tidy frame."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from occstats import __version__
from occstats.comparison.frames import unordered_pairs
from occstats.comparison.settings import Settings
from occstats.results import Results
from occstats.stats.complementary import complementary_pairs
from occstats.stats.diagnostics import cluster_diagnostics
from occstats.stats.kendall import kendall_matrix
from occstats.stats.ranks import RankSummary, summarise_ranks
from occstats.stats.strata import rank_strata

RECORDED_SETTINGS = (
    "test", "null", "alternative", "correction", "family", "control", "alpha", "missing",
    "tie_tolerance", "kendall", "inference", "strata", "n_strata", "n_resamples", "confidence",
    "rope", "prior_weight", "random_state", "deep",
)  # fmt: skip
RECORDED_PACKAGES = ("numpy", "scipy", "pandas")


def rank(whole: Results, settings: Settings) -> RankSummary:
    """Ranks within each task and their weighted means."""
    return summarise_ranks(whole.oriented, whole.clusters, tie_tolerance=settings.tie_tolerance)


def rank_frame(whole: Results, ranking: RankSummary) -> pd.DataFrame:
    """Ranks as tasks × algorithms."""
    return pd.DataFrame(ranking.ranks, index=whole.scores.index, columns=whole.algorithms)


def best_first(whole: Results, settings: Settings) -> list[str]:
    """The algorithms by mean rank; equal ones by name, whatever the order of the columns."""
    mean_ranks = rank(whole, settings).mean_ranks.round(12)
    return [name for _, name in sorted(zip(mean_ranks, whole.algorithms, strict=True))]


def summarise(whole: Results, ranking: RankSummary) -> pd.DataFrame:
    """Mean rank, mean score and spread over folds."""
    return pd.DataFrame(
        {
            "algorithm": whole.algorithms,
            "mean_rank": ranking.mean_ranks,
            "mean_score": whole.weights @ whole.scores.to_numpy(float),
            "cvsd": _mean_spread(whole),
        }
    )


def _mean_spread(whole: Results) -> np.ndarray:
    """Weighted mean over the tasks whose folds give a standard deviation; NaN if none does."""
    if whole.cvsd is None:
        return np.full(len(whole.algorithms), np.nan)
    spread = whole.cvsd.to_numpy(float)
    weights = np.where(np.isnan(spread), 0.0, whole.weights[:, None])
    total = weights.sum(axis=0)
    sums = (weights * np.nan_to_num(spread)).sum(axis=0)
    spreads: np.ndarray = np.divide(sums, total, out=np.full_like(sums, np.nan), where=total > 0)
    return spreads


def kendall(results: Results, settings: Settings) -> pd.DataFrame:
    """Kendall's τ of every unordered pair."""
    tau = kendall_matrix(
        results.oriented,
        results.clusters,
        weighting=settings.kendall,
        tie_tolerance=settings.tie_tolerance,
    )
    names = np.array(results.algorithms, dtype=object)
    a, b = np.triu_indices(len(names), k=1)
    return pd.DataFrame({"a": names[a], "b": names[b], "tau": tau[a, b]})


def frequencies(whole: Results, ranking: RankSummary) -> pd.DataFrame:
    """Share of the tasks in which each algorithm has each rank."""
    k = len(whole.algorithms)
    return pd.DataFrame(
        {
            "algorithm": np.repeat(np.array(whole.algorithms, dtype=object), k),
            "rank": np.tile(np.arange(1, k + 1), k),
            "frequency": ranking.frequencies.ravel(),
        }
    )


def describe(results: Results, settings: Settings, engine: dict[str, Any]) -> dict[str, Any]:
    """Counts, settings and versions, for the record."""
    return {
        "algorithms": results.algorithms,
        "tasks": results.n_tasks,
        "clusters": results.n_clusters,
        "score": results.score_name,
        "higher_is_better": results.higher_is_better,
        "sources": list(results.sources),
        **{name: getattr(settings, name) for name in RECORDED_SETTINGS},
        "engine": engine,
        "versions": {
            "occstats": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in RECORDED_PACKAGES},
        },
    }


def complement(whole: Results, settings: Settings) -> pd.DataFrame:
    """Pairs by what the better of the two reaches on each task."""
    found = complementary_pairs(
        whole.oriented, whole.clusters, tie_tolerance=settings.tie_tolerance
    )
    names = np.array(whole.algorithms, dtype=object)
    sign = 1.0 if whole.higher_is_better else -1.0
    return pd.DataFrame(
        {
            "a": names[found.a],
            "b": names[found.b],
            "mean_best_score": sign * found.mean_best_score,
            "mean_rank": found.mean_rank,
        }
    )


def stratify(whole: Results, ranking: RankSummary, settings: Settings) -> pd.DataFrame:
    """Mean rank by difficulty, the hardest tasks first; bounds on the scale of the score."""
    found = rank_strata(
        ranking.ranks,
        np.median(whole.oriented, axis=1),
        whole.clusters,
        n_strata=settings.n_strata,
        kind=settings.strata,
    )
    low, high = found.low, found.high
    if not whole.higher_is_better:
        low, high = -high, -low
    k = len(whole.algorithms)
    return pd.DataFrame(
        {
            "stratum": np.repeat(np.arange(1, len(low) + 1), k),
            "low": np.repeat(low, k),
            "high": np.repeat(high, k),
            "n_tasks": np.repeat(found.n_tasks, k),
            "algorithm": np.tile(np.array(whole.algorithms, dtype=object), len(low)),
            "mean_rank": found.mean_ranks.ravel(),
        }
    )


def diagnose(results: Results, settings: Settings) -> pd.DataFrame:
    """How strongly the tasks of a data set belong together, for every unordered pair."""
    found = cluster_diagnostics(
        results.oriented, results.clusters, tie_tolerance=settings.tie_tolerance
    )
    return unordered_pairs(
        results.algorithms,
        {
            "icc": found.intraclass_correlation,
            "icc_differences": found.intraclass_correlation_differences,
            "design_effect": found.design_effect,
            "effective_tasks": found.effective_tasks,
            "size_correlation": found.size_correlation,
            "size_p": found.size_p,
        },
    )
