"""The tables of a comparison, in the order in which a reader wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from occstats.report.pair_tables import (
    complementary_table,
    kendall_table,
    p_value_table,
    pairwise_table,
)
from occstats.report.table import Column, Table
from occstats.report.task_tables import frequency_table, rank_table, score_table, strata_table
from occstats.report.writing import interval, score_digits
from occstats.results.aliases import score_word
from occstats.text import decimals, p_value, percent, word

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["all_tables", "leading_tables"]

TERMS = {"log_n": "log n", "log_m": "log m", "median_score": "median score"}


def leading_tables(comparison: Comparison) -> list[Table]:
    """The summary and the corrected p-values: what a reader looks at first."""
    tables = [summary_table(comparison)]
    if comparison.results.n_independent > 1:
        tables.append(p_value_table(comparison))
    return tables


def all_tables(comparison: Comparison) -> list[Table]:
    """Every table; those of a section that the comparison does not have are left out."""
    from occstats.report.extra_tables import extra_tables

    tables = leading_tables(comparison)
    if comparison.results.n_independent > 1:
        tables.append(pairwise_table(comparison))
    tables += [
        kendall_table(comparison),
        complementary_table(comparison),
        regression_table(comparison),
        strata_table(comparison),
        frequency_table(comparison),
        *extra_tables(comparison),
        score_table(comparison),
        rank_table(comparison),
    ]
    return [table for table in tables if len(table)]


def _ranks(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def summary_table(comparison: Comparison) -> Table:
    """Mean rank, mean score, spread over folds, and the chance of being the best."""
    frame = comparison.summary
    name = score_word(comparison.results.score_name)
    level = f"{100 * comparison.settings.confidence:g} %"
    score = decimals(score_digits(comparison))
    columns = [
        Column("algorithm", ("algorithm",), word, number=False),
        Column("mean rank", ("mean_rank",), decimals(2)),
        Column(level, ("mean_rank_ci_low", "mean_rank_ci_high"), interval(decimals(2))),
        Column("ranks", ("rank_low", "rank_high"), _ranks),
        Column(f"mean {name}", ("mean_score",), score),
        Column(level, ("mean_score_ci_low", "mean_score_ci_high"), interval(score)),
        Column("CVSD", ("cvsd",), decimals(score_digits(comparison) + 1)),
        Column("P(best)", ("prob_best",), percent),
    ]
    present = tuple(
        column
        for column in columns
        if all(key in frame for key in column.keys)
        and (column.header == "algorithm" or frame[list(column.keys)].notna().to_numpy().any())
    )
    # The rank sets are simultaneous, whatever else is called better.
    left_open = " by max-T" if comparison.settings.rule == "tests" else ""
    intervals, unit = any(column.header == level for column in present), comparison.results.unit
    return Table(
        name="summary",
        title="Summary",
        explanation="Data sets weigh alike; rank 1 is best"
        f"{f'; intervals are over whole {unit}s' if intervals else ''}.",
        frame=frame,
        columns=present,
        note=f"Ranks: those left open{left_open}, for all algorithms together. P(best): how often "
        f"it is first when {unit}s are weighted at random; too sure with few of them."
        if any(column.header == "P(best)" for column in present)
        else "",
    )


def regression_table(comparison: Comparison) -> Table:
    """Coefficients of the task's traits, one row per algorithm."""
    frame = comparison.regression
    terms = [term for term in frame["term"].unique() if term != "intercept"]
    shown = pd.DataFrame({"algorithm": frame["algorithm"].unique()})
    columns = [Column("algorithm", ("algorithm",), word, number=False)]
    for position, term in enumerate(terms):
        rows = frame[frame["term"] == term].set_index("algorithm").reindex(shown["algorithm"])
        keys = (f"coefficient_{position}", f"p_{position}")
        shown[keys[0]], shown[keys[1]] = rows["coefficient"].to_numpy(), rows["p"].to_numpy()
        columns += [
            Column(TERMS.get(term, term), (keys[0],), decimals(2, signed=True)),
            Column("p", (keys[1],), p_value),
        ]
    corrected = (
        "corrected by Holm's method over all algorithms and traits"
        if comparison.settings.regression_corrected
        else "not corrected"
    )
    return Table(
        name="regression",
        title="What the rank depends on",
        explanation="Change of rank per unit of a trait of the task; negative: better ranks where "
        f"the trait is high. p-values are {corrected}.",
        frame=frame,
        shown=shown,
        columns=tuple(columns),
    )
