"""Robustness of the conclusions: to each dataset and algorithm, and to missing results."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from occstats._format import Section
from occstats.comparison.decision import BETTER, UNDECIDED, WORSE, decide
from occstats.comparison.study import prepare
from occstats.errors import OccstatsError
from occstats.results.missing import POLICIES
from occstats.stats._arrays import BoolArray, FloatArray, ObjectArray

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision
    from occstats.comparison.study import Study
    from occstats.results import Results


POLICY_COLUMNS = ["policy", "algorithms", "tasks", "best", "pairs", "changed_pairs"]


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Section):
    """Conclusions without each dataset and without each algorithm.

    Attributes
    ----------
    leave_one_algorithm_out : DataFrame or None
        One row per algorithm: the best of the others without it, and how many pairs get another
        conclusion. None, like the next three, where the results are too large or too few, or where
        tests are corrected together with those of other comparisons.
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
    if decision.together:
        # Other comparisons would have to be decided again, too.
        return Stability()
    results, names, units = study.results, study.algorithms, study.sample.clusters.independent
    algorithms = datasets = influence = None
    changes = []
    if "leaving out algorithms" not in study.left_out and len(names) > 2:
        # Without the control there is nothing to compare.
        others = {
            name: results.select([other for other in names if other != name])
            for name in names
            if name != study.settings.control
        }
        found = _decide_again(decision, others)
        algorithms = _summary(found).rename(columns={"dataset": "algorithm"})
        changes.append(_changes(decision, found, "algorithm"))
    if "leaving out datasets" not in study.left_out and units.n_clusters > 1:
        rest = {
            label: results.keep_tasks(units.codes != i)
            for i, label in enumerate(units.labels.tolist())
        }
        found = _decide_again(decision, rest)
        datasets = _summary(found)
        datasets.insert(2, "best_changes", datasets["best"] != names[0])
        changes.insert(0, _changes(decision, found, results.unit))
        influence = _influence(decision, found)
    return Stability(
        leave_one_algorithm_out=algorithms,
        leave_one_dataset_out=datasets,
        changes=pd.concat(changes, ignore_index=True) if datasets is not None else None,
        influence=influence,
    )


class _Again(NamedTuple):
    """A decision with fewer results, in the order of the algorithms in the whole comparison."""

    best: str
    conclusions: ObjectArray
    changed: BoolArray
    statistic: FloatArray
    mean: FloatArray


def _decide_again(decision: Decision, parts: Mapping[str, Results]) -> dict[str, _Again]:
    """Decide for parts of the results, but for those that cannot be compared."""
    names, tested = decision.study.algorithms, decision.conclusions.astype(bool)
    settings = replace(decision.settings, algorithms=None, engine="native")
    found = {}
    for label, results in parts.items():
        try:
            left = _decide_near(prepare(results, settings), decision)
        except OccstatsError:
            continue
        place = [names.index(name) for name in left.study.algorithms]
        square = np.ix_(place, place)
        conclusions = decision.conclusions.copy()
        # A pair that loses its test becomes undecided.
        conclusions[square] = np.where(left.conclusions.astype(bool), left.conclusions, UNDECIDED)
        conclusions[~tested] = None
        statistic, mean = np.full((2, *tested.shape), np.nan)
        statistic[square], mean[square] = left.tests.statistic, left.mean
        changed = conclusions != decision.conclusions
        found[label] = _Again(left.study.algorithms[0], conclusions, changed, statistic, mean)
    return found


def _decide_near(study: Study, decision: Decision) -> Decision:
    """Decide, faster if the critical value of max-T is not much below that of another decision."""
    critical = decision.tests.critical
    floor = 0.97 * np.max(critical, where=np.isfinite(critical), initial=0.0)
    found = decide(study, floor=floor)
    return decide(study) if (found.tests.critical == floor).any() else found


def _summary(found: Mapping[str, _Again]) -> pd.DataFrame:
    rows = [
        (label, again.best, np.count_nonzero(np.triu(again.changed)))
        for label, again in found.items()
    ]
    return pd.DataFrame(rows, columns=["dataset", "best", "conclusions_changed"])


def _changes(decision: Decision, found: Mapping[str, _Again], kind: str) -> pd.DataFrame:
    names, before = decision.study.algorithms, decision.conclusions
    rows = [
        (kind, label, names[a], names[b], before[a, b], again.conclusions[a, b])
        for label, again in found.items()
        for a, b in np.argwhere(np.triu(again.changed))
    ]
    columns = ["left_out", "name", "a", "b", "conclusion", "conclusion_without"]
    return pd.DataFrame(rows, columns=columns)


def _influence(decision: Decision, found: Mapping[str, _Again]) -> pd.DataFrame:
    pairs = np.triu_indices(len(decision.p), 1)
    frame = decision.study.unordered_pairs({"mean_difference": decision.mean})
    means = np.array([again.mean[pairs] for again in found.values()])
    moved = np.abs(frame["mean_difference"].to_numpy() - means)
    driver = np.argmax(np.nan_to_num(moved, nan=-1.0), axis=0), np.arange(len(frame))
    statistics = np.array([again.statistic[pairs] for again in found.values()])
    changed = [again.changed[pairs] for again in found.values()]
    labels = np.array(list(found), dtype=object)[driver[0]]
    labels[np.isnan(means[driver])] = None
    return frame.assign(
        dataset=labels,
        mean_difference_without=means[driver],
        influence=frame["mean_difference"] - means[driver],
        statistic=decision.tests.statistic[pairs],
        statistic_without=statistics[driver],
        datasets_that_change=np.sum(changed, axis=0),
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
