"""``occstats run``: from data sets to a results table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from occstats.experiment import Experiment
    from occstats.experiment.summary import RunSummary


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


@click.command(name="run")
@experiment_options
@click.option(
    "--descriptors",
    metavar="A,B,…",
    help="Names among the nine, or import paths such as pyod.models.ecod:ECOD, or "
    "name=package.module:Class.  [default: all nine]",
)
@click.option(
    "--out",
    default="results",
    show_default=True,
    metavar="DIR|FILE.parquet",
    help="Where the results go; what is there is not computed again.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Give up a fit after this time.",
)
@click.option(
    "--seed",
    default="pinned:0",
    show_default=True,
    metavar="S|pinned:S",
    help="Derive each fit's seed from S, or give every fit S, as in the paper.",
)
@click.option(
    "--force",
    type=click.Choice(["failed", "all"]),
    help="Compute anew what failed, or everything asked for.",
)
@click.option(
    "--parameters",
    metavar="SWEEP",
    help="Use the leave-one-dataset-out parameters of this sweep (made by occstats tune).",
)
def command(
    data: tuple[str, ...],
    datasets: str | None,
    label: str,
    jobs: int | None,
    scheduler: str | None,
    shard: tuple[int, int] | None,
    dry_run: bool,
    progress: bool | None,
    as_json: bool,
    descriptors: str | None,
    out: str,
    timeout: float | None,
    seed: str,
    force: str | None,
    parameters: str | None,
) -> int:
    """Run data descriptors on one-class tasks and store the results.

    Every class of a data set with at least five rows is the target once. Interrupt it when you
    like: the same command goes on where it was. Compare the results with 'occstats compare DIR'.

    \b
    occstats run --datasets iris,wine --out results
    occstats run --data my-data --descriptors ALP,SVM,mine=package.module:Class -j 8
    occstats run --data my-data --shard 3/10 --out results
    """
    from occstats.experiment import prepare
    from occstats.experiment.summary import summarise

    experiment = prepare(
        data,
        datasets=split(datasets),
        descriptors=split(descriptors),
        out=out,
        timeout=timeout,
        seed=seed,
        label=label,
        parameters=_choices_of(parameters),
    )
    if dry_run:
        _print_plan(experiment, as_json)
        return 0
    if force is not None:
        experiment.forget(force)
    try:
        experiment.run(jobs=jobs, scheduler=scheduler, part=shard, progress=progress)
    except KeyboardInterrupt:
        click.echo(f"Interrupted; the same command goes on with what {out} lacks.", err=True)
        raise
    table = experiment.finish(out)
    summary = summarise(experiment, table)
    _print_summary(summary, out, as_json)
    return 1 if summary.failures else 0


def _choices_of(sweep: str | None) -> Any:
    if sweep is None:
        return None
    from occstats.experiment.tuning import leave_one_out_parameters

    return leave_one_out_parameters(sweep)


def _print_plan(experiment: Experiment, as_json: bool) -> None:
    remaining = experiment.remaining()
    plan = experiment.plan
    facts = {
        "datasets": len(experiment.tasks),
        "tasks": sum(len(tasks) for _, _, tasks in experiment.tasks),
        "descriptors": [recipe.name for recipe in experiment.recipes],
        "fits": plan.n_rows,
        "fits_remaining": remaining.n_rows,
        "shards_remaining": len(remaining.shards),
        "estimated_seconds_one_core": round(remaining.cost, 1),
    }
    if as_json:
        click.echo(json.dumps(facts))
        return
    click.echo(
        f"{facts['tasks']} tasks from {facts['datasets']} data sets × "
        f"{len(experiment.recipes)} descriptors × 5 folds = {facts['fits']} fits; "
        f"{remaining.n_rows} are not done yet, in {len(remaining.shards)} shards, "
        f"roughly {remaining.cost:.0f} s on one core."
    )


def _print_summary(summary: RunSummary, out: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(summary.as_dict(), ensure_ascii=False))
        return
    for line in summary.lines():
        click.echo(line)
    if summary.complete and summary.n_descriptors > 1:
        click.echo(f"Compare them: occstats compare {out}")
