"""Fits that fail, exit, hang, crash or change their process cost only their own rows."""

import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

from occstats import run_experiment
from occstats.errors import EngineError
from occstats.experiment import dispatch, prepare, worker
from occstats.experiment.estimators import Recipe
from occstats.experiment.isolation import CallTimeoutError, ChildProcessDiedError, IsolatedCalls
from occstats.experiment.store import KEY, Store
from occstats.workers import WorkerDiedError

TIMINGS = ["fit_seconds", "query_seconds"]
REASONS = {
    "raise": "ZeroDivisionError: no luck this time",
    "exit": "SystemExit: 0",
    "interrupt": "KeyboardInterrupt: ",
    "cancel": "CancelledError: ",
    "not finite": "ValueError: 2 scores are not finite",
    "wrong shape": "ValueError: Misbehaving.score_samples must give one score per row",
}


def recipe(way):
    return Recipe(way, "misbehaving:Misbehaving", {"way": way})


def scores(table):
    return table.drop(columns=TIMINGS)


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


@pytest.mark.usefixtures("in_process")
def test_ctrl_c_ends_a_run_in_this_process(one_target):
    with pytest.raises(KeyboardInterrupt):
        run_experiment(one_target, descriptors=[recipe("interrupt")], jobs=1)


def test_fits_that_kill_or_change_their_process_do_not_affect_others(
    one_target, tmp_path, monkeypatch
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
    pd.testing.assert_frame_equal(
        scores(table[table["descriptor"].isin(alone["descriptor"])]).reset_index(drop=True),
        scores(alone),
        check_exact=True,
    )


def test_calls_that_end_their_process_are_reported():
    from misbehaving import call, raise_unpicklable

    with IsolatedCalls(call) as calls:
        with pytest.raises(ChildProcessDiedError, match=r"exit code 3\b"):
            calls(os._exit, 3)
        with pytest.raises(ValueError, match="invalid literal"):
            calls(int, "x")
        with pytest.raises(RuntimeError, match="Unpicklable: no"):
            calls(raise_unpicklable)
        with pytest.raises(ChildProcessDiedError, match="exit code -11"):
            calls(signal.raise_signal, signal.SIGSEGV)
    with IsolatedCalls(time.sleep, timeout=0.1) as calls, pytest.raises(CallTimeoutError):
        calls(3600)


def test_a_fit_that_exceeds_its_time_is_a_row(one_target, tmp_path, monkeypatch):
    class Slow(IsolatedCalls):
        def __call__(self, unit, recipes):
            if unit.fold == 0:
                raise CallTimeoutError(f"took longer than {self._timeout:g} s")
            return self._function(unit, recipes)

    monkeypatch.setattr(worker, "IsolatedCalls", Slow)
    table = run_experiment(one_target, descriptors=["MD"], timeout=3, jobs=1)
    assert table["status"].tolist() == ["timeout", *["ok"] * 4]
    assert table["error"][0] == "took longer than 3 s"


def test_a_shard_that_kills_every_worker_is_given_up(one_target, tmp_path, monkeypatch):
    isolated = []

    class Dying:
        busy = 0

        def __init__(self, jobs, **options):
            assert options["memory"] == 2e9

        def __enter__(self):
            return self

        def __exit__(self, *exception):
            pass

        def submit(self, name, function, shard, isolate):
            isolated.append(isolate)
            self.busy, self.shard = 1, shard

        def finished(self):
            self.busy = 0
            yield self.shard, WorkerDiedError("the worker died")

    monkeypatch.setattr(dispatch, "Workers", Dying)
    with pytest.raises(EngineError, match="4 workers were killed while computing MD on one; "):
        run_experiment(one_target, descriptors=["MD"], jobs=1, memory=2)
    # The second attempt isolates each fit, which finds the one that kills.
    assert isolated == [False, True, True, True, True]


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


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_run_is_resumed(one_target, tmp_path, gate, start, wait_for, sent):
    out, data = tmp_path / "r", tmp_path / "one.csv"
    one_target["one"].to_csv(data, index=False)
    descriptors = ["misbehaving:Fine", "misbehaving:Waiting"]
    process = start(
        sys.executable, "-m", "occstats", "run", "--data", data,
        "--descriptors", ",".join(descriptors), "--out", out, "-j", "3",
        stderr=subprocess.PIPE,
    )  # fmt: skip
    # At most two of the three shards wait, so that the third is finished.
    wait_for(lambda: Store(out).shard_ids() and gate.arrivals(), process)
    process.send_signal(sent)
    _, error = process.communicate()
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
        patch.setattr(dispatch, "_is_third_party", lambda shard: False)
        experiment.run(jobs=1)
        whole = run_experiment(data, descriptors=descriptors, jobs=1)
    pd.testing.assert_frame_equal(scores(experiment.table()), scores(whole), check_exact=True)
    kept = before.merge(experiment.table(), on=KEY)
    assert (kept["fit_seconds_x"] == kept["fit_seconds_y"]).all()
