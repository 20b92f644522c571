"""What the settings of a comparison mean for the statistics: conclusions, family, level."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from occstats.stats.baselines import cluster_means_pairs, plain_wilcoxon_pairs
from occstats.stats.decisions import conclude
from occstats.stats.signed_rank_pairs import PairwiseTests, clustered_wilcoxon_pairs

if TYPE_CHECKING:
    from occstats.comparison.settings import Settings
    from occstats.results import Results

__all__ = [
    "asymptotic_tests",
    "complete_tasks",
    "conclusions",
    "control_position",
    "family_size",
    "native_test",
]

FloatArray = npt.NDArray[np.float64]
Conclusions = Callable[..., npt.NDArray[np.bool_]]


def control_position(results: Results, settings: Settings) -> int | None:
    """The column of the control, if there is one."""
    return None if settings.control is None else results.algorithms.index(settings.control)


def conclusions(results: Results, settings: Settings) -> Conclusions:
    """A function from (p, z) to the matrix "a is significantly better than b"."""
    return partial(
        conclude,
        alternative=settings.alternative,
        correction=settings.correction,
        family=settings.family,
        control=control_position(results, settings),
        alpha=settings.alpha,
    )


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
