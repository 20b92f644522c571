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
        The values of ν and of the kernel width c.
    """
    from occstats_descriptors.svm_path import SupportVectorPath

    areas = Areas(is_target)
    found = np.empty((len(nus), len(widths)))
    with warnings.catch_warnings():
        # Where the tolerance is out of reach the best that was found counts, as in a fit.
        warnings.filterwarnings("ignore", message="The one-class support vector problem")
        for place, width in enumerate(widths):
            path = SupportVectorPath(train, c=width, n_jobs=1)
            found[:, place] = areas(path.scores(nus, test).T)
    return found
