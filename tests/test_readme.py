"""The README is run: every command and every Python block, and the output it shows."""

import re
import shlex
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

import occstats
from occstats.cli import main

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(
    r"(<!-- not run: (?P<reason>[^>]+) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)```", re.S
)


def blocks():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [
        (match["kind"], match["body"], match["reason"], text[: match.start()].count("\n") + 1)
        for match in BLOCK.finditer(text)
    ]


def numbered(*kinds):
    return [
        pytest.param(body, id=f"line {line}")
        for kind, body, reason, line in blocks()
        if kind in kinds and reason is None
    ]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """A folder with the files that the README speaks of."""
    monkeypatch.chdir(tmp_path)
    csv = next(body for kind, body, _, _ in blocks() if kind == "csv")
    (tmp_path / "mine.csv").write_text(csv)
    frame = occstats.load_results("lenz2021").to_frame().head(9 * 40)
    names = {"dataset": "suite", "class": "problem", "descriptor": "solver"}
    frame = frame.assign(loss=1 - frame["auroc"]).rename(columns=names)
    frame[["suite", "problem", "solver", "loss"]].to_csv(tmp_path / "results.csv", index=False)
    return tmp_path


@cache
def run(line):
    """Run a command once; those that write are named once in the README."""
    arguments = shlex.split(line, comments=True)
    assert arguments[0] == "occstats", line
    return CliRunner().invoke(main, arguments[1:])


@pytest.mark.parametrize("body", numbered("console"))
def test_commands_run(body, workplace):
    for line in body.splitlines():
        if line.startswith("$ "):
            result = run(line[2:])
            assert result.exit_code == 0, (line, result.output, result.exception)


def test_python_runs(workplace, capsys):
    import matplotlib as mpl

    mpl.use("agg")
    # As in a notebook, a block may use what an earlier one made.
    namespace = {}
    for kind, body, reason, line in blocks():
        if kind == "python" and reason is None:
            exec(compile("\n" * line + body, "README.md", "exec"), namespace)


def test_shown_output_is_what_is_printed():
    found = blocks()
    checked = 0
    for (kind, command, _, _), (following, shown, _, line) in pairwise(found):
        if kind == "console" and following == "text":
            printed = run(command.strip().removeprefix("$ ")).stdout
            lines = {re.sub(r"\s+$", "", text) for text in printed.splitlines()}
            for text in shown.splitlines():
                assert text in ("", "…") or text in lines, (line, text)
            checked += 1
    assert checked


def test_every_command_and_option_it_names_exists():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    context = main.make_context("occstats", ["--version"], resilient_parsing=True)
    commands = main.list_commands(context)
    for name in set(re.findall(r"(?:`|\$ )occstats ([a-z][a-z-]+)", text)):
        assert name in commands, name
    options = {
        option
        for name in commands
        for parameter in _parameters(main.get_command(context, name))
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)):
        assert option in options | {"--help", "--version"}, option


def _parameters(command):
    yield from command.params
    for inner in getattr(command, "commands", {}).values():
        yield from _parameters(inner)
