"""The verdict: the leader, its relations to others, and reservations."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import occstats
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


def test_estimates_of_opposite_signs_are_said_first():
    typical = make_verdict(compare(CASES / "gate2.csv"))
    assert typical.sentences[0] == (
        "CAND is typically better than BASE, but BASE has the higher mean: the answer depends on "
        "the question."
    )
    mean = make_verdict(compare(CASES / "gate2.csv", estimand="mean", alpha=0.1))
    assert mean.sentences[0] == (
        "BASE is better in mean score than CAND, but CAND does better on a typical task: the "
        "answer depends on the question."
    )
    frame = 1 - pd.read_csv(CASES / "gate2.csv").set_index(["dataset", "task"])
    lower = occstats.compare(frame.reset_index(), lower_is_better=True, score_name="loss")
    assert "but BASE has the lower mean" in lower.verdict
    assert "The typical difference BASE − CAND is +0.010" in lower.verdict


def test_other_pairs_of_opposite_signs_are_said_first_too():
    frame = pd.read_csv(CASES / "gate2.csv")
    frame["NEW"] = frame["BASE"] + 0.1 + 0.001 * np.sin(np.arange(len(frame)))
    first, second = make_verdict(compare(frame, algorithms=["BASE", "CAND", "NEW"])).sentences
    assert first.startswith("CAND is typically better than BASE, but BASE has the higher mean")
    assert second.startswith("NEW has the best mean rank")


def test_two_algorithms_have_sentences_only(lenz):
    two = lenz(algorithms=("ALP", "LOF"), n_resamples=10_000)
    assert make_verdict(two).relations == ()
    assert make_verdict(two).sentences[1] == "ALP is typically better than LOF."
    assert "The typical difference ALP − LOF is +0.010 (95 % CI +" in two.verdict
    assert tally_sentence(two) == ""


def test_common_prefixes_are_found_between_words():
    names = [f"random_forest_v{i}" for i in range(12)]
    assert short_names(names) == ({name: name[14:] for name in names}, "random_forest_")
    digits = [f"gradient-boosting-{i}" for i in range(3)]
    assert short_names(digits)[1] == "gradient-"
    assert short_names(["boosted_forest", "boosted_forest_2", "boosted_forest_3"])[1] == "boosted_"
    assert short_names(["ALP", "ALP2", "ALP3"]) == ({}, "")


def test_equivalence_names_its_margin():
    found = compare(table([2] * 12, spread=0.002), margin=0.05)
    assert found.pairwise_full["conclusion"].eq("equivalent").all()
    assert "  equivalent (±0.05) to  A" in found.verdict
    better = compare(table([2] * 12, (0.02, 0.0, 0.0), spread=0.002), margin=0.05)
    assert "  better in mean reward than  A" in better.verdict
    # Few datasets can show equivalence only.
    assert "equivalent (±0.05) to" in compare(table([2] * 5, spread=0.002), margin=0.05).verdict
    assert "not distinguishable" not in compare(table([2] * 5), estimand="typical").verdict


def test_the_asymptotic_distribution_is_rough_with_few_datasets():
    few = compare(table([2] * 9), correction="holm", null="asymptotic")
    assert "With only 9 datasets the asymptotic distribution is a rough approx" in few.verdict
    assert "rough" not in compare(table([2] * 9)).verdict


def test_equal_scores_are_said_to_be_equal():
    verdict = compare(table([2] * 12).assign(reward=0.8), score="reward").verdict
    assert verdict.splitlines() == [
        "A0, A1 and A2 share the best mean rank (2.00).",
        "All algorithms have the same scores.",
    ]
    # Two leaders: the lists are about one of them.
    tied = table([2] * 12, (0.3, 0.3, 0.0), spread=0.0)
    assert "Below, A0 is compared with each of the others." in " ".join(
        compare(tied).verdict.split()
    )
    two = compare(table([2] * 12, (0.0, 0.0)).assign(reward=0.8), score="reward").verdict
    assert two.endswith("A0 and A1 have the same scores on all 24 tasks.")


def test_a_narrow_interval_keeps_its_digits():
    found = compare(table([2] * 12, (0.3, 0.0), spread=0.001))
    row = found.pairwise_full.query("a == 'A0'").iloc[0]
    width = row["ci_high"] - row["ci_low"]
    assert 0.0001 < width < 0.01
    digits = int(np.ceil(-np.log10(width)))
    shown = found.verdict.partition("95 % CI +")[2].partition(" ")[0]
    assert len(shown.partition(".")[2]) == max(digits, 3)


@pytest.mark.parametrize("scale", [1e4, 1e-10])
def test_scores_of_any_size_can_be_read(scale):
    frame = table([2] * 12, (-0.1, 0.0, 0.0), score="rmse")
    frame["rmse"] *= scale
    found = compare(frame, score="rmse", lower_is_better=True)
    best = found.summary["mean_score"].iloc[0]
    shown = f"{best:.0f}" if scale > 1 else f"{best:.2e}"
    assert f"mean RMSE {shown.replace('-', '−')})" in found.verdict
    assert "e+" not in found.verdict


def test_one_task_per_dataset_says_nothing_about_clusters():
    frame = table([1] * 12, (0.3, 0.0, 0.0))
    found = compare(frame)
    assert found.basis == "Wilcoxon signed-rank test corrected for all 3 pairs (max-T)"
    assert tally_sentence(found).endswith(
        "If tasks form groups, name the column of the group (dataset=…)."
    )
    assert "cluster" not in found.verdict + found.basis
    plain = compare(frame, correction="holm", null="asymptotic").pairwise_full
    np.testing.assert_allclose(plain["p"], plain["p_ignoring_clusters"], rtol=1e-12)
    # Names that share a prefix replace the general hint.
    stems = np.where(frame["dataset"] > "d4", "iris_", "wine_")
    sentence = tally_sentence(compare(frame.assign(dataset=stems + frame["dataset"])))
    assert "(iris_d5, iris_d6): if these form groups" in sentence
    assert "If tasks form groups" not in sentence
