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

from occstats.engines.clusrank import EQUAL_RANKS, check_engines, clusrank_pairs
from occstats.engines.installation import engine_versions, probe
from occstats.stats import Sample, clustered_wilcoxon, pairwise_tests

REFERENCE = Path(__file__).parents[1] / "reference"
CASES = json.loads((REFERENCE / "clusrank_cases.json").read_text())
# R starts slowly: one way to it is enough for most tests.
embedded_only = pytest.mark.parametrize("engine", ["rpy2"], indirect=True)
ASYMPTOTIC = [case for case in CASES if not case["exact"]]


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


def clusrank_test(x, clusters, **options):
    return clusrank_pairs(Sample.of(np.column_stack([x, np.zeros(len(x))]), clusters), **options)


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
    options = {"test": case["method"], "alternative": python_alternative(case)}
    found = clusrank_test(np.asarray(case["x"]) - case["mu"], case["cluster"], **options)
    assert found.p[0, 1] == pytest.approx(case["p_value"], abs=1e-12)
    assert found.z[0, 1] == pytest.approx(case["statistic"], abs=1e-12)
    assert found.variance[0, 1] == pytest.approx(case["var_T"], rel=1e-12)
    native = clustered_wilcoxon(case["x"], case["cluster"], mu=case["mu"], **options)
    assert found.p[0, 1] == pytest.approx(native.pvalue, abs=1e-10)
    assert found.z[0, 1] == pytest.approx(native.zstatistic, abs=1e-10)
    assert found.statistic[0, 1] == pytest.approx(native.statistic, rel=1e-10, abs=1e-10)


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
def test_embedded_r_prints_nothing_and_runs_in_any_thread(capfd):
    answers = []

    def ask():
        answers.append(clusrank_test([1, 2, -3, 4], [1, 2, 2, 3]).p[0, 1])

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
