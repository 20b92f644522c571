"""Signed-rank tests of one sample of clustered differences, and of all pairs of algorithms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats.stats._arrays import FloatArray, IntArray, as_vector
from occstats.stats.clusters import Clusters
from occstats.stats.sample import Sample
from occstats.stats.signed_rank import check_test
from occstats.stats.signed_rank.interface import Evaluation
from occstats.stats.signed_rank.null import RandomState, repeatable

TestName = Literal["rgl", "ds"]
Null = Literal["asymptotic", "exact", "permutation"]
Alternative = Literal["two-sided", "less", "greater"]

_MIRRORED = {"less": "greater", "greater": "less", "two-sided": "two-sided"}


@dataclass(frozen=True)
class ClusteredWilcoxonResult:
    """Result of :func:`clustered_wilcoxon`.

    Attributes
    ----------
    statistic : float
        T (Rosner-Glynn-Lee, weighted when clusters differ in size), the plain sum of signed ranks
        (exact null), or TS (Datta-Satten). NaN when there is no test.
    pvalue : float or None
        None when there is no test; see `reason`.
    zstatistic : float
        `statistic` over the square root of `variance`.
    variance : float
        Estimated variance of `statistic` under the null hypothesis.
    n_observations : int
        Observations used: zeros are dropped by ``"rgl"`` and kept by ``"ds"``.
    n_clusters : int
        Clusters with at least one observation used.
    intraclass_correlation : float
        ρ of the signed ranks (zeros dropped), estimated by analysis of variance and not below 0;
        NaN where it is not defined (no cluster has two observations).
    reason : str or None
        Why there is no test.
    notes : tuple of str
        Remarks, such as an exact null replaced by Monte Carlo.
    test, null, alternative : str
        The options used.
    """

    statistic: float
    pvalue: float | None
    zstatistic: float
    variance: float
    n_observations: int
    n_clusters: int
    intraclass_correlation: float
    reason: str | None = None
    notes: tuple[str, ...] = ()
    test: str = field(default="rgl", kw_only=True)
    null: str = field(default="asymptotic", kw_only=True)
    alternative: str = field(default="two-sided", kw_only=True)

    def _repr_html_(self) -> str:
        known = {name: value for name, value in vars(self).items() if value not in (None, ())}
        return pd.Series(known, dtype=object).to_frame().to_html(header=False)


def clustered_wilcoxon(
    x: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    mu: float = 0.0,
    test: TestName = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> ClusteredWilcoxonResult:
    r"""Test whether clustered paired differences are centred at ``mu``.

    Observations of one cluster (tasks of one dataset, eyes of one patient) may be dependent;
    clusters are independent. Wilcoxon's test ignores clustering and rejects far too often.

    Parameters
    ----------
    x : array_like of shape (n,)
        Paired differences.
    clusters : array_like of shape (n,)
        Label of the cluster of each difference. The order of the rows does not matter.
    mu : float
        Location under the null hypothesis.
    test : {"rgl", "ds"}
        ``"rgl"``: Rosner, Glynn and Lee (2006) [1]_; observations have equal weight up to a factor
        for the size of their cluster, and zeros are dropped. ``"ds"``: Datta and Satten (2008)
        [2]_; clusters have equal weight, and zeros are kept. If the spread of the differences
        depends on cluster size, the normal approximation of ``"ds"`` is wrong: use
        ``null="permutation"``.
    null : {"asymptotic", "exact", "permutation"}
        Normal approximation; exact distribution over all cluster sign flips (``"rgl"`` only, see
        Notes); or cluster sign flips of the statistic Z, all of them if there are at most
        `n_resamples`, else a random sample.
    alternative : {"two-sided", "less", "greater"}
        ``"greater"``: the differences tend to be above ``mu``.
    tie_tolerance : float
        Differences ``x - mu`` are rounded to multiples of this number before they are ranked, so
        that 0.3 − 0.2 and 0.2 − 0.1 tie; 0 ranks the unrounded floats.
    n_resamples : int
        Random flips of ``null="permutation"``, and of ``"exact"`` if the exact distribution would
        take more than 2·10⁹ additions or 5·10⁷ distinct sums (see `notes`).
    random_state : int, numpy.random.Generator or None
        Seed of the Monte Carlo sample.

    Returns
    -------
    ClusteredWilcoxonResult
        `pvalue` is None, with a `reason`, if fewer than two clusters are left or no variance can be
        estimated; it is 1 if all differences are zero.

    Notes
    -----
    **Rosner-Glynn-Lee.** :math:`S_{ij}` is the signed midrank of difference j in cluster i,
    :math:`R_i = \sum_j S_{ij}`, with N observations in m clusters of sizes :math:`g_i`. If all
    sizes are equal, :math:`T = \sum_i R_i` with variance :math:`\sum_i R_i^2`. Else a one-way
    analysis of variance of the :math:`S_{ij}` gives the intraclass correlation

    .. math::
        \rho = \max\left(0, \frac{\sigma_b^2}{\sigma_b^2 + MSW}\right), \quad
        \sigma_b^2 = \frac{MSB - MSW}{g_0}, \quad
        g_0 = \frac{N - \sum_i g_i^2 / N}{m - 1},

    corrected to :math:`\rho_c = \min(1, \rho (1 + (1 - \rho^2) / (m - 2.5)))`, and with
    :math:`w_i = g_i / (s^2 (1 + (g_i - 1) \rho_c))`

    .. math::
        T = \sum_i w_i \frac{R_i}{g_i}, \quad
        \mathrm{Var}\, T = \sum_i w_i^2 \frac{R_i^2}{g_i^2}, \quad Z = T / \sqrt{\mathrm{Var}\, T}.

    If all signed ranks are equal, :math:`s^2 = 0` and ρ is not defined. It is set to 1, so that
    each cluster counts as one observation and :math:`Z = \pm\sqrt m`; R's clusrank has no test.

    **Datta-Satten.** With :math:`F_i(x)` the mean of the left and right limits of the empirical
    distribution of the :math:`|x_{ij}|` of cluster i, and F the pooled one,

    .. math::
        T = \sum_i \frac{1}{g_i} \sum_j \mathrm{sign}(x_{ij})
            \Big(1 + \sum_{k \neq i} F_k(|x_{ij}|)\Big), \quad
        \mathrm{Var}\, T = \sum_i \Big[ \frac{1}{g_i} \sum_j \mathrm{sign}(x_{ij})
            \big(1 + (m - 1) F(|x_{ij}|)\big) \Big]^2 .

    **Exact null.** The statistic is :math:`\sum_i R_i`, also if clusters differ in size: unlike the
    weighted T of the asymptotic test, it is dominated by large clusters. P-values are
    :math:`P(T^* \geq T)`, :math:`P(T^* \leq T)`, and twice the smaller, at most 1.

    **Permutation null.** The signs of whole clusters are flipped, and Z is computed with its
    weights for each flip; the p-value is (b + 1)/(B + 1) if b of B values are at least as extreme
    [3]_.

    References
    ----------
    .. [1] B. Rosner, R. J. Glynn, M.-L. T. Lee (2006). The Wilcoxon signed rank test for paired
       comparisons of clustered data. Biometrics 62, 185-192.
    .. [2] S. Datta, G. A. Satten (2008). A signed-rank test for clustered data. Biometrics 64,
       501-507.
    .. [3] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. Statistical
       Applications in Genetics and Molecular Biology 9, article 39.

    Examples
    --------
    Two algorithms on eight tasks from three datasets:

    >>> from occstats.stats import clustered_wilcoxon
    >>> differences = [0.02, 0.05, 0.01, -0.01, 0.03, 0.04, 0.06, -0.02]
    >>> dataset = ["wine", "wine", "wine", "iris", "iris", "ecoli", "ecoli", "ecoli"]
    >>> result = clustered_wilcoxon(differences, dataset, alternative="greater")
    >>> round(result.zstatistic, 4), round(result.pvalue, 4)
    (1.5927, 0.0556)
    >>> clustered_wilcoxon(differences, dataset, null="exact", alternative="greater").pvalue
    0.125
    """
    differences = as_vector("x", x) - float(mu)
    chosen = check_test(test, null, alternative, n_resamples)
    sample = chosen.single(differences, Clusters.of(clusters, len(differences)), tie_tolerance)
    found = sample.evaluate(0, null, n_resamples, repeatable(random_state))
    return ClusteredWilcoxonResult(
        statistic=found.statistic,
        pvalue=found.pvalue(alternative),
        zstatistic=found.z,
        variance=found.variance,
        n_observations=found.n_observations,
        n_clusters=found.n_clusters,
        intraclass_correlation=found.intraclass_correlation,
        reason=found.reason,
        notes=found.notes,
        test=test,
        null=null,
        alternative=alternative,
    )


@dataclass(frozen=True, eq=False)
class PairwiseTests:
    """Tests of all ordered pairs: element ``[a, b]`` tests ``scores[:, a] - scores[:, b]``.

    Attributes
    ----------
    statistic, z, p, variance : ndarray of shape (k, k)
        As in :class:`ClusteredWilcoxonResult`. NaN on the diagonal and where there is no test.
    n_observations, n_clusters : ndarray of int of shape (k, k)
        Observations (without zeros for ``"rgl"``) and clusters used.
    intraclass_correlation : ndarray of shape (k, k)
        Of the signed ranks.
    reasons : dict of (int, int) to str
        Why there is no test, for the pairs that have none.
    notes : dict of (int, int) to str
        Remarks about a pair.
    """

    statistic: FloatArray
    z: FloatArray
    p: FloatArray
    variance: FloatArray
    n_observations: IntArray
    n_clusters: IntArray
    intraclass_correlation: FloatArray
    reasons: Mapping[tuple[int, int], str] = field(default_factory=dict)
    notes: Mapping[tuple[int, int], str] = field(default_factory=dict)


def pairwise_tests(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    test: str = "rgl",
    null: str = "asymptotic",
    alternative: str = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> PairwiseTests:
    """Run a signed-rank test on every ordered pair of columns.

    Both orders of a pair come from one computation, and with ``null="permutation"`` the same sign
    flips are applied to all pairs, so that the order of the columns does not matter.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better. NaN marks a missing score; each pair uses the tasks both have. Or a
        :class:`Sample` in place of scores, clusters and tolerance.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task.
    test, null, alternative, tie_tolerance, n_resamples, random_state
        As in :func:`clustered_wilcoxon`.

    Returns
    -------
    PairwiseTests
        Arrays of shape (k, k).

    Notes
    -----
    If each task is a cluster of its own, ``"rgl"`` is Wilcoxon's signed-rank test.

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.stats import pairwise_tests
    >>> scores = np.array([[.9, .8, .7], [.8, .9, .6], [.7, .5, .6], [.9, .8, .8], [.6, .5, .2]])
    >>> tests = pairwise_tests(
    ...     scores, [1, 1, 2, 2, 3], alternative="greater", tie_tolerance=1e-9
    ... )
    >>> tests.p.round(3)
    array([[  nan, 0.103, 0.056],
           [0.897,   nan, 0.162],
           [0.944, 0.838,   nan]])
    """
    chosen = check_test(test, null, alternative, n_resamples)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    seed = repeatable(random_state)
    found: dict[tuple[int, int], Evaluation] = {}
    for block, prepared in zip(sample.blocks(), chosen.blocks(sample), strict=True):
        for i, pair in enumerate(zip(block.a.tolist(), block.b.tolist(), strict=True)):
            found[pair] = prepared.evaluate(i, null, n_resamples, seed)
    return collect_pairs(found, sample.n_algorithms, alternative)


def collect_pairs(
    evaluations: Mapping[tuple[int, int], Evaluation], k: int, alternative: str
) -> PairwiseTests:
    """Return the tests of all ordered pairs; (b, a) mirrors (a, b) where it has no evaluation."""
    statistic, z, p, variance, rho = (np.full((k, k), np.nan) for _ in range(5))
    n_observations, n_clusters = (np.zeros((k, k), dtype=np.intp) for _ in range(2))
    reasons: dict[tuple[int, int], str] = {}
    notes: dict[tuple[int, int], str] = {}
    for a, b in zip(*np.nonzero(~np.eye(k, dtype=bool)), strict=True):
        pair = (int(a), int(b))
        sign, side, found = 1, alternative, evaluations.get(pair)
        if found is None:
            sign, side, found = -1, _MIRRORED[alternative], evaluations[pair[::-1]]
        pvalue = found.pvalue(side)
        statistic[pair], z[pair] = sign * found.statistic, sign * found.z
        p[pair] = np.nan if pvalue is None else pvalue
        variance[pair], rho[pair] = found.variance, found.intraclass_correlation
        n_observations[pair], n_clusters[pair] = found.n_observations, found.n_clusters
        if found.reason is not None:
            reasons[pair] = found.reason
        if found.notes:
            notes[pair] = "; ".join(found.notes)
    return PairwiseTests(
        statistic=statistic,
        z=z,
        p=p,
        variance=variance,
        n_observations=n_observations,
        n_clusters=n_clusters,
        intraclass_correlation=rho,
        reasons=reasons,
        notes=notes,
    )
