import pytest


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch):
    """What is printed must not depend on the terminal in which the tests happen to run."""
    for name in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
