"""The options of all commands: one table, from which each command takes its own."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any

import click

from occstats._checks import check_choice, check_integer, check_number
from occstats.comparison.settings import CHOICES
from occstats.errors import ArgumentError
from occstats.results.reading import CHOICES as READING_CHOICES


class Number(click.ParamType):  # type: ignore[type-arg]  # click 8.1 has no argument
    """A number, refused in the words of Python's functions."""

    def __init__(self, kind: type[int] | type[float], **bounds: Any) -> None:
        self.name, self.kind, self.bounds = kind.__name__, kind, bounds

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        with suppress(ValueError):
            value = self.kind(value)
        check = check_integer if self.kind is int else check_number
        check(param.opts[-1] if param else "value", value, **self.bounds)
        return value


class Choice(click.Choice):  # type: ignore[type-arg]  # click 8.1 has no argument
    """Choices for help and completion, refused in the words of Python's functions."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        check_choice(param.opts[-1] if param else "value", value, self.choices)
        return value


def split_names(text: str) -> list[str]:
    """Split names separated by commas; a name with a comma can be quoted.

    Examples
    --------
    >>> split_names('ALP, "a, b"')
    ['ALP', 'a, b']
    """
    import csv

    parts = next(csv.reader([text], skipinitialspace=True), [])
    return [part.strip() for part in parts if part.strip()]


def _names(_: click.Context, option: click.Parameter, value: str | None) -> list[str] | None:
    names = None if value is None else split_names(value)
    if names == []:
        raise ArgumentError(f"{option.opts[-1]} must be a list separated by commas; got {value!r}")
    return names


def _one_or_more(
    _: click.Context, __: click.Parameter, value: tuple[str, ...]
) -> str | list[str] | None:
    return list(value) if len(value) > 1 else next(iter(value), None)


def _direction(ctx: click.Context, _: click.Parameter, value: bool | None) -> bool | None:
    if {"--lower-is-better", "--higher-is-better"} <= {*ctx.meta.get("occstats.arguments", ())}:
        raise ArgumentError("--lower-is-better excludes --higher-is-better; give one of them")
    return value


def _shard(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    found = re.fullmatch(r"([0-9]+)/([0-9]+)", value)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise ArgumentError(f"--shard must be I/N with 1 ≤ I ≤ N, such as 3/10; got {value!r}")
    return int(found[1]), int(found[2])


def _sizes(ctx: click.Context, option: click.Parameter, value: str | None) -> list[int] | None:
    names = _names(ctx, option, value)
    return None if names is None else [COUNT(part, option, ctx) for part in names]


class Option(click.Option):
    """An option with a heading in the help, and its default in words.

    It is refused if it is empty, or is given twice and takes one value.
    """

    def __init__(
        self,
        *names: str,
        group: str,
        help: str,
        usual: str = "",
        choices: Any = (),
        commas: bool = False,
        **more: Any,
    ) -> None:
        if choices:
            more["type"] = Choice(choices)
        if commas:
            more.setdefault("callback", _names)
        super().__init__(
            names, help=f"{help}.  [default: {usual}]" if usual else f"{help}.", **more
        )
        self.group, self.usual, self.commas = group, usual, commas

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Make the parser keep all values, even of an option that takes only one."""
        repeatable, self.multiple = self.multiple, not self.is_flag
        super().add_to_parser(parser, ctx)
        self.multiple = repeatable

    def consume_value(self, ctx: click.Context, opts: Any) -> Any:
        """Return the value; refuse an empty one, or a second one if the option takes only one."""
        if self.name in opts and not self.is_flag:
            first, *others = values = opts[self.name]
            problem = ""
            if others and not self.multiple:
                remedy = f" ({', '.join(map(repr, values))}); give one value"
                if self.commas:
                    remedy = f"; write {self.opts[-1]} {shlex.quote(','.join(values))}"
                    # Each value is a name or a list of names.
                    if any("," in value for value in values):
                        remedy += ", with double quotes around a name that contains a comma"
                problem = f"is given {len(values)} times{remedy}"
            elif "" in values and self.name != "title" and self.metavar != "COLUMN":
                problem = "must not be empty; give a value, or leave it out"
            if problem and not ctx.resilient_parsing:
                ctx.fail(f"{self.opts[-1]} {problem}")
            opts = opts if self.multiple else {**opts, self.name: first}
        return super().consume_value(ctx, opts)


OUTPUT, COMPARISON, TESTS = "Output", "Comparison", "Tests"
FURTHER, READ, DRAWING = "Further analyses", "Reading RESULTS", "Drawing"
WORK, OTHER, PLANNING = "Data and computation", "Options", "Study"
FLOAT, POSITIVE = Number(float), Number(float, above=0)
NATURAL, COUNT = Number(int, least=0), Number(int, least=1)

Row = tuple[tuple[str, ...], dict[str, Any]]


def _row(group: str, help: str, *names: str, **attributes: Any) -> Row:
    """Return a row: its names if they differ from that of the parameter, and its attributes."""
    return names, {"group": group, "help": help, **attributes}


def _column(help: str, usual: str = "", *names: str, **attributes: Any) -> Row:
    return _row(READ, help, *names, usual=usual, metavar="COLUMN", **attributes)


# Parameter → option, two or three lines each; a command can change attributes such as the default.
# fmt: off
TABLE: dict[str, Row] = {
    "out": _row(OUTPUT, "Output folder", metavar="DIR", show_default=True),
    "as_json": _row(OUTPUT, "Print one JSON document and nothing else", "--json", is_flag=True),
    "full": _row(OUTPUT, "Print all tables, with all pairs", is_flag=True),
    "force": _row(OUTPUT, "Replace files in --out that occstats did not write", is_flag=True),
    "by": _row(COMPARISON, "Compare within each value of this column (a language, a size class); "
        "the tests are corrected over all values", metavar="COLUMN"),
    # Settings of a comparison
    "control": _row(COMPARISON, "Baseline of a many-to-one comparison", metavar="NAME"),
    "margin": _row(COMPARISON, "Smallest difference that matters; undecided pairs whose "
        "confidence interval lies within ± the margin are equivalent", metavar="NUMBER",
        type=FLOAT),
    "estimand": _row(COMPARISON, "Quantity compared: the difference on a typical task (signed "
        "ranks), or the difference of mean scores (bootstrap-t)", choices=CHOICES["estimand"],
        usual="typical; mean for 0/1 scores or with --margin"),
    "preset": _row(COMPARISON, "Predefined settings, which explicit options override; paper: "
        "Lenz et al. (2021)", choices=CHOICES["preset"]),
    "alpha": _row(COMPARISON, "Significance level; confidence intervals have level 1 − α",
        type=Number(float, above=0, below=1), usual="0.05"),
    "algorithms": _row(COMPARISON, "Compare only these; in a wide table, the columns of the "
        "algorithms", metavar="A,B,C", commas=True),
    "missing": _row(COMPARISON, "Treatment of missing scores: refuse; complete (only tasks that "
        "all algorithms have); pairwise (for each pair, the tasks that both have); "
        "drop-algorithms (only algorithms that have all tasks); worst or worst=SCORE (rank "
        "below every score); impute=NAME (the score of a baseline)", metavar="POLICY",
        usual="refuse"),
    "test": _row(TESTS, "Clustered signed-rank test for the typical difference: Rosner, Glynn and "
        "Lee, or Datta and Satten", choices=CHOICES["test"], usual="rgl"),
    "correction": _row(TESTS, "Correction for multiple testing", choices=CHOICES["correction"],
        usual="max-t; holm with an engine in R"),
    "family": _row(TESTS, "Tests corrected together: all pairs, the comparisons with "
        "the control, the one-sided tests of each algorithm against all others, or all pairs of "
        "several measures",
        choices=CHOICES["family"], usual="all; control with --control"),
    "alternative": _row(TESTS, "Alternative hypothesis about the first algorithm of a pair",
        choices=CHOICES["alternative"], usual="two-sided"),
    "null": _row(TESTS, "Null distribution: cluster sign flips (for the estimand typical), a "
        "bootstrap of datasets (for mean), or the normal or t distribution",
        choices=CHOICES["null"], usual="depends on the estimand; asymptotic with an engine in R"),
    "engine": _row(TESTS, "Engine of the tests: R's clusrank embedded by rpy2 or run by Rscript; "
        "both checks native against R", choices=CHOICES["engine"], usual="native"),
    "tie_tolerance": _row(TESTS, "Round differences to multiples of this before ranking, "
        "so that 0.3 − 0.2 and 0.2 − 0.1 tie; 0 ranks the raw floats", type=FLOAT,
        usual="1e-9 of the scale of the score, which is 1 for scores in 0 … 1"),
    "n_resamples": _row(TESTS, "Resamples of datasets, for p-values and confidence intervals",
        type=Number(int, least=100), usual="10000"),
    "random_state": _row(TESTS, "Seed of all random numbers", type=NATURAL, usual="0"),
    "rope": _row(FURTHER, "Half-width of the region of practical equivalence of the posteriors",
        type=FLOAT, usual="the margin, or 0.01 of the scale of the score"),
    "inference": _row(FURTHER, "Cluster-robust standard errors of the regression of ranks on "
        "traits", choices=CHOICES["inference"], usual="cr2"),
    # Reading
    "dataset": _column("The dataset of a task (@file: the file name, @row: one per row)",
        "dataset, …", "--cluster", "--dataset", multiple=True, callback=_one_or_more),
    "suite": _column("The suite of a dataset, if datasets are related"),
    "task": _column("The task within its dataset (@row: each row is a task); several columns of "
        "names are joined, several of scores are the tasks of a leaderboard",
        "task, problem, …", multiple=True, callback=_one_or_more),
    "algorithm": _column("The algorithm (@file: the file name); several columns are joined",
        "algorithm, model, …", multiple=True, callback=_one_or_more),
    "score": _column("The score (long form)", "the only column named after a measure"),
    "lower_is_better": _row(READ, "Orientation of the score",
        "--lower-is-better/--higher-is-better", default=None, callback=_direction,
        usual="known from the name of the measure"),
    "fold": _column("The cross-validation fold; scores are averaged over folds", "fold"),
    "repeat": _column("The repeat or seed; scores are averaged over repeats (@file: each file, "
        "@row: each row)",
        "repeat, seed, …"),
    "status": _column("The status of a run; scores of failed runs count as missing", "status"),
    "transpose": _row(READ, "Rows are algorithms and columns are tasks, as in a leaderboard",
        is_flag=True),
    "dataset_from": _row(READ, "Regular expression that finds the dataset in the name of a "
        "task: its first group, or the whole match", metavar="REGEX"),
    "algorithm_from": _row(READ, "Regular expression that finds the algorithm in the name of a "
        "column, file or task", metavar="REGEX"),
    "ignore": _column("Leave out a column, such as an average over the others; repeatable",
        multiple=True),
    "where": _row(READ, "Keep only the rows with this value, or, with !=, the rows without it; "
        "repeatable", metavar="COLUMN=VALUE", multiple=True),
    "table": _row(READ, "Number or name of the table or sheet, if a file has several",
        metavar="N", usual="the only one"),
    "traits": _column("A property of the tasks; repeatable", "n_samples, n_features, …",
        "--trait", multiple=True),
    "metric": _row(READ, "Metric to keep, if a column names the metric of each row",
        metavar="NAME"),
    "score_name": _row(READ, "Name of the measure, if the column does not give it", metavar="NAME"),
    "encoding": _row(READ, "Encoding of text files, such as cp1252", metavar="NAME",
        usual="UTF-8, or UTF-16 with a byte-order mark"),
    "header_rows": _row(READ, "Number of header rows of text files and workbooks; names in several "
        "rows are joined", metavar="N", type=COUNT, usual="1"),
    "decimal": _row(READ, "Decimal mark of text files", choices=READING_CHOICES["decimal"],
        usual="."),
    "max_rows": _row(READ, "Maximum number of rows; larger files are refused before they "
        "are unpacked", metavar="N", type=COUNT, usual="2000000"),
    "no_input": _row(READ, "Refuse an ambiguous table instead of asking about it", is_flag=True),
    # Gate
    "candidate": _row(COMPARISON, "Algorithm to test", metavar="NAME", required=True),
    "baseline": _row(COMPARISON, "Algorithm that the candidate would replace", metavar="NAME",
        required=True),
    "markdown": _row(OUTPUT, "Print a comment for a pull request, with the largest losses and "
        "gains", is_flag=True),
    # Plan
    "difference": _row(PLANNING, "True difference to detect", metavar="NUMBER", type=FLOAT,
        usual="that of the pilot"),
    "sd_dataset": _row(PLANNING, "Standard deviation of the difference between datasets",
        metavar="NUMBER", type=FLOAT, usual="that of the pilot"),
    "sd_task": _row(PLANNING, "Standard deviation between tasks of a dataset", metavar="NUMBER",
        type=FLOAT, usual="that of the pilot, or 0"),
    "sd_run": _row(PLANNING, "Standard deviation between runs (folds or seeds) of a task",
        metavar="NUMBER", type=FLOAT, usual="that of the pilot, or 0"),
    "n_datasets": _row(PLANNING, "Number of datasets for which to compute the power",
        metavar="N", type=Number(int, least=2), usual="as in the pilot"),
    "n_tasks": _row(PLANNING, "Tasks per dataset", metavar="N", type=COUNT,
        usual="as in the pilot, or 1"),
    "n_runs": _row(PLANNING, "Runs per task", metavar="N", type=COUNT,
        usual="as in the pilot, or 1"),
    "n_algorithms": _row(PLANNING, "Algorithms whose pairs are corrected together", metavar="N",
        type=COUNT, usual="as in the pilot, or 2"),
    "power": _row(PLANNING, "Desired power", type=FLOAT, usual="0.8"),
    "budget": _row(PLANNING, "Number of runs per algorithm to divide among datasets, tasks and "
        "seeds", metavar="RUNS", type=FLOAT),
    "dataset_cost": _row(PLANNING, "Additional cost of each dataset, in runs", metavar="RUNS",
        type=FLOAT, usual="0"),
    "power_curve": _row(OUTPUT, "Plot the power against the number of datasets (pdf, svg, png)",
        metavar="FILE"),
    # Figures
    "formats": _row(DRAWING, "File types, separated by commas: pdf, svg, png",
        "--format", metavar="A,B", commas=True, show_default=True),
    "only": _row(DRAWING, "Only these figures, separated by commas", metavar="NAMES",
        commas=True),
    "list_figures": _row(DRAWING, "List the figures and exit", "--list", is_flag=True,
        is_eager=True, expose_value=False),
    "sweep": _row(DRAWING, "Table of a tuning sweep (CSV, Parquet)", metavar="FILE",
        type=click.Path()),
    "times": _row(DRAWING, "Table of run times (CSV, Parquet)", metavar="FILE", type=click.Path()),
    "dpi": _row(DRAWING, "Resolution of PNG files", default=300.0, show_default=True,
        type=POSITIVE),
    "width": _row(DRAWING, "Final width: column, page, elsevier, ieee, lncs, springer, neurips, "
        "acm (with -wide for two columns), or a length such as 90mm", metavar="WIDTH",
        usual="column; page for sweep and times"),
    "highlight": _row(DRAWING, "Algorithms to highlight, separated by commas", metavar="NAMES",
        commas=True),
    "order": _row(DRAWING, "Order of the algorithms: rank, name, similarity, or names separated "
        "by commas, which come first", metavar="ORDER", commas=True),
    "labels": _row(DRAWING, "Text to show instead of a name; repeatable", "--label",
        metavar="NAME=TEXT", multiple=True),
    "height": _row(DRAWING, "Height", metavar="INCHES", type=FLOAT, usual="as needed"),
    "show": _row(DRAWING, "Maximum number of algorithms to show", metavar="N", type=COUNT,
        usual="as many as are legible"),
    "palette": _row(DRAWING, "Seaborn palette", metavar="NAME"),
    "title": _row(DRAWING, "Title of every figure", metavar="TEXT"),
    "note": _row(DRAWING, "Print notes below the figures", "--note/--no-note", default=True),
    # Experiments
    "data": _row(WORK, "Folder with one file per dataset, a file, or the built-in datasets; "
        "repeatable", multiple=True, default=["builtin"], show_default=True,
        metavar="DIR|FILE|builtin"),
    "datasets": _row(WORK, "Only these datasets: names or glob patterns, separated by commas",
        metavar="A,B,C*", commas=True),
    "label": _row(WORK, "Column with the class labels", metavar="COLUMN", default="class",
        show_default=True),
    "descriptors": _row(WORK, "Names of included descriptors, import paths such as "
        "pyod.models.ecod:ECOD, files such as mine.py:Class, or name=package.module:Class",
        metavar="A,B,…", commas=True, usual="all nine"),
    "jobs": _row(WORK, "Maximum number of worker processes; short runs use fewer", "-j", "--jobs",
        type=COUNT, metavar="N", usual="one per core"),
    "scheduler": _row(WORK, "Dask scheduler (tcp://host:port); its workers must have the same "
        "files", metavar="ADDRESS"),
    "shard": _row(WORK, "Compute only the I-th of N parts of the work, for job arrays",
        metavar="I/N", callback=_shard),
    "timeout": _row(WORK, "Time limit of a fit (in a sweep, of a fold)", metavar="SECONDS",
        type=POSITIVE),
    "memory": _row(WORK, "Memory limit of a worker; a fit that needs more fails", metavar="GB",
        type=POSITIVE, usual="the available memory"),
    "seed": _row(WORK, "S derives a seed for each fit; pinned:S uses S for every fit, as in the "
        "paper", metavar="S|pinned:S", default="pinned:0", show_default=True),
    "recompute": _row(WORK, "Compute failed fits again, or all of them", "--force",
        choices=["failed", "all"]),
    "dry_run": _row(WORK, "Print what would be computed and exit", is_flag=True),
    "progress": _row(WORK, "Show a progress bar", "--progress/--no-progress", default=None,
        usual="on a terminal"),
    # Run, tune and time
    "parameters": _row(WORK, "Use the leave-one-dataset-out parameters of this sweep (made by "
        "occstats tune)", metavar="SWEEP"),
    "fast": _row(WORK, "With --preset paper, only the small datasets (minutes)", is_flag=True),
    "metrics": _row(WORK, "Distance metrics of the neighbour-based descriptors", "--metric",
        metavar="A,B", commas=True, usual="manhattan,euclidean"),
    "grids": _row(WORK, "Values to try; repeatable. k and l are numbers of neighbours, a and b "
        "factors of log n, nu and c parameters of SVM (width c·m); LOF.a=… applies to LOF only",
        "--grid", multiple=True, metavar="NAME=START:STOP:STEP|V,V,…", usual="the paper's"),
    "windows": _row(WORK, "Odd width of the rolling mean in grid points; repeatable", "--window",
        multiple=True, metavar="[NAME=]N", usual="the paper's"),
    "attributes": _row(WORK, "Attributes of generated rows", metavar="N", default=28,
        show_default=True, type=COUNT),
    "sizes": _row(WORK, "Numbers of training rows, separated by commas", metavar="N,N,…",
        commas=True, callback=_sizes, usual="powers of two from 64 to 8192"),
    "samples": _row(WORK, "Samples per size", metavar="N", default=5, show_default=True,
        type=COUNT),
    "queries": _row(WORK, "Query rows", metavar="N", default=1024, show_default=True, type=COUNT),
    "limit": _row(WORK, "Skip larger samples once a descriptor takes longer than this",
        metavar="SECONDS", default=60.0, show_default=True, type=POSITIVE),
    # Datasets and checks
    "mirror": _row(OTHER, "Download the archives from this address instead", metavar="ADDRESS"),
    "compile_ahead": _row(OTHER, "Compile the kernels of the descriptors now instead of on the "
        "first run", "--compile", is_flag=True),
}
# fmt: on


def between(first: str, last: str) -> tuple[str, ...]:
    """Return the parameters of the table from the first to the last."""
    names = [*TABLE]
    return tuple(names[names.index(first) : names.index(last) + 1])


# The parameters of `compare`, of `load_results`, and of the commands that work through tasks.
SETTINGS = between("control", "inference")
READING = between("dataset", "max_rows")
EXPERIMENT = ("out", "as_json", *between("data", "progress"))


def option_name(name: str) -> str:
    """Return the option of a parameter.

    Examples
    --------
    >>> option_name("traits"), option_name("max_rows")
    ('--trait', '--max-rows')
    """
    names, _ = TABLE.get(name, ((), {}))
    return names[-1].partition("/")[0] if names else f"--{name.replace('_', '-')}"


def options(*names: str, **changes: dict[str, Any]) -> list[click.Parameter]:
    """Return the options of a command, with changed attributes."""
    found: list[click.Parameter] = []
    for name in names:
        declared, attributes = TABLE[name]
        attributes = attributes | changes.get(name, {})
        declared = attributes.pop("names", declared) or (option_name(name),)
        found.append(Option(*declared, name, **attributes))
    return found


def results(*, required: bool = True) -> click.Argument:
    """Return the argument for one or more results tables."""
    return click.Argument(["results"], nargs=-1, required=required, type=click.Path())


def take(names: Iterable[str], given: dict[str, Any]) -> dict[str, Any]:
    """Remove these options from the parsed ones; those that were not given are left out."""
    found = {name: given.pop(name) for name in names if name in given}
    return {name: value for name, value in found.items() if value not in (None, ())}


_SHOW_ALL = "occstats.help_all"


class LongCommand(click.Command):
    """A command whose --help shows the common options, and --help-all every option by group."""

    def __init__(self, *arguments: Any, common: Collection[str], **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.common = common
        listed = [each for each in self.params if isinstance(each, Option) and not each.hidden]
        self.params.append(
            click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=self._show_all,
                help=f"Show all options ({len(listed) - len(common)} more) and exit.",
            )
        )

    def _show_all(self, ctx: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked and not ctx.resilient_parsing:
            ctx.meta[_SHOW_ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if not isinstance(parameter, click.Option):
                continue
            record = parameter.get_help_record(ctx)
            group = getattr(parameter, "group", "Help")
            shown = group == "Help" or parameter.name in self.common or _SHOW_ALL in ctx.meta
            if record is not None and shown:
                groups.setdefault(group, []).append(record)
        for title, rows in groups.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def with_options(message: str) -> str:
    """Return the message with keyword arguments written as options.

    Examples
    --------
    >>> with_options("a.csv: 1 cell has no score; choose missing='complete', or give max_rows=9")
    'a.csv: 1 cell has no score; choose --missing complete, or give --max-rows 9'
    >>> with_options("grids: ALP has no parameter 'aa'"), with_options("leave scheduler out")
    ("--grid: ALP has no parameter 'aa'", 'leave --scheduler out')
    """
    names = "|".join(sorted(TABLE, key=len, reverse=True))
    # At the beginning or after a blank or a bracket: a file may be called fold=3.csv.
    value = rf"=(?:'([^']*)'|(…|[\w.]*\w))(?:,(?= (?:{names})=))?"
    argument = re.compile(rf"(?:^|(?<=[ (]))({names}){value}")

    def typed(found: re.Match[str]) -> str:
        value = (found[3] or found[2]).replace("\\\\", "\\")  # of a representation
        if value in {"True", "False"}:  # a switch takes no value
            return option_name(found[1]) if value == "True" else "--higher-is-better"
        return f"{option_name(found[1])} {value if value == '…' else shlex.quote(value)}"

    alone = re.compile(rf"^({names})(?=:? must | needs |: | ')|(?<=leave )({names})(?= out)")
    text = alone.sub(lambda found: option_name(found[1] or found[2]), argument.sub(typed, message))
    # Only double quotes keep the commas of a name in a list.
    lists = tuple(option_name(name) for name, (_, row) in TABLE.items() if row.get("commas"))
    if not text.startswith(lists):
        return text
    return re.sub(r"(?<=did you mean ')([^']*,[^']*)(?=')", r'"\1"', text)
