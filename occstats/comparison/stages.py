"""The stages of a comparison, each from the results table to one tidy frame."""

from __future__ import annotations

import platform
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd

from occstats import __version__
from occstats.comparison.result import Comparison
from occstats.comparison.settings import Settings
from occstats.comparison.testing import PairTests
from occstats.results import Results
from occstats.stats.kendall import kendall_matrix
from occstats.stats.ranks import RankSummary, summarise_ranks

RECORDED_SETTINGS = (
    "test", "null", "alternative", "correction", "family", "control", "alpha", "missing",
    "tie_tolerance", "kendall", "inference", "strata", "n_strata", "n_resamples", "confidence",
    "rope", "random_state", "deep",
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
    return np.divide(sums, total, out=np.full_like(sums, np.nan), where=total > 0)


def kendall(results: Results, settings: Settings) -> pd.DataFrame:
    """Kendall's τ of every unordered pair."""
    tau = kendall_matrix(
        results.oriented,
        results.clusters,
        weighting=settings.kendall,  # type: ignore[arg-type]
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


def add_uncertainty(comparison: Comparison, found: PairTests, progress: bool | None) -> Comparison:
    """Intervals, effect sizes, posterior probabilities, stability and design."""
    from occstats.comparison.uncertainty import assess

    extra = assess(comparison.results, comparison.settings, tests=found.tests, progress=progress)
    known = set(comparison.pairwise.columns) - {"a", "b"}
    effects = extra.pair_effects.drop(columns=list(known & set(extra.pair_effects.columns)))
    return replace(
        comparison,
        summary=comparison.summary.merge(extra.summary_intervals, on="algorithm", how="left"),
        pairwise=comparison.pairwise.merge(effects, on=["a", "b"], how="left"),
        kendall=comparison.kendall.merge(extra.kendall_intervals, on=["a", "b"], how="left"),
        stability=extra.stability,
        design=extra.design,
        classical=extra.classical,
        notes=(*comparison.notes, *extra.notes),
    )
