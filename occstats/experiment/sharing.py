"""One neighbour search per fold for all descriptors that need one."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SharedSearches", "shares_search"]


def shares_search(origin: str) -> bool:
    """Whether a descriptor of this origin can take its neighbours from a shared search.

    Examples
    --------
    >>> shares_search("ALP"), shares_search("MD"), shares_search("sklearn.svm:OneClassSVM")
    (True, False, False)
    """
    from occstats_descriptors.neighbour_descriptor import NeighbourDescriptor
    from occstats_descriptors.registry import DESCRIPTORS

    kind = DESCRIPTORS.get(origin.upper())
    return kind is not None and issubclass(kind, NeighbourDescriptor)


class SharedSearches:
    """The neighbour searches of one fold, each made once at the largest size that is needed.

    The seconds of a descriptor are those it would have needed alone, but for the size of the
    search: its own and those of the searches that it uses.
    """

    def __init__(self, train: NDArray[np.float64], test: NDArray[np.float64]) -> None:
        self._train = train
        self._test = test
        self._searches: dict[tuple[Any, ...], _Search] = {}

    def fit_and_score(
        self, descriptor: Any, together: Sequence[Any]
    ) -> tuple[NDArray[np.float64], float, float]:
        """Fit one of the descriptors that share; return scores, fit seconds, query seconds."""
        key = _metric(descriptor)
        if key not in self._searches:
            alike = [other for other in [descriptor, *together] if _metric(other) == key]
            self._searches[key] = _Search(self._train, self._test, key, alike)
        search = self._searches[key]
        started = time.perf_counter()
        descriptor.fit(self._train, neighbours=search.search)
        fitted = time.perf_counter()
        scores = descriptor.score_neighbours(search.near)
        scored = time.perf_counter()
        needs_training = descriptor.training_neighbours(len(self._train)) > 0
        fit_seconds = fitted - started + (search.training_seconds if needs_training else 0.0)
        return scores, fit_seconds, scored - fitted + search.query_seconds


class _Search:
    def __init__(
        self,
        train: NDArray[np.float64],
        test: NDArray[np.float64],
        metric: tuple[Any, ...],
        descriptors: Sequence[Any],
    ) -> None:
        from occstats_descriptors.neighbours import NeighbourSearch

        n = len(train)
        self.search = NeighbourSearch(train, metric=metric[0], p=metric[1], n_jobs=1)
        started = time.perf_counter()
        largest = max(descriptor.training_neighbours(n) for descriptor in descriptors)
        if largest:
            self.search.training(largest)
        trained = time.perf_counter()
        largest = max(descriptor.query_neighbours(n) for descriptor in descriptors)
        self.near = self.search.query(test, largest)
        self.training_seconds = trained - started
        self.query_seconds = time.perf_counter() - trained


def _metric(descriptor: Any) -> tuple[Any, ...]:
    return descriptor.metric, descriptor.p
