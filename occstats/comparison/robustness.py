"""Robustness of the conclusions: to each dataset and algorithm, and to missing results."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import Section
from occstats.comparison.decision import BETTER, UNDECIDED, WORSE, decide
from occstats.comparison.study import prepare
from occstats.errors import OccstatsError
from occstats.results.missing import POLICIES

if TYPE_CHECKING:
    from occstats.comparison.decision import Decision
    from occstats.comparison.study import Study
    from occstats.results import Results

PAIR = ["a", "b"]


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Section):
    """Conclusions without each dataset (or suite) and without each algorithm.

    The first two frames have one row for each; `changes` has one for each pair whose conclusion
    changes, and `influence` one per pair, with the dataset that moves its mean difference most.
    They are None where results are too large or too few, or corrected together with those of other
    comparisons.
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
    algorithms = datasets = influence = changes = None
    if "leaving out algorithms" not in study.left_out and len(names) > 2:
        # Without the control there is nothing to compare.
        others = {
            name: results.select([other for other in names if other != name])
            for name in names
            if name != study.settings.control
        }
        without = _decide_again(decision, others)
        algorithms, changes = _summary(without, "algorithm"), _changes(without, "algorithm")
    if "leaving out datasets" not in study.left_out and units.n_clusters > 1:
        rest = {
            label: results.keep_tasks(units.codes != i)
            for i, label in enumerate(units.labels.tolist())
        }
        without = _decide_again(decision, rest)
        datasets, influence = _summary(without, "dataset"), _influence(without)
        datasets.insert(2, "best_changes", datasets["best"] != names[0])
        changes = pd.concat([_changes(without, results.unit), changes], ignore_index=True)
    return Stability(algorithms, datasets, None if datasets is None else changes, influence)


def _decide_again(decision: Decision, parts: Mapping[str, Results]) -> pd.DataFrame:
    """Decide for parts of the results: one row per part and pair, with the whole decision."""
    settings = replace(decision.settings, algorithms=None, engine="native")
    # Faster if the critical value of max-T is not much below that of the whole.
    critical = decision.tests.critical
    floor, rows = 0.97 * np.max(critical, where=np.isfinite(critical), initial=0.0), []
    for label, results in parts.items():
        with contextlib.suppress(OccstatsError):  # a part that cannot be compared
            left = decide(prepare(results, settings), floor=floor)
            if (left.tests.critical == floor).any():
                left = decide(left.study)
            names = [name for name in decision.study.algorithms if name in left.study.algorithms]
            a, b = np.array(names, dtype=object)[list(combinations(range(len(names)), 2))].T
            pairs = {f"{name}_without": values for name, values in _pairs(left, names).items()}
            part = np.full((len(a), 2), [label, left.study.algorithms[0]], dtype=object).T
            texts = dict(zip(("name", "best", "a", "b"), (*part, a, b), strict=True))
            rows.append(texts | _pairs(decision, names) | pairs)
    found = pd.DataFrame({name: np.concatenate([part[name] for part in rows]) for name in rows[0]})
    tested = found["conclusion"].notna()
    # A pair that loses its test becomes undecided.
    without = found["conclusion_without"].where(found["conclusion_without"].notna(), UNDECIDED)
    changed = tested & (without != found["conclusion"])
    return found.assign(conclusion_without=without, changed=changed)


def _pairs(decision: Decision, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the decision about pairs of these algorithms, the first before the second."""
    places = np.array([decision.study.algorithms.index(name) for name in names])
    pair = tuple(places[list(combinations(range(len(names)), 2))].T)
    matrices = {
        "conclusion": decision.conclusions,
        "mean_difference": decision.mean,
        "statistic": decision.tests.statistic,
    }
    return {name: matrix[pair] for name, matrix in matrices.items()}


def _summary(found: pd.DataFrame, kind: str) -> pd.DataFrame:
    by_part = found.groupby("name", sort=False).agg({"best": "first", "changed": "sum"})
    return by_part.reset_index().set_axis([kind, "best", "conclusions_changed"], axis=1)


def _changes(found: pd.DataFrame, kind: str) -> pd.DataFrame:
    columns = ["left_out", "name", *PAIR, "conclusion", "conclusion_without"]
    return found[found["changed"]].assign(left_out=kind)[columns]


def _influence(found: pd.DataFrame) -> pd.DataFrame:
    found["influence"] = found["mean_difference"] - found["mean_difference_without"]
    pairs = found.groupby(PAIR, sort=False)
    found["datasets_that_change"] = pairs["changed"].transform("sum")
    size = found["influence"].abs().fillna(-1.0)
    most = size.groupby([found["a"], found["b"]]).transform("max")
    # Of equal influences the first is taken, whatever the rounding errors.
    largest = (size >= most - 1e-9 * most.abs()).astype(int)
    first = largest.groupby([found["a"], found["b"]], sort=False).idxmax()
    frame = found.loc[first].rename(columns={"name": "dataset"})
    frame["dataset"] = frame["dataset"].where(frame["influence"].notna(), None)
    columns = ["mean_difference_without", "influence", "statistic", "statistic_without"]
    return frame[
        [*PAIR, "mean_difference", "dataset", *columns, "datasets_that_change"]
    ].reset_index(drop=True)


@dataclass(frozen=True, eq=False, repr=False)
class Gaps(Section):
    """The cells without a score, of all cells, and the conclusions under other policies for them.

    `policies` has one row for each other policy that can be applied: the algorithms and tasks that
    it leaves, the best algorithm, the pairs that it shares with the chosen policy, and how many of
    these have another conclusion.
    """

    cells: int
    of: int
    policies: pd.DataFrame


def study_gaps(results: Results, decision: Decision) -> Gaps | None:
    """Decide under the other policies; None where nothing is missing."""
    study, settings = decision.study, decision.settings
    if settings.algorithms is not None:
        results = results.select(settings.algorithms)
    absent = results.scores.isna().to_numpy()
    if not absent.any():
        return None
    own = decide(study) if decision.together else decision
    before, rows = study.unordered_pairs({"conclusion": own.conclusions}).dropna(), []
    for policy in POLICIES:
        if policy in {"refuse", settings.missing.partition("=")[0]}:
            continue
        with contextlib.suppress(OccstatsError):  # a policy that leaves nothing to compare
            other = prepare(results, replace(settings, missing=policy, engine="native"))
            after = other.ordered_pairs({"conclusion": decide(other).conclusions})
            both = before.merge(after, on=PAIR)[["conclusion_x", "conclusion_y"]]
            # Undecided, equivalent and not tested are the same here: no difference is shown.
            shown = both.where(both.isin([BETTER, WORSE]), "")
            changed = (shown["conclusion_x"] != shown["conclusion_y"]).sum()
            left, best = other.results, other.algorithms[0]
            rows.append((policy, len(left.algorithms), left.n_tasks, best, len(both), changed))
    columns = ["policy", "algorithms", "tasks", "best", "pairs", "changed_pairs"]
    return Gaps(int(absent.sum()), absent.size, pd.DataFrame(rows, columns=columns))
