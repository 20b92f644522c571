"""``occstats check-r``: check the native tests against R's clusrank on any results."""

from __future__ import annotations

import json
import math
import sys
from typing import Any, Literal

import click

from occstats.cli.options import RESULTS, reading_options, take_reading

WAYS = {"either": "either", "clusrank": "rpy2", "rscript": "rscript"}
TESTS: dict[str, tuple[Literal["rgl", "ds"], ...]] = {
    "both": ("rgl", "ds"),
    "rgl": ("rgl",),
    "ds": ("ds",),
}


@click.command(name="check-r")
@click.argument("results", nargs=-1, type=RESULTS)
@click.option("--test", type=click.Choice(tuple(TESTS)), default="both", show_default=True)
@click.option(
    "--null",
    type=click.Choice(("asymptotic", "exact")),
    default="asymptotic",
    show_default=True,
    help="Null distribution; exact is for rgl only, where clusrank computes it correctly.",
)
@click.option(
    "--alternative",
    type=click.Choice(("greater", "less", "two-sided")),
    default="greater",
    show_default=True,
)
@click.option(
    "--tie-tolerance",
    type=float,
    default=1e-9,
    show_default=True,
    help="Differences closer than this tie; 0 ranks the raw floats.",
)
@click.option(
    "--missing",
    metavar="POLICY",
    default="refuse",
    show_default=True,
    help="Policy for missing scores, as in compare.",
)
@click.option(
    "--engine",
    type=click.Choice(tuple(WAYS)),
    default="either",
    show_default=True,
    help="Run R embedded by rpy2 (clusrank) or as Rscript; either takes the one that works.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@reading_options
def command(
    results: tuple[str, ...],
    test: str,
    null: str,
    alternative: str,
    tie_tolerance: float,
    missing: str,
    engine: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Check the native clustered tests against R's clusrank.

    RESULTS are tables of results as for compare; the default is the bundled lenz2021. Both
    backends test every ordered pair of algorithms, and the largest difference is printed. The exit
    code is 0 if no p-value and no Z differs by more than 1e-10, and 1 otherwise.
    """
    from occstats.backends.agreement import AGREEMENT, check_engines
    from occstats.comparison.study import clusters_of
    from occstats.results import load_results
    from occstats.stats.sample import Sample

    if null == "exact":
        if test == "ds":
            raise click.UsageError("--null exact is for --test rgl: ds has no exact null")
        test = "rgl"
    table = load_results(*(results or ("lenz2021",)), **take_reading(options))
    table = table.resolve_missing(missing)
    sample = Sample(table.tested, clusters_of(table), tie_tolerance)
    settings: dict[str, Any] = {
        "null": null,
        "alternative": alternative,
        "through": WAYS[engine],
        "names": table.algorithms,
    }
    checks = {key: check_engines(sample, test=key, **settings) for key in TESTS[test]}
    agree = all(check.agrees for check in checks.values())
    if as_json:
        document = {
            "agree": agree,
            "tolerance": AGREEMENT,
            "null": null,
            "alternative": alternative,
            "tie_tolerance": tie_tolerance,
            "tests": {
                key: {
                    "n_tests": check.n_tests,
                    "largest_difference_p": _number(check.largest_p),
                    "largest_difference_z": _number(check.largest_z),
                    "worst_pair": check.worst and [table.algorithms[i] for i in check.worst],
                    "n_equal_ranks": len(check.equal_ranks),
                    "versions": check.versions,
                }
                for key, check in checks.items()
            },
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        for key, check in checks.items():
            click.echo(f"{key}: {check.sentence(table.algorithms)}")
    if not agree:
        sys.exit(1)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
