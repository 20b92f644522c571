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
    help="The smallest loss of mean score that would matter (non-inferiority margin).",
)
@click.option(
    "--alpha", type=float, default=0.05, help="Significance level of the two-sided test [0.05]."
)
@click.option(
    "--missing",
    metavar="POLICY",
    help="Policy for tasks without a score, as in compare; a failed run counts with "
    "worst=SCORE, or worst where the measure has a known bound.",
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

    The confidence interval of the mean difference decides. Exits with 0 where the candidate is
    superior (interval above 0) or non-inferior (above minus the margin), with 4 where it is
    inferior (below 0), else with 3 (inconclusive). Prints Markdown.

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
