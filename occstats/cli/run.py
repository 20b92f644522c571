"""``occstats run``: from datasets to a results table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from occstats.cli.experiment_options import begin_workers, carry_out, experiment_options

if TYPE_CHECKING:
    from occstats.experiment.summary import RunSummary


@click.command(name="run")
@experiment_options(out={"default": "results", "metavar": "DIR|FILE.parquet"})
@click.option(
    "--parameters",
    metavar="SWEEP",
    help="Use the leave-one-dataset-out parameters of this sweep (made by occstats tune).",
)
@click.option(
    "--preset",
    type=click.Choice(["paper"]),
    help="The paper's whole experiment: sweep, parameters chosen on the other datasets, run, "
    "comparison, and a page with its numbers and the published ones.",
)
@click.option(
    "--fast", is_flag=True, help="With --preset paper, only the small datasets (minutes)."
)
def command(
    data: tuple[str, ...],
    preset: str | None,
    fast: bool,
    out: str,
    descriptors: list[str] | None,
    parameters: str | None,
    **options: Any,
) -> int:
    """Run data descriptors on one-class tasks and store the results.

    Every class of a dataset with at least five rows is the target once. The run can
    be interrupted; the same command resumes it. Compare the results with 'occstats compare DIR'.

    \b
    occstats run --datasets iris,wine --out results
    occstats run --data my-data --descriptors ALP,SVM,mine=package.module:Class -j 8
    occstats run --data my-data --shard 3/10 --out results
    occstats run --preset paper --fast --data folder-of-the-papers-data-sets --out paper
    """
    begin_workers(**options)
    from occstats.experiment.run import prepare, split_options
    from occstats.experiment.summary import summarise

    asked, how = split_options(options)
    if preset is not None:
        from occstats.cli.paper import run_paper

        if descriptors or parameters or how["part"] or asked["seed"] != "pinned:0":
            raise click.UsageError(
                "--preset paper settles --descriptors, --parameters, --seed and the shares of the "
                "work itself; leave them out"
            )
        return run_paper(data, out, asked, fast=fast, **how)
    chosen = _choices_of(parameters)
    experiment = prepare(data, out=out, descriptors=descriptors, parameters=chosen, **asked)
    if not carry_out(experiment, out, "fits", **how):
        return 0
    summary = summarise(experiment, experiment.finish(out))
    _print_summary(summary, out, how["as_json"])
    # A share of the work leaves the others' rows to them; a whole run leaves none.
    return int(bool(summary.failures) or (how["part"] is None and not summary.complete))


def _choices_of(sweep: str | None) -> Any:
    if sweep is None:
        return None
    from occstats.tuning import leave_one_out_parameters

    return leave_one_out_parameters(sweep)


def _print_summary(summary: RunSummary, out: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(summary.as_dict(), ensure_ascii=False))
        return
    for line in summary.lines():
        click.echo(line)
    if summary.complete and summary.n_descriptors > 1:
        click.echo(f"Compare them: occstats compare {out}")
