"""Worker processes: what they inherit, how they end, and what is known of one that died."""

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
from occstats.workers import WorkerDiedError, Workers, side_by_side

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not find the tests
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="where workers are copies")


def tell(path, *what):
    Path(path).write_text(" ".join(map(str, what)))


def tell_processes(path):
    tell(path, os.getppid(), os.getpid(), len(os.listdir(f"/proc/{os.getppid()}/task")))


def tell_modules(path):
    tell(path, *sys.modules)


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


def wait_until_gone(process, seconds=20):
    deadline = time.monotonic() + seconds
    while Path(f"/proc/{process}").exists():
        assert time.monotonic() < deadline, f"process {process} goes on"
        time.sleep(0.05)


@pytest.fixture(params=["copies", "each on its own"])
def _begun(monkeypatch, request):
    """Workers as on Linux, and as where no process can be copied."""
    if request.param == "each on its own":
        monkeypatch.setattr(workers, "COPIES", False)


@pytest.mark.usefixtures("_begun")
def test_what_ends_badly_is_known_and_harms_nobody_else(tmp_path):
    with Workers(4) as pool:
        for function in (die, refuse, refuse_data):
            pool.submit(function.__name__, function)
        pool.submit("tell", tell, tmp_path / "told", "fine")
        ended = all_of(pool)
        assert isinstance(ended["die"], WorkerDiedError)
        assert isinstance(ended["refuse"], RuntimeError)
        assert str(ended["refuse"]) == "Unpicklable: no"
        assert isinstance(ended["refuse_data"], DataError)
        assert "refuse_data" in ended["refuse_data"].__notes__[0]  # where it was raised
        assert ended["tell"] is None
        assert (tmp_path / "told").read_text() == "fine"
        pool.submit("after", tell, tmp_path / "told", "again")  # in the place of one that died
        assert all_of(pool) == {"after": None}


@pytest.mark.usefixtures("_begun")
def test_workers_have_what_was_prepared(tmp_path):
    for prepared in ("colorsys", None):
        prepare = prepared and partial(import_module, prepared)
        with Workers(1, prepare=prepare) as pool:
            pool.submit("modules", tell_modules, tmp_path / "modules")
            assert all_of(pool) == {"modules": None}
        assert ("colorsys" in (tmp_path / "modules").read_text().split()) == bool(prepared)


def test_memory_is_limited_in_workers():
    with Workers(1, memory=1e9) as pool:
        pool.submit("large", take_two_gigabytes)
        assert isinstance(all_of(pool)["large"], MemoryError)


@on_linux
def test_what_is_copied_has_one_thread(tmp_path):
    """A copy of a process with threads may wait for ever for what only these could release."""
    from occstats.experiment.evaluate import prepare_process

    with Workers(1, prepare=partial(prepare_process, ["NND", "SAE", "MD"], [(50, 150, 4)])) as pool:
        pool.submit("processes", tell_processes, tmp_path / "told")
        assert all_of(pool) == {"processes": None}
        origin, _, threads = map(int, (tmp_path / "told").read_text().split())
        assert origin != os.getpid()
        assert threads == 1


@on_linux
def test_all_end_with_the_pool_and_with_their_origin(tmp_path):
    with Workers(2) as pool:
        pool.submit("processes", tell_processes, tmp_path / "told")
        assert all_of(pool) == {"processes": None}
        origin, worker, _ = map(int, (tmp_path / "told").read_text().split())
        os.kill(origin, signal.SIGKILL)
        wait_until_gone(worker)
        pool.submit("lost", tell, tmp_path / "other", 1)
        assert isinstance(all_of(pool)["lost"], WorkerDiedError)
        pool.submit("processes", tell_processes, tmp_path / "told")
        assert all_of(pool) == {"processes": None}
        second, worker, _ = map(int, (tmp_path / "told").read_text().split())
        assert second != origin
        pool.submit("busy", time.sleep, 600)
    wait_until_gone(worker)
    wait_until_gone(second)


@on_linux
def test_the_origin_of_one_pool_serves_the_next(tmp_path):
    told = [tmp_path / "1", tmp_path / "2"]
    assert sorted(side_by_side(tell_processes, list(map(str, told)), 2)) == list(map(str, told))
    with Workers(1) as pool:
        pool.submit("processes", tell_processes, tmp_path / "3")
        assert all_of(pool) == {"processes": None}
    origins = {path.read_text().split()[0] for path in tmp_path.iterdir()}
    assert len(origins) == 1
    assert not workers._ahead
    wait_until_gone(origins.pop())


def test_an_error_side_by_side_is_raised():
    with pytest.raises(RuntimeError, match="invalid literal"):
        list(side_by_side(int, ["1", "one"], 2))
    workers.end_ahead()


@on_linux
def test_an_origin_that_nobody_needs_ends(tmp_path):
    from occstats.experiment.engine import compute

    assert list(side_by_side(tell_processes, [str(tmp_path / "told")], 1))
    assert workers._ahead
    assert list(compute([], print, is_there=bool, jobs=1)) == []
    assert not workers._ahead
    wait_until_gone((tmp_path / "told").read_text().split()[0])


@pytest.mark.parametrize(
    ("arguments", "begins"),
    [("-j 2", True), ("-j 1", False), ("", False), ("-j 2 --dry-run", False)],
)
def test_the_command_begins_workers_where_some_are_asked_for(monkeypatch, arguments, begins):
    from occstats.cli import main

    begun = []
    monkeypatch.setattr(workers, "start_ahead", lambda: begun.append(True))
    monkeypatch.setattr("occstats.experiment.run.prepare", refuse_data_of)
    with pytest.raises(SystemExit):
        main(["run", "--datasets", "iris", *arguments.split()])
    assert bool(begun) == begins


def refuse_data_of(*arguments, **options):
    raise DataError("no data")
