"""Summary, effect sizes, posteriors, Kendall's τ and diagnostics, with their uncertainty.

Everything here resamples datasets, never single tasks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from occstats._format import printable
from occstats.comparison.pairs import ordered_pairs, unordered_pairs
from occstats.stats.bayes import bayesian_signed_rank, probability_best
from occstats.stats.bootstrap import bootstrap_means
from occstats.stats.diagnostics import cluster_diagnostics
from occstats.stats.effect_sizes import Effect, pair_effects
from occstats.stats.kendall import kendall_matrix
from occstats.stats.kendall_intervals import kendall_jackknife
from occstats.stats.means import difference_posterior

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision
    from occstats.comparison.study import Study

__all__ = [
    "cautions",
    "diagnostics_frame",
    "effects_frame",
    "kendall_frame",
    "summary_frame",
]

Columns = dict[str, npt.NDArray[Any]]
FloatArray = npt.NDArray[np.float64]
FEW_CLUSTERS = 10
# The part of a name before its first separator or number.
STEM = re.compile(r"^([^\W\d_]{2,})(?=[\W\d_])")


def summary_frame(study: Study, decision: Decision) -> pd.DataFrame:
    """Return one row per algorithm: mean rank, mean score, spread over folds, intervals, ranks."""
    settings, sample, k = study.settings, study.sample.whole, len(study.algorithms)
    scores = study.whole.scores.to_numpy(dtype=np.float64)
    ranks = study.ranking.ranks
    interval = bootstrap_means(
        np.hstack([ranks, scores]),
        sample.clusters,
        method="studentised",
        confidence=1 - settings.alpha,
        n_resamples=study.within.resamples,
        random_state=settings.random_state,
    )
    low, high = _rank_limits(interval.low[:k], interval.high[:k], study)
    better = decision.better
    bounds = study.results.bounds
    score_low, score_high = np.clip((interval.low[k:], interval.high[k:]), *bounds)
    mean_score = sample.clusters.weights @ scores
    mean_score, score_low, score_high = (
        np.where(study.unscored, np.nan, values) for values in (mean_score, score_low, score_high)
    )
    # One dataset, however it is weighted, gives one order.
    best = np.full(k, np.nan)
    if sample.clusters.independent.n_clusters > 1:
        best = probability_best(
            -ranks if settings.estimand == "typical" else sample.scores,
            sample.clusters,
            n_resamples=study.within.resamples,
            random_state=settings.random_state,
        )
    return pd.DataFrame(
        {
            "algorithm": study.algorithms,
            "mean_rank": study.ranking.mean_ranks,
            "mean_score": mean_score,
            "cvsd": _mean_spread(study),
            "mean_rank_ci_low": low,
            "mean_rank_ci_high": high,
            "rank_low": 1 + better.sum(axis=0),
            "rank_high": k - better.sum(axis=1),
            "mean_score_ci_low": score_low,
            "mean_score_ci_high": score_high,
            "leads": best,
        }
    )


def _rank_limits(low: FloatArray, high: FloatArray, study: Study) -> FloatArray:
    """Return limits within 1 … k, also where few or no datasets differ.

    With m of m datasets in agreement, up to 1 − (α/2)^(1/m) of others may differ (Clopper and
    Pearson), in the worst case by having the first or the last rank. Where resamples without the
    few that differ leave no limit, it is the Clopper-Pearson limit of a share: of all numbers in
    1 … k with this mean, those that are 1 or k vary most. In simulations this covers as well as
    the limits 1 and k, and is up to three times narrower.
    """
    clusters, estimate, k = study.sample.whole.clusters, study.ranking.mean_ranks, len(low)
    m = clusters.independent.n_clusters
    if m < 2:
        return np.clip((low, high), 1, k)
    tail = study.settings.alpha / 2
    others = 1 - tail ** (1 / m)
    agree = np.ptp(clusters.means(study.ranking.ranks), axis=0) < 1e-12
    low = np.where(agree, estimate - others * (estimate - 1), low)
    high = np.where(agree, estimate + others * (k - estimate), high)
    first = m * (k - estimate) / (k - 1)
    least = 1 + (k - 1) * special.betaincinv(m - first, first + 1, tail)
    most = 1 + (k - 1) * special.betaincinv(m - first + 1, first, 1 - tail)
    low = np.where(low <= 1, np.fmax(least, 1), low)
    high = np.where(high >= k, np.fmin(most, k), high)
    return np.clip((low, high), 1, k)


def _mean_spread(study: Study) -> npt.NDArray[np.float64]:
    """Return the weighted mean over tasks with a standard deviation over folds; NaN if none."""
    if study.whole.cvsd is None:
        return np.full(len(study.algorithms), np.nan)
    spread = study.whole.cvsd.to_numpy(float)
    weights = study.sample.whole.clusters.weights[:, None] * ~np.isnan(spread)
    total, sums = weights.sum(axis=0), (weights * np.nan_to_num(spread)).sum(axis=0)
    return np.asarray(np.divide(sums, total, out=np.full_like(sums, np.nan), where=total > 0))


def effects_frame(study: Study) -> pd.DataFrame:
    """Return effect sizes of all ordered pairs; NaN where a part is left out."""
    settings, within, k = study.settings, study.within, len(study.algorithms)
    effects = pair_effects(study.tested, confidence=1 - settings.alpha)
    unknown = np.full((k, k), np.nan)
    columns: Columns = {
        "wins": effects.wins.astype(int),
        "ties": effects.ties.astype(int),
        "losses": effects.losses.astype(int),
        **_effect("rank_biserial", effects.rank_biserial),
        **_effect("prob_improvement_task", effects.prob_improvement_task),
        **_effect("prob_improvement_dataset", effects.prob_improvement_dataset),
        **dict.fromkeys(("bayes_better", "bayes_equivalent", "bayes_worse"), unknown),
        **dict.fromkeys(("difference_above", "difference_within", "difference_below"), unknown),
    }
    if within.mean_posterior:
        columns |= _mean_posterior(study)
    if within.posterior:
        columns |= _posterior(study)
    return ordered_pairs(study.algorithms, columns)


def _effect(name: str, effect: Effect) -> Columns:
    """Return the estimate and its limits as ``name``, ``…_ci_low`` and ``…_ci_high``."""
    # The negative of 0 is 0, not −0.
    limits = {"": effect.estimate, "_ci_low": effect.low, "_ci_high": effect.high}
    return {f"{name}{suffix}": values + 0.0 for suffix, values in limits.items()}


def _posterior(study: Study) -> Columns:
    settings = study.settings
    posterior = bayesian_signed_rank(
        study.sample,
        rope=settings.rope,
        prior_weight=settings.prior_weight,
        n_resamples=study.within.form_resamples,
        random_state=settings.random_state,
    )
    return {
        "bayes_better": posterior.better,
        "bayes_equivalent": posterior.equivalent,
        "bayes_worse": posterior.worse,
    }


def _mean_posterior(study: Study) -> Columns:
    """Return the posterior of the mean difference above, within and below ± rope."""
    posterior = difference_posterior(
        study.sample,
        rope=study.settings.rope,
        n_resamples=study.within.resamples,
        random_state=study.settings.random_state,
    )
    return {
        "difference_above": posterior.better,
        "difference_within": posterior.equivalent,
        "difference_below": posterior.worse,
    }


def kendall_frame(study: Study) -> pd.DataFrame:
    """Return Kendall's τ of every unordered pair, with limits where they exist."""
    settings = study.settings
    tau = kendall_matrix(study.sample, weighting=settings.kendall)
    low = high = np.full(tau.shape, np.nan)
    if settings.kendall != "hyperbolic" and study.within.kendall and study.n_clusters > 1:
        found = kendall_jackknife(
            study.sample, weighting=settings.kendall, confidence=1 - settings.alpha
        )
        low, high = found.low, found.high
    return unordered_pairs(study.algorithms, {"tau": tau, "tau_ci_low": low, "tau_ci_high": high})


def diagnostics_frame(study: Study) -> pd.DataFrame:
    """Return how strongly tasks of a dataset are correlated, for each unordered pair."""
    found = cluster_diagnostics(study.sample)
    columns = {
        "icc": found.intraclass_correlation,
        "icc_differences": found.intraclass_correlation_differences,
        "design_effect": found.design_effect,
        "effective_tasks": found.effective_tasks,
        "size_correlation": found.size_correlation,
        "size_p": found.size_p,
    }
    return unordered_pairs(study.algorithms, columns)


def _singletons(study: Study) -> Iterator[str]:
    """Say that every dataset has one task, and where names suggest that some belong together."""
    names = [str(label) for label in study.sample.clusters.labels]
    stems = pd.Series([STEM.match(name) for name in names]).map(
        lambda found: found.group(1) if found else None
    )
    shared = stems.duplicated(keep=False) & stems.notna()
    sentence = "Every dataset has one task."
    if shared.mean() > 0.5 and stems.nunique() > 1:
        examples = [name for name, same in zip(names, shared, strict=True) if same][:2]
        sentence += (
            f" Many names share a prefix ({', '.join(map(printable, examples))}): if these belong "
            "together, name the column of the dataset (cluster=…, --cluster)."
        )
    yield sentence


def cautions(study: Study) -> Iterator[str]:
    """Return cautions about the intervals."""
    m, settings, unit = study.n_clusters, study.settings, study.results.unit
    if m < 2:
        yield f"With a single {unit} there are no intervals and no tests."
    elif m < FEW_CLUSTERS:
        yield (
            f"With {m} {unit}s intervals are rough, and posterior probabilities are overconfident."
        )
    if m == study.sample.n_tasks > 2:
        yield from _singletons(study)
    if settings.kendall == "hyperbolic":
        yield "Kendall's τ with hyperbolic weights has no intervals."
    kept = study.sample.whole.n_tasks
    if kept < study.sample.n_tasks:
        yield (
            f"Intervals of mean ranks and mean scores use the {kept} tasks that all algorithms "
            "have."
        )
