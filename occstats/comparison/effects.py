"""How much better, for every pair: effect sizes, their intervals and posterior probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.comparison.frames import effect_columns, ordered_pairs
from occstats.stats.bayes import bayesian_signed_rank
from occstats.stats.effect_sizes import Effect, pair_effects
from occstats.stats.hodges_lehmann import hodges_lehmann_pairs

if TYPE_CHECKING:
    from occstats.comparison.affordable import Affordable
    from occstats.comparison.settings import Settings
    from occstats.results import Results

__all__ = ["pair_effects_frame"]

Columns = dict[str, npt.NDArray[np.float64]]


def pair_effects_frame(results: Results, settings: Settings, within: Affordable) -> pd.DataFrame:
    """Effect sizes of all ordered pairs as a frame; NaN where a part is not affordable."""
    effects = pair_effects(
        results.oriented,
        results.clusters,
        confidence=settings.confidence,
        tie_tolerance=settings.tie_tolerance,
        n_resamples=settings.n_resamples if within.intervals else 0,
        n_rank_resamples=within.form_resamples,
        random_state=settings.random_state,
    )
    k = len(results.algorithms)
    unknown = np.full((k, k), np.nan)
    columns: Columns = {
        **effect_columns("mean_difference", effects.mean_difference, limits="difference"),
        **effect_columns("rank_biserial", effects.rank_biserial),
        "wins": effects.wins,
        "ties": effects.ties,
        "losses": effects.losses,
        **effect_columns("prob_improvement_task", effects.prob_improvement_task),
        **effect_columns("prob_improvement_dataset", effects.prob_improvement_dataset),
        **effect_columns("hodges_lehmann", Effect(unknown, unknown, unknown)),
        **dict.fromkeys(("bayes_better", "bayes_equivalent", "bayes_worse"), unknown),
    }
    if within.shifts:
        columns |= _shift(results, settings)
    if within.posterior:
        columns |= _posterior(results, settings, within.form_resamples)
    return ordered_pairs(results.algorithms, columns)


def _shift(results: Results, settings: Settings) -> Columns:
    shift = hodges_lehmann_pairs(
        results.oriented,
        results.clusters,
        confidence=settings.confidence,
        tie_tolerance=settings.tie_tolerance,
        n_resamples=settings.n_resamples,
        random_state=settings.random_state,
    )
    return effect_columns("hodges_lehmann", Effect(shift.estimate, shift.low, shift.high))


def _posterior(results: Results, settings: Settings, n_resamples: int) -> Columns:
    posterior = bayesian_signed_rank(
        results.oriented,
        results.clusters,
        rope=settings.rope,
        prior_weight=settings.prior_weight,
        tie_tolerance=settings.tie_tolerance,
        n_resamples=n_resamples,
        random_state=settings.random_state,
    )
    return {
        "bayes_better": posterior.better,
        "bayes_equivalent": posterior.equivalent,
        "bayes_worse": posterior.worse,
    }
