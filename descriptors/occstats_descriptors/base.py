"""Base class of the data descriptors, and checks of their parameters."""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from inspect import Parameter, signature
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from occstats_descriptors._kernels import Matrix, Vector


class MixedClassesWarning(UserWarning):
    """A descriptor is fitted to rows of several classes."""


class Descriptor(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """
    Base of the data descriptors: a scikit-learn outlier detector with scores in [0, 1].

    A descriptor generalises a finite set of target rows to a function on the whole attribute space
    that is high where the target class is. A subclass has a constructor with keywords only, and
    implements

    - ``_fit(X)``: learn from the checked float64 matrix X;
    - ``_score(X)``: return the scores in [0, 1], never NaN, of the rows of a checked float64
      matrix;
    - ``_training_scores()``: return the scores of the training rows, *excluding the row itself*
      where the definition distinguishes that (a nearest neighbour other than the row). Elsewhere,
      it suffices that ``_fit`` stores the training rows as ``_rows``.

    Parameters
    ----------
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    offset_ : float
        Threshold on the score: the `contamination` quantile of the training scores. It is computed
        on first use, because for some descriptors it takes longer than fitting.
    n_features_in_ : int
        Number of attributes seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the attributes, if `fit` was given a data frame with names.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.descriptors import Descriptor
    >>> class Centre(Descriptor):
    ...     "Distance to the mean of the target class."
    ...
    ...     def __init__(self, *, unit=1.0, contamination=0.1):
    ...         super().__init__(contamination=contamination)
    ...         self.unit = unit
    ...
    ...     def _fit(self, X):
    ...         self._rows = X
    ...
    ...     def _score(self, X):
    ...         return 1 / (1 + np.linalg.norm(X - self._rows.mean(axis=0), axis=1) / self.unit)
    >>> Centre(unit=2.0).fit([[0.0], [2.0]]).score_samples([[1.0], [3.0]])
    array([1. , 0.5])
    """

    def __init__(self, *, contamination: float = 0.1) -> None:
        self.contamination = contamination

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """
        Describe the target class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Target rows; finite numbers, at least two rows.
        y : array-like of shape (n_samples,), optional
            Labels, which are ignored: a `MixedClassesWarning` is issued if they differ.
        """
        self._fit(self._checked_training(X, y))
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

        A training row is excluded from its own score here, whereas ``fit(X).predict(X)`` treats the
        rows as new ones.
        """
        self.fit(X, y, **fit_parameters)
        return self._labels(self._training_scores() - self.offset_)

    @property
    def offset_(self) -> float:
        """Return the threshold on the score; see the class."""
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

    def _checked_training(self, X: ArrayLike, y: Any) -> Matrix:
        """Check the parameters that all descriptors have, the training rows and their labels."""
        contamination: Any = self.contamination
        if not isinstance(contamination, Real) or not 0 <= float(contamination) <= 0.5:
            raise ValueError(f"contamination must be a number in [0, 0.5], got {contamination!r}.")
        checked: Matrix = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        self._threshold = _Threshold(float(contamination))
        labels = np.asarray(y).ravel()
        if (labels != labels[:1]).any():
            warnings.warn(
                f"{type(self).__name__} is fitted to all rows of X, although y has several "
                "classes: pass the rows of the target class only; in cross-validation, pass "
                "cv=OneClassKFold(), and refit=False to GridSearchCV.",
                MixedClassesWarning,
                stacklevel=3,
            )
        return checked

    def _checked(self, X: ArrayLike) -> Matrix:
        """Check rows to be scored against the number and names of attributes seen in `fit`."""
        checked: Matrix = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return checked

    @staticmethod
    def _labels(decision: Vector) -> NDArray[np.int64]:
        return np.where(decision >= 0, 1, -1)


class _Threshold:
    """Threshold of a fitted descriptor; apart, since prediction must not set attributes."""

    def __init__(self, contamination: float) -> None:
        self.contamination = contamination
        self.value: float | None = None


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Return a hint at the choice that is most similar to a name; empty if none is."""
    near = get_close_matches(name, list(choices), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def construct(kind: Callable[..., Any], parameters: dict[str, Any]) -> Any:
    """Call a class or function with parameters; name one that it does not have."""
    known = signature(kind).parameters
    takes_any = any(each.kind is Parameter.VAR_KEYWORD for each in known.values())
    for name in [] if takes_any else set(parameters) - set(known):
        raise TypeError(
            f"{kind.__name__} has no parameter {name!r}{did_you_mean(name, known)}; "
            f"it has {', '.join(known) or 'none'}."
        )
    return kind(**parameters)


def integer(value: Any, name: str, minimum: int = 1) -> int:
    """Check an integer parameter."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be an integer, got {value!r}.")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}, got {value}.")
    return int(value)


def positive_number(value: Any, name: str, *, or_zero: bool = False) -> float:
    """Check a parameter that is a positive number."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if not is_number or isinstance(value, bool):
        raise TypeError(f"{name} must be a number, got {value!r}.")
    if not math.isfinite(value) or value < 0 or (value == 0 and not or_zero):
        kind = "0 or more" if or_zero else "positive"
        raise ValueError(f"{name} must be finite and {kind}, got {value!r}.")
    return float(value)


def seed_of(random_state: Any) -> int:
    """Return an integer `random_state`, or else a seed drawn from it."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return integer(random_state, "random_state", 0)
    return int(check_random_state(random_state).randint(2**31 - 1))
