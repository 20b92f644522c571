"""Missing results: the conclusions under the other policies for them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats.comparison.decision import BETTER, WORSE, decide
from occstats.comparison.pairs import ordered_pairs
from occstats.comparison.study import prepare
from occstats.errors import OccstatsError
from occstats.results.missing import POLICIES

if TYPE_CHECKING:
    from occstats.comparison.study import Study
    from occstats.results import Results

__all__ = ["Gaps", "study_gaps"]

COLUMNS = ("policy", "algorithms", "tasks", "best", "pairs", "changed_pairs")


@dataclass(frozen=True, eq=False)
class Gaps:
    """The number of missing results, and the conclusions under other policies for them.

    Attributes
    ----------
    cells, of : int
        The number of cells without a score, and of all cells.
    policies : DataFrame
        One row for each other policy that can be applied: the algorithms and tasks that it leaves,
        the best algorithm, the pairs that it shares with the chosen policy, and how many of these
        have another conclusion. No rows where there are too many pairs to try.
    """

    cells: int
    of: int
    policies: pd.DataFrame


def study_gaps(results: Results, study: Study, pairwise: pd.DataFrame) -> Gaps | None:
    """Decide under the other policies; None where nothing is missing."""
    if study.settings.algorithms is not None:
        results = results.select(study.settings.algorithms)
    absent = results.scores.isna().to_numpy()
    if not absent.any():
        return None
    rows = []
    for policy in POLICIES if study.within.posthoc else ():
        if policy in {"refuse", study.settings.missing.partition("=")[0]}:
            continue
        # A policy that leaves nothing to compare is left out.
        with contextlib.suppress(OccstatsError):
            rows.append(_outcome(results, study, pairwise, policy))
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return Gaps(int(absent.sum()), absent.size, frame)


def _outcome(
    results: Results, study: Study, pairwise: pd.DataFrame, policy: str
) -> tuple[str, int, int, str, int, int]:
    other = prepare(results, replace(study.settings, missing=policy, engine="native"))
    frame = ordered_pairs(other.algorithms, {"conclusion": decide(other).conclusions})
    keys = ["a", "b", "conclusion"]
    both = pairwise[keys].merge(frame[keys], on=["a", "b"], suffixes=("", "_other"))
    # Each tested pair once.
    both = both[(both["a"] < both["b"]) & both["conclusion"].notna()]
    # Undecided, equivalent and not tested are the same here: no difference is shown.
    shown = [both[name].where(both[name].isin([BETTER, WORSE]), "") for name in both.columns[2:]]
    changed = int(np.count_nonzero(shown[0].to_numpy() != shown[1].to_numpy()))
    left = other.results
    return policy, len(left.algorithms), left.n_tasks, other.algorithms[0], len(both), changed
