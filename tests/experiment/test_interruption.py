"""Real processes, killed and interrupted: the same command goes on and the table is the same."""

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from occstats.errors import OutputError, ResultsError
from occstats.experiment import run_experiment
from occstats.experiment.store import KEY, Store

TIMINGS = ["fit_seconds", "query_seconds"]
DESCRIPTORS = ["misbehaving:Slow", "NND", "ALP"]


def scores(table):
    return table.drop(columns=TIMINGS)


@pytest.fixture
def undisturbed(toy_folder):
    return run_experiment(toy_folder, descriptors=DESCRIPTORS, jobs=1)


@pytest.fixture
def command(occstats_command, toy_folder, tmp_path):
    return [
        *occstats_command,
        *["run", "--data", str(toy_folder), "--descriptors", ",".join(DESCRIPTORS)],
        *["--out", str(tmp_path / "r")],
    ]


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)


def children_of(pid):
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def commands_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def finished_table(out):
    rows = Store(out).read()
    assert not rows.duplicated(KEY).any()
    return rows


def assert_same(rows, table):
    order = rows.set_index(KEY).loc[list(table[KEY].itertuples(index=False, name=None))]
    pd.testing.assert_frame_equal(scores(order.reset_index())[table.columns.drop(TIMINGS)],
                                  scores(table), check_exact=True)  # fmt: skip


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_the_driver_ends_in_the_middle(command, undisturbed, tmp_path, sent):
    out = tmp_path / "r"
    process = subprocess.Popen([*command, "-j", "2"], stderr=subprocess.PIPE, text=True)
    wait_for(lambda: len(Store(out).shard_ids()) >= 2)
    process.send_signal(sent)
    _, error = process.communicate(timeout=60)
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert "the same command resumes the work" in error
        assert "Traceback" not in error
    before = Store(out).read()
    assert 0 < len(before) < len(undisturbed)
    ended = subprocess.run([*command, "-j", "2"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert_same(finished_table(out), undisturbed)


@pytest.mark.parametrize("whose", ["children", "children of children"])
def test_a_worker_is_killed(command, undisturbed, tmp_path, whose):
    """Workers are copies of a child of the driver; where that is killed, they are, too."""
    out = tmp_path / "r"
    process = subprocess.Popen([*command, "-j", "2"], stdout=subprocess.PIPE, text=True)
    wait_for(lambda: len(Store(out).shard_ids()) >= 1)
    workers = [pid for pid in children_of(process.pid) if "popen_loky" in commands_of(pid)]
    if whose == "children of children":
        workers = [pid for worker in workers for pid in children_of(worker)]
    assert workers
    os.kill(workers[0], signal.SIGKILL)
    process.communicate(timeout=120)
    assert process.returncode == 0
    assert_same(finished_table(out), undisturbed)


def test_a_fit_that_kills_every_worker_is_found_and_recorded(one_target):
    table = run_experiment(
        one_target,
        descriptors=["misbehaving:Killing", "misbehaving:Fine"],
        jobs=2,
    )
    killing = table[table["descriptor"] == "Killing"]
    assert set(killing["status"]) == {"failed"}
    assert set(killing["error"]) == {"its process died (exit code -9)"}
    assert set(table[table["descriptor"] == "Fine"]["status"]) == {"ok"}


def test_the_disk_is_full(toy_folder, tmp_path, monkeypatch):
    out = tmp_path / "r"
    whole = run_experiment(toy_folder, descriptors=["MD", "NND"], jobs=1)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limit[1]))
        with pytest.raises(OutputError, match="cannot be written"):
            run_experiment(toy_folder, descriptors=["MD", "NND"], out=out, jobs=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, previous)
    assert not list(out.glob(".part-*"))
    table = run_experiment(toy_folder, descriptors=["MD", "NND"], out=out, jobs=1)
    pd.testing.assert_frame_equal(scores(table), scores(whole), check_exact=True)


def test_a_flipped_byte_is_never_a_wrong_number(toy_folder, tmp_path):
    out = tmp_path / "r"
    before = run_experiment([toy_folder / "toy.parquet"], descriptors=["MD"], out=out, jobs=1)
    path = next(out.glob("part-*.parquet"))
    content = path.read_bytes()
    found = []
    for position in range(4, len(content), 41):
        flipped = bytearray(content)
        flipped[position] ^= 0x10
        path.write_bytes(bytes(flipped))
        try:
            rows = Store(out).read()
        except ResultsError as error:
            found.append(str(error))
        else:  # a byte of the file's description that no value depends on
            # Without it a missing text may be None instead of NA, which pandas 2 tells apart.
            rows = rows.mask(rows.isna(), pd.NA)
            pd.testing.assert_frame_equal(rows, before, check_dtype=False)
    assert len(found) > 10
    assert all(str(path) in message and "delete the file" in message for message in found)


def test_two_machines_of_a_scheduler_one_of_them_killed(toy_folder, undisturbed, tmp_path):
    pytest.importorskip("distributed")
    out = tmp_path / "r"
    environment = {**os.environ, "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "0"}
    tool = [sys.executable, "-m", "dask"]
    address_file = tmp_path / "scheduler.json"
    processes = [
        subprocess.Popen(
            [*tool, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
             "--scheduler-file", str(address_file)],
            env=environment, stderr=subprocess.DEVNULL,
        )
    ]  # fmt: skip
    try:
        wait_for(address_file.exists)
        for _ in range(2):
            processes.append(
                subprocess.Popen(
                    [*tool, "worker", "--scheduler-file", str(address_file), "--nthreads", "1",
                     "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path)],
                    env=environment, stderr=subprocess.DEVNULL,
                )
            )  # fmt: skip
        address = json.loads(address_file.read_text())["address"]
        runner = subprocess.Popen(
            [sys.executable, "-m", "occstats", "run", "--data", str(toy_folder), "--descriptors",
             ",".join(DESCRIPTORS), "--out", str(out), "--scheduler", address],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_for(lambda: len(Store(out).shard_ids()) >= 1)
        processes[1].kill()
        runner.communicate(timeout=120)
        assert runner.returncode == 0
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()
    assert_same(finished_table(out), undisturbed)


def test_no_scheduler_answers(occstats_command, toy_folder, tmp_path):
    pytest.importorskip("distributed")
    ended = subprocess.run(
        [*occstats_command, "run", "--data", str(toy_folder), "--descriptors", "MD",
         "--out", str(tmp_path / "r"), "--scheduler", "tcp://127.0.0.1:9"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == 2
    assert "no scheduler answers at tcp://127.0.0.1:9" in ended.stderr
    assert "Traceback" not in ended.stderr
