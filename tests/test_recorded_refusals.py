"""Functions have the signatures of ``signatures.txt``, and refuse what ``refusals.txt`` lists.

See `tests.recorded` for the form of these files and how to record them again. Commands on refusals
are expressions in Python; they know the public names of the packages, and those below. Commands on
signatures are the name of a package.
"""

import inspect
import math
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import occstats
import occstats_descriptors
from occstats import figures, stats
from occstats.datasets import from_frame
from occstats.errors import OccstatsError
from occstats.experiment.timing import RowPool, measure_times
from occstats.results import Results
from occstats.stats import Sample
from occstats.stats.clusters import Clusters
from occstats.stats.friedman import friedman
from occstats_descriptors.alp import resolve_weights
from occstats_descriptors.external import make_external
from occstats_descriptors.sizes import log_multiple, resolve
from tests.recorded import cases, check_case, n_lines

ROWS = np.random.default_rng(7).normal(size=(60, 4))
KNOWN = {
    "nan": math.nan, "inf": math.inf, "np": np, "pd": pd, "occstats": occstats, "rows": ROWS,
    "figures": figures, "from_frame": from_frame, "measure_times": measure_times,
    "RowPool": RowPool, "Results": Results, "paper": occstats.load_results("lenz2021"),
    "friedman": friedman, "resolve": resolve, "resolve_weights": resolve_weights,
    "log_multiple": log_multiple, "make_external": make_external,
    "failed": Sample(np.array([[0.5, -np.inf], [0.4, 0.3]]), Clusters.of(["a", "b"])),
    **{name: getattr(stats, name) for name in stats.__all__},
    **{name: getattr(occstats_descriptors, name) for name in occstats_descriptors.__all__},
}  # fmt: skip


@pytest.fixture(scope="module")
def known():
    small = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "LOF"], n_resamples=100)
    return {**KNOWN, "plot": small.plot, "comparison": small}


@pytest.mark.parametrize("case", cases("refusals"))
def test_arguments_are_refused_as_recorded(known, case, tmp_path):
    def run(command):
        with pytest.raises((OccstatsError, ValueError, TypeError, AttributeError)) as caught:
            eval(command, dict(known))
        message = f"{caught.type.__name__}: {caught.value}"
        assert "\n" not in message
        assert n_lines(message) <= 12
        return message

    check_case("refusals", case, run, tmp_path)


@pytest.mark.parametrize("case", cases("signatures"))
def test_signatures_are_as_recorded(case, tmp_path):
    def run(command):
        package = import_module(command)
        names = figures.FIGURES if package is figures else package.__all__
        told = [name + defaults(getattr(package, name)) for name in sorted(names)]
        return "\n".join(line for line in told if "=" in line)

    def defaults(value):
        """Return the parameters that have defaults."""
        if not callable(value) or (inspect.isclass(value) and issubclass(value, BaseException)):
            return ""
        parameters = inspect.signature(value).parameters.values()
        plain = (each.replace(annotation=each.empty, kind=each.KEYWORD_ONLY) for each in parameters)
        return f"({', '.join(str(each) for each in plain if each.default is not each.empty)})"

    check_case("signatures", case, run, tmp_path)
