"""The classical tests that referees ask for, with what they assume written beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats.stats.corrections import adjust_pairs
from occstats.stats.friedman import FriedmanResult, conover, critical_difference, friedman, nemenyi

if TYPE_CHECKING:
    from occstats.comparison.study import Study

__all__ = ["Classical", "classical_tests"]

ON_TASKS = "tasks"
ON_MEANS = "dataset means"
ON_SUITES = "suite means"
ASSUMPTIONS = {
    ON_TASKS: "treats all tasks as independent, which tasks of one dataset are not",
    ON_MEANS: "treats datasets as independent: valid",
    ON_SUITES: "treats suites as independent: valid",
}


@dataclass(frozen=True, eq=False)
class Classical:
    """Friedman's test and its two post-hoc tests, on tasks and on data set (or suite) means.

    Attributes
    ----------
    friedman : DataFrame
        One row per unit: Friedman's χ², Iman and Davenport's F, Nemenyi's critical difference, and
        what is assumed.
    pairs : DataFrame
        One row per unit and unordered pair: two-sided p-values of Nemenyi (corrected by
        construction) and Conover (raw, and Holm over all pairs).
    """

    friedman: pd.DataFrame
    pairs: pd.DataFrame

    def _repr_html_(self) -> str:
        from occstats.report.notebook import section_to_html

        return section_to_html(self)


def classical_tests(study: Study) -> Classical:
    """Friedman with Iman-Davenport, Nemenyi and Conover, on tasks and on data set means."""
    whole = study.sample.whole
    means, suites = whole.clusters.means(whole.scores), whole.clusters.suites
    averaged = (ON_MEANS, means) if suites is None else (ON_SUITES, suites.means(means))
    tests, pairs = [], []
    for unit, table in ((ON_TASKS, whole.scores), averaged):
        if len(table) < 2:
            # A single observation says nothing about others.
            continue
        found = friedman(table, tie_tolerance=study.settings.tie_tolerance)
        tests.append(_friedman_row(unit, found, study))
        if "post-hoc tests" not in study.left_out:
            pairs.append(_pair_frame(unit, found, study))
    return Classical(
        friedman=pd.DataFrame(tests),
        pairs=pd.concat(pairs, ignore_index=True) if pairs else pd.DataFrame(),
    )


def _friedman_row(unit: str, found: FriedmanResult, study: Study) -> dict[str, object]:
    k, alpha = len(study.algorithms), study.settings.alpha
    return {
        "unit": unit,
        "n": found.n_blocks,
        "chi_squared": found.statistic,
        "df": found.df,
        "p": found.pvalue,
        "iman_davenport": found.f_statistic,
        "df_between": found.df_between,
        "df_within": found.df_within,
        "p_iman_davenport": found.f_pvalue,
        "critical_difference": critical_difference(k, found.n_blocks, alpha),
        "valid": unit != ON_TASKS,
        "assumption": ASSUMPTIONS[unit],
    }


def _pair_frame(unit: str, found: FriedmanResult, study: Study) -> pd.DataFrame:
    means, raw = found.mean_ranks, conover(found)
    np.fill_diagonal(raw, np.nan)
    columns = {
        "mean_rank_difference": means[:, None] - means,
        "p_nemenyi": nemenyi(found),
        "p_conover": raw,
        "p_conover_holm": adjust_pairs(raw, "all", "holm"),
    }
    frame = study.unordered_pairs(columns)
    frame.insert(0, "unit", unit)
    return frame
