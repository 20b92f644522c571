"""``occstats plan``: the size of a study, from a pilot or from assumed values."""

from __future__ import annotations

import json
from typing import Any

import click

from occstats.cli.options import READING, LongCommand, between, options, results, take

__all__ = ["plan"]

PLAN = between("difference", "power_curve")
PILOT = ("candidate", "baseline", "control", "algorithms", "missing", "estimand", "alpha")


@click.command(
    cls=LongCommand,
    params=[
        results(required=False),
        *options(
            *("as_json", *PLAN, *PILOT, *READING),
            candidate={"help": "First algorithm of the pair", "required": False,
                       "usual": "the best of the pilot, or the control"},
            baseline={"help": "Second algorithm of the pair", "required": False,
                      "usual": "the next best"},
            control={"help": "Baseline of a many-to-one comparison with all others"},
        ),
    ],
    common=("as_json", *PLAN, *PILOT[:2]),
)  # fmt: skip
def plan(results: tuple[str, ...], as_json: bool, power_curve: str | None, **given: Any) -> None:
    """Plan a study: datasets needed, smallest detectable difference, and the split of a budget.

    RESULTS are tables of a pilot as for compare; its variances are estimated by REML, and explicit
    options override what it gives. Without a pilot, pass --sd-dataset and --difference. The power
    is that of the decision about one pair, corrected for all pairs (max-T).

    \b
    occstats plan --sd-dataset 0.05 --sd-task 0.03 --n-tasks 3 --difference 0.01
    occstats plan lenz2021 --candidate ALP --baseline NND --difference 0.01
    occstats plan lenz2021 --budget 2000 --dataset-cost 20
    """
    from occstats.comparison.study_plan import plan_study
    from occstats.report.json_document import plain
    from occstats.report.terminal import make_console, print_wrapped

    found = plan_study([*results] or None, **take((*PLAN, *PILOT, *READING), given))
    if power_curve is not None:
        from occstats import figures
        from occstats.figures._base import without_pyplot

        with without_pyplot():
            figures.save(figures.power_curve(found), power_curve, title="Power")
    if as_json:
        document = {"answer": found.sentence, **plain(found)}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    console = make_console()
    for line in found.lines():
        print_wrapped(console, line)
