"""R embedded in this process by rpy2, or in a process of its own, which reads and writes CSV files.

rpy2 is imported when it is used.
"""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.engines.installation import (
    BRIDGE,
    INSTALL_R,
    NATIVE_OFFER,
    ask,
    last_words,
    probe,
    r_file,
)
from occstats.errors import EngineError

#: Numbers that R returns for each test, besides the message of a failure.
NUMBERS = ("statistic", "variance", "z", "p", "observations", "clusters")
RUN_SECONDS = 3600


def run_in_rscript(
    x: NDArray[np.float64],
    cluster: NDArray[np.int32],
    test: NDArray[np.int32],
    settings: tuple[str, str],
) -> pd.DataFrame:
    """Run all tests in one ``Rscript`` process, and return one row per test.

    `test` is the number of the test of each difference, and the settings are those of the R
    function: method and alternative.
    """
    rscript = probe("rscript").rscript
    with tempfile.TemporaryDirectory(prefix="occstats-") as folder:
        differences, answers = Path(folder, "differences.csv"), Path(folder, "answers.csv")
        # Hexadecimal: R's reader of decimals can be off in the last bit, which breaks ties.
        rows = {"x": [value.hex() for value in x.tolist()], "cluster": cluster, "test": test}
        pd.DataFrame(rows).to_csv(differences, index=False)
        command = [rscript, "--vanilla", str(r_file(BRIDGE))]
        command += [str(differences), str(answers), *settings]
        try:
            done = ask(command, RUN_SECONDS)
        except subprocess.TimeoutExpired:
            n_tests = int(test.max()) + 1
            raise EngineError(
                f"engine 'rscript': R did not finish {n_tests} test{'s' * (n_tests != 1)} within "
                f"{RUN_SECONDS:g} seconds; compare fewer algorithms, {NATIVE_OFFER}"
            ) from None
        except OSError as error:
            raise EngineError(
                f"engine 'rscript': {rscript} does not start: {error}; {INSTALL_R}, {NATIVE_OFFER}"
            ) from None
        if done.returncode != 0 or not answers.is_file():
            raise EngineError(
                f"engine 'rscript': R ended with code {done.returncode}: "
                f"{last_words(done.stderr) or 'no message'}; {NATIVE_OFFER}"
            )
        table = pd.read_csv(answers, dtype=str, keep_default_na=False, encoding_errors="replace")
        # Converted as text, so that no bit is lost.
        numbers = {name: [_number(text) for text in table[name]] for name in NUMBERS}
        return table.assign(**numbers)


def _number(text: str) -> float:
    return np.nan if text == "NA" else float(text)


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
