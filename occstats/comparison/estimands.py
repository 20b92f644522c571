"""Whether a conclusion hangs on what counts alike: tasks, data sets, or neither."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.comparison.pairs import conclusions, unordered_pairs
from occstats.stats.estimands import WEIGHTINGS, weighted_tests
from occstats.text import count, printable

if TYPE_CHECKING:
    from occstats.comparison.rule import Rule
    from occstats.comparison.sample import Study

__all__ = ["estimand_frame", "estimand_notes"]

CONCLUSIONS = [f"conclusion_{weighting}" for weighting in WEIGHTINGS]
# Flips × pairs × data sets.
BUDGET = 1e10
LEAST_FLIPS = 999
MOST_SHOWN = 3


def estimand_frame(study: Study, rule: Rule) -> pd.DataFrame | None:
    """Mean difference and conclusion of each unordered pair under every weighting.

    None where all data sets (or suites) have one task, so that all weights are the same, where the
    test takes tasks for independent, and where flipping would take too long.
    """
    sample, settings, m = study.sample, study.settings, study.n_clusters
    flips = min(settings.n_resamples, int(BUDGET / max(1, 3 * sample.n_pairs * m)))
    if sample.n_tasks == m or not settings.clustered or m < 2:
        return None
    if flips < min(LEAST_FLIPS, settings.n_resamples):
        return None
    found = weighted_tests(
        sample, control=study.control, n_resamples=flips, random_state=settings.random_state
    )
    columns: dict[str, npt.NDArray[Any]] = {}
    for weighting, tests in found.items():
        with np.errstate(invalid="ignore"):
            better = (tests.p <= rule.alpha) & (tests.z > 0) & rule.possible
        columns[f"difference_{weighting}"] = tests.difference
        columns[f"p_{weighting}"] = tests.p
        columns[f"conclusion_{weighting}"] = conclusions(better, ~np.isnan(tests.p))
    return unordered_pairs(study.algorithms, columns)


def estimand_notes(frame: pd.DataFrame | None) -> Iterator[str]:
    """Which conclusions depend on the weighting."""
    if frame is None:
        return
    found = [frame[column].to_numpy(dtype=object) for column in CONCLUSIONS]
    differs = np.zeros(len(frame), dtype=bool)
    for one, other in combinations(found, 2):
        differs |= (one != other) & ~pd.isna(one) & ~pd.isna(other)
    differing = frame[differs]
    if differing.empty:
        return
    tested = int(frame[CONCLUSIONS].notna().any(axis=1).sum())
    shown = differing[["a", "b"]].head(MOST_SHOWN).itertuples(index=False)
    described = [f"{printable(a)} and {printable(b)}" for a, b in shown]
    if len(differing) > MOST_SHOWN:
        described.append(f"{len(differing) - MOST_SHOWN} more")
    yield (
        f"{len(differing)} of {count(tested, 'conclusion')} "
        f"depend{'s' * (len(differing) == 1)} on what counts alike (tasks, data "
        f"sets, or by precision; table 'estimands'): {'; '.join(described)}."
    )
