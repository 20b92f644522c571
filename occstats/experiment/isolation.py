"""Fits in a child process, so that one that hangs or crashes costs a row and not the run."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from loky.backend import get_context

__all__ = ["CallTimeoutError", "ChildProcessDiedError", "IsolatedCalls", "exit_with_parent"]


class CallTimeoutError(Exception):
    """The call took longer than allowed, and its process was killed."""


class ChildProcessDiedError(Exception):
    """The process of the call ended without an answer (killed, crashed, or out of memory)."""


class IsolatedCalls:
    """Calls a function in a child process that is killed when a call exceeds its time.

    A signal cannot interrupt a library that is busy in compiled code; killing a process can. The
    child is kept between calls, so that imports and caches are paid once.

    Parameters
    ----------
    function : callable
        A module-level function.
    timeout : float, optional
        Seconds that one call may take; no limit by default.
    warm_up : callable, optional
        Called once in the child, such as to import what the calls need; it costs no call its time.

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
        self.close()

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; re-raises what it raises."""
        connection = self._child()
        try:
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

    def close(self) -> None:
        """End the child process."""
        if self._process is not None:
            self._kill()

    def _child(self) -> Connection:
        if self._connection is None:
            # Not forked: a copy of a process with threads (BLAS, numba) may hang. Not spawned by
            # multiprocessing either: that runs the user's script again, and not within workers.
            context = get_context("loky")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(
                target=_serve,
                args=(theirs, self._function, self._warm_up, os.getpid()),
                daemon=True,
            )
            self._process.start()
            theirs.close()
            self._connection.recv()  # ready: the time of starting up is not the first call's
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


def exit_with_parent(parent: int) -> None:
    """End this process when its parent has gone, even one that was killed without a word."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _serve(
    connection: Connection,
    function: Callable[..., Any],
    warm_up: Callable[[], object] | None,
    parent: int,
) -> None:
    exit_with_parent(parent)
    if warm_up is not None:
        warm_up()
    connection.send("ready")
    while True:
        try:
            arguments = connection.recv()
        except EOFError:  # the parent is gone
            return
        try:
            answer: tuple[bool, Any] = (True, function(*arguments))
        except Exception as error:
            answer = (False, error)
        try:
            connection.send(answer)
        except (TypeError, ValueError, AttributeError):  # an exception that cannot be pickled
            connection.send((False, RuntimeError(f"{type(answer[1]).__name__}: {answer[1]}")))
