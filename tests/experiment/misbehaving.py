"""Estimators that misbehave in every way third-party code can."""

import asyncio
import contextlib
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin


class Fine(OutlierMixin, BaseEstimator):
    """Minus the distance to the mean."""

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0)
        return self

    def score_samples(self, X):
        return -np.abs(X - self.mean_).sum(axis=1)


class Misbehaving(Fine):
    """Fail in the given way."""

    def __init__(self, *, way="raise"):
        self.way = way

    def fit(self, X, y=None):
        if self.way == "raise":
            raise ZeroDivisionError("no luck\nthis time")
        if self.way == "exit":
            sys.exit(0)
        if self.way == "interrupt":
            raise KeyboardInterrupt
        if self.way == "cancel":
            raise asyncio.CancelledError
        # In the one fold whose training part lacks the first row of `one_target`.
        if self.way == "kill" and X.min() > 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X)

    def score_samples(self, X):
        if self.way == "not finite":
            return np.full(len(X), np.nan)
        if self.way == "wrong shape":
            return np.zeros((len(X), 2))
        return super().score_samples(X)


class Exiting(Misbehaving):
    def __init__(self, *, way="exit"):
        super().__init__(way=way)


class Checking(Fine):
    """Fail unless seeded and limited to one thread; scores depend on the seed."""

    def __init__(self, *, random_state=None, n_jobs=None, share=0.5):
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.share = share

    def fit(self, X, y=None):
        if self.random_state is None or self.n_jobs != 1:
            raise ValueError(f"random_state={self.random_state}, n_jobs={self.n_jobs}")
        return super().fit(X)

    def score_samples(self, X):
        return np.random.default_rng(self.random_state).random(len(X))


class Waiting(Fine):
    """Announce the process, then wait until the gate opens."""

    def fit(self, X, y=None):
        folder = Path(os.environ["OCCSTATS_TEST_GATE"])
        (folder / f"arrived-{os.getpid()}").touch()
        while not (folder / "open").exists():
            time.sleep(0.02)
        return super().fit(X)


class Holding(Fine):
    """Announce the process, then never release the interpreter."""

    def fit(self, X, y=None):
        hold_the_interpreter(Path(os.environ["OCCSTATS_TEST_GATE"], f"arrived-{os.getpid()}"))


class Untidy(Fine):
    """Change all the state of a process without restoring it."""

    def fit(self, X, y=None):
        os.fork()  # a copy of the worker that continues
        os.chdir("/")
        os.environ["OMP_NUM_THREADS"] = "7"
        os.environ["OCCSTATS_UNTIDY"] = "1"
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(1)
        np.random.seed(len(X))  # noqa: NPY002
        warnings.simplefilter("error")
        np.seterr(all="raise")
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        print("x" * 2_000_000)
        os.write(1, b"y" * 1_000_000)
        return super().fit(X)


class Watching(Fine):
    """Fail if an earlier fit left traces in the process; score by the global random state."""

    def fit(self, X, y=None):
        found = [
            os.getcwd() == "/",
            "OCCSTATS_UNTIDY" in os.environ,
            signal.getsignal(signal.SIGTERM) == signal.SIG_IGN,
            any(kind == "error" for kind, *_ in warnings.filters),
            np.geterr()["under"] == "raise",
        ]
        if any(found):
            raise RuntimeError(f"traces of another fit: {found}")
        self.draw_ = np.random.random()  # noqa: NPY002
        return super().fit(X)

    def score_samples(self, X):
        return np.sin(1e3 * (X.sum(axis=1) + self.draw_))


class Mutating(Fine):
    """Centre the rows in place, as careless code does; the parameter changes nothing."""

    def __init__(self, *, unused=1):
        self.unused = unused

    def fit(self, X, y=None):
        X /= 3.0
        return super().fit(X)

    def score_samples(self, X):
        X *= 2.0
        return super().score_samples(X)


class Patching(Fine):
    """Change NumPy and the rounding mode for all who come after."""

    def fit(self, X, y=None):
        np.abs = np.zeros_like
        if sys.platform == "linux":
            ctypes.CDLL("libm.so.6").fesetround(0x800)  # upwards
        return super().fit(X)


class Scoring(Fine):
    """Give scores that are no real numbers, one for each row."""

    def __init__(self, *, way="complex"):
        self.way = way

    def score_samples(self, X):
        scores = super().score_samples(X)
        if self.way == "masked":
            return np.ma.masked_array(scores, mask=np.arange(len(X)) == 0)
        return scores * 1j if self.way == "complex" else scores.astype(str)


# --- calls in a child process


def call(name, *arguments):
    """Call a function of this module."""
    return int(*arguments) if name == "int" else globals()[name](*arguments)


def kill(number):
    signal.raise_signal(number)


def fork_and_crash(file):
    """Leave a process that holds all connections of this one."""
    spawn(file)
    child = os.fork()
    if not child:
        time.sleep(3600)
    signal.raise_signal(signal.SIGSEGV)


def spawn(file):
    """Start a process that outlives the call, and write its number."""
    Path(file).write_text(str(subprocess.Popen(["sleep", "3600"]).pid))


def write_to_all_files():
    for descriptor in range(3, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\x00\x00\x00\x05hello")


def close_all_files():
    os.closerange(0, 256)


def lower_limits():
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    raise Unprintable


def clear_modules():
    sys.path.clear()
    sys.modules.clear()
    raise Unprintable


def take_two_gigabytes():
    assert bytearray(2_000_000_000)


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no")

    def __reduce__(self):
        raise TypeError


def raise_unprintable():
    raise Unprintable


def raise_at_length():
    raise ValueError("x" * 50_000_000)


def warn_often(n):
    for number in range(n):
        warnings.warn(f"warning {number}", stacklevel=1)
    return "done"


def hold_the_interpreter(file):
    """Never return to Python, where another thread could end the process."""
    Path(file).write_text(str(os.getpid()))
    re.match(r"(a+)+$", "a" * 60 + "b")
