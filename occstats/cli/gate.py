"""``occstats gate``: may this candidate replace the baseline, as an exit code."""

from __future__ import annotations

import sys
from typing import Any

import click

from occstats.cli.options import (
    GroupedCommand,
    reading_options,
    results_argument,
    take_reading,
)


@click.command(name="gate", cls=GroupedCommand)
@results_argument
@click.option("--candidate", required=True, metavar="NAME", help="The algorithm that is judged.")
@click.option("--baseline", required=True, metavar="NAME", help="What it is judged by.")
@click.option(
    "--margin",
    type=float,
    metavar="NUMBER",
    help="A loss that would matter: a candidate that is shown to lose less passes.",
)
@click.option("--alpha", type=float, default=0.05, help="Level of the tests [0.05].")
@reading_options
def command(
    results: tuple[str, ...],
    candidate: str,
    baseline: str,
    margin: float | None,
    alpha: float,
    **options: Any,
) -> None:
    """Judge a candidate by its baseline, for continuous integration.

    Prints one line of Markdown. Exits with 0 where the candidate is superior, or not inferior by
    the margin; with 3 where that is inconclusive; with 4 where it is inferior.

    \b
    occstats gate lenz2021 --candidate ALP --baseline SVM --margin 0.02
    occstats gate lenz2021 mine.csv --candidate MINE --baseline ALP
    """
    from occstats.comparison.gate import judge
    from occstats.comparison.pipeline import compare
    from occstats.text import printable

    comparison = compare(
        list(results),
        algorithms=[candidate, baseline],
        margin=margin,
        alpha=alpha,
        progress=False,
        **take_reading(options),
    )
    found = judge(comparison, candidate, baseline)
    click.echo(printable(found.line))
    sys.exit(found.exit_code)
