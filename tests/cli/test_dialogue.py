"""The dialogue about an unclear table, on a pseudo-terminal of 80 columns."""

import os
import pty
import re
import struct
import subprocess
import sys
from termios import TIOCSWINSZ

import numpy as np
import pandas as pd
import pytest

fcntl = pytest.importorskip("fcntl")
INTERRUPT, END = "\x03", "\x04"
# Opening a terminal makes it that of the session, which receives Ctrl-C. Popen's preexec_fn could
# do so, too, but may block for ever if another thread holds a lock while the process forks.
PROGRAM = """
import os, runpy
os.close(os.open(os.ttyname(0), os.O_RDWR))
runpy.run_module("occstats", run_name="__main__", alter_sys=True)
"""


def converse(folder, arguments, *answers):
    """Run a command on a terminal, answer each question; return the exit code and the screen.

    Reads block until the program writes or ends, so that no deadline is needed. A line break
    follows Ctrl-C: the signal may come just before the program waits for input, and Python handles
    it after that.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(slave)
    screen, left = b"", list(answers)
    asked = 0
    while True:
        try:
            part = os.read(master, 65_536)
        except OSError:  # the program has ended
            break
        if not part:
            break
        screen += part
        if re.search(rb"[:?\]] $", screen[asked:]):
            asked = len(screen)
            answer = left.pop(0) if left else END
            os.write(master, (answer if answer == END else f"{answer}\n").encode())
    os.close(master)
    return process.wait(), screen.decode().replace("\r\n", "\n")


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    names = [f"{i:03}_{part}_id_{i}" for i, part in enumerate(["NAB", "MSL", "Genesis"] * 6)]
    frame = pd.DataFrame(rng.uniform(0.5, 0.9, (18, 3)), columns=["PCA", "LOF", "CNN"])
    frame.insert(0, "series", names)
    frame["note"] = "x"
    frame.round(3).to_csv(tmp_path / "table.csv", index=False)
    return tmp_path


COMMAND = ["compare", "table.csv", "--n-resamples", "200"]


def test_answers_make_a_comparison_and_the_command_that_repeats_it(table):
    code, screen = converse(table, COMMAND, "2-4", "1", "h", "y", "y")
    assert code == 0, screen
    assert "I read: 3 algorithms" in screen
    read = "on 18 tasks in 3 datasets; the score is in the cells, higher is better"
    assert read in " ".join(screen.split())
    plain = re.sub(r"\x1b\[\w*", "", screen)
    wide = [line for line in plain.splitlines() if len(line.rpartition("\r")[2]) > 80]
    assert all(line.startswith("Next time: ") for line in wide), wide
    line = next(line for line in screen.splitlines() if line.startswith("Next time: "))
    again = subprocess.run(
        line.removeprefix("Next time: ").replace("occstats", f"{sys.executable} -m occstats", 1),
        shell=True, cwd=table, capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert "18 tasks in 3 datasets" in again.stdout


@pytest.mark.parametrize("n_answers", [0, 4])
def test_interrupts_and_ends_of_input(table, n_answers):
    answers = ["2-4", "1", "l", "n"][:n_answers]
    code, screen = converse(table, COMMAND, *answers, INTERRUPT)
    assert code == 130
    assert screen.endswith("Interrupted.\n")
    code, screen = converse(table, COMMAND, *answers, END)
    assert code == 2
    assert "try: occstats compare table.csv" in screen


def test_a_column_that_tells_rows_apart_may_be_the_dataset(tmp_path):
    rng = np.random.default_rng(0)
    keys = [(s, p, a) for s in "abcdef" for p in ("p1", "p2") for a in ("ours", "base")]
    frame = pd.DataFrame(keys, columns=["group", "problem", "solver"])
    frame["loss"] = rng.uniform(size=len(frame)).round(3)
    frame.to_csv(tmp_path / "table.csv", index=False)
    code, screen = converse(tmp_path, COMMAND, "l", "group=dataset", "y")
    assert code == 0, screen
    assert "on 12 tasks in 6 datasets" in screen
    assert screen.count("--lower-is-better --dataset group") == 1


def test_only_what_is_open_is_asked(table):
    frame = pd.read_csv(table / "table.csv").rename(columns={"series": "dataset"})
    frame.drop(columns="note").to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "h", "n", "y")
    assert code == 0, screen
    assert "Which column" not in screen
    long = frame.melt("dataset", ["PCA", "LOF"], "model", "acc")
    again = pd.concat([long, long[:1]])
    again.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "y", "n", "y")
    assert code == 0, screen
    assert "lower score" not in screen
    long.columns = ["ds", "model", "points"]
    long.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "ds", "h", "n", "y")
    assert code == 0, screen
    assert "Which column is the score" not in screen
    assert "Which column names the algorithms" not in screen


def test_a_measure_is_chosen_before_its_direction(tmp_path):
    keys = [(d, m, a) for d in "abcdef" for m in ("accuracy", "rmse") for a in ("ours", "base")]
    frame = pd.DataFrame(keys, columns=["group", "metric", "solver"])
    frame["value"] = np.random.default_rng(0).uniform(size=len(frame)).round(3)
    frame.to_csv(tmp_path / "table.csv", index=False)
    code, screen = converse(tmp_path, COMMAND, "solver", "group", "f1", "rmse", "y")
    assert code == 0, screen
    assert "'solver' is the algorithm; name another column." in screen
    assert "lower is better; only rows with 'metric=rmse'" in " ".join(screen.split())
