"""The verdict: the leader, its relations to others, and reservations."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from occstats.comparison.text.verdict import (
    make_verdict,
    short_names,
    tally_sentence,
)
from tests.comparison.synthetic import compare, table

CASES = Path(__file__).parents[1] / "cases"


def test_a_worse_leader_need_not_be_reversed(lenz):
    comparison = lenz()
    conclusions = comparison.decision.conclusions.copy()
    conclusions[0, 1], conclusions[1, 0] = "worse", "better"
    decision = replace(comparison.decision, conclusions=conclusions)
    changed = make_verdict(replace(comparison, decision=decision))
    assert changed.sentences[0] == (
        "SVM is typically better than ALP, although ALP has the best mean rank."
    )
    assert ("typically worse than", ["SVM"]) in changed.relations


def test_other_pairs_of_opposite_signs_are_said_first_too():
    frame = pd.read_csv(CASES / "gate2.csv")
    frame["NEW"] = frame["BASE"] + 0.1 + 0.001 * np.sin(np.arange(len(frame)))
    first, second = make_verdict(compare(frame, algorithms=["BASE", "CAND", "NEW"])).sentences
    assert first.startswith("CAND is typically better than BASE, but BASE has the higher mean")
    assert second.startswith("NEW has the best mean rank")


def test_common_prefixes_are_found_between_words():
    names = [f"random_forest_v{i}" for i in range(12)]
    assert short_names(names) == ({name: name[14:] for name in names}, "random_forest_")
    digits = [f"gradient-boosting-{i}" for i in range(3)]
    assert short_names(digits)[1] == "gradient-"
    assert short_names(["boosted_forest", "boosted_forest_2", "boosted_forest_3"])[1] == "boosted_"
    assert short_names(["ALP", "ALP2", "ALP3"]) == ({}, "")


@pytest.mark.parametrize(
    ("scale", "offset", "shown"), [(1e4, 0, ".0f"), (1e-10, 0, ".2e"), (1e-5, 0.8, ".5f")]
)
def test_scores_of_any_size_can_be_read(scale, offset, shown):
    frame = table([2] * 12, (-0.1, 0.0, 0.0), score="rmse")
    frame["rmse"] = offset + scale * frame["rmse"]
    found = compare(frame, score="rmse", lower_is_better=True)
    best = found.summary["mean_score"].iloc[0]
    assert f"mean RMSE {best:{shown}})".replace("-", "−") in found.verdict
    assert "e+" not in found.verdict
    limits = re.findall(r"\[(\S+), (\S+)\]", found.to_latex())
    assert limits
    assert all(low != high for low, high in limits)


@pytest.mark.parametrize(("gap", "shown"), [(0.0002, "0.7500 0.7502"), (1e-8, "0.750")])
def test_different_means_are_never_printed_alike(gap, shown):
    kernel = np.linspace(0.6, 0.9, 31)
    boost = kernel - np.where(np.arange(31) < 16, 0.004, -0.004 * 16 / 15) + gap
    frame = pd.DataFrame({"kernel": kernel, "boost": boost, "forest": kernel - 0.05})
    found = compare(frame.assign(dataset=np.arange(31)), lower_is_better=False, n_resamples=100)
    assert re.findall(r"0\.75\d+", found.verdict) == shown.split()
    assert ("but boost has the best" in found.verdict) == (" " in shown)


def test_one_task_per_dataset_says_nothing_about_clusters():
    frame = table([1] * 12, (0.3, 0.0, 0.0))
    plain = compare(frame, correction="holm", null="asymptotic").pairwise_full
    np.testing.assert_allclose(plain["p"], plain["p_ignoring_clusters"], rtol=1e-12)
    # Names that share a prefix replace the general hint.
    stems = np.where(frame["dataset"] > "d4", "iris_", "wine_")
    sentence = tally_sentence(compare(frame.assign(dataset=stems + frame["dataset"])))
    assert "(iris_d5, iris_d6): if these form groups" in sentence
    assert "If tasks form groups" not in sentence
