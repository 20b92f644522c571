"""Robustness of the conclusions: to each dataset and algorithm, and to missing results."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import Section
from occstats.comparison.decision import BETTER, WORSE, conclusions, decide
from occstats.comparison.study import prepare
from occstats.errors import OccstatsError
from occstats.results.missing import POLICIES
from occstats.stats._arrays import BoolArray, FloatArray, IntArray, ObjectArray
from occstats.stats.leave_one_out import (
    LeaveOneAlgorithmOut,
    LeaveOneClusterOut,
    leave_one_algorithm_out,
    leave_one_cluster_out,
)

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision
    from occstats.comparison.study import Study
    from occstats.results import Results

__all__ = ["Gaps", "Stability", "study_gaps", "study_stability"]

POLICY_COLUMNS = ["policy", "algorithms", "tasks", "best", "pairs", "changed_pairs"]


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Section):
    """Conclusions without each dataset and without each algorithm.

    Attributes
    ----------
    leave_one_algorithm_out : DataFrame or None
        One row per algorithm: the best of the others without it, and how many pairs get another
        conclusion. None, like the next three, where the results are too large.
    leave_one_dataset_out : DataFrame or None
        The same without each dataset, and whether the best algorithm changes. Where datasets come
        in suites, whole suites are left out, here and below.
    changes : DataFrame or None
        One row per pair and left-out dataset or algorithm that changes its conclusion.
    influence : DataFrame or None
        One row per pair: the dataset that moves its mean difference most, and how many datasets
        can change its conclusion.
    """

    leave_one_algorithm_out: pd.DataFrame | None = None
    leave_one_dataset_out: pd.DataFrame | None = None
    changes: pd.DataFrame | None = None
    influence: pd.DataFrame | None = None


def study_stability(study: Study, decision: Decision) -> Stability:
    """Leave out datasets and algorithms in turn, and decide again."""
    settings, names, estimand = study.settings, study.algorithms, study.settings.estimand or ""
    sample = study.compared
    scale = 1.0 if estimand == "typical" else study.scale
    without_algorithm, algorithms = None, None
    if "leaving out algorithms" not in study.left_out:
        tests = decision.tests
        without_algorithm = leave_one_algorithm_out(
            tests.statistic,
            tests.p_unadjusted,
            sample,
            None,
            decision.better_by,
            estimand=estimand,
        )
        algorithms = pd.DataFrame(
            {
                "algorithm": names,
                "best": _best(without_algorithm.standing / scale, names),
                "conclusions_changed": _count(without_algorithm.changed),
            }
        )
    if "leaving out datasets" in study.left_out:
        return Stability(leave_one_algorithm_out=algorithms)
    without_dataset = leave_one_cluster_out(
        sample,
        None,
        decision.better_by,
        estimand=estimand,
        test=settings.test,
        alternative=settings.alternative,
        p=decision.tests.p_unadjusted,
    )
    best = _best(without_dataset.standing / scale, names)
    datasets = pd.DataFrame(
        {
            "dataset": without_dataset.labels.astype(object),
            "best": best,
            "best_changes": best != names[0],
            "conclusions_changed": _count(without_dataset.changed),
        }
    )
    return Stability(
        leave_one_dataset_out=datasets,
        leave_one_algorithm_out=algorithms,
        changes=_changes(study, decision, without_dataset, without_algorithm),
        influence=_influence(study, without_dataset),
    )


def _best(standing: FloatArray, names: Sequence[str]) -> ObjectArray:
    """Return the algorithm with the lowest standing in each row; the first of equal ones."""
    known = ~np.isnan(standing).all(axis=1)
    best = np.full(len(standing), None, dtype=object)
    lowest = np.nanargmin(standing[known].round(12), axis=1)
    best[known] = np.array(names, dtype=object)[lowest]
    return best


def _count(changed: BoolArray) -> IntArray:
    return np.asarray(changed.sum(axis=(1, 2)) // 2)


def _changes(
    study: Study,
    decision: Decision,
    datasets: LeaveOneClusterOut,
    algorithms: LeaveOneAlgorithmOut | None,
) -> pd.DataFrame:
    names = study.algorithms
    tested = ~np.isnan(decision.p)
    rows = []
    for kind, labels, found in (
        (study.results.unit, datasets.labels.tolist(), datasets),
        ("algorithm", names, algorithms),
    ):
        if found is None:
            continue
        for label, better, changed in zip(labels, found.better, found.changed, strict=True):
            without = conclusions(better, tested)
            rows += [
                (kind, label, names[a], names[b], decision.conclusions[a, b], without[a, b])
                for a, b in np.argwhere(np.triu(changed))
            ]
    columns = ["left_out", "name", "a", "b", "conclusion", "conclusion_without"]
    return pd.DataFrame(rows, columns=columns)


def _influence(study: Study, found: LeaveOneClusterOut) -> pd.DataFrame:
    first, second = np.triu_indices(len(study.algorithms), 1)
    driver = found.drivers[first, second]
    with_all = found.all_mean_difference[first, second]
    without = found.mean_difference[driver, first, second]
    frame = study.unordered_pairs({"mean_difference": found.all_mean_difference})
    return frame.assign(
        dataset=found.labels.astype(object)[driver],
        mean_difference_without=without,
        influence=with_all - without,
        statistic=found.all_z[first, second],
        statistic_without=found.z[driver, first, second],
        datasets_that_change=found.changed.sum(axis=0)[first, second],
    )


@dataclass(frozen=True, eq=False, repr=False)
class Gaps(Section):
    """The number of missing results, and the conclusions under other policies for them.

    Attributes
    ----------
    cells, of : int
        The number of cells without a score, and of all cells.
    policies : DataFrame
        One row for each other policy that can be applied: the algorithms and tasks that it leaves,
        the best algorithm, the pairs that it shares with the chosen policy, and how many of these
        have another conclusion.
    """

    cells: int
    of: int
    policies: pd.DataFrame


def study_gaps(results: Results, decision: Decision) -> Gaps | None:
    """Decide under the other policies; None where nothing is missing."""
    study = decision.study
    if study.settings.algorithms is not None:
        results = results.select(study.settings.algorithms)
    absent = results.scores.isna().to_numpy()
    if not absent.any():
        return None
    rows = []
    for policy in POLICIES:
        if policy in {"refuse", study.settings.missing.partition("=")[0]}:
            continue
        # A policy that leaves nothing to compare is left out.
        with contextlib.suppress(OccstatsError):
            rows.append(_outcome(results, decision, policy))
    frame = pd.DataFrame(rows, columns=POLICY_COLUMNS)
    return Gaps(int(absent.sum()), absent.size, frame)


def _outcome(
    results: Results, decision: Decision, policy: str
) -> tuple[str, int, int, str, int, int]:
    other = prepare(results, replace(decision.settings, missing=policy, engine="native"))
    own = decide(decision.study) if decision.together else decision
    both = decision.study.ordered_pairs({"conclusion": own.conclusions}).merge(
        other.ordered_pairs({"conclusion": decide(other).conclusions}),
        on=["a", "b"],
        suffixes=("", "_other"),
    )
    # Each tested pair once.
    both = both[(both["a"] < both["b"]) & both["conclusion"].notna()]
    # Undecided, equivalent and not tested are the same here: no difference is shown.
    shown = [both[name].where(both[name].isin([BETTER, WORSE]), "") for name in both.columns[2:]]
    changed = int(np.count_nonzero(shown[0].to_numpy() != shown[1].to_numpy()))
    left = other.results
    return policy, len(left.algorithms), left.n_tasks, other.algorithms[0], len(both), changed
