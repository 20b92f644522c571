"""Wilcoxon's signed-rank test for clustered observations."""

from dataclasses import dataclass, field
from typing import Literal

import numpy.typing as npt

from occstats._checks import check_choice
from occstats.stats._arrays import as_vector
from occstats.stats.clusters import Clusters
from occstats.stats.display import as_html
from occstats.stats.signed_rank.interface import Evaluation
from occstats.stats.signed_rank.methods import check_test
from occstats.stats.signed_rank.null import RandomState, repeatable

TestName = Literal["rgl", "ds"]
Null = Literal["asymptotic", "exact", "permutation"]
Alternative = Literal["two-sided", "less", "greater"]
Engine = Literal["native", "clusrank", "rscript"]

TESTS_IN_R = ("rgl", "ds")
ENGINES = ("native", "clusrank", "rscript")


@dataclass(frozen=True)
class ClusteredWilcoxonResult:
    """Result of :func:`clustered_wilcoxon`.

    Attributes
    ----------
    statistic : float
        T (Rosner-Glynn-Lee, weighted when clusters differ in size), the plain sum of signed ranks
        (exact null), or TS (Datta-Satten). NaN when there is no test.
    pvalue : float or None
        None when there is no test; `reason` says why.
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
        What else the reader has to know, such as an exact null replaced by Monte Carlo.
    test, null, alternative : str
        The choices made.
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
        return as_html(self)


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
    engine: Engine = "native",
) -> ClusteredWilcoxonResult:
    r"""Test whether paired differences centre on ``mu`` when they come in clusters.

    Observations of one cluster (tasks of one dataset, eyes of one patient) may depend on each
    other; clusters are independent. Wilcoxon's own test ignores that and rejects far too often.

    Parameters
    ----------
    x : array_like of shape (n,)
        Paired differences.
    clusters : array_like of shape (n,)
        Label of the cluster of each difference. The order of the rows does not matter.
    mu : float
        Location under the null hypothesis.
    test : {"rgl", "ds"}
        ``"rgl"``: Rosner, Glynn and Lee (2006); every observation counts, up to a weight for the
        size of its cluster, and zeros are dropped. ``"ds"``: Datta and Satten (2008); every
        cluster counts the same, and zeros are kept; where the spread of the differences goes with
        the size of a cluster, its normal approximation is wrong: use ``null="permutation"``.
    null : {"asymptotic", "exact", "permutation"}
        Normal approximation; the complete distribution over all changes of the clusters' signs
        (``"rgl"`` only, see Notes); or flips of the clusters' signs for the statistic Z, all of
        them where they are no more than `n_resamples`, else a random sample.
    alternative : {"two-sided", "less", "greater"}
        ``"greater"``: the differences tend to be above ``mu``.
    tie_tolerance : float
        Differences ``x - mu`` are rounded to multiples of this number before they are compared
        with zero and ranked, so that 0.3 − 0.2 and 0.2 − 0.1 are a tie. 0 ranks the floats as
        they are.
    n_resamples : int
        Changes of sign drawn by ``null="permutation"``, and by ``"exact"`` when the complete
        distribution would take more than 2·10⁹ additions or 5·10⁷ different sums; `notes` then
        says so.
    random_state : int, numpy.random.Generator or None
        Seed of the Monte Carlo sample.
    engine : {"native", "clusrank", "rscript"}
        ``"native"`` is this implementation; the others ask R's clusrank package, through rpy2 or
        a plain ``Rscript``.

    Returns
    -------
    ClusteredWilcoxonResult
        With `statistic`, `pvalue`, `zstatistic`, `variance`, `n_observations`, `n_clusters` and
        `intraclass_correlation`. `pvalue` is None, and `reason` says why, when fewer than two
        clusters are left or no variance can be estimated; it is 1 when all differences are zero.

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

    Where all signed ranks are equal, as with one win on every task by the same amount,
    :math:`s^2 = 0` and ρ is not defined. It is set to 1, so that each cluster counts as one
    observation and :math:`Z = \pm\sqrt m`; R's clusrank has no test there.

    **Datta-Satten.** With :math:`F_i(x)` the mean of the left and right limits of the empirical
    distribution of the :math:`|x_{ij}|` of cluster i, and F the pooled one,

    .. math::
        T = \sum_i \frac{1}{g_i} \sum_j \mathrm{sign}(x_{ij})
            \Big(1 + \sum_{k \neq i} F_k(|x_{ij}|)\Big), \quad
        \mathrm{Var}\, T = \sum_i \Big[ \frac{1}{g_i} \sum_j \mathrm{sign}(x_{ij})
            \big(1 + (m - 1) F(|x_{ij}|)\big) \Big]^2 .

    **Exact null.** The statistic is :math:`\sum_i R_i`, also when clusters differ in size: it is
    then not the weighted T of the asymptotic test but one that large clusters dominate. P-values
    are :math:`P(T^* \geq T)`, :math:`P(T^* \leq T)`, and twice the smaller, at most 1.

    **Permutation null.** Whole clusters change sign, Z with its weights is computed for each
    change, and the p-value is (b + 1)/(B + 1), b of the B values being at least as extreme.

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
    check_choice("test", test, TESTS_IN_R)
    check_choice("engine", engine, ENGINES)
    chosen = check_test(test, null, alternative, n_resamples)
    if engine != "native":
        from occstats.backends.clusrank import clusrank_test

        return clusrank_test(
            x,
            clusters,
            mu=mu,
            test=test,
            null=null,
            alternative=alternative,
            tie_tolerance=tie_tolerance,
            n_resamples=n_resamples,
            random_state=random_state,
            through="rpy2" if engine == "clusrank" else "rscript",
        )
    sample = chosen.engine.single(
        differences, Clusters.of(clusters, len(differences)), tie_tolerance
    )
    found = sample.evaluate(0, null, n_resamples, repeatable(random_state))
    return as_result(found, test=test, null=null, alternative=alternative)


def as_result(
    found: Evaluation, *, test: str, null: str, alternative: str
) -> ClusteredWilcoxonResult:
    """Return the result for an evaluation by any engine."""
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
