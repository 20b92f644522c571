"""The engines in R against the native one; runs where R and clusrank are installed.

``tests/reference/clusrank_cases.json`` was made by ``Rscript R/reference_values.R``.
"""

import json
import threading
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from occstats import load_results
from occstats.engines.agreement import check_engines
from occstats.engines.clusrank import EQUAL_RANKS, clusrank_pairs, exact_defect
from occstats.engines.installation import engine_versions, probe
from occstats.errors import EngineError
from occstats.stats import Sample, clustered_wilcoxon, pairwise_tests

REFERENCE = Path(__file__).parents[1] / "reference"
CASES = json.loads((REFERENCE / "clusrank_cases.json").read_text())
# R starts slowly: one way to it is enough for most tests.
embedded_only = pytest.mark.parametrize("engine", ["rpy2"], indirect=True)
ASYMPTOTIC = [case for case in CASES if not case["exact"]]
EXACT = [case for case in CASES if case["exact"]]


@cache
def missing(engine):
    """Return what is missing; cached, as every probe starts a process."""
    return probe(engine).problem and f"needs {engine}: {probe(engine).problem}"


@pytest.fixture(params=["rpy2", "rscript"])
def engine(request):
    if missing(request.param):
        pytest.skip(missing(request.param))
    return request.param


@pytest.fixture
def embedded():
    if missing("rpy2"):
        pytest.skip(missing("rpy2"))


def clusrank_test(x, clusters, *, engine="rpy2", **options):
    return clustered_wilcoxon(x, clusters, engine=engine, **options)


@pytest.fixture(scope="module")
def lenz2021():
    table = pd.read_csv(files("occstats") / "data" / "lenz2021.csv")
    return table.loc[:, "NND":].to_numpy(), table["dataset"].to_numpy()


def python_alternative(case):
    return case["alternative"].replace(".", "-")


def assert_same_tests(found, native):
    assert_allclose(found.p, native.p, rtol=0, atol=1e-10)
    assert_allclose(found.z, native.z, rtol=0, atol=1e-10)
    assert_allclose(found.statistic, native.statistic, rtol=1e-10, atol=1e-10)
    assert_allclose(found.variance, native.variance, rtol=1e-10)
    assert_array_equal(found.n_observations, native.n_observations)
    assert_array_equal(found.n_clusters, native.n_clusters)
    assert_allclose(found.intraclass_correlation, native.intraclass_correlation, atol=1e-12)
    assert found.reasons == native.reasons
    assert found.notes == native.notes


@pytest.mark.parametrize(("method", "tie_tolerance"), [("rgl", 0.0), ("rgl", 1e-9), ("ds", 1e-9)])
def test_all_pairs_of_lenz2021_agree_with_the_native_tests(lenz2021, engine, method, tie_tolerance):
    options = {"test": method, "alternative": "greater"}
    scores, datasets = lenz2021
    if method == "ds" or engine == "rscript" or not tie_tolerance:
        scores = scores[:, :3]  # slow in R
    sample = Sample.of(scores, datasets, tie_tolerance=tie_tolerance)
    found = clusrank_pairs(sample, **options, engine=engine)
    assert_same_tests(found, pairwise_tests(sample, **options))
    k = scores.shape[1]
    assert np.count_nonzero(~np.isnan(found.p)) == k * (k - 1)


@pytest.mark.parametrize("case", ASYMPTOTIC, ids=[case["id"] for case in ASYMPTOTIC])
@pytest.mark.usefixtures("embedded")
def test_reference_cases(case):
    options = {
        "mu": case["mu"],
        "test": case["method"],
        "alternative": python_alternative(case),
    }
    found = clusrank_test(case["x"], case["cluster"], **options)
    assert found.pvalue == pytest.approx(case["p_value"], abs=1e-12)
    assert found.zstatistic == pytest.approx(case["statistic"], abs=1e-12)
    assert found.variance == pytest.approx(case["var_T"], rel=1e-12)
    native = clustered_wilcoxon(case["x"], case["cluster"], **options)
    assert found.pvalue == pytest.approx(native.pvalue, abs=1e-10)
    assert found.zstatistic == pytest.approx(native.zstatistic, abs=1e-10)
    assert found.statistic == pytest.approx(native.statistic, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("case", EXACT, ids=[case["id"] for case in EXACT])
@pytest.mark.usefixtures("embedded")
def test_exact_cases_are_right_or_refused(case):
    options = {"mu": case["mu"], "null": "exact", "alternative": python_alternative(case)}
    native = clustered_wilcoxon(case["x"], case["cluster"], **options)
    differences = np.asarray(case["x"]) - case["mu"]
    codes = np.asarray(case["cluster"]) - 1
    if exact_defect(differences, codes) is not None:
        with pytest.raises(EngineError, match=r"null 'exact' of the test is refused: .*native"):
            clusrank_test(case["x"], case["cluster"], **options)
        return
    found = clusrank_test(case["x"], case["cluster"], **options)
    assert found.pvalue == pytest.approx(native.pvalue, abs=1e-12)
    assert found.statistic == native.statistic
    if case["alternative"] == "less" and "error" not in case:
        assert found.pvalue == pytest.approx(case["p_value"], abs=1e-12)


def test_exact_greater_of_the_most_extreme_sample_is_not_zero(engine):
    # Four clusters, all differences positive: one of the 2**4 sign patterns is as extreme.
    x = [0.0, 1, 2, 3, 4, 5, 6, 7, 8]
    options = {"null": "exact", "alternative": "greater"}
    found = clusrank_test(x, list("aaabbccdd"), **options, engine=engine)
    assert found.pvalue == 1 / 16
    assert found.statistic == 36
    assert np.isnan(found.zstatistic)
    assert found.n_observations == 8


@embedded_only
def test_permutation_follows_the_seed_and_comes_near_the_exact_null(engine):
    random = np.random.default_rng(5)
    clusters = np.repeat(np.arange(12), 3)
    x = random.normal(0.3, 1, 36)
    x[:2] = 0
    options = {"null": "permutation", "alternative": "greater", "engine": engine}
    first, again, other = (
        clusrank_test(x, clusters, **options, n_resamples=4000, random_state=seed).pvalue
        for seed in (1, 1, 2)
    )
    exact = clustered_wilcoxon(x, clusters, null="exact", alternative="greater").pvalue
    assert first == again != other
    assert first == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 4000))


@embedded_only
@pytest.mark.parametrize("method", ["rgl", "ds"])
def test_missing_scores_and_pairs_without_a_test_are_as_natively(engine, method):
    random = np.random.default_rng(2)
    scores = random.random((24, 5)).round(2)
    scores[:, 1] = scores[:, 0]
    scores[random.random(24) < 0.3, 2] = np.nan
    scores[3:, 4] = np.nan
    clusters = np.repeat(list("abcdefgh"), 3)
    sample = Sample.of(scores, clusters, tie_tolerance=1e-9)
    options = {"test": method, "alternative": "greater"}
    found = clusrank_pairs(sample, **options, engine=engine)
    native = pairwise_tests(sample, **options)
    assert_same_tests(found, native)
    assert found.p[0, 1] == 1
    assert (0, 4) in found.reasons
    assert np.isnan(found.p[0, 4])


@pytest.mark.usefixtures("embedded")
def test_permuting_single_differences_is_refused():
    with pytest.raises(EngineError, match="as if there were no clusters; use engine 'native'"):
        clusrank_test([1, 2, -3], [1, 2, 2], test="ds", null="permutation")


@pytest.mark.usefixtures("embedded")
def test_embedded_r_prints_nothing_and_runs_in_any_thread(capfd):
    answers = []

    def ask():
        answers.append(clusrank_test([1, 2, -3, 4], [1, 2, 2, 3]).pvalue)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 3
    assert len(set(answers)) == 1
    assert capfd.readouterr() == ("", "")


@embedded_only
def test_equal_signed_ranks_are_tested_natively_only(engine):
    clusters = np.repeat(np.arange(5), [3, 1, 1, 2, 1])
    scores = np.column_stack([np.full(8, 0.8), np.full(8, 0.7), np.linspace(0, 1, 8)])
    check = check_engines(Sample.of(scores, clusters, tie_tolerance=1e-9), engine=engine)
    assert check.agrees
    assert check.equal_ranks == [(0, 1), (1, 0)]
    assert check.n_tests == 4
    assert check.native.z[0, 1] == pytest.approx(np.sqrt(5))
    assert np.isnan(check.reference.p[0, 1])
    assert check.reference.reasons[0, 1] == EQUAL_RANKS
    assert check.sentence().endswith("where all signed ranks are equal (2 tests).")
    # Clusters of equal size leave clusrank a variance, and Datta and Satten's test always does.
    for test, grouping in (("rgl", np.arange(8) // 2), ("ds", clusters)):
        sample = Sample.of(scores, grouping, tie_tolerance=1e-9)
        check = check_engines(sample, test=test, engine=engine)
        assert check.agrees
        assert check.n_tests == 6


def test_compare_says_the_same_through_r(engine):
    from occstats import compare

    options = {"algorithms": ("ALP", "SVM", "NND"), "n_resamples": 100}
    native = compare("lenz2021", **options, null="asymptotic", correction="holm")
    found = compare("lenz2021", **options, engine=engine)
    for column in ("difference", "p", "p_unadjusted", "statistic"):
        assert_allclose(
            found.pairwise_full[column], native.pairwise_full[column], rtol=1e-10, atol=1e-10
        )
    assert found.verdict == native.verdict
    assert found.meta["engine"] == engine_versions(engine)


@embedded_only
def test_the_pair_that_clusrank_cannot_test_exactly_is_named(engine):
    results = load_results("lenz2021").select(["ALP", "SVM"])
    with pytest.raises(EngineError, match="null 'exact' of ALP against SVM is refused: there are"):
        clusrank_pairs(
            Sample.of(results.oriented, results.clusters),
            null="exact",
            names=results.algorithms,
            engine=engine,
        )
