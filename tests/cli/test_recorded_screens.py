"""Commands print what ``screens.txt`` records: results, refusals, help, and dialogues.

See `tests.recorded` for the form of that file and how to record it again. Lines that begin with
``!`` are printed to stderr, and ``exit`` tells the exit code. What follows ``<`` are answers on a
terminal.
"""

import re
import shlex
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from occstats.cli import dialogue, main
from tests.conftest import unbalanced_table
from tests.recorded import cases, check_case, n_lines


@pytest.mark.parametrize("case", cases("screens"))
def test_commands_print_what_is_recorded(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    unbalanced_table().to_csv("unbalanced.csv", index=False)

    def run(command):
        typed, asked, answers = command.partition(" < ")
        with monkeypatch.context() as context:
            if asked:
                context.setattr(dialogue, "sys", terminal(shlex.split(answers)))
            return printed(shlex.split(typed)[1:])

    check_case("screens", case, run, tmp_path)


def printed(arguments):
    result = CliRunner().invoke(main, arguments, prog_name="occstats")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    error = re.search(r"^Error: .*", result.stderr, re.MULTILINE | re.DOTALL)
    assert error is None or n_lines(error[0]) <= 12
    lines = [f"! {line}" for line in result.stderr.splitlines()]
    lines += result.stdout.splitlines()
    # The version of the program is the only thing that may change without a reason.
    text = re.sub(r'"version": ".*"', '"version": …', "\n".join(lines))
    return text + f"\nexit {result.exit_code}" * (result.exit_code != 0)


def terminal(answers):
    """Return a terminal on which somebody gives these answers, and then ends the input."""

    def readline():
        answer = answers.pop(0) if answers else ""
        click.echo(answer, err=True)
        return f"{answer}\n" if answer else ""

    return SimpleNamespace(
        stdin=SimpleNamespace(isatty=lambda: True, readline=readline),
        stderr=SimpleNamespace(isatty=lambda: True),
    )
