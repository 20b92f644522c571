"""Sweeps of NND, LNND, LOF and ALP: all sizes from one neighbour search."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from occstats.experiment.tuning.areas import Areas

__all__ = ["NeighbourSweep"]

Matrix = NDArray[np.float64]


class NeighbourSweep:
    """AUROC of the neighbour-based descriptors on one fold, for any number of sizes.

    Memory is bounded by a few matrices of rows × largest size.

    Parameters
    ----------
    train, test : ndarray
        The scaled training targets and test rows.
    is_target : ndarray of bool
        The labels of the test rows; both kinds must be there.
    metric : str
        The metric.
    largest : int
        The largest number of neighbours that will be asked for, less than the training rows.
    """

    def __init__(
        self,
        train: Matrix,
        test: Matrix,
        is_target: NDArray[np.bool_],
        *,
        metric: str,
        largest: int,
    ) -> None:
        from occstats_descriptors.neighbours import NeighbourSearch

        search = NeighbourSearch(train, metric=metric, n_jobs=1)
        self._training = search.training(largest)
        self._near = search.query(test, largest)
        self._areas = Areas(is_target)

    def areas(self, descriptor: str, sizes: Sequence[Sequence[int]]) -> Matrix:
        """The AUROC for each k, or for each k (rows) and l (columns) in the case of ALP."""
        methods: dict[str, Any] = {
            "NND": self._nnd,
            "LNND": self._lnnd,
            "LOF": self._lof,
            "ALP": self._alp,
        }
        return np.asarray(methods[descriptor.upper()](*sizes))

    def _nnd(self, ks: Sequence[int]) -> Matrix:
        scores = 1 / (1 + self._near.distances[:, [k - 1 for k in ks]].T)
        return self._areas(scores)

    def _lnnd(self, ks: Sequence[int]) -> Matrix:
        from occstats_descriptors.neighbour_descriptor import ratio

        found = np.empty(len(ks))
        for place, k in enumerate(ks):
            local = self._training.distances[self._near.indices[:, k - 1], k - 1]
            found[place] = self._areas(ratio(local, self._near.distances[:, k - 1])[None])[0]
        return found

    def _lof(self, ks: Sequence[int]) -> Matrix:
        from occstats.experiment.tuning.kernels import local_factors, reachability_sums

        largest = max(ks)
        near, training = _scaled(self._near.first(largest), self._training.first(largest))
        own = np.empty(near.shape)
        theirs = np.empty(training.shape)
        indices = self._near.indices
        reachability_sums(near, indices, training, own)
        reachability_sums(training, self._training.indices, training, theirs)
        scores = np.empty(near.shape[::-1])
        local_factors(own, indices, theirs, scores)
        return self._areas(scores[[k - 1 for k in ks]])

    def _alp(self, ks: Sequence[int], ls: Sequence[int]) -> Matrix:
        from occstats.experiment.tuning.kernels import advance_sums, localised_proximities

        scales = max(ks)
        near, training = _scaled(self._near.first(scales), self._training.first(scales))
        sums, double_sums = np.zeros(near.shape), np.zeros(near.shape)
        scores = np.empty(near.shape[::-1])
        rows = np.array(ks) - 1
        all_rows = len(rows) == scales
        columns = {l: place for place, l in enumerate(ls)}  # noqa: E741 - the paper's name
        found = np.empty((len(ks), len(ls)))
        for l in range(1, max(ls) + 1):  # noqa: E741
            advance_sums(
                np.ascontiguousarray(self._near.indices[:, l - 1]), training, sums, double_sums
            )
            if l in columns:
                localised_proximities(near, double_sums, 2 / (l * (l + 1)), scores)
                found[:, columns[l]] = self._areas(scores if all_rows else scores[rows])
        return found


def _scaled(near: Any, training: Any) -> tuple[Matrix, Matrix]:
    """Both kinds of distances in a unit that keeps sums of them finite: ratios do not change."""
    largest = max(near.distances.max(), training.distances.max())
    scale = 2.0**-40 if largest > 2.0**980 else 1.0
    return (
        np.ascontiguousarray(near.distances) * scale,
        np.ascontiguousarray(training.distances) * scale,
    )
