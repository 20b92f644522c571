"""Fits that fail, exit, hang, crash or change their process cost only their own rows."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from occstats import run_experiment, tune
from occstats.cli import main
from occstats.errors import DataError, EngineError
from occstats.experiment import dispatch, prepare
from occstats.experiment.estimators import Recipe
from occstats.experiment.isolation import (
    CallTimeoutError,
    IsolationError,
    Worker,
    contained,
)
from occstats.experiment.store import KEY, Store
from occstats.experiment.timing import RowPool, measure_times

REASONS = {
    "raise": "ZeroDivisionError: no luck this time",
    "exit": "SystemExit: 0",
    "interrupt": "KeyboardInterrupt: ",
    "cancel": "CancelledError: ",
    "not finite": "ValueError: 2 scores are not finite",
    "wrong shape": "ValueError: Misbehaving.score_samples must give one score per row",
    "complex": "ValueError: Scores must be real numbers, got ",
    "masked": "ValueError: Scores must be real numbers, got ",
    "text": "ValueError: Scores must be real numbers, got ",
}


def recipe(way):
    return Recipe(way, "misbehaving:Misbehaving", {"way": way})


@pytest.mark.usefixtures("in_process")
def test_every_way_out_of_a_fit_is_a_failed_row(one_target):
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in workers
    try:
        table = run_experiment(one_target, descriptors=[*map(recipe, REASONS), "MD"], jobs=1)
    finally:
        signal.signal(signal.SIGINT, previous)
    by_name = table.groupby("descriptor")
    for way, reason in REASONS.items():
        rows = by_name.get_group(way)
        assert set(rows["status"]) == {"failed"}
        assert rows["error"].str.startswith(reason).all(), rows["error"].tolist()
    assert set(by_name.get_group("MD")["status"]) == {"ok"}


# In compiled code, it is the cause of another error.
@pytest.mark.usefixtures("in_process")
@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "SystemError from KeyboardInterrupt()"])
def test_ctrl_c_ends_a_run_in_this_process(tmp_path, one_target, raised):
    one_target["one"].to_csv(tmp_path / "one.csv", index=False)
    (tmp_path / "mine.py").write_text(
        "from misbehaving import Fine\nclass Mine(Fine):\n    def fit(self, X, y=None):\n"
        f"        raise {raised}\n"
    )
    command = ["run", "--data", tmp_path / "one.csv", "--out", tmp_path / "r", "-j", 1]
    command += ["--descriptors", f"{tmp_path / 'mine.py'}:Mine"]
    done = CliRunner().invoke(main, list(map(str, command)))
    assert done.exit_code == 130
    assert "Interrupted before any result." in done.stderr
    assert done.stderr.count("Interrupted") == 1


def test_fits_that_kill_or_change_their_process_do_not_affect_others(
    one_target, tmp_path, monkeypatch, scores
):
    others = ["misbehaving:Watching", "MD"]
    alone = run_experiment(one_target, descriptors=others, jobs=1)
    # A relative folder: a fit that changes directory must not send results elsewhere.
    monkeypatch.chdir(tmp_path)
    descriptors = [recipe("kill"), "misbehaving:Untidy", *others]
    table = run_experiment(one_target, descriptors=descriptors, out="r", jobs=1)
    assert len(Store(tmp_path / "r").read()) == len(table) == 20  # forked copies wrote nothing
    assert not table.duplicated(KEY).any()
    statuses = table.groupby("descriptor")["status"].agg(sorted)
    assert statuses["kill"] == ["failed", *["ok"] * 4]
    assert table["error"].dropna().tolist() == ["its process died (exit code -9)"]
    kept = table[table["descriptor"].isin(alone["descriptor"])]
    pd.testing.assert_frame_equal(scores(kept), scores(alone), check_exact=True)


def outcomes(*calls, memory=None, timeout=None):
    from breaking import call

    with Worker(memory=memory, modules=()) as worker:
        return list(worker.answers(call, calls, timeout=timeout))


def gone(file):
    """Wait until the process whose number is in the file has ended."""
    while Path(f"/proc/{Path(file).read_text()}").exists():
        time.sleep(0.02)
    return True


def test_calls_that_break_their_process_are_reported(tmp_path):
    crashed, limited, written, closed, cleared, seven = outcomes(
        ("fork_and_crash", tmp_path / "child"),
        ("lower_limits",),
        ("write_to_all_files",),
        ("close_all_files",),
        ("clear_modules",),
        ("int", "7"),
    )
    assert str(crashed) == "its process died (exit code -11)"
    assert gone(tmp_path / "child")
    assert isinstance(limited, IsolationError)
    assert isinstance(cleared, Exception)
    assert (written, closed, seven) == (None, None, 7)


def test_what_calls_raise_and_start_ends_with_them(tmp_path):
    value, warned, unprintable, large = outcomes(
        ("spawn", tmp_path / "child"), ("warn_often", 1000), ("raise_unprintable",),
        ("take_two_gigabytes",), memory=1e9,
    )  # fmt: skip
    assert (value, warned) == (None, "done")
    assert str(unprintable) == "Unprintable: its message cannot be printed"
    assert isinstance(large, MemoryError)
    assert gone(tmp_path / "child")


def test_a_call_is_late_by_its_own_clock_and_killed_after_a_grace(monkeypatch):
    monkeypatch.setattr("occstats.experiment.isolation.SECONDS_OF_GRACE", 0.2)
    late, long = outcomes(("int", "7"), ("hold_the_interpreter", os.devnull), timeout=1e-9)
    for answer in (late, long):
        assert isinstance(answer, CallTimeoutError)
        assert str(answer) == "took longer than 1e-09 s"


def test_long_messages_are_cut():
    with contained() as outcome:
        raise ValueError("x" * 50_000_000)
    assert outcome.reason == f"ValueError: {'x' * 488}"


@pytest.mark.usefixtures("in_process")
def test_a_fit_that_changes_its_rows_changes_no_others(one_target, scores):
    fine = run_experiment(one_target, descriptors=["misbehaving:Fine"], jobs=1)
    mutating = "misbehaving:Mutating"
    both = run_experiment(one_target, descriptors=[mutating, "misbehaving:Fine"], jobs=1)
    after = both[both["descriptor"] == "Fine"]
    pd.testing.assert_frame_equal(scores(after), scores(fine), check_exact=True)
    swept = tune(one_target, descriptors=[mutating], grids={"unused": [1, 2, 3]}, jobs=1).rows
    assert (swept.groupby("fold")["auroc"].nunique() == 1).all()
    pool = RowPool(np.arange(200.0).reshape(100, 2), "rows")
    measure_times(pool, descriptors=[mutating], sizes=[5], n_samples=1, n_queries=5)
    assert (pool.rows == np.arange(200.0).reshape(100, 2)).all()


def test_a_fit_that_exceeds_its_time_is_a_row(one_target):
    table = run_experiment(one_target, descriptors=["MD"], timeout=1e-9, jobs=1)
    assert table["status"].tolist() == ["timeout"] * 5
    assert table["error"][0] == "took longer than 1e-09 s"


def die_once(shard, worker):
    if worker is None and shard.keys[0][2] == "other":
        os.kill(os.getpid(), signal.SIGKILL)
    if worker is not None:  # in the main process, where each fit is isolated
        (Path.cwd() / shard.keys[0][2]).touch()


def test_a_killed_worker_is_replaced_and_runs_no_code_of_the_current_folder(
    one_target, tmp_path, monkeypatch
):
    monkeypatch.setattr("occstats.experiment.plan.SHORTEST_SHARD", 0.0)
    shards = prepare(one_target, out=tmp_path / "r", descriptors=["MD", "other=MD"]).plan.shards
    monkeypatch.chdir(tmp_path)
    for name in ("argparse", "json", "pandas"):
        (tmp_path / f"{name}.py").write_text("open('was-run', 'w')")
    done = list(dispatch.execute(shards, die_once, is_visible=bool, jobs=2))
    assert {shard.id for shard in done} == {shard.id for shard in shards}
    # Only the shard whose worker died is computed again.
    assert (tmp_path / "other").exists()
    assert not (tmp_path / "MD").exists()
    assert outcomes(("int", "7")) == [7]
    assert not (tmp_path / "was-run").exists()


@pytest.mark.usefixtures("many_workers")
def test_the_reason_why_processes_do_not_start_is_told(one_target, tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise OSError(12, "Cannot allocate memory")

    with monkeypatch.context() as patch:
        patch.setattr("occstats.experiment.isolation.subprocess.Popen", refuse)
        with pytest.raises(EngineError, match=r"cannot be started: .*Cannot allocate"):
            run_experiment(one_target, descriptors=["MD"], jobs=2)
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('no luck')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for descriptor, jobs in (("misbehaving:Fine", 1), ("MD", 2)):
        with pytest.raises(EngineError, match="does not start: SystemExit: no luck"):
            run_experiment(one_target, descriptors=[descriptor], jobs=jobs)


@pytest.mark.usefixtures("in_process")
def test_a_file_of_the_current_folder_is_run_if_named(one_target, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("from sklearn.svm import OneClassSVM as Mine")
    with pytest.raises(DataError, match=r"there is no module 'mine'; .*write 'mine\.py:Mine'"):
        prepare(one_target, out=tmp_path / "r", descriptors=["mine:Mine"])
    mine, theirs = "mine=mine.py:Mine", "theirs=sklearn.svm:OneClassSVM"
    table = run_experiment(one_target, descriptors=[mine, theirs], jobs=1)
    areas = table.pivot(index="fold", columns="descriptor", values="auroc")
    assert areas["mine"].equals(areas["theirs"])
    assert table["status"].eq("ok").all()


def test_libraries_loaded_between_fits_get_one_thread_too():
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


@pytest.mark.parametrize(
    "sent", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_an_interrupted_run_is_resumed(one_target, tmp_path, gate, start, wait_for, scores, sent):
    out, data = tmp_path / "r", tmp_path / "one.csv"
    one_target["one"].to_csv(data, index=False)
    descriptors = ["misbehaving:Fine", "misbehaving:Waiting"]
    process = start(
        sys.executable, "-m", "occstats", "run", "--data", data,
        "--descriptors", ",".join(descriptors), "--out", out, "-j", "2",
        stderr=subprocess.PIPE,
    )  # fmt: skip
    wait_for(lambda: Store(out).shard_ids() and gate.fits(), process)
    for _ in range(3 if sent == signal.SIGINT else 1):
        process.send_signal(sent)
    _, error = process.communicate()
    for fit in gate.fits():
        wait_for(lambda fit=fit: not Path(f"/proc/{fit}").exists())
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert "the same command resumes the work" in error
        assert "Traceback" not in error
    before = Store(out).read()
    assert set(before["descriptor"]) == {"Fine"}
    gate.open()
    experiment = prepare(data, out=out, descriptors=descriptors)
    assert experiment.remaining().n_rows == 10 - len(before)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("occstats.experiment.plan._third_party_name", lambda unit: "")
        experiment = prepare(data, out=out, descriptors=descriptors)
        experiment.run(jobs=1)
        whole = run_experiment(data, descriptors=descriptors, jobs=1)
    pd.testing.assert_frame_equal(scores(experiment.table()), scores(whole), check_exact=True)
    kept = before.merge(experiment.table(), on=KEY)
    assert (kept["fit_seconds_x"] == kept["fit_seconds_y"]).all()


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_run_leaves_no_process_that_holds_its_interpreter(
    one_target, tmp_path, gate, start, wait_for, jobs
):
    data = tmp_path / "one.csv"
    one_target["one"].to_csv(data, index=False)
    process = start(
        sys.executable, "-m", "occstats", "run", "--data", data, "-j", jobs,
        "--descriptors", "misbehaving:Holding", "--out", tmp_path / "r",
    )  # fmt: skip
    wait_for(gate.fits, process)

    def left():
        for path in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if os.fsencode(gate.folder) in path.read_bytes():
                    yield path

    assert len(list(left())) > 2  # the run, the guard of the fit, and the fit
    process.kill()
    process.wait()
    wait_for(lambda: not list(left()))
