"""Estimators that misbehave in every way third-party code can."""

import asyncio
import os
import signal
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
    """Announce the process and its parent, then wait until the gate opens."""

    def fit(self, X, y=None):
        folder = Path(os.environ["OCCSTATS_TEST_GATE"])
        (folder / f"arrived-{os.getpid()}-{os.getppid()}").touch()
        while not (folder / "open").exists():
            time.sleep(0.02)
        return super().fit(X)


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


def call(function, *arguments):
    """Call a function, in a child process."""
    return function(*arguments)


def raise_unpicklable():
    class Unpicklable(Exception):
        def __reduce__(self):
            raise TypeError

    raise Unpicklable("no")
