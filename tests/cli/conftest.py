"""A small table of results, and a file of it in the current folder."""

import pandas as pd
import pytest

FAST = ["--n-resamples", "100"]
SMALL = pd.DataFrame(
    {
        "dataset": ["x", "x", "y", "y", "z", "z"],
        "class": ["1", "2"] * 3,
        "p": [0.9, 0.8, 0.7, 0.9, 0.6, 0.8],
        "q": [0.8, 0.7, 0.7, 0.8, 0.7, 0.6],
    }
)


@pytest.fixture
def csv(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(frame, name="results.csv"):
        frame.to_csv(name, index=False)
        return name

    return write
