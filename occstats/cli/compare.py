"""``occstats compare``: the comparison on the terminal, as files, or as one JSON document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

import click

from occstats.cli.options import Command, reading_options, results_argument, take_reading
from occstats.comparison.settings import CHOICES, Settings
from occstats.names import printable

DEFAULTS = {item.name: item.default for item in fields(Settings) if item.default is not MISSING}


def setting(name: str, help_text: str, **options: Any) -> Callable[[Command], Command]:
    """An option for a setting, with its choices and its default."""
    if name in CHOICES:
        options["type"] = click.Choice(CHOICES[name])
    elif not options.get("is_flag") and isinstance(DEFAULTS[name], int | float):
        options.setdefault("type", type(DEFAULTS[name]))
    shown = DEFAULTS[name] is not None and not options.get("is_flag")
    return click.option(
        f"--{name.replace('_', '-')}",
        name,
        default=DEFAULTS[name],
        show_default=shown,
        help=help_text,
        **options,
    )


@click.command(name="compare")
@results_argument
@click.option(
    "--out",
    metavar="DIR",
    help="Write tables (CSV, Markdown, LaTeX), methods, report and comparison.json to this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@setting("test", "The test of a pair of algorithms.")
@setting("null", "Where the p-value comes from.")
@setting("alternative", "What the test of (row, column) is about; greater: the row is better.")
@setting("correction", "Correction for multiple tests.")
@setting("family", "Which tests are corrected together.")
@setting(
    "control", "Compare this algorithm with all others (implies --family control).", metavar="NAME"
)
@setting("alpha", "Level at which the verdict calls a corrected p-value significant.")
@click.option("--algorithms", metavar="A,B,C", help="Compare only these, separated by commas.")
@setting("missing", "What to do about tasks that some algorithm lacks.")
@setting("tie_tolerance", "Differences closer than this tie; 0 ranks the raw floats.")
@setting("engine", "Who computes the tests; all but native need R.")
@setting("kendall", "Weight of a pair of tasks in Kendall's τ.")
@setting("inference", "Standard errors of the regression of ranks on traits.")
@setting("strata", "Strata of difficulty: of equal width, or of equally many tasks.")
@setting("n_strata", "Number of strata.")
@setting("n_resamples", "Resamples of data sets for intervals and permutations.")
@setting("confidence", "Level of the intervals.")
@setting("rope", "Half-width of the region of practical equivalence.")
@setting("prior_weight", "Weight of the Bayesian prior at no difference, in data sets.")
@setting("random_state", "Seed of everything that is random.")
@setting("deep", "Also power and the specification table, which take longer.", is_flag=True)
@reading_options
def command(
    results: tuple[str, ...],
    out: str | None,
    as_json: bool,
    algorithms: str | None,
    **options: Any,
) -> None:
    """Compare algorithms on tasks that come in data sets.

    RESULTS are one or more tables of results (Parquet, a folder of Parquet files, CSV, TSV,
    Feather, JSON lines), in long form (one row per task and algorithm) or wide form (one column
    per algorithm), or bundled ones (lenz2021). Several are joined by task, so that a method of
    your own can be compared with published results.

    \b
    occstats compare lenz2021
    occstats compare lenz2021 mine.csv --control MINE --out report
    occstats compare mine.csv --score loss --lower-is-better --json
    """
    from occstats.comparison.pipeline import compare
    from occstats.report.writer import check_target

    if options["control"] is not None and _defaulted("family"):
        options["family"] = "control"
    if out is not None:
        check_target(out)
    reading = take_reading(options)
    comparison = compare(list(results), algorithms=_split(algorithms), **options, **reading)
    folder = comparison.write(out) if out is not None else None
    if as_json:
        click.echo(comparison.to_json())
        return
    from occstats.report.text import print_comparison

    for line in comparison.results.read_as:
        click.echo(printable(line))
    print_comparison(comparison, folder)


def _defaulted(name: str) -> bool:
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.DEFAULT


def _split(names: str | None) -> list[str] | None:
    """Names separated by commas; a name that has a comma itself can be quoted."""
    if names is None:
        return None
    import csv

    return [name for name in next(csv.reader([names], skipinitialspace=True), []) if name]
