"""R embedded in this process by rpy2, which is imported here only, when it is used."""

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from occstats.backends.rscript import (
    BRIDGE,
    NATIVE_OFFER,
    NUMBERS,
    PROBE_SECONDS,
    RFound,
    ask,
    clusrank_problem,
    find_rscript,
    install_clusrank,
    probe_r,
    r_file,
)
from occstats.errors import EngineError

INSTALL_RPY2 = "install it with pip install 'occstats[r]' (it is compiled, which needs r-base-dev)"
ANOTHER_RPY2 = (
    "install the version that matches your R (pip install 'occstats[r]' up to R 4.4, "
    "rpy2-rinterface 3.6.6 or later from R 4.5 on) or use engine 'rscript'"
)


@dataclass(frozen=True)
class Rpy2Found:
    """State of rpy2 and its R; strings are empty for what is missing and for no problem."""

    version: str = ""
    r_version: str = ""
    clusrank: str = ""
    problem: str = ""
    remedy: str = ""


# Importing rpy2 can print, raise anything or crash, so a new process tries first.
_PROBE = """
import json, os, sys
said = {}
os.environ["R_PROFILE_USER"] = os.environ["R_ENVIRON_USER"] = os.devnull
try:
    import rpy2.rinterface as rinterface
    rinterface.initr()
    source = rinterface.baseenv["source"]
    environment = rinterface.baseenv["new.env"]()
    source(sys.argv[1], local=environment)
    said["versions"] = list(environment["versions"]())
except ModuleNotFoundError as error:
    absent = (error.name or "").split(".")[0] == "rpy2"
    said["absent" if absent else "broken"] = str(error)
except BaseException as error:
    said["broken"] = f"{type(error).__name__}: {error}"
print("\\nrpy2 says " + json.dumps(said))
"""


_FOUND: dict[str, Rpy2Found] = {}


def probe_rpy2() -> Rpy2Found:
    """Try in a new process whether rpy2 can embed R; success is cached."""
    rscript = find_rscript()
    # Missing software may be installed meanwhile, so failures are not cached.
    if rscript not in _FOUND:
        found = _probe_rpy2()
        if found.problem or clusrank_problem(found.r_version, found.clusrank):
            return found
        _FOUND[rscript] = found
    return _FOUND[rscript]


def _probe_rpy2() -> Rpy2Found:
    try:
        done = ask([sys.executable, "-P", "-c", _PROBE, r_file(BRIDGE).as_posix()], PROBE_SECONDS)
    except (subprocess.TimeoutExpired, OSError) as error:
        return _broken(f"its import fails in a new process: {error}")
    said = [line for line in done.stdout.splitlines() if line.startswith("rpy2 says ")]
    if not said:
        return _broken(f"it ends the process with code {done.returncode}")
    answer = json.loads(said[-1].removeprefix("rpy2 says "))
    if "absent" in answer:
        return Rpy2Found(problem="rpy2 is not installed", remedy=INSTALL_RPY2)
    if "broken" in answer:
        return _broken(" ".join(answer["broken"].split())[:300])
    r_version, clusrank = answer["versions"]
    return Rpy2Found(_rpy2_version(), r_version, clusrank)


def _broken(how: str) -> Rpy2Found:
    version = _rpy2_version()
    problem = f"rpy2 {version} is installed but cannot be used: {how}".replace("  ", " ")
    return Rpy2Found(version, problem=problem, remedy=ANOTHER_RPY2)


def _rpy2_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    for distribution in ("rpy2-rinterface", "rpy2"):
        try:
            return version(distribution)
        except PackageNotFoundError:
            continue
    return ""


def require(engine: str) -> RFound | Rpy2Found:
    """Return the versions of a backend, or raise an error that names all that is missing."""
    rpy2 = probe_rpy2() if engine == "rpy2" else None
    if rpy2 and not rpy2.problem:
        problem = clusrank_problem(rpy2.r_version, rpy2.clusrank)
        if not problem:
            return rpy2
        rpy2 = replace(rpy2, problem=problem, remedy=install_clusrank())
    r = probe_r()
    if not rpy2 and not r.problem:
        return r
    missing: list[RFound | Rpy2Found] = [r] if r.problem else []
    # Without R even a good rpy2 fails; both report a missing clusrank.
    if rpy2 and rpy2.problem != r.problem and (r.version or not rpy2.version):
        missing.append(rpy2)
    listed = "; ".join(f"{found.problem}; {found.remedy}" for found in missing)
    raise EngineError(f"engine {engine!r}: {listed}; {NATIVE_OFFER}")


def run_embedded(
    x: NDArray[np.float64],
    cluster: NDArray[np.int32],
    test: NDArray[np.int32],
    settings: tuple[str | int, ...],
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
