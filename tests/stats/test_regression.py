"""Regression against NIST's certified values, clubSandwich, statsmodels and the paper.

``nist_strd_lls.json`` holds the certified values of NIST's Statistical Reference Datasets (linear
least squares), ``nist_strd_data.json`` those data that do not follow from a formula.
"""

import json
from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm

from occstats.stats import cluster_weights, task_ranks, weighted_regression
from tests.stats.paper import ALGORITHMS, DATASETS, REFERENCE, SCORES, TABLE

CERTIFIED = json.loads((REFERENCE / "nist_strd_lls.json").read_text())
DATA = json.loads((REFERENCE / "nist_strd_data.json").read_text())
TERMS = ("intercept", "log_n", "log_m", "sparsity", "median_score")


def nist_problem(name):
    if name == "Longley":
        design = [[float(Fraction(cell)) for cell in row] for row in CERTIFIED[name]["X"]]
        return np.array(design), np.array(DATA[name]["y"], dtype=float)
    if name in DATA:
        return np.vander(DATA[name]["x"], CERTIFIED[name]["p"], increasing=True), np.array(
            DATA[name]["y"]
        )
    design = np.vander(np.arange(21.0), 6, increasing=True)
    if name == "Wampler2":
        return design, design @ 10.0 ** -np.arange(6)
    delta = [759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048]
    delta = np.array(delta + delta[-2::-1], dtype=float)
    size = {"Wampler1": 0, "Wampler3": 1, "Wampler4": 100, "Wampler5": 10_000}[name]
    return design, design.sum(axis=1) + size * delta


def digits(values, certified):
    exact = np.array([float(value) for value in certified])
    return float(np.min(-np.log10(np.maximum(np.abs(values / exact - 1), 1e-16))))


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("Norris", 12),
        ("Longley", 10.5),
        ("Wampler1", 8.5),
        ("Wampler2", 12),
        ("Wampler3", 8.5),
        ("Wampler4", 7),
        ("Wampler5", 5),
        ("Filip", 6.5),
    ],
)
def test_correct_digits_on_nist(name, least):
    """As many as the data have once they are doubles, whatever the processor.

    Powers of Filip's x round to doubles whose exact solution (by fractions) has 7.9 digits in
    common with NIST's; one unit more or less in their last places moves the exact residual
    deviation by up to 4e-8. Wampler's y reach 3e6, of which one unit in the last place is 5e-10,
    while the coefficients are 1: from 8.9 to 9.3 digits, by the kernels of BLAS.
    """
    design, y = nist_problem(name)
    fit = weighted_regression(
        y, design, list("abcdefghijk")[: design.shape[1]], clusters=np.arange(len(y))
    )
    certified = CERTIFIED[name]
    assert digits(fit.coefficient, certified["beta"]) > least
    if float(certified["rsd"]) > 0:
        tolerance = 1e-7 if name == "Filip" else 1e-8
        assert fit.attrs["residual_sd"] == pytest.approx(float(certified["rsd"]), rel=tolerance)


def regress(algorithm, inference):
    n, m, sparsity = (TABLE[name].to_numpy() for name in ("n", "m", "sparsity"))
    columns = [np.ones(len(n)), np.log(n), np.log(m), sparsity, np.median(SCORES, axis=1)]
    return weighted_regression(
        task_ranks(SCORES)[:, ALGORITHMS.index(algorithm)],
        np.column_stack(columns),
        TERMS,
        clusters=DATASETS,
        weights=cluster_weights(DATASETS),
        inference=inference,
    )


# R 4.2.2, clubSandwich 0.5.8:
#   d <- read.csv("auroc.csv"); s <- as.matrix(d[, c("NND", ..., "ALP")])
#   ranks <- t(apply(-s, 1, rank)); w <- 1 / as.vector(table(d$dataset)[d$dataset])
#   fit <- lm(ranks[, a] ~ log(n) + log(m) + sparsity + apply(s, 1, median), d, weights = w)
#   coef_test(fit, vcov = "CR2", cluster = d$dataset, test = "Satterthwaite")  # SE, df, p
#   coef_test(fit, vcov = "CR1S", cluster = d$dataset, test = "naive-t")  # SE, df, p
CLUBSANDWICH = {
    ("SAE", "cr2"): (
        [1.37330943230234, 0.100539744518715, 0.205452181496535, 1.21434051042374, 1.3625243721422],
        [18.5290318522447, 8.50181647182301, 17.5155131371959, 10.2838541542477, 18.2912535019803],
        [0.000911542311434777, 0.0138001538558506, 0.792372543443957, 0.458717884254626,
         0.00769019490989302],
    ),
    ("SAE", "cr1"): (
        [1.32204390493902, 0.0926794601435757, 0.198108695394147, 1.12789393497225,
         1.32247592051243],
        [49] * 5,
        [0.000157743806341384, 0.00154455381095318, 0.782799325768467, 0.411216937071765,
         0.00334717653211186],
    ),
    ("LOF", "cr2"): (
        [1.22467297172657, 0.105547877296923, 0.165313678781297, 1.05903840442988,
         1.23196653920946],
        [18.5290318522447, 8.50181647182301, 17.5155131371959, 10.2838541542477, 18.2912535019803],
        [8.74487320327047e-05, 0.308798245363846, 0.222420480925495, 0.0817140786524799,
         0.0730151998084104],
    ),
}  # fmt: skip


@pytest.mark.parametrize("key", CLUBSANDWICH)
def test_agrees_with_clubsandwich_on_the_paper(key):
    fit = regress(*key)
    se, df, p = CLUBSANDWICH[key]
    np.testing.assert_allclose(fit.se, se, rtol=1e-10)
    np.testing.assert_allclose(fit.df, df, rtol=1e-10)
    np.testing.assert_allclose(fit.p, p, rtol=1e-9)


def small_problem(weights):
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(8), [1, 2, 3, 5, 8, 2, 4, 6])
    n = len(clusters)
    a = rng.normal(size=n)
    b = rng.normal(size=8)[clusters] + 0.3 * rng.normal(size=n)
    y = 1 + a + rng.normal(size=8)[clusters] + rng.normal(size=n)
    mass = {
        "equal": np.ones(n),
        "clusters": 1 / np.bincount(clusters)[clusters],
        "any": rng.uniform(0.2, 2, n),
    }[weights]
    return y, np.column_stack([np.ones(n), a, b]), clusters, mass


@pytest.mark.parametrize("weights", ["equal", "clusters", "any"])
def test_agrees_with_statsmodels(weights):
    y, design, clusters, mass = small_problem(weights)
    theirs = sm.WLS(y, design, weights=mass).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "df_correction": True}, use_t=True
    )
    fit = weighted_regression(
        y, design, ["1", "a", "b"], clusters=clusters, weights=mass, inference="cr1"
    )
    np.testing.assert_allclose(fit.coefficient, theirs.params, rtol=1e-10)
    np.testing.assert_allclose(fit.se, theirs.bse, rtol=1e-10)
    np.testing.assert_allclose(fit.p, theirs.pvalues, rtol=1e-8)
    np.testing.assert_allclose(
        np.column_stack([fit.ci_low, fit.ci_high]), theirs.conf_int(), rtol=1e-8
    )


def test_cr2_by_its_definition_in_full_matrices():
    y, design, clusters, mass = small_problem("any")
    n, k = design.shape
    bread = np.linalg.inv(design.T @ (mass[:, None] * design))
    annihilator = np.eye(n) - design @ bread @ (design * mass[:, None]).T
    residuals = annihilator @ y
    covariance, vectors = np.zeros((k, k)), []
    for g in range(8):
        own = clusters == g
        inner = annihilator[own] @ annihilator[own].T
        values, basis = np.linalg.eigh(inner)
        roots = np.where(values > 1e-12, np.maximum(values, 1e-12) ** -0.5, 0)
        adjust = basis @ np.diag(roots) @ basis.T
        left = bread @ (design[own] * mass[own, None]).T @ adjust
        covariance += np.outer(left @ residuals[own], left @ residuals[own])
        vectors.append(left @ annihilator[own])
    fit = weighted_regression(
        y, design, ["1", "a", "b"], clusters=clusters, weights=mass, inference="cr2"
    )
    np.testing.assert_allclose(fit.se, np.sqrt(np.diag(covariance)), rtol=1e-10)
    for c in range(k):
        products = np.array([v[c] for v in vectors]) @ np.array([v[c] for v in vectors]).T
        df = np.trace(products) ** 2 / (products**2).sum()
        assert fit.df.iloc[c] == pytest.approx(df, rel=1e-9)


@pytest.mark.parametrize("inference", ["cr1", "cr2"])
def test_scales_and_orders_do_not_matter(inference):
    y, design, clusters, mass = small_problem("any")
    names = ["1", "a", "b"]
    order = np.random.default_rng(0).permutation(len(y))
    fit = weighted_regression(
        y, design, names, clusters=clusters, weights=mass, inference=inference
    )
    other = weighted_regression(
        y[order],
        design[order] * [1, 1e6, 1e-6],
        names,
        clusters=np.array(list("hgfedcba"))[clusters[order]],
        weights=7 * mass[order],
        inference=inference,
    )
    np.testing.assert_allclose(other.coefficient * [1, 1e6, 1e-6], fit.coefficient, rtol=1e-9)
    np.testing.assert_allclose(other.p, fit.p, rtol=1e-8)
    np.testing.assert_allclose(other.df, fit.df, rtol=1e-8)


def test_no_fit_with_a_reason():
    y, x = np.arange(6.0), np.array([1.0, 2, 4, 5, 7, 9])
    ones, clusters = np.ones(6), [1, 2, 3, 4, 5, 6]
    cases = [
        (
            np.column_stack([ones, x, 2 * x - 3]),
            ("intercept", "x", "twice"),
            "twice cannot be separated",
        ),
        (
            np.column_stack([ones, 0 * x]),
            ("intercept", "sparsity"),
            "sparsity is zero in all tasks",
        ),
        (np.vander(x, 6), tuple("abcdef"), "6 observations for 6 terms"),
    ]
    for design, terms, reason in cases:
        fit = weighted_regression(y, design, terms, clusters=clusters)
        assert reason in fit.attrs["reason"]
        assert np.isnan(fit.coefficient).all()
        assert np.isnan(fit.p).all()


@pytest.mark.parametrize("inference", ["cr1", "cr2"])
def test_too_few_clusters_keep_the_coefficients(inference):
    y, design, clusters, mass = small_problem("any")
    fit = weighted_regression(
        y, design, ["1", "a", "b"], clusters=clusters % 3, weights=mass, inference=inference
    )
    assert "3 clusters for 3 terms" in fit.attrs["reason"]
    np.testing.assert_allclose(fit.coefficient, sm.WLS(y, design, weights=mass).fit().params)
    assert np.isnan(fit.p).all()


def test_rounding_leaves_no_negative_variance():
    # The intercept, the mean of two zeros, has no error.
    design = np.column_stack([np.ones(5), [1.0, 1, 0, 0, 1]])
    fit = weighted_regression(
        [0, 1, 0, 0, 1], design, ("intercept", "x"), clusters=[2, 3, 0, 0, 3], inference="cr1"
    )
    # The root of a rounding error of the variance.
    assert fit.se.iloc[0] == pytest.approx(0, abs=1e-7)
    assert fit.se.iloc[1] > 0.1
