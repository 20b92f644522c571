"""The worker pool: preparation, errors, deaths, and the end of its processes."""

import os
import signal
import sys
import time
from functools import partial
from importlib import import_module
from pathlib import Path

import cloudpickle
import pytest

from occstats import workers
from occstats.errors import DataError
from occstats.workers import WorkerDiedError, Workers, parallel_calls

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import the tests
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux")


def write(path, *values):
    Path(path).write_text(" ".join(map(str, values)))


def write_processes(path):
    write(path, os.getppid(), os.getpid(), len(os.listdir(f"/proc/{os.getppid()}/task")))


def write_modules(path):
    write(path, *sys.modules)


def take_two_gigabytes():
    assert bytearray(2_000_000_000)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def refuse():
    class Unpicklable(Exception):
        def __reduce__(self):
            raise TypeError

    raise Unpicklable("no")


def refuse_data():
    raise DataError("the data changed")


def all_of(pool):
    ended = {}
    while pool.busy:
        ended |= dict(pool.finished())
    return ended


def wait_until_gone(process):
    while Path(f"/proc/{process}").exists():
        time.sleep(0.02)


@pytest.fixture(params=["forked", "started"])
def _way_to_start(monkeypatch, request):
    """Use workers as on Linux, and as where forking is unsafe."""
    if request.param == "started":
        monkeypatch.setattr(workers, "CAN_FORK", False)


@pytest.mark.usefixtures("_way_to_start")
def test_errors_and_deaths_do_not_affect_other_workers(tmp_path):
    with Workers(4, prepare=partial(import_module, "colorsys")) as pool:
        for function in (die, refuse, refuse_data):
            pool.submit(function.__name__, function)
        pool.submit("modules", write_modules, tmp_path / "modules")
        ended = all_of(pool)
        assert isinstance(ended["die"], WorkerDiedError)
        assert isinstance(ended["refuse"], RuntimeError)
        assert str(ended["refuse"]) == "Unpicklable: no"
        assert isinstance(ended["refuse_data"], DataError)
        assert "refuse_data" in ended["refuse_data"].__notes__[0]  # where it was raised
        assert ended["modules"] is None
        assert "colorsys" in (tmp_path / "modules").read_text().split()
        pool.submit("after", write, tmp_path / "written", "again")  # replaces one that died
        assert all_of(pool) == {"after": None}


def test_the_memory_of_workers_is_limited():
    with Workers(1, memory=1e9) as pool:
        pool.submit("large", take_two_gigabytes)
        assert isinstance(all_of(pool)["large"], MemoryError)


@on_linux
def test_the_fork_server_has_one_thread(tmp_path):
    """A fork of a process with threads may wait forever for their locks."""
    from occstats.experiment.worker import prepare_process

    with Workers(1, prepare=partial(prepare_process, ["NND", "MD"], [(50, 150, 4)])) as pool:
        pool.submit("processes", write_processes, tmp_path / "written")
        assert all_of(pool) == {"processes": None}
        server, _, threads = map(int, (tmp_path / "written").read_text().split())
        assert server != os.getpid()
        assert threads == 1


@on_linux
def test_workers_end_with_the_fork_server_and_with_the_pool(tmp_path):
    with Workers(2) as pool:
        pool.submit("processes", write_processes, tmp_path / "written")
        assert all_of(pool) == {"processes": None}
        server, worker, _ = map(int, (tmp_path / "written").read_text().split())
        os.kill(server, signal.SIGKILL)
        wait_until_gone(worker)
        pool.submit("lost", write, tmp_path / "other", 1)
        assert isinstance(all_of(pool)["lost"], WorkerDiedError)
        pool.submit("processes", write_processes, tmp_path / "written")
        assert all_of(pool) == {"processes": None}
        second, worker, _ = map(int, (tmp_path / "written").read_text().split())
        assert second != server
        pool.submit("busy", time.sleep, 600)
    wait_until_gone(worker)
    wait_until_gone(second)


@on_linux
def test_the_fork_server_of_a_pool_is_kept_for_the_next(tmp_path):
    written = [str(tmp_path / "1"), str(tmp_path / "2")]
    assert sorted(parallel_calls(write_processes, written, 2)) == written
    with Workers(1) as pool:
        pool.submit("processes", write_processes, tmp_path / "3")
        assert all_of(pool) == {"processes": None}
    servers = {path.read_text().split()[0] for path in tmp_path.iterdir()}
    assert len(servers) == 1
    assert not workers._spare
    wait_until_gone(servers.pop())


def test_an_error_in_parallel_calls_is_raised():
    with pytest.raises(RuntimeError, match="invalid literal"):
        list(parallel_calls(int, ["1", "one"], 2))
    workers.close_spare_server()


@on_linux
def test_a_fork_server_that_is_not_needed_ends(tmp_path):
    from occstats.experiment.dispatch import execute

    assert list(parallel_calls(write_processes, [str(tmp_path / "written")], 1))
    assert workers._spare
    assert list(execute([], print, is_visible=bool, jobs=1)) == []
    assert not workers._spare
    wait_until_gone((tmp_path / "written").read_text().split()[0])


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [("-j 2", True), ("-j 1", False), ("", False), ("-j 2 --dry-run", False)],
)
def test_the_command_starts_the_fork_server_for_several_jobs(monkeypatch, arguments, starts):
    from occstats.cli import main

    started = []
    monkeypatch.setattr(workers, "start_fork_server", lambda: started.append(True))
    monkeypatch.setattr("occstats.experiment.run.prepare", refuse_data_of)
    with pytest.raises(SystemExit):
        main(["run", "--datasets", "iris", *arguments.split()])
    assert bool(started) == starts


def refuse_data_of(*arguments, **options):
    raise DataError("no data")
