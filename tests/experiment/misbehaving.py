"""Descriptors that fail in every way a stranger's code can, for the tests of the runner."""

import os
import signal
import time

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
