"""Clustered standard errors and McNemar tests of 0/1 scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from occstats._format import count, decimals, minus_signs, p_equation, printable
from occstats.results.aliases import score_word
from occstats.stats._arrays import upper_pairs
from occstats.stats.mcnemar import MCNEMAR_TESTS, clustered_mcnemar, is_binary

if TYPE_CHECKING:
    from occstats.comparison.study import Study

__all__ = ["binary_frame"]


def binary_frame(study: Study) -> pd.DataFrame | None:
    """Return one row per unordered pair, tasks having equal weight; None for other scores."""
    results, settings = study.results, study.settings
    if (
        study.n_clusters < 2
        or "posterior of mean differences" in study.left_out
        or not is_binary(results.scores)
    ):
        return None
    found = clustered_mcnemar(study.sample, confidence=1 - settings.alpha, alpha=settings.alpha)
    first, second = upper_pairs(len(study.algorithms))
    names = study.algorithms
    frame = pd.DataFrame(
        {
            "a": [names[place] for place in first],
            "b": [names[place] for place in second],
            "share_difference": found.difference,
            "standard_error": found.standard_error,
            "share_difference_ci_low": found.low,
            "share_difference_ci_high": found.high,
            **{f"p_{test}": found.p[test] for test in MCNEMAR_TESTS},
            **{f"chi_squared_{test}": found.statistic[test] for test in MCNEMAR_TESTS},
            "only_a": found.only_a.astype(int),
            "only_b": found.only_b.astype(int),
            "design_effect": found.design_effect,
            "minimal_detectable": found.detectable,
            "n_tasks": found.n_tasks.astype(int),
            "n_clusters": found.n_clusters,
        }
    )
    level, score = f"{100 * (1 - settings.alpha):g} %", score_word(results.score_name)
    rows = frame.itertuples(index=False)
    return frame.assign(line=[_line(row, level, score, results.unit) for row in rows])


def _line(row: Any, level: str, score: str, unit: str) -> str:
    """Return what one would quote about a pair."""
    difference, low, high = (
        minus_signs(f"{value:+.3f}")
        for value in (
            row.share_difference,
            row.share_difference_ci_low,
            row.share_difference_ci_high,
        )
    )
    return (
        f"{printable(row.a)} − {printable(row.b)}: {difference} {score} "
        f"(clustered SE {row.standard_error:.3f}; {level} CI {low} to {high}; "
        f"Obuchowski's {p_equation(row.p_obuchowski)}; "
        f"design effect {decimals(2)(row.design_effect)}; "
        f"detectable ±{row.minimal_detectable:.3f}; "
        f"{count(row.n_tasks, 'task')} in {count(row.n_clusters, unit)})"
    )
