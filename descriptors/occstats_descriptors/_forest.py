"""What the two isolation forests have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from occstats_descriptors._kernels.threads import for_each_block
from occstats_descriptors._parameters import integer
from occstats_descriptors.base import Matrix, ThreadedDescriptor, Vector, parameter

__all__ = ["Forest", "Tree"]

_SCORE_BLOCK = 256

Tree = tuple[NDArray[Any], ...]
"""What the inner nodes compare (two arrays), their children, and the path lengths of the leaves."""


class Forest(ThreadedDescriptor):
    """
    Base of IF and EIF: short paths in random trees are outlying.

    A subclass implements

    - ``_grower(X)``: the function that grows tree i from ``subsample_`` rows to ``_height``;
    - ``_add_paths(X, *forest, result)``: the path lengths of rows, added up over the trees;
    - ``_score(X)``, from the sums that ``_paths(X)`` gives.
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
        grow = self._grower(X)
        trees: list[Tree] = [()] * self.n_trees

        def work(part: slice) -> None:
            for tree in range(part.start, part.stop):
                trees[tree] = grow(tree)

        for_each_block(work, self.n_trees, max(1, -(-self.n_trees // 16)), self._threads)
        starts = np.cumsum([0, *(len(tree[2]) for tree in trees)], dtype=np.int64)
        leaf_starts = starts + np.arange(len(starts))  # a tree has one leaf more than inner nodes
        arrays = (np.concatenate(parts) for parts in zip(*trees, strict=True))
        self._forest = (starts, leaf_starts, *arrays)

    @property
    def _height(self) -> int:
        """Greatest height of a tree."""
        return math.ceil(math.log2(self.subsample_))

    def _paths(self, X: NDArray[Any]) -> Vector:
        """Add up the path lengths of rows over the trees."""
        total = np.empty(len(X))

        def work(part: slice) -> None:
            self._add_paths(X[part], *self._forest, total[part])

        for_each_block(work, len(X), _SCORE_BLOCK, self._threads)
        return total

    @abstractmethod
    def _grower(self, X: Matrix) -> Callable[[int], Tree]: ...

    @abstractmethod
    def _add_paths(self, X: NDArray[Any], *forest_and_result: NDArray[Any]) -> None: ...
