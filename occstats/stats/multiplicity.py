"""Corrections for the number of tests: each one object that carries its name and its sentence.

They are those of ``statsmodels.stats.multitest``, which does not keep values above 1 that a paper
may print. Nothing heavy is imported until a correction is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from occstats.checks import check_choice
from occstats.errors import ArgumentError
from occstats.stats.tests.registry import ALTERNATIVES

if TYPE_CHECKING:
    import numpy.typing as npt

    from occstats.stats.arrays import FloatArray, IntArray

FAMILIES = ("row", "all", "control")


@dataclass(frozen=True)
class Correction:
    """A correction of the p-values of one family.

    Attributes
    ----------
    key, name : str
        As an option, and in prose.
    sentence : str
        For a methods paragraph, with citation keys in braces; empty if nothing is corrected.
    citation : str
        Key of the work that introduced it; empty if there is none.
    factors : callable
        From the size of the family to what the ascending p-values are multiplied by.
    step : {"down", "up", ""}
        Whether a value is at least those below it, at most those above it, or stands alone.
    """

    key: str
    name: str
    sentence: str = ""
    citation: str = ""
    factors: Callable[[FloatArray], FloatArray] = lambda ranks: ranks**0
    step: str = ""

    def unclipped(self, ascending: FloatArray) -> FloatArray:
        """Corrected values of p-values in ascending order (last axis), which may exceed 1."""
        import numpy as np

        values = self.factors(np.arange(1.0, ascending.shape[-1] + 1)) * ascending
        if self.step == "down":
            values = np.maximum.accumulate(values, axis=-1)
        elif self.step == "up":
            values = np.minimum.accumulate(values[..., ::-1], axis=-1)[..., ::-1]
        return values


CORRECTIONS = {
    correction.key: correction
    for correction in (
        Correction(
            "holm",
            "Holm",
            "the Holm-Bonferroni procedure {holm1979}",
            "holm1979",
            lambda ranks: ranks[::-1],
            "down",
        ),
        Correction(
            "hochberg",
            "Hochberg",
            "the Hochberg procedure {hochberg1988}",
            "hochberg1988",
            lambda ranks: ranks[::-1],
            "up",
        ),
        Correction(
            "bonferroni",
            "Bonferroni",
            "the Bonferroni correction",
            "",
            lambda ranks: len(ranks) * ranks**0,
        ),
        Correction(
            "benjamini-hochberg",
            "Benjamini-Hochberg",
            "the Benjamini-Hochberg procedure, which controls the false discovery rate "
            "{benjamini1995}",
            "benjamini1995",
            lambda ranks: len(ranks) / ranks,
            "up",
        ),
        Correction(
            "benjamini-yekutieli",
            "Benjamini-Yekutieli",
            "the Benjamini-Yekutieli procedure, which controls the false discovery rate under any "
            "dependence {benjamini2001}",
            "benjamini2001",
            lambda ranks: (1 / ranks).sum() * len(ranks) / ranks,
            "up",
        ),
        Correction("none", "none"),
    )
}


def adjust(p: npt.ArrayLike, correction: str = "holm") -> FloatArray:
    """Correct the p-values of one family, without clipping at 1.

    Parameters
    ----------
    p : array_like of shape (K,)
        P-values; NaN marks a test that could not be made: it stays NaN and does not count in the
        size of the family.
    correction : str
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
    import numpy as np

    check_choice("correction", correction, CORRECTIONS)
    values = np.asarray(p, dtype=np.float64)
    if values.ndim != 1:
        raise ArgumentError(f"p must have one dimension; got an array of shape {values.shape}.")
    present = np.flatnonzero(~np.isnan(values))
    family = values[present]
    if ((family < 0) | (family > 1)).any():
        wrong = family[(family < 0) | (family > 1)][0]
        raise ArgumentError(f"p must hold values from 0 to 1; got {wrong:g}.")
    order = np.argsort(family, kind="stable")
    adjusted = np.full(len(values), np.nan)
    adjusted[present[order]] = CORRECTIONS[correction].unclipped(family[order])
    return adjusted


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


@dataclass(frozen=True, eq=False)
class AdjustedP:
    """Corrected p-values of all ordered pairs.

    Attributes
    ----------
    unclipped : ndarray of shape (k, k)
        May exceed 1; NaN outside the family and where there was no test.
    clipped : ndarray of shape (k, k)
        The same, at most 1.
    correction, family : str
        The choices made.
    family_sizes : tuple of int
        Number of tests in each family (one per row, or a single one).
    notes : tuple of str
        What was left out, and what the correction does not promise.
    """

    unclipped: FloatArray
    clipped: FloatArray
    correction: str
    family: str
    family_sizes: tuple[int, ...]
    notes: tuple[str, ...] = ()


def adjust_pairs(
    p_matrix: npt.ArrayLike,
    family: str = "row",
    correction: str = "holm",
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
    correction : str
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
    import numpy as np

    check_choice("correction", correction, CORRECTIONS)
    p = np.asarray(p_matrix, dtype=np.float64)
    families = families_of(p, family, control, alternative)
    unclipped = np.full(p.shape, np.nan)
    for place in families:
        unclipped[place] = adjust(p[place], correction)
    if family == "all" and alternative == "two-sided":
        lower = np.tril_indices(len(p), -1)
        unclipped[lower] = unclipped.T[lower]
    return AdjustedP(
        unclipped=unclipped,
        clipped=np.minimum(unclipped, 1.0),
        correction=correction,
        family=family,
        family_sizes=tuple(len(rows) for rows, _ in families),
        notes=_notes(p, family, correction),
    )


def families_of(
    p: FloatArray, family: str, control: int | None, alternative: str
) -> list[tuple[IntArray, IntArray]]:
    """The rows and columns of the tests that are corrected together, without those not made.

    Of a two-sided family over all pairs, the upper half.
    """
    import numpy as np

    check_choice("family", family, FAMILIES)
    check_choice("alternative", alternative, ALTERNATIVES)
    if p.ndim != 2 or p.shape[0] != p.shape[1]:
        raise ArgumentError(f"p_matrix must be square; got shape {p.shape}.")
    k = len(p)
    off_diagonal = ~np.eye(k, dtype=bool)
    if family == "row":
        tested = off_diagonal & ~np.isnan(p)
        return [(np.full(int(row.sum()), a), np.flatnonzero(row)) for a, row in enumerate(tested)]
    rows, columns = np.nonzero(off_diagonal)
    if family == "all":
        members = [rows < columns if alternative == "two-sided" else rows >= 0]
    else:
        if control is None or not 0 <= control < k:
            raise ArgumentError(
                f"control must be the column of an algorithm (0 to {k - 1}) when family is "
                f"'control'; got {control!r}."
            )
        members = [rows == control, columns == control]
    tested = ~np.isnan(p[rows, columns])
    return [(rows[member & tested], columns[member & tested]) for member in members]


def _notes(p: FloatArray, family: str, correction: str) -> tuple[str, ...]:
    import numpy as np

    notes = []
    off_diagonal = ~np.eye(len(p), dtype=bool)
    n_missing = int(np.count_nonzero(np.isnan(p[off_diagonal])))
    if n_missing:
        notes.append(
            f"{n_missing} ordered pair{'s have' if n_missing > 1 else ' has'} no test and "
            "did not count in the size of a family."
        )
    if family == "row" and correction != "none" and len(p) > 2:
        notes.append(
            "Each row is corrected as a family of its own: "
            "the error over the whole matrix is not controlled."
        )
    return tuple(notes)
