"""Published tables are read rightly or refused, never wrongly."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.published_tables import TABLES, TIMED, TSB, outcome
from occstats.results import load_results

FOLDER = os.environ.get("OCCSTATS_REALWORLD")
pytestmark = pytest.mark.skipif(FOLDER is None, reason="OCCSTATS_REALWORLD names no folder")


@pytest.mark.parametrize(("files", "options", "right"), TABLES, ids=[t[0] for t in TABLES])
def test_tables_are_read_rightly_or_refused(files, options, right):
    found = outcome(Path(FOLDER), files, options)
    assert found == right or (isinstance(right, str) and right in found)


# Scores by task and algorithm, read by pandas alone.
def _cd_diagram(table):
    return table.pivot(index="dataset_name", columns="classifier_name", values="accuracy")


def _dl4tsc(table):
    return table.groupby(["dataset_name", "classifier_name"])["accuracy"].mean().unstack()


def _amlb(table):
    scores = table.groupby(["task", "framework"])["score"]
    return scores.mean().where(scores.count() == 10).unstack()


def _adbench(table):
    keys = table["Unnamed: 0"].str.extract(r"'(.*)', ([\d.]+), (\d+)")
    table = table.drop(columns="Unnamed: 0")[keys[1].astype(float) == 0]
    return table.groupby(keys[0]).mean()


def _qp(table):
    table = table[table["settings"] == "default"]
    runtime = table["runtime"].where(table["found"])
    return table.assign(runtime=runtime).pivot(index="problem", columns="solver", values="runtime")


def _gift(table):
    return table.pivot(index="dataset", columns="model", values="eval_metrics/MASE[0.5]")


PLAIN = {
    "cd_diagram_example.csv": _cd_diagram,
    "srbench_blackbox.csv": lambda t: t.pivot(
        index="dataset", columns="algorithm", values="r2_test"
    ),
    "dl4tsc_results-uea.csv": _dl4tsc,
    "amlb_1h_all_results.csv": _amlb,
    "adbench_AUCROC_multiindex.csv": _adbench,
    "qpbenchmark_results.csv": _qp,
    "mpc_qpbenchmark.csv": _qp,
    "gift_chronos2.csv gift_seasonal_naive.csv gift_toto.csv": _gift,
    "tsbuad_AUC_ROC.csv": lambda t: t.set_index("filename")[TSB],
    "pyod_time_df.csv": lambda t: t.set_index("Data")[TIMED],
    "livebench_2024.csv": lambda t: t.set_index("model").T,
    "clip_benchmark.csv": lambda t: t.pivot(
        index="dataset", columns="model_fullname", values="acc1"
    ),
}


@pytest.mark.parametrize("files", PLAIN)
def test_scores_are_those_that_pandas_reads(files):
    (options,) = [options for name, options, _ in TABLES if name == files]
    paths = [Path(FOLDER) / name for name in files.split()]
    expected = PLAIN[files](pd.concat(map(pd.read_csv, paths)))
    found = load_results(*paths, **options).scores
    found = found.droplevel(1 if found.index.unique(0).size == len(found) else 0)
    assert len(found) == len(expected)
    expected = expected.loc[found.index, found.columns].astype(float)
    np.testing.assert_allclose(found.to_numpy(), expected.to_numpy(), rtol=1e-12)
