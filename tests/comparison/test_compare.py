"""`occstats.compare` on the paper's table: the published values, and what every frame promises."""

import dataclasses
import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import wilcoxon
from statsmodels.stats.multitest import multipletests

import occstats
from occstats.errors import ArgumentError, ResultsError

REFERENCE = Path(__file__).parents[1] / "reference"
CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021")


@pytest.fixture(scope="module")
def paper():
    return occstats.compare("lenz2021", preset="paper", n_resamples=100)


def test_mean_ranks_are_those_of_the_rounded_table(comparison):
    expected = {
        "ALP": 3.5073, "SVM": 3.8647, "NND": 4.3458, "MD": 4.6848, "LOF": 4.6863,
        "IF": 5.1564, "EIF": 5.5894, "LNND": 6.5410, "SAE": 6.6244,
    }  # fmt: skip
    found = comparison.summary.set_index("algorithm")["mean_rank"]
    assert list(found.index) == list(expected)
    assert found.round(4).to_dict() == expected


def test_mean_scores_round_to_the_published_ones(comparison):
    published = pd.read_csv(REFERENCE / "summary.csv").set_index("descriptor")["auroc"]
    found = comparison.summary.set_index("algorithm")["mean_score"].round(3)
    assert found.to_dict() == published.to_dict()


def test_published_ranks_are_near(comparison):
    # The paper ranked unrounded scores: up to 0.04 away.
    published = pd.read_csv(REFERENCE / "summary.csv").set_index("descriptor")["rank"]
    found = comparison.summary.set_index("algorithm")["mean_rank"]
    assert (found - published).abs().max() < 0.045


def clusrank(test="rgl", differences="rounded9"):
    """The one-sided p-values of clusWilcox.test of clusrank 1.0-4 on R 4.2.2."""
    reference = pd.read_csv(REFERENCE / "clusrank_paper.csv")
    rows = reference[(reference["method"] == test) & (reference["differences"] == differences)]
    assert len(rows) == 72
    return rows.pivot(index="a", columns="b", values="p")


@pytest.mark.parametrize("test", ["rgl", "ds"])
def test_preset_paper_is_holm_within_rows_of_clusranks_p_values(test):
    found = occstats.compare("lenz2021", preset="paper", test=test, n_resamples=100)
    names, reference = found.algorithms, clusrank(test)
    for a in names:
        others = [b for b in names if b != a]
        p = reference.loc[a, others].to_numpy()
        # By definition: the i-th smallest times the number of those that are not smaller.
        steps = np.sort(p) * np.arange(len(p), 0, -1)
        holm = np.maximum.accumulate(steps)[np.argsort(np.argsort(p))].clip(max=1)
        np.testing.assert_allclose(found.p_values.loc[a, others], holm, rtol=0, atol=1e-10)
        unadjusted = found.matrix("p_unadjusted").loc[a, others]
        np.testing.assert_allclose(unadjusted, p, rtol=0, atol=1e-10)


def test_preset_paper_gives_the_published_table(paper):
    # The paper tested unrounded scores, of which the published ones have three decimals.
    published = pd.read_csv(REFERENCE / "pvalues.csv", index_col="better", dtype=str)
    for (a, b), text in published.stack().dropna().items():
        p = paper.p_values.loc[a, b]
        if text == ">=1":
            assert p == 1
        elif text.startswith("<"):
            assert p < float(text[1:])
        else:
            assert p == pytest.approx(float(text), rel=0.25)
    assert paper.tally.different == 22


def test_raw_floats_rank_differently():
    raw = occstats.compare("lenz2021", preset="paper", tie_tolerance=0, n_resamples=100)
    reference = clusrank(differences="raw").loc[raw.algorithms, raw.algorithms]
    np.testing.assert_allclose(raw.matrix("p_unadjusted"), reference, rtol=0, atol=1e-10)
    assert round(raw.p_values.loc["ALP", "SVM"], 5) == 0.16814


def test_the_first_row_of_the_comparison(comparison):
    # Differences and limits are multiples of half a unit of the published third decimal.
    expected = {
        "SVM": (0.002, -0.0075, 0.011), "NND": (0.007, -0.001, 0.0205),
        "MD": (0.0095, -0.0025, 0.028), "LOF": (0.01, 0.004, 0.019),
        "EIF": (0.0265, 0.006, 0.0495), "LNND": (0.0375, 0.023, 0.0525),
    }  # fmt: skip
    rows = comparison.pairs.query("a == 'ALP'").set_index("b")
    for name, numbers in expected.items():
        found = rows.loc[name, ["difference", "ci_low", "ci_high"]].tolist()
        assert found == pytest.approx(numbers, abs=1.1e-3)
        assert found[0] == pytest.approx(numbers[0], abs=1e-12)
    assert rows.index[rows["conclusion"] == "better"].tolist() == ["LOF", "EIF", "LNND", "SAE"]
    assert rows.loc["NND", "p"] == pytest.approx(0.157, abs=0.015)


def test_clusters_matter_14_pairs_against_28(comparison):
    assert dataclasses.astuple(comparison.tally) == (36, 14, 28)
    holm = occstats.compare("lenz2021", correction="holm", null="asymptotic", n_resamples=100)
    naive = holm.pairwise
    assert (naive["conclusion_ignoring_clusters"] == "better").sum() == 28
    # The plain Wilcoxon test of each pair, by scipy.
    scores = (comparison.results.scores * 1000).round()
    pairs = list(itertools.combinations(comparison.algorithms, 2))
    p = [
        wilcoxon(scores[a] - scores[b], correction=False, method="asymptotic").pvalue
        for a, b in pairs
    ]
    corrected = multipletests(p, method="holm")[1]
    found = comparison.matrix("p_ignoring_clusters")
    np.testing.assert_allclose([found.loc[pair] for pair in pairs], corrected, rtol=1e-6)


def test_means_are_compared_by_mean_differences():
    found = occstats.compare("lenz2021", estimand="mean")
    assert found.algorithms[:4] == ["ALP", "SVM", "MD", "NND"]
    rows = found.pairs.query("a == 'ALP'").set_index("b")
    expected = {"SVM": 0.003, "MD": 0.011, "NND": 0.012, "LOF": 0.014, "IF": 0.018, "EIF": 0.027,
                "LNND": 0.036, "SAE": 0.061}  # fmt: skip
    assert rows["difference"].to_dict() == pytest.approx(expected, abs=6e-4)
    assert rows.index[rows["conclusion"] == "better"].tolist() == ["LOF", "LNND", "SAE"]
    assert rows.loc["LOF", "p"] == pytest.approx(0.02, abs=0.005)
    assert rows.loc["EIF", "p"] == pytest.approx(0.13, abs=0.02)
    assert found.tally.different == 11


@pytest.mark.parametrize(
    ("options", "estimand"),
    [({}, "typical"), ({"margin": 0.02}, "mean"), ({"null": "bootstrap"}, "mean"),
     ({"margin": 0.02, "null": "flips"}, "typical"), ({"margin": 0.02, "test": "ds"}, "typical")],
)  # fmt: skip
def test_the_estimand_follows_from_other_settings(options, estimand):
    found = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=100, **options)
    assert found.settings.estimand == estimand
    column = f"{estimand}_difference"
    pd.testing.assert_series_equal(
        found.pairwise["difference"], found.pairwise[column], check_names=False
    )


@pytest.mark.parametrize("name", ["inf2", "gate2"])
def test_a_decision_that_the_other_estimate_contradicts_is_flagged(name):
    found = occstats.compare(CASES / f"{name}.csv")
    row = found.pairs.iloc[0]
    assert row["conclusion"] in ("better", "worse")
    assert row["reversed"]
    other = found.matrix("mean_difference").loc[row["a"], row["b"]]
    assert np.sign(other) == -np.sign(row["difference"])
    assert "the answer depends on the question" in " ".join(found.verdict.split())


def test_dominance_is_the_strongest_evidence():
    # 30 wins, no loss: 2^(1 − m) by sign flips of the m datasets with a difference.
    for options in ({}, {"estimand": "typical"}):
        row = occstats.compare(CASES / "bin.csv", **options).pairs.iloc[0]
        assert (row["wins"], row["losses"]) == (30, 0)
        assert row["conclusion"] == "better"
        assert row["p"] < 0.001
    # Ten datasets of sizes 10, 1, …, 1, all won by the same amount.
    datasets = ["d0"] * 10 + [f"d{i}" for i in range(1, 10)]
    frame = pd.DataFrame({"dataset": datasets, "class": range(19), "x": 0.6, "y": 0.5})
    for estimand in ("typical", "mean"):
        row = occstats.compare(frame, lower_is_better=False, estimand=estimand).pairs.iloc[0]
        assert row["p"] == 2.0**-9
        np.testing.assert_allclose(row[["difference", "ci_low", "ci_high"]].tolist(), 0.1)


@pytest.mark.parametrize("name", ["ident", "same"])
@pytest.mark.parametrize("estimand", ["typical", "mean"])
def test_equal_scores_are_equivalent(name, estimand):
    found = occstats.compare(CASES / f"{name}.csv", estimand=estimand, n_resamples=100)
    row = found.pairwise.iloc[0]
    assert (row["conclusion"], row["p"]) == ("equivalent", 1)
    values = row[["difference", "ci_low", "ci_high", "mean_difference", "typical_difference"]]
    assert [str(value) for value in values] == ["0.0"] * 5


def test_failures_rank_below_every_score():
    path = CASES / "miss.csv"
    worst = occstats.compare(path, missing="worst")
    assert worst.matrix("conclusion").loc["CAND", "BASE"] != "better"
    assert (
        worst.matrix("losses").loc["CAND", "BASE"]
        == 36
        + (worst.results.scores["CAND"] < worst.results.scores["BASE"])[
            ~worst.results.failed["CAND"]
        ].sum()
    )
    assert np.isnan(worst.summary.set_index("algorithm").loc["CAND", "mean_score"])
    with pytest.raises(ArgumentError, match=r"(?s)no known bound\ntry: missing='worst=0'"):
        occstats.compare(path, missing="worst", estimand="mean")
    mean = occstats.compare(path, missing="worst=0", estimand="mean")
    assert mean.matrix("conclusion").loc["CAND", "BASE"] == "worse"
    # A measure with a known bound needs no score.
    known = occstats.compare(path, missing="worst", estimand="mean", score_name="auroc")
    pd.testing.assert_frame_equal(known.p_values, mean.p_values)


def test_kendall(comparison):
    tau = comparison.kendall
    found = {frozenset((row.a, row.b)): round(row.tau, 2) for row in tau.itertuples()}
    assert len(found) == 36
    assert found[frozenset(("ALP", "LOF"))] == 0.92
    assert found[frozenset(("IF", "EIF"))] == 0.81
    assert found[frozenset(("ALP", "IF"))] == 0.64
    assert found[frozenset(("SVM", "NND"))] == 0.84


def test_regression_of_the_paper(paper):
    comparison = paper
    terms = ["intercept", "log_n", "log_m", "sparsity", "median_score"]
    assert list(comparison.regression["term"].unique()) == terms
    table = comparison.regression.set_index(["algorithm", "term"])
    sae = table.loc[("SAE", "log_n")]
    assert sae["coefficient"] == pytest.approx(-0.311, abs=5e-4)
    assert (sae["ci_high"] - sae["ci_low"]) / 2 == pytest.approx(0.186, abs=5e-4)
    assert sae["df"] == 49
    assert table.loc[("SAE", "log_n"), "p"].round(3) == 0.002
    assert table.loc[("SAE", "log_m"), "p"].round(3) == 0.783
    assert table.loc[("SAE", "sparsity"), "p"].round(3) == 0.411
    assert table.loc[("LOF", "sparsity"), "p"].round(3) == 0.054
    assert table.loc[("LOF", "median_score"), "p"].round(3) == 0.056
    effect = comparison.regression.query("term == 'median_score'").set_index("algorithm")
    negative = effect["coefficient"] < 0
    assert negative[["NND", "LOF", "ALP", "MD"]].all()
    assert not negative[["LNND", "IF", "SAE"]].any()


def test_the_regression_is_corrected_over_algorithms_and_terms(comparison):
    table = comparison.regression
    tested = table[table["term"] != "intercept"]
    assert len(tested) == 36
    expected = multipletests(tested["p_unadjusted"], method="holm")[1]
    np.testing.assert_allclose(tested["p"], expected, rtol=1e-12)
    assert table.loc[table["term"] == "intercept", "p"].isna().all()
    assert "corrected by Holm's method over all algorithms and terms" in comparison.methods
    published = occstats.compare("lenz2021", preset="paper", n_resamples=100)
    pd.testing.assert_series_equal(
        published.regression["p"], published.regression["p_unadjusted"], check_names=False
    )
    assert "p-values were not corrected" in published.methods


def test_the_regression_uses_the_median_of_all_algorithms(comparison):
    columns = ["algorithm", "term", "coefficient"]
    published = occstats.compare("lenz2021", preset="paper", n_resamples=100).regression
    pd.testing.assert_frame_equal(comparison.regression[columns], published[columns])
    others = occstats.compare("lenz2021", median="others", n_resamples=100).regression
    assert not np.allclose(others["coefficient"], published["coefficient"])


def test_sae_is_last_in_nearly_40_percent_and_first_in_about_5(comparison):
    frequency = comparison.rank_frequencies.set_index(["algorithm", "rank"])["frequency"]
    assert frequency["SAE", 9] == pytest.approx(0.39, abs=0.01)
    assert frequency["SAE", 1] == pytest.approx(0.05, abs=0.012)
    assert frequency.groupby("algorithm").sum().to_numpy() == pytest.approx(np.ones(9))


def test_the_papers_complementary_pairs_are_among_the_first_seven(comparison):
    first = comparison.complementary_pairs.head(7)
    found = {frozenset(pair) for pair in zip(first["a"], first["b"], strict=True)}
    published = [("ALP", "MD"), ("NND", "MD"), ("ALP", "NND"), ("ALP", "IF"), ("NND", "IF")]
    assert {frozenset(pair) for pair in published} <= found


def test_strata_average_to_the_mean_rank(comparison):
    # All strata together are all tasks.
    tasks = comparison.strata.drop_duplicates("stratum")["n_tasks"].sum()
    assert tasks == 246
    assert set(comparison.strata["algorithm"]) == set(comparison.algorithms)
    one = occstats.compare("lenz2021", n_strata=1, n_resamples=100).strata.set_index("algorithm")[
        "mean_rank"
    ]
    expected = comparison.summary.set_index("algorithm")["mean_rank"]
    assert one[expected.index].to_numpy() == pytest.approx(expected.to_numpy())


def test_diagnostics_have_every_pair_once(comparison):
    diagnostics = comparison.diagnostics
    assert (
        len({frozenset(pair) for pair in zip(diagnostics["a"], diagnostics["b"], strict=True)})
        == 36
    )
    assert (diagnostics["effective_tasks"] <= 246 + 1e-9).all()
    assert diagnostics["icc"].between(0, 1).all()


def test_rank_sets_count_who_is_better_and_who_is_worse(comparison):
    found = comparison.matrix("conclusion")
    summary = comparison.summary.set_index("algorithm")
    for name in comparison.algorithms:
        assert summary.loc[name, "rank_low"] == 1 + (found.loc[name] == "worse").sum()
        assert summary.loc[name, "rank_high"] == 9 - (found.loc[name] == "better").sum()
    assert list(summary.index[summary["rank_low"] == 1]) == ["ALP", "SVM", "NND", "MD", "IF"]


def test_pairs_within_a_margin_are_equivalent():
    found = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "SAE"], margin=0.03,
                             n_resamples=500)  # fmt: skip
    assert found.settings.estimand == "mean"
    row = found.pairwise.set_index(["a", "b"]).loc[("SVM", "ALP")]
    assert row["conclusion"] == "equivalent"
    assert -0.03 < row["ci_low"] < 0 < row["ci_high"] < 0.03
    assert found.matrix("conclusion").loc["SAE", "ALP"] == "worse"
    narrow = occstats.compare("lenz2021", algorithms=["ALP", "SVM", "SAE"], margin=0.001,
                              n_resamples=500)  # fmt: skip
    assert narrow.matrix("conclusion").loc["SVM", "ALP"] == "undecided"


@pytest.mark.parametrize(
    ("factor", "rope"), [(1.0, 0.01), (100.0, 1.0), (1e4, 100.0), (1e-9, 1e-11)]
)
def test_equivalence_and_ties_follow_the_scale_of_the_score(factor, rope):
    frame = occstats.load_results("lenz2021").to_frame().rename(columns={"auroc": "gain"})
    frame = frame[frame["descriptor"].isin(["ALP", "SVM"])]
    frame["gain"] *= factor
    found = occstats.compare(frame, score="gain", n_resamples=200)
    assert found.settings.rope == pytest.approx(rope, rel=1e-12)
    assert found.settings.tie_tolerance == pytest.approx(rope * 1e-7, rel=1e-12)
    unit = occstats.compare("lenz2021", algorithms=["ALP", "SVM"], n_resamples=200)
    for name in ("statistic", "p", "bayes_equivalent", "difference_within"):
        np.testing.assert_allclose(found.matrix(name), unit.matrix(name), rtol=1e-6)
    assert occstats.compare(frame, score="gain", n_resamples=200, rope=3.0).settings.rope == 3


def test_json_document(comparison):
    document = json.loads(comparison.to_json())
    assert document == json.loads(json.dumps(comparison.to_dict()))
    meta = document["meta"]
    assert (meta["tasks"], meta["clusters"], meta["score"]) == (246, 50, "auroc")
    assert sorted(meta["algorithms"]) == sorted(comparison.algorithms)
    for key in (
        "estimand",
        "test",
        "null",
        "correction",
        "family",
        "alternative",
        "versions",
        "engine",
    ):
        assert key in meta
    assert len(document["pairwise"]) == 72
    # Floats in full precision read back as the same numbers.
    assert document["summary"][0]["mean_rank"] == comparison.summary["mean_rank"].iloc[0]


@pytest.mark.parametrize(
    ("section", "keys"),
    [
        ("summary", "algorithm mean_rank mean_score cvsd mean_rank_ci_low mean_rank_ci_high "
         "mean_score_ci_low mean_score_ci_high leads rank_low rank_high"),
        ("pairwise", "a b difference ci_low ci_high p conclusion reversed p_unadjusted statistic "
         "typical_difference mean_difference n_tasks n_datasets p_ignoring_clusters "
         "conclusion_ignoring_clusters wins ties losses rank_biserial prob_improvement_task "
         "prob_improvement_dataset bayes_better bayes_equivalent bayes_worse "
         "difference_above difference_within difference_below"),
        ("kendall", "a b tau"),
        ("regression", "algorithm term coefficient se df p p_unadjusted ci_low ci_high"),
        ("complementary_pairs", "a b mean_best_score mean_rank"),
        ("rank_frequencies", "algorithm rank frequency"),
        ("strata", "stratum low high n_tasks algorithm mean_rank"),
        ("diagnostics", "a b icc design_effect effective_tasks"),
    ],
)  # fmt: skip
def test_json_sections_have_their_keys(comparison, section, keys):
    rows = comparison.to_dict()[section]
    assert rows
    for row in rows:
        assert set(keys.split()) <= set(row)


def test_any_source_gives_the_same_answer(comparison, tmp_path):
    results = occstats.load_results("lenz2021")
    path = tmp_path / "results.parquet"
    results.write(path)
    frame = results.to_frame()
    left = results.select(["ALP", "SVM", "NND", "LOF"])
    right = results.select(["MD", "IF", "EIF", "LNND", "SAE"])
    for source in (results, path, str(path), frame, [left, right]):
        other = occstats.compare(source, n_resamples=100)
        pd.testing.assert_series_equal(
            other.pairwise["statistic"], comparison.pairwise["statistic"], rtol=1e-9
        )


def test_frames_are_in_order_of_rank_and_the_matrix_is_square(comparison):
    square = comparison.matrix("mean_difference")
    assert list(square.index) == list(square.columns) == comparison.algorithms
    assert square.to_numpy()[0, 1:].min() > 0
    pd.testing.assert_frame_equal(comparison.p_values, comparison.matrix("p"))
    with pytest.raises(ArgumentError, match="did you mean 'p_unadjusted'"):
        comparison.matrix("p_unadjustd")


@pytest.mark.parametrize("column", ["p_adjusted", "p_naive", "difference_ci_low", "z", "icc",
                                    "simultaneous_ci_high", "p_equivalent"])  # fmt: skip
def test_columns_of_version_0_2_are_answered_with_their_successors(comparison, column):
    with pytest.raises(ArgumentError, match=f"^column '{column}' was replaced by '\\w+'"):
        comparison.matrix(column)
    explained = comparison.explain(column)
    assert f"'{column}' was replaced by" in explained or column in comparison.diagnostics


def test_the_best_is_answered_with_the_leader(comparison):
    assert comparison.explain("prob_best") == "'prob_best' was replaced by 'leads'."
    assert "bootstrap resamples" in comparison.explain("leads")


def test_comparison_is_frozen(comparison):
    with pytest.raises(dataclasses.FrozenInstanceError):
        comparison.verdict = "other"


def test_one_chosen_algorithm_is_too_few():
    with pytest.raises(ArgumentError, match="algorithms must name two or more; got only 'ALP'"):
        occstats.compare("lenz2021", algorithms=["ALP"])


def test_single_data_set_has_ranks_but_no_p_values():
    frame = occstats.load_results("lenz2021").to_frame().query("dataset == 'wine'")
    comparison = occstats.compare(frame, n_resamples=100)
    assert comparison.pairwise["p"].isna().all()
    assert comparison.summary["mean_rank"].notna().all()
    assert "no p-values" in comparison.verdict
    assert json.loads(comparison.to_json())["pairwise"][0]["p"] is None


def test_identical_algorithms_have_p_1():
    frame = pd.DataFrame({"dataset": ["x", "y", "z"], "a": [0.5, 0.6, 0.7], "b": [0.5, 0.6, 0.7]})
    comparison = occstats.compare(frame, n_resamples=100)
    assert comparison.pairwise["p"].tolist() == [1.0, 1.0]


def test_sums_that_differ_in_the_last_bit_tie():
    frame = pd.DataFrame({"dataset": list("xyz"), "a": [0.1 + 0.2] * 3, "b": [0.3] * 3})
    assert occstats.compare(frame, n_resamples=100).summary["mean_rank"].tolist() == [1.5, 1.5]


def test_pairwise_missing_uses_what_each_pair_has():
    scores = occstats.load_results("lenz2021").select(["ALP", "SVM", "NND"])
    frame = scores.to_frame()
    gaps = frame[~((frame["descriptor"] == "NND") & (frame["dataset"] < "c"))]
    with pytest.raises(ResultsError, match="missing='pairwise'"):
        occstats.compare(gaps)
    comparison = occstats.compare(gaps, missing="pairwise", n_resamples=100)
    whole = occstats.compare(scores, n_resamples=100)
    statistic = [found.matrix("statistic").loc["ALP", "SVM"] for found in (comparison, whole)]
    assert statistic[0] == pytest.approx(statistic[1])
    assert comparison.matrix("n_tasks").loc["ALP", "SVM"] == 246
    assert comparison.matrix("n_tasks").loc["ALP", "NND"] < 246
    assert any("that all algorithms have" in note for note in comparison.notes)
    complete = occstats.compare(gaps, missing="complete", n_resamples=100)
    assert complete.meta["tasks"] == comparison.matrix("n_tasks").loc["ALP", "NND"]


def test_fold_scores_give_the_spread():
    rows = [
        {"dataset": d, "class": "1", "algorithm": a, "fold": f, "score": s + 0.1 * f}
        for d in "xyz"
        for a, s in (("p", 0.5), ("q", 0.4))
        for f in range(3)
    ]
    comparison = occstats.compare(pd.DataFrame(rows))
    assert comparison.summary["cvsd"].to_numpy() == pytest.approx([0.1, 0.1])
    assert comparison.summary["mean_score"].to_numpy() == pytest.approx([0.6, 0.5])
