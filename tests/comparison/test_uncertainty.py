"""Intervals, posteriors, stability, design and classical tests of a whole comparison."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from statsmodels.stats.power import TTestPower

from occstats import compare, load_results
from occstats.report.json_document import plain
from occstats.errors import ResultsError
from occstats.stats import mean_differences, typical_shifts

PAIRWISE = [
    "difference",
    "p",
    "p_unadjusted",
    "statistic",
    "typical_difference",
    "mean_difference",
    "rank_biserial",
    "wins",
    "ties",
    "losses",
    "prob_improvement_task",
    "prob_improvement_dataset",
    "bayes_better",
    "bayes_equivalent",
    "bayes_worse",
    "difference_above",
    "p_ignoring_clusters",
]
SUMMARY = [
    "mean_rank_ci_low",
    "mean_rank_ci_high",
    "mean_score_ci_low",
    "mean_score_ci_high",
    "leads",
]


@pytest.fixture(scope="module")
def paper():
    return compare("lenz2021", preset="paper", n_resamples=2000)


@pytest.fixture(scope="module")
def deep():
    return compare(
        "lenz2021",
        algorithms=["ALP", "SVM", "NND"],
        n_resamples=500,
        deep=True,
        progress=False,
        correction="holm",
    )


def table(seed=0, m=8, k=3, folds=None):
    rng = np.random.default_rng(seed)
    rows = []
    for dataset in range(m):
        for task in range(rng.integers(1, 4)):
            base = rng.uniform(0.5, 0.8)
            for a in range(k):
                for fold in range(folds or 1):
                    row = {"dataset": f"d{dataset}", "class": str(task), "descriptor": f"A{a}"}
                    row["auroc"] = round(base + 0.05 * a + rng.normal(0, 0.05), 3)
                    rows.append(row | ({"fold": fold} if folds else {}))
    return pd.DataFrame(rows)


def test_the_document_has_every_key(paper):
    document = json.loads(paper.to_json())
    for row in document["pairwise"]:
        assert set(PAIRWISE) <= set(row)
        assert all(row[name] is not None for name in PAIRWISE)
    for row in document["summary"]:
        assert set(SUMMARY) <= set(row)
    assert document["design"]["power"] is None
    assert {row["unit"] for row in document["classical"]["friedman"]} == {"tasks", "dataset means"}


def test_the_paper_table(paper):
    summary = paper.summary.set_index("algorithm")
    assert summary["leads"].sum() == pytest.approx(1)
    assert summary["leads"].idxmax() == "ALP"
    assert (summary["mean_rank_ci_low"] < summary["mean_rank"]).all()
    assert (summary["mean_rank"] < summary["mean_rank_ci_high"]).all()
    assert (summary["mean_score_ci_low"] < summary["mean_score"]).all()
    pair = paper.pairwise.set_index(["a", "b"]).loc[("ALP", "SAE")]
    assert pair["bayes_better"] > 0.99
    assert pair["wins"] + pair["ties"] + pair["losses"] == pair["n_tasks"] == 246
    # The plain test, corrected the same way, calls nine more pairs different.
    assert paper.tally.ignoring_clusters == paper.tally.different + 9 == 31


def test_pairs_are_mirrored(paper):
    square = {name: paper.matrix(name).to_numpy() for name in PAIRWISE}
    off = ~np.eye(9, dtype=bool)
    for name in ("difference", "typical_difference", "mean_difference", "rank_biserial"):
        assert square[name][off] == pytest.approx(-square[name].T[off])
    assert square["bayes_better"][off] == pytest.approx(square["bayes_worse"].T[off])
    assert square["wins"][off].tolist() == square["losses"].T[off].tolist()
    assert square["prob_improvement_task"][off] == pytest.approx(
        1 - square["prob_improvement_task"].T[off]
    )


def test_intervals_of_tau_hold_tau(paper):
    assert (paper.kendall["tau_ci_low"] < paper.kendall["tau"]).all()
    assert (paper.kendall["tau"] < paper.kendall["tau_ci_high"]).all()


def test_stability_of_the_paper_table(paper):
    stability = paper.stability
    assert len(stability.leave_one_dataset_out) == 50
    # ALP stays first whichever data set is missing; without ALP it is SVM.
    assert not stability.leave_one_dataset_out["best_changes"].any()
    without = stability.leave_one_algorithm_out.set_index("algorithm")["best"]
    assert without["ALP"] == "SVM"
    changes = stability.changes.query("left_out == 'dataset'")
    counted = changes.groupby("name").size()
    listed = stability.leave_one_dataset_out.set_index("dataset")["conclusions_changed"]
    assert counted.to_dict() == listed[listed > 0].to_dict()
    assert len(stability.influence) == 36
    moved = stability.influence.eval("mean_difference - influence - mean_difference_without")
    assert moved.to_numpy() == pytest.approx(np.zeros(36), abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "paper"},
        {"correction": "holm", "null": "asymptotic"},
        {"estimand": "mean", "correction": "holm", "null": "asymptotic"},
    ],
)
def test_a_left_out_dataset_really_changes_the_conclusion(options):
    found = compare("lenz2021", n_resamples=100, **options)
    changes = found.stability.changes.query("left_out == 'dataset'").drop_duplicates("name")
    results = load_results("lenz2021")
    for row in changes.head(3).itertuples():
        kept = results.keep_tasks(results.clusters != row.name)
        again = compare(kept, n_resamples=100, **options).matrix("conclusion")
        assert found.matrix("conclusion").loc[row.a, row.b] == row.conclusion
        assert again.loc[row.a, row.b] == row.conclusion_without != row.conclusion


@pytest.mark.parametrize("options", [{}, {"estimand": "mean"}, {"correction": "holm"},
                                     {"preset": "paper"}, {"control": "NND"}])  # fmt: skip
def test_a_left_out_algorithm_leaves_the_tests_of_the_others(options):
    found = compare("lenz2021", n_resamples=500, **options)
    results, changes = load_results("lenz2021"), found.stability.changes
    counted = changes.query("left_out == 'algorithm'").groupby("name").size()
    for name in found.algorithms[:4]:
        if name == options.get("control"):
            continue
        others = [other for other in found.algorithms if other != name]
        # The same resamples of datasets, and so the same critical values.
        again = compare(results.select(others), n_resamples=500, **options).matrix("conclusion")
        whole = found.matrix("conclusion").loc[again.index, again.columns]
        different = int((whole.fillna("") != again.fillna("")).to_numpy().sum()) // 2
        assert different == counted.get(name, 0)
        best = found.stability.leave_one_algorithm_out.set_index("algorithm")["best"]
        assert best[name] == again.index[0]


def test_design_of_the_paper_table(paper):
    design = paper.design
    assert (design.n_clusters, design.family_size) == (50, 8)
    # Z is at most the root of the number of datasets.
    assert design.smallest_p == pytest.approx(norm.sf(np.sqrt(50)))
    assert design.smallest_p_corrected == pytest.approx(8 * design.smallest_p)
    assert design.possible
    frame = design.detectable
    assert (frame["minimal_detectable_corrected"] > frame["minimal_detectable"]).all()


def test_depth(deep):
    power = deep.design.power.set_index(["a", "b"])
    assert power.loc[("ALP", "SVM"), "datasets_needed"] > 50
    assert power.loc[("ALP", "SVM"), "better"] == "ALP"
    json.loads(deep.to_json())


def test_the_power_of_means_is_that_of_the_t_test():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"dataset": [f"d{i}" for i in range(40)], "x": rng.normal(0.5, 0.1, 40)})
    frame["y"] = frame["x"] - rng.normal(0.012, 0.03, 40)
    options = {"lower_is_better": False, "n_resamples": 100, "deep": True, "progress": False}
    power = compare(frame, estimand="mean", **options).design.power.iloc[0]
    x = (frame["x"] - frame["y"]).to_numpy()
    effect = x.mean() / x.std(ddof=1)
    expected = TTestPower().power(abs(effect), 40, 0.05)
    assert power["power_now"] == pytest.approx(expected, abs=0.05)
    needed = TTestPower().solve_power(abs(effect), power=0.8, alpha=0.05)
    assert power["datasets_needed"] == pytest.approx(needed, rel=0.15)


def test_power_is_asked_in_the_direction_of_the_test():
    # "often" wins six of ten tasks, each by less than any of those that it loses.
    ahead = np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.06, -0.2, -0.21, -0.22, -0.23])
    frame = pd.DataFrame({"dataset": list("abcdefghij"), "often": 0.5 + ahead, "much": 0.5})
    options = {"preset": "paper", "n_resamples": 100, "deep": True, "lower_is_better": False}
    found = compare(frame, **options)
    assert found.algorithms[0] == "often"
    power = found.design.power.iloc[0]
    assert power["better"] == "much"
    assert power["power_now"] > 0.05


def test_depth_shows_progress(capsys):
    compare(table(), n_resamples=100, deep=True, progress=True)
    shown = capsys.readouterr().err
    assert "power" in shown


def test_order_of_algorithms_and_rows_does_not_matter():
    frame = table(1)
    one = compare(frame, n_resamples=300)
    shuffled = frame.sample(frac=1, random_state=0)
    two = compare(shuffled, n_resamples=300)
    for name in ("difference", "ci_low", "ci_high", "p", "bayes_better", "rank_biserial"):
        pd.testing.assert_frame_equal(one.matrix(name), two.matrix(name), check_names=False)


def test_lower_is_better_turns_the_scores_only():
    frame = table(2)
    turned = frame.assign(auroc=1 - frame["auroc"])
    one = compare(frame, n_resamples=300)
    two = compare(turned, n_resamples=300, lower_is_better=True)
    for name in ("ci_low", "p", "typical_difference", "wins", "bayes_better"):
        assert one.matrix(name).to_numpy() == pytest.approx(
            two.matrix(name).to_numpy(), abs=1e-9, nan_ok=True
        )
    low, high = one.summary["mean_score_ci_low"], two.summary["mean_score_ci_high"]
    assert low.to_numpy() == pytest.approx(1 - high.to_numpy())
    assert one.summary["leads"].tolist() == two.summary["leads"].tolist()


def test_relabelled_algorithms_keep_their_numbers():
    frame = table(3)
    named = {"A0": "zeta", "A1": "alpha", "A2": "mu"}
    one = compare(frame, n_resamples=200).matrix("ci_low")
    two = compare(frame.replace({"descriptor": named}), n_resamples=200).matrix("ci_low")
    assert two.rename(index=dict(zip(named.values(), named, strict=True))).index.tolist() == list(
        one.index
    )
    assert two.to_numpy() == pytest.approx(one.to_numpy(), nan_ok=True)


def test_few_data_sets_are_said_before_a_p_value_is_read():
    found = compare(table(4, m=4), n_resamples=200)
    assert "cannot show a difference" in found.verdict
    assert any("intervals are rough" in note for note in found.notes)
    assert found.design.smallest_p == 1 / 8  # of 2 ** 4 flips the observed one and its mirror
    row = json.loads(found.to_json())["pairwise"][0]
    assert row["difference"] is not None
    assert row["ci_low"] is None  # 4 datasets give no limit
    assert np.isinf(found.pairwise["ci_low"]).all()


def test_a_single_data_set_has_no_intervals():
    found = compare(table(5, m=1), n_resamples=100)
    assert found.pairwise[["ci_low", "ci_high", "p", "conclusion"]].isna().all(axis=None)
    assert found.summary["mean_rank_ci_low"].isna().all()
    assert any("single dataset" in note for note in found.notes)
    json.loads(found.to_json())


def test_identical_algorithms():
    frame = table(6, k=1)
    twin = pd.concat([frame, frame.assign(descriptor="twin")])
    found = compare(twin, n_resamples=100)
    row = found.pairwise.iloc[0]
    assert (row["ties"], row["difference"], row["bayes_equivalent"]) == (row["n_tasks"], 0, 1)
    assert found.summary["leads"].tolist() == [0.5, 0.5]
    assert set(found.pairwise["conclusion_ignoring_clusters"]) == {"undecided"}


def test_pairwise_missing():
    frame = table(7)
    holes = frame.drop(frame.query("descriptor == 'A2'").index[:3])
    found = compare(holes, missing="pairwise", n_resamples=200)
    effect = found.pairwise.set_index(["a", "b"]).loc[("A1", "A2")]
    scores = load_results(holes).scores[["A1", "A2"]].dropna()
    clusters = scores.index.get_level_values(0)
    expected = typical_shifts(scores, clusters, tie_tolerance=1e-9)[0, 1]
    assert effect["typical_difference"] == effect["difference"] == pytest.approx(expected)
    assert effect["mean_difference"] == pytest.approx(mean_differences(scores, clusters)[0, 1])
    assert any("tasks that all algorithms have" in note for note in found.notes)
    json.loads(found.to_json())


def test_folds_give_a_test_per_task():
    found = compare(table(8, folds=5), n_resamples=100)
    frame = found.fold_tests
    assert len(frame) == 3 * found.results.n_tasks
    shares = frame[["better", "equivalent", "worse"]].sum(axis=1)
    assert shares.to_numpy() == pytest.approx(np.ones(len(frame)))
    assert compare(table(8), n_resamples=100).fold_tests is None


@pytest.mark.parametrize("options", [{"test": "ds"}, {"estimand": "mean"}, {"control": "ALP"}])
@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_other_settings(options, alternative):
    found = compare(
        load_results("lenz2021").select(["ALP", "SVM", "SAE"]),
        alternative=alternative,
        correction="holm",
        n_resamples=200,
        **options,
    )
    assert found.matrix("conclusion").loc["ALP", "SAE"] == "better"
    assert found.matrix("conclusion_ignoring_clusters").loc["ALP", "SAE"] == "better"
    json.dumps(plain(found.stability), allow_nan=False)


def test_the_prior_is_an_option():
    results = load_results("lenz2021").select(["ALP", "SVM"])
    shares = [
        compare(results, n_resamples=500, prior_weight=weight).pairwise["bayes_equivalent"][0]
        for weight in (0, 1, 30)
    ]
    assert shares[0] < shares[1] < shares[2]


def test_intervals_of_tau_are_explained_where_there_are_none():
    results = load_results("lenz2021").select(["ALP", "SVM"])
    found = compare(results, kendall="hyperbolic", n_resamples=100)
    assert found.kendall["tau_ci_low"].isna().all()
    assert any("hyperbolic" in note for note in found.notes)


def test_few_datasets_of_asymptotic_tests_are_noted():
    found = compare(table(4, m=4), correction="holm", null="asymptotic", n_resamples=100)
    assert any("rest on the normal approximation alone" in note for note in found.notes)
    assert found.design.smallest_p == pytest.approx(2 * norm.sf(2))
    results = load_results("lenz2021").select(["ALP", "SVM"])
    assert not any("approximation" in note for note in compare(results, n_resamples=100).notes)


def test_too_few_resamples_are_noted():
    found = compare(table(4, m=12, k=4), correction="bonferroni", n_resamples=100)
    assert any("With 100 resamples no corrected p-value is below 0.059" in n for n in found.notes)
    assert found.design.possible
    more = compare(table(4, m=12, k=4), correction="bonferroni", n_resamples=1000)
    assert not any("resamples" in note for note in more.notes)


def test_algorithms_without_a_common_task_cannot_be_ranked():
    frame = table(9)
    half = frame["dataset"].isin(["d0", "d1", "d2", "d3"])
    apart = frame[~((frame["descriptor"] == "A0") & half | (frame["descriptor"] == "A1") & ~half)]
    with pytest.raises(ResultsError, match="no task has a score of every algorithm"):
        compare(apart, missing="pairwise")


def test_an_interval_that_was_not_made_is_not_in_the_methods():
    found = compare(table(10), n_resamples=100, kendall="hyperbolic")
    assert "tau" not in found.intervals
    assert "Kendall's τ: " not in found.methods
    single = compare(table(5, m=1), n_resamples=100)
    assert not {"mean_rank", "mean_score", "difference"} & set(single.intervals)
    assert "intervals" not in single.methods
