"""Tables of what stands behind the answer: dependence, stability, reach, classical tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from occstats.report.table import Column, Table
from occstats.report.writing import interval, score_digits
from occstats.text import decimals, integer, p_value, percent, significant, word

if TYPE_CHECKING:
    from occstats.comparison.result import Comparison

__all__ = ["extra_tables", "plain_table"]

PAIR = (Column("one", ("a",), word, number=False), Column("other", ("b",), word, number=False))


def extra_tables(comparison: Comparison) -> Iterator[Table]:
    """Diagnostics, stability, design and classical tests, as far as the comparison has them."""
    pairs_of_the_best = max(len(comparison.algorithms) - 1, 1)
    # A single data set shows nothing about how data sets differ.
    if comparison.results.n_independent > 1:
        yield diagnostics_table(comparison, pairs_of_the_best)
        yield from stability_tables(comparison, pairs_of_the_best)
        yield from design_tables(comparison, pairs_of_the_best)
        yield from binary_tables(comparison, pairs_of_the_best)
    yield from classical_tables(comparison)
    if comparison.gaps is not None:
        yield plain_table(
            "missing",
            "Missing results",
            "What the other ways to treat missing results would conclude.",
            comparison.gaps.policies,
        )
    if comparison.fold_tests is not None:
        yield plain_table(
            "fold_tests",
            "Task by task",
            "From the folds of each task, by the correlated t-test: posterior probabilities that "
            "the first algorithm is better, practically the same, and worse.",
            comparison.fold_tests,
        )


def truth(value: Any) -> str:
    """Yes or no."""
    return word(None) if value is None or pd.isna(value) else "yes" if value else "no"


def diagnostics_table(comparison: Comparison, rows: int) -> Table:
    """How much the tasks of a data set depend on each other."""
    unit = comparison.results.unit
    columns = (
        *PAIR,
        Column("ICC", ("icc",), decimals(2)),
        Column("design effect", ("design_effect",), decimals(2)),
        Column("effective tasks", ("effective_tasks",), integer),
        Column("size p", ("size_p",), p_value),
        Column("naive test misleads", ("misled",), truth),
    )
    return Table(
        name="diagnostics",
        title=f"How much the {unit}s matter",
        explanation=f"Correlation of tasks within a {unit}, the ratio of tasks to effective tasks "
        "(design effect), and the number of independent tasks that carry the same information. A "
        f"small size p indicates that the difference depends on the number of tasks of a {unit}. "
        "The naive test treats all tasks as independent.",
        frame=comparison.diagnostics,
        columns=present(columns, comparison.diagnostics),
        terminal_rows=rows,
    )


def present(columns: tuple[Column, ...], frame: pd.DataFrame) -> tuple[Column, ...]:
    """The columns that the frame has."""
    return tuple(column for column in columns if all(key in frame for key in column.keys))


def binary_tables(comparison: Comparison, rows: int) -> Iterator[Table]:
    """Clustered McNemar tests, where all scores are 0 or 1."""
    if comparison.binary is None:
        return
    limits = ("share_difference_ci_low", "share_difference_ci_high")
    unit = comparison.results.unit
    signed = decimals(3, signed=True)
    yield Table(
        name="binary",
        title="Right and wrong",
        explanation="All scores are 0 or 1: the difference with all tasks counting alike, its "
        f"clustered standard error, and McNemar tests that let tasks of one {unit} belong "
        f"together (all tasks alike: Obuchowski; all {unit}s alike: Durkalski; by the design "
        "effect: Eliasziw and Donner). p-values are two-sided and not corrected.",
        frame=comparison.binary,
        columns=(
            *PAIR,
            Column("difference", ("share_difference",), signed),
            Column("SE", ("standard_error",), decimals(3)),
            Column(f"{100 * comparison.settings.confidence:g} %", limits, interval(signed)),
            Column("Obuchowski p", ("p_obuchowski",), p_value),
            Column("Durkalski p", ("p_durkalski",), p_value),
            Column("Eliasziw-Donner p", ("p_eliasziw_donner",), p_value),
            Column("design effect", ("design_effect",), decimals(2)),
            Column("detectable", ("minimal_detectable",), decimals(3)),
        ),
        terminal_rows=rows,
    )


def stability_tables(comparison: Comparison, rows: int) -> Iterator[Table]:
    """Yield the tables of conclusions without a dataset and without an algorithm."""
    section, unit = comparison.stability, comparison.results.unit
    signed = decimals(score_digits(comparison), signed=True)
    if section.influence is not None:
        yield Table(
            name="influence",
            title="Would it hold",
            explanation=f"The {unit} that drives each difference most, the difference without it, "
            f"and how many single {unit}s would change the conclusion if left out.",
            frame=section.influence,
            columns=(
                *PAIR,
                Column("difference", ("mean_difference",), signed),
                Column("driven by", ("dataset",), word, number=False),
                Column("without it", ("mean_difference_without",), signed),
                Column(f"{unit}s that matter", ("datasets_that_change",), integer),
            ),
            terminal_rows=rows,
        )
    without = "The best algorithm without it, and how many pairs get another conclusion."
    for name, title, explanation in (
        (
            "changes",
            "Conclusions that change when something is left out",
            f"One row per pair and left-out {unit} or algorithm.",
        ),
        ("leave_one_dataset_out", f"Without each {unit}", without),
        ("leave_one_algorithm_out", "Without each algorithm", without),
    ):
        frame = getattr(section, name)
        # Large results go without what takes long unless it was asked for.
        if frame is not None:
            yield plain_table(name, title, explanation, frame)


def design_tables(comparison: Comparison, rows: int) -> Iterator[Table]:
    """What differences this benchmark can detect, and how large it would have to be."""
    section, unit = comparison.design, comparison.results.unit
    signed = decimals(score_digits(comparison), signed=True)
    unsigned = decimals(score_digits(comparison))
    yield Table(
        name="detectable",
        title="What this benchmark can show",
        explanation=f"The smallest mean difference that Student's test over {section.n_clusters} "
        f"{unit}s detects with {100 * section.wanted_power:.0f} % power, uncorrected and with the "
        "strictest correction, beside the observed one.",
        frame=section.detectable,
        columns=(
            *PAIR,
            Column("observed", ("mean_difference",), signed),
            Column("detectable", ("minimal_detectable",), unsigned),
            Column("detectable, corrected", ("minimal_detectable_corrected",), unsigned),
        ),
        note=f"No p-value from flipping signs can be below {section.smallest_p:.2g}.",
        terminal_rows=rows,
    )
    if section.power is None:
        return
    yield Table(
        name="power",
        title=f"How many {unit}s a conclusion needs",
        explanation="By simulation, if the observed differences were the true ones: the power of a "
        f"benchmark of this size (which says no more than the p-value), and how many {unit}s give "
        f"{100 * section.wanted_power:.0f} %.",
        frame=section.power,
        columns=(
            *PAIR,
            Column("better", ("better",), word, number=False),
            Column("power", ("power_now",), percent),
            Column(f"{unit}s needed", ("datasets_needed", "tried_up_to"), _needed),
        ),
        terminal_rows=rows,
    )


def _needed(needed: float, limit: float) -> str:
    return integer(needed) if needed < float("inf") else f"> {integer(limit)}"


def classical_tables(comparison: Comparison) -> Iterator[Table]:
    """The tests that referees ask for."""
    section = comparison.classical
    yield Table(
        name="friedman",
        title="Classical tests",
        explanation="Friedman's test with Iman and Davenport's correction, and Nemenyi's critical "
        "difference of mean ranks.",
        frame=section.friedman,
        columns=present(
            (
                Column("on", ("unit",), word, number=False),
                Column("n", ("n",), integer),
                Column("χ²", ("chi_squared",), significant(4)),
                Column("p", ("p",), p_value),
                Column("F", ("iman_davenport",), significant(4)),
                Column("p of F", ("p_iman_davenport",), p_value),
                Column("critical difference", ("critical_difference",), decimals(2)),
                Column("valid here", ("valid",), truth, number=False),
            ),
            section.friedman,
        ),
        note="On tasks the test takes all tasks for independent, which tasks of one "
        f"{comparison.results.unit} are not.",
    )
    yield plain_table(
        "classical_pairs",
        "Nemenyi and Conover",
        "Two-sided p-values of the classical post-hoc tests.",
        section.pairs,
    )


def plain_table(name: str, title: str, explanation: str, frame: pd.DataFrame) -> Table:
    """A table for the files: headings and formats follow from the frame."""
    columns = []
    for key in map(str, frame.columns):
        write: Callable[..., str] = word
        number = pd.api.types.is_numeric_dtype(frame[key].dtype)
        if pd.api.types.is_bool_dtype(frame[key].dtype):
            write, number = truth, False
        elif key.startswith("p_"):
            write = p_value
        elif number:
            integral = pd.api.types.is_integer_dtype(frame[key].dtype)
            write = integer if integral else significant(4)
        columns.append(Column(key.replace("_", " "), (key,), write, number))
    return Table(name, title, explanation, frame, tuple(columns), terminal_rows=0)
