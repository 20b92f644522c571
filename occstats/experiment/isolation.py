"""Isolate third-party estimators.

Each shard of such an estimator runs in a process group of its own. Timeouts are enforced, crashes
are recorded as failed rows, and process state is restored between fits.
"""

import contextlib
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from occstats.errors import EngineError, OccstatsError

# Importing NumPy and pyarrow must not start threads; every fit is limited to one anyway. The
# current folder may contain any module.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "PYTHONSAFEPATH": "1",
}
# Starting a process takes longer than most fits: one that ends soon after its time is not killed.
SECONDS_OF_GRACE = 5.0
SECONDS_BETWEEN_CHECKS = 0.05
LONGEST_REASON = 500
_SERVE = (
    "import sys; sys.path[:] = sys.argv[2:]; "
    "from occstats.experiment.isolation import serve; serve(sys.argv[1])"
)


class IsolationError(Exception):
    """A call has no answer: its process was killed, crashed, or ran out of memory."""


class CallTimeoutError(IsolationError):
    """A call exceeded its timeout."""


def isolated_calls(
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    *,
    timeout: float | None = None,
    memory: float | None = None,
    warm_up: Callable[[], object] = int,
) -> Iterator[Any]:
    """Call a function in a child process; yield what each call returns or raises.

    A process that a call kills, breaks or keeps too long is replaced for the remaining calls. It
    has no connection that a call could close, keep open or write to: calls and answers are files.
    Processes that a call started end with the child, and all of them with this process.

    `function` is at the level of a module, `memory` in bytes, and the `timeout` in seconds per
    call. `warm_up` is called first in the child, for example to import modules, and does not count.

    Examples
    --------
    >>> import math
    >>> list(isolated_calls(math.sqrt, [(4.0,), (-1.0,)]))
    [2.0, ValueError('math domain error')]
    """
    remaining = list(calls)
    while remaining:
        with (
            tempfile.TemporaryDirectory(prefix="occstats-", ignore_cleanup_errors=True) as folder,
            _child(Path(folder), (memory, warm_up, function, remaining)) as child,
        ):
            for place in range(len(remaining)):
                answer, usable = _answer(child, Path(folder, str(place)), timeout)
                remaining = remaining[1:]
                yield answer
                if not usable:
                    break


@contextlib.contextmanager
def _child(folder: Path, work: tuple[Any, ...]) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a process that answers calls, and wait until it is ready."""
    (folder / "work").write_bytes(pickle.dumps(work))
    paths = [entry or os.getcwd() for entry in sys.path if isinstance(entry, str)]
    guard = [sys.executable, "-IS", str(Path(__file__).with_name("guard.py"))]
    with open(folder / "output", "wb") as output:
        try:
            child = subprocess.Popen(
                [*guard, sys.executable, "-c", _SERVE, str(folder), *paths],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=os.environ | ENVIRONMENT,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineError(f"a process for estimators cannot be started: {error}") from error
    try:
        if not _exists(child, folder / "ready", None):
            said = (folder / "output").read_text(errors="replace").strip().splitlines()
            raise EngineError(
                "the process for estimators does not start: "
                f"{said[-1][:LONGEST_REASON] if said else f'exit code {_exit_code(child)}'}"
            )
        yield child
    finally:
        # Its group too: children of fits, and a child whose guard was killed.
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
        child.kill()
        child.wait()
        assert child.stdin is not None
        child.stdin.close()


def _answer(
    child: "subprocess.Popen[bytes]", path: Path, timeout: float | None
) -> tuple[Any, bool]:
    """Return the answer to a call, and whether the process can be used for the next one."""
    late = CallTimeoutError(f"took longer than {timeout:g} s" if timeout else "")
    if not _exists(child, path, timeout):
        if child.poll() is None:
            return late, False
        return IsolationError(f"its process died (exit code {_exit_code(child)})"), False
    try:
        seconds, answer = pickle.loads(path.read_bytes())
    except Exception as error:
        return IsolationError(f"its answer cannot be read ({reason_of(error)})"), False
    # An error that was not contained is a sign of a broken process.
    usable = not isinstance(answer, Exception) or isinstance(answer, OccstatsError)
    return (late if timeout is not None and seconds > timeout else answer), usable


def _exists(child: "subprocess.Popen[bytes]", path: Path, timeout: float | None) -> bool:
    """Wait for a file, until the process has ended or the time and the grace are over."""
    end = None if timeout is None else time.monotonic() + timeout + SECONDS_OF_GRACE
    while not path.exists():
        if child.poll() is not None:
            return path.exists()
        if end is not None and time.monotonic() > end:
            return False
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(SECONDS_BETWEEN_CHECKS)
    return True


def _exit_code(child: "subprocess.Popen[bytes]") -> int:
    """Return the exit code of the command of the guard; negative for a signal."""
    code = child.wait()
    return code - 256 if code > 127 else code


def serve(folder: str) -> None:
    """Answer the calls in a folder; the main function of the child process."""
    memory, warm_up, function, calls = pickle.loads(Path(folder, "work").read_bytes())
    limit_memory(memory)
    warm_up()
    _write(f"{folder}/ready", b"")
    silence()
    warnings.simplefilter("ignore")
    for place, arguments in enumerate(calls):
        started = time.perf_counter()
        answer: Any
        try:
            answer = function(*arguments)
        except Exception as error:
            answer = error
        seconds = time.perf_counter() - started
        try:
            message = pickle.dumps((seconds, answer))
            pickle.loads(message)
        except Exception:  # an exception that cannot be pickled
            message = pickle.dumps((seconds, RuntimeError(reason_of(answer))))
        _write(f"{folder}/{place}", message)


def _write(path: str, content: bytes) -> None:
    with open(f"{path}.tmp", "wb") as file:
        file.write(content)
    os.rename(f"{path}.tmp", path)


def silence() -> None:
    """Discard what this process prints, and ignore Ctrl-C."""
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
    here. Every exception becomes the reason of the outcome, except our own, such as changed code,
    and Ctrl-C in the main process.
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
            # Ctrl-C within compiled code is the cause of a SystemError.
            origin = error.__cause__ if isinstance(error, SystemError) else error
            listening = in_main_thread and handlers[signal.SIGINT] != signal.SIG_IGN
            if listening and isinstance(origin, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            if isinstance(error, OccstatsError):
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
    """Return an exception as one line, for the row of a failed fit."""
    try:
        text = str(error)[: 10 * LONGEST_REASON]
    except BaseException:
        text = "its message cannot be printed"
    text = re.sub(r"\bnp\.[a-z]+\d*_?\(([^()]*)\)", r"\1", " ".join(text.split()))
    return f"{type(error).__name__}: {text}"[:LONGEST_REASON]


def _restore_signals(handlers: dict[Any, Any]) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    for number, handler in handlers.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)
