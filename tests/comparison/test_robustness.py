"""Conclusions without each dataset and algorithm, and under other policies for missing results."""

import numpy as np
import pandas as pd
import pytest

from tests.comparison.synthetic import compare


@pytest.mark.parametrize(
    "options",
    [{}, {"estimand": "mean"}, {"preset": "paper"}, {"correction": "holm", "n_resamples": 999}],
    ids=str,
)
def test_without_a_dataset_the_decision_is_that_of_a_comparison_without_it(lenz, options):
    found = lenz(algorithms=("ALP", "SVM", "NND", "LOF", "IF"), **options)
    results, whole = found.results, found.matrix("conclusion")
    rows = found.stability.leave_one_dataset_out.set_index("dataset")
    changes = found.stability.changes.query("left_out == 'dataset'")
    assert list(rows.index) == sorted(set(results.clusters))
    for name in rows.index:
        again = compare(results.keep_tasks(results.clusters != name), **options)
        assert rows.loc[name, "best"] == again.algorithms[0]
        without = again.matrix("conclusion").loc[whole.index, whole.columns]
        changed = np.triu((without != whole) & whole.notna())
        assert rows.loc[name, "conclusions_changed"] == changed.sum()
        listed = changes[changes["name"] == name]
        assert len(listed) == changed.sum()
        for row in listed.itertuples():
            assert without.loc[row.a, row.b] == row.conclusion_without != row.conclusion
            assert row.conclusion == whole.loc[row.a, row.b]
    if "preset" in options:
        assert len(changes) > 0


@pytest.mark.parametrize(
    "options", [{}, {"estimand": "mean"}, {"preset": "paper"}, {"control": "NND"}], ids=str
)
@pytest.mark.parametrize("algorithms", [("ALP", "SVM", "NND", "LOF", "SAE"), ("ALP", "NND", "IF")])
def test_a_left_out_algorithm_leaves_the_tests_of_the_others(lenz, options, algorithms):
    # Of three algorithms a single pair is left, with a much lower critical value.
    found = lenz(algorithms=algorithms, **options)
    counted = found.stability.changes.query("left_out == 'algorithm'").groupby("name").size()
    best = found.stability.leave_one_algorithm_out.set_index("algorithm")["best"]
    for name in best.index[:2]:
        others = tuple(other for other in found.algorithms if other != name)
        # The same resamples of datasets, and so the same critical values.
        again = lenz(algorithms=others, **options).matrix("conclusion")
        whole = found.matrix("conclusion").loc[again.index, again.columns]
        different = int((whole.fillna("") != again.fillna("")).to_numpy().sum()) // 2
        assert different == counted.get(name, 0)
        assert best[name] == again.index[0]


def table(*, hardest_missing):
    """Return results in which B is far worse on four datasets, where it may have failed."""
    rng = np.random.default_rng(2)
    datasets = [f"d{i:02d}" for i in range(14)]
    base = rng.uniform(0.5, 0.7, len(datasets))
    frame = pd.DataFrame({"dataset": datasets, "A": base + 0.1, "B": base, "C": base - 0.1})
    frame.loc[4:, "B"] += 0.15  # better than A on all but the first four
    if hardest_missing:
        frame.loc[:3, "B"] = np.nan
    return frame


def test_a_policy_that_changes_the_conclusion_is_counted():
    frame = table(hardest_missing=True)
    complete, worst = (compare(frame, missing=policy) for policy in ("complete", "worst"))
    # By hand: on the ten common datasets B is always ahead of A (p = 2/2^10 before max-T); with
    # the four failures as the worst it is ahead on ten of fourteen only.
    assert complete.matrix("conclusion").loc["A", "B"] == "worse"
    assert worst.matrix("conclusion").loc["A", "B"] == "undecided"
    assert (complete.gaps.cells, complete.gaps.of) == (4, 42)
    assert any(note.startswith("missing='complete'") for note in complete.notes)
    assert compare(table(hardest_missing=False)).gaps is None
    policies = complete.gaps.policies.set_index("policy")
    # Likewise B and C.
    assert policies.loc["worst", ["pairs", "changed_pairs"]].tolist() == [3, 2]
    assert worst.gaps.policies.set_index("policy").loc["complete", "changed_pairs"] == 2
    assert list(policies.index) == ["pairwise", "drop-algorithms", "worst"]
    assert policies.loc["drop-algorithms", ["algorithms", "tasks", "pairs"]].tolist() == [2, 14, 1]
