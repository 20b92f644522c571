"""Design of the benchmark: smallest p-value, detectable differences, datasets needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import Section
from occstats.comparison.decision import least_p
from occstats.stats._arrays import FloatArray
from occstats.stats.power import minimal_detectable_difference, smallest_p

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision
    from occstats.comparison.study import Study
    from occstats.stats.sample import PairBlock


WANTED_POWER = 0.8


@dataclass(frozen=True, eq=False, repr=False)
class Design(Section):
    """The differences that a benchmark of this size can show.

    Attributes
    ----------
    n_clusters : int
        Independent units: datasets, or the suites that they come in.
    family_size : int
        Tests that are corrected together.
    wanted_power : float
        Power of the detectable differences and of the numbers of datasets.
    smallest_p : float
        Smallest p-value that the test can give with this number of datasets; 0 for means.
    smallest_p_corrected : float
        The same after the correction, at most 1.
    possible : bool
        Whether that is at most alpha, so that a difference can be shown at all.
    datasets_needed : int
        The fewest datasets with which it is.
    detectable : DataFrame
        One row per unordered pair: the minimal detectable mean difference, at the level alpha and
        at the strictest corrected level, with the observed one; the pair's smallest p-values.
    """

    n_clusters: int
    family_size: int
    wanted_power: float
    smallest_p: float
    smallest_p_corrected: float
    possible: bool
    datasets_needed: int
    detectable: pd.DataFrame


def study_design(study: Study, decision: Decision) -> Design:
    """Return the differences that this benchmark can detect."""
    size = decision.family_size
    return Design(
        n_clusters=study.n_clusters,
        family_size=size,
        wanted_power=WANTED_POWER,
        smallest_p=least_p(study.n_clusters, study.settings),
        smallest_p_corrected=decision.smallest_p,
        possible=decision.possible,
        datasets_needed=decision.datasets_needed,
        detectable=_detectable(study, size),
    )


def _detectable(study: Study, size: int) -> pd.DataFrame:
    settings, alternative = study.settings, study.settings.alternative
    parts = [_spread(block) for block in study.sample.blocks()]
    m, centre, spread, useful = np.concatenate(parts, axis=1)

    def detectable(alpha: float) -> FloatArray:
        return minimal_detectable_difference(
            spread, m, alpha=alpha, power=WANTED_POWER, alternative=alternative
        )

    by_ranks = settings.estimand == "typical"
    columns = {
        "n_clusters": m.astype(np.int64),
        "clusters_with_difference": useful.astype(np.int64),
        "sd_between_datasets": spread,
        "standard_error": spread / np.sqrt(np.maximum(m, 1)),
        "mean_difference": np.where(m > 0, centre, np.nan),
        "minimal_detectable": detectable(settings.alpha),
        "minimal_detectable_corrected": detectable(settings.alpha / size),
        **{
            name: smallest_p(useful, null=null, alternative=alternative) if by_ranks else 0.0 * m
            for name, null in (("smallest_p", "exact"), ("smallest_p_asymptotic", "asymptotic"))
        },
    }
    return study.unordered_pairs(columns)


def _spread(block: PairBlock) -> FloatArray:
    """Return datasets, mean and spread of their mean differences, and how many differ.

    Where datasets come in suites, these are counted, and the spread is that of the sums of their
    deviations from the mean divided by the mean number of datasets, so that divided by the root of
    the number of suites it is the standard error.
    """
    clusters, units = block.clusters, block.clusters.units
    means = block.cluster_means
    present = ~np.isnan(means)
    n, m = present.sum(axis=0), (units.sums(present) > 0).sum(axis=0)
    centre = np.nansum(means, axis=0) / np.maximum(n, 1)
    squares = (units.sums(np.where(present, means - centre, 0.0)) ** 2).sum(axis=0)
    spread = np.sqrt(np.divide(squares, m - 1, out=np.full(len(m), np.nan), where=m > 1))
    spread *= m / np.maximum(n, 1)
    useful = np.sum(clusters.independent.sums(np.nan_to_num(block.grid) != 0) > 0, axis=0)
    return np.stack([m, centre, spread, useful])
