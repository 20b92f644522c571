"""Effect sizes, posteriors, Kendall's τ and McNemar tests of pairs of algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats._format import count, decimals, minus_signs, p_equation, printable
from occstats.results.aliases import score_word
from occstats.stats.bayes import bayesian_signed_rank
from occstats.stats.effect_sizes import Effect, pair_effects
from occstats.stats.kendall import kendall_jackknife, kendall_matrix
from occstats.stats.mcnemar import clustered_mcnemar, is_binary
from occstats.stats.means import difference_posterior

if TYPE_CHECKING:
    from occstats.comparison.study import Study


def effects_frame(study: Study) -> pd.DataFrame:
    """Return effect sizes of all ordered pairs."""
    settings = study.settings
    effects = pair_effects(study.tested, confidence=1 - settings.alpha)
    options: dict[str, Any] = {"rope": settings.rope, "random_state": settings.random_state}
    mean = difference_posterior(study.sample, n_resamples=study.mean_resamples, **options)
    typical = bayesian_signed_rank(study.sample, n_resamples=study.form_resamples, **options)
    columns = {name: getattr(effects, name).astype(int) for name in ("wins", "ties", "losses")}
    for name in ("rank_biserial", "prob_improvement_task", "prob_improvement_dataset"):
        effect = getattr(effects, name)
        limits = {"": effect.estimate, "_ci_low": effect.low, "_ci_high": effect.high}
        # The negative of 0 is 0, not −0.
        columns |= {f"{name}{suffix}": values + 0.0 for suffix, values in limits.items()}
    posteriors = {
        "bayes_better": typical.better,
        "bayes_equivalent": typical.equivalent,
        "bayes_worse": typical.worse,
        "difference_above": mean.better,
        "difference_within": mean.equivalent,
        "difference_below": mean.worse,
    }
    return study.ordered_pairs(columns | posteriors)


def kendall_frame(study: Study) -> pd.DataFrame:
    """Return Kendall's τ of every unordered pair, with limits where they exist."""
    if study.n_clusters > 1 and "intervals of Kendall's τ" not in study.left_out:
        found = kendall_jackknife(study.sample, confidence=1 - study.settings.alpha)
    else:
        tau = kendall_matrix(study.sample)
        found = Effect(tau, *np.full((2, *tau.shape), np.nan))
    columns = {"tau": found.estimate, "tau_ci_low": found.low, "tau_ci_high": found.high}
    return study.unordered_pairs(columns)


def binary_frame(study: Study) -> pd.DataFrame | None:
    """Return clustered McNemar tests of all pairs; None for other scores than 0 and 1."""
    results, alpha = study.results, study.settings.alpha
    if study.n_clusters < 2 or not is_binary(results.scores):
        return None
    found = clustered_mcnemar(study.sample, confidence=1 - alpha, alpha=alpha)
    frame = study.unordered_pairs(found)
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
