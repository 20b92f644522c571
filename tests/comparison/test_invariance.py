"""Changes of the input that must not change the answer: order, names, scale, direction, seed."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.comparison.synthetic import compare, table

# Random numbers depend on no order.
ANSWERS = ["difference", "ci_low", "ci_high", "p", "p_unadjusted", "statistic",
           "typical_difference", "mean_difference", "rank_biserial", "wins", "bayes_better",
           "p_ignoring_clusters"]  # fmt: skip
few = settings(max_examples=5)


@st.composite
def tables(draw, levels=8):
    """Draw small wide tables with unequal clusters, ties and several algorithms."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=3, max_size=6))
    cells = st.integers(0, levels).map(lambda value: value / levels)
    frame = pd.DataFrame(
        {
            "dataset": [f"d{i}" for i, size in enumerate(sizes) for _ in range(size)],
            "class": [str(j) for size in sizes for j in range(size)],
        }
    )
    for column in range(draw(st.integers(2, 4))):
        frame[f"algo{column}"] = draw(
            st.lists(cells, min_size=len(frame), max_size=len(frame)).map(np.array)
        )
    return frame


def same(one, other, columns=ANSWERS, names=None):
    """Check that two comparisons agree in these columns of all pairs."""
    first, second = (
        found.pairwise_full.replace(renamed).set_index(["a", "b"]).sort_index()[columns]
        for found, renamed in ((one, {}), (other, {"a": names, "b": names} if names else {}))
    )
    pd.testing.assert_frame_equal(first, second, check_exact=False, rtol=1e-9, atol=1e-12)


@few
@given(tables(), st.randoms(use_true_random=False))
def test_order_and_names_do_not_matter(frame, random):
    rows, names = list(range(len(frame))), list(frame.columns[2:])
    random.shuffle(rows)
    random.shuffle(names)
    renamed = {name: f"z{9 - int(name[-1])}" for name in names}
    other = frame.iloc[rows][["dataset", "class", *names]].rename(columns=renamed)
    back = {new: old for old, new in renamed.items()}
    same(compare(frame, algorithms=names), compare(other, algorithms=[*back]), names=back)


@few
@given(tables(levels=10_000))
def test_a_monotone_scale_does_not_change_ranks_tau_or_wins(frame):
    bent = frame.copy()
    bent.iloc[:, 2:] = np.exp(3 * frame.iloc[:, 2:]) / 20.1
    one, other = (compare(each, algorithms=[*frame.columns[2:]]) for each in (frame, bent))
    pd.testing.assert_frame_equal(one.ranks, other.ranks)
    pd.testing.assert_frame_equal(one.rank_frequencies, other.rank_frequencies)
    same(one, other, ["wins", "ties", "losses", "prob_improvement_task"])
    np.testing.assert_allclose(one.kendall["tau"], other.kendall["tau"], atol=1e-12)
    # They are sorted by the mean of the better score, which the scale can change.
    np.testing.assert_allclose(
        *(np.sort(found.complementary_pairs["mean_rank"]) for found in (one, other))
    )


@few
@given(
    tables(),
    st.sampled_from([0.25, 4.0]),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from(["typical", "mean"]),
)
def test_shift_and_unit_of_the_score_do_not_change_a_test(frame, factor, shift, estimand):
    moved = frame.copy()
    # Powers of two: the differences stay exactly proportional.
    moved.iloc[:, 2:] = factor * frame.iloc[:, 2:] + shift
    options = {"estimand": estimand, "tie_tolerance": 0, "algorithms": [*frame.columns[2:]]}
    one, other = compare(frame, **options), compare(moved, **options)
    same(one, other, ["statistic", "p", "p_unadjusted", "p_ignoring_clusters"])
    assert one.pairwise_full["conclusion"].equals(other.pairwise_full["conclusion"])


# Quantities on the scale of the score change their sign, and low becomes high.
TURNED = {
    "mean_score": "mean_score",
    "mean_score_ci_low": "mean_score_ci_high",
    "mean_score_ci_high": "mean_score_ci_low",
    "mean_best_score": "mean_best_score",
}


def assert_turned(one, other, path):
    """Check equality, but for the signs of quantities on the scale of the score."""
    if isinstance(one, dict):
        strata = {"low": "high", "high": "low"} if path.startswith("strata") else {}
        turned = TURNED | strata
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
        # Medians of an even number of tasks and quantiles round differently.
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12), path
    else:
        assert one == other, path


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"preset": "paper", "inference": "cr2"},
        {"test": "ds", "control": "A2"},
        {"estimand": "mean", "margin": 0.01},
    ],
    ids=str,
)
def test_a_negated_loss_changes_nothing_but_signs(unbalanced, options):
    loss = unbalanced.assign(reward=-unbalanced["reward"])
    one = compare(unbalanced, **options).to_dict()
    other = compare(loss, lower_is_better=True, **options).to_dict()
    assert one["fold_tests"], "the folds take part"
    for section in one.keys() - {"meta", "verdict", "notes"}:
        assert_turned(one[section], other[section], section)
    assert one["verdict"] == re.sub(r"(mean reward \(?)−", r"\1", other["verdict"])


def test_the_seed_moves_resampled_numbers_only():
    frame = table([1, 2] * 8)
    one, again, other = (compare(frame, random_state=seed) for seed in (0, 0, 1))
    assert one.to_json() == again.to_json()
    same(one, other, ["statistic", "difference", "mean_difference", "p_ignoring_clusters"])
    with pytest.raises(AssertionError):
        same(one, other, ["p"])
