"""``occstats run``, ``tune``, ``time`` and ``datasets``: from datasets to a results table."""

from __future__ import annotations

import contextlib
import json
import math
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from occstats._format import count, listing, quote_list
from occstats.cli.main import INTERRUPTED, HelpfulGroup, main, say
from occstats.cli.options import EXPERIMENT, NATURAL, options, take
from occstats.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

    from occstats.experiment import Experiment
    from occstats.experiment.plan import Plan
    from occstats.experiment.run import Parameters

PROTOCOL = ("datasets", "label", "timeout", "seed")
FIGURE_FORMATS = {
    "default": "pdf,svg",
    "help": "File types of the figure, separated by commas: pdf, svg, png; or none",
}


def _figure_formats(names: list[str]) -> list[str]:
    """Return the file types of a figure; an empty list for "none"."""
    from occstats.figures._style import check_formats

    return [] if [name.lower() for name in names] == ["none"] else check_formats(names)


def _carry_out(
    experiment: Experiment,
    out: str,
    unit: str,
    *,
    dry_run: bool,
    as_json: bool,
    recompute: str | None,
    **how: Any,
) -> bool:
    """Print the plan, and compute what is missing; return False for a dry run."""
    from occstats._files import check_folder

    # `remaining` refuses stored rows of other settings, which --force all computes again.
    work = experiment.plan if recompute == "all" else experiment.remaining()
    described = _described(experiment, work, unit)
    if dry_run:
        _print_plan(experiment, work, unit) if as_json else say(described, err=False)
        return False
    check_folder(out and experiment.store.folder)  # an empty name is refused
    if work.n_rows:
        given = click.get_current_context().get_parameter_source
        choices = ("data", "datasets", "descriptors", "parameters")
        if not any(given(name) is ParameterSource.COMMANDLINE for name in choices):
            command = shlex.join(["occstats", *main.arguments])
            raise ArgumentError(
                f"choose datasets or descriptors; the whole plan is {described}\n"
                f"try: {command} --datasets iris --descriptors ALP\n"
                f"  or {command} --data builtin, which computes everything"
            )
        # A user at a terminal should know what is computed, and how long it will take.
        if sys.stderr.isatty():
            say(described)
            say(f"Results go to {out}; Ctrl-C interrupts, and the same command resumes the work.")
    with _resumable(out, experiment.store.folder):
        experiment.run(force=recompute, **how)
    return True


@contextlib.contextmanager
def _resumable(out: str, rows: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        # The folder of the rows is made with the first of them.
        begun = rows.exists()
        then = f"; the same command resumes the work in {out}" if begun else " before any result"
        say(f"Interrupted{then}.")
        click.get_current_context().exit(INTERRUPTED)


def _print_plan(experiment: Experiment, work: Plan, unit: str) -> None:
    document = {
        "datasets": len(experiment.tasks),
        "tasks": experiment.n_tasks,
        **experiment.described(),
        unit: experiment.plan.n_rows,
        f"{unit}_remaining": work.n_rows,
        "shards_remaining": len(work.shards),
        "estimated_seconds_one_core": round(work.cost, 1),
    }
    click.echo(json.dumps(document))


def _described(experiment: Experiment, work: Plan, unit: str) -> str:
    return (
        f"{count(experiment.n_tasks, 'task')} from {listing(s.name for s in experiment.sources)} × "
        f"{listing(r.name for r in experiment.recipes)} × 5 folds = "
        f"{experiment.plan.n_rows:,} {unit}; {work.n_rows:,} to compute, in "
        f"{count(len(work.shards), 'shard')}, roughly {work.cost:.0f} s on one core."
    )


@click.command(
    params=options(
        *(*EXPERIMENT, "parameters", "preset", "fast"),
        out={
            "default": "results",
            "metavar": "DIR|FILE.parquet",
            "help": "Where to write the results; existing results are not computed again",
        },
        as_json={"help": "Print the summary as JSON"},
        preset={
            "help": "The paper's whole experiment: sweep, parameters chosen on the other datasets, "
            "run, comparison, and a page that compares its numbers with the published ones",
        },
    ),
)
def run(
    data: tuple[str, ...],
    preset: str | None,
    fast: bool,
    out: str,
    descriptors: list[str] | None,
    parameters: str | None,
    **given: Any,
) -> int:
    """Run data descriptors on one-class tasks and store the results.

    Every class with at least five rows serves once as the target class. The run can be interrupted;
    the same command resumes it. Compare the results with 'occstats compare DIR'.

    \b
    occstats run --datasets iris,wine --out results
    occstats run --data my-data --descriptors ALP,SVM,mine=package.module:Class -j 8
    occstats run --data my-data --shard 3/10 --out results
    occstats run --preset paper --fast --data folder-of-the-papers-datasets --out paper
    """
    from occstats.experiment.run import prepare, summarise, summary_lines

    protocol = take(PROTOCOL, given)
    if fast and preset is None:
        raise click.UsageError("--fast is for --preset paper")
    if preset is not None:
        if descriptors or parameters or given["shard"] or protocol["seed"] != "pinned:0":
            raise click.UsageError(
                "--preset paper determines --descriptors, --parameters, --seed and --shard; leave "
                "them out"
            )
        return _run_paper(data, out, protocol, fast=fast, **given)
    chosen = None
    if parameters is not None:
        from occstats.tuning import leave_one_out_parameters

        chosen = leave_one_out_parameters(parameters)
    experiment = prepare(data, out=out, descriptors=descriptors, parameters=chosen, **protocol)
    if chosen is not None and (note := _not_swept(experiment, chosen, named=bool(descriptors))):
        say(note)
    if not _carry_out(experiment, out, "fits", **given):
        return 0
    summary = summarise(experiment, experiment.finish(out))
    if given["as_json"]:
        click.echo(json.dumps(summary, ensure_ascii=False))
    else:
        click.echo("\n".join(summary_lines(summary)))
        if summary["complete"] and summary["n_descriptors"] > 1:
            click.echo(f"Compare them: occstats compare {out}")
    # A shard leaves the rows of others to them; a whole run leaves none.
    return int(bool(summary["failures"]) or (given["shard"] is None and not summary["complete"]))


def _not_swept(experiment: Experiment, swept: Parameters, *, named: bool) -> str:
    """Name descriptors and datasets that a sweep lacks; of the default nine, only tunable ones."""
    from occstats.tuning.grids import PAPER

    missing = []
    for recipe in experiment.recipes:
        if recipe.name not in swept:
            missing += [recipe.name] if named or recipe.name in PAPER else []
            continue
        lacking = [s.name for s in experiment.sources if s.name not in swept[recipe.name]]
        missing += [f"{recipe.name} on {', '.join(lacking)}"] if lacking else []
    if not missing:
        return ""
    datasets = sorted({dataset for chosen in swept.values() for dataset in chosen})
    return (
        f"Not in the sweep, run with default parameters: {'; '.join(missing)}. The sweep contains "
        f"{quote_list(swept)} on {quote_list(datasets)}."
    )


def _run_paper(
    data: tuple[str, ...],
    out: str,
    protocol: dict[str, Any],
    *,
    fast: bool,
    as_json: bool,
    dry_run: bool,
    recompute: str | None,
    **how: Any,
) -> int:
    """Print the fixed choices and the expected time, then sweep, choose, run and compare."""
    from occstats._files import check_folder
    from occstats.tuning.paper import PINNED, prepare_paper

    check_folder(out, ["published.md"], force=None)
    paper = prepare_paper(data, out=out, fast=fast, **protocol)
    tasks = paper.sweep.n_tasks
    minutes = paper.estimated_seconds() / 60
    differences = paper.differences()
    say(
        f"The paper's experiment on {count(len(paper.sweep.sources), 'dataset')} "
        f"({count(tasks, 'task')}): roughly {count(math.ceil(minutes), 'minute')} on one core."
    )
    for choice in PINNED:
        say(choice, first="  ", others="  ")
    for name, wrong in differences.items():
        say(f"{name}: {'; '.join(wrong)}")
    if dry_run:
        if as_json:
            click.echo(json.dumps({"tasks": tasks, "minutes": minutes, "settings": PINNED}))
        return 0
    with _resumable(out, Path(out)):
        table = paper.run(force=recompute, **how)
    import occstats
    from occstats._files import write_folder
    from occstats.experiment.store import FAILED
    from occstats.report.published import nearness, published_page, published_table, scores_of

    folder = Path(out)
    # Tasks with a failed fit are left out; the exit code tells of them.
    ours = occstats.load_results(paper.results).resolve_missing("complete")
    published = published_table()
    notes = [*PINNED, *(f"{name} {'; '.join(wrong)}" for name, wrong in differences.items())]
    page = published_page(ours, published, notes=notes)
    write_folder(folder, [("published.md", page)], force=None, keep=True)
    occstats.compare(ours).write(folder / "report")
    near = nearness(ours.scores, scores_of(published))
    if as_json:
        click.echo(json.dumps(near.to_dict("index")))
    else:
        click.echo(near.to_string(float_format="{:.3f}".format))
        click.echo(f"Written to {out}: published.md, report/, sweep/, results/.")
    return int(table["status"].isin(FAILED).any())


@click.command(
    params=options(
        *(*EXPERIMENT, "formats", "metrics", "grids", "windows"),
        out={
            "default": "sweep",
            "help": "Folder to write to; existing results are not computed again",
        },
        as_json={"help": "Print the summary as JSON"},
        formats=FIGURE_FORMATS,
        descriptors={
            "help": "Names of the nine, or import paths such as sklearn.svm:OneClassSVM, which "
            "need --grid",
            "usual": "NND,LNND,LOF,SVM,ALP",
        },
    ),
)
def tune(
    data: tuple[str, ...],
    out: str,
    descriptors: list[str] | None,
    metrics: list[str] | None,
    grids: tuple[str, ...],
    windows: tuple[str, ...],
    formats: list[str],
    **given: Any,
) -> int:
    """Evaluate descriptors over their hyperparameters, and find the best defaults.

    For NND, LNND, LOF and ALP the whole grid of a fold costs one neighbour search. The sweep can be
    interrupted; the same command resumes it. DIR contains the best defaults, the figure and, for
    each dataset, the parameters that are best on all other datasets, with the results. Compare
    these results with 'occstats compare DIR/results.csv', or run the parameters with 'occstats run
    --parameters DIR'.

    \b
    occstats tune --data my-data --descriptors LOF,ALP --out sweep
    occstats tune --data my-data --descriptors LOF --grid a=0.5:8:0.5 --window 3
    occstats tune --descriptors sklearn.svm:OneClassSVM --grid nu=0.1:0.5:0.1 --grid gamma=0.1,1
    """
    from occstats._files import check_folder
    from occstats.report.terminal import make_console, print_table
    from occstats.report.tuning_tables import defaults_table, sweep_files, write_sweep
    from occstats.tuning import prepare_sweep, read_sweep
    from occstats.tuning.grids import parse_grid

    kinds = _figure_formats(formats)
    parsed = [parse_grid(grid) for grid in grids]
    widths = [_parse_window(window) for window in windows]
    for option, pairs, remedy in (
        ("--grid", parsed, "list all values in one"),
        ("--window", widths, "give one width"),
    ):
        for name, number in Counter(name for name, _ in pairs).items():
            if number > 1:
                target = name or "the width of all"
                raise click.UsageError(f"{option}: {target} is given {number} times; {remedy}")
    check_folder(out, sweep_files(kinds), force=None)
    experiment = prepare_sweep(
        data,
        out=out,
        descriptors=descriptors,
        metrics=metrics,
        grids=dict(parsed),
        windows=dict(widths),
        **take(PROTOCOL, given),
    )
    if not _carry_out(experiment, out, "folds", **given):
        return 0
    remaining = len(experiment.remaining().shards)
    if remaining:
        say(
            f"Not done yet: {count(remaining, 'shard')} of other parts of the work; the last part "
            "writes the tables."
        )
        return 0
    sweep = read_sweep(out)
    for reason in write_sweep(sweep, out, figure_formats=kinds):
        say(reason)
    if given["as_json"]:
        click.echo(json.dumps(sweep.to_dict(), ensure_ascii=False))
    else:
        print_table(make_console(), defaults_table(sweep))
        click.echo(f"Written to {out}.")
        if len(sweep.results) and len(sweep.choices) > 1:
            click.echo(f"Compare with these parameters: occstats compare {out}/results.csv")
    return 1 if sweep.failures else 0


def _parse_window(text: str) -> tuple[str, int]:
    name, _, width = text.rpartition("=")
    if not re.fullmatch("[0-9]+", width.strip()):
        raise click.UsageError(
            f"--window: expected a number of grid points such as 11 or a=11, got {text!r}"
        )
    return name.strip(), int(width)


@click.command(
    params=options(
        *("data", "label", "descriptors", "seed", "out", "force", "formats", "progress"),
        "as_json",
        *("attributes", "sizes", "samples", "queries", "limit"),
        data={
            "multiple": False,
            "default": None,
            "metavar": "FILE",
            "help": "Table of numbers (CSV, CSV.GZ, Parquet) to draw samples from, such as "
            "higgs.csv.gz",
            "usual": "generated rows",
        },
        label={
            "default": None,
            "help": "Column of FILE to leave out: its name, or 0 for the first of a table without "
            "a header",
        },
        seed={
            "default": 0,
            "metavar": "S",
            "type": NATURAL,
            "help": "Seed of samples and descriptors",
        },
        out={"default": "times"},
        formats=FIGURE_FORMATS,
        as_json={"help": "Print the measurements as JSON"},
    )
)
def time(
    data: str | None,
    label: str | None,
    attributes: int,
    sizes: list[int] | None,
    queries: int,
    seed: int,
    out: str,
    force: bool,
    formats: list[str],
    as_json: bool,
    **given: Any,
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

    if label is not None and data is None:
        raise ArgumentError("label needs --data: the table that contains this column")
    kinds = _figure_formats(formats)
    names = ["times.csv", "times.parquet", *(f"times.{kind}" for kind in kinds)]
    check_folder(out, names, force=force)
    chosen = sizes or list(SIZES)
    n_rows = max(chosen) + queries
    pool = rows_of_file(data, label=label) if data else generated_rows(n_rows, attributes, seed)
    given["n_samples"] = given.pop("samples")
    table = measure_times(pool, sizes=chosen, n_queries=queries, seed=seed, **given)
    written = _write_times(table, Path(out), kinds, force)
    if as_json:
        from occstats import __version__
        from occstats.report.json_document import plain

        meta = {"data": pool.name, "threads": 1, "clock": "processor seconds"}
        meta["occstats"] = __version__
        click.echo(json.dumps({"meta": meta, "times": plain(table)}, allow_nan=False))
    else:
        from occstats.report.terminal import make_console, print_table
        from occstats.report.tuning_tables import timing_table

        print_table(make_console(), timing_table(table))
        failed = table[table["status"] == "failed"].drop_duplicates("descriptor")
        for name, reason in zip(failed["descriptor"], failed["error"], strict=True):
            say(f"{name} failed: {reason}")
        for path in written:
            click.echo(str(path))
    return 1 if (table["status"] == "failed").any() else 0


def _write_times(table: pd.DataFrame, folder: Path, kinds: list[str], force: bool) -> list[Path]:
    import io

    from occstats._files import write_folder
    from occstats.report.formatted_table import guard

    guarded = table.assign(descriptor=table["descriptor"].map(guard))
    parquet = io.BytesIO()
    table.to_parquet(parquet, index=False)
    files: dict[str, str | bytes] = {
        "times.csv": guarded.to_csv(index=False, lineterminator="\n"),
        "times.parquet": parquet.getvalue(),
    }
    if kinds and (table["status"] == "ok").any():
        from occstats.figures import times
        from occstats.figures._style import render

        files |= render(times(table), "times", kinds, title="Run times")
    write_folder(folder, files.items(), force=force)
    return [folder / name for name in files]


@click.group(cls=HelpfulGroup)
def datasets() -> None:
    """List, check and fetch the paper's fifty datasets."""


@datasets.command("list", params=options("as_json"))
def list_datasets(as_json: bool) -> None:
    """List the catalogue: name, origin, rows, attributes, target classes."""
    from occstats.datasets.catalogue import catalogue

    entries = catalogue().values()
    if as_json:
        click.echo(json.dumps([{**asdict(entry), "rows": entry.rows} for entry in entries]))
        return
    click.echo(f"{'name':<16}{'origin':<8}{'rows':>8}{'m':>5}{'targets':>9}  page")
    for entry in entries:
        click.echo(
            f"{entry.name:<16}{entry.repository:<8}{entry.rows:>8}{entry.m:>5}"
            f"{len(entry.classes):>9}  {entry.page}"
        )


@datasets.command(
    params=[click.Argument(["folder"], type=click.Path()), *options("label", "as_json")]
)
def check(folder: str, label: str, as_json: bool) -> int:
    """Verify the data files in FOLDER against the catalogue.

    The exit code is 1 if a file differs from the paper's dataset or cannot be read.
    """
    from occstats._format import printable
    from occstats.datasets.catalogue import check_folder

    findings = check_folder(folder, label=label)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    else:
        for finding in findings:
            click.echo(f"{printable(finding.name):<16}{finding.status:<12}{finding.detail}")
        counts = Counter(finding.status for finding in findings)
        click.echo(", ".join(f"{number} {status}" for status, number in counts.items()))
    return int(any(finding.status in {"differs", "unreadable"} for finding in findings))


@datasets.command(
    params=[
        click.Argument(["names"], nargs=-1),
        *options(
            "out",
            "mirror",
            "force",
            out={"default": "datasets"},
            force={"help": "Download existing files again"},
        ),
    ]
)
def fetch(names: tuple[str, ...], out: str, mirror: str | None, force: bool) -> int:
    """Download, prepare and verify datasets; all fifty by default.

    The addresses are those of the UCI and KEEL repositories. A dataset without the paper's
    attributes and class sizes is refused. Requires network access.
    """
    from occstats._files import check_folder
    from occstats.datasets.catalogue import catalogue, entry_of
    from occstats.datasets.fetching import fetch_dataset
    from occstats.errors import DataError
    from occstats.progress import track

    entries = [entry_of(name) for name in names] or list(catalogue().values())
    check_folder(out)
    failed = False
    for entry in track(entries, "fetch", total=len(entries)):
        if (Path(out) / f"{entry.name}.parquet").exists() and not force:
            click.echo(f"{entry.name}: exists")
            continue
        try:
            dataset = fetch_dataset(entry, out, mirror=mirror)
        except DataError as error:
            failed = True
            say(f"{entry.name}: {error}")
        else:
            click.echo(f"{entry.name}: {len(dataset.X)} rows, as in the paper")
    return int(failed)
