"""Estimators that misbehave in every way third-party code can."""

import asyncio
import ctypes
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
        scores = super().score_samples(X)
        if self.way == "masked":
            return np.ma.masked_array(scores, mask=np.arange(len(X)) == 0)
        if self.way == "text":
            return scores.astype(str)
        return scores * 1j if self.way == "complex" else scores


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
        from breaking import hold_the_interpreter

        hold_the_interpreter(Path(os.environ["OCCSTATS_TEST_GATE"], f"arrived-{os.getpid()}"))


class Untidy(Fine):
    """Change all the state of a process, and NumPy, without restoring them."""

    def fit(self, X, y=None):
        os.fork()  # a copy of the worker that continues
        os.chdir("/")
        os.environ["OCCSTATS_UNTIDY"] = "1"
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.alarm(1)
        np.random.seed(len(X))  # noqa: NPY002
        warnings.simplefilter("error")
        np.seterr(all="raise")
        np.abs = np.zeros_like
        if sys.platform == "linux":
            ctypes.CDLL("libm.so.6").fesetround(0x800)  # upwards
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
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
