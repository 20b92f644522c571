"""The contract of a data descriptor."""

from __future__ import annotations

from abc import abstractmethod
from collections import ChainMap
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from occstats_descriptors._documentation import complete, parameter
from occstats_descriptors._kernels.threads import thread_count

__all__ = ["Descriptor", "ThreadedDescriptor", "parameter"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


class _Threshold:
    """The threshold of a fitted descriptor, made from training scores when first asked for."""

    def __init__(self, contamination: float) -> None:
        self.contamination = contamination
        self.value: float | None = None


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter,))
@dataclass(kw_only=True, eq=False, repr=False)
class Descriptor(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """
    Base of the data descriptors: a scikit-learn outlier detector with scores in [0, 1].

    A descriptor generalises a finite set of target rows to a function on the whole attribute space
    that is high where the target class is. A subclass declares its parameters as fields, from
    which its constructor (keywords only) and their documentation are made, and implements

    - ``_fit(X)``: learn from the checked float64 matrix X;
    - ``_score(X)``: scores in [0, 1], never NaN, of the rows of a checked float64 matrix;
    - ``_training_scores()``: scores of the training rows, each *without the help of itself*
      where the definition distinguishes that (a nearest neighbour other than the row itself);
      where it does not, it is enough that ``_fit`` keeps them as ``_rows``.

    Its summary line is a title, a colon and a sentence. ``_attributes`` documents what it sets in
    `fit`; subclasses that cannot describe fewer than some number of rows set ``_minimum_rows``.

    Attributes
    ----------
    offset_ : float
        Threshold on the score: the `contamination` quantile of the training scores. It is computed
        when first used, because for some descriptors it costs more than fitting.
    n_features_in_ : int
        Number of attributes seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the attributes, if `fit` was given a data frame with names.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats_descriptors.base import Descriptor, parameter
    >>> class Centre(Descriptor):
    ...     "Distance to the centre: how far a row is from the mean."
    ...
    ...     unit: float = parameter(default=1.0, kind="float", meaning="Unit of length.")
    ...
    ...     def _fit(self, X):
    ...         self._rows = X
    ...
    ...     def _score(self, X):
    ...         return 1 / (1 + np.linalg.norm(X - self._rows.mean(axis=0), axis=1) / self.unit)
    >>> Centre(unit=2.0).fit([[0.0], [2.0]]).score_samples([[1.0], [3.0]])
    array([1. , 0.5])
    """

    contamination: float = parameter(
        default=0.1,
        kind="float",
        meaning="Share of the training rows below the threshold `offset_`, at most one half.",
    )

    _minimum_rows: ClassVar[int] = 1
    _attributes: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(kw_only=True, eq=False, repr=False)(cls)
        complete(cls, ChainMap(*(vars(base).get("_attributes", {}) for base in cls.__mro__)))

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """
        Describe the target class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Target rows; finite numbers.
        y : ignored
            Present for the API.

        Returns
        -------
        self
        """
        self._fit(self._checked_training(X))
        return self

    def score_samples(self, X: ArrayLike) -> Vector:
        """
        Score rows: high inside the target class, near 0 far from it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores in [0, 1].
        """
        check_is_fitted(self)
        return self._score(self._checked(X))

    def decision_function(self, X: ArrayLike) -> Vector:
        """Score rows relative to the threshold: ``score_samples(X) - offset_``."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Label rows: 1 (target) where the score reaches the threshold, else −1."""
        return self._labels(self.decision_function(X))

    def fit_predict(self, X: ArrayLike, y: object = None, **fit_parameters: Any) -> NDArray[Any]:
        """
        Fit, and label the training rows by their training scores.

        A training row does not take part in its own score here, whereas ``fit(X).predict(X)`` takes
        the rows for new ones.
        """
        self.fit(X, y, **fit_parameters)
        return self._labels(self._training_scores() - self.offset_)

    @property
    def offset_(self) -> float:
        """Threshold on the score; see the class."""
        check_is_fitted(self)
        threshold = self._threshold
        if threshold.value is None:
            scores = self._training_scores()
            threshold.value = float(np.quantile(scores, threshold.contamination))
        return threshold.value

    @abstractmethod
    def _fit(self, X: Matrix) -> None: ...

    @abstractmethod
    def _score(self, X: Matrix) -> Vector: ...

    def _training_scores(self) -> Vector:
        return self._score(vars(self)["_rows"])

    def _checked_training(self, X: ArrayLike) -> Matrix:
        """Check parameters common to all descriptors and the training rows, as a C matrix."""
        contamination: Any = self.contamination
        if not isinstance(contamination, Real) or not 0 <= float(contamination) <= 0.5:
            raise ValueError(f"contamination must be a number in [0, 0.5], got {contamination!r}.")
        checked: Matrix = validate_data(
            self, X, dtype=np.float64, order="C", ensure_min_samples=self._minimum_rows
        )
        self._threshold = _Threshold(float(contamination))
        return checked

    def _checked(self, X: ArrayLike) -> Matrix:
        """Check rows to be scored against the width and names seen in `fit`."""
        checked: Matrix = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return checked

    @staticmethod
    def _labels(decision: Vector) -> NDArray[np.int64]:
        return np.where(decision >= 0, 1, -1)


class ThreadedDescriptor(Descriptor):
    """Base of the descriptors that work on blocks of rows or trees on threads."""

    n_jobs: int | None = parameter(
        default=None,
        kind="int or None",
        meaning="Threads; None and −1 for all cores. The scores do not depend on it.",
    )

    @property
    def _threads(self) -> int:
        return thread_count(self.n_jobs)
