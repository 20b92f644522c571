"""``occstats gate``: whether a candidate may replace its baseline, as an exit code."""

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
@click.option("--candidate", required=True, metavar="NAME", help="The algorithm to judge.")
@click.option("--baseline", required=True, metavar="NAME", help="The algorithm that it replaces.")
@click.option(
    "--margin",
    type=float,
    metavar="NUMBER",
    help="Non-inferiority margin: the smallest loss of mean score that matters.",
)
@click.option(
    "--alpha", type=float, default=0.05, help="Significance level of the two-sided test [0.05]."
)
@click.option(
    "--missing",
    metavar="POLICY",
    help="Policy for missing scores, as in compare; worst=SCORE is the score of a failed run "
    "(worst, if the measure has a known bound) [refuse].",
)
@reading_options
def command(
    results: tuple[str, ...],
    candidate: str,
    baseline: str,
    margin: float | None,
    alpha: float,
    missing: str | None,
    **options: Any,
) -> None:
    """Judge a candidate by its baseline, for continuous integration.

    The confidence interval of the mean difference decides. The exit code is 0 if the candidate is
    superior (interval above 0) or non-inferior (above minus the margin), 4 if it is inferior (below
    0), and 3 otherwise (inconclusive). The answer is Markdown.

    \b
    occstats gate lenz2021 --candidate ALP --baseline SVM --margin 0.02
    occstats gate lenz2021 mine.csv --candidate MINE --baseline ALP
    """
    if candidate == baseline:
        raise click.UsageError("--candidate and --baseline must be two algorithms")
    from occstats._format import printable
    from occstats.comparison.gate import judge
    from occstats.comparison.pipeline import compare

    comparison = compare(
        list(results),
        algorithms=[candidate, baseline],
        estimand="mean",
        margin=margin,
        alpha=alpha,
        missing=missing or "refuse",
        progress=False,
        **take_reading(options),
    )
    found = judge(comparison, candidate, baseline)
    click.echo(f"{printable(found.line)}\n{printable(found.caution)}")
    sys.exit(found.exit_code)
