"""Keep an embedded interpreter from printing into our output and from taking over Ctrl-C."""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

__all__ = ["interruptible", "own_environment", "quiet_start"]


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end a batch after the current test: R cannot be left in the middle of one."""
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    handler = signal.signal(signal.SIGINT, lambda number, _frame: pressed.append(number))
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, handler)
        if pressed:
            raise KeyboardInterrupt from None


@contextmanager
def quiet_start() -> Iterator[None]:
    """Undo what starting R does to the process: output, warnings, the handler of Ctrl-C."""
    with ExitStack() as restored, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if threading.current_thread() is threading.main_thread():
            restored.callback(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        # rpy2 runs an Rscript that inherits our streams, into which an .Rprofile may print.
        if sys.stdout is not None:
            sys.stdout.flush()
        for stream in (1, 2):
            with suppress(OSError):  # there may be none
                restored.callback(_redirect, os.dup(stream), stream)
                _redirect(os.open(os.devnull, os.O_WRONLY), stream)
        yield


def _redirect(descriptor: int, stream: int) -> None:
    os.dup2(descriptor, stream)
    os.close(descriptor)


@contextmanager
def own_environment() -> Iterator[None]:
    """Undo what starting R does to the variables of this process, but for R's own.

    With R's LD_LIBRARY_PATH, a Python that is started from here later may load the libraries of
    another Python.
    """
    before = dict(os.environ)
    yield
    for name in [*os.environ]:
        if not name.lstrip("_").startswith(("R_", "PYTHON_SESSION")):
            if name not in before:
                del os.environ[name]
            elif os.environ[name] != before[name]:
                os.environ[name] = before[name]
