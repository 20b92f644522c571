"""Mahalanobis distance."""

from __future__ import annotations

import numpy as np
from scipy.linalg import pinvh

from occstats_descriptors._kernels import Matrix, Vector
from occstats_descriptors._kernels.threads import single_threaded_blas
from occstats_descriptors.base import Descriptor

# `pinvh` ignores a direction of at most this relative spread, times the root of their number.
_CUTOFF = float(np.sqrt(np.finfo(np.float64).eps))


class MD(Descriptor):
    r"""
    Mahalanobis distance: the distance to the mean of the target class in standard deviations.

    With :math:`\mu` and :math:`S` the mean and the covariance matrix (divisor n) of the target
    rows, and :math:`S^+` the pseudo-inverse of the latter, the score of a row y is

    .. math::

        \frac{1}{1 + D(y)}, \qquad D(y) = \sqrt{(y - \mu)^T S^+ (y - \mu)}.

    With a singular covariance (fewer rows than attributes, constant or dependent attributes),
    deviations in directions in which the target rows do not vary are ignored. If the scales of
    attributes differ so much that the pseudo-inverse would also ignore the smallest of them, the
    attributes are standardised first.

    Parameters
    ----------
    contamination : float, default 0.1
        Share of the training rows below the threshold `offset_`, at most one half.

    Attributes
    ----------
    location_ : ndarray of shape (n_features,)
        Mean of the target rows.
    covariance_ : ndarray of shape (n_features, n_features)
        Covariance of the target rows, with divisor n.
    precision_ : ndarray of shape (n_features, n_features)
        Pseudo-inverse of the covariance.
    offset_ : float
        Threshold on the score, from leave-one-out training scores: mean and covariance exclude the
        row itself. With :math:`q = D(x_i)^2`, this replaces q by :math:`n q / (n - 1 - q)`, so that
        no further fits are needed.

    References
    ----------
    P. C. Mahalanobis (1936). On the generalized distance in statistics. Proceedings of the National
    Institute of Sciences of India 2, 49–55.

    Examples
    --------
    >>> from occstats.descriptors import MD
    >>> descriptor = MD().fit([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> descriptor.score_samples([[1.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
    array([1.  , 0.5 , 0.25])
    """

    def _fit(self, X: Matrix) -> None:
        self._describe(X, _unit(max(float(X.max()), -float(X.min()))))
        spread = np.sqrt(np.diag(self._covariance))
        hidden = spread < _CUTOFF * np.sqrt(len(spread)) * spread.max()
        if hidden.any():
            largest = np.abs(X).max(axis=0) / self._unit
            varies = np.ptp(X / self._unit, axis=0) > 1e-14 * largest  # not just by rounding
            if (hidden & varies).any():
                spread = np.where(varies, spread, largest)
                self._describe(X, np.where(spread > 0, spread, 1.0) * self._unit)
        units = np.broadcast_to(self._unit, X.shape[1])
        with np.errstate(over="ignore", under="ignore"):
            self.location_ = self._mean * units
            self.covariance_ = self._covariance * units[:, None] * units
            self.precision_ = self._precision / units[:, None] / units

    def _describe(self, X: Matrix, unit: float | Vector) -> None:
        """Compute mean, covariance and precision in the given units."""
        self._unit = unit
        scaled = self._scaled(X)
        self._mean = scaled.mean(axis=0)
        self._deviations = deviations = scaled - self._mean
        with single_threaded_blas():
            self._covariance = deviations.T @ deviations / len(X)
            self._precision = pinvh(self._covariance)

    def _scaled(self, X: Matrix) -> Matrix:
        return X if np.ndim(self._unit) == 0 and self._unit == 1 else X / self._unit

    def _score(self, X: Matrix) -> Vector:
        with np.errstate(over="ignore", invalid="ignore"), single_threaded_blas():
            deviations = self._scaled(X) - self._mean
            squared = np.einsum("ij,ij->i", deviations @ self._precision, deviations)
            # A row whose square overflows is infinitely far away.
            squared = np.where(np.isnan(squared), np.inf, squared)
        return _proximity(squared)

    def _training_scores(self) -> Vector:
        deviations, precision = self._deviations, self._precision
        n = len(deviations)
        with single_threaded_blas():
            projected = deviations @ precision
            twice_projected = projected @ precision
        squared = np.einsum("ij,ij->i", projected, deviations)
        # q reaches n − 1 if the row alone spans a direction, which vanishes without the row.
        alone = n - 1 - squared <= 1e-9 * n
        left_out = n * squared / np.where(alone, 1.0, n - 1 - squared)
        lengths = np.einsum("ij,ij->i", projected, projected)
        twice = np.einsum("ij,ij->i", twice_projected, projected)
        ratio = np.divide(squared, lengths, out=np.zeros(n), where=lengths > 0)
        without = n / (n - 1) * (twice * ratio**2 - squared)
        return _proximity(np.where(alone, without, left_out))


def _unit(largest: float) -> float:
    """Return the power of two, which changes no digit, that keeps squares of the values finite."""
    if largest == 0 or 1e-50 < largest < 1e50:
        return 1.0
    return float(2.0 ** np.clip(np.frexp(largest)[1], -1000, 1000))


def _proximity(squared: Vector) -> Vector:
    return np.asarray(1 / (1 + np.sqrt(np.maximum(squared, 0))))
