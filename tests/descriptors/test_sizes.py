"""Sizes that depend on n, and weights of averages."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from occstats_descriptors.alp import equal_weights, linear_weights
from occstats_descriptors.sizes import log_multiple, resolve


@given(factor=st.floats(0.01, 50), n=st.integers(2, 10_000))
def test_log_multiple_is_the_nearest_size_in_range(factor, n):
    size = resolve(log_multiple(factor), n)
    exact = factor * math.log(n)
    assert 1 <= size <= n - 1
    assert abs(size - exact) <= 0.5 or size == (1 if exact < 1 else n - 1)


def test_log_multiple_is_a_value():
    size = log_multiple(3.4)
    assert repr(size) == "log_multiple(3.4)"
    assert hash(size) == hash(log_multiple(3.4))
    assert pickle.loads(pickle.dumps(size)) == size
    with pytest.raises(AttributeError):
        size.factor = 2


def test_explicit_sizes_are_not_clipped():
    assert resolve(9, 10) == 9
    assert resolve(np.int32(4), 10) == 4
    assert resolve(10, 10, maximum=10) == 10


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
