"""The group of commands: loads a command when it is called, and reports errors."""

from __future__ import annotations

import codecs
import contextlib
import gc
import os
import re
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click

from occstats import __version__
from occstats._format import did_you_mean, listing, printable, terminal_width, wrap
from occstats.errors import OccstatsError

# name → (module, help): `occstats --help` must not import what the commands need
COMMANDS: dict[str, tuple[str, str]] = {
    "compare": ("compare_commands", "Compare algorithms on tasks grouped by dataset."),
    "gate": ("compare_commands", "Test a candidate against a baseline; sets the exit code."),
    "plan": ("compare_commands", "Plan a study: datasets needed, detectable difference, budget."),
    "figures": ("compare_commands", "Draw the figures of a comparison."),
    "run": ("experiment_commands", "Run descriptors on one-class tasks and store the results."),
    "tune": ("experiment_commands", "Evaluate a descriptor over its hyperparameters."),
    "time": ("experiment_commands", "Measure construction and query times."),
    "datasets": ("experiment_commands", "List, check and fetch the paper's datasets."),
    "doctor": ("doctor", "Report what is installed and what is missing."),
}

BAD_INPUT, INTERRUPTED = 2, 130
# Signs of the output on a terminal that shows only ASCII.
PLAIN = str.maketrans(
    {"−": "-", "–": "-", "×": "x", "≤": "<=", "≥": ">=", "±": "+/-", "…": "...", "→": "->"}
    | {"“": '"', "”": '"', "α": "alpha", "τ": "tau", "χ": "chi", "²": "^2"}
)
# What other commands and programs call an option.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "--control": ("--baseline",),
    "--baseline": ("--control",),
    "--seed": ("--random-state",),
    "--random-state": ("--seed",),
    "--models": ("--algorithms", "--descriptors"),
    "--metric": ("--score",),
    "--measure": ("--score",),
    "--datasets": ("--n-datasets",),
    **dict.fromkeys(("--effect", "--effect-size", "--delta"), ("--difference",)),
    **dict.fromkeys(("-o", "--output", "--dir"), ("--out",)),
    **dict.fromkeys(("--cores", "--cpus", "--n-jobs", "--threads", "--workers"), ("--jobs",)),
}
# Key of the typed arguments in the context of a command.
ARGUMENTS = "occstats.arguments"


class HelpfulGroup(click.Group):
    """A group that fails with its help if no command is given, as click does since 8.2."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(BAD_INPUT)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(
                f"there is no command {name!r}{did_you_mean(name, known)}; the commands are "
                f"{', '.join(known)}"
            )
        return super().resolve_command(ctx, args)


class LazyGroup(HelpfulGroup):
    """A group that imports the module of a command when the command is used."""

    arguments: Sequence[str] = ()  # with the answers of a dialogue

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        self.arguments = ctx.meta[ARGUMENTS] = list(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"occstats.cli.{COMMANDS[cmd_name][0]}")
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from occstats.results.load import bundled_names

            if os.path.exists(name) or name in bundled_names():
                ctx.fail(f"{name!r} is not a command; try: occstats compare {shlex.join(args)}")
            if name == "help":
                command = " ".join(["occstats", *(word for word in args[1:2] if word in COMMANDS)])
                ctx.fail(f"there is no command 'help'; try: {command} --help")
            if os.path.splitext(name)[1]:
                ctx.fail(f"there is no command or file {name!r}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_text) for name, (_, help_text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            # The reader, such as `head`, has stopped; keep Python from complaining at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        *,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; with ``standalone_mode`` errors become a message and an exit code."""
        run = partial(super().main, args, prog_name or "occstats", standalone_mode=False, **extra)
        if not standalone_mode:
            return run()
        # A command leaves little garbage: the usual threshold costs a tenth of drawing figures.
        gc.set_threshold(100_000, 50)
        codecs.register_error("occstats", _plain)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, ValueError):
                stream.reconfigure(errors="occstats")  # type: ignore[union-attr]
        # Child processes must not take modules from the current folder.
        os.environ["PYTHONSAFEPATH"] = "1"
        with contextlib.suppress(ValueError):  # not in the main thread
            signal.signal(signal.SIGINT, _interrupt_once)
        try:
            code: Any = run()
        except click.UsageError as error:
            _refuse(_usage(error))
        except click.ClickException as error:
            _refuse(error.format_message())
        except OccstatsError as error:
            _refuse(advice(error, self.arguments))
        except (KeyboardInterrupt, click.Abort, EOFError):
            click.echo("Interrupted.", err=True)
            sys.exit(INTERRUPTED)
        sys.exit(code if isinstance(code, int) else 0)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that a terminal cannot show by similar ones, or by escapes."""
    assert isinstance(error, UnicodeEncodeError)
    rest = error.object[error.start : error.end].translate(PLAIN)
    return rest.encode("ascii", "backslashreplace").decode(), error.end


def _interrupt_once(number: int, frame: FrameType | None) -> NoReturn:
    """Interrupt the command; another Ctrl-C must not interrupt its cleaning up."""
    signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _usage(error: click.UsageError) -> str:
    """Return the message of a command that cannot be parsed, with a remedy."""
    message, context = error.format_message().removesuffix("."), error.ctx
    if context is None:
        return re.sub(r"^Option '(.+)' requires an argument$", r"\1 needs a value", message)
    params = context.command.params
    known = {name for each in params for name in (*each.opts, *each.secondary_opts)}
    if isinstance(error, click.NoSuchOption):
        name = error.option_name
        same = next((each for each in SYNONYMS.get(name, ()) if each in known), None)
        near = f" (did you mean {same!r}?)" if same else did_you_mean(name, known)
        resumed = ": the same command resumes its work"
        owners = [each for each in COMMANDS if name in _options_of(each)]
        near = near or (f"; it belongs to occstats {listing(owners)}" if owners else "")
        message = f"there is no option {name}{resumed if name == '--resume' else near}"
    elif isinstance(error, click.MissingParameter):
        typed = context.meta.get(ARGUMENTS, [])
        missing = [
            f"{each.opts[-1]} NAME" if isinstance(each, click.Option) else each.human_readable_name
            for each in params
            if each.required and each.name not in context.params and each.opts[-1] not in typed
        ]
        remedy = shlex.join(typed) + "".join(f" {each}" for each in missing)
        message = f"{listing(missing)} must be given; try: occstats {remedy}"
    elif extra := re.search(r"unexpected extra arguments? \((.*)\)", message):
        names = extra[1].split()
        option = _option_for(names)
        remedy = f"; try: {context.command_path} {option} {shlex.quote(','.join(names))}"
        message = f"unexpected {extra[1]!r}{remedy if option in known else ''}"
    return (
        message if message.endswith("--help") else f"{message} (see {context.command_path} --help)"
    )


def _options_of(name: str) -> list[str]:
    command = main.get_command(click.Context(main), name)
    return [option for each in (command.params if command else ()) for option in each.opts]


def _option_for(names: Sequence[str]) -> str:
    """Return the option of an experiment that the names were probably meant for."""
    if all(map(os.path.exists, names)):
        return "--data"
    return "--descriptors" if all(map(str.isupper, names)) else "--datasets"


def advice(error: OccstatsError, arguments: Sequence[str]) -> str:
    """Return the message of an error with options, and with the command to try, if known."""
    from occstats.cli.options import with_options

    if hasattr(error, "templates"):
        return _with_templates(error, arguments)
    first, *others = map(with_options, getattr(error, "choices", None) or [""])
    retry = dict(getattr(error, "retry", {}))
    # An explicit policy stays, unless it is what has to change.
    if len(retry) > 1 and any(argument.startswith("--missing") for argument in arguments):
        retry.pop("missing", None)
    lines = [*map(with_options, str(getattr(error, "problem", error)).split("\n"))]
    if retry:
        lines.append(f"try: {as_command(arguments, retry)}")
        lines += [f"     ({reason}" for reason in first.rsplit(" (", 1)[1:]]
        known = {*_options_of(arguments[0])} if arguments else set()
        # Leave out a choice of another command, such as --estimand in gate.
        others = [line for line in others if not line.startswith("--") or known & {*line.split()}]
    elif first:
        lines.append(f"try: {first}")
    return "\n".join([*lines, *(f"  or {line}" for line in others)])


def _with_templates(error: Any, arguments: Sequence[str]) -> str:
    """Return the message of an unclear table, with as many columns as fit on twelve lines."""
    from occstats.cli.options import with_options

    plain = as_command(arguments, {})
    templates = [dict(template) for template in error.templates if template]
    directions = [t.pop("lower_is_better") for t in templates if "lower_is_better" in t]
    first, *others = [as_command(arguments, template) for template in templates] or [""]
    tried = [f"try: {first}"] if templates else []
    if not error.retry:  # it has blanks, and cannot be pasted
        tried = [part for line in tried for part in wrap(line, terminal_width(), others=" " * 5)]
    tried += [f"  or {line.replace(plain, '…', 1)}" for line in others]
    if directions:
        each = "each " if others else ""
        tried.append(f"  {each}with --higher-is-better or --lower-is-better")
    head = with_options(error.head)
    n_left = 12 - sum(len(wrap(line, 80, others=" " * 5)) for line in [f"Error: {head}", *tried])
    one_table = hasattr(error, "raw") and not error.raw.label  # numbers need a single file
    if one_table and n_left > 4 and " COLUMN" in "".join(tried):
        tried.append("  columns by name or number, as in --dataset 1 --algorithms 2-6")
        n_left -= 1
    return "\n".join([head, *error.describe(max(n_left, 2)), *tried])


def as_command(arguments: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return a command line with further options; blanks in capitals are not quoted.

    Examples
    --------
    >>> as_command(["compare", "a b.csv"], {"score": "COLUMN", "lower_is_better": False})
    "occstats compare 'a b.csv' --score COLUMN --higher-is-better"
    """
    from occstats.results.ask import Blank

    parts = [shlex.join(_without_options(arguments, options))]
    for name, value in options.items():
        values = value if isinstance(value, list) else [value]
        if name == "algorithms":  # names with commas are quoted as in CSV
            values = [",".join(f'"{n}"' if "," in n else n for n in values)]
            values = [value] if isinstance(value, Blank) else values
        for one in values:
            part = as_options({name: one})
            parts.append(f"[{part}]" if isinstance(one, Blank) and one.optional else part)
    return " ".join(["occstats", *filter(None, parts)])


def as_options(arguments: Mapping[str, Any]) -> str:
    """Return keyword arguments as options of a shell command.

    Examples
    --------
    >>> as_options({"dataset": "data set", "traits": ["n", "m"], "lower_is_better": True})
    "--dataset 'data set' --trait n --trait m --lower-is-better"
    """
    from occstats.cli.options import option_name

    parts: list[str] = []
    for name, value in arguments.items():
        if isinstance(value, bool):
            higher = name == "lower_is_better" and not value
            parts.append("--higher-is-better" if higher else option_name(name))
        else:
            for one in [value] if isinstance(value, str | int | float) else value:
                # A value with a leading dash would be read as an option.
                glued = str(one).startswith("-")
                parts += [f"{option_name(name)}={one}"] if glued else [option_name(name), str(one)]
    return shlex.join(parts)


def _without_options(arguments: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """Return the arguments without options that are replaced; repeatable ones stay.

    Examples
    --------
    >>> _without_options(["compare", "a.csv", "--missing", "complete"], {"missing": "worst"})
    ['compare', 'a.csv']
    >>> _without_options(["compare", "a.csv", "--score=f1", "--trait", "n"], {"score": "auc"})
    ['compare', 'a.csv', '--trait', 'n']
    >>> _without_options(["compare", "a.csv", "--header-rows", "1"], {"header_rows": 2})
    ['compare', 'a.csv']
    """
    from occstats.cli.options import option_name

    replaced = {
        option_name(name)
        for name, value in options.items()
        if isinstance(value, str | int) and not isinstance(value, bool)
    }
    kept, skipped = [], False
    for argument in arguments:
        if not skipped and argument.split("=", 1)[0] not in replaced:
            kept.append(argument)
        skipped = argument in replaced
    return kept


def _refuse(message: str) -> NoReturn:
    lines = f"Error: {message}".split("\n")
    if len(lines) > 1 or sys.stderr.isatty():
        width = terminal_width()
        shown: list[str] = []
        for line in map(printable, lines):
            if line.startswith("try: occstats "):  # pasted as a whole
                shown.append(line)
            elif re.match(r" +\d", line):  # a numbered column
                shown.append(line if len(line) <= width else f"{line[: width - 1]}…")
            else:
                shown += wrap(line, width, others=" " * 5)
        lines = shown
    click.echo("\n".join(map(printable, lines)), err=True)
    sys.exit(BAD_INPUT)


def say(text: str, *, err: bool = True, first: str = "", others: str = "") -> None:
    """Print the text, wrapped to the terminal."""
    click.echo("\n".join(wrap(printable(text), terminal_width(), first, others)), err=err)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="occstats")
def main() -> None:
    """Statistical comparison of algorithms on benchmark tasks that come in clusters.

    \b
    occstats compare lenz2021               the bundled table of the paper
    occstats compare mine.csv --out report  your table, with a report and LaTeX

    \b
    Completion in bash (zsh_source and fish_source for other shells):
    eval "$(_OCCSTATS_COMPLETE=bash_source occstats)"
    """
