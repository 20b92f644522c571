"""Isolation forest, and the base of both isolation forests."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state

from occstats_descriptors._kernels import Array, Integers, Matrix, Single, Vector
from occstats_descriptors._kernels.threads import for_each_block, thread_count
from occstats_descriptors.base import Descriptor, integer

# Two arrays that inner nodes compare with, their children, and the path lengths of the leaves.
Tree = tuple[Array, ...]

_SCORE_BLOCK = 256
_SAMPLINGS = ("scikit-learn", "scikit-learn-0.22")


class Forest(Descriptor):
    """
    Base of IF and EIF: rows with short paths in random trees are outlying.

    A subclass implements

    - ``_grower(X)``: return the function that grows tree i from ``subsample_`` rows to ``_height``;
    - ``_score(X)``, from the sums that ``_paths(X, sum_of_paths)`` returns.

    Its parameters are documented in the subclasses.
    """

    def __init__(
        self,
        *,
        n_trees: int = 100,
        subsample: int = 256,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(contamination=contamination)
        self.n_trees = n_trees
        self.subsample = subsample
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Matrix) -> None:
        integer(self.n_trees, "n_trees")
        self.subsample_ = min(integer(self.subsample, "subsample", 2), len(X))
        self._height = math.ceil(math.log2(self.subsample_))
        self._rows = X
        grow = self._grower(X)
        trees: list[Tree] = [()] * self.n_trees

        def work(part: slice) -> None:
            for tree in range(part.start, part.stop):
                trees[tree] = grow(tree)

        block = max(1, -(-self.n_trees // 16))
        for_each_block(work, self.n_trees, block, thread_count(self.n_jobs))
        starts = np.cumsum([0, *(len(tree[2]) for tree in trees)], dtype=np.int64)
        leaf_starts = starts + np.arange(len(starts))  # a tree has one leaf more than inner nodes
        arrays = (np.concatenate(parts) for parts in zip(*trees, strict=True))
        self._forest = (starts, leaf_starts, *arrays)

    def _paths(self, X: Array, sum_of_paths: Callable[..., None]) -> Vector:
        """Sum the path lengths of rows over the trees."""
        total = np.empty(len(X))

        def work(part: slice) -> None:
            sum_of_paths(X[part], *self._forest, total[part])

        for_each_block(work, len(X), _SCORE_BLOCK, thread_count(self.n_jobs))
        return total

    @abstractmethod
    def _grower(self, X: Matrix) -> Callable[[int], Tree]: ...


class IF(Forest):
    r"""
    Isolation forest: the number of random splits along attributes that isolate a row.

    Each of t trees splits a random subsample of :math:`\psi` target rows at random values of random
    attributes, to a height of at most :math:`\lceil\log_2 \psi\rceil`. With :math:`h_T(y)` the
    length of the path of y in tree T, plus :math:`c(j)` for the j rows left in its leaf, the score
    is

    .. math::

        1 - s(y), \qquad s(y) = 2^{-\frac{1}{t} \sum_T h_T(y) / c(\psi)}, \qquad
        c(i) = 2 H_{i - 1} - 2 (i - 1) / i,

    with :math:`H` the harmonic numbers, taken as :math:`H_i = \ln i + \gamma` and exact up to
    :math:`H_1`. For equal seeds, the trees and the scores are those of scikit-learn, bit for bit,
    in a fraction of its time.

    Parameters
    ----------
    sampling : {"scikit-learn", "scikit-learn-0.22"}, default 'scikit-learn'
        Release of scikit-learn whose trees are grown: since 0.23, or up to 0.22, with which Lenz et
        al. (2021) made their table. Up to 0.22, one stream of random numbers gave the seed of a
        tree and then its rows, whereas now each has the stream from its start; and a node was not
        split if the variance of its random targets was at most 1e-7, now the machine epsilon.
    n_trees : int, default 100
        Number t of trees.
    subsample : int, default 256
        Number :math:`\psi` of target rows per tree; all of them if there are fewer.
    random_state : int, RandomState or None, default 0
        Seed. The default is fixed, so that repeated fits are equal.
    n_jobs : int or None, default None
        Number of threads; −1 and None for all cores. The scores do not depend on it.
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    subsample_ : int
        Number of rows per tree.
    offset_ : float
        Threshold on the score, from the plain scores of the training rows: a forest has no
        leave-one-out scores (with at most :math:`\psi` rows, each row is in each tree).

    Notes
    -----
    Like scikit-learn, the trees compare attributes in single precision, treat attributes that vary
    by at most 1e-7 as constant, and do not split rows whose random targets agree.

    References
    ----------
    F. T. Liu, K. M. Ting, Z.-H. Zhou (2008). Isolation Forest. Eighth IEEE International Conference
    on Data Mining, 413–422.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.ensemble import IsolationForest
    >>> from occstats.descriptors import IF
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> inside, outside = IF().fit(rows).score_samples([[0.0, 0.0], [6.0, 6.0]])
    >>> bool(inside > 0.5 > outside)
    True
    >>> forest = IsolationForest(random_state=0).fit(rows)
    >>> np.array_equal(IF().fit(rows).score_samples(rows), 1 + forest.score_samples(rows))
    True
    """

    def __init__(
        self,
        *,
        sampling: str = "scikit-learn",
        n_trees: int = 100,
        subsample: int = 256,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        contamination: float = 0.1,
    ) -> None:
        super().__init__(
            n_trees=n_trees,
            subsample=subsample,
            random_state=random_state,
            n_jobs=n_jobs,
            contamination=contamination,
        )
        self.sampling = sampling

    def _fit(self, X: Matrix) -> None:
        if self.sampling not in _SAMPLINGS:
            raise ValueError(
                f"sampling must be one of {', '.join(_SAMPLINGS)}, got {self.sampling!r}."
            )
        if np.ptp(_single(X), axis=0).max() <= 1e-7 and (X[0] != X).any():
            warnings.warn(
                "IF sees no difference between training rows, as no attribute varies by more than "
                "1e-7 in single precision: scale the attributes first, for example with "
                "RobustScaler.",
                stacklevel=3,
            )
        super()._fit(X)

    def _grower(self, X: Matrix) -> Callable[[int], Tree]:
        from sklearn.utils.random import sample_without_replacement

        from occstats_descriptors._kernels.isolation_trees import LARGEST, average_paths, grow

        rows = _single(X)
        old = self.sampling == "scikit-learn-0.22"
        purity = 1e-7 if old else float(np.finfo(np.float64).eps)
        # Like scikit-learn: a seed restarts the stream for the second draw, a generator continues.
        target = check_random_state(self.random_state).uniform(size=len(X))
        seeds = check_random_state(self.random_state).randint(LARGEST, size=self.n_trees)
        paths = average_paths(self.subsample_)
        self._scale = self.n_trees * paths[self.subsample_ :]

        stream = np.random.RandomState()  # one for all trees: making one takes longer than a tree
        draws: list[tuple[Integers, int]] = []
        for seed in seeds:
            stream.seed(seed)
            seed_of_tree = stream.randint(LARGEST)
            if not old:
                stream.seed(seed)
            samples = np.arange(len(X))
            if self.subsample_ < len(X):
                samples = sample_without_replacement(len(X), self.subsample_, random_state=stream)
            stream.seed(seed_of_tree)
            draws.append((np.sort(samples), stream.randint(LARGEST)))

        return lambda tree: grow(rows, target, *draws[tree], purity, self._height, paths)

    def _score(self, X: Matrix) -> Vector:
        from occstats_descriptors._kernels.isolation_trees import sum_of_paths

        # In the order of scikit-learn's operations: other orders differ in the last digit.
        total = self._paths(_single(X), sum_of_paths)
        return np.clip(1.0 - 2 ** -(total / self._scale), 0.0, 1.0)


def _single(rows: Matrix) -> Single:
    """Round to single precision, in which scikit-learn's trees compare, within its range."""
    return np.clip(rows, -1e38, 1e38).astype(np.float32)
