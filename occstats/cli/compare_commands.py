"""``occstats compare``, ``gate``, ``plan`` and ``figures``: commands that read results."""

from __future__ import annotations

import json
import shlex
import sys
import warnings
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from occstats._format import listing
from occstats.cli.main import as_command, main, say
from occstats.cli.options import (
    READING,
    SETTINGS,
    LongCommand,
    between,
    option_name,
    options,
    results,
    split_names,
    take,
    with_options,
)
from occstats.errors import ArgumentError, FigureError
from occstats.progress import advance, working

OUTPUT = between("out", "full")
GATE = ("markdown", "candidate", "baseline", "margin", "alpha", "missing")
FIGURES = between("formats", "times")
DRAWING = between("width", "note")
ORDERS = ("rank", "name", "similarity")
COLUMNS = ("dataset", "algorithm", "score", "lower_is_better")
PLAN = between("difference", "power_curve")
PILOT = ("candidate", "baseline", "control", "algorithms", "missing", "estimand", "alpha")


def _measures(_: click.Context, __: click.Parameter, value: str | None) -> str | list[str] | None:
    names = split_names(value) if value and "," in value else []
    return names if len(names) > 1 else value


@click.command(
    cls=LongCommand,
    params=[
        results(),
        *options(
            *(*OUTPUT, "by", "force", *SETTINGS, *READING, "no_input"),
            out={
                "help": "Write the report, methods, tables (CSV, LaTeX) and comparison.json to "
                "this folder"
            },
            score={
                "callback": _measures,
                "commas": True,
                "help": "The score (long form); several, separated by commas, are compared side by "
                "side",
            },
            metric={
                "callback": _measures,
                "commas": True,
                "help": "Metric to keep, if a column names the metric of each row; several are "
                "compared side by side",
            },
        ),
    ],
    common=(*OUTPUT, "by", "control", "margin", "estimand", "algorithms", "missing", *COLUMNS),
)
def compare(
    results: tuple[str, ...], out: str | None, force: bool, as_json: bool, full: bool, **given: Any
) -> None:
    """Compare algorithms on tasks grouped by dataset.

    RESULTS are one or more tables: files (CSV, TSV, Parquet, JSON, Markdown, Excel), folders of
    these, - for standard input, or bundled tables (lenz2021). A table has one row per task and
    algorithm (long form) or one column per algorithm (wide form). Several tables are joined by
    task, so that you can compare your own method with published results.

    \b
    occstats compare lenz2021
    occstats compare lenz2021 mine.csv --control MINE --out report
    occstats compare mine.csv --score loss --lower-is-better --json
    occstats compare mine.csv --score auroc,accuracy --family measures
    """
    from occstats._files import check_folder
    from occstats.cli.dialogue import load

    if out is not None:
        check_folder(out)
    several = given["by"] is not None or any(
        isinstance(given[name], list) for name in ("score", "metric")
    )
    source: Any = [*results] if several else load(results, given, ask=not as_json)
    reading = take(("by", *READING), given)  # nothing is left of it after `load`
    with working("Comparing"):
        from occstats.comparison import pipeline

        comparison = pipeline.compare(source, **take(SETTINGS, given), **reading)
        getattr(comparison, "tally", None)  # computed here, because it takes long
    folder = None
    if out is not None:
        with working("Writing the report"):
            folder = comparison.write(out, force=force)
    if as_json:
        click.echo(comparison.to_json())
        return
    if several:
        from occstats.report.family_tables import print_family

        print_family(comparison, folder, full=full, spell=with_options)
        return
    from occstats.report.terminal import print_comparison

    typed = [each for each in main.arguments[1:] if each != "--full"]
    draw = "" if "-" in typed else shlex.join(["occstats", "figures", *typed])
    print_comparison(comparison, folder, full=full, spell=with_options, figures=draw)


@click.command(
    cls=LongCommand,
    params=[
        results(),
        *options(
            *(*GATE, *READING, "no_input"),
            margin={"help": "Non-inferiority margin: the smallest loss of mean score that matters"},
            alpha={"help": "Significance level of the two-sided test"},
            missing={
                "help": "Treatment of missing scores, as in compare; worst=SCORE sets the score of "
                "a failed run (worst suffices if the measure has a known bound)"
            },
        ),
    ],
    common=(*GATE, *COLUMNS),
)
def gate(
    results: tuple[str, ...], candidate: str, baseline: str, markdown: bool, **given: Any
) -> None:
    """Test a candidate against a baseline, for continuous integration.

    The confidence interval of the mean difference decides. The exit code is 0 if the candidate is
    superior (interval above 0) or non-inferior (above minus the margin), 4 if it is inferior (below
    0), and 3 otherwise (inconclusive).

    \b
    occstats gate lenz2021 --candidate ALP --baseline SVM --margin 0.02
    occstats gate lenz2021 mine.csv --candidate MINE --baseline ALP
    """
    if candidate == baseline:
        raise click.UsageError("--candidate and --baseline must be different algorithms")
    from occstats._format import quote
    from occstats.cli.dialogue import load
    from occstats.comparison import pipeline
    from occstats.comparison.gate import judge
    from occstats.errors import ResultsError
    from occstats.report.terminal import make_console, print_wrapped

    try:
        loaded = load(results, given | {"algorithms": [candidate, baseline]}, ask=False)
    except ResultsError as error:
        named, _, known = str(error).partition(" in the results")
        if not named.startswith("algorithms: there is no "):
            raise
        given_names = {"--candidate": quote(candidate), "--baseline": quote(baseline)}
        unknown = [f"{option}: there is no {n}" for option, n in given_names.items() if n in named]
        raise click.UsageError(f"{'; '.join(unknown)} in the results{known}") from None
    chosen = take(("margin", "alpha", "missing"), given)
    with working("Comparing"):
        comparison = pipeline.compare(
            loaded, algorithms=[candidate, baseline], estimand="mean", **chosen
        )
    found = judge(comparison, candidate, baseline)
    if markdown:
        from occstats.report.gate_comment import gate_comment

        click.echo(gate_comment(comparison, found, candidate, baseline))
    else:
        console = make_console()
        print_wrapped(console, f"{found.outcome}: {found.evidence}", "bold")
        print_wrapped(console, found.caution)
        for note in found.notes:
            print_wrapped(console, with_options(f"Note: {note}"))
    sys.exit(found.exit_code)


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

    RESULTS are the tables of a pilot study, as for compare. Variances are estimated from them by
    REML; explicit options override the estimates. Without a pilot, pass --sd-dataset and
    --difference. The power is that of the decision about one pair, corrected for all pairs (max-T).

    \b
    occstats plan --sd-dataset 0.05 --sd-task 0.03 --n-tasks 3 --difference 0.01
    occstats plan lenz2021 --candidate ALP --baseline NND --difference 0.01
    occstats plan lenz2021 --budget 2000 --dataset-cost 20
    """
    from occstats._files import check_folder
    from occstats.comparison.study_plan import plan_study
    from occstats.report.json_document import plain
    from occstats.report.terminal import make_console, print_wrapped

    if power_curve is not None:
        if Path(power_curve).suffix.lower() not in (".pdf", ".svg", ".png"):
            raise ArgumentError(f"power_curve must end in .pdf, .svg or .png; got {power_curve!r}")
        check_folder(Path(power_curve).parent)
    alone = {*PLAN, "estimand", "alpha"}
    source = click.get_current_context().get_parameter_source
    for name in given:
        if not results and name not in alone and source(name) is ParameterSource.COMMANDLINE:
            raise ArgumentError(f"{name} needs results of a pilot")
    example = {"sd_dataset": 0.05, "difference": 0.01}
    lacking = {n: v for n, v in example.items() if given[n] is None and not results}
    if lacking:
        raise ArgumentError(
            f"pass {listing(map(option_name, lacking))}, or results of a pilot\n"
            f"try: {as_command(main.arguments, lacking)}\n"
            f"  or {as_command(['plan', 'RESULTS', *main.arguments[1:]], {})}"
        )
    with working("Planning"):
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


def _list_figures(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if not asked or context.resilient_parsing:
        return
    from occstats.figures.registry import FIGURES

    indent = max(map(len, FIGURES)) + 2
    for entry in FIGURES.values():
        files = ", ".join(f"--{need}" for need in entry.needs if need != "comparison")
        shown = entry.shows + (f" ({files})" if files else "")
        say(shown, err=False, first=entry.name.ljust(indent), others=" " * indent)
    context.exit()


def _labels(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str] | None:
    pairs = [item.partition("=")[::2] for item in given]
    for item, (name, text) in zip(given, pairs, strict=True):
        if not (name and text):
            raise click.UsageError(
                f"--label takes NAME=TEXT, such as SVM='one-class SVM'; got {item!r}"
            )
        if [each for each, _ in pairs].count(name) > 1:
            raise click.UsageError(f"--label is given twice for {name!r}; give it once")
    return dict(pairs) or None


def _order(_: click.Context, __: click.Parameter, given: str | None) -> str | list[str] | None:
    if given is None or given in ORDERS:
        return given
    return split_names(given)


@click.command(
    cls=LongCommand,
    params=[
        results(required=False),
        *options(
            *("out", "force", *FIGURES, "dpi", *DRAWING, *SETTINGS, *READING, "no_input"),
            out={"default": "figures"},
            formats={"default": "pdf"},
            list_figures={"callback": _list_figures},
            labels={"callback": _labels},
            order={"callback": _order},
        ),
    ],
    common=("out", *FIGURES, *between("width", "order"), "control", *COLUMNS),
)
def figures(
    results: tuple[str, ...],
    out: str,
    force: bool,
    formats: list[str],
    only: list[str] | None,
    sweep: str | None,
    times: str | None,
    dpi: float,
    **given: Any,
) -> None:
    """Draw the figures of a comparison at their final size.

    RESULTS are tables of results as for `occstats compare`, or bundled ones (lenz2021). Files
    are byte-for-byte reproducible, with text stored as text, and include alternative text.

    \b
    occstats figures lenz2021 --format pdf,svg --width ieee
    occstats figures mine.csv --only critical_difference,pairwise --out paper/figures
    occstats figures --times times.csv --sweep sweep.parquet
    """
    from occstats._files import check_folder, write_folder
    from occstats.figures._style import check_formats, preset
    from occstats.figures.registry import draw_figures, read_frame, wanted_figures

    kinds = check_formats(formats)
    if given["width"] is not None:
        preset(given["width"])
    files = {name: path for name, path in (("sweep", sweep), ("times", times)) if path}
    wanted = wanted_figures(only, {*files, *(["comparison"] if results else [])})
    if not wanted:
        raise FigureError(
            "nothing to draw: pass RESULTS, --sweep or --times, or name a figure with --only"
        )
    check_folder(out, (f"{e.name}.{kind}" for e in wanted for kind in kinds), force=force)
    frames: dict[str, Any] = {name: read_frame(path, name) for name, path in files.items()}
    comparison = None
    if any("comparison" in entry.needs for entry in wanted):
        from occstats.cli.dialogue import load
        from occstats.comparison import pipeline
        from occstats.figures._base import known_algorithm

        table = load(results, given)
        with working("Comparing"):
            comparison = pipeline.compare(table, **take(SETTINGS, given))
        for option, others in (("highlight", ()), ("labels", ()), ("order", ORDERS)):
            for name in given[option] if isinstance(given[option], list | dict) else ():
                known_algorithm(name, [*comparison.algorithms, *others], option_name(option))
    drawing = take(DRAWING, given)
    drawing["algorithms"] = drawing.pop("show", None)
    notices: dict[str, list[str]] = {}
    contents: dict[str, bytes] = {}
    with working("Drawing"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        drawings = draw_figures(comparison, only=only, **drawing, **frames)
        for number, drawn in enumerate(drawings, 1):
            if drawn.reason:
                notices.setdefault(f"not drawn: {drawn.reason}", []).append(drawn.entry.name)
            for notice in drawn.notices:
                notices.setdefault(notice, []).append(drawn.entry.name)
            contents |= drawn.files(kinds, dpi)
            advance("figures", number / len(wanted))
    folder = write_folder(out, contents.items(), force=force, keep=True)
    for name in contents:
        click.echo(str(folder / name))
    for notice, names in notices.items():
        say(f"{', '.join(names)}: {notice}")
    if any("of" in notice and "algorithms" in notice for notice in notices):
        say("More: --show N, --algorithms A,B …")
    for message in _merged([warning.message for warning in caught]):
        say(f"Warning: {message}")


def _merged(messages: list[Warning | str]) -> list[str]:
    """Return one warning about all characters without a font, and the others once each."""
    from occstats.figures._style import MissingGlyphWarning

    boxes = [message for message in messages if isinstance(message, MissingGlyphWarning)]
    others = [str(message) for message in messages if message not in boxes]
    if boxes:
        characters = dict.fromkeys(sign for message in boxes for sign in message.characters)
        others.append(str(MissingGlyphWarning(list(characters))))
    return list(dict.fromkeys(others))
