"""The options of the commands that work through tasks: run and tune."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["experiment_options", "split"]


def experiment_options(function: Any) -> Any:
    """The options of every command that works through tasks: data, engine and store."""
    options = [
        click.option(
            "--data",
            multiple=True,
            default=["builtin"],
            show_default=True,
            metavar="DIR|FILE|builtin",
            help="A folder with one file per data set, a file, or the built-in ones; repeatable.",
        ),
        click.option(
            "--datasets", metavar="A,B,C*", help="Only these data sets: names or globs, by comma."
        ),
        click.option(
            "--label",
            default="class",
            show_default=True,
            metavar="COLUMN",
            help="The column with the class labels.",
        ),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            help="Worker processes on this machine.  [default: one per core]",
        ),
        click.option(
            "--scheduler",
            metavar="ADDRESS",
            help="A dask scheduler (tcp://host:port) whose workers see the same files.",
        ),
        click.option(
            "--shard",
            metavar="I/N",
            callback=_parse_shard,
            help="Compute only the I-th of N shares of the work, for job arrays.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(min=0, min_open=True),
            metavar="SECONDS",
            help="Give up a fit (of a sweep: a fold) after this time.",
        ),
        click.option(
            "--seed",
            default="pinned:0",
            show_default=True,
            metavar="S|pinned:S",
            help="Derive each fit's seed from S, or give every fit S, as in the paper.",
        ),
        click.option(
            "--force",
            type=click.Choice(["failed", "all"]),
            help="Compute anew what failed, or everything asked for.",
        ),
        click.option("--dry-run", is_flag=True, help="Say what would be computed, and stop."),
        click.option(
            "--progress/--no-progress",
            default=None,
            help="Show a progress bar.  [default: on a terminal]",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def split(names: str | None) -> list[str] | None:
    """Names separated by commas."""
    if names is None:
        return None
    return [name.strip() for name in names.split(",") if name.strip()]


def _parse_shard(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    index, slash, of = value.partition("/")
    if not (slash and index.isdigit() and of.isdigit() and 1 <= int(index) <= int(of)):
        raise click.BadParameter(f"{value!r} is not I/N with 1 ≤ I ≤ N, such as 3/10")
    return int(index), int(of)
