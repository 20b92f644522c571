"""Options that several commands share: settings of a comparison, and reading of results."""

from __future__ import annotations

import contextlib
import glob
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem
from click.types import StringParamType

from occstats.comparison.settings import REPLACED, Settings
from occstats.results.options import Reading, option_name

__all__ = [
    "READING",
    "RESULTS",
    "GroupedCommand",
    "complete_algorithms",
    "complete_figures",
    "reading_options",
    "results_argument",
    "setting_options",
    "split_names",
    "take_reading",
    "take_settings",
    "working",
]

Command = TypeVar("Command", bound=Callable[..., Any])

# The names of the options in `load_results` and `compare`.
READING = tuple(item.name for item in fields(Reading))
SETTINGS = tuple(item.name for item in fields(Settings))
# Options of version 0.2, which `compare` answers with their successors.
REMOVED = tuple(name for name in REPLACED if "=" not in name)


class ResultsType(StringParamType):
    """A path to results or the name of bundled ones; the shell completes both."""

    name = "results"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from occstats.results.load import bundled_names

        names = [name for name in bundled_names() if name.startswith(incomplete)]
        if not names:
            return [CompletionItem(incomplete, type="file")]
        # Bash drops every other answer where one is "any file": the files are named, too.
        files = sorted(path.name for path in Path().glob(f"{glob.escape(incomplete)}*"))
        return [CompletionItem(name) for name in (*names, *files)]


class SettingChoice(click.Choice):  # type: ignore[type-arg]  # click 8.1 has no argument
    """A choice that leaves values of version 0.2 to `compare`, which answers them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if param is not None and f"{param.name}={value}" in REPLACED:
            return value
        return super().convert(value, param, ctx)


RESULTS = ResultsType()


def complete_algorithms(
    ctx: click.Context, _: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the algorithms of the results on the command line, if they can be read."""
    from occstats.errors import OccstatsError
    from occstats.results import load_results

    try:
        found = load_results(*(ctx.params.get("results") or ctx.args)).algorithms
    except (OccstatsError, OSError):
        return []
    return _complete_last(found, incomplete)


def complete_figures(
    _: click.Context, __: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete the names of the figures."""
    from occstats.figures.registry import FIGURES

    return _complete_last(FIGURES, incomplete)


def _complete_last(known: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Complete the last of several names separated by commas."""
    before, comma, last = incomplete.rpartition(",")
    given = before.split(",")
    return [
        CompletionItem(f"{before}{comma}{name}")
        for name in known
        if name.startswith(last) and name not in given
    ]


# What the shell completes for a setting, by its name.
_COMPLETED = {"algorithms": complete_algorithms, "control": complete_algorithms}


def split_names(text: str) -> list[str]:
    """Split names separated by commas; a name with a comma can be quoted.

    Examples
    --------
    >>> split_names('ALP, "a, b"')
    ['ALP', 'a, b']
    """
    import csv

    parts = next(csv.reader([text], skipinitialspace=True), [])
    return [part.strip() for part in parts if part.strip()]


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


@contextlib.contextmanager
def working(words: str) -> Iterator[None]:
    """Show on a terminal what takes a while, and remove it when it is done."""
    shown = sys.stderr.isatty()
    if shown:
        click.echo(f"{words} …", nl=False, err=True)
    try:
        yield
    finally:
        if shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def results_argument(command: Command) -> Command:
    """Add the argument for one or more results tables."""
    return click.argument("results", nargs=-1, required=True, type=RESULTS)(command)


def reading_options(command: Command, taken: tuple[str, ...] = ()) -> Command:
    """Add the options for reading a results table.

    Those whose names are taken by the command itself become ``--results-NAME``.
    """
    for item in reversed(fields(Reading)):
        name = option_name(item.name)
        name = name.replace("--", "--results-", 1) if item.name in taken else name
        command = _option(item, name, "Reading the results")(command)
    return command


def setting_options(command: Command) -> Command:
    """Add an option for every setting of a comparison."""
    for name in REMOVED:
        command = click.option(option_name(name), name, hidden=True, help="Removed.")(command)
    for item in reversed(fields(Settings)):
        command = _option(item, option_name(item.name), item.metadata["group"])(command)
    return command


def _option(item: Field[Any], name: str, group: str) -> Callable[[Command], Command]:
    """Return the option that a field declares; its default is None, or empty."""
    declared = item.metadata
    default = f"{item.default:g}" if isinstance(item.default, float) else item.default
    usual = declared.get("usual") or default
    known = usual is not None and usual is not False and usual != ()
    attributes: dict[str, Any] = {
        "cls": GroupedOption,
        "group": group,
        "help": f"{declared['help']}{f' [{usual}]' if known else ''}.",
        "metavar": declared.get("metavar"),
        "shell_complete": _COMPLETED.get(item.name),
    }
    if "flag" in declared:
        return click.option(f"{name}/--{declared['flag']}", item.name, default=None, **attributes)
    if item.default is False:
        return click.option(name, item.name, is_flag=True, default=None, **attributes)
    choices = list(declared.get("choices") or ())
    kind: Any = type(item.default) if isinstance(item.default, int | float) else str
    kind = float if "float" in str(item.type) else kind
    if any("=" in choice for choice in choices):
        attributes["metavar"] = "|".join(choices)
    elif choices:
        kind = SettingChoice(choices)
    if declared.get("listed"):
        attributes["callback"] = lambda _context, _parameter, value: value and split_names(value)
    many = bool(declared.get("many"))
    return click.option(name, item.name, type=kind, multiple=many, **attributes)


def take_settings(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the settings from the parsed options; what was not given is left out."""
    return _take((*SETTINGS, *REMOVED), options)


def take_reading(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the reading options from the parsed ones; what was not given is left out."""
    given = _take(READING, options)
    for name in ("cluster", "algorithm"):
        columns = given.get(name)
        if columns:
            given[name] = columns[0] if len(columns) == 1 else list(columns)
    return given


def _take(names: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    given = {name: options.pop(name) for name in names if name in options}
    return {name: value for name, value in given.items() if value not in (None, ())}
