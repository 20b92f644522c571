"""Effects of tasks: ranks by task, difficulty and traits; tests by fold; complementary pairs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import listing
from occstats.stats._arrays import BoolArray
from occstats.stats.bayes import correlated_t
from occstats.stats.corrections import adjust
from occstats.stats.regression import weighted_regression
from occstats.stats.strata import rank_strata

if TYPE_CHECKING:
    from occstats.comparison.study import Study
    from occstats.results import Results


#: The terms of common traits of tasks; log_ is a logarithm.
TRAITS = {"n": "log_n", "m": "log_m", "sparsity": "sparsity"}
REGRESSION = [
    "algorithm", "term", "coefficient", "se", "df", "p", "p_unadjusted", "ci_low", "ci_high",
]  # fmt: skip


def strata_frame(study: Study) -> pd.DataFrame:
    """Return mean ranks by difficulty, the hardest tasks first; bounds as scores."""
    found = rank_strata(
        study.ranks,
        np.median(study.sample.complete_cases.scores, axis=1),
        study.sample.complete_cases.clusters,
    )
    if not study.results.higher_is_better:
        found[["low", "high"]] = 0.0 - found[["high", "low"]].to_numpy()
    names = np.array(study.algorithms, dtype=object)
    return found.assign(algorithm=names[found["algorithm"]]).drop(columns="weight")


def regression_frame(study: Study) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Regress each algorithm's rank on the tasks' traits and median score (higher is easier).

    ``p`` is corrected by Holm over algorithms and terms together, except with the preset of the
    paper, which prints uncorrected values. The intercept answers no question: it is not in the
    family, and its ``p`` is NaN. Traits that are absent or constant are left out and noted.
    """
    traits, settings = study.complete_results.traits, study.settings
    sample = study.sample.complete_cases
    logged = [name for name in ("n", "m") if name in traits]
    known = (traits.notna().all(axis=1) & (traits[logged] > 0).all(axis=1)).to_numpy()
    usable = traits[known]
    varying = [str(name) for name in usable if usable[name].nunique() > 1]
    notes = _notes(traits, known, varying)
    empty = pd.DataFrame(columns=pd.Index(REGRESSION))
    if not known.any():
        return empty, (*notes, "There is no regression: no task has all traits.")
    scores = sample.scores[known]
    # The usual traits first, then the user's own as they are.
    names = [name for name in TRAITS if name in varying]
    names += [name for name in varying if name not in TRAITS]
    columns = [usable[name].to_numpy(float) for name in names]
    columns = [
        np.log(values) if name in logged else values
        for name, values in zip(names, columns, strict=True)
    ]
    traits_of_tasks = np.column_stack([np.ones(len(scores)), *columns])
    terms = ("intercept", *(TRAITS.get(name, name) for name in names), "median_score")
    clusters = sample.clusters.independent.codes[known]
    # The median of all algorithms: that of the others is coupled with the rank (where they score
    # high by chance, both are high), so that a true null is often rejected.
    traits_of_tasks = np.column_stack([traits_of_tasks, np.median(scores, axis=1)])
    fits = [
        weighted_regression(
            ranks,
            traits_of_tasks,
            terms,
            clusters=clusters,
            weights=sample.clusters.weights[known],
            inference=settings.inference,
            confidence=1 - settings.alpha,
        )
        for ranks in study.ranks[known].T
    ]
    reasons = dict.fromkeys(fit.reason for fit in fits if fit.reason is not None)
    frame = pd.DataFrame(
        {
            "algorithm": np.repeat(np.array(study.algorithms, dtype=object), len(terms)),
            "term": np.tile(np.array(terms, dtype=object), len(fits)),
            **{
                name: np.concatenate([getattr(fit, name) for fit in fits])
                for name in ("coefficient", "se", "df", "p", "ci_low", "ci_high")
            },
        }
    )
    frame["p_unadjusted"] = frame["p"]
    if settings.regression_corrected:
        tested = frame["p"].where(frame["term"] != "intercept")
        frame["p"] = adjust(tested, "holm")
    frame = frame[REGRESSION]
    notes += [f"Regression: {reason.rstrip('.')}." for reason in reasons]
    return (empty if frame["coefficient"].isna().all() else frame), tuple(notes)


def _notes(traits: pd.DataFrame, known: BoolArray, varying: list[str]) -> list[str]:
    notes = []
    absent = [name for name in TRAITS if name not in traits]
    constant = [str(name) for name in traits if name not in varying]
    if absent:
        notes.append(f"The regression omits {listing(absent)}: no such column.")
    if constant and known.any():
        notes.append(f"The regression omits {listing(constant)}: the same for all tasks.")
    if not known.all():
        notes.append(f"The regression omits {int((~known).sum()):,} tasks with an unknown trait.")
    return notes


def fold_tests(
    results: Results, rope: float = 0.0
) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield unordered pairs that have folds, with the correlated t-test on every task."""
    if results.fold_scores is None:
        return
    folds = results.fold_scores if results.higher_is_better else -results.fold_scores
    # Of joined tables only some may have folds.
    with_folds = [name for name in results.algorithms if name in folds.columns.get_level_values(0)]
    for a, b in combinations(with_folds, 2):
        one, other = (folds[[name]].droplevel(0, axis=1) for name in (a, b))
        if one.columns.nlevels > 1 and not one.columns.isin(other.columns).any():
            # Repeats of their own (seeds of an algorithm) match nothing but the fold.
            one, other = (frame.T.groupby(level=0).mean().T for frame in (one, other))
        difference = one - other
        n_folds = difference.notna().T.groupby(level=0).any().sum().to_numpy(dtype=np.float64)
        share = 1 / np.maximum(n_folds, 2.0)
        yield (a, b), correlated_t(difference.to_numpy(np.float64), rope=rope, test_share=share)


def fold_frame(study: Study) -> pd.DataFrame | None:
    """Return the correlated t-test on every task, for unordered pairs; None without folds."""
    results = study.results
    datasets, tasks = (results.scores.index.get_level_values(level) for level in (0, 1))
    parts = [
        found.assign(a=a, b=b, dataset=datasets).assign(**{"class": tasks})
        for (a, b), found in fold_tests(results, study.settings.rope or 0.0)
    ]
    columns = ["a", "b", "dataset", "class", "mean_difference", "better", "equivalent", "worse"]
    if not parts:
        return None
    return pd.concat(parts, ignore_index=True).rename(columns={"mean": "mean_difference"})[columns]
