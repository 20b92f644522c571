"""The table of options agrees with the signatures; help and completion show it."""

import dataclasses
import inspect
from typing import get_args

import click
import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main
from occstats.cli.main import COMMANDS
from occstats.cli.options import READING, SETTINGS, options
from occstats.comparison import Settings, pipeline
from occstats.results import load
from occstats.results.reading import Reading


def run(*arguments, **options):
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)


def parameters(function):
    found = inspect.signature(function).parameters
    return {name: each for name, each in found.items() if each.kind is each.KEYWORD_ONLY}


@pytest.mark.parametrize(
    ("function", "module", "record", "names", "others"),
    [
        (occstats.compare, pipeline, Settings, SETTINGS, {"by", "explicit"}),
        (
            *(occstats.load_results, load, Reading, READING),
            {"cluster", "datasets", "algorithms"},
        ),
    ],
    ids=["compare", "load_results"],
)
def test_options_agree_with_the_signature(function, module, record, names, others):
    known = parameters(function)
    table = {option.name: option for option in options(*names) if not option.hidden}
    fields = {field.name: field for field in dataclasses.fields(record)}
    assert set(table) == set(fields) - others == set(known) - others
    for name, option in table.items():
        default = known[name].default
        # Settings have a default where the signature leaves it to others: None.
        assert default in (fields[name].default, None), name
        if default is not None and default != () and default is not False:
            shown = f"{default:g}" if isinstance(default, float) else str(default)
            assert option.usual == shown, name
        kind = known[name].annotation.removesuffix(" | None")
        choices = get_args(getattr(module, kind, None))
        assert tuple(getattr(option.type, "choices", ())) == choices, name
        assert option.help.endswith((".", "]")), name


@pytest.mark.parametrize(("name", "most"), [("compare", 14), ("gate", 9), ("figures", 14)])
def test_help_shows_the_common_options(name, most):
    short, everything = run(name, "--help").stdout, run(name, "--help-all").stdout
    command = main.get_command(click.Context(main), name)
    known = [each.opts[0] for each in command.params if not getattr(each, "hidden", True)]
    assert all(f"  {option}" in everything for option in known if option != "--help-all")
    assert sum(f"  {option} " in short for option in known) <= most + 1
    assert len(short.splitlines()) < 80
    assert "  --score COLUMN" in short
    assert "--max-rows" not in short


def test_every_command_has_help():
    listed = run("--help").stdout
    for name, (_, text) in COMMANDS.items():
        assert text in listed
        assert f" {name} " in run(name, "--help").stdout.splitlines()[0]
    assert occstats.__version__ in run("--version").stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("comp", "plain,compare"), ("compare lenz2021 --test r", "plain,rgl"), ("gate x", "file,x")],
)
def test_completion(typed, offered):
    environment = {
        "_OCCSTATS_COMPLETE": "bash_complete",
        "COMP_WORDS": f"occstats {typed}",
        "COMP_CWORD": str(len(typed.split())),
    }
    result = CliRunner().invoke(main, [], prog_name="occstats", env=environment)
    assert result.stdout.split() == [offered]
