"""Comparisons that several tests share."""

import functools

import pytest

import occstats


@functools.cache
def _compare(items):
    return occstats.compare("lenz2021", **dict(items))


@pytest.fixture(scope="session")
def lenz():
    """Return ``compare("lenz2021", …)`` with few resamples, computed once for each setting."""

    def compare(**settings):
        settings = {"n_resamples": 200, **settings}
        return _compare(tuple(sorted(settings.items())))

    return compare
