"""Start-up of the package and its command line, against importing pandas."""

from __future__ import annotations

import resource
import subprocess
import sys

from measuring import OURS, Row, Rows

REPEATS = 7


def child_seconds(code: str) -> float:
    """Return CPU seconds of a Python process that runs the code, the best of several."""
    best = float("inf")
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        best = min(best, used)
    return best


def rows(quick: bool) -> Rows:
    """Measure the import and the help, each in a separate process."""
    pandas = child_seconds("import pandas")
    cases = {
        "import occstats": "import occstats",
        "occstats --help": "from occstats.cli import main; main(['--help'], prog_name='occstats')",
    }
    for case, code in cases.items():
        yield Row("start-up", case, {OURS: child_seconds(code), "pandas": pandas}, 1.0, 1.0)
