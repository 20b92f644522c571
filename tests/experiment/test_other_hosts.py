"""Dask workers on another host, simulated by network and mount namespaces."""

import json
import os
import shutil
import subprocess
import sys
from uuid import uuid4

import pandas as pd
import pytest

from occstats.experiment.store import KEY, Store

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("ip"),
        reason="namespaces need root, Linux and ip",
    ),
]
DASK = [sys.executable, "-m", "dask"]


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def host():
    """Return the name of a network namespace, its address, and ours as seen from there."""
    number = os.getpid() % 250
    ours, theirs = f"10.213.{number}.1", f"10.213.{number}.2"
    # The interface of an earlier test may disappear only after its namespace.
    mark = uuid4().hex[:8]
    name, cable = f"occstats{mark}", f"occ{mark}"
    try:
        ip("netns", "add", name)
        ip("link", "add", cable, "type", "veth", "peer", "name", "far", "netns", name)
    except subprocess.CalledProcessError as error:
        subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
        pytest.skip(f"no network namespace: {error.stderr.decode().strip()}")
    try:
        ip("address", "add", f"{ours}/24", "dev", cable)
        ip("link", "set", cable, "up")
        ip("-n", name, "address", "add", f"{theirs}/24", "dev", "far")
        ip("-n", name, "link", "set", "far", "up")
        yield name, theirs, ours
    finally:
        ip("netns", "delete", name)


@pytest.fixture
def scheduler(host, start, wait_for, tmp_path):
    address_file = tmp_path / "scheduler.json"
    process = start(
        *DASK, "scheduler", "--host", host[2], "--port", "0", "--no-dashboard",
        "--scheduler-file", address_file, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_for(
        lambda: address_file.exists() and address_file.read_text().rstrip().endswith("}"), process
    )
    return json.loads(address_file.read_text())["address"]


@pytest.fixture
def worker(host, scheduler, start, tmp_path):
    """Start a worker on the other host, which does not see some folders of this one."""

    def run(*hidden):
        hide = "".join(f"mount -t tmpfs none {folder} && " for folder in hidden)
        place = tmp_path / "worker"
        place.mkdir()
        command = [*DASK, "worker", scheduler, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                   "--local-directory", str(place)]  # fmt: skip
        inside = ["unshare", "--mount", "sh", "-c", f'{hide}exec "$@"', "sh", *command]
        start("ip", "netns", "exec", host[0], *inside, cwd=place, stderr=subprocess.DEVNULL)

    return run


def occstats_run(folder, out, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "occstats", "run", "--data", str(folder), "--out", str(out),
         "--descriptors", "MD", *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def scores(out):
    return Store(out).read().set_index(KEY)["auroc"].sort_index()


def test_a_worker_on_another_host_gives_the_same(host, scheduler, worker, toy_folder, tmp_path):
    from distributed import Client

    worker()
    with Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(1)
        assert [address.split(":")[1] for address in client.nthreads()] == [f"//{host[1]}"]
    ended = occstats_run(toy_folder, tmp_path / "far", "--scheduler", scheduler)
    assert ended.returncode == 0, ended.stderr
    assert occstats_run(toy_folder, tmp_path / "near", "-j", "1").returncode == 0
    pd.testing.assert_series_equal(scores(tmp_path / "far"), scores(tmp_path / "near"))


def test_a_worker_without_the_data_is_reported(scheduler, worker, toy_folder, tmp_path):
    worker(toy_folder)
    ended = occstats_run(toy_folder, tmp_path / "r", "--scheduler", scheduler)
    assert ended.returncode == 2, (ended.stdout, ended.stderr)
    assert "Traceback" not in ended.stderr
    assert str(toy_folder) in ended.stderr
    assert "a worker of the scheduler" in ended.stderr


def test_a_worker_without_the_results_folder_is_reported(scheduler, worker, toy_folder, tmp_path):
    out = tmp_path / "shared" / "r"
    out.parent.mkdir()
    worker(out.parent)
    ended = occstats_run(toy_folder, out, "--scheduler", scheduler)
    assert ended.returncode == 2, (ended.stdout, ended.stderr)
    assert "wrote results that are not visible here" in ended.stderr
    assert "pass --out a folder that all machines share" in ended.stderr
