"""Fixtures of the tests of results."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from occstats.errors import ResultsError
from occstats.results import load_results

# These scripts require the programs whose files they write.
collect_ignore_glob = ["programs/*"]


@pytest.fixture
def refused() -> Callable[..., str]:
    """Load sources that must be refused, and check that the message is short."""

    def check(*sources: Any, says: tuple[str, ...] = (), **options: Any) -> str:
        with pytest.raises(ResultsError) as caught:
            load_results(*sources, **options)
        message = str(caught.value)
        assert len(message.splitlines()) <= 10
        assert "\x1b" not in message
        for words in says:
            assert words in message, message
        return message

    return check


@pytest.fixture
def long_frame() -> pd.DataFrame:
    """Three datasets with two classes each, two algorithms."""
    rows = [
        (dataset, task, algorithm, round(0.5 + 0.01 * i + 0.1 * (algorithm == "B"), 3), 10 * i, 4)
        for i, (dataset, task) in enumerate((d, t) for d in ("x", "y", "z") for t in ("0", "1"))
        for algorithm in ("A", "B")
    ]
    return pd.DataFrame(rows, columns=["dataset", "class", "descriptor", "auroc", "n", "m"])
