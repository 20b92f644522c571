import os

import pytest

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
