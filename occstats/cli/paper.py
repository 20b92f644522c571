"""``occstats run --preset paper``: the published experiment, from datasets to a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click


def run_paper(
    data: tuple[str, ...],
    out: str,
    asked: Any,
    *,
    fast: bool,
    as_json: bool,
    dry_run: bool,
    **how: Any,
) -> int:
    """Sweep, choose, run and compare, after printing what is pinned and how long it takes."""
    from occstats.tuning.paper import PINNED, prepare_paper

    paper = prepare_paper(data, out=out, fast=fast, **asked)
    tasks = sum(len(tasks) for _, _, tasks in paper.sweep.tasks)
    minutes = paper.estimated_seconds() / 60
    differences = paper.differences()
    click.echo(
        f"The paper's experiment on {len(paper.sweep.sources)} datasets ({tasks} tasks): roughly "
        f"{minutes:.0f} minutes on one core.",
        err=True,
    )
    for choice in PINNED:
        click.echo(f"  {choice}", err=True)
    for name, wrong in differences.items():
        click.echo(f"{name}: {'; '.join(wrong)}", err=True)
    if dry_run:
        return 0
    try:
        table = paper.run(**how)
    except KeyboardInterrupt:
        click.echo(f"Interrupted; the same command resumes the work in {out}.", err=True)
        raise
    return _report(table, paper.results, Path(out), differences, as_json)


def _report(
    table: Any, results: Path, out: Path, differences: dict[str, list[str]], as_json: bool
) -> int:
    import occstats
    from occstats._files import write_file
    from occstats.report.published import nearness, published_page, published_table, scores_of
    from occstats.tuning.paper import PINNED

    ours, published = occstats.load_results(results), published_table()
    notes = [*PINNED, *(f"{name} {'; '.join(wrong)}" for name, wrong in differences.items())]
    write_file(out / "published.md", published_page(ours, published, notes=notes))
    if ours.n_clusters > 1:
        occstats.compare(ours).write(out / "report")
    near = nearness(ours.scores, scores_of(published))
    if as_json:
        click.echo(json.dumps(near.to_dict("index")))
    else:
        click.echo(near.to_string(float_format="{:.3f}".format))
        click.echo(f"Written to {out}: published.md, report/, sweep/, results/.")
    return int(table["status"].isin(["failed", "timeout"]).any())
