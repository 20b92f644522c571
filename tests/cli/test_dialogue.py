"""The dialogue about an unclear table, on a pseudo-terminal of 80 columns."""

import os
import pty
import re
import struct
import subprocess
import sys
from termios import TIOCSCTTY, TIOCSWINSZ

import numpy as np
import pandas as pd
import pytest

fcntl = pytest.importorskip("fcntl")
INTERRUPT, END = "\x03", "\x04"


def converse(folder, arguments, *answers):
    """Run a command on a terminal, answer each question; return the exit code and the screen.

    Reads block until the program writes or ends, so that no deadline is needed.
    """
    master, slave = pty.openpty()
    fcntl.ioctl(slave, TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "occstats", *arguments],
        cwd=folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, TIOCSCTTY, 0),  # noqa: PLW1509  one thread
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(slave)
    screen, left = "", list(answers)
    asked = 0
    while True:
        try:
            part = os.read(master, 65_536).decode()
        except OSError:  # the program has ended
            break
        if not part:
            break
        screen += part
        if screen[asked:].rstrip(" ").endswith((":", "?", "]")) and screen[-1] == " ":
            asked = len(screen)
            answer = left.pop(0) if left else END
            os.write(master, (answer if answer in {INTERRUPT, END} else f"{answer}\n").encode())
    os.close(master)
    return process.wait(), screen.replace("\r\n", "\n")


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
    code, screen = converse(table, COMMAND, "2-4", "1", "y", "h", "y")
    assert code == 0, screen
    assert "The names share a pattern: 18 names, 3 parts like 'NAB', 'MSL'" in screen
    assert "I read: 3 algorithms" in screen
    assert "on 18 tasks in 3 datasets; higher is better" in " ".join(screen.split())
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


def test_wrong_answers_are_asked_again(table):
    answers = ["9", "nothing", "2-4", "7", "series", "maybe", "y", "x", "h", "n"]
    code, screen = converse(table, COMMAND, *answers)
    assert code == 130
    assert "There is no column 9; the columns are 1 to 5." in screen
    assert "There is no column 'nothing'" in screen
    assert "Please answer y or n." in screen
    assert "Please answer h or l." in screen
    assert "Next time" not in screen


@pytest.mark.parametrize("n_answers", [0, 2, 4])
def test_interrupts_and_ends_of_input(table, n_answers):
    answers = ["2-4", "1", "n", "l"][:n_answers]
    code, screen = converse(table, COMMAND, *answers, INTERRUPT)
    assert code == 130
    assert screen.endswith("Interrupted.\n")
    code, screen = converse(table, COMMAND, *answers, END)
    assert code == 2
    assert "try: occstats compare table.csv" in screen


def test_missing_cells_are_the_fifth_question(table):
    frame = pd.read_csv(table / "table.csv")
    frame.loc[0, "PCA"] = None
    frame.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "2-4", "1", "n", "h", "9", "complete", "y")
    assert code == 0, screen
    assert "5. 1 of 54 cells have no score" in screen
    assert "--missing complete" in screen


def test_tasks_may_be_columns_and_scores_one_column(table):
    code, screen = converse(table, COMMAND, "1", "2-4", "h", "y")
    assert code == 0, screen
    assert "18 algorithms" in screen
    assert "--task PCA --task LOF --task CNN" in screen
    frame = pd.read_csv(table / "table.csv").drop(columns="note")
    frame = frame.melt("series", var_name="kind", value_name="x").assign(y=np.arange(54) % 7)
    frame.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "2", "1", "n", "1", "3", "h", "y")
    assert code == 0, screen
    assert "Please name one column of numbers." in screen
    assert "--score x" in screen


def test_a_group_of_names_is_asked(table):
    frame = pd.read_csv(table / "table.csv").drop(columns="note")
    frame.rename(columns={"series": "task"}).to_csv(table / "table.csv", index=False)
    code, screen = converse(table, [*COMMAND, "--higher-is-better"], "y", "y")
    assert code == 0, screen
    assert "Are these the datasets? (y / n):" in " ".join(screen.split())
    assert "--dataset-from" in screen


def test_an_error_repeats_the_answers(table):
    frame = pd.read_csv(table / "table.csv").drop(columns="note")
    frame = frame.melt("series", var_name="kind", value_name="x")
    frame["part"] = frame["series"].str.split("_").str[1]
    frame["series"] = frame["series"].str.replace("_", "")
    pd.concat([frame, frame]).to_csv(table / "table.csv", index=False)
    # Only a column that groups the tasks can be the dataset.
    code, screen = converse(table, COMMAND, "kind", "series", "x", "part", "x", "h")
    assert code == 2
    assert "Please name one of these columns." in screen
    answers = "--algorithm kind --task series --dataset part --score x --higher-is-better"
    assert f"{' '.join(COMMAND)} {answers}" in screen


@pytest.mark.parametrize(
    ("answers", "options"),
    [
        (["r"], "--task series --score x --higher-is-better --repeat tier"),
        (["x", "k", "no", "tuned"], "--higher-is-better --where tier=tuned"),
        (["a"], "--algorithm kind --algorithm tier --task series"),
        (["t"], "--task tier --score x --higher-is-better --dataset series"),
    ],
)
def test_one_question_on_rows_that_differ_in_one_column(table, answers, options):
    frame = pd.read_csv(table / "table.csv").drop(columns="note")
    frame = frame.melt("series", var_name="kind", value_name="x")
    tuned = frame.assign(tier="tuned", x=frame["x"] + 0.01)
    both = pd.concat([frame.assign(tier="default"), tuned])
    both.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "kind", "series", "n", "x", "h", *answers, "y")
    assert code == 0, screen
    assert "differ in 'tier' ('default', 'tuned')" in screen
    assert options in screen


@pytest.mark.parametrize(("answer", "option"), [("y", "--status status"), ("n", "--ignore status")])
def test_failed_runs_are_asked(table, answer, option):
    frame = pd.read_csv(table / "table.csv").drop(columns="note")
    frame = frame.melt("series", var_name="kind", value_name="x").assign(status="ok")
    frame.loc[frame["series"].str.contains("NAB"), "status"] = "weird"
    frame["series"] = frame["series"].str.replace("_", "")
    frame.to_csv(table / "table.csv", index=False)
    # The status is constant within tasks here, but no dataset.
    last = ["complete", "y"] if answer == "y" else ["y"]
    code, screen = converse(table, COMMAND, "kind", "series", "x", "h", answer, *last)
    assert code == 0, screen
    assert option in screen


def test_several_columns_are_joined_and_the_score_is_asked(table):
    frame = pd.read_csv(table / "table.csv").drop(columns="note")
    frame = frame.melt("series", var_name="kind", value_name="x")
    frame = frame.assign(size="small", part=frame["series"].str.split("_").str[1])
    frame.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "kind, size", "part, series", "y", "x", "h", "y")
    assert code == 0, screen
    assert "on 18 tasks in 3 datasets" in " ".join(screen.split())
    # A column named as the dataset is the dataset.
    frame.rename(columns={"part": "dataset"}).to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "kind", "dataset, series", "x", "h", "y")
    assert code == 0, screen
    assert "--dataset dataset --task series --score x" in screen


def test_measures_are_no_algorithms_unless_confirmed(table):
    frame = pd.read_csv(table / "table.csv").rename(columns={"PCA": "AP"})
    frame.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "2-4", "n", "3-4", "1", "n", "h", "y")
    assert code == 0, screen
    assert "Named as measures: 'AP'. Are these algorithms?" in screen
    assert "--algorithms LOF,CNN" in screen


def test_an_error_of_the_comparison_repeats_the_answers(table):
    frame = pd.read_csv(table / "table.csv")
    frame.loc[:16, "PCA"] = None
    frame.loc[17, "LOF"] = None
    frame.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "2-4", "1", "n", "h", "y")
    assert code == 2, screen
    (line,) = [line for line in screen.splitlines() if line.startswith("try: ")]
    assert "--task series --higher-is-better" in line


def test_tasks_that_were_answered_are_not_doubted(table):
    frame = pd.read_csv(table / "table.csv").assign(CNN=0.5)
    frame.to_csv(table / "table.csv", index=False)
    code, screen = converse(table, COMMAND, "1", "2-4", "h", "y")
    assert code == 0, screen


def test_the_file_may_be_the_algorithm(table):
    frame = pd.read_csv(table / "table.csv").drop(columns="note")
    frame.columns = ["series", "x", "y", "z"]
    for name in ("a.csv", "b.csv"):
        frame.to_csv(table / name, index=False)
    command = ["compare", "a.csv", "b.csv", *COMMAND[2:]]
    code, screen = converse(table, command, "file", "1", "n", "x", "h", "y")
    assert code == 0, screen
    assert "--algorithm @file --task series --score x" in screen


def test_no_input_refuses(table):
    code, screen = converse(table, [*COMMAND, "--no-input"])
    assert code == 2
    assert "try: occstats compare table.csv" in screen


def test_errors_are_wrapped(tmp_path):
    code, screen = converse(tmp_path, ["comapre"])
    assert code == 2
    assert max(map(len, screen.splitlines())) <= 80
    assert "'comapre' (did you mean 'compare'?); the commands are" in " ".join(screen.split())
