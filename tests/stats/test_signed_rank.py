"""The clustered signed-rank test against clusrank, against enumeration, and by its symmetries.

Reference values: ``clusrank_cases.json`` and ``clusrank_paper.csv`` hold what
``clusrank::clusWilcox.test(x, cluster = c, paired = TRUE, mu = , alternative = , method = ,
exact = )`` of clusrank 1.0-4 on R 4.2.2 returned.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from occstats.stats import clustered_wilcoxon, clustered_wilcoxon_pairs

REFERENCE = Path(__file__).parents[1] / "reference"
CASES = json.loads((REFERENCE / "clusrank_cases.json").read_text())
ASYMPTOTIC = [case for case in CASES if not case["exact"] and "error" not in case]
EXACT = [case for case in CASES if case["exact"]]
ALGORITHMS = ["NND", "LNND", "LOF", "MD", "SVM", "IF", "EIF", "SAE", "ALP"]


def identifier(case):
    return case["id"]


@pytest.fixture(scope="module")
def paper():
    return pd.read_csv(REFERENCE / "auroc.csv", keep_default_na=False)


@pytest.mark.parametrize("case", ASYMPTOTIC, ids=identifier)
def test_agrees_with_clusrank(case):
    result = clustered_wilcoxon(
        case["x"],
        case["cluster"],
        mu=case["mu"],
        method=case["method"],
        alternative=case["alternative"].replace(".", "-"),
    )
    assert result.zstatistic == pytest.approx(case["statistic"], rel=1e-10, abs=1e-10)
    assert result.pvalue == pytest.approx(case["p_value"], rel=1e-10, abs=1e-10)
    assert result.variance == pytest.approx(case["var_T"], rel=1e-10)
    assert (result.n_observations, result.n_clusters) == (case["nobs"], case["nclus"])
    if case["T"] is not None:
        assert result.statistic == pytest.approx(case["T"], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("method", ["rgl", "ds"])
@pytest.mark.parametrize(("differences", "tolerance"), [("raw", 0.0), ("rounded9", 1e-9)])
def test_agrees_with_clusrank_on_the_paper(paper, method, differences, tolerance):
    expected = pd.read_csv(REFERENCE / "clusrank_paper.csv", keep_default_na=False)
    rows = expected[(expected["method"] == method) & (expected["differences"] == differences)]
    assert len(rows) == 72
    tests = clustered_wilcoxon_pairs(
        paper[ALGORITHMS].to_numpy(),
        paper["dataset"].to_numpy(),
        method=method,
        alternative="greater",
        tie_tolerance=tolerance,
    )
    a = rows["a"].map(ALGORITHMS.index)
    b = rows["b"].map(ALGORITHMS.index)
    np.testing.assert_allclose(tests.z[a, b], rows["Z"], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(tests.p[a, b], rows["p"], rtol=1e-10, atol=0)
    np.testing.assert_array_equal(tests.n_observations[a, b], rows["nobs"])
    np.testing.assert_array_equal(tests.n_clusters[a, b], rows["nclus"])
