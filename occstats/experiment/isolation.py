"""Isolate third-party estimators.

Process state is restored, timeouts are enforced, and crashes are recorded as failed rows.
"""

import contextlib
import multiprocessing
import os
import random
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np
from loky.backend import get_context

from occstats.workers import initialise_worker


class CallTimeoutError(Exception):
    """The call exceeded its timeout, and its process was killed."""


class ChildProcessDiedError(Exception):
    """The process of the call was killed, crashed, or ran out of memory."""


class IsolatedCalls:
    """Call a function in a child process, which is killed when a call exceeds its timeout.

    A signal cannot interrupt compiled code; killing the process can. The child is kept between
    calls, so that imports and caches are paid for once.

    Parameters
    ----------
    function : callable
        A module-level function.
    timeout : float, optional
        Seconds that one call may take; no limit by default.
    warm_up : callable, optional
        Called once in the child, for example to import modules; not part of the time of a call.

    Examples
    --------
    >>> import math
    >>> with IsolatedCalls(math.sqrt, timeout=60) as calls:
    ...     calls(4.0)
    2.0
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        timeout: float | None = None,
        warm_up: Callable[[], object] | None = None,
    ) -> None:
        self._function = function
        self._warm_up = warm_up
        self._timeout = timeout
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None

    def __enter__(self) -> "IsolatedCalls":
        return self

    def __exit__(self, *exception: object) -> None:
        self._kill()

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; raise what it raises."""
        try:
            connection = self._child()
            connection.send(arguments)
            if not connection.poll(self._timeout):
                self._kill()
                raise CallTimeoutError(f"took longer than {self._timeout:g} s")
            succeeded, value = connection.recv()
        except (EOFError, BrokenPipeError, ConnectionResetError) as error:
            code = self._kill()
            raise ChildProcessDiedError(f"its process died (exit code {code})") from error
        if not succeeded:
            raise value
        return value

    def _child(self) -> Connection:
        if self._connection is None:
            # Not forked: a fork of a process with threads (BLAS, numba) may hang. Not spawned by
            # multiprocessing, which would import the user's script again and fails in workers.
            context = get_context("loky")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(
                target=_serve,
                args=(theirs, self._function, self._warm_up, os.getpid()),
                daemon=True,
            )
            with _allowed_to_start():
                self._process.start()
            theirs.close()
            self._connection.recv()  # ready: start-up does not count as time of the first call
        return self._connection

    def _kill(self) -> int | None:
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()
        if process is None or process.pid is None:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        return process.exitcode


@contextlib.contextmanager
def _allowed_to_start() -> Iterator[None]:
    """Let a daemonic process (a Dask worker) have a child, which ends with its parent."""
    configuration: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    was = configuration.get("daemon")
    configuration["daemon"] = False
    try:
        yield
    finally:
        configuration["daemon"] = was


@dataclass
class Outcome:
    """The outcome of a fit, with a reason if it failed."""

    reason: str | None = None


@contextlib.contextmanager
def contained(seed: int = 0) -> Iterator[Outcome]:
    """Run a fit on one thread, catch every exception, and restore the state of the process.

    Working directory, environment, signal handlers and timers, warning filters, floating-point
    error handling and the global random states are restored afterwards; the random states start
    from the seed, so that they do not depend on earlier fits. A process that the fit forked ends
    here. Every exception becomes the reason of the outcome, except Ctrl-C in the main process.

    Examples
    --------
    >>> with contained() as outcome:
    ...     os.environ["HOME"] = "elsewhere"
    ...     raise SystemExit(0)
    >>> outcome.reason, os.environ["HOME"] == "elsewhere"
    ('SystemExit: 0', False)
    """
    outcome = Outcome()
    process, folder, environment = os.getpid(), os.getcwd(), dict(os.environ)
    in_main_thread = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    states = random.getstate(), np.random.get_state()  # noqa: NPY002 - third-party code uses it
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    # One thread: scores are identical to the bit for any number of workers and cores.
    one_thread = _thread_pools(len(sys.modules)).limit(limits=1)
    with one_thread, warnings.catch_warnings(), np.errstate():
        try:
            yield outcome
        except BaseException as error:
            listening = in_main_thread and handlers[signal.SIGINT] != signal.SIG_IGN
            if isinstance(error, KeyboardInterrupt) and listening:
                raise
            outcome.reason = reason_of(error)
        finally:
            if os.getpid() != process:
                os._exit(0)
            os.chdir(folder)
            if dict(os.environ) != environment:
                os.environ.clear()
                os.environ.update(environment)
            if in_main_thread:
                _restore_signals(handlers)
            random.setstate(states[0])
            np.random.set_state(states[1])  # noqa: NPY002


@lru_cache(maxsize=1)
def _thread_pools(modules: int) -> Any:
    """Find the thread pools of this process, again (5 ms) after other modules were loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def reason_of(error: BaseException) -> str:
    """Return an exception as one line, for the row of a failed fit.

    Examples
    --------
    >>> reason_of(ValueError(f"nu is\\n{np.float64(7.0)!r}")), reason_of(SystemExit(0))
    ('ValueError: nu is 7.0', 'SystemExit: 0')
    """
    text = re.sub(r"\bnp\.[a-z]+\d*_?\(([^()]*)\)", r"\1", " ".join(str(error).split()))
    return f"{type(error).__name__}: {text}"[:500]


def _restore_signals(handlers: dict[Any, Any]) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    for number, handler in handlers.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


def _serve(
    connection: Connection,
    function: Callable[..., Any],
    warm_up: Callable[[], object] | None,
    parent: int,
) -> None:
    initialise_worker(parent)
    if warm_up is not None:
        warm_up()
    connection.send("ready")
    while True:
        try:
            arguments = connection.recv()
        except EOFError:  # the parent has ended
            return
        try:
            answer: tuple[bool, Any] = (True, function(*arguments))
        except Exception as error:
            answer = (False, error)
        try:
            connection.send(answer)
        except (TypeError, ValueError, AttributeError):  # an exception that cannot be pickled
            connection.send((False, RuntimeError(f"{type(answer[1]).__name__}: {answer[1]}")))
