"""The tables of a comparison, in the order in which a reader wants them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from occstats._format import decimals, p_value, percent, printable, word
from occstats.comparison.choices import ESTIMANDS
from occstats.comparison.decision import BETTER, EQUIVALENT, WORSE
from occstats.comparison.text.verdict import (
    REVERSED,
    can_differ,
    difference_of,
    headline,
    subject_of,
    subject_rows,
)
from occstats.report.pair_tables import (
    complementary_table,
    conclusion_word,
    effect_table,
    interval_heading,
    kendall_table,
    p_value_table,
    pairwise_table,
    size_columns,
)
from occstats.report.formatted_table import Column, Table
from occstats.report.task_tables import frequency_table, rank_table, score_table, strata_table
from occstats.report.writing import limits, p_writer, score_digits
from occstats.results.aliases import score_word

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["all_tables", "comparison_table", "legend", "summary_table"]

TERMS = {"log_n": "log n", "log_m": "log m", "median_score": "median score"}
# Columns of ``pairwise`` that the table of the comparison has.
PAIR_COLUMNS = (
    "difference", "ci_low", "ci_high", "p", "conclusion", "reversed", "wins", "ties", "losses",
)  # fmt: skip
FIRST_ROWS = 15
LONGEST_NAME = 12


def all_tables(comparison: Comparison) -> list[Table]:
    """Return every table; those of a section that the comparison does not have are left out."""
    from occstats.report.extra_tables import extra_tables

    tables = [comparison_table(comparison)]
    if comparison.results.n_independent > 1:
        tables += [p_value_table(comparison), pairwise_table(comparison)]
    tables.append(summary_table(comparison))
    if comparison.results.n_independent > 1:
        tables.append(effect_table(comparison))
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


def comparison_table(comparison: Comparison) -> Table:
    """Return the answer as a table: means, and differences from the leader or the control.

    Examples
    --------
    >>> import occstats
    >>> table = comparison_table(occstats.compare("lenz2021", n_resamples=1000))
    >>> table.headers[:4]
    ['algorithm', 'mean rank', 'mean AUROC', 'typical difference, ALP − it']
    >>> table.cells()[2][:4], table.cells()[4][-1]
    (['NND', '4.35', '0.805', '+0.007'], '*')
    """
    settings, rows = comparison.settings, subject_rows(comparison)
    frame = comparison.summary[["algorithm", "mean_rank", "mean_score"]].join(
        rows[[name for name in PAIR_COLUMNS if name in rows]], on="algorithm"
    )
    typical = settings.estimand == "typical"
    shown = frame.assign(own=frame["algorithm"] == subject_of(comparison))
    score = score_word(comparison.results.score_name)
    columns = [
        Column("algorithm", ("algorithm",), word, number=False),
        Column("mean rank", ("mean_rank",), decimals(2)),
        Column(f"mean {score}", ("mean_score",), decimals(score_digits(comparison))),
        *_pair_columns(comparison, shown),
    ]
    return Table(
        name="comparison",
        title="Comparison",
        explanation=f"{headline(comparison)}.",
        frame=frame,
        shown=shown,
        columns=tuple(c for c in columns if typical or c.keys[0] != "mean_rank"),
        note=" ".join(legend(comparison)),
        terminal_rows=FIRST_ROWS,
    )


def _pair_columns(comparison: Comparison, shown: pd.DataFrame) -> Iterator[Column]:
    """Yield the columns about the subject and the algorithm of the row, as far as there are any."""
    settings, others = comparison.settings, shown[~shown["own"]]
    yield from size_columns(
        comparison,
        shown,
        difference_of(comparison, _heading_name(comparison), "it"),
        interval_heading(comparison),
        ESTIMANDS[str(settings.estimand)].phrase,
    )
    if others["conclusion"].isna().all():
        return
    write = p_writer(settings)
    yield Column("p", ("p", "own"), lambda p, own: "" if own else write(p))
    if not _possible(comparison):
        return
    if _in_words(comparison):
        yield Column("conclusion", ("conclusion", "reversed", "own"), _word, number=False)
    elif others["conclusion"].isin((BETTER, WORSE)).any():
        yield Column("", ("conclusion", "reversed"), _star, number=False)


def _star(conclusion: str | None, opposite: bool) -> str:
    decided = conclusion in (BETTER, WORSE)
    return f"*{REVERSED if opposite is True else ''}" if decided else ""


def _word(conclusion: str | None, opposite: bool, own: bool) -> str:
    return "" if own else conclusion_word(conclusion, opposite)


def _in_words(comparison: Comparison) -> bool:
    """Return whether conclusions are words: about a control, or where some may be equivalent."""
    return comparison.settings.control is not None or comparison.settings.margin is not None


def _possible(comparison: Comparison) -> bool:
    """Return whether a pair can have a conclusion at all."""
    return can_differ(comparison) or comparison.settings.margin is not None


def _heading_name(comparison: Comparison) -> str:
    """Return the name of the leader or the control if it is short enough for a heading."""
    from rich.cells import cell_len

    name = printable(subject_of(comparison))
    if cell_len(name) <= LONGEST_NAME:
        return name
    return "leader" if comparison.settings.control is None else "control"


def legend(comparison: Comparison) -> Iterator[str]:
    """Yield what the marks and words in the table of the comparison mean."""
    settings, rows = comparison.settings, subject_rows(comparison)
    found = set(rows["conclusion"].dropna())
    if not found or not _possible(comparison):
        return
    claim = f"p ≤ {settings.alpha:g}"
    if settings.alternative != "two-sided" and WORSE not in found:
        claim += f" for “{_heading_name(comparison)} is better”"
    decided = [kind for kind in (BETTER, WORSE) if kind in found]
    if not decided:
        yield f"p: {comparison.basis}."
    elif _in_words(comparison):
        yield f"{', '.join(decided)}: {claim}, {comparison.basis}."
    else:
        yield f"* {claim}, {comparison.basis}."
    if EQUIVALENT in found and settings.margin is not None:
        level = f"{100 * (1 - settings.alpha):g} % CI"
        yield f"equivalent: {level} within ±{settings.margin:g}."
    if rows["reversed"].any():
        other = "mean" if settings.estimand == "typical" else "typical"
        yield f"{REVERSED} the {other} difference has the opposite sign."


def summary_table(comparison: Comparison) -> Table:
    """Return means with intervals, ranks consistent with the decisions, and who leads how often."""
    frame = comparison.summary
    name = score_word(comparison.results.score_name)
    level = f"{100 * (1 - comparison.settings.alpha):g} % CI"
    digits = score_digits(comparison)
    columns = [
        Column("algorithm", ("algorithm",), word, number=False),
        Column("mean rank", ("mean_rank",), decimals(2)),
        Column(level, ("mean_rank_ci_low", "mean_rank_ci_high"), limits(2, signed=False)),
        Column(f"mean {name}", ("mean_score",), decimals(digits)),
        Column(level, ("mean_score_ci_low", "mean_score_ci_high"), limits(digits, signed=False)),
        Column("CVSD", ("cvsd",), decimals(digits + 1)),
        Column("rank range", ("rank_low", "rank_high"), _ranks),
        Column("leads", ("leads",), percent),
    ]
    explained = {
        level: "Intervals are those of each algorithm alone and decide nothing about pairs.",
        "CVSD": "CVSD: standard deviation across folds.",
        "rank range": "Rank range: ranks consistent with the decisions about pairs.",
        "leads": "Leads: share of bootstrap resamples in which it comes first, uncorrected.",
    }
    if comparison.results.n_independent < 2:
        columns = [column for column in columns if column.header != "rank range"]
    present = tuple(
        column
        for column in columns
        if column.header == "algorithm" or frame[list(column.keys)].notna().to_numpy().any()
    )
    headers = {column.header for column in present}
    return Table(
        name="summary",
        title="Mean ranks and scores",
        explanation="Each dataset has equal weight; rank 1 is best.",
        frame=frame,
        columns=present,
        note=" ".join(words for header, words in explained.items() if header in headers),
    )


def _ranks(low: float, high: float) -> str:
    return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"


def regression_table(comparison: Comparison) -> Table:
    """Return the coefficients of the traits of tasks, one row per algorithm."""
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
