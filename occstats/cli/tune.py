"""``occstats tune``: the hyperparameter sweep and the defaults that it gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from occstats.cli.experiment_options import experiment_options, split

if TYPE_CHECKING:
    from occstats.experiment.tuning import SweepExperiment


@click.command(name="tune")
@experiment_options
@click.option(
    "--descriptors",
    metavar="A,B,…",
    help="Names among the nine, or import paths such as sklearn.svm:OneClassSVM, which need "
    "--grid.  [default: NND,LNND,LOF,SVM,ALP]",
)
@click.option(
    "--metric",
    metavar="A,B",
    help="Metrics of the neighbour-based descriptors.  [default: manhattan,euclidean]",
)
@click.option(
    "--grid",
    "grids",
    multiple=True,
    metavar="NAME=START:STOP:STEP|V,V,…",
    help="Values to try; repeatable. k and l are numbers of neighbours, a and b factors of log n, "
    "nu and c (times m) those of SVM; LOF.a=… is for LOF alone.  [default: the paper's]",
)
@click.option(
    "--window",
    "windows",
    multiple=True,
    metavar="[NAME=]N",
    help="Odd width of the rolling mean in grid points; repeatable.  [default: the paper's]",
)
@click.option(
    "--out",
    default="sweep",
    show_default=True,
    metavar="DIR",
    help="Where the sweep goes; what is there is not computed again.",
)
@click.option(
    "--format",
    "figure_formats",
    default="pdf,svg",
    show_default=True,
    metavar="A,B",
    help="Formats of the figure.",
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
    metric: str | None,
    grids: tuple[str, ...],
    windows: tuple[str, ...],
    out: str,
    timeout: float | None,
    seed: str,
    force: str | None,
    figure_formats: str,
) -> int:
    """Evaluate descriptors over their hyperparameters, and find the best defaults.

    For NND, LNND, LOF and ALP the whole grid of a fold costs one neighbour search. Interrupt it
    when you like: the same command goes on where it was. DIR then holds the defaults, the figure,
    the parameters for each data set that are best on the others, and the results with them:
    compare those with 'occstats compare DIR/results.csv', or run with 'occstats run --parameters
    DIR'.

    \b
    occstats tune --data my-data --descriptors LOF,ALP --out sweep
    occstats tune --data my-data --descriptors LOF --grid a=0.5:8:0.5 --window 3
    occstats tune --descriptors sklearn.svm:OneClassSVM --grid nu=0.1:0.5:0.1 --grid gamma=0.1,1
    """
    from occstats.experiment.tuning import prepare_sweep, read_sweep
    from occstats.experiment.tuning.grids import parse_grid
    from occstats.figures.saving import check_formats
    from occstats.report.sweep import print_sweep, write_sweep

    kinds = tuple(check_formats(split(figure_formats) or []))
    experiment = prepare_sweep(
        data,
        datasets=split(datasets),
        descriptors=split(descriptors),
        metrics=split(metric),
        grids=dict(parse_grid(grid) for grid in grids),
        windows=dict(_parse_window(window) for window in windows),
        out=out,
        timeout=timeout,
        seed=seed,
        label=label,
    )
    if dry_run:
        _print_plan(experiment, as_json)
        return 0
    if force is not None:
        experiment.forget(force)
    experiment.describe()
    try:
        experiment.run(jobs=jobs, scheduler=scheduler, part=shard, progress=progress)
    except KeyboardInterrupt:
        click.echo(f"Interrupted; the same command goes on with what {out} lacks.", err=True)
        raise
    remaining = len(experiment.remaining().shards)
    if remaining:
        click.echo(f"{remaining} shards of other shares of the work are not there yet.", err=True)
    sweep = read_sweep(out)
    for reason in write_sweep(sweep, out, figure_formats=kinds):
        click.echo(reason, err=True)
    if as_json:
        click.echo(json.dumps(sweep.to_dict(), ensure_ascii=False))
    else:
        print_sweep(sweep)
        click.echo(f"Written to {out}.")
        if len(sweep.results) and len(sweep.choices) > 1:
            click.echo(f"Compare with these parameters: occstats compare {out}/results.csv")
    return 1 if sweep.failures else 0


def _parse_window(text: str) -> tuple[str, int]:
    from occstats.errors import ArgumentError

    name, _, width = text.rpartition("=")
    if not width.strip().isdigit():
        raise ArgumentError(
            f"--window: expected a number of grid points such as 11 or a=11, got {text!r}"
        )
    return name.strip(), int(width)


def _print_plan(experiment: SweepExperiment, as_json: bool) -> None:
    remaining = experiment.remaining()
    facts: dict[str, Any] = {
        "datasets": len(experiment.tasks),
        "tasks": sum(len(tasks) for _, _, tasks in experiment.tasks),
        "sweeps": {
            recipe.name: [len(axis.values) for axis in recipe.axes] for recipe in experiment.sweeps
        },
        "folds": experiment.plan.n_rows,
        "folds_remaining": remaining.n_rows,
        "shards_remaining": len(remaining.shards),
        "estimated_seconds_one_core": round(remaining.cost, 1),
    }
    if as_json:
        click.echo(json.dumps(facts))
        return
    listed = ", ".join(
        f"{name} {' × '.join(map(str, sizes))}" for name, sizes in facts["sweeps"].items()
    )
    click.echo(
        f"{facts['tasks']} tasks from {facts['datasets']} data sets × 5 folds, grids {listed}: "
        f"{remaining.n_rows} folds are not done yet, in {len(remaining.shards)} shards, roughly "
        f"{remaining.cost:.0f} s on one core."
    )
