"""Mahalanobis distance against its definition, and edge cases."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats_descriptors import MD


def defined_scores(training, rows):
    mean = training.mean(axis=0)
    centred = training - mean
    covariance = sum(np.outer(d, d) for d in centred) / len(training)
    inverse = np.linalg.pinv(covariance, hermitian=True)
    return np.array([1 / (1 + np.sqrt(max((y - mean) @ inverse @ (y - mean), 0))) for y in rows])


def leave_one_out(training):
    return np.array(
        [
            defined_scores(np.delete(training, i, axis=0), training[i : i + 1])[0]
            for i in range(len(training))
        ]
    )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 40), m=st.integers(1, 12))
def test_scores_equal_the_definition(seed, n, m):
    rng = np.random.default_rng(seed)
    training, rows = rng.normal(size=(n, m)), rng.normal(size=(7, m))
    scores = MD().fit(training).score_samples(rows)
    np.testing.assert_allclose(scores, defined_scores(training, rows), rtol=1e-6)
    assert np.all((scores > 0) & (scores <= 1))


@pytest.mark.parametrize(("n", "m"), [(2, 1), (3, 2), (4, 7), (6, 5), (30, 4), (12, 11)])
def test_training_scores_are_leave_one_out_scores(n, m):
    rows = np.random.default_rng(n * m).normal(size=(n, m))
    scores = MD().fit(rows)._training_scores()
    np.testing.assert_allclose(scores, leave_one_out(rows), rtol=1e-6)


@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_the_unit_does_not_matter(factor):
    rows = np.random.default_rng(3).normal(size=(30, 4))
    expected = MD().fit(rows).score_samples(rows[:5] + 1)
    scores = MD().fit(rows * factor).score_samples((rows[:5] + 1) * factor)
    np.testing.assert_allclose(scores, expected, rtol=1e-9)


@pytest.mark.parametrize("dependent", [False, True])
def test_an_attribute_of_a_much_smaller_scale_counts(dependent):
    rng = np.random.default_rng(6)
    rows, queries = rng.normal(size=(40, 3)), rng.normal(size=(9, 3))
    if dependent:
        rows[:, 2], queries[:, 2] = rows[:, 0], queries[:, 0]
    kept = slice(None, 2) if dependent else slice(None)
    expected = MD().fit(rows[:, kept])
    scales = np.array([1.0, 1e-9, 1.0])
    descriptor = MD().fit(rows * scales)
    found = descriptor.score_samples(queries * scales)
    np.testing.assert_allclose(found, expected.score_samples(queries[:, kept]), rtol=1e-6)
    assert descriptor.offset_ == pytest.approx(expected.offset_, rel=1e-6)
    deviations = queries * scales - descriptor.location_
    squared = np.einsum("ij,jk,ik->i", deviations, descriptor.precision_, deviations)
    np.testing.assert_allclose(1 / (1 + np.sqrt(squared)), found, rtol=1e-6)


def test_an_attribute_that_varies_by_rounding_does_not_count():
    rows = np.random.default_rng(7).normal(size=(30, 2)) * [1, 1e-9]
    rows = np.column_stack([rows, np.full(30, 0.1), 5 + 1e-15 * (np.arange(30) % 2)])
    found = MD().fit(rows).score_samples(rows + np.array([0, 0, 1, 1]))
    np.testing.assert_allclose(found, MD().fit(rows[:, :2]).score_samples(rows[:, :2]), rtol=1e-6)
