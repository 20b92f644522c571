"""Fits that leave, crash, change their process or take all memory; real processes throughout."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from occstats import load_results, run_experiment
from occstats.errors import EngineError, ResultsError
from occstats.experiment import engine
from occstats.experiment.store import KEY, Store

TIMINGS = ["fit_seconds", "query_seconds"]
LEAVING = {
    "Exiting": "SystemExit: 0",
    "Interrupting": "KeyboardInterrupt: ",
    "Cancelling": "CancelledError: ",
    "WrongShape": "ValueError: WrongShape.score_samples must give one score per row",
    "Leaving": "its process died (exit code 0)",
    "Crashing": "its process died (exit code -11)",
}


@pytest.fixture
def one_folder(one_target, tmp_path):
    folder = tmp_path / "one"
    folder.mkdir()
    one_target["one"].to_csv(folder / "one.csv", index=False)
    return folder


def occstats_run(folder, out, *arguments, **how):
    return subprocess.run(
        [sys.executable, "-m", "occstats", "run", "--data", str(folder), "--out", str(out),
         *arguments],
        capture_output=True, text=True, check=False, **how,
    )  # fmt: skip


def test_every_way_out_of_a_fit_is_a_failed_row(one_folder, tmp_path):
    names = ",".join(f"misbehaving:{name}" for name in [*LEAVING, "Fine"])
    ended = occstats_run(one_folder, tmp_path / "r", "--descriptors", names, "-j", "1")
    assert ended.returncode == 1, ended.stderr
    assert f"{5 * len(LEAVING)} fits failed" in ended.stdout
    rows = Store(tmp_path / "r").read()
    assert len(rows) == 5 * (len(LEAVING) + 1)
    for name, reason in LEAVING.items():
        mine = rows[rows["descriptor"] == name]
        assert set(mine["status"]) == {"failed"}
        assert mine["error"].str.startswith(reason).all(), mine["error"].tolist()
    assert set(rows[rows["descriptor"] == "Fine"]["status"]) == {"ok"}


def test_a_fit_that_changes_its_process_is_not_seen_by_its_neighbours(one_folder, tmp_path):
    alone = run_experiment(one_folder, descriptors=["misbehaving:Watching", "NND"], jobs=1)
    names = "misbehaving:Untidy,misbehaving:Watching,NND"
    # A relative folder: a fit that changes directory must not send results elsewhere.
    ended = occstats_run(one_folder, "r", "--descriptors", names, "-j", "1", cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert len(ended.stdout) < 1000
    rows = Store(tmp_path / "r").read()
    assert len(rows) == 15
    assert not rows.duplicated(KEY).any()  # the copies that the fits forked wrote nothing
    rows = rows.set_index(KEY).loc[list(alone[KEY].itertuples(index=False, name=None))]
    pd.testing.assert_frame_equal(
        rows.reset_index().drop(columns=TIMINGS)[list(alone.drop(columns=TIMINGS))],
        alone.drop(columns=TIMINGS),
        check_exact=True,
    )


def test_a_fit_that_takes_all_memory_fails_alone(one_target):
    table = run_experiment(
        one_target, descriptors=["misbehaving:Hungry", "misbehaving:Fine"], jobs=1, memory=2.0
    )
    by_name = table.groupby("descriptor")
    # 64 arrays of 64 MB are 4 GB
    assert set(by_name.get_group("Hungry")["status"]) == {"failed"}
    assert by_name.get_group("Hungry")["error"].str.contains("MemoryError").all()
    assert set(by_name.get_group("Fine")["status"]) == {"ok"}


MINE = """
from misbehaving import Fine

class Mine(Fine):
    def score_samples(self, X):
        return {sign}super().score_samples(X)
"""


def test_edited_code_is_not_mixed_with_rows_of_before(toy_folder, tmp_path, monkeypatch):
    module = tmp_path / "code"
    module.mkdir()
    monkeypatch.setenv("PYTHONPATH", f"{module}{os.pathsep}{os.environ['PYTHONPATH']}")
    arguments = [toy_folder, tmp_path / "r", "--descriptors", "my_own:Mine", "-j", "1"]
    (module / "my_own.py").write_text(MINE.format(sign=""))
    assert occstats_run(*arguments, "--datasets", "toy").returncode == 0
    (module / "my_own.py").write_text(MINE.format(sign="-"))
    for datasets in ("toy", "other"):
        ended = occstats_run(*arguments, "--datasets", datasets)
        assert ended.returncode == 2
        assert "results of Mine on toy that were made with other data, code" in ended.stderr
    assert occstats_run(*arguments, "--force", "all").returncode == 0
    assert set(Store(tmp_path / "r").read()["dataset"]) == {"toy", "other"}


def test_two_runs_with_different_descriptors_at_once_give_every_row_once(toy_folder, tmp_path):
    out = tmp_path / "r"
    lists = ["misbehaving:Slow,NND,LOF", "misbehaving:Slow,NND,ALP", "misbehaving:Slow,LOF,ALP"]
    runs = [
        subprocess.Popen(
            [sys.executable, "-m", "occstats", "run", "--data", str(toy_folder), "--out", str(out),
             "--descriptors", names, "-j", "1"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for names in lists
    ]  # fmt: skip
    said = "".join(run.communicate(timeout=900)[1] for run in runs)
    assert [run.returncode for run in runs] == [0, 0, 0], said
    assert "is also written by process" in said
    shards = [pd.read_parquet(path) for path in sorted(out.glob("part-*.parquet"))]
    rows = pd.concat(shards, ignore_index=True)
    assert len(rows) == 4 * 4 * 5
    assert not rows.duplicated(KEY).any()
    assert len(load_results(out).algorithms) == 4
    assert not list(out.glob(".writing-*"))


def test_rows_that_are_there_twice_count_once(toy_folder, tmp_path):
    out = tmp_path / "r"
    table = run_experiment(toy_folder, descriptors=["NND", "MD"], out=out, jobs=1)
    store = Store(out)
    (shard,) = store.shard_ids()
    store.write("again", store.read_shard(shard).iloc[5:30], store.metadata(shard))
    assert len(store.read()) == len(table)
    read = load_results(out)
    pd.testing.assert_frame_equal(read.scores, load_results(table).scores, check_like=True)
    assert any("25 rows that stood there twice counted once" in note for note in read.notes)
    again = run_experiment(toy_folder, descriptors=["NND", "MD"], out=out, jobs=1)
    pd.testing.assert_frame_equal(again, table)
    assert len(store.shard_ids()) == 1


def test_a_killed_writer_is_not_taken_for_a_living_one(tmp_path):
    store = Store(tmp_path)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with store.writing() as others:
        assert others == []
        (mine,) = tmp_path.glob(".writing-*")
        said = json.loads(mine.read_text())
        assert said["process"] == os.getpid()
        (tmp_path / ".writing-x.json").write_text(json.dumps({**said, "process": dead.pid}))
        (tmp_path / ".writing-y.json").write_text(json.dumps({**said, "process": 1}))
        assert [who.split()[1] for who in store.writers(but=mine)] == ["1"]


def wait_for(condition, seconds=900):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.05)


@pytest.fixture
def scheduler(tmp_path):
    pytest.importorskip("distributed")
    address_file = tmp_path / "scheduler.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0",
         "--no-dashboard", "--scheduler-file", str(address_file)],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for(address_file.exists)
        yield process, json.loads(address_file.read_text())["address"]
    finally:
        process.kill()
        process.wait()


def test_a_scheduler_without_workers_is_said(scheduler, one_target, monkeypatch):
    monkeypatch.setattr(engine, "SECONDS_FOR_WORKERS", 1.0)
    _, address = scheduler
    with pytest.raises(EngineError, match=f"{address} has no workers; start some with 'dask work"):
        run_experiment(one_target, descriptors=["MD"], scheduler=address)


def dask_worker(address, folder):
    return subprocess.Popen(
        [sys.executable, "-m", "dask", "worker", address, "--nthreads", "1", "--no-dashboard",
         "--local-directory", str(folder)],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip


def test_a_fit_that_exits_is_a_failed_row_on_a_scheduler_too(scheduler, one_folder, tmp_path):
    _, address = scheduler
    worker = dask_worker(address, tmp_path)
    try:
        names = ["--descriptors", "misbehaving:Exiting,misbehaving:Fine"]
        ended = occstats_run(one_folder, tmp_path / "r", *names, "--scheduler", address)
    finally:
        worker.kill()
        worker.wait()
    assert ended.returncode == 1, ended.stderr
    rows = Store(tmp_path / "r").read().groupby("descriptor")["status"].agg(["size", "unique"])
    assert rows["size"].tolist() == [5, 5]
    assert rows["unique"].map(list).to_dict() == {"Exiting": ["failed"], "Fine": ["ok"]}


def test_a_scheduler_that_is_killed_is_said(scheduler, toy_folder, tmp_path):
    process, address = scheduler
    worker = dask_worker(address, tmp_path)
    out = tmp_path / "r"
    arguments = ["--descriptors", "misbehaving:Slow", "--scheduler", address]
    try:
        runner = subprocess.Popen(
            [sys.executable, "-m", "occstats", "run", "--data", str(toy_folder), "--out", str(out),
             *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        wait_for(lambda: len(Store(out).shard_ids()) >= 1)
        process.kill()
        _, errors = runner.communicate(timeout=900)
    finally:
        worker.kill()
        worker.wait()
    assert runner.returncode == 2
    assert f"the scheduler at {address} is gone" in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_a_sweep_that_is_killed_goes_on(toy_folder, tmp_path, sent):
    grid = ["--grid", "share=0.1,0.2", "--descriptors", "misbehaving:SlowChecking"]
    command = [sys.executable, "-m", "occstats", "tune", "--data", str(toy_folder), *grid, "-j",
               "2", "--format", "none", "--json"]  # fmt: skip
    whole = subprocess.run(
        [*command, "--out", str(tmp_path / "w")], capture_output=True, text=True, check=False
    )
    assert whole.returncode == 0, whole.stderr
    out = tmp_path / "s"
    process = subprocess.Popen(
        [*command, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(lambda: len(Store(out / "shards").shard_ids()) >= 1)
    process.send_signal(sent)
    process.communicate(timeout=600)
    before = len(Store(out / "shards").read())
    again = subprocess.run(
        [*command, "--out", str(out)], capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr
    rows = Store(out / "shards").read()
    assert before < len(rows) == 4 * 5 * 2
    assert json.loads(again.stdout)["defaults"] == json.loads(whole.stdout)["defaults"]


def test_changed_settings_are_refused_on_whatever_data_set(toy_folder, tmp_path):
    out = tmp_path / "r"
    run_experiment(toy_folder, datasets=["toy"], descriptors=["NND"], out=out, jobs=1)
    with pytest.raises(ResultsError, match="results of NND on toy that were made with other"):
        run_experiment(toy_folder, datasets=["other"], descriptors=["NND"], out=out, seed=1)
    assert Path(out).is_dir()


def test_a_library_loaded_between_fits_gets_one_thread_too():
    code = (
        "import numpy, threadpoolctl\n"
        "from occstats.experiment.isolation import contained\n"
        "with contained():\n"
        "    before = len(threadpoolctl.threadpool_info())\n"
        "import sklearn.utils._openmp_helpers\n"
        "with contained():\n"
        "    pools = threadpoolctl.threadpool_info()\n"
        "assert len(pools) > before, 'nothing was loaded'\n"
        "print([pool['num_threads'] for pool in pools])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) == {1}
