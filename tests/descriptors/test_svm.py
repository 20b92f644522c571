"""The one-class support vector machine against its definition and LIBSVM."""

import numpy as np
import pytest
from scipy.optimize import minimize

from occstats_descriptors import SVM, dimension_multiple
from occstats_descriptors._kernels.exponentials import single_exponentials
from occstats_descriptors._kernels.gaussian_kernel import kernel_matrix, kernel_times
from occstats_descriptors._kernels.smo import OneClassProblem
from occstats_descriptors.svm_grid import SupportVectorGrid

KINDS = ("gaussian", "clustered", "integer")


def sample(n, m, kind="gaussian", seed=0):
    rng = np.random.default_rng(seed)
    if kind == "gaussian":
        return rng.normal(size=(n, m))
    if kind == "integer":
        return rng.integers(0, 4, size=(n, m)).astype(float)
    centres = 3 * rng.normal(size=(5, m))
    return centres[rng.integers(0, 5, n)] + 0.4 * rng.normal(size=(n, m))


def defined_kernel(a, b, c):
    return np.array([[np.exp(-((x - y) ** 2).sum() / c) for y in b] for x in a])


def solved(rows, nu, c):
    """Solve the dual of the paper (the weights sum to 1) with a general-purpose optimiser."""
    n = len(rows)
    matrix = defined_kernel(rows, rows, c)
    found = minimize(
        lambda a: a @ matrix @ a / 2,
        np.full(n, 1 / n),
        jac=lambda a: matrix @ a,
        bounds=[(0, 1 / (nu * n))] * n,
        constraints={"type": "eq", "fun": lambda a: a.sum() - 1, "jac": lambda a: np.ones(n)},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-15},
    )
    return found.x, found.fun


def defined_scores(training, rows, alpha, rho, c):
    distance = defined_kernel(rows, training, c) @ alpha - rho
    return (distance / (abs(distance) + 1) + 1) / 2


@pytest.mark.parametrize("solver", ["libsvm", "native"])
@pytest.mark.parametrize(("nu", "c"), [(0.2, 1.0), (0.5, 4.0), (0.05, 0.5), (1.0, 2.0)])
def test_solves_the_problem_of_the_paper(solver, nu, c):
    rows = sample(15, 2)
    descriptor = SVM(nu=nu, c=c, solver=solver, tol=1e-7).fit(rows)
    alpha, objective = solved(rows, nu, c)
    assert descriptor.objective_ == pytest.approx(objective, rel=1e-5)
    assert descriptor.alpha_.sum() == pytest.approx(1, abs=1e-9)
    assert descriptor.alpha_.max() <= 1 / (nu * 15) * (1 + 1e-9)
    found = np.zeros(15)
    found[descriptor.support_] = descriptor.alpha_
    np.testing.assert_allclose(found, alpha, atol=2e-4)
    queries = sample(6, 2, seed=1)
    expected = defined_scores(rows, queries, found, descriptor.rho_, c)
    np.testing.assert_allclose(descriptor.score_samples(queries), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("kind", "nu", "n", "tolerance"),
    [
        *((kind, nu, 300, 1e-5) for kind in KINDS for nu in (0.05, 0.2, 0.7)),
        *[("gaussian", 0.2, 4500, 1e-3), ("clustered", 0.05, 4500, 1e-3)],
    ],
)
def test_same_solution_as_libsvm(kind, nu, n, tolerance):
    rows = sample(n, 5, kind)
    native = SVM(nu=nu, solver="native", tol=tolerance).fit(rows)
    libsvm = SVM(nu=nu, solver="libsvm", tol=tolerance).fit(rows)
    assert native.objective_ == pytest.approx(libsvm.objective_, rel=1e-5)
    assert native.rho_ == pytest.approx(libsvm.rho_, rel=1e-3)
    queries = sample(200, 5, kind, seed=1)
    # The tolerance is one of νn times the distance, and of the gradient in training rows: where it
    # stops, LIBSVM is up to 1.6 tolerances from its own scores at a tolerance of 1e-7, and the
    # native solver up to 0.8. With fewer rows the same bound is checked a hundred times closer.
    np.testing.assert_allclose(
        native.score_samples(queries), libsvm.score_samples(queries), atol=5 * tolerance / (nu * n)
    )
    if kind != "integer":  # coinciding rows may share their weight in any way
        # Weights, as a share of the largest possible one, agree as well as either solver's agree
        # with those of a thousand times smaller tolerance; so do the rows that have any.
        weights = np.zeros((2, n))
        for row, descriptor in zip(weights, (native, libsvm), strict=True):
            row[descriptor.support_] = descriptor.alpha_ * nu * n
        assert np.abs(weights[0] - weights[1]).max() < 0.05
        one_sided = (weights > 0).sum(axis=0) == 1
        assert weights[:, one_sided].max(initial=0) < 0.02


def test_stopping_rule_holds_for_all_rows():
    rows = sample(5000, 6, "clustered")
    solution = OneClassProblem(rows, 1 / 1.5, working_set=600).solve(0.3)
    weight = solution.weight
    assert weight.min() >= 0
    assert weight.max() == 1
    assert weight.sum() == pytest.approx(0.3 * 5000)
    gradient = kernel_times(rows, rows, weight, 1 / 1.5)
    assert gradient[weight > 0].max() - gradient[weight < 1].min() < 2e-3


@pytest.mark.parametrize("n", [400, 4600])
def test_path_along_nu_from_neighbouring_solutions(n):
    rows = sample(n, 4, "clustered")
    problem = OneClassProblem(rows, 1.0)
    nus = (0.1, 0.35, 0.3, 0.9, 1.0)
    for nu, last in zip(nus, problem.follow(nus), strict=True):
        fresh = problem.solve(nu)
        assert last.alpha.sum() == pytest.approx(1)
        assert last.objective == pytest.approx(fresh.objective, rel=1e-5)
        assert last.rho == pytest.approx(fresh.rho, rel=2e-3)


def test_kernel_in_blocks_equals_the_formula():
    a, b = sample(70, 3), sample(50, 3, seed=1)
    expected = defined_kernel(a, b, 2.0)
    np.testing.assert_allclose(kernel_matrix(a, b, 0.5), expected, rtol=2e-6)
    weights = np.linspace(-1, 1, 50)
    np.testing.assert_allclose(kernel_times(a, b, weights, 0.5), expected @ weights, rtol=1e-11)


@pytest.mark.parametrize("distance", [1e3, 1e6, 1e12])
def test_kernel_far_from_the_origin(distance):
    rows = sample(20, 3)
    rows[:10] += distance
    expected = defined_kernel(rows, rows, 2.0)
    np.testing.assert_allclose(kernel_matrix(rows, rows, 0.5), expected, atol=1e-6)
    np.testing.assert_allclose(
        kernel_times(rows, rows, np.ones(20), 0.5), expected.sum(axis=1), rtol=1e-6
    )


def test_the_width_is_a_number_or_a_function_of_the_dimension():
    assert SVM().fit(sample(30, 8)).c_ == 2.0
    assert SVM(c=3).fit(sample(30, 8)).c_ == 3.0
    assert SVM(c=lambda m: m / 2).fit(sample(30, 8)).c_ == 4.0


@pytest.mark.parametrize("solver", ["libsvm", "native"])
def test_warns_of_rows_too_far_apart_or_too_near_for_the_kernel(solver):
    rows = sample(60, 8)
    SVM(solver=solver).fit(rows)
    for factor, remedy in (
        (1000, "no similarity .* increase"),
        (1e-9, "no difference .* decrease"),
    ):
        with pytest.warns(UserWarning, match=remedy):
            SVM(solver=solver).fit(factor * rows)


def test_width_prints_as_written():
    assert repr(dimension_multiple(0.25)) == "dimension_multiple(0.25)"
    assert repr(SVM(c=dimension_multiple(0.5))) == "SVM(c=dimension_multiple(0.5))"
    assert repr(SVM()) == "SVM()"


@pytest.mark.parametrize(
    ("n", "nus", "widths"),
    [(250, [0.5, 0.05, 0.2, 0.5, 1.0], [3.0, 8.0, 3.0]), (4300, [0.5, 0.05], [8.0])],
)
def test_grid_scores_equal_single_fits_with_equal_rows_merged(n, nus, widths):
    # A grid of integers: few distinct rows, each several times, and others.
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.poisson(4.0, size=(250, 2)), rng.integers(0, 400, size=(n, 2))])
    queries = rng.integers(0, 12, size=(40, 2))
    grid = SupportVectorGrid(rows, queries)
    for width in widths:
        scores = grid.scores(nus, width)
        for column, nu in enumerate(nus):
            single = SVM(nu=nu, c=width, solver="native").fit(rows).score_samples(queries)
            np.testing.assert_allclose(scores[:, column], single, atol=2e-3 / (nu * len(rows)))


def test_exponentials_in_single_precision_are_exact_to_two_units_in_the_last_place():
    squares = np.concatenate([[0.0], np.geomspace(1e-6, 200, 5001)]).astype(np.float32)[None]
    found = np.empty_like(squares)
    single_exponentials(squares, np.float32(-1), found, np.empty(squares.shape[1], np.int32))
    exact = np.exp(-squares.astype(np.float64))
    normal = squares < 87  # beyond, the exponential is below the smallest normal number
    spacing = np.spacing(exact.astype(np.float32))
    assert (np.abs(found - exact)[normal] <= 2 * spacing[normal]).all()
    assert (found[~normal] == 0).all()
