"""Heterogeneity of each pair over datasets, and the prediction for a new dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats._format import decimals, minus_signs, printable
from occstats.comparison.quantities import fold_tests
from occstats.comparison.study import clusters_of
from occstats.comparison.text.verdict import difference_digits
from occstats.results.aliases import score_word
from occstats.stats._arrays import FloatArray
from occstats.stats.meta_analysis import cluster_effects, random_effects
from occstats.stats.sample import Sample

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison
    from occstats.comparison.study import Study
    from occstats.results import Results
    from occstats.stats.sample import PairBlock


#: The columns of `random_effects`, with their names in the frame.
COLUMNS = {
    "n_datasets": "n_datasets",
    "mean": "random_effects_mean",
    "tau": "heterogeneity_sd",
    "i_squared": "i_squared",
    "low": "prediction_low",
    "high": "prediction_high",
    "probability": "prob_better",
    "probability_low": "prob_better_ci_low",
    "probability_high": "prob_better_ci_high",
}


def heterogeneity_frame(study: Study) -> pd.DataFrame:
    """Return one row per unordered pair; NaN where an algorithm has no mean or datasets are few."""
    errors, unscored, parts = _fold_errors(study.results, study.sample), study.unscored, []
    for block in study.sample.blocks():
        effects, variances = _effects(block, errors)
        effects[:, unscored[block.a] | unscored[block.b]] = np.nan
        parts.append(random_effects(effects, variances, confidence=1 - study.settings.alpha))
    found = pd.concat(parts, ignore_index=True)[[*COLUMNS]]
    return study.unordered_pairs(found.rename(columns=COLUMNS))


def dataset_effects(results: Results, a: str, b: str) -> pd.DataFrame:
    """Return the mean difference a − b of each dataset (or suite) and its standard error."""
    pair = results.select([a, b])
    sample = Sample.of(pair.oriented, clusters_of(pair))
    effects, variances = _effects(next(iter(sample.blocks())), _fold_errors(pair, sample))
    return pd.DataFrame(
        {
            "dataset": sample.clusters.independent.labels,
            "difference": effects[:, 0],
            "standard_error": np.sqrt(variances[:, 0]),
        }
    ).dropna(subset="difference")


def _effects(
    block: PairBlock, errors: Mapping[tuple[int, int], FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return the mean differences of independent units and their squared standard errors."""
    clusters = block.clusters
    if clusters.suites is not None:
        return cluster_effects(block.cluster_means, clusters.suites)
    effects, variances = cluster_effects(block.differences, clusters)
    for column, pair in enumerate(zip(block.a, block.b, strict=True)):
        if pair in errors:
            found = pd.Series(errors[pair][np.argsort(clusters.codes)] ** 2)
            # A task with a single fold has the mean variance of the others.
            variances[:, column] = found.fillna(found.mean()).fillna(0.0)
    return effects, variances


def _fold_errors(results: Results, sample: Sample) -> dict[tuple[int, int], FloatArray]:
    """Return standard errors over folds of tasks that are datasets of their own, by columns."""
    if results.nested or sample.n_clusters < sample.n_tasks:
        return {}
    place = results.algorithms.index
    return {
        (place(a), place(b)): found["scale"].to_numpy() for (a, b), found in fold_tests(results)
    }


def new_dataset_sentence(comparison: Comparison, a: str, b: str) -> str:
    """Return the prediction for a new dataset in words; empty if there is none."""
    return new_dataset_sentences(comparison, [a, b]).get((a, b), "")


def new_dataset_sentences(
    comparison: Comparison, names: Sequence[str]
) -> dict[tuple[str, str], str]:
    """Return the predictions for a new dataset in words, by ordered pair of these algorithms."""
    frame, level = comparison.heterogeneity, f"{100 * (1 - comparison.settings.alpha):g} %"
    frame = frame[frame["a"].isin(names) & frame["b"].isin(names)].dropna(subset="prob_better")
    unit, score = comparison.results.unit, score_word(comparison.results.score_name)
    write, signed = decimals(2), decimals(difference_digits(comparison), signed=True)
    found = {}
    pairs: Any = frame.itertuples()
    for row in pairs:
        chances = np.array([row.prob_better_ci_low, row.prob_better, row.prob_better_ci_high])
        limits = np.array([row.prediction_low, row.prediction_high])
        for a, b, (low, chance, high), (lower, upper) in (
            (row.a, row.b, chances, limits),
            (row.b, row.a, 1 - chances[::-1], -limits[::-1]),
        ):
            found[a, b] = minus_signs(
                f"On a new {unit} like these, {printable(a)} beats {printable(b)} in mean {score} "
                f"with probability {write(chance)} ({level} CI {write(low)} to {write(high)}); the "
                f"mean difference there lies between {signed(lower)} and {signed(upper)} ({level} "
                "prediction interval)."
            )
    return found
