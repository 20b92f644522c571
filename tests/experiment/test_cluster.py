"""Runs on a Dask cluster, in this process where possible, that loses workers and scheduler."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest

from occstats import run_experiment
from occstats.errors import DataError, EngineError
from occstats.experiment import dispatch, prepare

distributed = pytest.importorskip("distributed")
DASK = [sys.executable, "-m", "dask"]


@pytest.fixture
def _patient(monkeypatch):
    """Wait for events, not for a time."""
    for limit in ("SECONDS_FOR_WORKERS", "SECONDS_TO_CONNECT", "SECONDS_FOR_FILES"):
        monkeypatch.setattr(dispatch, limit, 1e6)


@pytest.fixture
def local_cluster(_patient):
    """Return a function that starts a cluster of threads of this process."""
    clusters = []

    def start(n_workers):
        clusters.append(
            distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=False,
                protocol="tcp",
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",  # another cluster may use the default port
            )
        )
        return clusters[0].scheduler_address

    yield start
    for cluster in clusters:
        cluster.close()


def do_nothing(shard, isolate):
    pass


def refuse(shard, isolate):
    raise DataError("one.csv: no such file")


def be_killed(shard, isolate):
    raise distributed.scheduler.KilledWorker(shard.id, SimpleNamespace(address="tcp://x"), 3)


def be_killed_once(shard, isolate):
    if not isolate:
        be_killed(shard, isolate)


def lose_the_scheduler(shard, isolate):
    raise distributed.comm.CommClosedError


def test_problems_of_a_cluster_are_explained(local_cluster, one_target, tmp_path, monkeypatch):
    monkeypatch.setattr(dispatch, "SECONDS_FOR_FILES", 0.0)
    address = local_cluster(1)
    shards = prepare(one_target, out=tmp_path / "r", descriptors=["MD"]).plan.shards
    execute = partial(dispatch.execute, shards, scheduler=address)
    with pytest.raises(EngineError, match="wrote results that are not visible here"):
        list(execute(do_nothing, is_visible=lambda shard: False))
    for seed, work, message in (
        (1, refuse, "refuses the work: one.csv: no such file"),
        (2, lose_the_scheduler, "finished results are safe"),
    ):
        # Another id: the scheduler remembers the results of the same key.
        shards = prepare(one_target, out=tmp_path, descriptors=["MD"], seed=seed).plan.shards
        with pytest.raises(EngineError, match=f"{address}.* {message}"):
            list(dispatch.execute(shards, work, is_visible=bool, scheduler=address))
    # Computed again, with its fits isolated.
    shards = prepare(one_target, out=tmp_path, descriptors=["MD"], seed=3).plan.shards
    done = list(dispatch.execute(shards, be_killed_once, is_visible=bool, scheduler=address))
    assert done == list(shards)
    shards = prepare(one_target, out=tmp_path, descriptors=["MD"], seed=4).plan.shards
    with pytest.raises(EngineError, match="several workers were killed while computing MD on"):
        list(dispatch.execute(shards, be_killed, is_visible=bool, scheduler=address))


def test_a_cluster_without_workers_is_explained(local_cluster, one_target, monkeypatch):
    monkeypatch.setattr(dispatch, "SECONDS_FOR_WORKERS", 0.0)
    address = local_cluster(0)
    with pytest.raises(EngineError, match=f"{address} has no workers; start some with 'dask work"):
        run_experiment(one_target, descriptors=["MD"], scheduler=address)


@pytest.fixture
def start_scheduler(_patient, start, wait_for, tmp_path):
    """Start a scheduler as a process; return it, its address and a function that adds workers."""
    address_file = tmp_path / "scheduler.json"

    def is_written():
        return address_file.exists() and address_file.read_text().rstrip().endswith("}")

    def run():
        process = start(
            *DASK, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", address_file, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait_for(is_written, process)
        address = json.loads(address_file.read_text())["address"]

        def add_workers(count):
            for _ in range(count):
                start(
                    *DASK, "worker", address, "--nthreads", "1", "--no-nanny",
                    "--no-dashboard", "--local-directory", tmp_path, stderr=subprocess.DEVNULL,
                )  # fmt: skip
            with distributed.Client(address, set_as_default=False, timeout=1e6) as client:
                client.wait_for_workers(count)

        return process, address, add_workers

    return run


@contextmanager
def on(event, action):
    """Call a function in another thread when an event occurs within the block."""
    done = threading.Event()

    def watch():
        while not event():
            if done.wait(0.02):
                return
        action()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def parent_of(process):
    return int(subprocess.check_output(["ps", "-o", "ppid=", "-p", str(process)]))


@pytest.mark.slow
def test_a_cluster_loses_a_worker_and_then_its_scheduler(start_scheduler, one_target, gate):
    process, address, add_workers = start_scheduler()
    add_workers(2)
    descriptors = ["misbehaving:Waiting", "misbehaving:Misbehaving", "MD"]
    killed = []

    def kill_worker():
        # The parent of the process that guards the fit.
        killed.append(parent_of(parent_of(gate.fits()[0])))
        os.kill(killed[0], signal.SIGKILL)
        gate.open()

    with on(gate.fits, kill_worker):
        table = run_experiment(one_target, descriptors=descriptors, scheduler=address)
    assert killed
    statuses = table.groupby("descriptor")["status"].unique().map(list).to_dict()
    assert statuses == {"Waiting": ["ok"], "Misbehaving": ["failed"], "MD": ["ok"]}
    near = run_experiment(one_target, descriptors=["MD"], jobs=1)
    far = table[table["descriptor"] == "MD"].reset_index(drop=True)
    pd.testing.assert_series_equal(far["auroc"], near["auroc"], check_exact=True)

    gate.close()
    lost = pytest.raises(EngineError, match=f"lost the scheduler at {address}")
    with on(gate.fits, process.kill), lost:
        run_experiment(one_target, descriptors=descriptors, scheduler=address, seed=2)
