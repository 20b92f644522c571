"""Sums of every two values, found without listing them all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from occstats.stats import walsh
from occstats.stats.hodges_lehmann import hodges_lehmann_shift
from occstats.stats.walsh import WalshSums


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-60, 60), min_size=1, max_size=25), st.integers(-100, 100))
def test_count_and_median_by_the_definition(values, limit):
    x = np.sort(np.array(values, dtype=float))
    sums = np.add.outer(x, x)[np.triu_indices(len(x))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walsh, "LISTED", 4)
        patch.setattr(walsh, "MOST_LISTED", 10)
        found = WalshSums(x)
        assert found.count(float(limit)) == np.sum(sums <= limit)
        assert found.median() == np.median(sums)
        # Seen from above it is the same.
        assert found.turned().median() == -np.median(sums)


@pytest.mark.parametrize("decimals", [1, 6])
@pytest.mark.parametrize("listed", [10, 200])
def test_shifts_do_not_depend_on_what_is_listed(decimals, listed, monkeypatch):
    rng = np.random.default_rng(decimals)
    clusters = rng.integers(20, size=150)
    x = (rng.normal(size=150) + rng.normal(size=20)[clusters] / 2 + 0.3).round(decimals)
    options = {"tie_tolerance": 1e-9, "n_resamples": 400, "random_state": 0}
    whole = hodges_lehmann_shift(x, clusters, **options)
    monkeypatch.setattr(walsh, "LISTED", listed)
    monkeypatch.setattr(walsh, "MOST_LISTED", listed)
    assert hodges_lehmann_shift(x, clusters, **options) == whole
