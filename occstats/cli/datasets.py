"""``occstats datasets``: the catalogue of the paper's fifty datasets."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from occstats.cli.group import HelpfulGroup


@click.group(name="datasets", cls=HelpfulGroup)
def command() -> None:
    """List, check and fetch the paper's fifty datasets."""


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_entries(as_json: bool) -> None:
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


@command.command()
@click.argument("folder", type=click.Path())
@click.option("--label", default="class", show_default=True, help="The column with the classes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(folder: str, label: str, as_json: bool) -> int:
    """Verify the data files in FOLDER against the catalogue.

    Exit code 1 where a file differs from the paper's dataset or cannot be read.
    """
    from occstats._format import printable
    from occstats.datasets.catalogue import check_folder

    findings = check_folder(folder, label=label)
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    else:
        for finding in findings:
            click.echo(f"{printable(finding.name):<16}{finding.status:<12}{finding.detail}")
        counts = {
            status: sum(finding.status == status for finding in findings)
            for status in ("ok", "differs", "unreadable", "missing", "unknown")
        }
        click.echo(", ".join(f"{count} {status}" for status, count in counts.items() if count))
    return int(any(finding.status in {"differs", "unreadable"} for finding in findings))


@command.command()
@click.argument("names", nargs=-1)
@click.option(
    "--out", default="datasets", show_default=True, metavar="DIR", help="Folder to write to."
)
@click.option("--mirror", metavar="ADDRESS", help="Download the archives from this host instead.")
@click.option("--force", is_flag=True, help="Download again what is already there.")
def fetch(names: tuple[str, ...], out: str, mirror: str | None, force: bool) -> int:
    """Download, prepare and verify datasets; all fifty by default.

    The addresses are those of the UCI and KEEL repositories. A dataset that does not come out
    with the paper's attributes and class sizes is refused. Needs a network.
    """
    from pathlib import Path

    from occstats.datasets.catalogue import catalogue, entry_of
    from occstats.datasets.fetching import fetch_dataset
    from occstats.errors import DataError
    from occstats.progress import track

    entries = [entry_of(name) for name in names] or list(catalogue().values())
    failed = []
    for entry in track(entries, "fetch", total=len(entries)):
        if (Path(out) / f"{entry.name}.parquet").exists() and not force:
            click.echo(f"{entry.name}: already there")
            continue
        try:
            dataset = fetch_dataset(entry, out, mirror=mirror)
        except DataError as error:
            failed.append(entry.name)
            click.echo(f"{entry.name}: {error}", err=True)
        else:
            click.echo(f"{entry.name}: {len(dataset.X)} rows, as in the paper")
    return int(bool(failed))
