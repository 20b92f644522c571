"""The options of the commands that fit descriptors (run, tune, time), each declared once."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from occstats.experiment import Experiment

__all__ = ["begin_workers", "carry_out", "experiment_options", "figure_formats", "split"]


def split(names: str | None) -> list[str] | None:
    """Split names separated by commas."""
    if names is None:
        return None
    return [name.strip() for name in names.split(",") if name.strip()]


def _split(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[str] | None:
    return split(value)


def _parse_shard(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    index, slash, of = value.partition("/")
    if not (slash and index.isdigit() and of.isdigit() and 1 <= int(index) <= int(of)):
        raise click.BadParameter(f"{value!r} is not I/N with 1 ≤ I ≤ N, such as 3/10")
    return int(index), int(of)


def _declared(*names: str, **arguments: Any) -> tuple[tuple[str, ...], dict[str, Any]]:
    return names, arguments


OPTIONS = {
    "data": _declared(
        "--data",
        multiple=True,
        default=["builtin"],
        show_default=True,
        metavar="DIR|FILE|builtin",
        help="A folder with one file per dataset, a file, or the built-in datasets; repeatable.",
    ),
    "datasets": _declared(
        "--datasets",
        metavar="A,B,C*",
        callback=_split,
        help="Only these datasets: names or globs, separated by commas.",
    ),
    "label": _declared(
        "--label",
        default="class",
        show_default=True,
        metavar="COLUMN",
        help="The column with the class labels.",
    ),
    "descriptors": _declared(
        "--descriptors",
        metavar="A,B,…",
        callback=_split,
        help="Names among the nine, or import paths such as pyod.models.ecod:ECOD, or "
        "name=package.module:Class.  [default: all nine]",
    ),
    "jobs": _declared(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="Worker processes on this machine.  [default: one per core, fewer "
        "for a few seconds of work]",
    ),
    "scheduler": _declared(
        "--scheduler",
        metavar="ADDRESS",
        help="A dask scheduler (tcp://host:port) whose workers see the same files.",
    ),
    "shard": _declared(
        "--shard",
        metavar="I/N",
        callback=_parse_shard,
        help="Compute only the I-th of N shares of the work, for job arrays.",
    ),
    "timeout": _declared(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Time limit of a fit (in a sweep, of a fold).",
    ),
    "memory": _declared(
        "--memory",
        type=click.FloatRange(min=0, min_open=True),
        metavar="GB",
        help="Memory of a worker; a fit that needs more fails.  [default: the available memory]",
    ),
    "seed": _declared(
        "--seed",
        default="pinned:0",
        show_default=True,
        metavar="S|pinned:S",
        help="Derive the seed of each fit from S, or use S for every fit, as in the paper.",
    ),
    "force": _declared(
        "--force",
        type=click.Choice(["failed", "all"]),
        help="Compute failed fits again, or all of them.",
    ),
    "dry_run": _declared("--dry-run", is_flag=True, help="Print what would be computed, and stop."),
    "out": _declared(
        "--out",
        show_default=True,
        metavar="DIR",
        help="Where to write the results; results that are there are not computed again.",
    ),
    "formats": _declared(
        "--format",
        "formats",
        default="pdf,svg",
        show_default=True,
        metavar="A,B",
        help="Formats of the figure: pdf, svg, png, pgf, separated by commas; or none.",
    ),
    "progress": _declared(
        "--progress/--no-progress",
        default=None,
        help="Show a progress bar.  [default: on a terminal]",
    ),
    "as_json": _declared("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
}
# What every command that works through tasks takes: data, engine and store.
OF_TASKS = ("data", "datasets", "label", "descriptors", "jobs", "scheduler", "shard", "timeout",
            "memory", "seed", "force", "dry_run", "out", "progress", "as_json")  # fmt: skip


def experiment_options(*names: str, **changes: dict[str, Any]) -> Callable[[Any], Any]:
    """Add the named options, by default those of a command that works through tasks.

    Parameters
    ----------
    *names : str
        Keys of the list above, in the order of the help.
    **changes : dict
        Arguments of ``click.option`` that differ for this command, by the key of the option.
    """

    def decorate(function: Any) -> Any:
        for name in reversed(names or OF_TASKS):
            declarations, arguments = OPTIONS[name]
            function = click.option(*declarations, **{**arguments, **changes.get(name, {})})(
                function
            )
        return function

    return decorate


def figure_formats(text: str) -> list[str]:
    """Return the formats that were asked for; an empty list for "none"."""
    from occstats.figures.saving import check_formats

    return [] if text.strip().lower() == "none" else check_formats(split(text) or [])


def begin_workers(
    jobs: int | None, scheduler: str | None = None, dry_run: bool = False, **others: object
) -> None:
    """Let workers begin their imports while this process plans."""
    if jobs is not None and jobs > 1 and scheduler is None and not dry_run:
        from occstats.workers import start_ahead

        start_ahead()


def carry_out(
    experiment: Experiment, out: str, unit: str, *, dry_run: bool, as_json: bool, **how: Any
) -> bool:
    """Compute what an experiment lacks; print its plan and return False for a dry run."""
    if dry_run:
        _print_plan(experiment, unit, as_json)
        return False
    try:
        for other in experiment.run(**how):
            click.echo(f"{out} is also written by {other}", err=True)
    except KeyboardInterrupt:
        click.echo(f"Interrupted; the same command resumes the work in {out}.", err=True)
        raise
    return True


def _print_plan(experiment: Experiment, unit: str, as_json: bool) -> None:
    plan, remaining = experiment.plan, experiment.remaining()
    tasks = sum(len(tasks) for _, _, tasks in experiment.tasks)
    if as_json:
        facts = {
            "datasets": len(experiment.tasks),
            "tasks": tasks,
            **experiment.described(),
            unit: plan.n_rows,
            f"{unit}_remaining": remaining.n_rows,
            "shards_remaining": len(remaining.shards),
            "estimated_seconds_one_core": round(remaining.cost, 1),
        }
        click.echo(json.dumps(facts))
        return
    click.echo(
        f"{tasks} tasks from {len(experiment.tasks)} datasets × {len(experiment.recipes)} "
        f"descriptors × 5 folds = {plan.n_rows} {unit}; {remaining.n_rows} are not done yet, in "
        f"{len(remaining.shards)} shards, roughly {remaining.cost:.0f} s on one core."
    )
