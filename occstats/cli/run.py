"""``occstats run``: from data sets to a results table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from occstats.cli.experiment_options import experiment_options, split

if TYPE_CHECKING:
    from occstats.experiment import Experiment
    from occstats.experiment.summary import RunSummary


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
