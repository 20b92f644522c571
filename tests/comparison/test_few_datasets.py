"""What a comparison may say when there are few data sets, or one."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import occstats
from occstats.comparison.text.verdict import tally_sentence
from occstats.report.tables import all_tables


def table(sizes, n_algorithms=3, score="auroc", seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        (f"d{cluster}", f"c{task}", f"A{algorithm}", rng.uniform(0.6, 1.0))
        for cluster, size in enumerate(sizes)
        for task in range(size)
        for algorithm in range(n_algorithms)
    ]
    return pd.DataFrame(rows, columns=["dataset", "class", "descriptor", score])


def test_a_single_data_set_says_nothing_about_others():
    comparison = occstats.compare(table([4]), n_resamples=200)
    assert comparison.summary["leads"].isna().all()
    assert list(comparison.classical.friedman["unit"]) == ["tasks"]
    names = {table.name for table in all_tables(comparison)}
    assert {"summary", "kendall", "friedman"} <= names
    assert not {"p_values", "pairwise", "diagnostics", "influence", "detectable"} & names


def test_a_single_task_has_no_classical_test():
    comparison = occstats.compare(table([1], n_algorithms=2), n_resamples=200)
    assert comparison.classical.friedman.empty
    assert "friedman" not in {found.name for found in all_tables(comparison)}


@pytest.mark.parametrize(
    ("n_clusters", "settings", "least", "needed"),
    [
        # Flipping the signs of m data sets, two-sided: 2 ** (1 - m), whatever the number of pairs.
        (3, {}, "0.25", 6),
        (5, {}, "0.062", 6),
        (5, {"alpha": 0.01}, "0.062", 8),
        # 2 ** -3 = 0.125, times two tests in a row of three algorithms; 2 ** -6 * 2 <= 0.05.
        (3, {"preset": "paper", "null": "flips"}, "0.25", 6),
        (3, {"preset": "paper", "null": "flips", "correction": "none"}, "0.12", 5),
        # A correction that steps up multiplies by 1 where all p-values are equally small.
        (3, {"preset": "paper", "null": "flips", "correction": "hochberg"}, "0.12", 5),
    ],
)
def test_too_few_data_sets_show_nothing_and_that_is_all_that_is_said(
    n_clusters, settings, least, needed
):
    found = occstats.compare(table([2] * n_clusters), n_resamples=200, **settings)
    _, second = " ".join(found.verdict.split()).split(". With ")
    assert second == (
        f"{n_clusters} datasets this benchmark cannot show a difference at α = "
        f"{found.settings.alpha:g}: no corrected p-value can be below {least}, and it takes at "
        f"least {needed} datasets to get one."
    )
    assert "significant" not in found.verdict
    assert set(found.pairwise["conclusion"]) == {"undecided"}
    assert found.summary["rank_low"].eq(1).all()
    assert found.summary["rank_high"].eq(3).all()
    # With as many as it takes there is a verdict.
    enough = occstats.compare(table([2] * needed), n_resamples=200, **settings)
    assert "cannot show" not in enough.verdict


def test_a_mean_rank_on_which_all_agree_is_not_certain():
    frame = table([2] * 8)
    frame.loc[frame["descriptor"] == "A0", "auroc"] = 1.0
    summary = occstats.compare(frame, n_resamples=200).summary.iloc[0]
    assert summary["mean_rank"] == summary["mean_rank_ci_low"] == 1
    # Clopper and Pearson: 0 of 8 data sets is compatible with a share of 1 - 0.025 ** (1 / 8).
    assert summary["mean_rank_ci_high"] == pytest.approx(1 + 2 * (1 - 0.025 ** (1 / 8)))


def test_one_data_set_that_differs_leaves_the_mean_rank_a_limit():
    ahead = np.array([-0.05, *np.linspace(0.01, 0.11, 11)])
    frame = pd.DataFrame({"dataset": list("abcdefghijkl"), "A": 0.5 + ahead, "B": 0.5})
    summary = occstats.compare(frame, lower_is_better=False).summary.set_index("algorithm")
    # The second rank in 1 of 12 data sets: a share, as Clopper and Pearson bound it.
    share = stats.binomtest(1, 12).proportion_ci(method="exact")
    limits = summary.loc["A", ["mean_rank_ci_low", "mean_rank_ci_high"]]
    assert limits.tolist() == pytest.approx([1 + share.low, 1 + share.high])
    limits = summary.loc["B", ["mean_rank_ci_low", "mean_rank_ci_high"]]
    assert limits.tolist() == pytest.approx([2 - share.high, 2 - share.low])


def test_data_sets_of_one_task_are_the_plain_wilcoxon_test():
    found = occstats.compare(table([1] * 12), n_resamples=200)
    assert found.basis.startswith("Wilcoxon signed-rank test")
    assert "(option cluster)" in tally_sentence(found)
    assert "clustered" not in " ".join((found.verdict, found.basis, found.methods.split("\n")[0]))
    asymptotic = occstats.compare(table([1] * 12), correction="holm", null="asymptotic").pairwise
    np.testing.assert_allclose(asymptotic["p"], asymptotic["p_ignoring_clusters"], rtol=1e-12)
    frame = table([1] * 12)
    frame["dataset"] = frame["dataset"].map(
        lambda name: f"{'cifar' if name > 'd4' else 'digits'}-{name}"
    )
    assert any("names share" in note and "--cluster" in note
               for note in occstats.compare(frame, n_resamples=200).notes)  # fmt: skip
    assert not any("names share" in note for note in found.notes)


def test_intervals_of_bounded_scores_stay_in_bounds():
    limits = ["mean_score_ci_low", "mean_score_ci_high"]
    auroc = occstats.compare(table([2, 2]), n_resamples=200).summary[limits]
    gain = occstats.compare(table([2, 2], score="gain"), score="gain", n_resamples=200).summary
    assert (gain[limits] > 1).any(axis=None)
    assert auroc.to_numpy() == pytest.approx(gain[limits].clip(0, 1).to_numpy())


def test_no_difference_of_bounded_scores_exceeds_the_bounds():
    """Eight data sets, of which one decides: resamples without it make the limits wide."""
    gain = table([1] * 8, n_algorithms=6, score="gain")
    gain["gain"] = gain["gain"] / 100 + np.where(
        gain["dataset"] == "d0", gain["descriptor"].str[1:].astype(int) / 6, 0.3
    )
    ap = gain.rename(columns={"gain": "ap"})
    free, bounded = (
        occstats.compare(frame, estimand="mean", n_resamples=500) for frame in (gain, ap)
    )
    limits = ["ci_low", "ci_high"]
    expected = free.pairwise[limits].clip(-1, 1)
    np.testing.assert_array_equal(bounded.pairwise[limits], expected)
    assert (free.pairwise["ci_high"] > 1).any()
    assert bounded.pairwise["conclusion"].equals(free.pairwise["conclusion"])


def test_shares_add_up_and_every_effect_is_explained():
    comparison = occstats.compare(table([2] * 8), n_resamples=200)
    (pairs,) = (found for found in all_tables(comparison) if found.name == "effect_sizes")
    cells = pd.DataFrame(pairs.cells(), columns=pd.Index(pairs.headers))
    for header, total in (("won / tied / lost", 16), ("above / within / below %", 100)):
        parts = cells[header].str.split(" / ", expand=True).astype(int)
        assert (parts.sum(axis=1) == total).all()
    assert {"new task", "new dataset", "rank-biserial"} <= set(pairs.headers)
    for words in ("won, tied and lost", "new task", "new dataset", "rank-biserial", "within"):
        assert words in pairs.explanation


def test_methods_name_the_intervals_and_traits_that_were_used():
    few = occstats.compare(table([2, 2, 2]), n_resamples=200).methods
    assert "mean ranks and mean scores: Student's t over dataset means;" in few
    assert "regressed on the median score of all algorithms" in few
    many = occstats.compare("lenz2021", n_resamples=200, kendall="hyperbolic").methods
    assert "mean ranks and mean scores: bootstrap-t over datasets (Davison and Hinkley" in many
    assert "- the probability of improvement on a task and rank-biserial correlations: " in many
    assert "Wilson's interval (Wilson, 1927)" in many
    assert "number of attributes, the sparsity and the median score of all algorithms" in many
