"""Corrections for multiple testing, within families of tests.

Nothing heavy is imported until a correction is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from occstats._checks import check_choice
from occstats.errors import ArgumentError
from occstats.stats.signed_rank import ALTERNATIVES

if TYPE_CHECKING:
    import numpy.typing as npt

    from occstats.stats._arrays import FloatArray

FAMILIES = ("all", "control", "row")


@dataclass(frozen=True)
class Correction:
    """A correction of the p-values of one family.

    Attributes
    ----------
    key, name : str
        The name as an option, and in prose.
    citation : str
        Key of the cited work, in braces.
    method : str
        Its name in ``statsmodels.stats.multitest.multipletests``, if it is used.
    """

    key: str
    name: str
    citation: str = ""
    method: str = ""


CORRECTIONS = {
    correction.key: correction
    for correction in (
        Correction("max-t", "max-T", "{westfall1993}"),
        Correction("holm", "Holm", "{holm1979}"),
        Correction("hochberg", "Hochberg", "{hochberg1988}", "simes-hochberg"),
        Correction("bonferroni", "Bonferroni", method="bonferroni"),
        Correction("benjamini-hochberg", "Benjamini-Hochberg", "{benjamini1995}", "fdr_bh"),
        Correction("benjamini-yekutieli", "Benjamini-Yekutieli", "{benjamini2001}", "fdr_by"),
        Correction("none", "none"),
    )
}


def adjust(p: npt.ArrayLike, correction: str = "holm") -> FloatArray:
    """Correct the p-values of one family.

    Parameters
    ----------
    p : array_like of shape (K,)
        P-values; NaN marks a missing test, which is not part of the family.
    correction : str
        ``"holm"``, ``"hochberg"``, ``"bonferroni"``, ``"benjamini-hochberg"``,
        ``"benjamini-yekutieli"`` or ``"none"``.

    Returns
    -------
    ndarray of shape (K,)
        Corrected p-values in the order given, at most 1.

    Examples
    --------
    >>> from occstats.stats import adjust
    >>> adjust([0.01, 0.04, float("nan")], "bonferroni").tolist()
    [0.02, 0.08, nan]
    """
    import numpy as np

    check_choice("correction", correction, [key for key in CORRECTIONS if key != "max-t"])
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise ArgumentError(f"p must have one dimension; got an array of shape {values.shape}.")
    present = ~np.isnan(values)
    family = values[present]
    if ((family < 0) | (family > 1)).any():
        wrong = family[(family < 0) | (family > 1)][0]
        raise ArgumentError(f"p must hold values from 0 to 1; got {wrong:g}.")
    adjusted = values.copy()
    if correction == "holm":
        # statsmodels' Holm runs the garbage collector: 0.05 to 0.1 s for each family.
        order = np.argsort(family)
        steps = np.arange(len(family), 0, -1) * family[order]
        family[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
        adjusted[present] = family
    elif correction != "none" and len(family):
        from statsmodels.stats.multitest import multipletests

        adjusted[present] = multipletests(family, method=CORRECTIONS[correction].method)[1]
    return adjusted


def adjust_pairs(
    p_matrix: npt.ArrayLike,
    family: str = "all",
    correction: str = "holm",
    control: int | None = None,
    *,
    alternative: str = "two-sided",
) -> FloatArray:
    """Correct a matrix of p-values, element ``[a, b]`` being the test of a against b.

    Parameters
    ----------
    p_matrix : array_like of shape (k, k)
        The diagonal is ignored; NaN elsewhere marks a missing test.
    family : {"all", "control", "row"}
        ``"all"``: one family of all pairs, k(k − 1)/2 two-sided or k(k − 1) one-sided tests.
        ``"control"``: the tests of the control against the others are one family, those of the
        others against the control another (the same, if two-sided); the rest is NaN. ``"row"``:
        the k − 1 tests of each algorithm are a family, so that the error is not controlled over
        the whole matrix.
    correction : str
        As in :func:`adjust`.
    control : int, optional
        Column of the control, for ``family="control"``.
    alternative : {"two-sided", "greater", "less"}
        Alternative of the tests in the matrix.

    Returns
    -------
    ndarray of shape (k, k)
        Corrected p-values; NaN outside the families and for missing tests.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.stats import adjust_pairs
    >>> p = np.array([[np.nan, 0.02, 0.03], [0.98, np.nan, 0.4], [0.97, 0.6, np.nan]])
    >>> adjust_pairs(p, family="row", alternative="greater").round(2)
    array([[ nan, 0.04, 0.04],
           [0.98,  nan, 0.8 ],
           [1.  , 1.  ,  nan]])
    """
    import numpy as np

    check_choice("family", family, FAMILIES)
    check_choice("alternative", alternative, ALTERNATIVES)
    p = np.asarray(p_matrix, dtype=np.float64)
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise ArgumentError(f"p_matrix must be square; got shape {p.shape}.")
    k = len(p)
    rows, columns = np.nonzero(~np.eye(k, dtype=bool) & ~np.isnan(p))
    if family == "row":
        members = [rows == a for a in range(k)]
    elif family == "all":
        # Of two-sided pairs, the upper half.
        members = [rows < columns if alternative == "two-sided" else rows >= 0]
    else:
        if control is None or not 0 <= control < k:
            raise ArgumentError(
                f"control must be the column of an algorithm (0 to {k - 1}) when family is "
                f"'control'; got {control!r}."
            )
        members = [rows == control, columns == control]
    adjusted = np.full(p.shape, np.nan)
    for member in members:
        place = rows[member], columns[member]
        adjusted[place] = adjust(p[place], correction)
    if family == "all" and alternative == "two-sided":
        lower = np.tril_indices(len(p), -1)
        adjusted[lower] = adjusted.T[lower]
    return adjusted
