"""Keep an embedded interpreter from printing into our output and from taking over Ctrl-C."""

import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress

__all__ = ["interruptible", "quiet_start"]


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
        raise KeyboardInterrupt


@contextmanager
def quiet_start() -> Iterator[None]:
    """Undo what starting R does to the process: output, warnings, the handler of Ctrl-C."""
    with ExitStack() as restored, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if threading.current_thread() is threading.main_thread():
            restored.callback(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        # rpy2 runs an Rscript that inherits our output, into which a user's .Rprofile may print.
        with suppress(OSError):
            output = os.dup(1)
            restored.callback(os.close, output)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            restored.callback(os.close, nowhere)
            sys.stdout.flush()
            os.dup2(nowhere, 1)
            restored.callback(os.dup2, output, 1)
        yield
