"""Heterogeneity of pairs over datasets, suites and folds, and its sentence."""

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.comparison.heterogeneity import dataset_effects, new_dataset_sentence
from tests.comparison.synthetic import compare


def table(seed=0, **columns):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"dataset": np.repeat(list("abcdefgh"), 3), "task": [*"123"] * 8})
    frame["A"], frame["B"] = rng.normal(0.8, 0.05, (2, 24)).clip(0, 1)
    return frame.assign(**columns)


def test_folds_give_the_error_of_datasets_with_one_task():
    rng = np.random.default_rng(0)
    keys = pd.MultiIndex.from_product([list("hgfedcba"), range(5), ["A", "B"]])
    frame = keys.to_frame(index=False, name=["dataset", "fold", "algorithm"])
    frame["reward"] = rng.normal(0.8, 0.05, len(frame))
    results = occstats.load_results(frame)
    effects = dataset_effects(results, "A", "B").set_index("dataset")
    folds = frame.pivot(index=["dataset", "fold"], columns="algorithm", values="reward")
    spread = (folds["A"] - folds["B"]).groupby("dataset").std()
    # Nadeau and Bengio's correction of the variance of five folds
    errors = spread * np.sqrt(1 / 5 + 1 / 4)
    assert effects["standard_error"].to_numpy() == pytest.approx(errors)
    # A dataset with a single fold has the mean variance of the others.
    results = occstats.load_results(frame.query("dataset != 'c' or fold == 0"))
    effects = dataset_effects(results, "A", "B").set_index("dataset")
    pooled = np.sqrt((errors.drop("c") ** 2).mean())
    assert effects.loc["c", "standard_error"] == pytest.approx(pooled)


def test_algorithms_with_unscored_failures_have_no_prediction():
    frame = table().assign(C=lambda t: t["A"])
    frame.loc[0, "C"] = np.nan
    frame = frame.assign(A=10 * frame["A"])
    comparison = compare(frame, algorithms=["A", "B", "C"], missing="worst", n_resamples=100)
    found = comparison.heterogeneity.set_index(["a", "b"])["prob_better"]
    assert found.isna().tolist() == ["C" in pair for pair in found.index]
    assert new_dataset_sentence(comparison, "A", "C") == ""
