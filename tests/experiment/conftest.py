import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _find_misbehaving(monkeypatch):
    """Make the test descriptors importable here and in every process that is started."""
    monkeypatch.syspath_prepend(str(HERE))
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)


@pytest.fixture
def toy():
    """Two small data sets as frames: three classes, and one class too small to be a target."""
    rng = np.random.default_rng(5)
    frames = {}
    for name, sizes in {"toy": [12, 9, 3], "a/b: ✓": [8, 8]}.items():
        labels = np.repeat([f"c{i}" for i in range(len(sizes))], sizes)
        X = rng.normal(size=(len(labels), 3)) + np.repeat(np.arange(len(sizes)), sizes)[:, None]
        frames[name] = pd.DataFrame(X, columns=list("xyz")).assign(**{"class": labels})
    return frames


@pytest.fixture
def toy_folder(toy, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    toy["toy"].to_parquet(folder / "toy.parquet")
    toy["a/b: ✓"].to_csv(folder / "other.csv", index=False)
    return folder


@pytest.fixture
def one_target():
    """The smallest experiment there is: one target class, five folds."""
    return {"one": pd.DataFrame({"x": range(10), "class": ["a"] * 5 + ["b"] * 3 + ["c"] * 2})}


@pytest.fixture
def occstats_command():
    return [sys.executable, "-m", "occstats"]
