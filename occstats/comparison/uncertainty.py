"""How much better, how sure, and would it hold: the frames that answer it for a comparison.

Everything here resamples data sets, never single tasks. The costly parts (power, the table of
specifications) are computed when the settings ask for depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats.comparison.affordable import Affordable, affordable
from occstats.comparison.choices import complete_tasks, conclusions, control_position
from occstats.comparison.classical import Classical, classical_tests
from occstats.comparison.design import Design, study_design
from occstats.comparison.effects import pair_effects_frame
from occstats.comparison.frames import ordered_pairs, unordered_pairs
from occstats.comparison.stability import Stability, study_stability
from occstats.results.aliases import is_bounded
from occstats.stats.baselines import plain_wilcoxon_pairs
from occstats.stats.bayes import correlated_t, probability_best
from occstats.stats.bootstrap import bootstrap_means
from occstats.stats.kendall_intervals import kendall_bootstrap
from occstats.stats.multiplicity import adjust_pairs
from occstats.stats.ranks import task_ranks

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.results import Results
    from occstats.stats.signed_rank_pairs import PairwiseTests

__all__ = ["Uncertainty", "assess"]

FEW_CLUSTERS = 10


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Intervals, posterior probabilities, stability, design and classical tests of a comparison.

    Attributes
    ----------
    pair_effects : DataFrame
        One row per ordered pair: effect sizes with intervals, posterior probabilities, ``p_naive``.
    summary_intervals : DataFrame
        One row per algorithm: intervals of mean rank and mean score, probability of being best.
    kendall_intervals : DataFrame
        One row per unordered pair: limits of τ.
    naive : DataFrame
        One row per unordered pair: what the test that ignores clusters says, and whether it would
        have ``misled``; with None for the tests of the main analysis, only what it says.
    fold_tests : DataFrame or None
        Where folds are given: the correlated t-test of every task and unordered pair.
    stability, design, classical
        Sections of their own.
    notes : tuple of str
        What was left out, and warnings about few data sets.
    """

    pair_effects: pd.DataFrame
    summary_intervals: pd.DataFrame
    kendall_intervals: pd.DataFrame
    naive: pd.DataFrame
    fold_tests: pd.DataFrame | None
    stability: Stability
    design: Design
    classical: Classical
    notes: tuple[str, ...] = ()


def assess(
    results: Results,
    settings: Settings,
    *,
    tests: PairwiseTests | None = None,
    progress: bool | None = None,
) -> Uncertainty:
    """Compute all that belongs to a comparison besides its tests.

    Parameters
    ----------
    results
        The results table after the missing-cell policy; NaN remains only under ``pairwise``.
    settings
        The choices of the comparison.
    tests
        The tests of the main analysis, whose conclusions the naive test is held against.
    progress
        Whether to draw progress bars for the costly parts; by default on a terminal.

    Examples
    --------
    >>> from occstats import load_results
    >>> from occstats.comparison import Settings
    >>> results = load_results("lenz2021").select(["ALP", "SVM", "SAE"])
    >>> found = assess(results, Settings(n_resamples=1000))
    >>> found.summary_intervals["prob_best"].sum().round(6)
    np.float64(1.0)
    """
    within = affordable(results, settings)
    effects = pair_effects_frame(results, settings, within)
    naive_p, naive = naive_frame(results, settings, tests)
    design = study_design(results, settings, progress=progress)
    taus, without_taus = kendall_frame(results, settings, within)
    return Uncertainty(
        pair_effects=effects.merge(naive_p, on=["a", "b"]),
        summary_intervals=summary_frame(results, settings),
        kendall_intervals=taus,
        naive=naive,
        fold_tests=fold_frame(results, settings),
        stability=study_stability(results, settings, within, tests=tests, progress=progress),
        design=design,
        classical=classical_tests(results, settings, within),
        notes=(*_cautions(results, settings), *design.notes, *within.notes, *without_taus),
    )


def summary_frame(results: Results, settings: Settings) -> pd.DataFrame:
    """Cluster-bootstrap intervals of mean ranks and mean scores, and who is probably best."""
    complete = complete_tasks(results)
    algorithms = results.algorithms
    names = [f"mean_{what}_ci_{end}" for what in ("rank", "score") for end in ("low", "high")]
    if not complete.any():
        unknown = dict.fromkeys((*names, "prob_best"), np.nan)
        return pd.DataFrame({"algorithm": algorithms, **unknown})
    clusters = results.clusters[complete]
    scores = results.oriented[complete]
    ranks = task_ranks(scores, tie_tolerance=settings.tie_tolerance)
    raw = results.scores.to_numpy(dtype=np.float64)[complete]
    interval = bootstrap_means(
        np.hstack([ranks, raw]),
        clusters,
        method="studentised",
        confidence=settings.confidence,
        n_resamples=settings.n_resamples,
        random_state=settings.random_state,
    )
    k = len(algorithms)
    # One data set, however it is weighted, gives one order: that is no probability.
    best = np.full(k, np.nan)
    if len(np.unique(clusters)) > 1:
        best = probability_best(
            -ranks, clusters, n_resamples=settings.n_resamples, random_state=settings.random_state
        )
    low, high = np.clip((interval.low[:k], interval.high[:k]), 1, k)
    bounded = is_bounded(results.score_name) and raw.min() >= 0 and raw.max() <= 1
    least, most = (0.0, 1.0) if bounded else (-np.inf, np.inf)
    limits = (low, high, *np.clip((interval.low[k:], interval.high[k:]), least, most))
    columns = dict(zip(names, limits, strict=True))
    return pd.DataFrame({"algorithm": algorithms, **columns, "prob_best": best})


def kendall_frame(
    results: Results, settings: Settings, within: Affordable
) -> tuple[pd.DataFrame, list[str]]:
    """Limits of Kendall's τ for every unordered pair, and why they may be missing."""
    k = len(results.algorithms)
    notes = []
    low = high = np.full((k, k), np.nan)
    if settings.kendall == "hyperbolic":
        notes.append("Kendall's τ with hyperbolic weights has no intervals.")
    elif within.kendall and results.n_clusters >= 2:
        found = kendall_bootstrap(
            results.oriented,
            results.clusters,
            weighting=settings.kendall,
            tie_tolerance=settings.tie_tolerance,
            confidence=settings.confidence,
            n_resamples=within.form_resamples,
            random_state=settings.random_state,
        )
        low, high = found.low, found.high
    return unordered_pairs(results.algorithms, {"tau_ci_low": low, "tau_ci_high": high}), notes


def naive_frame(
    results: Results, settings: Settings, tests: PairwiseTests | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The test that takes all tasks for independent: its p-values, and where it would mislead.

    It misleads about a pair where it comes to another conclusion (a better, b better, neither) than
    the main analysis, with the same correction, family and level.
    """
    plain = plain_wilcoxon_pairs(
        results.oriented,
        results.clusters,
        alternative=settings.alternative,
        tie_tolerance=settings.tie_tolerance,
    )
    algorithms = results.algorithms
    control = control_position(results, settings)
    conclude = conclusions(results, settings)
    adjusted = adjust_pairs(
        plain.p, settings.family, settings.correction, control, alternative=settings.alternative
    ).clipped
    p_naive = ordered_pairs(algorithms, {"p_naive": plain.p, "p_naive_adjusted": adjusted})
    columns = {"naive_a_better": conclude(plain.p, plain.z)}
    columns["naive_b_better"] = columns["naive_a_better"].T
    if tests is not None:
        main = conclude(tests.p, tests.z)
        different = columns["naive_a_better"] != main
        columns |= {"a_better": main, "b_better": main.T, "misled": different | different.T}
    return p_naive, unordered_pairs(algorithms, columns)


def fold_frame(results: Results, settings: Settings) -> pd.DataFrame | None:
    """The correlated t-test on every task, for every unordered pair; None without folds."""
    if results.fold_scores is None:
        return None
    folds = results.fold_scores if results.higher_is_better else -results.fold_scores
    parts = []
    algorithms = results.algorithms
    for position, a in enumerate(algorithms):
        for b in algorithms[position + 1 :]:
            # Folds are matched by name: only those that both algorithms have can be compared.
            difference = (folds[a] - folds[b]).to_numpy(dtype=np.float64)
            found = correlated_t(difference, rope=settings.rope)
            parts.append(
                pd.DataFrame(
                    {
                        "a": a,
                        "b": b,
                        "dataset": results.scores.index.get_level_values(0),
                        "class": results.scores.index.get_level_values(1),
                        "mean_difference": found.mean,
                        "better": found.better,
                        "equivalent": found.equivalent,
                        "worse": found.worse,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def _cautions(results: Results, settings: Settings) -> Iterator[str]:
    m = results.n_clusters
    if m < 2:
        yield "With a single data set there are no intervals: nothing shows how data sets differ."
    elif m < FEW_CLUSTERS:
        yield (
            f"With {m} data sets the bootstrap intervals of rank-biserial correlations, "
            "probabilities and τ are too narrow: read them as the least uncertainty there is."
        )
    kept = int(complete_tasks(results).sum())
    if kept < results.n_tasks:
        yield (
            "Intervals of mean ranks and mean scores, and the probability of being best, use the "
            f"{kept} tasks that all algorithms have."
        )
    if settings.null != "asymptotic" or settings.engine not in ("native", "both"):
        yield "Stability and power were studied with the native test and its normal approximation."
