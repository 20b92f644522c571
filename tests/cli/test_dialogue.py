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
    commands = ("Next time: occstats compare ", "      occstats figures ")
    assert all(line.startswith(commands) for line in wide), wide
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
    assert screen.count("200 --lower-is-better --dataset group\n") == 1


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
    assert "'solver' is the algorithm; choose another column." in screen
    assert "lower is better; only rows with 'metric=rmse'" in " ".join(screen.split())


def written(folder, frame):
    frame.round(3).to_csv(folder / "table.csv", index=False)
    return folder


def scores(*shape):
    return np.random.default_rng(0).uniform(0.5, 0.9, shape)


@pytest.mark.parametrize("sign", "_-:/")
def test_datasets_in_names_that_a_sign_joins_are_asked_about(tmp_path, sign):
    names = [f"{part}{sign}{i}" for part in ("iris", "wine", "ecoli") for i in range(3)]
    frame = pd.DataFrame(scores(9, 2), columns=["PCA", "LOF"]).assign(task=names)
    code, screen = converse(written(tmp_path, frame), COMMAND, "h", "y", "y")
    assert code == 0, screen
    assert "begin with 3 common parts ('iris', 'wine'" in screen
    assert "9 tasks in 3 datasets" in screen
    frame["task"] = [*names[:-1], f"ecoli{sign}a{sign}b" if sign != "/" else "ecoli"]
    code, screen = converse(written(tmp_path, frame), COMMAND, "h", "y")
    assert "common parts" not in screen
    assert "--dataset-from …" in " ".join(screen.split())


@pytest.mark.parametrize("answer", ["@row", "row", "none"])
def test_rows_of_numbers_alone_may_each_be_a_task(tmp_path, answer):
    frame = pd.DataFrame(scores(8, 3), columns=["PCA", "LOF", "CNN"])
    code, screen = converse(written(tmp_path, frame), COMMAND, answer, "h", "y")
    assert code == 0, screen
    assert "8 tasks in 8 datasets" in screen
    assert "Next time: occstats compare table.csv --n-resamples 200 --dataset @row" in screen


@pytest.mark.parametrize("answer", ["tasks", "2-5"])
def test_all_columns_of_a_leaderboard_are_transposed(tmp_path, answer):
    frame = pd.DataFrame(scores(3, 4), columns=["iris", "wine", "ecoli", "glass"])
    frame.insert(0, "method", ["PCA", "LOF", "CNN"])
    code, screen = converse(written(tmp_path, frame), COMMAND, answer, "h", "y")
    assert code == 0, screen
    assert "3 algorithms" in screen
    assert "--transpose --higher-is-better\n" in screen


def test_only_a_word_or_its_beginning_is_a_choice(table):
    code, screen = converse(table, COMMAND, "2-4", "1", "help", "", "lower", "no", "Y")
    assert code == 0, screen
    assert screen.count("Please answer h or l.") == 2
    assert "lower is better" in screen


def test_a_dataset_and_its_tasks_are_told_as_columns(tmp_path):
    keys = [(d, c, m) for d in ("iris", "wine", "ecoli") for c in "abc" for m in ("PCA", "LOF")]
    frame = pd.DataFrame(keys, columns=["ds", "part", "model"]).assign(points=scores(18))
    code, screen = converse(written(tmp_path, frame), COMMAND, "ds", "h", "task", "y", "y")
    assert code == 0, screen
    assert "'ds' groups the 9 tasks into 3. Are these the datasets?" in screen
    assert "9 tasks in 3 datasets" in screen
    assert "--dataset-from" not in screen
    assert " --dataset ds" in screen
    assert " --task part" in screen


def test_a_reading_that_is_wrong_is_left_without_an_interrupt(table):
    code, screen = converse(table, COMMAND, "2-4", "1", "h", "y", "", "n")
    assert code == 2
    assert "Please answer y or n." in screen
    assert "To change an answer, edit: occstats compare table.csv" in screen
    assert "Interrupted" not in screen
    code, screen = converse(table, COMMAND, "2-4", "1", "h", "y", END)
    assert "(y / n): \nError: no answer" in screen


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (["1"], "--algorithms LOF,CNN --missing complete"),
        (["2", "PAC", "LOF"], "--missing impute=LOF"),
        (["impute=LOF"], "--missing impute=LOF"),
    ],
)
def test_missing_cells_have_the_choices_of_the_message(tmp_path, answers, told):
    frame = pd.DataFrame(scores(6, 3), columns=["PCA", "LOF", "CNN"]).assign(task=[*"abcdef"])
    frame.loc[:4, "PCA"] = np.nan
    frame.loc[5, "CNN"] = np.nan
    code, screen = converse(written(tmp_path, frame), COMMAND, "h", *answers, "y")
    assert code == 0, screen
    assert "1 complete with 'LOF', 'CNN': 2 algorithms and 5 tasks stay" in screen
    assert f"{told}\n" in screen
    assert ("did you mean 'PCA'" in screen) == ("PAC" in answers)


def test_columns_that_differ_are_asked_about_one_after_another(tmp_path):
    keys = [(t, m, mode, i) for t in "abcd" for m in ("PCA", "LOF") for mode in "xy" for i in "12"]
    frame = pd.DataFrame(keys, columns=["task", "model", "mode", "trial"])
    frame = frame.assign(points=scores(len(frame)))
    frame = pd.concat([frame, frame[:1].assign(points=0.5)])
    code, screen = converse(
        written(tmp_path, frame), COMMAND, "points", "h", "mode=x", "trial=repeat", "y", "y"
    )
    assert code == 0, screen
    assert screen.count("Rows of the same task and algorithm differ in:") > 1


def test_rows_that_summarise_told_tasks_may_be_left_out(tmp_path):
    frame = pd.DataFrame(scores(6, 3), columns=["PCA", "LOF", "CNN"])
    frame["what"] = [*"abcd", "mean", "mean of all"]
    code, screen = converse(written(tmp_path, frame), COMMAND, "1-3", "what", "h", "y", "y")
    assert code == 0, screen
    assert "on 4 tasks" in screen
