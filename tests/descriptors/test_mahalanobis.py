"""Mahalanobis distance against its definition, and edge cases."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from occstats_descriptors import MD
from tests.descriptors import references_mahalanobis as reference


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 40), m=st.integers(1, 12))
def test_scores_equal_the_definition(seed, n, m):
    rng = np.random.default_rng(seed)
    training, rows = rng.normal(size=(n, m)), rng.normal(size=(7, m))
    scores = MD().fit(training).score_samples(rows)
    np.testing.assert_allclose(scores, reference.scores(training, rows), rtol=1e-6)
    assert np.all((scores > 0) & (scores <= 1))


@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 2), (4, 7), (6, 5), (30, 4), (12, 11)])
def test_training_scores_are_leave_one_out_scores(n, m):
    rows = np.random.default_rng(n * m).normal(size=(n, m))
    scores = MD().fit(rows)._training_scores()
    np.testing.assert_allclose(scores, reference.leave_one_out(rows), rtol=1e-6)


def test_worked_by_hand():
    # Mean (1, 1), variances 1, no covariance: D is the Euclidean distance to (1, 1).
    descriptor = MD().fit([[0, 0], [2, 0], [0, 2], [2, 2]])
    scores = descriptor.score_samples([[1, 1], [4, 5], [1, 3]])
    np.testing.assert_allclose(scores, [1, 1 / 6, 1 / 3], rtol=1e-14)
    np.testing.assert_allclose(descriptor.covariance_, np.eye(2), atol=1e-15)


def test_directions_without_variation_are_ignored():
    descriptor = MD().fit([[0.0, 5.0], [2.0, 5.0]])
    np.testing.assert_allclose(descriptor.score_samples([[2.0, 99.0]]), [0.5], rtol=1e-12)


@pytest.mark.parametrize(
    "rows",
    [
        np.ones((4, 3)),
        np.repeat([[1.0, 2.0], [3.0, 4.0]], 5, axis=0),
        np.random.default_rng(0).normal(size=(4, 7)),
        np.random.default_rng(1).normal(size=(20, 3)) * [1e-200, 1.0, 1e200],
        np.random.default_rng(2).normal(size=(20, 3)) * 1e300,
    ],
    ids=["constant", "duplicates", "n=4", "scales", "huge"],
)
def test_always_finite(rows):
    descriptor = MD().fit(rows)
    for queries in (
        rows,
        rows + 1,
        np.zeros((1, rows.shape[1])),
        np.full((1, rows.shape[1]), 1e308),
    ):
        scores = descriptor.score_samples(queries)
        assert np.all((scores >= 0) & (scores <= 1))
    assert np.isfinite(descriptor.offset_)


@pytest.mark.parametrize("factor", [1e-150, 2.0**40, 1e150])
def test_the_unit_does_not_matter(factor):
    rows = np.random.default_rng(3).normal(size=(30, 4))
    expected = MD().fit(rows).score_samples(rows[:5] + 1)
    scores = MD().fit(rows * factor).score_samples((rows[:5] + 1) * factor)
    np.testing.assert_allclose(scores, expected, rtol=1e-9)


def test_one_row_is_refused():
    with pytest.raises(ValueError, match="1 sample"):
        MD().fit([[1.0, 2.0]])


def test_threshold_rejects_about_the_share_of_new_rows():
    # Plain training scores would reject 47 % of new rows here.
    rng = np.random.default_rng(4)
    descriptor = MD(contamination=0.1).fit(rng.normal(size=(60, 20)))
    rejected = np.mean(descriptor.predict(rng.normal(size=(2000, 20))) == -1)
    assert 0.04 < rejected < 0.2


@pytest.mark.parametrize(
    ("name", "target"),
    [("wine", "1"), ("iris", "Iris-virginica"), ("sonar", "R"), ("wdbc", "B")],
)
def test_published_values(name, target):
    # Table of AUROC in Lenz et al. (2021), column MD.
    folder = os.environ.get("OCCSTATS_DATA")
    if folder is None:
        pytest.skip("OCCSTATS_DATA names no folder of datasets")
    table = pd.read_csv(Path(__file__).parents[1] / "reference" / "auroc.csv", dtype={"class": str})
    published = table.query("dataset == @name and `class` == @target")["MD"].item()
    data = pd.read_parquet(Path(folder) / f"{name}.parquet")
    is_target = (data["class"] == target).to_numpy()
    values = data.drop(columns="class").to_numpy()
    found = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(values, is_target):
        rows = values[train][is_target[train]]
        spread = np.subtract(*np.percentile(rows, [75, 25], axis=0))
        spread[spread == 0] = 1
        scores = MD().fit(rows / spread).score_samples(values[test] / spread)
        found.append(roc_auc_score(is_target[test], scores))
    assert abs(np.mean(found) - published) < 0.00051


def test_threads_do_not_change_a_bit():
    rows = np.random.default_rng(5).normal(size=(900, 120))
    scores = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            descriptor = MD().fit(rows)
            scores.append(descriptor.score_samples(rows + 0.5))
    np.testing.assert_array_equal(*scores)
