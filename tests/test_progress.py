"""Progress bars are shown where somebody can see them."""

import sys
from types import SimpleNamespace

import pytest

from occstats import progress


@pytest.mark.parametrize("asked", [None, True, False])
@pytest.mark.parametrize("notebook", [True, False])
@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_is_shown_on_a_terminal_or_in_a_notebook(monkeypatch, terminal, notebook, asked):
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: terminal))
    monkeypatch.setattr(progress, "in_notebook", lambda: notebook)
    assert progress.shown(asked) == ((terminal or notebook) if asked is None else asked)
