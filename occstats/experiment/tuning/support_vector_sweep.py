"""Sweep of SVM: one kernel per width, and each ν solved from the solution for the last one."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from occstats.experiment.tuning.areas import Areas

__all__ = ["support_vector_areas"]

Matrix = NDArray[np.float64]


def support_vector_areas(
    train: Matrix,
    test: Matrix,
    is_target: NDArray[np.bool_],
    nus: Sequence[float],
    widths: Sequence[float],
) -> Matrix:
    """AUROC of SVM for each ν (rows) and kernel width c (columns).

    For one width the kernel of the training rows is made once, the problem for a ν starts from the
    solution for the one before, and the test rows are scored for all ν in one product. Solutions
    are those of the descriptor to the solver's tolerance, not to the last bit.

    Parameters
    ----------
    train, test : ndarray
        The scaled training targets and test rows.
    is_target : ndarray of bool
        The labels of the test rows; both kinds must be there.
    nus, widths : sequence of float
        The values of ν, increasing, and of the kernel width c.
    """
    from occstats_descriptors._svm_kernel import kernel_times
    from occstats_descriptors._svm_solver import OneClassProblem, Solution
    from occstats_descriptors.svm import signed_distance_score

    centre = train.mean(axis=0)
    rows, queries = train - centre, test - centre
    areas = Areas(is_target)
    found = np.empty((len(nus), len(widths)))
    for place, width in enumerate(widths):
        problem = OneClassProblem(rows, 1 / width)
        solution: Solution | None = None
        alphas = np.empty((len(rows), len(nus)))
        offsets = np.empty(len(nus))
        with warnings.catch_warnings():
            # Where the tolerance is out of reach the best that was found counts, as in the fit.
            warnings.filterwarnings("ignore", message="The one-class support vector problem")
            for column, nu in enumerate(nus):
                solution = problem.solve(nu, solution)
                alphas[:, column], offsets[column] = solution.alpha, solution.rho
        used = alphas.any(axis=1)
        values = kernel_times(queries, rows[used], alphas[used], 1 / width) - offsets
        found[:, place] = areas(signed_distance_score(values).T)
    return found
