"""``occstats figures``: camera-ready figures of a comparison, a sweep or run times."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import click

from occstats.cli.options import (
    RESULTS,
    GroupedCommand,
    complete_figures,
    reading_options,
    setting_options,
    split_names,
    take_reading,
    take_settings,
)
from occstats.figures.registry import FIGURES

_WIDTHS = "column, page, elsevier, ieee, lncs, springer, neurips, acm"
_ORDERS = ("rank", "name", "similarity")


def _list_figures(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    widest = max(map(len, FIGURES))
    for entry in FIGURES.values():
        files = ", ".join(f"--{need}" for need in entry.needs if need != "comparison")
        click.echo(f"{entry.name:<{widest}}  {entry.shows}" + (f" ({files})" if files else ""))
    context.exit()


@click.command(name="figures", cls=GroupedCommand)
@click.argument("results", nargs=-1, type=RESULTS)
@click.option(
    "--out", default="figures", show_default=True, type=click.Path(), help="Folder to write to."
)
@click.option(
    "--only",
    metavar="NAMES",
    shell_complete=complete_figures,
    help="Only these figures, separated by commas.",
)
@click.option(
    "--format",
    "formats",
    default="pdf",
    show_default=True,
    metavar="FORMATS",
    help="pdf, svg, png and pgf, separated by commas; pgf needs LaTeX.",
)
@click.option(
    "--width",
    metavar="WIDTH",
    help=f"Final width: {_WIDTHS} (with -wide for two columns), or a length such as 90mm. "
    "By default one column, and a page for sweep and times.",
)
@click.option(
    "--theme",
    type=click.Choice(["house", "user"]),
    default="house",
    show_default=True,
    help="The house style, or that of your matplotlibrc.",
)
@click.option("--height", type=float, metavar="INCHES", help="Height; by default as needed.")
@click.option(
    "--show",
    type=int,
    metavar="N",
    help="At most this number of algorithms; by default as many as are legible.",
)
@click.option(
    "--order",
    metavar="ORDER",
    help="rank, name or similarity, or names separated by commas, which come first.",
)
@click.option("--highlight", metavar="NAMES", help="Algorithms to highlight, separated by commas.")
@click.option(
    "--label",
    "labels",
    multiple=True,
    metavar="NAME=TEXT",
    help="Text to write instead of a name; repeatable.",
)
@click.option("--palette", metavar="NAME", help="A palette of seaborn.")
@click.option("--title", metavar="TEXT", help="Title of every figure.")
@click.option("--note/--no-note", default=True, help="Print notes below the figures.")
@click.option("--dpi", default=300.0, show_default=True, help="Dots per inch of PNG.")
@click.option(
    "--sweep", type=click.Path(), metavar="FILE", help="Table of a tuning sweep (CSV, Parquet)."
)
@click.option(
    "--times", type=click.Path(), metavar="FILE", help="Table of run times (CSV, Parquet)."
)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_figures,
    help="List the figures and exit.",
)
@setting_options
@partial(reading_options, taken=("format",))
def command(
    results: tuple[str, ...],
    out: str,
    only: str | None,
    formats: str,
    width: str | None,
    theme: str,
    height: float | None,
    show: int | None,
    order: str | None,
    highlight: str | None,
    labels: tuple[str, ...],
    palette: str | None,
    title: str | None,
    note: bool,
    dpi: float,
    sweep: str | None,
    times: str | None,
    **options: Any,
) -> None:
    """Draw the figures of a comparison at their final size.

    RESULTS are tables of results as for `occstats compare`, or bundled ones (lenz2021). Files
    are reproducible byte by byte, text stays text, and alternative text is included.

    \b
    occstats figures lenz2021 --format pdf,svg --width ieee
    occstats figures mine.csv --only critical_difference,pairwise --out paper/figures
    occstats figures --times times.csv --sweep sweep.parquet
    """
    from occstats._files import check_folder
    from occstats.figures.batch import draw_figures, wanted_figures
    from occstats.figures.frames import read_frame
    from occstats.figures.saving import check_formats
    from occstats.figures._style import FigureError, preset

    check_folder(out)
    chosen, kinds = split_names(only or ""), check_formats(split_names(formats))
    if width is not None:
        preset(width)
    given = {"comparison": results, "sweep": sweep, "times": times}
    available = {name for name, value in given.items() if value}
    wanted = wanted_figures(chosen, available)
    if not wanted:
        raise FigureError(
            "nothing to draw: give RESULTS, --sweep or --times, or name a figure with --only"
        )
    frames = {
        name: read_frame(str(given[name]), name) for name in ("sweep", "times") if given[name]
    }
    drawing: dict[str, Any] = {
        "width": width,
        "theme": theme,
        "height": height,
        "show": show,
        "order": order if order in _ORDERS or order is None else split_names(order),
        "highlight": split_names(highlight or "") or None,
        "labels": _labels(labels),
        "palette": palette,
        "title": title,
        "note": note,
    }
    comparison = None
    if any("comparison" in entry.needs for entry in wanted):
        from occstats.comparison.pipeline import compare

        comparison = compare(list(results), **take_settings(options), **take_reading(options))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for drawn in draw_figures(comparison, only=chosen, **drawing, **frames):
            if drawn.reason:
                click.echo(f"{drawn.entry.name}: not drawn: {drawn.reason}", err=True)
            for path in drawn.save(out, kinds, dpi):
                click.echo(str(path))
    for message in _merged([warning.message for warning in caught]):
        click.echo(f"Warning: {message}", err=True)


def _labels(given: tuple[str, ...]) -> dict[str, str] | None:
    from occstats.figures._style import FigureError

    for item in given:
        if "=" not in item:
            raise FigureError(f"--label takes NAME=TEXT, such as SVM='one-class SVM'; got {item!r}")
    return dict(item.split("=", 1) for item in given) or None


def _merged(messages: list[Warning | str]) -> list[str]:
    """Return one warning about all characters without a font, and the others once each."""
    from occstats.figures.saving import MissingGlyphWarning

    boxes = [message for message in messages if isinstance(message, MissingGlyphWarning)]
    others = [str(message) for message in messages if message not in boxes]
    if boxes:
        characters = dict.fromkeys(sign for message in boxes for sign in message.characters)
        others.append(str(MissingGlyphWarning(list(characters))))
    return list(dict.fromkeys(others))
