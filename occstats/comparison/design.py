"""What this benchmark can show: smallest p-value, detectable difference, data sets needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.comparison.pairs import unordered_pairs
from occstats.progress import track
from occstats.stats.pairs import mirror
from occstats.stats.power import data_sets_needed, minimal_detectable_difference, smallest_p
from occstats.stats.tests.registry import TESTS

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision
    from occstats.comparison.sample import Study
    from occstats.stats.sample import PairBlock

__all__ = ["Design", "study_design"]

FloatArray = npt.NDArray[np.float64]
WANTED_POWER = 0.8
SIMULATED_BENCHMARKS = 1_000


@dataclass(frozen=True, eq=False)
class Design:
    """The reach of the benchmark.

    Attributes
    ----------
    n_clusters : int
        Data sets, or the suites that they come in: what is independent, here as below.
    family_size : int
        Tests that are corrected for together.
    wanted_power : float
        Power that the detectable differences and the numbers of data sets are for.
    smallest_p : float
        Smallest p-value that flipping the signs of all data sets can give.
    smallest_p_corrected : float
        The same after the correction that the conclusions rest on, at most 1.
    datasets_needed : int
        The fewest data sets with which it can be as small as alpha.
    detectable : DataFrame
        One row per unordered pair: the minimal detectable difference, at the level alpha and at the
        strictest corrected level, beside the observed one; the pair's smallest p-values.
    power : DataFrame or None
        One row per unordered pair: the power of this benchmark and the data sets needed. None
        unless depth was asked for.
    notes : tuple of str
        Warnings.
    """

    n_clusters: int
    family_size: int
    wanted_power: float
    smallest_p: float
    smallest_p_corrected: float
    datasets_needed: int
    detectable: pd.DataFrame
    power: pd.DataFrame | None = None
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        from occstats.report.fragment import section_to_html

        return section_to_html(self)


def study_design(study: Study, decision: Decision, *, progress: bool | None = None) -> Design:
    """What differences this benchmark can detect and, with depth, how large it would have to be."""
    units, size = study.n_clusters, decision.family_size
    return Design(
        n_clusters=study.n_clusters,
        family_size=size,
        wanted_power=WANTED_POWER,
        smallest_p=float(smallest_p(units, alternative=study.settings.alternative)),
        smallest_p_corrected=decision.smallest_p,
        datasets_needed=decision.datasets_needed,
        detectable=_detectable(study, size),
        power=_power(study, size, progress) if study.settings.deep else None,
        notes=tuple(_warnings(study, decision)),
    )


def _detectable(study: Study, size: int) -> pd.DataFrame:
    settings, k, alternative = study.settings, len(study.algorithms), study.settings.alternative
    parts = [_spread(block) for block in study.sample.blocks()]
    m, centre, spread, useful = np.concatenate(parts, axis=1) if parts else np.zeros((4, 0))

    def detectable(alpha: float) -> FloatArray:
        return minimal_detectable_difference(
            spread, m, alpha=alpha, power=WANTED_POWER, alternative=alternative
        )

    columns = {
        "n_clusters": m,
        "clusters_with_difference": useful,
        "sd_between_datasets": spread,
        "standard_error": spread / np.sqrt(np.maximum(m, 1)),
        "mean_difference": np.where(m > 0, centre, np.nan),
        "minimal_detectable": detectable(settings.alpha),
        "minimal_detectable_corrected": detectable(settings.alpha / size),
        "smallest_p": smallest_p(useful, alternative=alternative),
        "smallest_p_asymptotic": smallest_p(useful, null="asymptotic", alternative=alternative),
    }
    squares_of = {name: mirror(values, values, k, 0) for name, values in columns.items()}
    frame = unordered_pairs(study.algorithms, squares_of)
    counts = ["n_clusters", "clusters_with_difference"]
    return frame.astype(dict.fromkeys(counts, np.int64))


def _spread(block: PairBlock) -> FloatArray:
    """Data sets, mean and spread of their mean differences, and how many differ: 4 × pairs.

    Where data sets come in suites, these are counted, and the spread is that of the sums of their
    deviations from the mean over the mean number of data sets, so that over the root of the number
    of suites it is the standard error.
    """
    clusters, units = block.clusters, block.clusters.units
    means = clusters.means(block.differences)
    present = ~np.isnan(means)
    n, m = present.sum(axis=0), (units.sums(present) > 0).sum(axis=0)
    centre = np.nansum(means, axis=0) / np.maximum(n, 1)
    squares = (units.sums(np.where(present, means - centre, 0.0)) ** 2).sum(axis=0)
    spread = np.sqrt(np.divide(squares, m - 1, out=np.full(len(m), np.nan), where=m > 1))
    spread *= m / np.maximum(n, 1)
    useful = np.sum(clusters.independent.sums(np.nan_to_num(block.grid) != 0) > 0, axis=0)
    return np.stack([m, centre, spread, useful])


def _power(study: Study, size: int, progress: bool | None) -> pd.DataFrame:
    settings, algorithms = study.settings, study.algorithms
    pairs = list(zip(*np.triu_indices(len(algorithms), 1), strict=True))
    scores, clusters = study.sample.scores, study.sample.clusters
    engine = TESTS[settings.test].engine
    rows = []
    for a, b in track(pairs, "power", total=len(pairs), progress=progress):
        x = scores[:, a] - scores[:, b]
        z = engine.single(x, clusters, settings.tie_tolerance).observed.z[0]
        # The question is about the direction that the test points to.
        sign = -1.0 if z < 0 else 1.0
        found = data_sets_needed(
            sign * x,
            clusters,
            power=WANTED_POWER,
            alpha=settings.alpha / size,
            alternative="two-sided" if study.settings.alternative == "two-sided" else "greater",
            test=settings.test,
            tie_tolerance=settings.tie_tolerance,
            n_resamples=SIMULATED_BENCHMARKS,
            random_state=settings.random_state,
        )
        rows.append(
            {
                "a": algorithms[a],
                "b": algorithms[b],
                "better": algorithms[a] if sign > 0 else algorithms[b],
                "n_clusters": found.n_clusters,
                "power_now": found.power_now,
                "datasets_needed": found.needed,
                "datasets_to_add": max(0.0, found.needed - found.n_clusters),
                "tried_up_to": found.limit,
            }
        )
    return pd.DataFrame(rows)


def _warnings(study: Study, decision: Decision) -> Iterator[str]:
    if study.n_clusters > 1 and not decision.possible and study.settings.null == "asymptotic":
        yield (
            f"With {study.n_clusters} {study.results.unit}s no sign-flip test gives a corrected "
            f"p-value below {decision.smallest_p:.2g}: smaller ones rest on the normal "
            "approximation alone."
        )
