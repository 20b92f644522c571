import os
from functools import partialmethod
from inspect import signature

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

# Timings never decide a test.
settings.register_profile(
    "occstats", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("occstats")

# click before 8.2 keeps the two streams apart only when told to, later ones always.
if "mix_stderr" in signature(CliRunner).parameters:
    CliRunner.__init__ = partialmethod(CliRunner.__init__, mix_stderr=False)

TERMINAL = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")


def pytest_configure(config):
    """What is printed must not depend on the terminal in which the tests happen to run."""
    for name in TERMINAL:
        os.environ.pop(name, None)


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    """Nor on what an earlier test left behind."""
    for name in TERMINAL:
        monkeypatch.delenv(name, raising=False)
