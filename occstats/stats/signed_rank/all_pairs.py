"""Signed-rank tests of every pair of algorithms."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from occstats.stats._arrays import FloatArray, IntArray, absent, round_to_grid
from occstats.stats.pairs import mirror, upper_pairs
from occstats.stats.sample import Sample
from occstats.stats.signed_rank.interface import ALL_ZERO, Evaluation, Observed
from occstats.stats.signed_rank.methods import check_test
from occstats.stats.signed_rank.null import RandomState, repeatable, tail

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


def pairwise_tests(
    scores: npt.ArrayLike | Sample,
    clusters: npt.ArrayLike | None = None,
    *,
    test: str = "rgl",
    null: str = "asymptotic",
    alternative: str = "two-sided",
    tie_tolerance: float = 0.0,
    mu: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
) -> PairwiseTests:
    """Run a signed-rank test on every ordered pair of columns.

    Both orders of a pair come from one computation, and with ``null="permutation"`` all pairs
    see the same changes of sign, so that the order of the columns does not matter.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better. NaN marks a missing score; each pair uses the tasks both have. Or a
        :class:`Sample` in place of scores, clusters and tolerance.
    clusters : array_like of shape (n_tasks,)
        Label of the cluster (dataset) of each task.
    test : {"rgl", "ds", "dataset-means", "wilcoxon"}
        ``"dataset-means"`` is Wilcoxon's test on the mean difference in each cluster: valid, but
        it ignores how many tasks a dataset has and how they differ.
        ``"wilcoxon"`` treats all tasks as independent, and so rejects a true null hypothesis far
        too often where tasks of one dataset are correlated.
    null, alternative, tie_tolerance, mu, n_resamples, random_state
        As in :func:`clustered_wilcoxon`.

    Returns
    -------
    PairwiseTests
        Arrays of shape (k, k). Zeros are dropped but for the two tests of Datta and Satten.

    References
    ----------
    .. [1] F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1,
       80-83.

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
    >>> scores = [[.9, .8], [.7, .5], [.9, .6], [.5, .6]]
    >>> tests = pairwise_tests(scores, list("aabc"), test="dataset-means", tie_tolerance=1e-9)
    >>> round(float(tests.p[0, 1]), 4), int(tests.n_observations[0, 1])
    (0.285, 3)
    """
    chosen = check_test(test, null, alternative, n_resamples)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    if null == "asymptotic" and mu == 0 and sample.n_pairs:
        return normal_pairs(chosen.observed(sample), sample.n_algorithms, alternative)
    engine, seed = chosen.engine, repeatable(random_state)
    found: dict[tuple[int, int], Evaluation] = {}
    for sign in (1.0, -1.0) if mu else (1.0,):
        for block in sample.blocks():
            differences, grid = block.differences, block.grid
            if mu:
                differences = sign * differences - mu
                grid = round_to_grid(differences, sample.tie_tolerance)
            prepared = engine.sample(differences, grid, sample.clusters, sample.tie_tolerance)
            for i, (a, b) in enumerate(zip(block.a.tolist(), block.b.tolist(), strict=True)):
                pair = (a, b) if sign > 0 else (b, a)
                found[pair] = prepared.evaluate(i, null, n_resamples, seed)
    return collect_pairs(
        lambda a, b: found[a, b], sample.n_algorithms, alternative, mirrored=mu == 0
    )


def normal_pairs(blocks: Iterable[Observed], k: int, alternative: str) -> PairwiseTests:
    """Return the tests of all pairs by the normal approximation, as `Prepared.evaluate` does."""
    columns: list[list[npt.NDArray[Any]]] = []
    for block in blocks:
        found = block.observed
        tested = absent(found.problem) | block.all_zero
        reason = found.problem.copy()
        reason[block.all_zero] = None
        known = [np.where(block.all_zero, 0.0, x) for x in (found.statistic, found.variance)]
        z = np.where(tested, np.where(block.all_zero, 0.0, found.z), np.nan)
        counted = [block.n_observations, block.n_clusters]
        columns.append([*known, z, found.correlation, reason, block.all_zero, *counted])
    parts = (np.concatenate(part) for part in zip(*columns, strict=True))
    statistic, variance, z, rho, reason, all_zero, n_observations, n_clusters = parts
    both = [tail(side * z, alternative) for side in (1.0, -1.0)]
    p, mirrored = (np.where(all_zero, 1.0, found) for found in both)
    first, second = upper_pairs(k)

    def said(pairs: npt.NDArray[np.intp], words: Sequence[str]) -> dict[tuple[int, int], str]:
        places = [(int(first[i]), int(second[i])) for i in pairs]
        ordered = [pair for a, b in places for pair in ((a, b), (b, a))]
        return dict(zip(ordered, np.repeat(words, 2).tolist(), strict=True))

    without = np.flatnonzero(~absent(reason))
    certain = np.flatnonzero(all_zero)
    return PairwiseTests(
        statistic=mirror(statistic, -statistic, k, np.nan),
        z=mirror(z, -z, k, np.nan),
        p=mirror(p, mirrored, k, np.nan),
        variance=mirror(variance, variance, k, np.nan),
        n_observations=mirror(n_observations, n_observations, k, 0).astype(np.intp),
        n_clusters=mirror(n_clusters, n_clusters, k, 0).astype(np.intp),
        intraclass_correlation=mirror(rho, rho, k, np.nan),
        reasons=said(without, reason[without].tolist()),
        notes=said(certain, [ALL_ZERO] * len(certain)),
        alternative=alternative,
    )


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
