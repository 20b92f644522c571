"""On which kind of task is an algorithm good: its rank regressed on the traits of the task."""

from __future__ import annotations

import numpy as np
import pandas as pd

from occstats.comparison.settings import Settings
from occstats.results import Results
from occstats.stats.ranks import RankSummary
from occstats.stats.regression import trait_design, weighted_regression
from occstats.text import listing

__all__ = ["regress"]

TRAITS = ("n", "m", "sparsity")
COLUMNS = ["algorithm", "term", "coefficient", "se", "df", "p", "ci_low", "ci_high"]


def regress(
    whole: Results, ranking: RankSummary, settings: Settings
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Rank on the task's traits and its median score (where higher is easier), per algorithm.

    A trait that the results lack, or that is the same for all tasks, is left out and noted.
    """
    traits = whole.traits
    known = _known(traits)
    usable = traits[known]
    varying = [str(name) for name in usable if usable[name].nunique() > 1]
    notes = _notes(traits, known, varying)
    empty = pd.DataFrame(columns=pd.Index(COLUMNS))
    if not known.any():
        return empty, (*notes, "There is no regression: no task has all traits.")
    median_score = np.median(whole.oriented[known], axis=1)
    usual = {name: usable[name].to_numpy(float) for name in varying if name in TRAITS}
    design, terms = trait_design(usual, median_score)
    # Traits of the user's own come before the median score, as they are.
    own = [name for name in varying if name not in TRAITS]
    design = np.column_stack([design[:, :-1], usable[own].to_numpy(float), median_score])
    terms = (*terms[:-1], *own, terms[-1])
    rows, reasons = [], dict[str, None]()
    for position, algorithm in enumerate(whole.algorithms):
        fit = weighted_regression(
            ranking.ranks[known, position],
            design,
            terms,
            clusters=whole.clusters[known],
            weights=whole.weights[known],
            inference=settings.inference,
            confidence=settings.confidence,
        )
        if fit.reason is not None:
            reasons[fit.reason] = None
        rows.append(
            pd.DataFrame(
                {"algorithm": algorithm, "term": fit.terms}
                | {name: getattr(fit, name) for name in COLUMNS[2:]}
            )
        )
    frame = pd.concat(rows, ignore_index=True)
    notes += [f"Regression: {reason.rstrip('.')}." for reason in reasons]
    return (empty if frame["coefficient"].isna().all() else frame), tuple(notes)


def _known(traits: pd.DataFrame) -> np.ndarray:
    """Tasks whose traits are there, and positive where their logarithm is taken."""
    known = traits.notna().all(axis=1).to_numpy()
    for name in ("n", "m"):
        if name in traits:
            known = known & (traits[name] > 0).to_numpy()
    return known


def _notes(traits: pd.DataFrame, known: np.ndarray, varying: list[str]) -> list[str]:
    notes = []
    absent = [name for name in TRAITS if name not in traits]
    constant = [str(name) for name in traits if name not in varying]
    if absent:
        notes.append(f"The regression goes without {listing(absent)}: no such column.")
    if constant and known.any():
        notes.append(f"The regression goes without {listing(constant)}: the same for all tasks.")
    if not known.all():
        notes.append(
            f"The regression leaves out {int((~known).sum()):,} tasks with an unknown trait."
        )
    return notes
