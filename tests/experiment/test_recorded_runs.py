"""Small runs and sweeps, and their refusals, are as recorded in ``runs.txt``.

See `tests.recorded` for the form of that file and how to record it again. Beside commands, it
prints tables without times and versions, which differ from run to run.
"""

import shlex

import pandas as pd
import pytest
from click.testing import CliRunner

from occstats.cli import main
from occstats.experiment.store import Store
from tests.recorded import cases, check_case

pytestmark = pytest.mark.usefixtures("in_process")
COLUMNS = ["dataset", "class", "descriptor", "fold", "status", "auroc", "average_precision"]
COLUMNS += ["n", "m", "sparsity", "parameters", "error"]


@pytest.mark.parametrize("case", cases("runs"))
def test_runs_are_as_recorded(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    check_case("runs", case, lambda line: commands[line.split()[0]](*line.split()[1:]), tmp_path)


def call(*arguments):
    result = CliRunner().invoke(main, shlex.split(" ".join(arguments)), prog_name="occstats")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    errors = [f"! {line}" for line in result.stderr.splitlines() if "\r" not in line]
    return "\n".join([*errors, result.stdout + f"exit {result.exit_code}"])


def rows(folder):
    """Return the stored rows, in order."""
    found = Store(folder).read()[COLUMNS].sort_values(COLUMNS[:4])
    return found.to_csv(index=False, float_format="%.9g")


def table(path):
    return pd.read_csv(path).to_csv(index=False, float_format="%.9g")


commands = {"occstats": call, "rows": rows, "table": table}
