"""Contract that all descriptors satisfy."""

import inspect
import re

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import occstats_descriptors
from occstats_descriptors import (
    ALP,
    DESCRIPTORS,
    EIF,
    IF,
    LNND,
    LOF,
    MD,
    NND,
    SAE,
    SVM,
    make,
)
from occstats_descriptors.neighbours import NeighbourDescriptor
from occstats_descriptors.registry import hyperparameters

RANDOM = {name for name in DESCRIPTORS if "random_state" in make(name).get_params()}
NEIGHBOURS = [name for name, kind in DESCRIPTORS.items() if issubclass(kind, NeighbourDescriptor)]


def quick(name, **parameters):
    if name in RANDOM:
        parameters = {"random_state": 0, **parameters}
    if name == "SAE":
        parameters = {"max_epochs": 20, **parameters}  # the contract does not depend on them
    return make(name, **parameters)


every = pytest.mark.parametrize("name", DESCRIPTORS)

# Two checks compare the number of rejected training rows with `contamination`, treating the rows as
# new ones. The threshold is from scores that exclude the row itself (its own neighbour, or its part
# in mean and covariance), so that the numbers differ.
REASON = "the threshold is from leave-one-out scores"
COUNTS = {"check_outliers_train": REASON, "check_outliers_fit_predict": REASON}
LEAVE_ONE_OUT = (NND, LNND, LOF, ALP, MD)


@parametrize_with_checks(
    [
        NND(), LNND(), LOF(), ALP(), MD(), SVM(), SVM(solver="native"), IF(n_trees=10),
        EIF(n_trees=10), SAE(max_epochs=20),
    ],
    expected_failed_checks=lambda each: COUNTS if isinstance(each, LEAVE_ONE_OUT) else {},
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::occstats_descriptors.MixedClassesWarning")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_the_nine():
    assert list(DESCRIPTORS) == ["NND", "LNND", "LOF", "MD", "SVM", "IF", "EIF", "SAE", "ALP"]
    assert set(DESCRIPTORS) <= set(occstats_descriptors.__all__)
    assert all(getattr(occstats_descriptors, name) is kind for name, kind in DESCRIPTORS.items())
    assert NEIGHBOURS == ["NND", "LNND", "LOF", "ALP"]
    assert sorted(RANDOM) == ["EIF", "IF", "SAE"]


@every
def test_the_documentation_is_complete(name, cloud):
    documented = inspect.getdoc(DESCRIPTORS[name])
    sections = dict(re.findall(r"^(\w+)\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", documented, re.M | re.S))
    assert list(sections) == [
        title
        for title in ("Parameters", "Attributes", "Notes", "References", "Examples")
        if title != "Notes" or title in sections
    ]
    signature = inspect.signature(DESCRIPTORS[name]).parameters
    assert {each.kind for each in signature.values()} == {inspect.Parameter.KEYWORD_ONLY}
    written = dict(re.findall(r"^(\w+) : .*, default (.+)$", sections["Parameters"], re.M))
    assert written == {key: repr(each.default) for key, each in signature.items()}
    fitted = {key for key in vars(quick(name).fit(cloud[0])) if re.fullmatch(r"[a-z]\w*_", key)}
    attributes = set(re.findall(r"^(\w+) : ", sections["Attributes"], re.M))
    assert fitted - {"n_features_in_"} <= attributes - {"offset_"}
    # author, year in brackets, title
    works = sections["References"].strip().split("\n\n")
    assert all(re.match(r".+ \(\d{4}\)\. \w", " ".join(work.split())) for work in works)


def test_the_hyperparameters_of_the_paper():
    # table of defaults in Lenz et al. (2021); a, b: in units of log n
    found = {
        name: {h.name: (h.text, h.point) for h in hyperparameters(name)}
        for name in DESCRIPTORS
        if hyperparameters(name)
    }
    assert found == {
        "NND": {"k": ("1", ("k", 1))},
        "LNND": {"k": ("3.4 log n", ("a", 3.4))},
        "LOF": {"k": ("2.5 log n", ("a", 2.5))},
        "SVM": {"nu": ("0.20", ("nu", 0.20)), "c": ("0.25 m", ("c", 0.25))},
        "ALP": {"k": ("5.5 log n", ("a", 5.5)), "l": ("6.0 log n", ("b", 6.0))},
    }
    alp = {h.name: dict(h.scales) for h in hyperparameters("ALP")}
    assert alp == {"k": {"k": "count", "a": "log"}, "l": {"l": "count", "b": "log"}}


def test_make():
    assert repr(make("alp", k=5)) == "ALP(k=5)"


@every
def test_scores_are_in_the_unit_interval_and_low_far_away(name, cloud):
    X, Y = cloud
    far = np.array([[40] * 4, [1e3] * 4, [1e30, 0, 0, 0], [-1e9, 1e9, 0, 1]])
    scores = quick(name).fit(X).score_samples(np.vstack([X, Y, far]))
    assert scores.dtype == np.float64
    assert ((scores >= 0) & (scores <= 1)).all()
    assert (scores[-4:] < np.median(scores[: len(X)])).all()


@pytest.mark.parametrize("name", [name for name in DESCRIPTORS if name not in RANDOM])
def test_the_order_of_rows_does_not_matter(name, cloud):
    X, Y = cloud
    shuffled = X[np.random.default_rng(0).permutation(len(X))]
    expected = quick(name).fit(X).score_samples(Y)
    tolerance = 1e-3 if name == "SVM" else 1e-11  # the solver stops at a tolerance
    np.testing.assert_allclose(quick(name).fit(shuffled).score_samples(Y), expected, rtol=tolerance)


@every
def test_decisions_follow_from_scores(name, cloud):
    X, Y = cloud
    descriptor = quick(name, contamination=0.25).fit(X)
    decisions = descriptor.decision_function(Y)
    np.testing.assert_allclose(decisions, descriptor.score_samples(Y) - descriptor.offset_)
    np.testing.assert_array_equal(descriptor.predict(Y), np.where(decisions >= 0, 1, -1))
    assert (descriptor.fit_predict(X) == -1).sum() == 15
    scores = descriptor._training_scores()
    assert descriptor.offset_ == pytest.approx(np.quantile(scores, 0.25))


@every
@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(0).normal(size=(4, 7)),
        np.zeros((6, 2)),
        np.repeat([[0.0, 1.0], [2.0, 1.0]], 5, axis=0),
        np.random.default_rng(1).normal(size=(2, 1)),
    ],
    ids=["four rows", "one row six times", "a constant attribute", "two rows"],
)
def test_degenerate_data_have_finite_scores(name, rows):
    descriptor = quick(name).fit(rows)
    scores = descriptor.score_samples(np.vstack([rows, rows + 0.5, rows * 1e6 - 3]))
    assert ((scores >= 0) & (scores <= 1)).all()
    assert np.isfinite(descriptor.offset_)


@every
def test_what_scikit_learn_does_not_check_is_refused(name, cloud):
    X, _ = cloud
    with pytest.raises(NotFittedError):
        _ = quick(name).offset_
    with pytest.raises(ValueError, match=r"1 sample\(s\)"):
        quick(name).fit(X[:1])


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_a_search_can_be_shared(name, lattice):
    X, Y = lattice
    search = occstats_descriptors.NeighbourSearch(X)
    expected = make(name).fit(X)
    shared = make(name).fit(X, neighbours=search)
    n = len(X)
    near = search.query(Y, 40)
    np.testing.assert_array_equal(shared.score_neighbours(near), expected.score_samples(Y))
    assert shared.offset_ == expected.offset_
    assert shared.query_neighbours(n) == shared.n_neighbours_
    assert shared.training_neighbours(n) <= n - 1
    np.testing.assert_array_equal(
        make(name).fit_predict(X, neighbours=search), make(name).fit_predict(X)
    )


@every
@pytest.mark.filterwarnings("ignore:SVM sees no similarity")
@pytest.mark.parametrize("scale", [1e9, 1e300, np.array([1e-300, 1.0, 1e300])])
def test_extreme_scales_have_finite_scores(name, scale):
    rows = np.random.default_rng(2).normal(size=(20, 3)) * scale
    descriptor = quick(name).fit(rows)
    scores = descriptor.score_samples(np.vstack([rows, rows + 100, np.full((1, 3), -1e308)]))
    assert ((scores >= 0) & (scores <= 1)).all()
    assert np.isfinite(descriptor.offset_)


@every
@pytest.mark.parametrize(("n", "m"), [(900, 120), (4200, 5)])
def test_the_number_of_threads_changes_nothing(name, n, m):
    rows = np.random.default_rng(5).normal(size=(n, m))
    scores = []
    for threads in (1, 2):
        jobs = {"n_jobs": threads} if "n_jobs" in make(name).get_params() else {}
        with threadpool_limits(limits=threads):
            scores.append(quick(name, **jobs).fit(rows).score_samples(rows[:600] + 0.5))
    np.testing.assert_array_equal(*scores)
