"""Words of verdict, notes and tables in special cases."""

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.comparison.text.verdict import tally_sentence
from occstats.report.tables import all_tables


def table(sizes, effects=(0.0, 0.0, 0.0), score="score", spread=0.05, seed=0):
    rng = np.random.default_rng(seed)
    rows = []
    for cluster, size in enumerate(sizes):
        for task in range(size):
            values = 0.5 + np.asarray(effects) + spread * rng.normal(size=len(effects))
            rows += [(f"d{cluster}", task, f"A{a}", value) for a, value in enumerate(values)]
    return pd.DataFrame(rows, columns=["dataset", "task", "algorithm", score])


def compare(frame, **options):
    return occstats.compare(frame, n_resamples=200, progress=False, **options)


def tables(found):
    return {each.name: each for each in all_tables(found)}


def test_a_preset_with_another_option_says_which_choices_are_not_its_own():
    frame = table([2] * 8)
    (note,) = (n for n in compare(frame, preset="paper").notes if "Lenz" in n)
    assert note.startswith("Settings of Lenz et al. (2021): one-sided tests")
    found = compare(frame, preset="paper", test="ds", inference="cr2")
    said = "Settings of Lenz et al. (2021), except for test ds, inference cr2."
    assert said in found.notes


def test_equivalence_names_its_margin():
    found = compare(table([2] * 12, spread=0.002), margin=0.05)
    assert found.pairwise["conclusion"].eq("equivalent").all()
    assert "  equivalent (±0.05) to  A" in found.verdict
    assert "equivalent: 95 % CI within ±0.05." in tables(found)["comparison"].note
    better = compare(table([2] * 12, (0.02, 0.0, 0.0), spread=0.002), margin=0.05)
    assert "  better in mean score than  A" in better.verdict


def test_few_datasets_cannot_show_a_difference():
    found = compare(table([2] * 5, (0.0, 0.0), spread=0.002), estimand="typical")
    assert " ".join(found.verdict.split()).endswith(
        "With 5 datasets this benchmark cannot show a difference at α = 0.05: no p-value can be "
        "below 0.062, and it takes at least 6 datasets to get one."
    )
    three = compare(table([2] * 5), estimand="typical")
    assert tables(three)["comparison"].note == ""
    assert "" not in tables(three)["comparison"].headers
    assert "not distinguishable" not in three.verdict


def test_few_datasets_can_show_equivalence():
    found = compare(table([2] * 5, spread=0.002), margin=0.05)
    assert "equivalent (±0.05) to" in found.verdict


def test_the_asymptotic_distribution_is_rough_with_few_datasets():
    few = compare(table([2] * 9), correction="holm", null="asymptotic")
    assert "With only 9 datasets the asymptotic distribution is a rough approx" in few.verdict
    assert "rough" not in compare(table([2] * 9)).verdict


def test_a_margin_is_the_region_of_practical_equivalence():
    frame = table([2] * 12, spread=0.002)
    assert compare(frame, margin=0.05).settings.rope == 0.05
    both = compare(frame, rope=0.01, margin=0.05).settings
    assert (both.rope, both.margin) == (0.01, 0.05)
    assert compare(frame, rope=0.05).settings.margin is None


def test_equal_scores_are_said_to_be_equal():
    verdict = compare(table([2] * 12).assign(score=0.8)).verdict
    assert verdict.splitlines() == [
        "A0, A1 and A2 share the best mean rank (2.00).",
        "All algorithms have the same scores.",
    ]
    two = compare(table([2] * 12, (0.0, 0.0)).assign(score=0.8)).verdict
    assert two.endswith("A0 and A1 have the same scores on all 24 tasks.")


def test_complete_dominance_is_decided():
    # The first wins by the same on three of twelve datasets of unequal sizes, and ties elsewhere.
    frame = table([2, 3, 1] * 4).assign(score=0.8)
    frame.loc[(frame["algorithm"] == "A0"), "score"] = 1
    found = compare(frame, estimand="typical")
    assert "  typically better than  A1, A2" in found.verdict


def test_a_narrow_interval_keeps_its_digits():
    found = compare(table([2] * 12, (0.3, 0.0), spread=0.001))
    row = found.pairwise.query("a == 'A0'").iloc[0]
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
    cells = pd.DataFrame(tables(found)["summary"].cells())
    assert shown in cells.to_numpy()
    assert "e+" not in found.verdict


def test_rows_that_are_corrected_separately_are_named():
    frame = table([2] * 12, (0.3, 0.0, 0.0))
    caution = "Rows were corrected separately: no control of the error rate over all pairs."
    paper = compare(frame, preset="paper")
    assert caution in paper.verdict
    assert tables(paper)["p_values"].note == caution
    for options in ({}, {"correction": "none"}, {"correction": "holm"}):
        found = compare(frame, **options)
        assert caution not in found.verdict
        assert tables(found)["p_values"].note == ""
    assert caution not in compare(table([2] * 12, (0.3, 0.0)), preset="paper").verdict


@pytest.mark.parametrize(
    ("options", "legend"),
    [
        ({}, "* p ≤ 0.05, clustered signed-rank test corrected for all 3 pairs (max-T)."),
        ({"alpha": 0.01, "correction": "none"},
         "* p ≤ 0.01, clustered signed-rank test, not corrected."),
        ({"control": "A0"}, "better: p ≤ 0.05, clustered signed-rank test corrected for the 2 "
                            "comparisons with A0 (max-T)."),
        ({"preset": "paper"}, "* p ≤ 0.05 for “A0 is better”, one-sided clustered signed-rank test "
                              "corrected within each row (Holm)."),
    ],
)  # fmt: skip
def test_the_legend_names_level_test_and_correction(options, legend):
    found = compare(table([2] * 12, (0.3, 0.0, 0.0)), **options)
    assert tables(found)["comparison"].note == legend


def test_a_legend_without_stars_names_the_test():
    note = tables(compare(table([2] * 12)))["comparison"].note
    assert note == "p: clustered signed-rank test corrected for all 3 pairs (max-T)."


@pytest.mark.parametrize("m", [3, 5, 8])
def test_a_mean_rank_on_which_few_datasets_agree_has_an_interval(m):
    found = compare(table([2] * m, (0.4, 0.2, 0.0), spread=0.001)).summary
    share = 1 - 0.025 ** (1 / m)
    np.testing.assert_allclose(found["mean_rank_ci_low"], [1, 2 - share, 3 - 2 * share])
    np.testing.assert_allclose(found["mean_rank_ci_high"], [1 + 2 * share, 2 + share, 3])


def test_a_single_dataset_is_said_once():
    found = compare(table([5]))
    assert sum("single dataset" in note for note in found.notes) == 1
    assert found.verdict.count("single dataset") == 1


def test_one_task_per_dataset_says_nothing_about_clusters():
    found = compare(table([1] * 12, (0.3, 0.0, 0.0)))
    note = tables(found)["comparison"].note
    assert note == "* p ≤ 0.05, Wilcoxon signed-rank test corrected for all 3 pairs (max-T)."
    assert tally_sentence(found).endswith(
        "If tasks belong together, name the column of their dataset (option cluster)."
    )
    assert "cluster" not in found.verdict


def test_datasets_that_may_belong_together_are_named():
    frame = table([1] * 12)
    frame["dataset"] = [f"{'iris' if int(d[1:]) < 6 else 'wine'}_{d}" for d in frame["dataset"]]
    sentence = tally_sentence(compare(frame))
    assert "(iris_d0, iris_d1): if these belong together" in sentence
    assert "If tasks belong together" not in sentence


def test_the_posterior_that_is_shown_is_that_of_the_difference():
    found = compare(table([2] * 8))
    columns = {column.header: column.keys for column in tables(found)["effect_sizes"].columns}
    assert columns["above / within / below %"][0] == "difference_above"
    assert {"bayes_better", "difference_above"} <= set(found.pairwise)
