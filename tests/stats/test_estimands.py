"""Conclusions under three weightings: against the registered tests, brute force and each other."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.stats import pairwise_tests, weighted_tests


def example(seed=0, m=7, k=3):
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(m), rng.integers(m, size=20))
    return rng.normal(size=(len(codes), k)) + rng.normal(size=(m, k))[codes], codes


def test_precision_weights_give_the_statistic_of_rosner_glynn_and_lee():
    scores, codes = example()
    expected = pairwise_tests(scores, codes, test="rgl").z
    np.testing.assert_allclose(
        weighted_tests(scores, codes)["precision"].z, np.nan_to_num(expected)
    )


def test_corrected_p_values_are_those_of_brute_force():
    scores, codes = example(3)
    found = weighted_tests(scores, codes)
    pairs = [(0, 1), (0, 2), (1, 2)]
    for name, weight in (("task", lambda g: g), ("dataset", np.ones_like)):
        terms = []
        for a, b in pairs:
            x = scores[:, a] - scores[:, b]
            ranks = np.sign(x) * (np.argsort(np.argsort(np.abs(x))) + 1.0)
            sizes = np.bincount(codes).astype(float)
            terms.append(weight(sizes) * np.bincount(codes, ranks) / sizes)
        terms = np.array(terms).T
        scale = np.sqrt((terms**2).sum(axis=0))
        observed = np.abs(terms.sum(axis=0) / scale)
        flips = np.array([np.abs(np.array(s) @ terms / scale) for s in product([-1, 1], repeat=7)])
        order = np.argsort(-observed)
        p, so_far = {}, 0.0
        for place, pair in enumerate(order):
            largest = flips[:, order[place:]].max(axis=1)
            so_far = max(so_far, np.mean(largest >= observed[pair] - 1e-9))
            p[pair] = so_far
        for place, (a, b) in enumerate(pairs):
            assert found[name].p[a, b] == pytest.approx(p[place])


def test_differences_are_means_with_these_weights():
    scores, codes = example(5, k=2)
    x = scores[:, 0] - scores[:, 1]
    found = weighted_tests(scores, codes)
    assert found["task"].difference[0, 1] == pytest.approx(x.mean())
    means = np.bincount(codes, x) / np.bincount(codes)
    assert found["dataset"].difference[0, 1] == pytest.approx(means.mean())
    assert found["dataset"].difference[1, 0] == pytest.approx(-means.mean())


def test_where_the_weights_decide_a_note_says_so():
    # One large data set in which B is better; all others say A.
    rng = np.random.default_rng(0)
    rows = []
    for dataset in range(12):
        tasks, shift = (60, -0.05) if dataset == 0 else (3, 0.1)
        for task in range(tasks):
            base = rng.uniform(0.4, 0.6)
            rows.append((f"d{dataset}", f"t{task}", base + shift + rng.normal(scale=0.01), base))
    frame = pd.DataFrame(rows, columns=["dataset", "class", "A", "B"])
    found = occstats.compare(frame, n_resamples=500)
    row = found.estimands.iloc[0]
    assert {row["a"], row["b"]} == {"A", "B"}
    assert row["conclusion_dataset"] == ("better" if row["a"] == "A" else "worse")
    assert row["conclusion_task"] == "undecided"
    assert any(note.startswith("1 of 1 conclusion depends on what counts") for note in found.notes)
    for column in found.estimands.columns[2:]:
        assert found.explain(column), column
    single = frame.groupby("dataset").head(1)
    assert occstats.compare(single, n_resamples=200).estimands is None


def test_more_data_sets_than_a_power_of_two_has_room_for():
    scores = np.random.default_rng(0).normal(size=(2200, 2))
    found = weighted_tests(scores, np.arange(2200) % 1100, n_resamples=50, random_state=0)
    assert np.isfinite(found["task"].p[0, 1])
