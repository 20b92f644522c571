"""Call functions in child processes, and contain what a fit does to its process.

Timeouts are enforced, crashes are recorded as failed rows, and process state is restored between
fits.
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
from importlib import import_module
from itertools import count
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
# Imported before the first call, so that no fit waits for it.
MODULES = ("occstats_descriptors.registry", "threadpoolctl", "sklearn.model_selection")
# Gigabytes that a process needs to import everything and read a small dataset.
LEAST_GIGABYTES = 0.5
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


class Worker:
    """A child process that answers calls, started by the first of them.

    A process that a call kills, breaks or keeps too long is replaced for the next call. It has no
    connection that a call could close, keep open or write to: calls and answers are files.
    Processes that a call started end with the child, and all of them with this process.

    `memory` is its limit in bytes; `modules` are imported before the first call.

    Examples
    --------
    >>> import math
    >>> with Worker() as worker:
    ...     list(worker.answers(math.sqrt, [(4.0,), (-1.0,)]))
    [2.0, ValueError('math domain error')]
    """

    def __init__(self, *, memory: float | None = None, modules: Sequence[str] = MODULES) -> None:
        self.memory, self.modules = memory, modules
        # Set by another thread to end the calls of this one.
        self.stopped = False
        self._child: subprocess.Popen[bytes] | None = None
        self._resources = contextlib.ExitStack()

    def __enter__(self) -> "Worker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the next call starts another."""
        self._child = None
        self._resources.close()

    def answers(
        self,
        function: Callable[..., Any],
        calls: Sequence[tuple[Any, ...]],
        *,
        timeout: float | None = None,
    ) -> Iterator[Any]:
        """Yield what each call returns or raises; `timeout` is in seconds per call."""
        import cloudpickle  # parameters may be functions of a script

        remaining = [cloudpickle.dumps((function, arguments)) for arguments in calls]
        while remaining:
            child = self._child or self._start()
            batch = next(self._batches)
            _write(self._folder / f"calls-{batch}", pickle.dumps(remaining))
            for place in range(len(remaining)):
                answer, usable = self._answer(child, self._folder / f"{batch}-{place}", timeout)
                remaining = remaining[1:]
                if not usable:
                    self.close()
                yield answer
                if not usable:
                    break

    def _start(self) -> "subprocess.Popen[bytes]":
        """Start a process, and wait until it is ready."""
        temporary = tempfile.TemporaryDirectory(prefix="occstats-", ignore_cleanup_errors=True)
        self._folder, self._batches = Path(self._resources.enter_context(temporary)), count()
        _write(self._folder / "settings", pickle.dumps((self.memory, self.modules)))
        paths = [entry or os.getcwd() for entry in sys.path if isinstance(entry, str)]
        guard = [sys.executable, "-IS", str(Path(__file__).with_name("guard.py"))]
        try:
            with open(self._folder / "output", "wb") as output:
                child = subprocess.Popen(
                    [*guard, sys.executable, "-c", _SERVE, str(self._folder), *paths],
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=os.environ | ENVIRONMENT,
                    start_new_session=True,
                )
        except OSError as error:
            raise EngineError(f"worker processes cannot be started: {error}") from error
        self._resources.callback(_end, child)
        if not self._exists(child, self._folder / "ready", None):
            if (gigabytes := (self.memory or np.inf) / 1e9) < LEAST_GIGABYTES:
                raise EngineError(
                    f"{gigabytes:g} GB of memory are not enough for a worker; try "
                    f"memory={LEAST_GIGABYTES}"
                )
            said = (self._folder / "output").read_text(errors="replace").strip().splitlines()
            raise EngineError(
                "a worker process does not start: "
                f"{said[-1][:LONGEST_REASON] if said else f'exit code {_exit_code(child)}'}"
            )
        self._child = child
        return child

    def _answer(
        self, child: "subprocess.Popen[bytes]", path: Path, timeout: float | None
    ) -> tuple[Any, bool]:
        """Return the answer to a call, and True if the process can be used for the next one."""
        late = CallTimeoutError(f"took longer than {timeout:g} s" if timeout else "")
        if not self._exists(child, path, timeout):
            if child.poll() is None:
                return late, False
            return IsolationError(f"its process died (exit code {_exit_code(child)})"), False
        try:
            seconds, answer = pickle.loads(path.read_bytes())
            path.unlink()
        except Exception as error:
            return IsolationError(f"its answer cannot be read ({reason_of(error)})"), False
        # An error that was not contained is a sign of a broken process.
        usable = not isinstance(answer, Exception) or isinstance(answer, OccstatsError)
        return (late if timeout is not None and seconds > timeout else answer), usable

    def _exists(self, child: "subprocess.Popen[bytes]", path: Path, timeout: float | None) -> bool:
        """Wait for a file, until the process has ended or the time and the grace are over."""
        end = None if timeout is None else time.monotonic() + timeout + SECONDS_OF_GRACE
        while not path.exists():
            if self.stopped:
                raise EngineError("stopped")
            if child.poll() is not None:
                return path.exists()
            if end is not None and time.monotonic() > end:
                return False
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(SECONDS_BETWEEN_CHECKS)
        return True


def _end(child: "subprocess.Popen[bytes]") -> None:
    # Its group too: children of fits, and a child whose guard was killed.
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()
    assert child.stdin is not None
    child.stdin.close()


def _exit_code(child: "subprocess.Popen[bytes]") -> int:
    """Return the exit code of the command of the guard; negative for a signal."""
    code = child.wait()
    return code - 256 if code > 127 else code


def serve(folder: str) -> None:
    """Answer the calls in a folder; the main function of the child process."""
    memory, modules = pickle.loads(Path(folder, "settings").read_bytes())
    if memory is not None:
        with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
            import resource

            _, hard = resource.getrlimit(resource.RLIMIT_DATA)
            resource.setrlimit(resource.RLIMIT_DATA, (int(memory), hard))
    for module in modules:
        import_module(module)
    _write(Path(folder, "ready"), b"")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # discard what calls print
        os.dup2(null, stream)
    os.close(null)
    warnings.simplefilter("ignore")
    for batch in count():
        while not os.path.exists(f"{folder}/calls-{batch}"):
            time.sleep(SECONDS_BETWEEN_CHECKS / 10)
        for place, call in enumerate(pickle.loads(Path(folder, f"calls-{batch}").read_bytes())):
            started = time.perf_counter()
            answer: Any
            try:
                function, arguments = pickle.loads(call)
                started = time.perf_counter()
                answer = function(*arguments)
            except Exception as error:
                answer = error
            seconds = time.perf_counter() - started
            try:
                message = pickle.dumps((seconds, answer))
                pickle.loads(message)
            except Exception:  # an exception that cannot be pickled
                message = pickle.dumps((seconds, RuntimeError(reason_of(answer))))
            _write(Path(folder, f"{batch}-{place}"), message)


def _write(path: Path, content: bytes) -> None:
    with open(f"{path}.tmp", "wb") as file:
        file.write(content)
    os.rename(f"{path}.tmp", path)


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
