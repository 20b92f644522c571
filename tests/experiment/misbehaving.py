"""Descriptors that fail in every way a stranger's code can, for the tests of the runner."""

import asyncio
import os
import signal
import sys
import threading
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin


class Fine(OutlierMixin, BaseEstimator):
    """Minus the distance to the mean: a detector with nothing special."""

    def fit(self, X, y=None):
        self.mean_ = X.mean(axis=0)
        return self

    def score_samples(self, X):
        return -np.abs(X - self.mean_).sum(axis=1)


class Raising(Fine):
    def fit(self, X, y=None):
        raise ZeroDivisionError("no luck\nthis time")


class NotFinite(Fine):
    def score_samples(self, X):
        return np.full(len(X), np.nan)


class Hanging(Fine):
    def fit(self, X, y=None):
        time.sleep(3600)


class Killing(Fine):
    """Kills its own process, as the system does to one that takes all memory."""

    def fit(self, X, y=None):
        os.kill(os.getpid(), signal.SIGKILL)


class Slow(Fine):
    """Takes long enough for a test to interrupt the run in the middle."""

    def fit(self, X, y=None):
        time.sleep(0.15)
        return super().fit(X)


class Checking(Fine):
    """Fails unless it is seeded and told to use one thread; its scores depend on the seed."""

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


class Exiting(Fine):
    """Leaves by a door that is no exception of the usual kind."""

    def __init__(self, *, way="sys.exit"):
        self.way = way

    def fit(self, X, y=None):
        if self.way == "os._exit":
            os._exit(0)
        if self.way == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        if self.way == "sys.exit":
            sys.exit(0)
        raise {"KeyboardInterrupt": KeyboardInterrupt, "CancelledError": asyncio.CancelledError}[
            self.way
        ]


class Leaving(Exiting):
    """Ends its process without a word."""

    def __init__(self, *, way="os._exit"):
        super().__init__(way=way)


class Crashing(Exiting):
    def __init__(self, *, way="segfault"):
        super().__init__(way=way)


class Interrupting(Exiting):
    def __init__(self, *, way="KeyboardInterrupt"):
        super().__init__(way=way)


class Cancelling(Exiting):
    def __init__(self, *, way="CancelledError"):
        super().__init__(way=way)


class Untidy(Fine):
    """Changes all that a process has and does not put it back."""

    def fit(self, X, y=None):
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
        if os.fork() == 0:
            return super().fit(X)  # a copy of the worker that goes on
        return super().fit(X)


class Watching(Fine):
    """Scores by what it finds of its process: a neighbour of Untidy must see nothing of it."""

    def fit(self, X, y=None):
        self.found_ = [
            os.getcwd() == "/",
            "OCCSTATS_UNTIDY" in os.environ,
            signal.getsignal(signal.SIGTERM) == signal.SIG_IGN,
            any(kind == "error" for kind, *_ in warnings.filters),
            np.geterr()["under"] == "raise",
        ]
        if any(self.found_):
            raise RuntimeError(f"the neighbour is seen: {self.found_}")
        self.draw_ = np.random.random()  # noqa: NPY002 - what a stranger does
        return super().fit(X)

    def score_samples(self, X):
        return np.sin(1e3 * (X.sum(axis=1) + self.draw_))


class WrongShape(Fine):
    def score_samples(self, X):
        return np.zeros((len(X), 2))


class Hungry(Fine):
    """Takes memory bit by bit, and uses it, until there is none."""

    def fit(self, X, y=None):
        self.taken_ = []
        for _ in range(64):
            self.taken_.append(np.ones(8_000_000))
        return super().fit(X)


class SlowChecking(Checking):
    def fit(self, X, y=None):
        time.sleep(0.15)
        return super().fit(X)
