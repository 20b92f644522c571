"""``occstats tune``: the hyperparameter sweep and the defaults that it gives."""

from __future__ import annotations

import json
from typing import Any

import click

from occstats.cli.experiment_options import (
    OF_TASKS,
    begin_workers,
    carry_out,
    experiment_options,
    figure_formats,
    split,
)


@click.command(name="tune")
@experiment_options(
    *OF_TASKS,
    "formats",
    out={"default": "sweep"},
    descriptors={
        "help": "Names among the nine, or import paths such as sklearn.svm:OneClassSVM, which need "
        "--grid.  [default: NND,LNND,LOF,SVM,ALP]"
    },
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
def command(
    data: tuple[str, ...],
    out: str,
    descriptors: list[str] | None,
    metric: str | None,
    grids: tuple[str, ...],
    windows: tuple[str, ...],
    formats: str,
    **options: Any,
) -> int:
    """Evaluate descriptors over their hyperparameters, and find the best defaults.

    For NND, LNND, LOF and ALP the whole grid of a fold costs one neighbour search. The sweep
    can be interrupted; the same command resumes it. DIR then holds the defaults, the figure, the
    parameters for each dataset that are best on the others, and the results with them:
    compare those with 'occstats compare DIR/results.csv', or run with 'occstats run --parameters
    DIR'.

    \b
    occstats tune --data my-data --descriptors LOF,ALP --out sweep
    occstats tune --data my-data --descriptors LOF --grid a=0.5:8:0.5 --window 3
    occstats tune --descriptors sklearn.svm:OneClassSVM --grid nu=0.1:0.5:0.1 --grid gamma=0.1,1
    """
    begin_workers(**options)
    from occstats.experiment.run import split_options
    from occstats.report.tuning_tables import print_sweep, write_sweep
    from occstats.tuning import prepare_sweep, read_sweep
    from occstats.tuning.grids import parse_grid

    kinds = tuple(figure_formats(formats))
    asked, how = split_options(options)
    experiment = prepare_sweep(
        data,
        out=out,
        descriptors=descriptors,
        metrics=split(metric),
        grids=dict(parse_grid(grid) for grid in grids),
        windows=dict(_parse_window(window) for window in windows),
        **asked,
    )
    if not carry_out(experiment, out, "folds", **how):
        return 0
    remaining = len(experiment.remaining().shards)
    if remaining:
        click.echo(f"{remaining} shards of other shares of the work are not there yet.", err=True)
    sweep = read_sweep(out)
    for reason in write_sweep(sweep, out, figure_formats=kinds):
        click.echo(reason, err=True)
    if how["as_json"]:
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
