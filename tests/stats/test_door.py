"""The door of occstats.stats: every name is there, and nothing heavy comes in unasked."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import occstats.stats


@pytest.mark.parametrize("name", occstats.stats.__all__)
def test_every_name_is_there_and_documented(name):
    thing = getattr(occstats.stats, name)
    assert thing.__doc__
    assert name in dir(occstats.stats)


@pytest.mark.parametrize("name", occstats.stats.__all__)
def test_raw_differences_are_ranked_unless_asked(name):
    thing = getattr(occstats.stats, name)
    parameters = inspect.signature(thing).parameters if inspect.isfunction(thing) else {}
    if "tie_tolerance" in parameters:
        assert parameters["tie_tolerance"].default == 0.0


def test_every_name_lives_where_it_is_said_to():
    stub = ast.parse(Path(occstats.stats.__file__).with_suffix(".pyi").read_text())
    for line in stub.body:
        for name in line.names:
            home = importlib.import_module(f"occstats.stats.{line.module}")
            assert getattr(home, name.name).__module__ == home.__name__, name.name


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="nothing"):
        occstats.stats.nothing  # noqa: B018


def test_heavy_libraries_stay_out():
    code = (
        "import sys, occstats.stats\n"
        "from occstats.stats import pairwise_tests\n"
        "heavy = {'numba', 'sklearn', 'matplotlib', 'statsmodels', 'rpy2'} & set(sys.modules)\n"
        "print(sorted(heavy))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "[]"
