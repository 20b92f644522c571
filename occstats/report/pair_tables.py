"""Tables about pairs of algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats.comparison.choices import FAMILIES
from occstats.comparison.pairs import BETTER, WORSE
from occstats.comparison.words.verdict import ROW_FAMILY_NOTE
from occstats.report.table import Column, Leading, Table, grid, with_headers
from occstats.report.writing import blank_or, interval, score_digits, shares
from occstats.results.aliases import score_word
from occstats.text import decimals, p_value, percent, word

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["complementary_table", "kendall_table", "p_value_table", "pairwise_table"]


def p_value_table(comparison: Comparison) -> Table:
    """The triangle of corrected p-values, or the tests against the control."""
    settings = comparison.settings
    square = comparison.matrix("p_adjusted_unclipped")
    claim, claimed = "Row better than column", [BETTER]
    if settings.alternative == "less":
        # The test that the column is worse than the row makes the same claim.
        square = square.T
    elif settings.alternative == "two-sided":
        claim, claimed = "Row and column differ", [BETTER, WORSE]
    if settings.control is None:
        square = _upper_triangle(square)
    else:
        square = square.loc[[settings.control]].drop(columns=settings.control)
    found = comparison.matrix("conclusion").loc[square.index, square.columns].isin(claimed)
    shown, columns = grid([Leading("algorithm", list(square.index))], square, blank_or(p_value))
    corrected = settings.correction != "none"
    return Table(
        name="p_values",
        title="Corrected p-values" if corrected else "P-values, not corrected",
        explanation=f"{claim}: {settings.test_in_words}.",
        frame=with_headers(shown, columns),
        shown=shown,
        columns=columns,
        best=found.where(square.notna(), False).set_axis([c.keys[0] for c in columns[1:]], axis=1),
        best_means=_stars(comparison),
        note=" ".join(_notes(comparison)),
    )


def _stars(comparison: Comparison) -> str:
    settings = comparison.settings
    if settings.rule == "tests":
        return f"significant at α = {settings.alpha:g}."
    if len(comparison.algorithms) == 2:
        return "significant, two-sided, by flipping signs."
    over = FAMILIES["all" if settings.control is None else "control"].phrase
    return f"significant, corrected {over} (max-T)."


def _notes(comparison: Comparison) -> Iterator[str]:
    settings = comparison.settings
    if settings.family == "row" and settings.correction != "none":
        if len(comparison.algorithms) > 2:
            yield ROW_FAMILY_NOTE
        elif settings.alternative != "two-sided":
            yield "Tests in either direction are not corrected for each other."


def _upper_triangle(square: pd.DataFrame) -> pd.DataFrame:
    """Above the diagonal; neither the last row nor the first column has anything there."""
    return square.where(np.triu(np.ones(square.shape, dtype=bool), k=1)).iloc[:-1, 1:]


def pairwise_table(comparison: Comparison) -> Table:
    """Size and certainty of the difference of every pair, the better mean rank first."""
    order = {name: position for position, name in enumerate(comparison.algorithms)}
    frame = comparison.pairwise
    first, second = frame["a"].map(order), frame["b"].map(order)
    control = comparison.settings.control
    keep = first < second if control is None else frame["a"] == control
    shown = frame.assign(_first=first, _second=second)[keep].sort_values(["_first", "_second"])
    level = f"{100 * comparison.settings.confidence:g} %"
    digits = score_digits(comparison)
    signed = decimals(digits, signed=True)
    columns = [
        Column("better", ("a",), word, number=False),
        Column("worse", ("b",), word, number=False),
        Column("p", (comparison.settings.deciding_p,), p_value),
        Column("difference", ("mean_difference",), signed),
        Column(level, ("difference_ci_low", "difference_ci_high"), interval(signed)),
        Column("shift", ("hodges_lehmann",), signed),
        Column("win / tie / lose %", ("wins", "ties", "losses"), shares),
        Column(
            "better / same / worse %",
            ("difference_above", "difference_within", "difference_below"),
            shares,
        ),
        Column("new task", ("prob_improvement_task",), percent),
        Column("new data set", ("prob_improvement_dataset",), percent),
        Column("rank-biserial", ("rank_biserial",), decimals(2, signed=True)),
    ]
    score = score_word(comparison.results.score_name)
    p_name = "P-value" if comparison.settings.correction == "none" else "Corrected p-value"
    if comparison.settings.rule == "max-t":
        family = FAMILIES["all" if control is None else "control"]
        p_name = f"Two-sided p-value corrected {family.phrase}"
    present = tuple(column for column in columns if all(key in frame for key in column.keys))
    if control is not None:
        present = (
            Column("control", ("a",), word, number=False),
            Column("other", ("b",), word, number=False),
            *present[2:],
        )
    return Table(
        name="pairwise",
        title="How much better",
        explanation=f"{p_name}; mean difference of {score}, data sets counting alike, with its "
        "interval for the pair alone; Hodges-Lehmann shift, the typical difference, tasks counting "
        "alike; shares of tasks won, tied, lost; posterior probabilities that the mean difference "
        f"is better, practically the same (±{comparison.settings.rope:g}) and worse; "
        "estimated chance to win on a new task of these data sets, and on a new data set; "
        "rank-biserial correlation, tasks counting alike, from -1 (always loses) to 1 (always "
        "wins).",
        frame=frame,
        columns=present,
        shown=shown.reset_index(drop=True),
        terminal_rows=max(len(order) - 1, 1),
    )


def kendall_table(comparison: Comparison) -> Table:
    """Weighted Kendall's τ as a triangle."""
    names = comparison.algorithms
    position = {name: index for index, name in enumerate(names)}
    first = comparison.kendall["a"].map(position).to_numpy()
    second = comparison.kendall["b"].map(position).to_numpy()
    values = np.full((len(names), len(names)), np.nan)
    values[first, second] = values[second, first] = comparison.kendall["tau"]
    square = _upper_triangle(pd.DataFrame(values, index=names, columns=names))
    shown, columns = grid([Leading("algorithm", list(square.index))], square, blank_or(decimals(2)))
    return Table(
        name="kendall",
        title="Kendall's τ",
        explanation="1: two algorithms find the same tasks easy; 0: unrelated.",
        frame=comparison.kendall,
        shown=shown,
        columns=columns,
    )


def complementary_table(comparison: Comparison) -> Table:
    """Pairs by what the better of the two reaches on each task."""
    digits = score_digits(comparison)
    return Table(
        name="complementary_pairs",
        title="Complementary pairs",
        explanation="If the better of two were chosen on every task: mean score, and mean rank "
        "among all pairs.",
        frame=comparison.complementary_pairs,
        columns=(
            Column("one", ("a",), word, number=False),
            Column("other", ("b",), word, number=False),
            Column(
                f"mean best {score_word(comparison.results.score_name)}",
                ("mean_best_score",),
                decimals(digits),
            ),
            Column("mean rank", ("mean_rank",), decimals(2)),
        ),
        terminal_rows=5,
    )
