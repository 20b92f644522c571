"""From corrected p-values to conclusions: which algorithm is significantly better than which."""

import numpy as np
import numpy.typing as npt

from occstats.stats.arrays import FloatArray
from occstats.stats.multiplicity import adjust, families_of


def conclude(
    p: FloatArray,
    z: FloatArray,
    *,
    alternative: str = "greater",
    correction: str = "holm",
    family: str = "row",
    control: int | None = None,
    alpha: float = 0.05,
) -> npt.NDArray[np.bool_]:
    """Matrix [a, b]: whether a is significantly better than b after the correction.

    Parameters
    ----------
    p, z : ndarray, k × k
        Element [a, b] tests a minus b; NaN where there is no test.
    alternative : {"greater", "less", "two-sided"}
        What the p-values are about. With "less" a small p[a, b] says that b is the better one; with
        "two-sided" the sign of z says which.
    correction, family, control
        As in `adjust_pairs`.
    alpha : float
        Level.

    Examples
    --------
    >>> p = np.array([[np.nan, 0.01], [0.99, np.nan]])
    >>> conclude(p, np.array([[0.0, 2.3], [-2.3, 0.0]])).tolist()
    [[False, True], [False, False]]
    """
    significant = np.zeros(p.shape, dtype=bool)
    for place in families_of(p, family, control, alternative):
        significant[place] = adjust(p[place], correction) <= alpha
    if alternative == "less":
        return significant.T
    if alternative == "two-sided":
        if family == "all":
            significant |= significant.T
        with np.errstate(invalid="ignore"):
            return np.asarray(significant & (z > 0))
    return significant
