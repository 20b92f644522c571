"""Tables about pairs of algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from occstats._format import decimals, percent, word
from occstats.comparison.choices import ESTIMANDS
from occstats.comparison.decision import BETTER, WORSE
from occstats.comparison.text.verdict import (
    REVERSED,
    ROWS_ALONE,
    corrected_by_row,
    difference_of,
    mostly_equal,
)
from occstats.report.formatted_table import Column, Leading, Table, grid, with_headers
from occstats.report.writing import (
    blank_or,
    difference_digits,
    limits,
    p_writer,
    score_digits,
    shares,
)
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = [
    "complementary_table",
    "conclusion_word",
    "effect_table",
    "interval_heading",
    "kendall_table",
    "p_value_table",
    "pairwise_table",
    "size_columns",
]

PAIR = (Column("a", ("a",), word, number=False), Column("b", ("b",), word, number=False))


def p_value_table(comparison: Comparison) -> Table:
    """Return the matrix of the p-values that decide, best first; bold where a pair is decided."""
    settings, square = comparison.settings, comparison.p_values
    claim, claimed = "difference between row and column", [BETTER, WORSE]
    if settings.alternative != "two-sided":
        claim, claimed = "row better than column", [BETTER]
        # The test that the column is worse than the row makes the same claim.
        square = square.T if settings.alternative == "less" else square
    if settings.control is not None:
        square = square.loc[[settings.control]].drop(columns=settings.control)
    elif settings.alternative == "two-sided":
        square = _upper_triangle(square)
    found = comparison.matrix("conclusion").loc[square.index, square.columns]
    best = found.isin(claimed) & square.notna()
    shown, columns = grid(
        [Leading("algorithm", list(square.index))], square, blank_or(p_writer(settings))
    )
    return Table(
        name="p_values",
        title="p-values",
        explanation=f"{claim.capitalize()}: {comparison.basis}.",
        frame=with_headers(shown, columns),
        shown=shown,
        columns=columns,
        best=best.set_axis([column.keys[0] for column in columns[1:]], axis=1),
        best_means=f"p ≤ {settings.alpha:g}." if best.to_numpy().any() else "",
        note=ROWS_ALONE if corrected_by_row(comparison) else "",
    )


def _upper_triangle(square: pd.DataFrame) -> pd.DataFrame:
    """Return what is above the diagonal, without the last row and the first column."""
    return square.where(np.triu(np.ones(square.shape, dtype=bool), k=1)).iloc[:-1, 1:]


def size_columns(
    comparison: Comparison, shown: pd.DataFrame, header: str, interval: str, group: str = ""
) -> Iterator[Column]:
    """Yield the columns of the difference and its interval, as far as the pairs have them.

    Where more than a fifth of the differences are zero, wins and losses are written instead.

    Parameters
    ----------
    comparison
        The comparison.
    shown
        Pairs with their columns of ``pairwise``; ``own`` is true where there is no pair.
    header, interval, group
        The headings.
    """
    digits = difference_digits(comparison)
    write, brackets = decimals(digits, signed=True), limits(digits)
    shown["zeros"] = mostly_equal(shown) & (comparison.settings.estimand == "typical")
    others = shown[~shown["own"]]

    def difference(value: float, zeros: bool, own: bool) -> str:
        return "" if own or zeros else write(value)

    def limits_or_wins(*values: float) -> str:
        low, high, wins, losses, zeros, own = values
        if own:
            return ""
        return f"{wins:,.0f} wins : {losses:,.0f} losses" if zeros else brackets(low, high)

    def wins_and_losses(wins: float, losses: float, own: bool) -> str:
        return "" if own else f"{wins:,.0f} : {losses:,.0f}"

    if others["zeros"].all():
        yield Column("wins : losses", ("wins", "losses", "own"), wins_and_losses)
    elif np.isfinite(others["difference"]).any():
        yield Column(header, ("difference", "zeros", "own"), difference, group=group)
        if "ci_low" in others and np.isfinite(others[["ci_low", "ci_high"]].to_numpy()).any():
            keys = ("ci_low", "ci_high", "wins", "losses", "zeros", "own")
            yield Column(interval, keys, limits_or_wins, group=group)


def interval_heading(comparison: Comparison) -> str:
    """Return the level of the intervals, and the pairs for which they are simultaneous."""
    settings, others = comparison.settings, len(comparison.algorithms) - 1
    level = f"{100 * (1 - settings.alpha):g} % CI"
    if others == 1 or settings.correction == "none":
        return level
    return f"{level} ({'all' if settings.control is None else others} pairs)"


def _pairs(comparison: Comparison) -> pd.DataFrame:
    """Return each pair once, the better mean first, or the control first."""
    frame, control = comparison.pairwise, comparison.settings.control
    place = {name: position for position, name in enumerate(comparison.algorithms)}
    first, second = frame["a"].map(place), frame["b"].map(place)
    keep = first < second if control is None else frame["a"] == control
    order = np.lexsort((second[keep], first[keep]))
    return frame[keep].iloc[order].reset_index(drop=True).assign(own=False)


def pairwise_table(comparison: Comparison) -> Table:
    """Return the decision about every pair, and the estimate that does not decide."""
    settings, shown = comparison.settings, _pairs(comparison)
    kind = ESTIMANDS[str(settings.estimand)].phrase
    other = "mean" if settings.estimand == "typical" else "typical"
    signed = decimals(difference_digits(comparison), signed=True)
    columns = [
        *PAIR,
        *size_columns(comparison, shown, kind, interval_heading(comparison)),
        Column("p", ("p",), p_writer(settings)),
        Column("a is", ("conclusion", "reversed"), conclusion_word, number=False),
        Column(f"{other} difference", (f"{other}_difference",), signed),
    ]
    score = score_word(comparison.results.score_name)
    return Table(
        name="pairwise",
        title="All pairs",
        explanation=f"Difference of {score}, {difference_of(comparison, 'a', 'b')}, positive where "
        f"a is better; p-value and conclusion of the {comparison.basis}; and the {other} "
        "difference, which does not decide.",
        frame=comparison.pairwise,
        columns=tuple(columns),
        shown=shown,
        note=f"{REVERSED} the {other} difference has the opposite sign."
        if shown["reversed"].any()
        else "",
        terminal_rows=max(len(comparison.algorithms) - 1, 1),
    )


def conclusion_word(conclusion: str | None, opposite: bool) -> str:
    """Return the conclusion, marked where the other estimate has the opposite sign."""
    return f"{word(conclusion)} {REVERSED}" if opposite is True else word(conclusion)


def effect_table(comparison: Comparison) -> Table:
    """Return the effect sizes of every pair."""
    shown, rope = _pairs(comparison), comparison.settings.rope
    columns = [
        *PAIR,
        Column("won / tied / lost", ("wins", "ties", "losses"), _counts),
        Column("rank-biserial", ("rank_biserial",), decimals(2, signed=True)),
        Column("new task", ("prob_improvement_task",), percent),
        Column("new dataset", ("prob_improvement_dataset",), percent),
        Column(
            "above / within / below %",
            ("difference_above", "difference_within", "difference_below"),
            shares,
        ),
    ]
    return Table(
        name="effect_sizes",
        title="Effect sizes",
        explanation="Tasks won, tied and lost by a; rank-biserial correlation, each task with "
        "equal weight, from −1 (a always loses) to 1 (a always wins); estimated probability that a "
        "wins on a new task of these datasets, and on a new dataset; posterior probabilities that "
        f"the mean difference is above, within and below ±{rope:g}. None of them decides.",
        frame=shown[["a", "b", *(key for column in columns[2:] for key in column.keys)]],
        columns=tuple(columns),
        terminal_rows=max(len(comparison.algorithms) - 1, 1),
    )


def _counts(*values: float) -> str:
    return " / ".join(f"{value:,.0f}" for value in values)


def kendall_table(comparison: Comparison) -> Table:
    """Return the weighted Kendall's τ as a triangle."""
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
        explanation="1: two algorithms order the tasks in the same way; 0: unrelated.",
        frame=comparison.kendall,
        shown=shown,
        columns=columns,
    )


def complementary_table(comparison: Comparison) -> Table:
    """Return the pairs by the score that the better of the two has on each task."""
    digits = score_digits(comparison)
    return Table(
        name="complementary_pairs",
        title="Complementary pairs",
        explanation="If the better of two were chosen on every task: mean score, and mean rank "
        "among all pairs.",
        frame=comparison.complementary_pairs,
        columns=(
            *PAIR,
            Column(
                f"mean best {score_word(comparison.results.score_name)}",
                ("mean_best_score",),
                decimals(digits),
            ),
            Column("mean rank", ("mean_rank",), decimals(2)),
        ),
        terminal_rows=5,
    )
