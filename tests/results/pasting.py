"""Run a command line, and the one that its error suggests."""

import re
import shlex

from occstats.cli.compare_commands import compare as command
from occstats.cli.main import advice
from occstats.cli.options import READING, take
from occstats.errors import ResultsError
from occstats.results import load_results


def typed(line):
    """Load as the command line would; return None and the message on an error."""
    program, name, *arguments = shlex.split(line)
    assert (program, name) == ("occstats", "compare")
    missing, reading_only = "refuse", list(arguments)
    if "--missing" in arguments:
        at = arguments.index("--missing")
        missing = arguments[at + 1]
        del reading_only[at : at + 2]
    with command.make_context("compare", reading_only, resilient_parsing=True) as context:
        options = dict(context.params)
    reading = take(READING, options)
    try:
        table = load_results(*options["results"], **reading)
        table.resolve_missing(missing)
    except ResultsError as error:
        return None, advice(error, ["compare", *arguments])
    return table, ""


def pasted(path):
    """Return the table of the plain or the suggested command, and that command."""
    line = shlex.join(["occstats", "compare", str(path)])
    table, message = typed(line)
    if table is None:
        line = re.search(r"^try: (occstats .*)$", message, flags=re.MULTILINE)[1]
        table, again = typed(line)
        assert table is not None, again
    return table, line.replace(shlex.quote(str(path)), path.name)
