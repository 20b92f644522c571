"""Signed-rank tests of one sample of clustered differences, and of all pairs of algorithms."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from occstats._checks import check_choice, check_integer
from occstats.errors import ArgumentError
from occstats.stats._arrays import (
    FloatArray,
    IntArray,
    as_vector,
    mirror,
    round_to_grid,
    upper_pairs,
)
from occstats.stats.clusters import Clusters
from occstats.stats.sample import PairBlock, Sample
from occstats.stats.signed_rank import ALTERNATIVES, TESTS
from occstats.stats.signed_rank.null import (
    RandomState,
    Signs,
    Tails,
    can_list,
    exact_is_feasible,
    exact_tails,
    flip_tails,
    repeatable,
    tail,
)

TestName = Literal["rgl", "ds"]
Null = Literal["asymptotic", "exact", "permutation"]
Alternative = Literal["two-sided", "less", "greater"]


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
    reason: str | None
    notes: tuple[str, ...]
    test: str
    null: str
    alternative: str

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
            \left(1 + \sum_{k \neq i} F_k(|x_{ij}|)\right),

    .. math::
        \mathrm{Var}\, T = \sum_i \left[ \frac{1}{g_i} \sum_j \mathrm{sign}(x_{ij})
            \left(1 + (m - 1) F(|x_{ij}|)\right) \right]^2 .

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
    check_choice("test", test, TESTS)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("null", null, get_args(Null))
    check_integer("n_resamples", n_resamples)
    if test == "ds" and null == "exact":
        raise ArgumentError(
            "null='exact' is not available for 'ds'; use null='permutation' or null='asymptotic'."
        )
    column = as_vector("x", x)[:, None] - float(mu)
    groups = Clusters.of(clusters, len(column)).independent
    grid = round_to_grid(column, tie_tolerance)
    block = PairBlock(*upper_pairs(2), column, grid, groups)
    prepared = TESTS[test].prepare(block)
    found, used = prepared.observed, prepared.sizes[0] > 0
    statistic, variance = float(found.statistic[0]), float(found.variance[0])
    reason = found.problem[0]
    notes: tuple[str, ...] = ()
    rank_sums = groups.sums(block.signed_ranks[0])[used, 0]
    if null == "exact" and len(rank_sums) >= 2:
        statistic, variance, reason = float(rank_sums.sum()), float(rank_sums @ rank_sums), None
    z = np.float64(statistic / np.sqrt(variance) if variance > 0 else 0.0)

    def flipped(signs: Signs) -> FloatArray:
        if null == "exact":
            return np.asarray(signs @ rank_sums / np.sqrt(variance))
        everywhere = np.ones((len(signs), len(used)), dtype=np.int8)
        everywhere[:, used] = signs
        return prepared.flipped(np.zeros(len(signs), dtype=np.intp), everywhere)

    tails: Tails | None = None
    if found.all_zero[0]:
        tails, notes = dict.fromkeys(ALTERNATIVES, 1.0), ("all differences are zero",)
        statistic, variance, z, reason = 0.0, 0.0, np.float64(0.0), None
    elif reason is not None:
        z = np.float64("nan")
    elif null == "asymptotic":
        tails = {side: float(tail(z, side)) for side in ALTERNATIVES}
    elif null == "exact" and exact_is_feasible(rank_sums):
        tails = exact_tails(rank_sums)
    else:
        list_all = null == "permutation" and can_list(len(rank_sums), n_resamples)
        if list_all:
            notes = ("all sign flips were enumerated: the p-value is exact",)
        elif null == "exact":
            notes = (
                "the exact null would take too long (the limit is 2e9 additions or 5e7 sums): "
                f"estimated from {n_resamples} random sign flips",
            )
        seed = repeatable(random_state)
        tails = flip_tails(flipped, len(rank_sums), n_resamples, seed, list_all=list_all)
    return ClusteredWilcoxonResult(
        statistic=statistic,
        pvalue=None if tails is None else tails[alternative],
        zstatistic=float(z),
        variance=variance,
        n_observations=int(found.n_observations[0]),
        n_clusters=int(found.n_clusters[0]),
        intraclass_correlation=float(found.correlation[0]),
        reason=reason,
        notes=notes,
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
    """

    statistic: FloatArray
    z: FloatArray
    p: FloatArray
    variance: FloatArray
    n_observations: IntArray
    n_clusters: IntArray
    intraclass_correlation: FloatArray
    reasons: Mapping[tuple[int, int], str]


def pairwise_tests(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    test: str = "rgl",
    alternative: str = "two-sided",
    tie_tolerance: float = 0.0,
) -> PairwiseTests:
    """Run an asymptotic signed-rank test on every ordered pair of columns.

    For tests by sign flips see :func:`typical_tests`.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better. NaN marks a missing score; each pair uses the tasks both have. Or a
        :class:`Sample` in place of scores, clusters and tolerance.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task.
    test, alternative, tie_tolerance
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
    check_choice("test", test, TESTS)
    check_choice("alternative", alternative, ALTERNATIVES)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k, (first, second) = sample.n_algorithms, upper_pairs(sample.n_algorithms)
    parts = [part.observed for part in TESTS[test].blocks(sample)]

    def whole(name: str) -> Any:
        return np.concatenate([[], *(getattr(part, name) for part in parts)])

    def square(upper: FloatArray, lower: FloatArray) -> FloatArray:
        return mirror(upper, lower, k, np.nan) + 0.0

    all_zero, problem = whole("all_zero").astype(bool), whole("problem")
    statistic, variance, z = (
        np.where(all_zero, 0.0, whole(name)) for name in ("statistic", "variance", "z")
    )
    rho, n, m = (whole(name) for name in ("correlation", "n_observations", "n_clusters"))
    lost = np.flatnonzero((problem != None) & ~all_zero)  # noqa: E711, element by element
    reasons = {(int(first[i]), int(second[i])): problem[i] for i in lost}
    return PairwiseTests(
        statistic=square(statistic, -statistic),
        z=square(z, -z),
        p=square(*(np.where(all_zero, 1.0, tail(sign * z, alternative)) for sign in (1, -1))),
        variance=square(variance, variance),
        n_observations=mirror(n, n, k, 0.0).astype(np.intp),
        n_clusters=mirror(m, m, k, 0.0).astype(np.intp),
        intraclass_correlation=square(rho, rho),
        reasons={**reasons, **{pair[::-1]: reason for pair, reason in reasons.items()}},
    )
