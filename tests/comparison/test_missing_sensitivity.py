"""Missing results: how many, what was done, and what other policies would conclude."""

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.errors import ArgumentError
from occstats.report.tables import all_tables

DATASETS = [f"d{i:02d}" for i in range(14)]


def table(hardest_missing):
    """A beats B everywhere and C nowhere matters; B may have failed where it is far worse."""
    rng = np.random.default_rng(2)
    base = rng.uniform(0.5, 0.7, len(DATASETS))
    frame = pd.DataFrame({"dataset": DATASETS, "A": base + 0.1, "B": base, "C": base - 0.1})
    frame.loc[4:, "B"] += 0.15  # better than A on all but the first four
    if hardest_missing:
        frame.loc[:3, "B"] = np.nan
    return frame


def test_nothing_is_said_where_nothing_is_missing():
    comparison = occstats.compare(table(False), n_resamples=100)
    assert comparison.gaps is None
    assert "missing" not in comparison.verdict


def test_a_policy_that_changes_the_conclusion_is_named():
    frame = table(True)
    complete = occstats.compare(frame, missing="complete", n_resamples=100)
    worst = occstats.compare(frame, missing="worst", n_resamples=100)
    # By hand: on the ten common data sets B is always ahead of A (p = 2/2^10 before max-T);
    # with the four failures as the worst it is ahead on ten of fourteen only.
    told = {
        policy: comparison.pairwise.set_index(["a", "b"])["conclusion"][("A", "B")]
        for policy, comparison in (("complete", complete), ("worst", worst))
    }
    assert told == {"complete": "worse", "worst": "undecided"}
    assert complete.to_dict()["gaps"]["cells"] == 4
    policies = complete.gaps.policies.set_index("policy")
    # Likewise B and C.
    assert policies.loc["worst", ["pairs", "changed_pairs"]].tolist() == [3, 2]
    assert worst.gaps.policies.set_index("policy").loc["complete", "changed_pairs"] == 2
    assert list(policies.index) == ["pairwise", "drop-algorithms", "worst"]
    assert policies.loc["drop-algorithms", ["algorithms", "tasks", "pairs"]].tolist() == [2, 14, 1]


@pytest.mark.parametrize("missing", ["complete", "pairwise", "drop-algorithms", "worst"])
def test_every_policy_names_itself(missing):
    comparison = occstats.compare(table(True), missing=missing, n_resamples=100)
    assert any(note.startswith(f"missing='{missing}'") for note in comparison.notes)
    (policies,) = (found for found in all_tables(comparison) if found.name == "missing")
    assert policies.explanation.startswith(
        f"4 of 42 results are missing; the policy here is {missing}."
    )
    assert missing not in [row[0] for row in policies.cells()]


def test_a_control_that_a_policy_drops_is_said():
    frame = table(True)
    with pytest.raises(ArgumentError, match="'drop-algorithms' drops the control 'B'"):
        occstats.compare(frame, control="B", missing="drop-algorithms", n_resamples=100)
    # As another policy beside the chosen one it is not tried.
    found = occstats.compare(frame, control="B", missing="pairwise", n_resamples=100)
    assert set(found.gaps.policies["policy"]) == {"complete", "worst"}


def test_policies_follow_the_estimand():
    frame = table(True)
    options = {"estimand": "mean", "missing": "complete", "n_resamples": 500}
    found = occstats.compare(frame, **options)
    # Without a score for failures there is no mean under "worst".
    assert list(found.gaps.policies["policy"]) == ["pairwise", "drop-algorithms"]
    known = occstats.compare(frame, score_name="auroc", **options)
    policies = known.gaps.policies.set_index("policy")
    worst = occstats.compare(frame, score_name="auroc", **{**options, "missing": "worst"})
    both = [found.matrix("conclusion").sort_index().sort_index(axis=1) for found in (known, worst)]
    changed = sum(
        {a, b} & {"better", "worse"} != set() and a != b
        for a, b in zip(*(matrix.to_numpy().ravel() for matrix in both), strict=True)
    )
    assert policies.loc["worst", "changed_pairs"] == changed // 2 > 0
    assert policies.loc["worst", "best"] == worst.algorithms[0]
