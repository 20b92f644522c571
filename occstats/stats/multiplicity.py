"""Corrections for the number of tests."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from occstats.checks import check_choice
from occstats.errors import ArgumentError
from occstats.stats.arrays import FloatArray

FAMILIES = ("row", "all", "control")


def holm(p: npt.ArrayLike) -> FloatArray:
    r"""Step-down correction of Holm, not clipped at 1.

    With the p-values of a family of K in ascending order,
    :math:`\tilde p_{(i)} = \max_{j \leq i} (K + 1 - j)\, p_{(j)}`. Controls the probability of any
    false rejection in the family, whatever the dependence. NaN (no test) does not count.

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> from occstats.stats import holm
    >>> [round(float(p), 4) for p in holm([0.01, 0.6, 0.03, 0.55])]
    [0.04, 1.1, 0.09, 1.1]
    """
    return adjust(p, "holm")


def hochberg(p: npt.ArrayLike) -> FloatArray:
    r"""Step-up correction of Hochberg: :math:`\min_{j \geq i} (K + 1 - j)\, p_{(j)}`.

    Never above Holm's; valid for independent tests and many positively dependent ones.

    References
    ----------
    .. [1] Y. Hochberg (1988). A sharper Bonferroni procedure for multiple tests of significance.
       Biometrika 75, 800-802.

    Examples
    --------
    >>> from occstats.stats import hochberg
    >>> [round(float(p), 4) for p in hochberg([0.01, 0.6, 0.03, 0.55])]
    [0.04, 0.6, 0.09, 0.6]
    """
    return adjust(p, "hochberg")


def benjamini_hochberg(p: npt.ArrayLike) -> FloatArray:
    r"""False discovery rate of Benjamini and Hochberg: :math:`\min_{j \geq i} p_{(j)} K / j`.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate. Journal of the
       Royal Statistical Society B 57, 289-300.

    Examples
    --------
    >>> from occstats.stats import benjamini_hochberg
    >>> [round(float(p), 4) for p in benjamini_hochberg([0.01, 0.6, 0.03, 0.55])]
    [0.04, 0.6, 0.06, 0.6]
    """
    return adjust(p, "benjamini-hochberg")


def benjamini_yekutieli(p: npt.ArrayLike) -> FloatArray:
    r"""False discovery rate under any dependence, not clipped at 1.

    Benjamini-Hochberg's values times :math:`\sum_{i=1}^K 1/i`.

    References
    ----------
    .. [1] Y. Benjamini, D. Yekutieli (2001). The control of the false discovery rate in multiple
       testing under dependency. Annals of Statistics 29, 1165-1188.

    Examples
    --------
    >>> from occstats.stats import benjamini_yekutieli
    >>> [round(float(p), 4) for p in benjamini_yekutieli([0.01, 0.6, 0.03, 0.55])]
    [0.0833, 1.25, 0.125, 1.25]
    """
    return adjust(p, "benjamini-yekutieli")


def bonferroni(p: npt.ArrayLike) -> FloatArray:
    """Bonferroni's correction, K times each p-value, not clipped at 1.

    Examples
    --------
    >>> from occstats.stats import bonferroni
    >>> [round(float(p), 4) for p in bonferroni([0.01, 0.6, 0.03, 0.55])]
    [0.04, 2.4, 0.12, 2.2]
    """
    return adjust(p, "bonferroni")


def _ascending_holm(p: FloatArray) -> FloatArray:
    return np.maximum.accumulate(np.arange(len(p), 0, -1) * p)


def _ascending_hochberg(p: FloatArray) -> FloatArray:
    return np.minimum.accumulate((np.arange(len(p), 0, -1) * p)[::-1])[::-1]


def _ascending_benjamini_hochberg(p: FloatArray) -> FloatArray:
    return np.minimum.accumulate((len(p) / np.arange(1, len(p) + 1) * p)[::-1])[::-1]


def _ascending_benjamini_yekutieli(p: FloatArray) -> FloatArray:
    harmonic = float((1 / np.arange(1, len(p) + 1)).sum())
    return harmonic * _ascending_benjamini_hochberg(p)


def _ascending_bonferroni(p: FloatArray) -> FloatArray:
    return len(p) * p


def _ascending_none(p: FloatArray) -> FloatArray:
    return p


_CORRECTIONS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "holm": _ascending_holm,
    "hochberg": _ascending_hochberg,
    "benjamini-hochberg": _ascending_benjamini_hochberg,
    "benjamini-yekutieli": _ascending_benjamini_yekutieli,
    "bonferroni": _ascending_bonferroni,
    "none": _ascending_none,
}

CORRECTIONS = tuple(_CORRECTIONS)


def adjust(p: npt.ArrayLike, method: str = "holm") -> FloatArray:
    """Correct the p-values of one family, without clipping at 1.

    Parameters
    ----------
    p : array_like of shape (K,)
        P-values; NaN marks a test that could not be made: it stays NaN and does not count in the
        size of the family.
    method : str
        ``"holm"``, ``"hochberg"``, ``"benjamini-hochberg"``, ``"benjamini-yekutieli"``,
        ``"bonferroni"`` or ``"none"``.

    Returns
    -------
    ndarray of shape (K,)
        Corrected values in the order given. Above 1 means "not significant at any level";
        clip with ``numpy.minimum(values, 1)``.

    Examples
    --------
    >>> from occstats.stats import adjust
    >>> adjust([0.01, 0.04, float("nan")], "bonferroni").tolist()
    [0.02, 0.08, nan]
    """
    check_choice("method", method, CORRECTIONS)
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise ArgumentError(f"p must have one dimension; got an array of shape {values.shape}.")
    present = np.flatnonzero(~np.isnan(values))
    family = values[present]
    if ((family < 0) | (family > 1)).any():
        wrong = family[(family < 0) | (family > 1)][0]
        raise ArgumentError(f"p must hold values from 0 to 1; got {wrong!r}.")
    order = np.argsort(family, kind="stable")
    adjusted = np.full(len(values), np.nan)
    adjusted[present[order]] = _CORRECTIONS[method](family[order])
    return adjusted


@dataclass(frozen=True, eq=False)
class AdjustedP:
    """Corrected p-values of all ordered pairs.

    Attributes
    ----------
    unclipped : ndarray of shape (k, k)
        May exceed 1; NaN outside the family and where there was no test.
    clipped : ndarray of shape (k, k)
        The same, at most 1.
    method, family : str
        The choices made.
    family_sizes : tuple of int
        Number of tests in each family (one per row, or a single one).
    notes : tuple of str
        What was left out, and what the correction does not promise.
    """

    unclipped: FloatArray
    clipped: FloatArray
    method: str
    family: str
    family_sizes: tuple[int, ...]
    notes: tuple[str, ...] = ()


def adjust_pairs(
    p_matrix: npt.ArrayLike,
    family: str = "row",
    method: str = "holm",
    control: int | None = None,
    *,
    alternative: str = "greater",
) -> AdjustedP:
    """Correct a matrix of p-values, element ``[a, b]`` being the test of a against b.

    Parameters
    ----------
    p_matrix : array_like of shape (k, k)
        The diagonal is ignored; NaN elsewhere marks a test that could not be made.
    family : {"row", "all", "control"}
        ``"row"``: the k − 1 tests of each algorithm against the others are a family of their own;
        over the whole matrix the error is then not controlled. ``"all"``: one family over all
        pairs: k(k − 1)/2 tests if they are two-sided, else k(k − 1). ``"control"``: the tests of
        the control against the others are one family, those of the others against the control
        another (the same, if two-sided); the rest is NaN.
    method : str
        As in :func:`adjust`.
    control : int, optional
        Column of the control, for ``family="control"``.
    alternative : {"greater", "less", "two-sided"}
        Of the tests in the matrix.

    Returns
    -------
    AdjustedP

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.stats import adjust_pairs
    >>> p = np.array([[np.nan, 0.02, 0.03], [0.98, np.nan, 0.4], [0.97, 0.6, np.nan]])
    >>> adjust_pairs(p, family="row").unclipped
    array([[ nan, 0.04, 0.04],
           [0.98,  nan, 0.8 ],
           [1.2 , 1.2 ,  nan]])
    """
    check_choice("family", family, FAMILIES)
    check_choice("method", method, CORRECTIONS)
    check_choice("alternative", alternative, ("greater", "less", "two-sided"))
    p = np.asarray(p_matrix, dtype=np.float64)
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise ArgumentError(f"p_matrix must be square; got shape {p.shape}.")
    k = len(p)
    unclipped = np.full((k, k), np.nan)
    sizes: list[int] = []

    def correct(rows: npt.ArrayLike, columns: npt.ArrayLike) -> None:
        values = p[rows, columns]  # type: ignore[index]
        unclipped[rows, columns] = adjust(values, method)  # type: ignore[index]
        sizes.append(int(np.count_nonzero(~np.isnan(values))))

    if family == "row":
        for a in range(k):
            correct(a, np.delete(np.arange(k), a))
    elif family == "all":
        if alternative == "two-sided":
            upper = np.triu_indices(k, 1)
            correct(*upper)
            unclipped.T[upper] = unclipped[upper]
        else:
            correct(*np.nonzero(~np.eye(k, dtype=bool)))
    else:
        if control is None or not 0 <= control < k:
            raise ArgumentError(
                f"control must be the column of an algorithm (0 to {k - 1}) when family is "
                f"'control'; got {control!r}."
            )
        others = np.delete(np.arange(k), control)
        correct(control, others)
        correct(others, control)
    return AdjustedP(
        unclipped=unclipped,
        clipped=np.minimum(unclipped, 1.0),
        method=method,
        family=family,
        family_sizes=tuple(sizes),
        notes=_notes(p, family, method),
    )


def _notes(p: FloatArray, family: str, method: str) -> tuple[str, ...]:
    notes = []
    off_diagonal = ~np.eye(len(p), dtype=bool)
    n_missing = int(np.count_nonzero(np.isnan(p[off_diagonal])))
    if n_missing:
        notes.append(
            f"{n_missing} ordered pair{'s have' if n_missing > 1 else ' has'} no test and "
            "did not count in the size of a family."
        )
    if family == "row" and method != "none" and len(p) > 2:
        notes.append(
            "Each row is corrected as a family of its own: "
            "the error over the whole matrix is not controlled."
        )
    return tuple(notes)
