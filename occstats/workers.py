"""Worker pool that survives the death of individual workers.

Workers are forked from a fork server, which has imported and loaded what they all need.
"""

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, cast

from occstats.errors import EngineError

__all__ = [
    "ForkServer",
    "WorkerDiedError",
    "Workers",
    "close_spare_server",
    "initialise_worker",
    "parallel_calls",
    "start_fork_server",
]

# Forking is safe in a process with a single thread; Apple's libraries start threads of their own.
CAN_FORK = sys.platform == "linux"
# Importing NumPy and pyarrow must not start threads; every fit is limited to one anyway.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
SECONDS_TO_END = 5.0


class WorkerDiedError(Exception):
    """The worker process ended without an answer."""


class Workers:
    """A pool of worker processes, each started when it is first needed.

    Parameters
    ----------
    jobs : int
        Number of workers.
    memory : float, optional
        Bytes that each worker may use.
    prepare : callable, optional
        Called in the fork server, to import and load what all workers need.
    keep_server : bool, default False
        Keep the fork server for the next pool.

    Examples
    --------
    >>> import math
    >>> with Workers(2) as workers:
    ...     workers.submit("fine", math.sqrt, 4.0)
    ...     workers.submit("not", math.sqrt, -1.0)
    ...     ended = dict(workers.finished()) | dict(workers.finished() if workers.busy else [])
    >>> ended["fine"], ended["not"]
    (None, ValueError('math domain error'))
    """

    def __init__(
        self,
        jobs: int,
        *,
        memory: float | None = None,
        prepare: Callable[[], object] | None = None,
        keep_server: bool = False,
    ) -> None:
        self.jobs = jobs
        self._memory = memory
        self._keep_server = keep_server
        self._server = _take_server()
        if prepare is not None:
            self._server.prepare(prepare)
        self._idle: list[Connection] = []
        self._running: dict[Connection, Any] = {}

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exception: object) -> None:
        for connection in [*self._idle, *self._running]:
            connection.close()  # ends a worker that waits for work
        if self._keep_server and not self._running:
            _spare.append(self._server)
        else:
            self._server.close()

    @property
    def busy(self) -> int:
        """Return the number of workers that are computing."""
        return len(self._running)

    def submit(self, name: Any, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function in a worker; its value is discarded."""
        connection = self._idle.pop() if self._idle else self._server.worker()
        self._running[connection] = name
        with contextlib.suppress(OSError):  # a dead worker is noticed when it is waited for
            connection.send_bytes(_dumps((self._memory, function, arguments)))

    def finished(self) -> Iterator[tuple[Any, BaseException | None]]:
        """Wait until some calls have ended; yield the name and the error, if any, of each."""
        for connection in wait(list(self._running)):
            connection = cast(Connection, connection)
            name = self._running.pop(connection)
            try:
                error = _loads(connection.recv_bytes())
            except (EOFError, OSError):
                connection.close()
                yield name, WorkerDiedError("the worker died")
                continue
            self._idle.append(connection)
            yield name, error


def parallel_calls(
    function: Callable[[str], None], names: Iterable[str], jobs: int
) -> Iterator[str]:
    """Call a function on each name in a pool of workers; yield each name when it is done.

    Examples
    --------
    >>> sorted(parallel_calls(len, ["a", "b", "c"], 2))
    ['a', 'b', 'c']
    """
    waiting = list(reversed(list(names)))
    with Workers(jobs, keep_server=True) as workers:
        while waiting or workers.busy:
            while waiting and workers.busy < jobs:
                name = waiting.pop()
                workers.submit(name, function, name)
            for name, error in workers.finished():
                if error is not None:
                    raise RuntimeError(f"{name}: {error}") from error
                yield name


class ForkServer:
    """A process from which workers are forked, with the modules and kernels that it has loaded.

    Importing takes longer than many small experiments. The server runs only the preparations it is
    sent, has a single thread (a fork of a process with threads may hang), and ends with this
    process. Where forking is unsafe, each worker is a new process that prepares itself.
    """

    def __init__(self) -> None:
        self._preparations: list[bytes] = []
        self._processes: list[BaseProcess] = []
        self._control: Connection | None = None
        self._forked = False
        if CAN_FORK:
            self._control = self._start(_serve_forks)

    def prepare(self, function: Callable[[], object]) -> None:
        """Call a function in the server before the next fork; return without waiting for it."""
        self._preparations.append(_dumps(function))
        if self._control is not None:
            with contextlib.suppress(OSError):
                self._control.send_bytes(self._preparations[-1])

    def worker(self) -> Connection:
        """Start a worker and return the connection to it."""
        if not CAN_FORK:
            return self._start(_serve_calls, os.getpid(), list(self._preparations))
        self._forked = True
        for last in (False, True):
            try:
                assert self._control is not None
                self._control.send_bytes(b"")
                return Connection(recv_handle(self._control))
            except (EOFError, OSError, RuntimeError) as error:  # the server was killed
                self.close()
                if last:
                    raise EngineError(
                        "worker processes cannot be started; the machine may be out of memory"
                    ) from error
                self._control = self._start(_serve_forks)
                for preparation in self._preparations:
                    self._control.send_bytes(preparation)
        raise AssertionError

    def close(self) -> None:
        """End the server and its workers, even busy ones."""
        if self._control is not None:
            self._control.close()
        for process in self._processes:
            if self._forked:  # it kills its workers and ends
                process.join(SECONDS_TO_END)
            if process.exitcode is None and process.pid is not None:
                os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            process.join()
        self._processes.clear()
        atexit.unregister(self.close)

    def _start(self, target: Callable[..., None], *arguments: Any) -> Connection:
        # Neither forked (this process may have threads) nor spawned by multiprocessing, which would
        # import the user's script again.
        from loky.backend import get_context

        ours, theirs = Pipe()
        process = get_context("loky").Process(
            target=target, args=(theirs, *arguments), env=ONE_THREAD
        )
        process.start()
        theirs.close()
        self._processes.append(process)
        atexit.register(self.close)
        return ours


# At most one server, started in advance or kept for the next pool.
_spare: list[ForkServer] = []


def start_fork_server() -> None:
    """Start the fork server in the background, while this process plans the work."""
    from functools import partial
    from importlib import import_module

    server = ForkServer()
    for module in ("occstats.experiment.worker", "occstats_descriptors.warm_up"):
        server.prepare(partial(import_module, module))
    _spare.append(server)


def close_spare_server() -> None:
    """End a fork server that is not needed after all."""
    while _spare:
        _spare.pop().close()


def _take_server() -> ForkServer:
    return _spare.pop() if _spare else ForkServer()


def _serve_forks(control: Connection) -> None:
    _silence()
    children: set[int] = set()
    while True:
        try:
            message = control.recv_bytes()
            if message:
                with contextlib.suppress(
                    Exception
                ):  # it fails again in the worker, which reports it
                    _loads(message)()
                continue
        except EOFError:
            break
        ours, theirs = Pipe()
        server = os.getpid()
        child = os.fork()
        if not child:
            try:
                control.close()
                ours.close()
                _serve_calls(theirs, server)
            finally:
                os._exit(0)
        theirs.close()
        children.add(child)
        send_handle(control, ours.fileno(), 0)
        ours.close()
        with contextlib.suppress(ChildProcessError):
            while ended := os.waitpid(-1, os.WNOHANG)[0]:
                children.discard(ended)
    for child in children:
        os.kill(child, signal.SIGKILL)  # not reaped yet, so its id is not reused
    for child in children:
        os.waitpid(child, 0)


def _serve_calls(connection: Connection, parent: int, preparations: Sequence[bytes] = ()) -> None:
    initialise_worker(parent)
    for preparation in preparations:
        with contextlib.suppress(Exception):
            _loads(preparation)()
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):  # the pool is closed
            return
        try:
            memory, function, arguments = _loads(message)
            limit_memory(memory)
            function(*arguments)
        except BaseException as error:
            connection.send_bytes(_pickled(error))
        else:
            connection.send_bytes(_dumps(None))


def _pickled(error: BaseException) -> bytes:
    error.add_note("In a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        message = _dumps(error)
        _loads(message)
    except Exception:  # an exception that cannot be pickled
        return _dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return message


def _dumps(value: Any) -> bytes:
    from loky.backend.reduction import dumps  # also pickles functions of a notebook

    return bytes(dumps(value))


def _loads(message: bytes) -> Any:
    from pickle import loads

    return loads(message)


def initialise_worker(parent: int) -> None:
    """Make this process end with its parent, print nothing and ignore Ctrl-C."""
    exit_with_parent(parent)
    _silence()


def _silence() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    os.close(null)


def limit_memory(memory: float | None) -> None:
    """Limit the memory of this process to some bytes, where supported; None for no limit."""
    if memory is None:
        return
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (int(memory), hard))


def exit_with_parent(parent: int) -> None:
    """End this process when its parent has ended, even if it was killed."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
