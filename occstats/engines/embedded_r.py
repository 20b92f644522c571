"""R embedded in this process by rpy2, which is imported here only, when it is used."""

import importlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.engines.installation import BRIDGE, NATIVE_OFFER, r_file
from occstats.engines.rscript import NUMBERS
from occstats.errors import EngineError


def run_embedded(
    x: NDArray[np.float64],
    cluster: NDArray[np.int32],
    test: NDArray[np.int32],
    settings: tuple[str, str],
) -> pd.DataFrame:
    """Run all tests in the embedded R; parameters and result are those of `run_in_rscript`."""
    rinterface, clusrank_batch = _start_r()
    with _quiet_r(), interruptible() as interrupted:
        try:
            table = clusrank_batch(
                rinterface.FloatSexpVector.from_memoryview(x.data),
                rinterface.IntSexpVector.from_memoryview(cluster.data),
                rinterface.IntSexpVector.from_memoryview(test.data),
                *settings,
                go_on=rinterface.rternalize(lambda: rinterface.BoolSexpVector([not interrupted()])),
            )
        except rinterface.embedded.RRuntimeError as error:
            said = " ".join(str(error).split())[:300]
            raise EngineError(f"engine 'rpy2': R failed: {said}; {NATIVE_OFFER}") from None
        columns = dict(zip(table.names, table, strict=True))
        numbers = {name: np.array(columns[name], dtype=np.float64) for name in NUMBERS}
        return pd.DataFrame({**numbers, "failure": [str(text) for text in columns["failure"]]})


@cache
def _start_r() -> tuple[Any, Any]:
    # Files of the current folder, such as an .Rprofile, are not code of ours.
    os.environ["R_PROFILE_USER"] = os.environ["R_ENVIRON_USER"] = os.devnull
    with quiet_start():
        rinterface = importlib.import_module("rpy2.rinterface")
        with _quiet_r():
            with own_environment():
                rinterface.initr()
            environment = rinterface.baseenv["new.env"]()
            rinterface.baseenv["source"](r_file(BRIDGE).as_posix(), local=environment)
            return rinterface, environment["clusrank_batch"]


@contextmanager
def _quiet_r() -> Iterator[None]:
    """Hold the lock of the embedded R and discard its console output."""
    callbacks = importlib.import_module("rpy2.rinterface_lib.callbacks")
    lock = importlib.import_module("rpy2.rinterface_lib.openrlib").rlock
    with lock, ExitStack() as restored:
        for name in ("consolewrite_print", "consolewrite_warnerror", "showmessage"):
            restored.callback(setattr, callbacks, name, getattr(callbacks, name))
            setattr(callbacks, name, lambda _text: None)
        yield


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end a batch after the current test: R cannot be interrupted during one."""
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
    """Suppress the output and warnings of starting R, and restore the handler of Ctrl-C."""
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
    """Restore the environment variables after starting R, except R's own.

    With R's LD_LIBRARY_PATH, a Python process started later may load the libraries of another
    Python.
    """
    before = dict(os.environ)
    yield
    for name in [*os.environ]:
        if not name.lstrip("_").startswith(("R_", "PYTHON_SESSION")):
            if name not in before:
                del os.environ[name]
            elif os.environ[name] != before[name]:
                os.environ[name] = before[name]
