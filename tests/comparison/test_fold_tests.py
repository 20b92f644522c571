"""Tests task by task from repeated cross-validation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from occstats import compare


def test_repeats_of_folds_are_observations_with_the_correlation_of_a_fold():
    # Nadeau and Bengio: s² (1/n + ρ/(1 − ρ)) with n = repeats × folds and ρ = 1/folds.
    rng = np.random.default_rng(0)
    rows = [
        (dataset, algorithm, fold, repeat, shift + rng.normal(scale=0.05))
        for dataset in "uvw"
        for algorithm, shift in (("A", 0.72), ("B", 0.7))
        for fold in range(5)
        for repeat in range(4)
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "algorithm", "fold", "repeat", "auroc"])
    found = compare(frame, n_resamples=100).fold_tests
    wide = frame.pivot(index=["dataset", "fold", "repeat"], columns="algorithm", values="auroc")
    first, second = found.loc[0, ["a", "b"]]
    for row in found.itertuples():
        x = (wide[first] - wide[second])[row.dataset]
        scale = x.std() * np.sqrt(1 / 20 + (1 / 5) / (4 / 5))
        expected = stats.t.sf(0.01, df=19, loc=x.mean(), scale=scale)
        assert row.better == pytest.approx(expected)
    # Seeds of its own make nothing comparable but the folds.
    own = frame.assign(repeat=frame["repeat"].astype(str) + frame["algorithm"])
    assert compare(own, n_resamples=100).fold_tests["better"].notna().all()
