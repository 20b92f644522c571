"""Datasets nested in suites."""

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats.errors import ResultsError
from tests.comparison.synthetic import compare


def table(n_suites=12, seed=0, tasks=3):
    """Return results with effects of suites and of datasets."""
    rng = np.random.default_rng(seed)
    rows = []
    for suite in range(n_suites):
        common = rng.normal(0, 0.03, 3)
        for dataset in range(2 + suite % 3):
            own = common + rng.normal(0, 0.02, 3)
            for task in range(1 + (suite + dataset) % tasks):
                base, n = rng.uniform(0.5, 0.8), int(rng.integers(50, 500))
                for model, advantage, part in zip("ABC", (0.05, 0.02, 0.0), own, strict=True):
                    score = base + advantage + part + rng.normal(0, 0.02)
                    key = (f"s{suite}", f"d{dataset}-{suite}", f"c{task}", model)
                    rows.append((*key, round(score, 4), n))
    return pd.DataFrame(rows, columns=["suite", "dataset", "class", "model", "auroc", "n"])


@pytest.fixture(scope="module")
def comparison():
    return compare(table(), suite="suite")


FRAMES = ("summary", "pairwise", "kendall", "regression", "complementary_pairs",
          "rank_frequencies", "strata", "diagnostics", "stability", "design", "classical", "gaps",
          "fold_tests", "binary", "verdict", "rule", "methods")  # fmt: skip


@pytest.mark.parametrize("suite", ["other order", "same column"])
def test_suites_of_one_dataset_change_no_number(suite):
    data = table(n_suites=4)
    data["suite"] = [f"{name[::-1]} suite" for name in data["dataset"]]
    levels = {"suite": "suite" if suite == "other order" else "dataset", "dataset": "dataset"}
    plain = compare(data, cluster="dataset", margin=0.1).to_dict()
    nested = compare(data, **levels, margin=0.1).to_dict()
    for name in FRAMES:
        assert nested[name] == plain[name], name
    assert nested["meta"]["suites"] == nested["meta"]["clusters"] == plain["meta"]["clusters"]
    assert any("Every suite has one dataset" in note for note in nested["notes"])


def test_equal_suites_are_like_clusters_of_their_own():
    # Two suites of two datasets of one task each; a − b is 1, 3 | 5, −1 tenths: mean 0.2, suite
    # means 0.2 and 0.2; signed ranks 1.5 + 3 and 4 − 1.5, which add up to 7 over √(4.5² + 2.5²).
    data = pd.DataFrame(
        {
            "suite": list("uuvv"),
            "dataset": list("wxyz"),
            "A": [0.6, 0.8, 1.0, 0.4],
            "B": [0.5, 0.5, 0.5, 0.5],
        }
    )
    options = {"algorithms": ["A", "B"], "lower_is_better": False}
    nested = compare(data, suite="suite", **options)
    alone = compare(data, cluster="suite", task="dataset", **options)
    for found in (nested, alone):
        row = found.pairwise_full.iloc[0]
        assert row["mean_difference"] == pytest.approx(0.2)
        assert row["statistic"] == pytest.approx(7 / np.sqrt(4.5**2 + 2.5**2))
        assert row["n_datasets"] == 2
    # A third dataset in the first suite, where a − b is 0.3: by datasets (0.1 + 0.3 + 0.3 + 0.5
    # − 0.1) / 5, by suites (0.7/3 + 0.2) / 2.
    data.loc[4] = ["u", "t", 0.8, 0.5]
    nested = compare(data, suite="suite", **options)
    alone = compare(data, cluster="suite", task="dataset", **options)
    assert nested.pairwise_full["mean_difference"].iloc[0] == pytest.approx(1.1 / 5)
    assert alone.pairwise_full["mean_difference"].iloc[0] == pytest.approx((0.7 / 3 + 0.2) / 2)


# R 4.2.2, clubSandwich 0.5.8 and clusrank 1.0-4; datasets in suites by their first letter:
#   d <- read.csv("auroc.csv"); s <- as.matrix(d[, c("NND", ..., "ALP")])
#   ranks <- t(apply(-s, 1, rank)); w <- 1 / as.vector(table(d$dataset)[d$dataset])
#   suite <- toupper(substr(d$dataset, 1, 1))
#   fit <- lm(ranks[, "SAE"] ~ log(n) + log(m) + sparsity + apply(s, 1, median), d, weights = w)
#   coef_test(fit, vcov = "CR2", cluster = suite, test = "Satterthwaite")  # SE, df, p
#   x <- round(s[, "ALP"] - s[, "SVM"], 9); g <- as.integer(factor(suite))
#   clusWilcox.test(x, cluster = g, paired = TRUE, method = "rgl", alternative = "greater")
#   clusWilcox.test(x[order(g)], cluster = sort(g), paired = TRUE, method = "ds",
#                   alternative = "greater")
CR2_SE = [1.35054219195193, 0.126067573623344, 0.162033682265181, 1.04154085338804,
          1.27431105800625]  # fmt: skip
CR2_DF = [6.6368846998143, 3.39786634520252, 4.77233295408762, 3.10131578648818,
          4.91420735334097]  # fmt: skip
CR2_P = [0.00573043544326012, 0.0804811321297909, 0.749081397137679, 0.433597725542863,
         0.0245589437227668]  # fmt: skip
CLUSRANK_P = {"rgl": 0.0259445875638684, "ds": 0.062293350196405}


@pytest.fixture(scope="module")
def paper():
    data = occstats.load_results("lenz2021").to_frame()
    return data.assign(suite=data["dataset"].str[0].str.upper())


def test_the_regression_agrees_with_clubsandwich_by_suite(lenz, paper):
    found = compare(paper, suite="suite")
    rows = found.regression[found.regression["algorithm"] == "SAE"]
    np.testing.assert_allclose(rows["se"], CR2_SE, rtol=1e-10)
    np.testing.assert_allclose(rows["df"], CR2_DF, rtol=1e-10)
    np.testing.assert_allclose(rows["p_unadjusted"], CR2_P, rtol=1e-9)
    # The weights are those of datasets: means are what they are without suites.
    plain = lenz().summary.set_index("algorithm")
    own = found.summary.set_index("algorithm")
    for column in ("mean_rank", "mean_score"):
        np.testing.assert_allclose(own[column], plain.loc[own.index, column], rtol=1e-12)


@pytest.mark.parametrize("test", CLUSRANK_P)
def test_the_tests_agree_with_clusrank_by_suite(paper, test):
    options = {"preset": "paper", "test": test}
    found = compare(paper, suite="suite", algorithms=["ALP", "SVM"], **options)
    assert found.p_values.loc["ALP", "SVM"] == pytest.approx(CLUSRANK_P[test], rel=1e-10)


def test_r_gets_the_suites(monkeypatch, paper):
    from occstats.engines import clusrank

    def stop(x, codes, test, settings):
        raise ResultsError(f"{len(np.unique(codes))} clusters")

    monkeypatch.setattr(clusrank, "require", lambda engine: None)
    monkeypatch.setattr(clusrank, "run_in_rscript", stop)
    with pytest.raises(ResultsError, match="18 clusters"):
        compare(paper, suite="suite", algorithms=["ALP", "SVM"], engine="rscript")


def test_the_standard_error_is_that_of_suites(comparison):
    scores = comparison.results.scores
    difference = scores[comparison.algorithms[0]] - scores[comparison.algorithms[1]]
    means = difference.groupby(level=0).mean()
    suites = means.index.map(comparison.results.suites)
    sums = (means - means.mean()).groupby(suites).sum()
    error = np.sqrt(12 / 11 * (sums**2).sum()) / len(means)
    row = comparison.design.detectable.iloc[0]
    assert row["standard_error"] == pytest.approx(error)
    assert row["sd_between_datasets"] == pytest.approx(error * np.sqrt(12))
    by_dataset = compare(table(), cluster="dataset").design.detectable
    # Datasets of a suite are correlated and carry less information.
    assert error > by_dataset["standard_error"].iloc[0]
    assert row["minimal_detectable"] > by_dataset["minimal_detectable"].iloc[0]


def test_some_tasks_and_other_methods_keep_the_suites(comparison):
    part = comparison.where("n > 200")
    assert part.results.nested
    assert part.meta["suites"] == 12
    added = comparison.add((comparison.results.scores["A"] + 0.01).rename("MINE"))
    assert added.meta["suites"] == 12
