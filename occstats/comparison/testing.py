"""The tests of all pairs under the settings, by whichever engine, as one tidy frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from occstats.comparison.choices import control_position
from occstats.comparison.settings import Settings
from occstats.engines import ENGINES
from occstats.results import Results
from occstats.stats.multiplicity import AdjustedP, adjust_pairs
from occstats.stats.sample import Sample
from occstats.stats.signed_rank_pairs import PairwiseTests

__all__ = ["PairTests", "ordered_pairs", "run_tests"]


@dataclass(frozen=True, eq=False)
class PairTests:
    """Tests and corrected p-values of all ordered pairs, and who computed them."""

    tests: PairwiseTests
    adjusted: AdjustedP
    engine: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def run_tests(results: Results, settings: Settings) -> PairTests:
    """Test every ordered pair of algorithms and correct for the number of tests."""
    tests, engine, notes = _run(results, settings)
    adjusted = adjust_pairs(
        tests.p,
        family=settings.family,
        method=settings.correction,
        control=control_position(results, settings),
        alternative=settings.alternative,
    )
    return PairTests(tests, adjusted, engine, (*notes, *_reasons(tests, results.algorithms)))


def _run(
    results: Results, settings: Settings
) -> tuple[PairwiseTests, dict[str, Any], tuple[str, ...]]:
    sample = Sample.of(results.oriented, results.clusters, tie_tolerance=settings.tie_tolerance)
    found = ENGINES[settings.engine].run(
        sample,
        test=settings.test,
        null=settings.null,
        alternative=settings.alternative,
        n_resamples=settings.n_resamples,
        random_state=settings.random_state,
        names=results.algorithms,
    )
    return found.tests, found.record, found.notes


def _reasons(tests: PairwiseTests, names: list[str]) -> tuple[str, ...]:
    """Why there is no test, and what else there is to know: once per sentence, with its pairs."""
    pairs_of: dict[str, list[str]] = {}
    for found in (tests.reasons, tests.notes):
        for (a, b), sentence in found.items():
            if a < b:
                pairs_of.setdefault(sentence, []).append(f"{names[a]} and {names[b]}")
    total = len(names) * (len(names) - 1) // 2
    notes = []
    for sentence, pairs in pairs_of.items():
        shown = "; ".join(pairs[:3]) + (f" and {len(pairs) - 3} more" if len(pairs) > 3 else "")
        where = "all pairs" if len(pairs) == total else shown
        notes.append(f"{where}: {sentence.rstrip('.')}.")
    return tuple(notes)


def ordered_pairs(results: Results, found: PairTests) -> pd.DataFrame:
    """One row per ordered pair: the test, the corrected p-values and the mean difference."""
    names = np.array(results.algorithms, dtype=object)
    a, b = np.nonzero(~np.eye(len(names), dtype=bool))
    tests = found.tests
    both = results.tasks_per_pair.to_numpy()
    return pd.DataFrame(
        {
            "a": names[a],
            "b": names[b],
            "statistic": tests.statistic[a, b],
            "z": tests.z[a, b],
            "p": tests.p[a, b],
            "p_adjusted": found.adjusted.clipped[a, b],
            "p_adjusted_unclipped": found.adjusted.unclipped[a, b],
            "n_tasks": both[a, b],
            "n_clusters": _clusters_per_pair(results)[a, b],
            "mean_difference": mean_differences(results)[a, b],
            "icc": tests.intraclass_correlation[a, b],
        }
    )


def _clusters_per_pair(results: Results) -> np.ndarray:
    """Data sets that have a task on which both algorithms have a score."""
    present = ~np.isnan(results.oriented)
    k = present.shape[1]
    if present.all():
        return np.full((k, k), results.n_clusters)
    codes, labels = pd.factorize(results.clusters)
    counts = np.zeros((k, k), dtype=np.int64)
    for cluster in range(len(labels)):
        inside = present[codes == cluster].astype(np.float64)
        counts += (inside.T @ inside) > 0
    return counts


def mean_differences(results: Results) -> np.ndarray:
    """Weighted mean of a − b, positive where a is better, over the tasks that both have."""
    scores = results.oriented
    present = ~np.isnan(scores)
    if present.all():
        means = results.weights @ scores
        return np.asarray(means[:, None] - means[None, :])
    from occstats.stats.weights import cluster_weights

    k = scores.shape[1]
    differences = np.full((k, k), np.nan)
    for a in range(k):
        for b in range(a + 1, k):
            both = present[:, a] & present[:, b]
            if both.any():
                weights = cluster_weights(results.clusters[both])
                differences[a, b] = weights @ (scores[both, a] - scores[both, b])
                differences[b, a] = -differences[a, b]
    return differences
