import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def _find_misbehaving(monkeypatch):
    """Make the test estimators importable here and in every child process."""
    monkeypatch.syspath_prepend(str(HERE))
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)


@pytest.fixture
def in_process(monkeypatch):
    """Run third-party estimators in this process, where their isolation is not the point."""
    monkeypatch.setattr("occstats.experiment.plan._third_party_name", lambda unit: "")


@pytest.fixture
def many_workers(monkeypatch):
    """Start as many workers as asked for, however short the run."""
    monkeypatch.setattr("occstats.experiment.run.SECONDS_PER_WORKER", 1e-9)


TIMINGS = ["fit_seconds", "query_seconds"]


@pytest.fixture
def scores():
    """Return a function that drops what differs between runs of the same fits."""
    return lambda table: table.drop(columns=TIMINGS).reset_index(drop=True)


@pytest.fixture
def toy():
    """Two small datasets: one with a class too small to be a target, one with an odd name."""
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
    """The smallest experiment: one target class, five folds."""
    return {"one": pd.DataFrame({"x": range(10), "class": ["a"] * 5 + ["b"] * 3 + ["c"] * 2})}


class Gate:
    """Fits of `misbehaving:Waiting` announce themselves and wait until the gate opens."""

    def __init__(self, folder):
        self.folder = folder

    def open(self):
        (self.folder / "open").touch()

    def close(self):
        for path in self.folder.iterdir():
            path.unlink()

    def fits(self):
        """Return the process of each waiting fit."""
        return [int(path.name.split("-")[1]) for path in self.folder.glob("arrived-*")]


@pytest.fixture
def gate(tmp_path, monkeypatch):
    folder = tmp_path / "gate"
    folder.mkdir()
    monkeypatch.setenv("OCCSTATS_TEST_GATE", str(folder))
    yield Gate(folder)
    (folder / "open").touch()


@pytest.fixture
def start():
    """Start child processes, which are killed at the end whatever happens."""
    started = []

    def run(*command, **options):
        process = subprocess.Popen(list(map(str, command)), text=True, **options)
        started.append(process)
        return process

    yield run
    for process in reversed(started):
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def wait_for():
    """Wait for an event, without a deadline, as long as the given processes live."""

    def wait(condition, *processes):
        while not condition():
            for process in processes:
                assert process.poll() is None, f"ended with {process.returncode}"
            time.sleep(0.02)

    return wait
