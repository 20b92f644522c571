"""``occstats compare``: print a comparison, write it to a folder, or give it as JSON."""

from __future__ import annotations

from typing import Any

import click

from occstats.cli.options import (
    GroupedCommand,
    reading_options,
    results_argument,
    setting_options,
    take_reading,
    take_settings,
    working,
)


@click.command(name="compare", cls=GroupedCommand)
@results_argument
@click.option(
    "--out",
    metavar="DIR",
    help="Write tables (CSV, Markdown, LaTeX), methods, report and comparison.json to this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option("--full", is_flag=True, help="Print all tables, with all pairs.")
@setting_options
@reading_options
def command(
    results: tuple[str, ...],
    out: str | None,
    as_json: bool,
    full: bool,
    **options: Any,
) -> None:
    """Compare algorithms on tasks that come in datasets.

    RESULTS are one or more tables of results (Parquet, a folder of Parquet files, CSV, TSV,
    Feather, JSON lines), in long form (one row per task and algorithm) or wide form (one column
    per algorithm), or bundled ones (lenz2021). Several are joined by task, so that a method of
    your own can be compared with published results.

    \b
    occstats compare lenz2021
    occstats compare lenz2021 mine.csv --control MINE --out report
    occstats compare mine.csv --score loss --lower-is-better --json
    """
    from occstats._files import check_folder

    if out is not None:
        check_folder(out)
    with working("Comparing"):
        from occstats.comparison.pipeline import compare

        comparison = compare(list(results), **take_settings(options), **take_reading(options))
    with working("Writing the report"):
        folder = comparison.write(out) if out is not None else None
    if as_json:
        click.echo(comparison.to_json())
        return
    from occstats.report.terminal import print_comparison

    print_comparison(comparison, folder, full=full)
