"""A scheduler whose workers are on another host: network and mounts of their own, by the kernel."""

import json
import os
import shutil
import subprocess
import sys
import time
from uuid import uuid4

import pandas as pd
import pytest

from occstats.experiment.store import KEY, Store

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("ip"),
        reason="hosts are made by root with Linux' ip and unshare",
    ),
]
DASK = [sys.executable, "-m", "dask"]


def wait_for(condition, seconds=300):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.05)


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def host():
    """The name of a network of its own, its address, and ours as seen from there."""
    number = os.getpid() % 250
    ours, theirs = f"10.213.{number}.1", f"10.213.{number}.2"
    # The cable of the test before may be gone only a moment after its network.
    mark = uuid4().hex[:8]
    name, cable = f"occstats{mark}", f"occ{mark}"
    try:
        ip("netns", "add", name)
        ip("link", "add", cable, "type", "veth", "peer", "name", "far", "netns", name)
    except subprocess.CalledProcessError as error:
        subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
        pytest.skip(f"no network can be made here: {error.stderr.decode().strip()}")
    try:
        ip("address", "add", f"{ours}/24", "dev", cable)
        ip("link", "set", cable, "up")
        ip("-n", name, "address", "add", f"{theirs}/24", "dev", "far")
        ip("-n", name, "link", "set", "far", "up")
        yield name, theirs, ours
    finally:
        ip("netns", "delete", name)


@pytest.fixture
def scheduler(host, tmp_path):
    address_file = tmp_path / "scheduler.json"
    process = subprocess.Popen(
        [*DASK, "scheduler", "--host", host[2], "--port", "0", "--no-dashboard",
         "--scheduler-file", str(address_file)],
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        # It is there before it is written to the end.
        wait_for(lambda: address_file.exists() and address_file.read_text().rstrip().endswith("}"))
        yield json.loads(address_file.read_text())["address"]
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def worker(host, scheduler, tmp_path):
    """Start a worker on the other host, with some folders of this one hidden from it."""
    started = []

    def start(*hidden):
        hide = "".join(f"mount -t tmpfs none {folder} && " for folder in hidden)
        place = tmp_path / "worker"
        place.mkdir()
        command = [*DASK, "worker", scheduler, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                   "--local-directory", str(place)]  # fmt: skip
        inside = ["unshare", "--mount", "sh", "-c", f'{hide}exec "$@"', "sh", *command]
        started.append(
            subprocess.Popen(
                ["ip", "netns", "exec", host[0], *inside], cwd=place, stderr=subprocess.DEVNULL
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def occstats_run(folder, out, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "occstats", "run", "--data", str(folder), "--out", str(out),
         "--descriptors", "MD,NND", *arguments],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip


def scores(out):
    return Store(out).read().set_index(KEY)["auroc"].sort_index()


def test_a_worker_at_another_address_gives_the_same(host, scheduler, worker, toy_folder, tmp_path):
    from distributed import Client

    worker()
    with Client(scheduler, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=300)
        assert [address.split(":")[1] for address in client.nthreads()] == [f"//{host[1]}"]
    ended = occstats_run(toy_folder, tmp_path / "far", "--scheduler", scheduler)
    assert ended.returncode == 0, ended.stderr
    assert occstats_run(toy_folder, tmp_path / "near", "-j", "1").returncode == 0
    pd.testing.assert_series_equal(scores(tmp_path / "far"), scores(tmp_path / "near"))


def test_a_worker_without_the_data_is_said(scheduler, worker, toy_folder, tmp_path):
    worker(toy_folder)
    ended = occstats_run(toy_folder, tmp_path / "r", "--scheduler", scheduler)
    assert ended.returncode == 2, (ended.stdout, ended.stderr)
    assert "Traceback" not in ended.stderr
    assert str(toy_folder) in ended.stderr
    assert "a worker of the scheduler" in ended.stderr


def test_a_worker_without_the_folder_of_the_results_is_said(
    scheduler, worker, toy_folder, tmp_path
):
    out = tmp_path / "shared" / "r"
    out.parent.mkdir()
    worker(out.parent)
    ended = occstats_run(toy_folder, out, "--scheduler", scheduler)
    assert ended.returncode == 2, (ended.stdout, ended.stderr)
    assert "wrote results that are not seen here" in ended.stderr
    assert "give --out a folder that all machines share" in ended.stderr
