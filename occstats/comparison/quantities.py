"""Frames besides the decision: algorithms, pairs, traits, strata, folds, detectable differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import special

from occstats._format import Section, count, decimals, listing, minus_signs, p_equation, printable
from occstats.comparison.decision import least_p
from occstats.comparison.text.verdict import difference_of
from occstats.results.aliases import score_word
from occstats.stats._arrays import BoolArray, FloatArray
from occstats.stats.bayes import bayesian_signed_rank, correlated_t, probability_best
from occstats.stats.bootstrap import bootstrap_means
from occstats.stats.clusters import mean_errors, weighted_means
from occstats.stats.corrections import adjust
from occstats.stats.effect_sizes import Effect, pair_effects
from occstats.stats.kendall import kendall_jackknife, kendall_matrix
from occstats.stats.mcnemar import clustered_mcnemar, is_binary
from occstats.stats.means import dataset_means, difference_posterior
from occstats.stats.power import minimal_detectable_difference
from occstats.stats.ranks import rank_strata
from occstats.stats.regression import weighted_regression

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision
    from occstats.comparison.study import Study
    from occstats.results import Results


#: The terms of common traits of tasks; log_ is a logarithm.
TRAITS = {"n": "log_n", "m": "log_m", "sparsity": "sparsity"}
REGRESSION = [
    "algorithm", "term", "coefficient", "se", "df", "p", "p_unadjusted", "ci_low", "ci_high",
]  # fmt: skip
#: The power of detectable differences.
WANTED_POWER = 0.8


def summary_frame(study: Study, decision: Decision) -> pd.DataFrame:
    """Return one row per algorithm: mean rank, mean score, spread over folds, intervals, ranks."""
    settings, sample, k = study.settings, study.sample.complete_cases, len(study.algorithms)
    scores = study.complete_results.scores.to_numpy(dtype=np.float64)
    ranks = study.ranks
    interval = bootstrap_means(
        np.hstack([ranks, scores]),
        sample.clusters,
        confidence=1 - settings.alpha,
        n_resamples=study.mean_resamples,
        random_state=settings.random_state,
    )
    low, high = _rank_limits(interval.low[:k], interval.high[:k], study)
    better = decision.better
    limits = np.clip((interval.low[k:], interval.high[k:]), *study.results.bounds)
    score_low, score_high = np.where(study.unscored | np.isinf(limits), np.nan, limits)
    # One dataset, however it is weighted, gives one order.
    best = np.full(k, np.nan)
    if sample.clusters.independent.n_clusters > 1:
        best = probability_best(
            -ranks if settings.estimand == "typical" else sample.scores,
            sample.clusters,
            n_resamples=study.mean_resamples,
            random_state=settings.random_state,
        )
    return pd.DataFrame(
        {
            **study.means,
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
    Pearson), in the worst case by having the first or the last rank. If the bootstrap reaches 1 or
    k, because resamples can lack the few datasets that differ, the limit is the Clopper-Pearson
    limit of a share: of all numbers in 1 … k with this mean, those that are 1 or k vary most. In
    simulations this covers as well as the limits 1 and k, and is up to three times narrower.
    """
    clusters, k = study.sample.complete_cases.clusters, len(low)
    estimate = study.means["mean_rank"].to_numpy()
    m = clusters.independent.n_clusters
    if m < 2:
        return np.clip((low, high), 1, k)
    tail = study.settings.alpha / 2
    others = 1 - tail ** (1 / m)
    agree = np.ptp(clusters.means(study.ranks), axis=0) < 1e-12
    low = np.where(agree, estimate - others * (estimate - 1), low)
    high = np.where(agree, estimate + others * (k - estimate), high)
    first = m * (k - estimate) / (k - 1)
    least = 1 + (k - 1) * special.betaincinv(m - first, first + 1, tail)
    most = 1 + (k - 1) * special.betaincinv(m - first + 1, first, 1 - tail)
    low = np.where(low <= 1, np.fmax(least, 1), low)
    high = np.where(high >= k, np.fmin(most, k), high)
    return np.clip((low, high), 1, k)


def _mean_spread(study: Study) -> FloatArray:
    """Return the weighted mean over tasks with a standard deviation over folds; NaN if none."""
    if study.complete_results.cvsd is None:
        return np.full(len(study.algorithms), np.nan)
    spread = np.ma.masked_invalid(study.complete_results.cvsd.to_numpy(float))
    weights = study.sample.complete_cases.clusters.weights
    means: Any = np.ma.average(spread, axis=0, weights=weights)
    return np.asarray(means.filled(np.nan))


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
    rows: Any = frame.itertuples(index=False)
    return frame.assign(line=[_line(row, results, f"{100 * (1 - alpha):g} %") for row in rows])


def _line(row: Any, results: Results, level: str) -> str:
    """Return a row of the McNemar tests as a line to quote."""
    ends = (row.share_difference, row.share_difference_ci_low, row.share_difference_ci_high)
    difference, low, high = (minus_signs(f"{value:+.3f}") for value in ends)
    return (
        f"{difference_of(results, printable(row.a), printable(row.b))}: {difference} "
        f"{score_word(results.score_name)} "
        f"(clustered SE {row.standard_error:.3f}; {level} CI {low} to {high}; "
        f"Obuchowski's {p_equation(row.p_obuchowski)}; "
        f"design effect {decimals(2)(row.design_effect)}; "
        f"detectable ±{row.minimal_detectable:.3f}; "
        f"{count(row.n_tasks, 'task')} in {count(row.n_clusters, results.unit)})"
    )


def strata_frame(study: Study) -> pd.DataFrame:
    """Return mean ranks by difficulty, the hardest tasks first; bounds as scores."""
    found = rank_strata(
        study.ranks,
        np.median(study.sample.complete_cases.scores, axis=1),
        study.sample.complete_cases.clusters,
    )
    if not study.results.higher_is_better:
        found[["low", "high"]] = 0.0 - found[["high", "low"]].to_numpy()
    names = np.array(study.algorithms, dtype=object)
    return found.assign(algorithm=names[found["algorithm"]]).drop(columns="weight")


def regression_frame(study: Study) -> pd.DataFrame:
    """Regress each algorithm's rank on the tasks' traits and median score (higher is easier).

    ``p`` is corrected by Holm over algorithms and terms together, except with the preset of the
    paper, which prints uncorrected values. The intercept answers no question: it is not in the
    family, and its ``p`` is NaN. Traits that are absent or constant are left out;
    ``attrs["notes"]`` names them.
    """
    traits, settings = study.complete_results.traits, study.settings
    sample = study.sample.complete_cases
    logged = [name for name in ("n", "m") if name in traits]
    known = (traits.notna().all(axis=1) & (traits[logged] > 0).all(axis=1)).to_numpy()
    usable = traits[known]
    varying = [str(name) for name in usable if usable[name].nunique() > 1]
    notes = _notes(traits, known, varying)
    empty = pd.DataFrame(columns=pd.Index(REGRESSION))
    if not known.any():
        empty.attrs["notes"] = (*notes, "There is no regression: no task has all traits.")
        return empty
    scores = sample.scores[known]
    # The usual traits first, then the user's own as they are.
    names = [name for name in TRAITS if name in varying]
    names += [name for name in varying if name not in TRAITS]
    columns = [usable[name].to_numpy(float) for name in names]
    columns = [
        np.log(values) if name in logged else values
        for name, values in zip(names, columns, strict=True)
    ]
    traits_of_tasks = np.column_stack([np.ones(len(scores)), *columns])
    terms = ("intercept", *(TRAITS.get(name, name) for name in names), "median_score")
    clusters = sample.clusters.independent.codes[known]
    # The median of all algorithms: that of the others is coupled with the rank (where they score
    # high by chance, both are high), so that a true null is often rejected.
    traits_of_tasks = np.column_stack([traits_of_tasks, np.median(scores, axis=1)])
    fits = {
        algorithm: weighted_regression(
            ranks,
            traits_of_tasks,
            terms,
            clusters=clusters,
            weights=sample.clusters.weights[known],
            inference=settings.inference,
            confidence=1 - settings.alpha,
        )
        for algorithm, ranks in zip(study.algorithms, study.ranks[known].T, strict=True)
    }
    reasons = dict.fromkeys(fit.attrs["reason"] for fit in fits.values() if fit.attrs["reason"])
    frame = pd.concat(fits, names=["algorithm", "term"]).reset_index()
    frame["p_unadjusted"] = frame["p"]
    if settings.regression_corrected:
        tested = frame["p"].where(frame["term"] != "intercept")
        frame["p"] = adjust(tested, "holm")
    frame = empty if frame["coefficient"].isna().all() else frame[REGRESSION]
    notes += [f"Regression: {reason.rstrip('.')}." for reason in reasons]
    frame.attrs["notes"] = tuple(notes)
    return frame


def _notes(traits: pd.DataFrame, known: BoolArray, varying: list[str]) -> list[str]:
    notes = []
    absent = [name for name in TRAITS if name not in traits]
    constant = [str(name) for name in traits if name not in varying]
    if absent:
        notes.append(f"The regression omits {listing(absent)}: no such column.")
    if constant and known.any():
        notes.append(f"The regression omits {listing(constant)}: the same for all tasks.")
    if not known.all():
        notes.append(f"The regression omits {int((~known).sum()):,} tasks with an unknown trait.")
    return notes


def fold_tests(
    results: Results, rope: float = 0.0
) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield unordered pairs that have folds, with the correlated t-test on every task."""
    if results.fold_scores is None:
        return
    folds = results.fold_scores if results.higher_is_better else -results.fold_scores
    # Of joined tables only some may have folds.
    with_folds = [name for name in results.algorithms if name in folds.columns.get_level_values(0)]
    for a, b in combinations(with_folds, 2):
        one, other = (folds[[name]].droplevel(0, axis=1) for name in (a, b))
        if one.columns.nlevels > 1 and not one.columns.isin(other.columns).any():
            # Repeats of their own (seeds of an algorithm) match nothing but the fold.
            one, other = (frame.T.groupby(level=0).mean().T for frame in (one, other))
        difference = one - other
        n_folds = difference.notna().T.groupby(level=0).any().sum().to_numpy(dtype=np.float64)
        share = 1 / np.maximum(n_folds, 2.0)
        yield (a, b), correlated_t(difference.to_numpy(np.float64), rope=rope, test_share=share)


def fold_frame(study: Study) -> pd.DataFrame | None:
    """Return the correlated t-test on every task, for unordered pairs; None without folds."""
    results = study.results
    datasets, tasks = (results.scores.index.get_level_values(level) for level in (0, 1))
    parts = [
        found.assign(a=a, b=b, dataset=datasets).assign(**{"class": tasks})
        for (a, b), found in fold_tests(results, study.settings.rope or 0.0)
    ]
    columns = ["a", "b", "dataset", "class", "mean_difference", "better", "equivalent", "worse"]
    if not parts:
        return None
    return pd.concat(parts, ignore_index=True).rename(columns={"mean": "mean_difference"})[columns]


@dataclass(frozen=True, eq=False, repr=False)
class Design(Section):
    """The differences that a benchmark of this size can show.

    It is `possible` to show one if the smallest p-value after the correction is at most alpha.
    `detectable` has the minimal detectable mean difference of each unordered pair, at the level
    alpha and at the strictest corrected level, with the observed one. Suites count as datasets.
    """

    n_clusters: int
    family_size: int
    wanted_power: float
    smallest_p: float
    smallest_p_corrected: float
    possible: bool
    datasets_needed: int
    detectable: pd.DataFrame


def study_design(decision: Decision) -> Design:
    """Return the differences that this benchmark can detect."""
    study, settings, size = decision.study, decision.settings, decision.family_size
    means, clusters = dataset_means(study.sample), study.sample.clusters
    once = np.ones((1, len(means)))
    error = mean_errors(means, once, clusters.suites)[0]
    m = (clusters.units.sums(~np.isnan(means)) > 0).sum(axis=0)
    spread = error * np.sqrt(m)

    def detectable(alpha: float) -> FloatArray:
        return minimal_detectable_difference(
            spread, m, alpha=alpha, power=WANTED_POWER, alternative=settings.alternative
        )

    columns = {
        "n_clusters": m.astype(np.int64),
        "sd_between_datasets": spread,
        "standard_error": error,
        "mean_difference": weighted_means(means, once)[0],
        "minimal_detectable": detectable(settings.alpha),
        "minimal_detectable_corrected": detectable(settings.alpha / size),
    }
    return Design(
        n_clusters=study.n_clusters,
        family_size=size,
        wanted_power=WANTED_POWER,
        smallest_p=least_p(study.n_clusters, settings),
        smallest_p_corrected=decision.smallest_p,
        possible=decision.possible,
        datasets_needed=decision.datasets_needed,
        detectable=study.unordered_pairs(columns),
    )
