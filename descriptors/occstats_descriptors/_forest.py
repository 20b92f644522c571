"""What the two isolation forests have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from occstats_descriptors._parameters import integer
from occstats_descriptors.base import Matrix, ThreadedDescriptor, parameter

__all__ = ["Forest"]


class Forest(ThreadedDescriptor):
    """
    Base of IF and EIF: short paths in random trees are outlying.

    A subclass implements ``_grow(X)``, which uses ``subsample_`` rows a tree, and ``_score(X)``.
    """

    n_trees: int = parameter(default=100, kind="int", meaning="Number t of trees.")
    subsample: int = parameter(
        default=256,
        kind="int",
        meaning=r"Number :math:`\psi` of target rows per tree; all of them if there are fewer.",
    )
    random_state: int | np.random.RandomState | None = parameter(
        default=0,
        kind="int, RandomState or None",
        meaning="Seed. The default is fixed, so that a description is the same each time.",
    )

    _minimum_rows = 2
    _attributes: ClassVar[dict[str, str]] = {
        "subsample_ : int": "Number of rows per tree.",
        "offset_ : float": "Threshold on the score. A forest gives no score of a row without "
        r"itself (with at most :math:`\psi` rows, each row is in each tree), so it is taken from "
        "the plain scores.",
    }

    def _fit(self, X: Matrix) -> None:
        integer(self.n_trees, "n_trees")
        self.subsample_ = min(integer(self.subsample, "subsample", 2), len(X))
        self._rows = X
        self._grow(X)

    @abstractmethod
    def _grow(self, X: Matrix) -> None: ...
