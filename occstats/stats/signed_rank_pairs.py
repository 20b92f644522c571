"""The clustered signed-rank test for every pair of algorithms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from occstats.checks import check_choice
from occstats.errors import ArgumentError
from occstats.stats.arrays import FloatArray, IntArray, as_scores, cluster_codes, round_to_grid
from occstats.stats.sign_flip import RandomState, repeatable
from occstats.stats.signed_rank import (
    ALTERNATIVES,
    ENGINES,
    Alternative,
    Engine,
    Evaluation,
    Method,
    Null,
    check_choices_of_test,
    evaluate,
)

MIRRORED = {"less": "greater", "greater": "less", "two-sided": "two-sided"}


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
        What else there is to know about a pair.
    alternative : str
        The alternative of every element, which is about ``a`` minus ``b``.
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
    alternative: str = "two-sided"


def clustered_wilcoxon_pairs(
    scores: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    mu: float = 0.0,
    method: Method = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
    engine: Engine = "native",
) -> PairwiseTests:
    """Test every pair of columns with :func:`clustered_wilcoxon`.

    Both orders of a pair come from one computation, and with ``null="permutation"`` all pairs
    see the same changes of sign, so that the order of the columns does not matter.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better. NaN marks a missing score; each pair uses the tasks both have.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (data set) of each task.
    mu, method, null, alternative, tie_tolerance, n_resamples, random_state, engine
        As in :func:`clustered_wilcoxon`.

    Returns
    -------
    PairwiseTests
        Arrays of shape (k, k).

    Examples
    --------
    >>> import numpy as np
    >>> from occstats.stats import clustered_wilcoxon_pairs
    >>> scores = np.array([[.9, .8, .7], [.8, .9, .6], [.7, .5, .6], [.9, .8, .8], [.6, .5, .2]])
    >>> tests = clustered_wilcoxon_pairs(
    ...     scores, [1, 1, 2, 2, 3], alternative="greater", tie_tolerance=1e-9
    ... )
    >>> tests.p.round(3)
    array([[  nan, 0.103, 0.056],
           [0.897,   nan, 0.162],
           [0.944, 0.838,   nan]])
    """
    table = as_scores("scores", scores, allow_nan=True)
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("engine", engine, ENGINES)
    check_choices_of_test(method, null, n_resamples)
    if engine != "native":
        from occstats.stats.clusrank import clusrank_pairs

        if mu:
            raise ArgumentError(f"mu must be 0 for all pairs with engine {engine!r}; got {mu!r}.")
        return clusrank_pairs(
            table,
            clusters,
            method=method,
            null=null,
            alternative=alternative,
            tie_tolerance=tie_tolerance,
            n_resamples=n_resamples,
            random_state=random_state,
            through="rpy2" if engine == "clusrank" else "rscript",
        )
    codes, labels = cluster_codes(clusters, len(table))
    n_clusters = len(labels)
    seed = repeatable(random_state)
    columns = np.ascontiguousarray(table.T)
    incomplete: npt.NDArray[np.bool_] = np.asarray(np.isnan(columns).any(axis=1))

    def test(a: int, b: int) -> Evaluation:
        differences = columns[a] - columns[b]
        used = codes
        if incomplete[a] or incomplete[b]:
            both = ~np.isnan(differences)
            differences, used = differences[both], codes[both]
        rounded = round_to_grid(differences - mu if mu else differences, tie_tolerance)
        return evaluate(rounded, used, n_clusters, method, null, n_resamples, seed)

    return collect_pairs(test, len(columns), alternative, mirrored=mu == 0)


def collect_pairs(
    test: Callable[[int, int], Evaluation], k: int, alternative: str, *, mirrored: bool = True
) -> PairwiseTests:
    """Fill the arrays from a function that tests column a against column b.

    With ``mirrored`` the test of b against a is read off the test of a against b.
    """
    statistic, z, p, variance, rho = (np.full((k, k), np.nan) for _ in range(5))
    n_observations, n_clusters = (np.zeros((k, k), dtype=np.intp) for _ in range(2))
    reasons: dict[tuple[int, int], str] = {}
    notes: dict[tuple[int, int], str] = {}

    def enter(a: int, b: int, found: Evaluation, sign: int) -> None:
        statistic[a, b] = sign * found.statistic
        z[a, b] = sign * found.z
        side = alternative if sign > 0 else MIRRORED[alternative]
        pvalue = found.pvalue(side)
        p[a, b] = np.nan if pvalue is None else pvalue
        variance[a, b] = found.variance
        n_observations[a, b] = found.n_observations
        n_clusters[a, b] = found.n_clusters
        rho[a, b] = found.intraclass_correlation
        if found.reason is not None:
            reasons[a, b] = found.reason
        if found.notes:
            notes[a, b] = "; ".join(found.notes)

    for a in range(k):
        for b in range(a + 1, k):
            found = test(a, b)
            enter(a, b, found, +1)
            if mirrored:
                enter(b, a, found, -1)
            else:
                enter(b, a, test(b, a), +1)
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
        alternative=alternative,
    )
