"""What the settings of a comparison mean for the statistics: test, family."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from occstats.stats.baselines import cluster_means_pairs, plain_wilcoxon_pairs
from occstats.stats.signed_rank_pairs import PairwiseTests, clustered_wilcoxon_pairs

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.results import Results

__all__ = [
    "asymptotic_tests",
    "complete_tasks",
    "family_size",
    "native_test",
]


def family_size(results: Results, settings: Settings) -> int:
    """How many tests are corrected for together; 1 without a correction."""
    k = len(results.algorithms)
    if settings.correction == "none":
        return 1
    if settings.family == "all":
        return k * (k - 1) // (2 if settings.alternative == "two-sided" else 1)
    return k - 1


def native_test(settings: Settings) -> Callable[..., PairwiseTests]:
    """The function that computes the chosen test of all pairs."""
    if settings.test == "wilcoxon":
        return plain_wilcoxon_pairs
    if settings.test == "dataset-means":
        return cluster_means_pairs
    return partial(clustered_wilcoxon_pairs, method=settings.test)


def asymptotic_tests(
    results: Results, settings: Settings, tests: PairwiseTests | None = None
) -> PairwiseTests:
    """The chosen test with its normal approximation, native: ``tests`` where they are just that."""
    native = settings.engine in ("native", "both")
    if tests is not None and settings.null == "asymptotic" and native:
        return tests
    return native_test(settings)(
        results.oriented,
        results.clusters,
        null="asymptotic",
        alternative=settings.alternative,
        tie_tolerance=settings.tie_tolerance,
    )


def complete_tasks(results: Results) -> npt.NDArray[np.bool_]:
    """Which tasks all algorithms have."""
    return np.asarray(~np.isnan(results.oriented).any(axis=1))
