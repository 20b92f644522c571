"""Small results tables with known effects."""

import numpy as np
import pandas as pd

import occstats


def table(sizes, effects=(0.0, 0.0, 0.0), *, spread=0.05, score="reward", folds=None, seed=0):
    """Return long results of algorithms A0, A1, … on datasets of the given numbers of tasks."""
    rng = np.random.default_rng(seed)
    rows = []
    for dataset, size in enumerate(sizes):
        for task in range(size):
            for fold in range(folds or 1):
                scores = 0.5 + np.asarray(effects) + spread * rng.normal(size=len(effects))
                rows += [
                    (f"d{dataset}", f"c{task}", f"A{a}", fold, value)
                    for a, value in enumerate(scores)
                ]
    frame = pd.DataFrame(rows, columns=["dataset", "class", "algorithm", "fold", score])
    return frame if folds else frame.drop(columns="fold")


def compare(frame, **settings):
    """Compare with few resamples; higher scores are better unless told otherwise."""
    usual = {"n_resamples": 200, "lower_is_better": False}
    return occstats.compare(frame, **{**usual, **settings})
