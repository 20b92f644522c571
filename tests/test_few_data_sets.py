"""What a comparison may say when there are few data sets, or one."""

import numpy as np
import pandas as pd
import pytest

import occstats
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
    assert comparison.summary["prob_best"].isna().all()
    assert list(comparison.classical.friedman["unit"]) == ["tasks"]
    names = {table.name for table in all_tables(comparison)}
    assert {"summary", "kendall", "friedman"} <= names
    assert not {"p_values", "pairwise", "diagnostics", "influence", "detectable"} & names


def test_a_single_task_has_no_classical_test():
    comparison = occstats.compare(table([1], n_algorithms=2), n_resamples=200)
    assert comparison.classical.friedman.empty
    assert "friedman" not in {found.name for found in all_tables(comparison)}


def test_one_pair_needs_no_caution_about_the_matrix():
    caution = "does not control the error"
    pair = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=200)
    assert caution not in pair.verdict
    three = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "NND"], n_resamples=200)
    assert caution in three.verdict


@pytest.mark.parametrize(
    ("n_clusters", "settings", "sentence"),
    [
        # 2 ** -3 = 0.125, for two tests in a row of three algorithms
        (3, {}, "no exact corrected p-value is below 0.25"),
        (3, {"correction": "none"}, "no exact p-value is below 0.12"),
        (8, {}, "the normal approximation is rough"),
        (8, {"null": "exact"}, "There are only 8 data sets"),
    ],
)
def test_the_verdict_says_what_few_data_sets_can_show(n_clusters, settings, sentence):
    verdict = occstats.compare(table([2] * n_clusters), n_resamples=200, **settings).verdict
    assert sentence in verdict


def test_intervals_of_bounded_scores_stay_in_bounds():
    limits = ["mean_score_ci_low", "mean_score_ci_high"]
    auroc = occstats.compare(table([2, 2]), n_resamples=200).summary[limits]
    gain = occstats.compare(table([2, 2], score="gain"), score="gain", n_resamples=200).summary
    assert (gain[limits] > 1).any(axis=None)
    assert auroc.to_numpy() == pytest.approx(gain[limits].clip(0, 1).to_numpy())


def test_shares_add_up_and_every_effect_is_explained():
    comparison = occstats.compare(table([2] * 8), n_resamples=200)
    (pairs,) = (found for found in all_tables(comparison) if found.name == "pairwise")
    cells = pd.DataFrame(pairs.cells(), columns=pd.Index(pairs.headers))
    for header in ("win / tie / lose %", "better / same / worse %"):
        parts = cells[header].str.split(" / ", expand=True).astype(int)
        assert (parts.sum(axis=1) == 100).all()
    assert {"new task", "new data set", "rank-biserial"} <= set(pairs.headers)
    for words in ("shift", "new task", "new data set", "rank-biserial", "practically the same"):
        assert words in pairs.explanation


def test_methods_name_the_intervals_and_traits_that_were_used():
    few = occstats.compare(table([2, 2, 2]), n_resamples=200).methods
    assert "Student's over data sets" in few
    assert "regressed on the median score of the task" in few
    many = occstats.compare("lenz2021", n_resamples=200, kendall="hyperbolic").methods
    assert "studentised (Davison and Hinkley, 1997) for mean ranks" in many
    assert "percentiles for rank-biserial correlations;" in many
    assert "Wilson's (Wilson, 1927)" in many
    assert "number of attributes, the sparsity and the median score of the task" in many
