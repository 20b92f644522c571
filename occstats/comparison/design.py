"""Design of the benchmark: smallest p-value, detectable differences, datasets needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import Section
from occstats.comparison.decision import least_p
from occstats.stats._arrays import FloatArray
from occstats.stats.clusters import mean_errors, weighted_means
from occstats.stats.means import dataset_means
from occstats.stats.power import minimal_detectable_difference

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision

WANTED_POWER = 0.8


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
