"""Effect sizes, posteriors, Kendall's τ and diagnostics of pairs of algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._format import count, decimals, minus_signs, p_equation, printable
from occstats.results.aliases import score_word
from occstats.stats.bayes import bayesian_signed_rank
from occstats.stats.diagnostics import cluster_diagnostics
from occstats.stats.effect_sizes import Effect, pair_effects
from occstats.stats.kendall import kendall_jackknife, kendall_matrix
from occstats.stats.mcnemar import clustered_mcnemar, is_binary
from occstats.stats.means import difference_posterior

if TYPE_CHECKING:
    from occstats.comparison.study import Study


Columns = dict[str, npt.NDArray[Any]]


def effects_frame(study: Study) -> pd.DataFrame:
    """Return effect sizes of all ordered pairs."""
    settings = study.settings
    effects = pair_effects(study.tested, confidence=1 - settings.alpha)
    mean = difference_posterior(
        study.sample,
        rope=settings.rope,
        n_resamples=study.mean_resamples,
        random_state=settings.random_state,
    )
    signed_rank = bayesian_signed_rank(
        study.sample,
        rope=settings.rope,
        n_resamples=study.form_resamples,
        random_state=settings.random_state,
    )
    columns: Columns = {
        "wins": effects.wins.astype(int),
        "ties": effects.ties.astype(int),
        "losses": effects.losses.astype(int),
        **_effect("rank_biserial", effects.rank_biserial),
        **_effect("prob_improvement_task", effects.prob_improvement_task),
        **_effect("prob_improvement_dataset", effects.prob_improvement_dataset),
        "bayes_better": signed_rank.better,
        "bayes_equivalent": signed_rank.equivalent,
        "bayes_worse": signed_rank.worse,
        "difference_above": mean.better,
        "difference_within": mean.equivalent,
        "difference_below": mean.worse,
    }
    return study.ordered_pairs(columns)


def _effect(name: str, effect: Effect) -> Columns:
    """Return the estimate and its limits as ``name``, ``…_ci_low`` and ``…_ci_high``."""
    # The negative of 0 is 0, not −0.
    limits = {"": effect.estimate, "_ci_low": effect.low, "_ci_high": effect.high}
    return {f"{name}{suffix}": values + 0.0 for suffix, values in limits.items()}


def kendall_frame(study: Study) -> pd.DataFrame:
    """Return Kendall's τ of every unordered pair, with limits where they exist."""
    if study.n_clusters > 1 and "intervals of Kendall's τ" not in study.left_out:
        found = kendall_jackknife(study.sample, confidence=1 - study.settings.alpha)
    else:
        tau = kendall_matrix(study.sample)
        found = Effect(tau, *np.full((2, *tau.shape), np.nan))
    columns = {"tau": found.estimate, "tau_ci_low": found.low, "tau_ci_high": found.high}
    return study.unordered_pairs(columns)


def diagnostics_frame(study: Study) -> pd.DataFrame:
    """Return the correlation of the tasks of a dataset, for each unordered pair."""
    return study.unordered_pairs(vars(cluster_diagnostics(study.sample)))


def binary_frame(study: Study) -> pd.DataFrame | None:
    """Return clustered McNemar tests of all pairs; None for other scores than 0 and 1."""
    results, alpha = study.results, study.settings.alpha
    if study.n_clusters < 2 or not is_binary(results.scores):
        return None
    found = clustered_mcnemar(study.sample, confidence=1 - alpha, alpha=alpha)
    frame = study.unordered_pairs({str(name): found[name].to_numpy() for name in found})
    level, score = f"{100 * (1 - alpha):g} %", score_word(results.score_name)
    rows: Any = frame.itertuples(index=False)
    return frame.assign(line=[_line(row, level, score, results.unit) for row in rows])


def _line(row: Any, level: str, score: str, unit: str) -> str:
    """Return a row of the McNemar tests as a line to quote."""
    ends = (row.share_difference, row.share_difference_ci_low, row.share_difference_ci_high)
    difference, low, high = (minus_signs(f"{value:+.3f}") for value in ends)
    return (
        f"{printable(row.a)} − {printable(row.b)}: {difference} {score} "
        f"(clustered SE {row.standard_error:.3f}; {level} CI {low} to {high}; "
        f"Obuchowski's {p_equation(row.p_obuchowski)}; "
        f"design effect {decimals(2)(row.design_effect)}; "
        f"detectable ±{row.minimal_detectable:.3f}; "
        f"{count(row.n_tasks, 'task')} in {count(row.n_clusters, unit)})"
    )
