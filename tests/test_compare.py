"""`occstats.compare` on the paper's table: the published values, and what every frame promises."""

import dataclasses
import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

import occstats
from occstats.errors import ArgumentError, ResultsError

REFERENCE = Path(__file__).parent / "reference"


@pytest.fixture(scope="module")
def comparison():
    return occstats.compare("lenz2021")


def corrected(comparison, a, b):
    return comparison.matrix("p_adjusted_unclipped").loc[a, b]


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


def test_corrected_row_of_alp(comparison):
    expected = {
        "SVM": 0.16713, "NND": 0.01967, "LOF": 0.00001, "MD": 0.03472, "IF": 0.04342,
        "EIF": 0.00071, "LNND": 0.0, "SAE": 0.00001,
    }  # fmt: skip
    assert {name: round(corrected(comparison, "ALP", name), 5) for name in expected} == expected


def test_raw_floats_rank_differently():
    raw = occstats.compare("lenz2021", tie_tolerance=0, n_resamples=100)
    assert round(corrected(raw, "ALP", "SVM"), 5) == 0.16814


def test_p_values_agree_with_clusrank(comparison):
    # clusrank_paper.csv: clusWilcox.test of clusrank 1.0-4 on R 4.2.2, all ordered pairs.
    reference = pd.read_csv(REFERENCE / "clusrank_paper.csv")
    rows = reference[(reference["method"] == "rgl") & (reference["differences"] == "rounded9")]
    assert len(rows) == 72
    p = comparison.matrix("p")
    for row in rows.itertuples():
        assert p.loc[row.a, row.b] == pytest.approx(row.p, abs=1e-10)


def test_unclipped_values_are_kept_beside_clipped_ones(comparison):
    both = comparison.pairwise[["p_adjusted", "p_adjusted_unclipped"]]
    assert both["p_adjusted_unclipped"].max() > 1
    assert np.array_equal(both["p_adjusted"], both["p_adjusted_unclipped"].clip(upper=1))


def test_clusters_matter_28_pairs_against_14():
    settings = {"alternative": "two-sided", "family": "all", "n_resamples": 100}
    counts = [
        (occstats.compare("lenz2021", test=test, **settings).pairwise["p_adjusted"] <= 0.05).sum()
        // 2
        for test in ("wilcoxon", "rgl")
    ]
    assert counts == [28, 14]


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("options", [{}, {"control": "NND"}, {"family": "all"}])
def test_conclusions_follow_from_the_corrected_p_values(alternative, options):
    options = {"rule": "tests", "alternative": alternative, "n_resamples": 100, **options}
    found = occstats.compare("lenz2021", **options)
    conclusion, p = found.matrix("conclusion"), found.matrix("p_adjusted")
    z = found.matrix("z")
    for a, b in itertools.permutations(found.algorithms, 2):
        # What speaks for "a is better than b" under each alternative, written out.
        claims = {
            "greater": p.loc[a, b] <= 0.05,
            "less": p.loc[b, a] <= 0.05,
            "two-sided": p.loc[a, b] <= 0.05 and z.loc[a, b] > 0,
        }
        assert (conclusion.loc[a, b] == "better") == claims[alternative]
        assert (conclusion.loc[b, a] == "worse") == claims[alternative]
        assert pd.isna(conclusion.loc[a, b]) == pd.isna(p.loc[a, b])
    decided = sum(conclusion.loc[a, b] in ("better", "worse")
                  for a, b in itertools.combinations(found.algorithms, 2))  # fmt: skip
    assert found.tally.different == decided > 0
    assert found.tally.tested == (8 if "control" in options else 36)
    assert "p ≤ 0.05" in found.rule


def test_kendall(comparison):
    tau = comparison.kendall
    found = {frozenset((row.a, row.b)): round(row.tau, 2) for row in tau.itertuples()}
    assert len(found) == 36
    assert found[frozenset(("ALP", "LOF"))] == 0.92
    assert found[frozenset(("IF", "EIF"))] == 0.81
    assert found[frozenset(("ALP", "IF"))] == 0.64
    assert found[frozenset(("SVM", "NND"))] == 0.84


def test_regression_of_the_paper():
    comparison = occstats.compare("lenz2021", preset="paper", n_resamples=100)
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


def test_conclusions_are_those_of_the_simultaneous_tests(comparison):
    p, z = comparison.matrix("p_simultaneous"), comparison.matrix("z")
    found = comparison.matrix("conclusion")
    for a, b in itertools.permutations(comparison.algorithms, 2):
        assert (found.loc[a, b] == "better") == (p.loc[a, b] <= 0.05 and z.loc[a, b] > 0)
    assert comparison.tally.different == 14


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
    assert found.matrix("conclusion").loc["SVM", "ALP"] == "equivalent"
    assert found.matrix("conclusion").loc["SAE", "ALP"] == "worse"
    assert "equivalent to SVM to within ±0.03" in found.verdict
    p = found.matrix("p_equivalent")
    assert p.loc["ALP", "SVM"] == p.loc["SVM", "ALP"] <= 0.05
    assert p.loc["ALP", "SAE"] > 0.05
    assert found.matrix("p_not_worse").loc["SAE", "ALP"] > 0.5


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
    for name in ("z", "bayes_equivalent", "difference_within"):
        np.testing.assert_allclose(found.matrix(name), unit.matrix(name), rtol=1e-6)
    assert occstats.compare(frame, score="gain", n_resamples=200, rope=3.0).settings.rope == 3


def test_json_document(comparison):
    document = json.loads(comparison.to_json())
    assert document == json.loads(json.dumps(comparison.to_dict()))
    meta = document["meta"]
    assert (meta["tasks"], meta["clusters"], meta["score"]) == (246, 50, "auroc")
    assert sorted(meta["algorithms"]) == sorted(comparison.algorithms)
    for key in (
        "rule",
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
         "mean_score_ci_low mean_score_ci_high prob_best rank_low rank_high"),
        ("pairwise", "a b statistic z p p_adjusted p_simultaneous n_tasks n_clusters "
         "mean_difference "
         "difference_ci_low difference_ci_high hodges_lehmann hodges_lehmann_ci_low "
         "hodges_lehmann_ci_high rank_biserial wins ties losses prob_improvement_task "
         "prob_improvement_dataset bayes_better bayes_equivalent bayes_worse icc p_naive "
         "simultaneous_ci_low difference_above difference_within difference_below"),
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
        assert other.pairwise["p"].to_numpy() == pytest.approx(comparison.pairwise["p"].to_numpy())


def test_frames_are_in_order_of_rank_and_the_matrix_is_square(comparison):
    square = comparison.matrix("mean_difference")
    assert list(square.index) == list(square.columns) == comparison.algorithms
    assert square.to_numpy()[0, 1:].min() > 0
    with pytest.raises(ArgumentError, match="did you mean 'p_adjusted'"):
        comparison.matrix("p_adjustd")


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
    assert "share the best mean rank" in comparison.verdict


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
    assert comparison.matrix("p").loc["ALP", "SVM"] == whole.matrix("p").loc["ALP", "SVM"]
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
