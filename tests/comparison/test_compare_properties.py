"""What must not change the answer: order, names, monotone scales, the direction of the score."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import occstats

FAST = {"n_resamples": 100}
# Whatever is random depends on the order of nothing.
ANSWERS = ["difference", "ci_low", "ci_high", "p", "p_unadjusted", "statistic",
           "typical_difference", "mean_difference", "rank_biserial", "wins", "bayes_better",
           "p_ignoring_clusters"]  # fmt: skip
RANK_ANSWERS = ["wins", "ties", "losses", "prob_improvement_task"]


@st.composite
def tables(draw, ties=True):
    """Small wide tables with unequal clusters, ties and several algorithms."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=3, max_size=6))
    k = draw(st.integers(2, 4))
    levels = 8 if ties else 10_000
    cells = st.integers(0, levels).map(lambda value: value / levels)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i, size in enumerate(sizes) for _ in range(size)],
            "class": [str(j) for size in sizes for j in range(size)],
        }
    )
    for column in range(k):
        frame[f"algo{column}"] = draw(
            st.lists(cells, min_size=len(frame), max_size=len(frame)).map(np.array)
        )
    return frame


def few(**options):
    return settings(
        max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow], **options
    )


def answers(comparison, columns, rename=None):
    frame = comparison.pairwise.copy()
    if rename:
        frame[["a", "b"]] = frame[["a", "b"]].replace(rename)
    return frame.set_index(["a", "b"]).sort_index()[columns]


def same(one, other, columns=ANSWERS):
    pd.testing.assert_frame_equal(
        answers(one, columns), answers(other, columns), check_exact=False, rtol=1e-9, atol=1e-12
    )


@few()
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(frame, random):
    order = list(range(len(frame)))
    random.shuffle(order)
    same(occstats.compare(frame, **FAST), occstats.compare(frame.iloc[order], **FAST))


@few()
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_algorithms_does_not_matter(frame, random):
    names = list(frame.columns[2:])
    random.shuffle(names)
    shuffled = frame[["dataset", "class", *names]]
    same(occstats.compare(frame, **FAST), occstats.compare(shuffled, **FAST))


@few()
@given(tables())
def test_new_names_only_rename(frame):
    rename = {name: f"z{9 - int(name[-1])}" for name in frame.columns[2:]}
    one = occstats.compare(frame, **FAST)
    other = occstats.compare(frame.rename(columns=rename), **FAST)
    back = {new: old for old, new in rename.items()}
    pd.testing.assert_frame_equal(
        answers(one, ANSWERS), answers(other, ANSWERS, back), rtol=1e-9, atol=1e-12
    )


@few()
@given(tables(ties=False))
def test_a_monotone_scale_does_not_change_ranks_tau_or_wins(frame):
    bent = frame.copy()
    bent.iloc[:, 2:] = np.exp(3 * frame.iloc[:, 2:]) / 20.1
    one = occstats.compare(frame, **FAST)
    other = occstats.compare(bent, score_name="utility", **FAST)
    pd.testing.assert_frame_equal(one.ranks, other.ranks)
    pd.testing.assert_frame_equal(one.rank_frequencies, other.rank_frequencies)
    same(one, other, RANK_ANSWERS)
    np.testing.assert_allclose(one.kendall["tau"], other.kendall["tau"], atol=1e-12)
    np.testing.assert_allclose(
        one.complementary_pairs["mean_rank"], other.complementary_pairs["mean_rank"]
    )


@few()
@given(tables(), st.sampled_from([0.25, 4.0]), st.sampled_from([0.0, 0.5]))
@pytest.mark.parametrize("estimand", ["typical", "mean"])
def test_shift_and_unit_of_the_score_do_not_change_a_test(estimand, frame, factor, shift):
    moved = frame.copy()
    # Powers of two: the differences stay exactly proportional.
    moved.iloc[:, 2:] = factor * frame.iloc[:, 2:] + shift
    options = {"estimand": estimand, "tie_tolerance": 0, **FAST}
    one = occstats.compare(frame, **options)
    other = occstats.compare(moved, score_name="utility", **options)
    same(one, other, ["statistic", "p", "p_unadjusted", "p_ignoring_clusters"])
    assert one.pairwise["conclusion"].equals(other.pairwise["conclusion"])


# What is on the scale of the score changes its sign, and low becomes high.
TURNED = {
    "mean_score": "mean_score",
    "mean_score_ci_low": "mean_score_ci_high",
    "mean_score_ci_high": "mean_score_ci_low",
    "mean_best_score": "mean_best_score",
}
TURNED_STRATA = {"low": "high", "high": "low"}


def assert_turned(one, other, path):
    """The same everywhere, but for the signs of what is on the scale of the score."""
    if isinstance(one, dict):
        turned = TURNED | (TURNED_STRATA if path.startswith("strata") else {})
        assert one.keys() == other.keys(), path
        for key, value in one.items():
            opposite = other[turned.get(key, key)]
            if key in turned and opposite is not None:
                opposite = -opposite
            assert_turned(value, opposite, f"{path}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), path
        for row, (first, second) in enumerate(zip(one, other, strict=True)):
            assert_turned(first, second, f"{path}[{row}]")
    elif isinstance(one, float):
        # Sums of negated numbers round like sums of the numbers, but for what a median of an even
        # number of tasks or a quantile does.
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12), path
    else:
        assert one == other, path


@pytest.mark.parametrize(
    "options",
    [
        {"deep": True},
        {"preset": "paper", "inference": "cr2", "strata": "quantile"},
        {"test": "ds", "control": "A2", "kendall": "sum"},
        {"estimand": "mean", "margin": 0.01, "kendall": "plain"},
        {"estimand": "mean", "correction": "holm", "alternative": "less", "deep": True},
    ],
)
def test_a_negated_loss_changes_nothing_but_signs(unbalanced, options):
    loss = unbalanced.assign(gain=-unbalanced["gain"])
    reading = {"score": "gain", "score_name": "gain", **FAST, **options}
    one = occstats.compare(unbalanced, **reading).to_dict()
    other = occstats.compare(loss, lower_is_better=True, **reading).to_dict()
    assert one["fold_tests"], "the folds take part"
    for section in one.keys() - {"meta", "verdict", "notes"}:
        assert_turned(one[section], other[section], section)
    assert one["verdict"] == re.sub(r"(mean gain \(?)−", r"\1", other["verdict"])


def test_means_are_means_of_data_sets_of_tasks_of_folds_of_repeats(unbalanced):
    found = occstats.compare(unbalanced, score="gain", **FAST).summary.set_index("algorithm")
    levels = ["algorithm", "dataset", "class", "fold", "repeat"]
    means = unbalanced.set_index(levels)["gain"]
    for depth in range(len(levels) - 1, 0, -1):
        means = means.groupby(levels[:depth]).mean()
    pd.testing.assert_series_equal(found["mean_score"].sort_index(), means, check_names=False)


def test_spreads_over_folds_are_averaged_with_every_data_set_weighing_the_same(unbalanced):
    found = occstats.compare(unbalanced, score="gain", **FAST).summary.set_index("algorithm")
    levels = ["algorithm", "dataset", "class", "repeat"]
    spread = unbalanced.groupby(levels)["gain"].std()
    for depth in (3, 2, 1):
        spread = spread.groupby(levels[:depth]).mean()
    pd.testing.assert_series_equal(found["cvsd"].sort_index(), spread, check_names=False)
    flat = unbalanced.groupby(levels)["gain"].std().groupby("algorithm").mean()
    assert (found["cvsd"].sort_index() - flat).abs().min() > 1e-4, "the fixture tells them apart"


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("options", [{}, {"family": "all"}, {"control": "A1"}])
def test_the_design_counts_the_tests_that_are_corrected_together(unbalanced, alternative, options):
    settings = {"alternative": alternative, "correction": "bonferroni", **options}
    found = occstats.compare(unbalanced, score="gain", **FAST, **settings)
    tested = found.pairwise.query("p < 1")
    assert len(tested)
    np.testing.assert_allclose(tested["p"] / tested["p_unadjusted"], found.design.family_size)
    assert found.design.smallest_p_corrected == min(
        1.0, found.design.smallest_p * found.design.family_size
    )


@few()
@given(tables())
def test_every_pair_is_answered_from_both_sides(frame):
    comparison = occstats.compare(frame, **FAST)
    difference = comparison.matrix("mean_difference").fillna(0).to_numpy()
    np.testing.assert_allclose(difference, -difference.T, atol=1e-15)
    z = comparison.matrix("statistic").fillna(0).to_numpy()
    np.testing.assert_allclose(z, -z.T, atol=1e-12)
    wins, losses = comparison.matrix("wins"), comparison.matrix("losses")
    np.testing.assert_allclose(wins.to_numpy(), losses.to_numpy().T, equal_nan=True)


def test_the_same_seed_gives_the_same_document():
    documents = [occstats.compare("lenz2021", n_resamples=500).to_json() for _ in range(2)]
    assert documents[0] == documents[1]


def test_another_seed_moves_resampled_numbers_only():
    one = occstats.compare("lenz2021", n_resamples=500)
    other = occstats.compare("lenz2021", n_resamples=500, random_state=1)
    same(one, other, ["statistic", "difference", "mean_difference", "p_ignoring_clusters"])
    with pytest.raises(AssertionError):
        same(one, other, ["p"])
