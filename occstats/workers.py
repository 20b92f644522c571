"""Worker processes: each computes one thing at a time, and takes nobody with it when it dies."""

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
    "Origin",
    "WorkerDiedError",
    "Workers",
    "begin_worker",
    "end_ahead",
    "side_by_side",
    "start_ahead",
    "take_origin",
]

# A copy of a process is safe where it had a single thread. Apple's libraries start their own.
COPIES = sys.platform == "linux"
# So that importing NumPy and pyarrow starts no threads; every fit is limited to one anyway.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
SECONDS_TO_END = 5.0


class WorkerDiedError(Exception):
    """The process of a worker ended without an answer."""


class Workers:
    """A number of worker processes, each of them begun when there is something for it to do.

    Parameters
    ----------
    jobs : int
        How many.
    memory : float, optional
        Bytes that each may use.
    prepare : callable, optional
        Called in the process whose copies they are, to import and load what all of them need.
    keep_origin : bool
        Whether that process stays for the next workers.

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
        keep_origin: bool = False,
    ) -> None:
        self.jobs = jobs
        self._memory = memory
        self._keep_origin = keep_origin
        self._origin = take_origin()
        if prepare is not None:
            self._origin.prepare(prepare)
        self._idle: list[Connection] = []
        self._running: dict[Connection, Any] = {}

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *exception: object) -> None:
        for connection in [*self._idle, *self._running]:
            connection.close()  # who waits for more ends
        if self._keep_origin and not self._running:
            _ahead.append(self._origin)
        else:
            self._origin.close()

    @property
    def busy(self) -> int:
        """How many compute something."""
        return len(self._running)

    def submit(self, name: Any, function: Callable[..., object], *arguments: Any) -> None:
        """Have a worker call a function; its value is not sent back."""
        connection = self._idle.pop() if self._idle else self._origin.worker()
        self._running[connection] = name
        with contextlib.suppress(OSError):  # it has died, which is seen when it is waited for
            connection.send_bytes(_dumps((self._memory, function, arguments)))

    def finished(self) -> Iterator[tuple[Any, BaseException | None]]:
        """Wait until some have ended: the name of each, and the error where it ended with one."""
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


def side_by_side(function: Callable[[str], None], names: Iterable[str], jobs: int) -> Iterator[str]:
    """Call a function on each of some names in so many workers; yields each name when it is done.

    Examples
    --------
    >>> sorted(side_by_side(len, ["a", "b", "c"], 2))
    ['a', 'b', 'c']
    """
    waiting = list(reversed(list(names)))
    with Workers(jobs, keep_origin=True) as workers:
        while waiting or workers.busy:
            while waiting and workers.busy < jobs:
                name = waiting.pop()
                workers.submit(name, function, name)
            for name, error in workers.finished():
                if error is not None:
                    raise RuntimeError(f"{name}: {error}") from error
                yield name


class Origin:
    """The process whose copies the workers are: what it has imported and loaded, they have.

    Importing takes longer than many a small experiment. The origin runs nothing but what it is told
    to prepare, has a single thread (a copy of a process with threads may hang), and ends with this
    process. Where processes cannot be copied safely, each worker prepares itself.
    """

    def __init__(self) -> None:
        self._preparations: list[bytes] = []
        self._processes: list[BaseProcess] = []
        self._control: Connection | None = None
        self._copied = False
        if COPIES:
            self._control = self._begin(_be_origin)

    def prepare(self, function: Callable[[], object]) -> None:
        """Call a function in the origin before the next copy is made; does not wait for it."""
        self._preparations.append(_dumps(function))
        if self._control is not None:
            with contextlib.suppress(OSError):
                self._control.send_bytes(self._preparations[-1])

    def worker(self) -> Connection:
        """Begin a worker; what it is sent is a function and its arguments."""
        if not COPIES:
            return self._begin(_be_worker, os.getpid(), list(self._preparations))
        self._copied = True
        for last in (False, True):
            try:
                assert self._control is not None
                self._control.send_bytes(b"")
                return Connection(recv_handle(self._control))
            except (EOFError, OSError, RuntimeError) as error:  # somebody killed it
                self.close()
                if last:
                    raise EngineError(
                        "worker processes cannot be started: is there memory for them?"
                    ) from error
                self._control = self._begin(_be_origin)
                for preparation in self._preparations:
                    self._control.send_bytes(preparation)
        raise AssertionError

    def close(self) -> None:
        """End it, and the workers with it, whatever they are doing."""
        if self._control is not None:
            self._control.close()
        for process in self._processes:
            if self._copied:  # it kills its copies and ends
                process.join(SECONDS_TO_END)
            if process.exitcode is None and process.pid is not None:
                os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            process.join()
        self._processes.clear()
        atexit.unregister(self.close)

    def _begin(self, target: Callable[..., None], *arguments: Any) -> Connection:
        # Neither forked (this process may have threads) nor spawned by multiprocessing, which runs
        # the user's script again.
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


_ahead: list[Origin] = []


def start_ahead() -> None:
    """Begin the origin of workers that will be needed, while this process prepares their work."""
    from functools import partial
    from importlib import import_module

    origin = Origin()
    for module in ("occstats.experiment.worker", "occstats_descriptors.warm_up"):
        origin.prepare(partial(import_module, module))
    _ahead.append(origin)


def end_ahead() -> None:
    """End the origin that was begun ahead, where no workers are needed after all."""
    while _ahead:
        _ahead.pop().close()


def take_origin() -> Origin:
    """The origin that was begun ahead, or a new one."""
    return _ahead.pop() if _ahead else Origin()


def _be_origin(control: Connection) -> None:
    _be_quiet()
    children: set[int] = set()
    while True:
        try:
            message = control.recv_bytes()
            if message:
                with contextlib.suppress(Exception):  # fails in the worker, too, and is said there
                    _loads(message)()
                continue
        except EOFError:
            break
        ours, theirs = Pipe()
        origin = os.getpid()
        child = os.fork()
        if not child:
            try:
                control.close()
                ours.close()
                _be_worker(theirs, origin)
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
        os.kill(child, signal.SIGKILL)  # a zombie at worst: nobody else's process
    for child in children:
        os.waitpid(child, 0)


def _be_worker(connection: Connection, parent: int, preparations: Sequence[bytes] = ()) -> None:
    begin_worker(parent)
    for preparation in preparations:
        with contextlib.suppress(Exception):
            _loads(preparation)()
    while True:
        try:
            message = connection.recv_bytes()
        except (EOFError, OSError):  # nobody waits for an answer
            return
        try:
            memory, function, arguments = _loads(message)
            limit_memory(memory)
            function(*arguments)
        except BaseException as error:
            connection.send_bytes(_described(error))
        else:
            connection.send_bytes(_dumps(None))


def _described(error: BaseException) -> bytes:
    error.add_note("In a worker:\n" + "".join(traceback.format_exception(error)))
    try:
        told = _dumps(error)
        _loads(told)
    except Exception:  # an exception that cannot be pickled
        return _dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return told


def _dumps(value: Any) -> bytes:
    from loky.backend.reduction import dumps  # takes functions of a notebook, too

    return bytes(dumps(value))


def _loads(message: bytes) -> Any:
    from pickle import loads

    return loads(message)


def begin_worker(parent: int) -> None:
    """Prepare a worker process: it ends with its parent, and neither prints nor takes Ctrl-C."""
    exit_with_parent(parent)
    _be_quiet()


def _be_quiet() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


def limit_memory(memory: float | None) -> None:
    """Let this process use no more than these bytes, where the system can; None for no limit."""
    if memory is None:
        return
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (int(memory), hard))


def exit_with_parent(parent: int) -> None:
    """End this process when its parent has gone, even one that was killed without a word."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
