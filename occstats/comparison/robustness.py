"""Stability of the conclusions when a dataset or an algorithm is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.comparison.decision import conclusions
from occstats.comparison.pairs import unordered_pairs
from occstats.stats.leave_one_out import (
    LeaveOneAlgorithmOut,
    LeaveOneClusterOut,
    leave_one_algorithm_out,
    leave_one_cluster_out,
)

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision
    from occstats.comparison.study import Study

__all__ = ["Stability", "study_stability"]

Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stability:
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

    def _repr_html_(self) -> str:
        from occstats.report.notebook import section_to_html

        return section_to_html(self)


def study_stability(study: Study, decision: Decision) -> Stability:
    """Leave out datasets and algorithms in turn, and decide again."""
    settings, names, estimand = study.settings, study.algorithms, study.settings.estimand or ""
    sample = study.tested if estimand == "typical" else study.sample
    scale = 1.0 if estimand == "typical" else study.scale
    without_algorithm, algorithms = None, None
    if study.within.without_algorithms:
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
    if not study.within.leave_out:
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
        influence=_influence(names, without_dataset),
    )


def _best(standing: npt.NDArray[np.float64], names: Sequence[str]) -> npt.NDArray[np.object_]:
    """Return the algorithm with the lowest standing in each row; the first of equal ones."""
    known = ~np.isnan(standing).all(axis=1)
    best = np.full(len(standing), None, dtype=object)
    lowest = np.nanargmin(standing[known].round(12), axis=1)
    best[known] = np.array(names, dtype=object)[lowest]
    return best


def _count(changed: Booleans) -> npt.NDArray[np.intp]:
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
        ("suite" if study.results.nested else "dataset", datasets.labels.tolist(), datasets),
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


def _influence(names: Sequence[str], found: LeaveOneClusterOut) -> pd.DataFrame:
    first, second = np.triu_indices(len(names), 1)
    driver = found.drivers[first, second]
    with_all = found.all_mean_difference[first, second]
    without = found.mean_difference[driver, first, second]
    frame = unordered_pairs(names, {"mean_difference": found.all_mean_difference})
    return frame.assign(
        dataset=found.labels.astype(object)[driver],
        mean_difference_without=without,
        influence=with_all - without,
        statistic=found.all_z[first, second],
        statistic_without=found.z[driver, first, second],
        datasets_that_change=found.changed.sum(axis=0)[first, second],
    )
