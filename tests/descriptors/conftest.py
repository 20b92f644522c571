"""Data for the tests of descriptors."""

import numpy as np
import pytest


@pytest.fixture
def cloud():
    """Return a target class of 60 rows without ties, and 25 rows to score."""
    rng = np.random.default_rng(7)
    return rng.normal(size=(60, 4)), 1.5 * rng.normal(size=(25, 4))


@pytest.fixture
def lattice():
    """Return integer rows with many duplicates and tied distances."""
    rng = np.random.default_rng(8)
    return rng.integers(0, 3, size=(80, 3)).astype(float), rng.integers(-1, 4, size=(40, 3)) * 1.0
