"""Sizes that depend on n, and weights of averages."""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from occstats_descriptors.alp import equal_weights, linear_weights, resolve_weights
from occstats_descriptors.sizes import log_multiple, resolve


def test_log_multiple_prints_as_written():
    assert repr(log_multiple(5.5)) == "log_multiple(5.5)"
    assert repr(log_multiple(6.0)) == "log_multiple(6)"


@given(factor=st.floats(0.01, 50), n=st.integers(2, 10_000))
def test_log_multiple_is_the_nearest_size_in_range(factor, n):
    size = resolve(log_multiple(factor), n)
    exact = factor * math.log(n)
    assert 1 <= size <= n - 1
    assert abs(size - exact) <= 0.5 or size == (1 if exact < 1 else n - 1)


def test_log_multiple_is_a_value():
    size = log_multiple(3.4)
    assert size == log_multiple(3.4)
    assert hash(size) == hash(log_multiple(3.4))
    assert copy.deepcopy(size) == pickle.loads(pickle.dumps(size)) == size
    with pytest.raises(AttributeError):
        size.factor = 2


@pytest.mark.parametrize("factor", [0, -1, math.inf, math.nan])
def test_log_multiple_refuses_invalid_factors(factor):
    with pytest.raises(ValueError, match="must be positive and finite"):
        log_multiple(factor)


def test_wrong_types_are_refused():
    with pytest.raises(TypeError, match="must be a number, got '3'"):
        log_multiple("3")
    with pytest.raises(TypeError, match=r"k must be an integer or a rule .* got k=2.5"):
        resolve(2.5, 10)
    with pytest.raises(TypeError, match=r"k must be an integer or a rule .* got k=True"):
        resolve(True, 10)


def test_explicit_sizes_are_not_clipped():
    assert resolve(9, 10) == 9
    assert resolve(np.int32(4), 10) == 4
    assert resolve(10, 10, maximum=10) == 10
    with pytest.raises(ValueError, match=r"l must be an integer in \[1, 9\] .* got l=10"):
        resolve(10, 10, name="l")
    with pytest.raises(ValueError, match="got k=0"):
        resolve(0, 10)


def test_any_rule_can_be_a_size():
    assert resolve(math.sqrt, 100) == 10
    assert resolve(lambda n: 5 * n, 100) == 99


@given(st.integers(1, 200))
def test_weights_decrease_and_sum_to_one(length):
    for weights in (linear_weights(length), equal_weights(length)):
        assert weights.shape == (length,)
        assert (np.diff(weights) <= 0).all()
        assert weights.sum() == pytest.approx(1, abs=1e-13)
    assert linear_weights(length)[0] == pytest.approx(2 / (length + 1))


def test_weights_can_be_given():
    np.testing.assert_array_equal(resolve_weights("linear", 2), [2 / 3, 1 / 3])
    np.testing.assert_array_equal(resolve_weights((1, 0, 0), 3), [1, 0, 0])
    halves = resolve_weights(lambda p: [1 / 2] * 2 + [0] * (p - 2), 4)
    np.testing.assert_array_equal(halves, [0.5, 0.5, 0, 0])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("quadratic", "weights must be one of linear, equal, .* got 'quadratic'"),
        ([1.0], r"weights must have the length 3, got the shape \(1,\)"),
        ([0.5, 0.5, 0.5], "sum to 1"),
        ([0.2, 0.3, 0.5], "not increase"),
        ([1.5, -0.25, -0.25], r"must be in \[0, 1\]"),
        ([math.nan, 0.5, 0.5], "sum to 1"),
    ],
)
def test_weights_must_be_those_of_the_definition(weights, message):
    with pytest.raises(ValueError, match=message):
        resolve_weights(weights, 3)
