"""Sentences of verdict, notes, methods and tables that were untrue, doubled or clumsy once."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import occstats
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


def test_a_preset_with_an_option_beside_it_says_which_choices_are_not_its_own():
    frame = table([2] * 8)
    (note,) = (n for n in compare(frame, preset="paper").notes if "Lenz" in n)
    assert note.startswith("All choices are those of Lenz et al. (2021): one-sided tests")
    found = compare(frame, preset="paper", rule="max-t", inference="cr2")
    said = "The choices are those of Lenz et al. (2021), but for rule max-t, inference cr2."
    assert said in found.notes
    assert said in found.methods
    assert not any("also decide" in note for note in found.notes)


def test_equivalence_is_a_sentence_and_says_what_it_rests_on():
    frame = table([2] * 12, spread=0.002)
    verdict = compare(frame, margin=0.05).verdict
    assert " is equivalent to A" in verdict
    assert " to within ±0.05: no two of them differ significantly. " in verdict
    assert "; equivalence on two one-sided tests at ±0.05" in verdict
    better = compare(table([2] * 12, (0.02, 0.0, 0.0), spread=0.002), margin=0.05).verdict
    assert "A0 is significantly better than " in better


def test_few_data_sets_can_show_equivalence_where_they_can_show_no_difference():
    frame = table([2] * 5, (0.0, 0.0), spread=0.002)
    assert compare(frame).verdict.endswith("at least 6 data sets to get one.")
    verdict = compare(frame, margin=0.05).verdict
    assert "cannot show a difference" in verdict
    assert verdict.endswith(" to within ±0.05.")
    assert "It does show that A" in verdict


def test_two_algorithms_are_not_one_of_one_pairs():
    found = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=200)
    assert found.verdict.endswith("belong together would have called them different.")


def test_rope_and_margin_stand_for_each_other():
    frame = table([2] * 12, spread=0.002)
    by_rope, by_margin = compare(frame, rope=0.05), compare(frame, margin=0.05)
    assert by_rope.pairwise["conclusion"].eq("equivalent").all()
    pd.testing.assert_frame_equal(by_rope.pairwise, by_margin.pairwise)
    both = compare(frame, rope=0.01, margin=0.05).settings
    assert (both.rope, both.margin) == (0.01, 0.05)
    assert compare(frame, rope=0.0).settings.margin is None
    assert compare(frame, preset="paper").settings.margin is None


def test_equal_scores_are_not_an_advantage_of_nothing():
    frame = table([2] * 12).assign(score=0.8)
    verdict = compare(frame).verdict
    assert verdict.endswith("All of them have the same scores: nothing tells them apart.")
    assert "advantage" not in verdict


def test_pairs_without_a_test_are_neither_counted_nor_called_alike():
    # The first wins by the same on three of twelve data sets of unequal sizes: no variance.
    frame = table([2, 3, 1] * 4).assign(score=0.8)
    frame.loc[(frame["algorithm"] == "A0") & frame["dataset"].isin(["d0", "d1", "d2"]), "score"] = 1
    found = compare(frame)
    assert "There is no test of A0 against A1 and A2; the notes say why." in found.verdict
    assert "no two of them differ" not in found.verdict
    assert found.tally.tested == 1
    assert found.tally.naive == 0


def test_those_that_are_neither_beaten_nor_tied_are_named():
    found = compare(table([2] * 8, (0.3, 0.2, 0.0)))
    frame = found.pairwise.copy()
    between = frame["a"].isin(["A0", "A2"]) & frame["b"].isin(["A0", "A2"])
    frame.loc[between, "conclusion"] = "undecided"
    verdict = replace(found, pairwise=frame).verdict
    assert "A0 is significantly better than A1; undecided: A2 (p = " in verdict


def test_who_is_behind_trails():
    frame = table([2] * 12, (0.3, 0.0, 0.0))
    found = compare(frame, control="A1")
    row = found.pairwise.query("a == 'A1' and b == 'A0'").iloc[0]
    low, high = -row["simultaneous_ci_high"], -row["simultaneous_ci_low"]
    assert (
        f"It trails A0 in mean score by {-row['mean_difference']:.3f} (95 % interval +{low:.3f} to "
        f"+{high:.3f}, for all pairs with A1 together)"
    ) in found.verdict


def test_a_narrow_interval_keeps_its_digits():
    found = compare(table([2] * 12, (0.3, 0.0), spread=0.001))
    row = found.pairwise.query("a == 'A0'").iloc[0]
    low, high = row["simultaneous_ci_low"], row["simultaneous_ci_high"]
    assert f"(95 % interval +{low:.5f} to +{high:.5f})" in found.verdict
    assert "need not be equal" not in found.verdict


@pytest.mark.parametrize("scale", [1e4, 1e-10])
def test_scores_of_any_size_can_be_read(scale):
    frame = table([2] * 12, (-0.1, 0.0, 0.0), score="rmse")
    frame["rmse"] *= scale
    found = compare(frame, score="rmse", lower_is_better=True)
    best = found.summary["mean_score"].iloc[0]
    shown = f"{best:.0f}" if scale > 1 else f"{best:.2e}"
    assert f"mean RMSE {shown.replace('-', '−')})" in found.verdict
    summary = pd.DataFrame(tables(found)["summary"].cells())
    assert shown in summary.to_numpy()
    assert "e+" not in found.verdict


def test_rules_that_do_not_control_the_error_over_all_pairs_say_so():
    frame = table([2] * 12, (0.3, 0.0, 0.0))
    caution = "which does not control the error over all pairs"
    assert caution in compare(frame, preset="paper").verdict
    assert caution in compare(frame, rule="tests", family="all", correction="none").verdict
    assert caution not in compare(frame, rule="tests", family="all").verdict
    assert caution not in compare(frame).verdict
    two = compare(table([2] * 12, (0.3, 0.0)), rule="tests")
    assert "at α = 0.05 in either direction alone." in two.verdict


def test_the_stars_of_the_table_name_their_family():
    frame = table([2] * 12, (0.3, 0.0, 0.0))
    meanings = {
        "significant, corrected over all pairs (max-T).": compare(frame),
        "significant, corrected over the tests against the control (max-T).": compare(
            frame, control="A0"
        ),
        "significant, two-sided, by flipping signs.": compare(table([2] * 12, (0.3, 0.0))),
        "significant at α = 0.05.": compare(frame, preset="paper"),
    }
    for meaning, found in meanings.items():
        assert tables(found)["p_values"].best_means == meaning


@pytest.mark.parametrize("m", [3, 5, 8])
def test_a_mean_rank_on_which_few_data_sets_agree_has_an_interval(m):
    found = compare(table([2] * m, (0.4, 0.2, 0.0), spread=0.001)).summary
    share = 1 - 0.025 ** (1 / m)
    np.testing.assert_allclose(found["mean_rank_ci_low"], [1, 2 - share, 3 - 2 * share])
    np.testing.assert_allclose(found["mean_rank_ci_high"], [1 + 2 * share, 2 + share, 3])


def test_a_single_data_set_is_said_once():
    notes = compare(table([5])).notes
    assert sum("single data set" in note for note in notes) == 1


def test_methods_of_two_algorithms_correct_for_nothing():
    methods = compare(table([2] * 8, (0.1, 0.0))).methods
    assert "corrected" not in methods.partition("was regressed")[0]
    assert "flips the signs of whole data sets in all 128 ways" in methods
    assert "all pairs" not in methods


def test_methods_name_the_simultaneous_intervals():
    many, few = (compare(table([2] * m)).methods for m in (8, 4))
    assert "largest studentised difference of all pairs over the resamples (Beran, 1988)" in many
    assert "one multiple of their standard errors: Student's with Bonferroni's correction" in few


def test_methods_without_a_correction_do_not_speak_of_corrected_p_values():
    methods = compare(table([2] * 8), rule="tests", correction="none").methods
    assert "not corrected for multiple testing. These p-values decide" in methods


def test_methods_of_binary_scores_name_the_tests():
    frame = table([3] * 12)
    frame["score"] = (frame["score"] > 0.5).astype(int)
    methods = compare(frame).methods
    for work in ("Obuchowski, 1998", "Durkalski et al., 2003", "Eliasziw and Donner, 1991"):
        assert f"({work})" in methods


def test_datta_satten_without_clusters_is_not_called_the_plain_wilcoxon_test():
    found = compare(table([1] * 12), test="ds")
    for text in (found.verdict, found.methods, " ".join(found.notes)):
        assert "a signed-rank test of independent tasks" in text
        assert "plain Wilcoxon" not in text


def test_the_posterior_that_is_shown_is_that_of_the_difference():
    found = compare(table([2] * 8))
    columns = {column.header: column.keys for column in tables(found)["pairwise"].columns}
    assert columns["better / same / worse %"][0] == "difference_above"
    assert {"bayes_better", "difference_above"} <= set(found.pairwise)
