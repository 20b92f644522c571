"""Functions refuse arguments with the messages of ``refusals.txt``.

See `tests.recorded` for the form of that file and how to record it again. Its commands are
expressions in Python; they know the public names of the packages, and those below.
"""

import math

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
from tests.recorded import cases, check_case

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
        assert "\n" not in str(caught.value)
        return f"{caught.type.__name__}: {caught.value}"

    check_case("refusals", case, run, tmp_path)
