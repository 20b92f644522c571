"""Frames of other libraries, which hand out an Arrow stream."""

import duckdb
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

from occstats import compare
from occstats.results import load_results


@pytest.fixture
def wide():
    rng = np.random.default_rng(0)
    scores = {name: rng.uniform(size=8) for name in ("SVM", "RF", "XGB")}
    return pd.DataFrame({"dataset": [f"d{i}" for i in range(8)]} | scores)


@pytest.mark.parametrize("take", [lambda t: t, polars.from_arrow, duckdb.from_arrow])
def test_a_frame_of_another_library_is_read_as_that_of_pandas(wide, take):
    frame = take(pa.Table.from_pandas(wide))
    assert load_results(frame).scores.equals(load_results(wide).scores)


def test_a_polars_frame_is_compared():
    frame = polars.from_pandas(load_results("lenz2021").scores.reset_index())
    theirs, ours = compare(frame), compare("lenz2021")
    pd.testing.assert_series_equal(theirs.pairwise["p"], ours.pairwise["p"])


def test_categories_and_decimals_of_polars(wide):
    frame = polars.from_pandas(wide)
    typed = frame.with_columns(
        polars.col("dataset").cast(polars.Enum(frame["dataset"])),
        polars.col(polars.Float64).cast(polars.Decimal(20, 10)),
    )
    scores = load_results(typed).scores
    pd.testing.assert_frame_equal(scores, load_results(wide).scores.round(10), rtol=1e-15)


def test_a_frame_that_is_not_computed_yet(wide, refused):
    refused(polars.from_pandas(wide).lazy(), says=("'LazyFrame'", ".collect()"))
