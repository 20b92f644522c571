"""What must not change the answer: order, names, monotone scales, the direction of the score."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import occstats

FAST = {"n_resamples": 100}
# Whatever is random depends on the order of nothing.
ANSWERS = ["statistic", "z", "p", "p_adjusted", "mean_difference", "difference_ci_low",
           "hodges_lehmann", "rank_biserial", "wins", "bayes_better", "p_naive", "icc"]  # fmt: skip
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
def test_shift_and_unit_of_the_score_do_not_change_a_test(frame, factor, shift):
    moved = frame.copy()
    # Powers of two: the differences stay exactly proportional.
    moved.iloc[:, 2:] = factor * frame.iloc[:, 2:] + shift
    one = occstats.compare(frame, tie_tolerance=0, **FAST)
    other = occstats.compare(moved, tie_tolerance=0, score_name="utility", **FAST)
    same(one, other, ["z", "p", "p_adjusted"])


def test_negated_scores_with_lower_is_better_give_the_same_answer():
    results = occstats.load_results("lenz2021").to_frame()
    negated = results.assign(loss=-results["auroc"]).drop(columns="auroc")
    one = occstats.compare(results)
    other = occstats.compare(negated, score="loss", lower_is_better=True)
    same(one, other)
    assert one.algorithms == other.algorithms
    for frame in ("ranks", "rank_frequencies", "regression", "diagnostics"):
        pd.testing.assert_frame_equal(getattr(one, frame), getattr(other, frame), rtol=1e-9)
    np.testing.assert_allclose(one.kendall["tau"], other.kendall["tau"])
    np.testing.assert_allclose(one.summary["mean_score"], -other.summary["mean_score"])
    np.testing.assert_allclose(one.strata["mean_rank"], other.strata["mean_rank"])
    np.testing.assert_allclose(one.strata["low"], -other.strata["high"])
    assert one.verdict.replace("0.817", "X") == other.verdict.replace("-0.817", "X").replace(
        "loss", "auroc"
    )


@few()
@given(tables())
def test_every_pair_is_answered_from_both_sides(frame):
    comparison = occstats.compare(frame, **FAST)
    difference = comparison.matrix("mean_difference").fillna(0).to_numpy()
    np.testing.assert_allclose(difference, -difference.T, atol=1e-15)
    z = comparison.matrix("z").fillna(0).to_numpy()
    np.testing.assert_allclose(z, -z.T, atol=1e-12)
    wins, losses = comparison.matrix("wins"), comparison.matrix("losses")
    np.testing.assert_allclose(wins.to_numpy(), losses.to_numpy().T, equal_nan=True)


def test_the_same_seed_gives_the_same_document():
    documents = [occstats.compare("lenz2021", n_resamples=500).to_json() for _ in range(2)]
    assert documents[0] == documents[1]


def test_another_seed_moves_intervals_but_no_test():
    one = occstats.compare("lenz2021", n_resamples=500)
    other = occstats.compare("lenz2021", n_resamples=500, random_state=1)
    same(one, other, ["z", "p", "p_adjusted", "mean_difference"])
    with pytest.raises(AssertionError):
        same(one, other, ["difference_ci_low"])
