"""``occstats doctor``: report what is installed, whether it works, and how to repair it."""

from __future__ import annotations

import json
import os
import sys

import click

SIGNS = {"ok": "ok", "missing": "missing", "broken": "BROKEN", "unknown": "unknown"}
COLOURS = {"ok": "green", "missing": "yellow", "broken": "red", "unknown": "yellow"}


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.option(
    "--compile",
    "compile_ahead",
    is_flag=True,
    help="Compile the kernels of the descriptors now instead of on the first run.",
)
def command(as_json: bool, compile_ahead: bool) -> None:
    """Report what is installed and what is missing.

    Python, the libraries, BLAS and its threads, numba; and, for the engines that are optional, R,
    its package clusrank, and rpy2. The exit code is 0 if everything that is not optional works,
    and 1 otherwise.
    """
    from occstats import __version__
    from occstats._format import printable
    from occstats.diagnosis import diagnose

    if compile_ahead:
        _compile()
    diagnosis = diagnose()
    if as_json:
        document = {"occstats": __version__, **diagnosis.to_dict()}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(f"occstats {__version__}")
        width = max(len(finding.name) for finding in diagnosis.findings)
        for finding in diagnosis.findings:
            sign = _coloured(f"{SIGNS[finding.status]:<8}", COLOURS[finding.status])
            found = "  ".join(filter(None, (finding.version, finding.detail)))
            click.echo(f"{finding.name:<{width}}  {sign} {printable(found)}".rstrip())
            if finding.remedy:
                click.echo(f"{'':<{width}}  {'':<8} → {finding.remedy}")
        usable = [name for name, works in diagnosis.engines.items() if works]
        click.echo(f"Engines of the clustered tests that can be used: {', '.join(usable)}.")
        if len(usable) < len(diagnosis.engines):
            click.echo("The native engine needs no R and gives the same asymptotic p-values.")
    if not diagnosis.healthy:
        sys.exit(1)


def _compile() -> None:
    from occstats.progress import track
    from occstats_descriptors.warm_up import cache_folder, compile_kernels, kernels_of

    groups = kernels_of()
    for _ in track(compile_kernels(), "compiling", total=len(groups)):
        pass
    where = cache_folder()
    kept = f"kept in {where}" if where else "which cannot be kept: no folder can be written"
    click.echo(f"Compiled the kernels of the descriptors, {kept}.", err=True)


def _coloured(text: str, colour: str) -> str:
    # click itself takes colours away where the output is no terminal.
    return text if os.environ.get("NO_COLOR") else click.style(text, fg=colour)
