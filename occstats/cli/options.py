"""Options that several commands share: how to read a results table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

__all__ = ["READING", "RESULTS", "reading_options", "results_argument", "take_reading"]

Command = TypeVar("Command", bound=Callable[..., Any])

# What `load_results` calls the options that `reading_options` adds.
READING = (
    "cluster",
    "task",
    "algorithm",
    "score",
    "fold",
    "repeat",
    "status",
    "traits",
    "metric",
    "score_name",
    "lower_is_better",
    "on_clash",
    "unequal_folds",
    "decimal",
    "scale",
    "max_rows",
)


class ResultsType(StringParamType):
    """A path to results or the name of bundled ones; the shell completes both."""

    name = "results"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from occstats.results.bundled import bundled_names

        names = [name for name in bundled_names() if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] + [CompletionItem(incomplete, type="file")]


RESULTS = ResultsType()


def results_argument(command: Command) -> Command:
    """One or more results tables."""
    return click.argument("results", nargs=-1, required=True, type=RESULTS)(command)


def reading_options(command: Command) -> Command:
    """Add the options that say how to read a results table."""
    options = [
        click.option(
            "--cluster",
            metavar="COLUMN",
            help="Column with the data set that a task belongs to [dataset].",
        ),
        click.option(
            "--task",
            metavar="COLUMN",
            help="Column that tells the tasks of a data set apart [class].",
        ),
        click.option(
            "--algorithm",
            metavar="COLUMN",
            multiple=True,
            help="Column with the algorithm (long form) [descriptor, algorithm, model …]; given "
            "several times: the columns that are algorithms (wide form).",
        ),
        click.option(
            "--score",
            metavar="COLUMN",
            help="Column with the score (long form) [auroc, score, accuracy …].",
        ),
        click.option("--fold", metavar="COLUMN", help="Column with the fold, averaged [fold]."),
        click.option(
            "--repeat",
            metavar="COLUMN",
            help="Column with repeats or seeds, averaged too [repeat, seed …].",
        ),
        click.option(
            "--trait",
            "traits",
            metavar="COLUMN",
            multiple=True,
            help="Column with a trait of the task; can be given several times [n, m, sparsity].",
        ),
        click.option(
            "--status",
            metavar="COLUMN",
            help="Column that says whether a row succeeded; failed rows are missing [status].",
        ),
        click.option(
            "--metric", metavar="NAME", help="Which metric to keep, where a column names it."
        ),
        click.option("--score-name", metavar="NAME", help="What the scores measure, for tables."),
        click.option(
            "--lower-is-better/--higher-is-better",
            default=None,
            help="Whether the score is an error, a loss or a time [higher is better].",
        ),
        click.option(
            "--on-clash",
            type=click.Choice(["refuse", "rename"]),
            help="When two results have an algorithm of the same name [refuse].",
        ),
        click.option(
            "--unequal-folds",
            type=click.Choice(["missing", "common", "own"]),
            help="Where an algorithm lacks folds of a task: its cell is missing, only common folds "
            "count, or each averages its own [missing].",
        ),
        click.option(
            "--decimal", type=click.Choice([".", ","]), help="Decimal mark in text files [.]."
        ),
        click.option(
            "--scale",
            type=float,
            help="Factor for the scores: 0.01 turns per cent into fractions [1].",
        ),
        click.option("--max-rows", type=int, help="Refuse files with more rows than this."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def take_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the reading options from the parsed ones; what was not given is left out."""
    given = {name: options.pop(name) for name in READING if name in options}
    columns = given.get("algorithm")
    if columns:
        given["algorithm"] = columns[0] if len(columns) == 1 else list(columns)
    return {name: value for name, value in given.items() if value not in (None, ())}
