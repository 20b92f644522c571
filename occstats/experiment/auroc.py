"""The area under the ROC curve, with ties that do not depend on the last bits."""

import numpy as np
from numpy.typing import NDArray
from scipy import stats

__all__ = ["auroc", "round_significant"]

SIGNIFICANT_DIGITS = 12


def round_significant(
    values: NDArray[np.float64], digits: int = SIGNIFICANT_DIGITS
) -> NDArray[np.float64]:
    """Round to a number of significant digits.

    Examples
    --------
    >>> round_significant(np.array([0.1 + 0.2, 0.0, 12345.678901234567]), 6).tolist()
    [0.3, 0.0, 12345.7]
    """
    magnitude = np.floor(np.log10(np.abs(values), where=values != 0, out=np.zeros_like(values)))
    # Powers beyond the range of floats would turn tiny values into NaN.
    decimals = np.clip(digits - 1 - magnitude, -300, 300)
    scale = 10.0**decimals
    return np.asarray(np.round(values * scale) / scale, dtype=np.float64)


def auroc(is_target: NDArray[np.bool_], scores: NDArray[np.float64]) -> float | None:
    r"""The chance that a random target row scores above a random other row; ties count one half.

    .. math:: \frac{\sum_{i \in \text{target}} r_i - n_+(n_+ + 1)/2}{n_+ n_-}

    with midranks :math:`r_i` of the scores. Distances that tie mathematically differ in the last
    bits; so the scores are compared after rounding to 12 significant digits, and the result depends
    neither on the platform nor on the order of additions. ``None`` where one of the two kinds of
    rows is absent.

    References
    ----------
    Hanley, McNeil (1982). The meaning and use of the area under a receiver operating
    characteristic (ROC) curve. Radiology 143.

    Examples
    --------
    >>> auroc(np.array([True, True, False, False]), np.array([0.9, 0.1 + 0.2, 0.3, 0.1]))
    0.875
    """
    positives = int(is_target.sum())
    negatives = len(is_target) - positives
    if not positives or not negatives:
        return None
    ranks = stats.rankdata(round_significant(np.asarray(scores, dtype=np.float64)))
    area = ranks[is_target].sum() - positives * (positives + 1) / 2
    return float(area / (positives * negatives))
