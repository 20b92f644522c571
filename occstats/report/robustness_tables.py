"""Tabulate dependence, sensitivity, power, classical tests and missing results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from occstats._format import (
    count,
    decimals,
    integer,
    limits,
    p_value,
    p_writer,
    percent,
    significant,
)
from occstats.comparison.heterogeneity import new_dataset_sentence
from occstats.comparison.text.verdict import difference_digits, score_digits, subject_of
from occstats.report.formatted_table import PAIR, Column, Table, plain_table, truth

if TYPE_CHECKING:
    from occstats.comparison.comparison import Comparison

__all__ = ["robustness_tables"]


def robustness_tables(comparison: Comparison) -> Iterator[Table]:
    """Yield the tables of the analyses that the comparison contains."""
    # A single dataset says nothing about variation between datasets.
    if comparison.results.n_independent > 1:
        yield _diagnostics(comparison)
        yield _heterogeneity(comparison)
        yield from _stability(comparison)
        yield from _design(comparison)
        if comparison.binary is not None:
            yield _binary(comparison)
    yield from _classical(comparison)
    if comparison.gaps is not None:
        yield _missing(comparison)
    if comparison.fold_tests is not None:
        yield plain_table(
            "fold_tests",
            "Tests within tasks",
            "Posterior probabilities that a is better than b, practically equivalent, and worse, "
            "from the correlated t-test on the folds of each task.",
            comparison.fold_tests,
        )


def _rows(comparison: Comparison) -> int:
    """Return the number of pairs on a terminal: those of the best algorithm."""
    return max(len(comparison.algorithms) - 1, 1)


def _diagnostics(comparison: Comparison) -> Table:
    unit, write = comparison.results.unit, p_writer(comparison.settings)
    tests = comparison.pairwise[["a", "b", "p", "p_ignoring_clusters"]]
    return Table(
        name="diagnostics",
        title=f"Dependence within {unit}s",
        explanation=f"Intraclass correlation of tasks within a {unit} (ICC), the ratio of tasks to "
        "effective tasks (design effect), and the number of independent tasks that carry the same "
        "information. A small size p indicates that the difference depends on the number of tasks "
        f"in a {unit}. The last column is the p-value of a test that treats all tasks as "
        "independent.",
        frame=comparison.diagnostics,
        columns=(
            *PAIR,
            Column("ICC", ("icc",), decimals(2)),
            Column("design effect", ("design_effect",), decimals(2)),
            Column("effective tasks", ("effective_tasks",), integer),
            Column("size p", ("size_p",), p_value),
            Column("p", ("p",), write),
            Column(f"p ignoring {unit}s", ("p_ignoring_clusters",), write),
        ),
        shown=comparison.diagnostics.merge(tests, on=["a", "b"], how="left"),
        terminal_rows=_rows(comparison),
    )


def _heterogeneity(comparison: Comparison) -> Table:
    unit, digits = comparison.results.unit, difference_digits(comparison)
    level = f"{100 * (1 - comparison.settings.alpha):g} %"
    subject = subject_of(comparison)
    rival = next(name for name in comparison.algorithms if name != subject)
    return Table(
        name="heterogeneity",
        title=f"Prediction for a new {unit}",
        explanation=f"Random-effects analysis of the mean differences of {unit}s: their standard "
        "deviation without error (τ), its share of their variance (I²), the prediction interval "
        f"for the mean difference on a new {unit}, and the probability that a is better there. "
        "The intervals are not corrected, and do not enter the decision.",
        frame=comparison.heterogeneity,
        columns=(
            *PAIR,
            Column("τ", ("heterogeneity_sd",), decimals(digits)),
            Column("I²", ("i_squared",), percent),
            Column(
                f"{level} prediction interval",
                ("prediction_low", "prediction_high"),
                limits(digits),
            ),
            Column("P(a better)", ("prob_better",), decimals(2)),
            Column(
                f"{level} CI",
                ("prob_better_ci_low", "prob_better_ci_high"),
                limits(2, signed=False),
            ),
        ),
        note=new_dataset_sentence(comparison, subject, rival),
        terminal_rows=_rows(comparison),
    )


def _binary(comparison: Comparison) -> Table:
    ends = ("share_difference_ci_low", "share_difference_ci_high")
    assert comparison.binary is not None
    return Table(
        name="binary",
        title="Tests of 0/1 scores",
        explanation="The difference in proportions with equal weight for each task, its clustered "
        "standard error, and clustered McNemar tests (equal weight for tasks: Obuchowski; for "
        f"{comparison.results.unit}s: Durkalski; by the design effect: Eliasziw and Donner). Their "
        "p-values are two-sided and uncorrected, and do not enter the decision.",
        frame=comparison.binary,
        columns=(
            *PAIR,
            Column("difference", ("share_difference",), decimals(3, signed=True)),
            Column("SE", ("standard_error",), decimals(3)),
            Column(f"{100 * (1 - comparison.settings.alpha):g} % CI", ends, limits(3)),
            Column("Obuchowski p", ("p_obuchowski",), p_value),
            Column("Durkalski p", ("p_durkalski",), p_value),
            Column("Eliasziw-Donner p", ("p_eliasziw_donner",), p_value),
            Column("design effect", ("design_effect",), decimals(2)),
            Column("detectable", ("minimal_detectable",), decimals(3)),
        ),
        terminal_rows=_rows(comparison),
    )


def _stability(comparison: Comparison) -> Iterator[Table]:
    section, unit = comparison.stability, comparison.results.unit
    signed = decimals(score_digits(comparison), signed=True)
    if section.influence is not None:
        yield Table(
            name="influence",
            title=f"Influence of single {unit}s",
            explanation=f"The {unit} with the largest influence on each mean difference, the "
            f"difference without it, and the number of {unit}s whose removal changes the "
            "conclusion.",
            frame=section.influence,
            columns=(
                *PAIR,
                Column("mean difference", ("mean_difference",), signed),
                Column(f"most influential {unit}", ("dataset",), number=False),
                Column("without it", ("mean_difference_without",), signed),
                Column("changes", ("datasets_that_change",), integer),
            ),
            terminal_rows=_rows(comparison),
        )
    leader = "The leader without it, and the number of pairs whose conclusion changes."
    for name, title, explanation in (
        ("changes", "Changed conclusions", f"One row per pair and removed {unit} or algorithm."),
        ("leave_one_dataset_out", f"Leave-one-{unit}-out", leader),
        ("leave_one_algorithm_out", "Leave-one-algorithm-out", leader),
    ):
        frame = getattr(section, name)
        if frame is not None:
            yield plain_table(name, title, explanation, frame)


def _design(comparison: Comparison) -> Iterator[Table]:
    section, unit, digits = comparison.design, comparison.results.unit, score_digits(comparison)
    least = section.smallest_p_corrected
    yield Table(
        name="detectable",
        title="Detectable differences",
        explanation="The observed mean difference, and the smallest one that a t-test over "
        f"{section.n_clusters} {unit}s detects with {100 * section.wanted_power:.0f} % power, "
        "uncorrected and with Bonferroni's correction.",
        frame=section.detectable,
        columns=(
            *PAIR,
            Column("observed", ("mean_difference",), decimals(digits, signed=True)),
            Column("detectable", ("minimal_detectable",), decimals(digits)),
            Column("detectable, corrected", ("minimal_detectable_corrected",), decimals(digits)),
        ),
        note=f"With {count(section.n_clusters, unit)} and this correction, no p-value can be below "
        f"{least:.2g}."
        if least > 0
        else "",
        terminal_rows=_rows(comparison),
    )


def _classical(comparison: Comparison) -> Iterator[Table]:
    section = comparison.classical
    columns = (
        Column("on", ("unit",), number=False),
        Column("n", ("n",), integer),
        Column("χ²", ("chi_squared",), significant(4)),
        Column("p", ("p",), p_value),
        Column("F", ("iman_davenport",), significant(4)),
        Column("p of F", ("p_iman_davenport",), p_value),
        Column("critical difference", ("critical_difference",), decimals(2)),
        Column("independent units", ("valid",), truth, number=False),
    )
    yield Table(
        name="friedman",
        title="Classical tests",
        explanation="Friedman's test with Iman and Davenport's correction, and Nemenyi's critical "
        "difference between mean ranks.",
        frame=section.friedman,
        columns=tuple(column for column in columns if column.keys[0] in section.friedman),
        note="The tests treat their units as independent, which tasks of one "
        f"{comparison.results.unit} are not.",
    )
    yield plain_table(
        "classical_pairs",
        "Classical post-hoc tests",
        "Two-sided p-values of the tests of Nemenyi and Conover.",
        section.pairs,
    )


def _missing(comparison: Comparison) -> Table:
    gaps = comparison.gaps
    assert gaps is not None
    return Table(
        name="missing",
        title="Missing results",
        explanation=f"{gaps.cells:,} of {gaps.of:,} results are missing; the policy here is "
        f"{comparison.settings.missing}. Under other policies: the algorithms and tasks that "
        "remain, the leader, and the number of pairs whose conclusion changes.",
        frame=gaps.policies,
        columns=(
            Column("policy", ("policy",), number=False),
            Column("algorithms", ("algorithms",), integer),
            Column("tasks", ("tasks",), integer),
            Column("leader", ("best",), number=False),
            Column("pairs", ("pairs",), integer),
            Column("other conclusions", ("changed_pairs",), integer),
        ),
    )
