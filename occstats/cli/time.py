"""``occstats time``: construction and query times of descriptors over growing training sets."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from occstats.cli.experiment_options import experiment_options, figure_formats

if TYPE_CHECKING:
    import pandas as pd


def _sizes(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> list[int] | None:
    if value is None:
        return None
    try:
        found = [int(part) for part in value.replace(" ", "").split(",") if part]
    except ValueError:
        found = []
    if not found:
        raise click.BadParameter(f"{value!r} is not a list of numbers such as 64,256,1024")
    return found


@click.command(name="time")
@experiment_options(
    "data", "label", "descriptors", "seed", "out", "formats", "progress", "as_json",
    data={
        "multiple": False, "default": None, "metavar": "FILE",
        "help": "A table of numbers (CSV, CSV.GZ, Parquet) to draw samples from, such as "
        "higgs.csv.gz.  [default: generated rows]",
    },
    label={
        "default": None,
        "help": "A column of FILE to leave out: its name, or 0 for the first of a table without "
        "headings.",
    },
    seed={"default": 0, "metavar": "S", "help": "Seed of samples and descriptors."},
    out={"default": "times", "help": "Folder to write to."},
    as_json={"help": "Print the measurements as JSON."},
)  # fmt: skip
@click.option(
    "--attributes", default=28, show_default=True, type=click.IntRange(min=1),
    help="Attributes of generated rows.",
)  # fmt: skip
@click.option(
    "--sizes",
    metavar="N,N,…",
    callback=_sizes,
    help="Numbers of training rows.  [default: powers of two from 64 to 8192]",
)
@click.option(
    "--samples", default=5, show_default=True, type=click.IntRange(min=1), help="Samples per size."
)
@click.option(
    "--queries", default=1024, show_default=True, type=click.IntRange(min=1), help="Query rows."
)
@click.option(
    "--limit",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="A descriptor that needs more for a sample is not measured on larger ones.",
)
def command(
    data: str | None,
    label: str | None,
    attributes: int,
    descriptors: list[str] | None,
    sizes: list[int] | None,
    samples: int,
    queries: int,
    limit: float,
    seed: int,
    out: str,
    formats: str,
    progress: bool | None,
    as_json: bool,
) -> int:
    """Measure construction and query times of descriptors over growing training sets.

    As in the paper: five samples per size, 1,024 queries, one thread. Writes times.csv,
    times.parquet and the figure to --out.

    \b
    occstats time
    occstats time --data HIGGS.csv.gz --label 0 --sizes 1024,4096,16384
    occstats time --descriptors ALP,mine=package.module:Class --limit 10
    """
    from occstats._files import check_folder
    from occstats.experiment.timing import SIZES, generated_rows, measure_times, rows_of_file

    kinds = figure_formats(formats)
    check_folder(out)
    chosen = sizes or list(SIZES)
    if data is None:
        pool = generated_rows(max(chosen) + queries, attributes, seed)
    else:
        pool = rows_of_file(data, label=label)
    table = measure_times(
        pool,
        descriptors=descriptors,
        sizes=chosen,
        n_samples=samples,
        n_queries=queries,
        limit=limit,
        seed=seed,
        progress=progress,
    )
    written = _write(table, Path(out), kinds)
    if as_json:
        click.echo(json.dumps(_document(table, pool.name), allow_nan=False))
    else:
        _print(table, written)
    return 1 if (table["status"] == "failed").any() else 0


def _write(table: pd.DataFrame, folder: Path, kinds: list[str]) -> list[Path]:
    import io

    from occstats._files import write_folder
    from occstats.report.csv import guard

    guarded = table.assign(descriptor=table["descriptor"].map(guard))
    parquet = io.BytesIO()
    table.to_parquet(parquet, index=False)
    files: dict[str, str | bytes] = {
        "times.csv": guarded.to_csv(index=False, lineterminator="\n"),
        "times.parquet": parquet.getvalue(),
    }
    write_folder(folder, iter(files.items()))
    written = [folder / name for name in files]
    if kinds and (table["status"] == "ok").any():
        from occstats.figures import save, times

        written += save(times(table), folder / "times", formats=kinds, title="Run times")
    return written


def _document(table: pd.DataFrame, name: str) -> dict[str, Any]:
    from occstats import __version__
    from occstats.report.json_document import plain

    meta = {"data": name, "threads": 1, "clock": "processor seconds", "occstats": __version__}
    return {"meta": meta, "times": plain(table)}


def _print(table: pd.DataFrame, written: list[Path]) -> None:
    from occstats.report.terminal import make_console, print_table
    from occstats.report.timing_table import timing_table

    console = make_console()
    print_table(console, timing_table(table))
    failed = table[table["status"] == "failed"].drop_duplicates("descriptor")
    for name, reason in zip(failed["descriptor"], failed["error"], strict=True):
        click.echo(f"{name} failed: {reason}", err=True)
    for path in written:
        click.echo(str(path))
