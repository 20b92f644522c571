import os

import pytest
from hypothesis import HealthCheck, settings

# Timings never decide a test.
settings.register_profile(
    "occstats", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("occstats")

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
