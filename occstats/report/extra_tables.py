"""Tables about dependence, stability, power, classical tests and missing results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from occstats._format import count, decimals, integer, p_value, percent, significant, word
from occstats.report.pair_tables import PAIR
from occstats.report.formatted_table import Column, Table
from occstats.report.writing import limits, p_writer, score_digits

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison
    from occstats.comparison.robustness import Gaps

__all__ = ["extra_tables", "plain_table"]


def extra_tables(comparison: Comparison) -> Iterator[Table]:
    """Yield the tables that the comparison has."""
    pairs_of_the_best = max(len(comparison.algorithms) - 1, 1)
    # A single dataset shows nothing about how datasets differ.
    if comparison.results.n_independent > 1:
        yield diagnostics_table(comparison, pairs_of_the_best)
        yield from stability_tables(comparison, pairs_of_the_best)
        yield from design_tables(comparison, pairs_of_the_best)
        yield from binary_tables(comparison, pairs_of_the_best)
    yield from classical_tables(comparison)
    if comparison.gaps is not None:
        yield missing_table(comparison, comparison.gaps)
    if comparison.fold_tests is not None:
        yield plain_table(
            "fold_tests",
            "Task by task",
            "Posterior probabilities by the correlated t-test on the folds of each task that a is "
            "better than b, practically equivalent, and worse.",
            comparison.fold_tests,
        )


def missing_table(comparison: Comparison, gaps: Gaps) -> Table:
    """Return the conclusions under other policies for missing results."""
    return Table(
        name="missing",
        title="Missing results",
        explanation=f"{gaps.cells:,} of {gaps.of:,} results are missing; the policy here is "
        f"{comparison.settings.missing}. Under other policies: the algorithms and tasks that "
        "remain, the leader, and how many of the pairs get another conclusion.",
        frame=gaps.policies,
        columns=(
            Column("policy", ("policy",), word, number=False),
            Column("algorithms", ("algorithms",), integer),
            Column("tasks", ("tasks",), integer),
            Column("leader", ("best",), word, number=False),
            Column("pairs", ("pairs",), integer),
            Column("other conclusions", ("changed_pairs",), integer),
        ),
    )


def truth(value: Any) -> str:
    """Return yes or no."""
    return word(None) if value is None or pd.isna(value) else "yes" if value else "no"


def diagnostics_table(comparison: Comparison, rows: int) -> Table:
    """Return how much the tasks of a dataset depend on each other, and what follows."""
    unit = comparison.results.unit
    tests = comparison.pairwise[["a", "b", "p", "p_ignoring_clusters"]]
    columns = (
        *PAIR,
        Column("ICC", ("icc",), decimals(2)),
        Column("design effect", ("design_effect",), decimals(2)),
        Column("effective tasks", ("effective_tasks",), integer),
        Column("size p", ("size_p",), p_value),
        Column("p", ("p",), p_writer(comparison.settings)),
        Column(f"p ignoring {unit}s", ("p_ignoring_clusters",), p_writer(comparison.settings)),
    )
    return Table(
        name="diagnostics",
        title=f"How much the {unit}s matter",
        explanation=f"Correlation of tasks within a {unit} (ICC), the ratio of tasks to effective "
        "tasks (design effect), and the number of independent tasks that carry the same "
        "information. A small size p indicates that the difference depends on the number of tasks "
        f"of a {unit}. The last column is the p-value of a test that treats all tasks as "
        "independent.",
        frame=comparison.diagnostics,
        columns=columns,
        shown=comparison.diagnostics.merge(tests, on=["a", "b"], how="left"),
        terminal_rows=rows,
    )


def present(columns: tuple[Column, ...], frame: pd.DataFrame) -> tuple[Column, ...]:
    """Return the columns that the frame has."""
    return tuple(column for column in columns if all(key in frame for key in column.keys))


def binary_tables(comparison: Comparison, rows: int) -> Iterator[Table]:
    """Yield the clustered McNemar tests, where all scores are 0 or 1."""
    if comparison.binary is None:
        return
    ends = ("share_difference_ci_low", "share_difference_ci_high")
    unit = comparison.results.unit
    signed = decimals(3, signed=True)
    yield Table(
        name="binary",
        title="Tests of 0/1 scores",
        explanation="All scores are 0 or 1: the difference with equal weight of all tasks, its "
        "clustered standard error, and clustered McNemar tests (equal weight of tasks: Obuchowski; "
        f"of {unit}s: Durkalski; by the design effect: Eliasziw and Donner). Their p-values are "
        "two-sided and not corrected, and do not decide.",
        frame=comparison.binary,
        columns=(
            *PAIR,
            Column("difference", ("share_difference",), signed),
            Column("SE", ("standard_error",), decimals(3)),
            Column(f"{100 * (1 - comparison.settings.alpha):g} % CI", ends, limits(3)),
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
            title=f"Influence of single {unit}s",
            explanation=f"The {unit} with the most influence on each mean difference, the "
            f"difference without it, and the number of {unit}s without which the conclusion would "
            "change.",
            frame=section.influence,
            columns=(
                *PAIR,
                Column("mean difference", ("mean_difference",), signed),
                Column(f"most influential {unit}", ("dataset",), word, number=False),
                Column("without it", ("mean_difference_without",), signed),
                Column("changes", ("datasets_that_change",), integer),
            ),
            terminal_rows=rows,
        )
    without = "The leader without it, and the number of pairs with another conclusion."
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
        if frame is not None:
            yield plain_table(name, title, explanation, frame)


def design_tables(comparison: Comparison, rows: int) -> Iterator[Table]:
    """Yield what differences this benchmark can detect, and how large it would have to be."""
    section, unit = comparison.design, comparison.results.unit
    signed = decimals(score_digits(comparison), signed=True)
    unsigned = decimals(score_digits(comparison))
    yield Table(
        name="detectable",
        title="Detectable differences",
        explanation="The observed mean difference, and the smallest one that a t-test over "
        f"{section.n_clusters} {unit}s detects with {100 * section.wanted_power:.0f} % power, "
        "uncorrected and with Bonferroni's correction.",
        frame=section.detectable,
        columns=(
            *PAIR,
            Column("observed", ("mean_difference",), signed),
            Column("detectable", ("minimal_detectable",), unsigned),
            Column("detectable, corrected", ("minimal_detectable_corrected",), unsigned),
        ),
        note=f"With {count(section.n_clusters, unit)} and this correction, no p-value can be below "
        f"{section.smallest_p_corrected:.2g}."
        if section.smallest_p_corrected > 0
        else "",
        terminal_rows=rows,
    )
    if section.power is None:
        return
    yield Table(
        name="power",
        title="Power",
        explanation="Simulated, if the observed differences were the true ones: the power of a "
        f"benchmark of this size, and the number of {unit}s that gives "
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
    """Yield Friedman's test and the post-hoc tests of Nemenyi and Conover."""
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
                Column("independent units", ("valid",), truth, number=False),
            ),
            section.friedman,
        ),
        note=f"The tests treat their units as independent, which tasks of one "
        f"{comparison.results.unit} are not.",
    )
    yield plain_table(
        "classical_pairs",
        "Nemenyi and Conover",
        "Two-sided p-values of the classical post-hoc tests.",
        section.pairs,
    )


def plain_table(name: str, title: str, explanation: str, frame: pd.DataFrame) -> Table:
    """Return a table for the files, with headings and formats that follow from the frame."""
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
