"""Settings and fixtures of all tests."""

import os
import re
import signal
from collections import Counter
from functools import partialmethod
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from occstats.errors import OccstatsError

# No test depends on time.
settings.register_profile(
    "occstats", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("occstats")

# click before 8.2 mixes the two streams by default.
if "mix_stderr" in signature(CliRunner).parameters:
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)


def _plain_message(cls, *arguments, **options):
    """Check in every test that error messages say 0.5, not np.float64(0.5)."""
    found = re.search(r"\bnp\.\w+\(", " ".join(map(str, (*arguments, options))))
    assert found is None, arguments
    return super(OccstatsError, cls).__new__(cls, *arguments, **options)


OccstatsError.__new__ = _plain_message

TERMINAL = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")


def pytest_configure(config):
    """Make the tests independent of the terminal, and compile the kernels once for all workers."""
    for name in TERMINAL:
        os.environ.pop(name, None)
    # A process that a shell starts in the background ignores SIGINT, and so do its children.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        from occstats_descriptors.warm_up import compile_kernels

        list(compile_kernels(again=False))


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    """Undo what an earlier test did to the terminal."""
    for name in TERMINAL:
        monkeypatch.delenv(name, raising=False)


def pytest_terminal_summary(terminalreporter):
    """List the reasons why tests were skipped, and the command that runs them."""
    # A skipped test has the reason "Skipped: …" in the third place.
    skipped = [report.longrepr[2] for report in terminalreporter.stats.get("skipped", [])]
    if not skipped:
        return
    terminalreporter.section(f"{len(skipped)} tests were skipped")
    for reason, count in Counter(skipped).most_common():
        terminalreporter.line(f"{count:5d}  {reason.removeprefix('Skipped: ')}")
    terminalreporter.line("`make test-all` installs what it can and runs these tests, too.")


@pytest.fixture(scope="session")
def unbalanced():
    return unbalanced_table()


def unbalanced_table():
    """Return an unbalanced long table: datasets of 1 to 6 tasks, folds, repeats and ties.

    The number of repeats differs between folds, spread and score grow with the size of the dataset,
    and traits differ between tasks, so a mean over the wrong units is noticed.
    """
    rng = np.random.default_rng(7)
    rows = []
    for dataset, size in enumerate((1, 6, 2, 4, 1, 3, 5)):
        for task in range(size):
            traits = {"n": int(rng.integers(20, 900)), "m": int(rng.integers(2, 60)),
                      "sparsity": round(float(rng.uniform(0, 0.5)), 3)}  # fmt: skip
            base = rng.uniform(0.3, 0.6) + 0.04 * size
            for algorithm, shift in enumerate((0.0, 0.02 * size, 0.05, -0.03)):
                for fold in range(3):
                    for repeat in range(fold + 1):
                        reward = base + shift + rng.normal(0, 0.02 * size) + 0.05 * fold
                        rows.append(
                            {"dataset": f"d{dataset}", "class": f"c{task}",
                             "algorithm": f"A{algorithm}", "fold": fold, "repeat": repeat,
                             "reward": round(reward, 2), **traits}
                        )  # fmt: skip
    return pd.DataFrame(rows)
