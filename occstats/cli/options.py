"""Options that several commands share: how to compare, and how to read a results table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

from occstats.comparison.settings import OPTIONS, Option

__all__ = [
    "NAMES",
    "READING",
    "RESULTS",
    "GroupedCommand",
    "reading_options",
    "results_argument",
    "setting_options",
    "take_reading",
    "take_settings",
]

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


class ResultsType(click.ParamType[str]):
    """A path to results or the name of bundled ones; the shell completes both."""

    name = "results"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from occstats.results.bundled import bundled_names

        names = [name for name in bundled_names() if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] + [CompletionItem(incomplete, type="file")]


class NamesType(click.ParamType[list[str]]):
    """Names separated by commas; a name that has a comma itself can be quoted."""

    name = "names"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[str]:
        if isinstance(value, list):
            return value
        import csv

        return [name for name in next(csv.reader([value], skipinitialspace=True), []) if name]


RESULTS = ResultsType()
NAMES = NamesType()


class GroupedOption(click.Option):
    """An option that is listed under a heading of its own in the help."""

    def __init__(self, *arguments: Any, group: str, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.group = group


class GroupedCommand(click.Command):
    """A command whose help lists its options by group."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "Options"), []).append(record)
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def setting_options(command: Command) -> Command:
    """Add an option for every setting of a comparison."""
    for name, item in reversed(OPTIONS.items()):
        command = _setting(name, item)(command)
    return command


def _setting(name: str, item: Option) -> Callable[[Command], Command]:
    kind: Any = click.Choice(list(item.choices)) if item.choices else type(item.default)
    if item.default is None:
        kind = NAMES if name == "algorithms" else str
    return click.option(
        f"--{name.replace('_', '-')}",
        name,
        cls=GroupedOption,
        group=item.group,
        default=item.default,
        show_default=item.default is not None and item.default is not False,
        is_flag=item.default is False,
        type=kind,
        metavar=item.metavar,
        help=f"{item.help}.",
    )


def take_settings(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the settings from the parsed options; what was not given is left out."""
    source = click.get_current_context().get_parameter_source
    parsed = {name: options.pop(name) for name in OPTIONS}
    default = click.core.ParameterSource.DEFAULT
    return {name: value for name, value in parsed.items() if source(name) is not default}


def results_argument(command: Command) -> Command:
    """One or more results tables."""
    return click.argument("results", nargs=-1, required=True, type=RESULTS)(command)


def reading_options(command: Command) -> Command:
    """Add the options that say how to read a results table."""
    option = partial(click.option, cls=GroupedOption, group="Reading the results")
    options = [
        option(
            "--cluster",
            metavar="COLUMN",
            help="Column with the data set that a task belongs to [dataset].",
        ),
        option(
            "--task",
            metavar="COLUMN",
            help="Column that tells the tasks of a data set apart [class].",
        ),
        option(
            "--algorithm",
            metavar="COLUMN",
            multiple=True,
            help="Column with the algorithm (long form) [descriptor, algorithm, model …]; given "
            "several times: the columns that are algorithms (wide form).",
        ),
        option(
            "--score",
            metavar="COLUMN",
            help="Column with the score (long form) [auroc, score, accuracy …].",
        ),
        option("--fold", metavar="COLUMN", help="Column with the fold, averaged [fold]."),
        option(
            "--repeat",
            metavar="COLUMN",
            help="Column with repeats or seeds, averaged too [repeat, seed …].",
        ),
        option(
            "--trait",
            "traits",
            metavar="COLUMN",
            multiple=True,
            help="Column with a trait of the task; can be given several times [n, m, sparsity].",
        ),
        option(
            "--status",
            metavar="COLUMN",
            help="Column that says whether a row succeeded; failed rows are missing [status].",
        ),
        option("--metric", metavar="NAME", help="Which metric to keep, where a column names it."),
        option("--score-name", metavar="NAME", help="What the scores measure, for tables."),
        option(
            "--lower-is-better/--higher-is-better",
            default=None,
            help="Whether the score is an error, a loss or a time [higher is better].",
        ),
        option(
            "--on-clash",
            type=click.Choice(["refuse", "rename"]),
            help="When two results have an algorithm of the same name [refuse].",
        ),
        option(
            "--unequal-folds",
            type=click.Choice(["missing", "common", "own"]),
            help="Where an algorithm lacks folds of a task: its cell is missing, only common folds "
            "count, or each averages its own [missing].",
        ),
        option("--decimal", type=click.Choice([".", ","]), help="Decimal mark in text files [.]."),
        option(
            "--scale",
            type=float,
            help="Factor for the scores: 0.01 turns per cent into fractions [1].",
        ),
        option("--max-rows", type=int, help="Refuse files with more rows than this."),
    ]
    for add in reversed(options):
        command = add(command)
    return command


def take_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the reading options from the parsed ones; what was not given is left out."""
    given = {name: options.pop(name) for name in READING if name in options}
    columns = given.get("algorithm")
    if columns:
        given["algorithm"] = columns[0] if len(columns) == 1 else list(columns)
    return {name: value for name, value in given.items() if value not in (None, ())}
