"""Checks of parameters that several descriptors share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["integer", "positive_number", "seed_of"]


def integer(value: Any, name: str, minimum: int = 1) -> int:
    """Check a parameter that counts something."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}.")
    return int(value)


def positive_number(value: Any, name: str, *, or_zero: bool = False) -> float:
    """Check a parameter that measures something."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if not is_number or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not math.isfinite(value) or value < 0 or (value == 0 and not or_zero):
        kind = "not negative" if or_zero else "positive"
        raise ValueError(f"{name} must be {kind} and finite, got {value!r}.")
    return float(value)


def seed_of(random_state: Any) -> int:
    """Turn a `random_state` into a seed: an integer as it is, else one drawn from it."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return integer(random_state, "random_state", 0)
    return int(check_random_state(random_state).randint(2**31 - 1))
