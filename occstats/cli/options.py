"""Options that several commands share: how to read a results table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from occstats.results.options import Reading, option_name

__all__ = ["READING", "RESULTS", "reading_options", "results_argument", "take_reading"]

Command = TypeVar("Command", bound=Callable[..., Any])

# What `load_results` calls the options that `reading_options` adds.
READING = tuple(item.name for item in fields(Reading))


class ResultsType(StringParamType):
    """A path to results or the name of bundled ones; the shell completes both."""

    name = "results"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from occstats.results.readers.bundled import bundled_names

        names = [name for name in bundled_names() if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] + [CompletionItem(incomplete, type="file")]


RESULTS = ResultsType()


def results_argument(command: Command) -> Command:
    """One or more results tables."""
    return click.argument("results", nargs=-1, required=True, type=RESULTS)(command)


def reading_options(command: Command) -> Command:
    """Add the options that say how to read a results table."""
    for item in reversed(fields(Reading)):
        command = _option(item)(command)
    return command


def _option(item: Field[Any]) -> Callable[[Command], Command]:
    declared = item.metadata
    name = option_name(item.name)
    default = f"{item.default:g}" if isinstance(item.default, float) else item.default
    usual = declared.get("usual", default)
    shown = f"{declared['help']}{f' [{usual}]' if usual else ''}."
    if "flag" in declared:
        return click.option(f"{name}/--{declared['flag']}", item.name, default=None, help=shown)
    if "choices" in declared:
        return click.option(name, item.name, type=click.Choice(declared["choices"]), help=shown)
    kind = type(item.default) if isinstance(item.default, int | float) else str
    return click.option(
        name,
        item.name,
        type=kind,
        multiple=declared.get("many", False),
        metavar=declared.get("metavar"),
        help=shown,
    )


def take_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the reading options from the parsed ones; what was not given is left out."""
    given = {name: options.pop(name) for name in READING if name in options}
    columns = given.get("algorithm")
    if columns:
        given["algorithm"] = columns[0] if len(columns) == 1 else list(columns)
    return {name: value for name, value in given.items() if value not in (None, ())}
