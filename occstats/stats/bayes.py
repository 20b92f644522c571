r"""Bayesian comparison over clustered tasks, with a region of practical equivalence (ROPE).

The Bayesian signed-rank test of Benavoli et al. [1]_ puts a Dirichlet process on the distribution
of differences. Here the process is over *datasets*: each draw gives the m datasets and one
pseudo-observation at zero (the prior, with weight s) the weights
:math:`W \sim \mathrm{Dirichlet}(s, 1, \dots, 1)`, and a dataset shares its weight equally among
its tasks. With two tasks drawn from such a distribution,

.. math:: \theta_{better} = P(x + x' > 2r), \quad \theta_{worse} = P(x + x' < -2r), \quad
          \theta_{equivalent} = 1 - \theta_{better} - \theta_{worse},

and the posterior probability of each answer is the share of draws in which its θ is the largest.
With one task per dataset this is the test of baycomp.

Both θ are quadratic forms w' K w in the weights of the datasets, where K[i, k] sums over the tasks
of datasets i and k. K is computed once; where it would be larger than the sample, pairs of tasks
are counted for each draw along the sorted differences.

References
----------
.. [1] A. Benavoli, G. Corani, J. Demšar, M. Zaffalon (2017). Time for a change: a tutorial for
   comparing multiple classifiers through Bayesian analysis. JMLR 18(77), 1-36.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import special

from occstats._checks import check_number
from occstats.stats._arrays import FloatArray, mirror
from occstats.stats.bootstrap import PosteriorWeights, over_rows
from occstats.stats.clusters import Clusters, weighted_means
from occstats.stats.sample import Sample

_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
# Elements of the matrices in memory at a time (100 MB).
BLOCK_ELEMENTS = 12_000_000
# Rows of weights whose products are in memory at a time: few enough to stay in the cache.
_BLOCK = 512
# Beyond this many clusters the products of weights cost more than they save.
_SHARED_CLUSTERS = 150
# Up to this many elements of K per task a product with K costs no more than counting.
DENSE_ELEMENTS = 16
# Weights of tasks by cluster, and by draw, in memory at a time.
_DENSE_BLOCK, _COUNTED_BLOCK = 2_000_000, 150_000


@dataclass(frozen=True, eq=False)
class BayesianPairs:
    """Posterior probabilities of every pair, k × k; [a, b] compares a with b.

    Attributes
    ----------
    better, equivalent, worse : ndarray
        Sum to 1 for every pair (NaN where two algorithms share no task).
    """

    better: FloatArray
    equivalent: FloatArray
    worse: FloatArray


def bayesian_signed_rank(
    scores: ArrayLike | Sample,
    clusters: ArrayLike | None = None,
    *,
    rope: float = 0.01,
    prior_weight: float = 1.0,
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> BayesianPairs:
    """Run the Bayesian signed-rank test for clustered tasks on every pair of columns.

    Parameters
    ----------
    scores : array_like, tasks × algorithms
        Higher is better; a NaN leaves the task out of that algorithm's pairs.
    clusters : array_like
        The dataset of each task.
    rope : float
        Half-width of the region of practical equivalence, on the scale of the score. With 0
        nothing is equivalent.
    prior_weight : float
        Weight of the pseudo-observation at zero, in datasets; 0 omits it.
    tie_tolerance : float
        Differences are rounded to multiples of it.
    n_resamples : int
        Draws from the posterior; the same for all pairs.
    random_state : int or None
        Seed of the draws.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.7], [0.8, 0.6], [0.9, 0.6], [0.7, 0.69], [0.8, 0.5]])
    >>> result = bayesian_signed_rank(scores, list("aabcd"), random_state=0)
    >>> bool(result.better[0, 1] > 0.9), bool(result.better[0, 1] == result.worse[1, 0])
    (True, True)
    """
    check_number("rope", rope, least=0)
    check_number("prior_weight", prior_weight, least=0)
    sample = Sample.of(scores, clusters, tie_tolerance=tie_tolerance)
    k, unit = sample.n_algorithms, sample.tie_tolerance
    draws = PosteriorWeights.of(sample.clusters, n_resamples, random_state)
    prior = draws.prior(prior_weight)
    # In the units of the differences, so that the edge of the region itself is met exactly.
    edge = float(np.rint(2 * rope / unit)) if unit > 0 else 2 * rope
    form = sample.n_clusters**2 if is_dense(sample.clusters) else 2 * sample.n_tasks
    held = 2 * form + 8 * n_resamples
    parts = [
        _pair_probabilities(block.grid, sample.clusters, draws, prior, edge)
        for block in sample.blocks(BLOCK_ELEMENTS, per_pair=held)
    ]
    better, equivalent, worse = np.concatenate(parts, axis=1) if parts else np.zeros((3, 0))
    same = 1.0 if rope > 0 else 0.0
    split = (1.0 - same) / 2
    return BayesianPairs(
        better=mirror(better, worse, k, split),
        equivalent=mirror(equivalent, equivalent, k, same),
        worse=mirror(worse, better, k, split),
    )


def probability_best(
    values: ArrayLike,
    clusters: ArrayLike | Clusters,
    *,
    n_resamples: int = 10_000,
    random_state: int | None = None,
) -> FloatArray:
    """Return the posterior probability that each column has the highest weighted mean.

    Uses the Bayesian bootstrap [1]_, with Dirichlet weights over datasets; columns that tie for
    first place share it. Pass negative ranks for the probability of the best mean rank.

    Parameters
    ----------
    values : array_like, tasks × algorithms
        Higher is better; no missing values.
    clusters : array_like
        The dataset of each task.
    n_resamples, random_state
        Draws and their seed.

    Returns
    -------
    ndarray
        One probability per column; they sum to 1.

    References
    ----------
    .. [1] D. B. Rubin (1981). The Bayesian bootstrap. Annals of Statistics 9(1), 130-134.

    Examples
    --------
    >>> probability_best([[3.0, 1.0], [2.0, 1.0], [2.0, 1.5]], ["a", "b", "c"], random_state=0)
    array([1., 0.])
    """
    grouping = Clusters.of(clusters)
    means = grouping.means(values)
    draws = PosteriorWeights.of(grouping, n_resamples, random_state)
    posterior = over_rows(partial(weighted_means, means), draws)
    top = posterior.max(axis=1, keepdims=True)
    best = posterior >= top - 1e-12 * np.abs(top)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))


def correlated_t(
    fold_differences: ArrayLike,
    *,
    rope: float = 0.01,
    test_share: float | ArrayLike | None = None,
) -> pd.DataFrame:
    r"""Run the Bayesian correlated t-test on each task, from the differences on its folds.

    Folds share training data, so that their differences are correlated; Nadeau and Bengio's
    correction [1]_ sets the correlation to the share ρ of the data in a test fold. The posterior of
    the mean difference [2]_ is Student's t with n − 1 degrees of freedom, mean :math:`\bar x` and
    scale :math:`\sqrt{(1/n + \rho/(1-\rho)) s^2}`.

    Parameters
    ----------
    fold_differences : array_like, tasks × folds
        NaN marks a missing fold.
    rope : float
        Half-width of the region of practical equivalence.
    test_share : float, optional
        ρ; by default 1 / (number of folds). With r repeats of k folds pass 1 / k.

    Returns
    -------
    DataFrame
        One row per task: the probabilities ``better``, ``equivalent`` and ``worse``, and the
        ``mean``, ``scale`` and ``degrees_of_freedom`` of the posterior; NaN where fewer than two
        folds are known.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine Learning 52,
       239-281.
    .. [2] G. Corani, A. Benavoli (2015). A Bayesian approach for comparing cross-validated
       algorithms on multiple data sets. Machine Learning 100, 285-304.

    Examples
    --------
    >>> result = correlated_t([[0.02, 0.03, 0.01, 0.04, 0.03]], rope=0.01)
    >>> result[["better", "equivalent", "worse"]].round(3)
       better  equivalent  worse
    0   0.948       0.048  0.005
    """
    x = np.atleast_2d(np.asarray(fold_differences, dtype=float))
    n = np.sum(~np.isnan(x), axis=1).astype(float)
    enough = n >= 2
    safe = np.where(enough, n, 2.0)
    mean = np.nansum(x, axis=1) / safe
    squares = np.nansum((x - mean[:, None]) ** 2, axis=1)
    share = 1 / safe if test_share is None else np.asarray(test_share, dtype=float)
    scale = np.sqrt(squares / (safe - 1) * (1 / safe + share / (1 - share)))
    above = _student_above(mean - rope, scale, safe - 1)
    below = _student_above(-mean - rope, scale, safe - 1)
    probabilities = {"better": above, "equivalent": 1 - above - below, "worse": below}
    posterior = {"mean": mean, "scale": scale, "degrees_of_freedom": n - 1}
    frame = pd.DataFrame(probabilities | posterior)
    frame.loc[~enough] = np.nan
    return frame


def _student_above(distance: FloatArray, scale: FloatArray, degrees: FloatArray) -> FloatArray:
    """Return P(T > 0) of a Student variable at `distance` with `scale`; a step for scale 0."""
    step = 0.5 + 0.5 * np.sign(distance)
    with np.errstate(divide="ignore", invalid="ignore"):
        smooth = special.stdtr(degrees, distance / scale)
    return np.asarray(np.where(scale > 0, smooth, step))


def _pair_probabilities(
    x: FloatArray, grouping: Clusters, draws: PosteriorWeights, prior: FloatArray, edge: float
) -> FloatArray:
    """Return the probabilities of better, equivalent and worse for each column: 3 × pairs."""
    known = ~np.isnan(x)
    sizes = grouping.sums(known)
    weights = np.where(known, 1 / np.maximum(sizes, 1)[grouping.codes], 0.0)
    present = (sizes > 0).astype(float)
    # Better, then worse: the same seen from below.
    x, weights = np.hstack([x, -x]), np.hstack([weights, weights])
    of_two = _walsh_forms(x, grouping, edge, weights)
    # With the pseudo-observation at zero as one of the two, and as both.
    of_one = grouping.sums(np.heaviside(np.nan_to_num(x) - edge, 0.5) * weights)
    of_none = np.heaviside(-edge, 0.5)
    shares, start = np.zeros((3, known.shape[1])), 0
    for rows in draws:
        own = prior[start : start + len(rows), None]
        start += len(rows)
        total = (own + rows @ present) ** 2
        both = of_two(rows) + 2 * own * (rows @ of_one) + own**2 * of_none
        better, worse = np.hsplit(both, 2)
        equivalent = total - better - worse if edge > 0 else np.full_like(better, -1.0)
        thetas = np.stack([better, equivalent, worse])
        # Largest within rounding: exact ties (equal algorithms) share the draw.
        winners = thetas >= thetas.max(axis=0) - 1e-12 * total
        shares += (winners / winners.sum(axis=0)).sum(axis=1)
    return np.where(known.any(axis=0), shares / max(1, len(draws)), np.nan)


def is_dense(grouping: Clusters) -> bool:
    """Return whether a matrix of clusters × clusters is small relative to the sample."""
    m = grouping.n_clusters
    return m <= _SHARED_CLUSTERS or m**2 <= DENSE_ELEMENTS * len(grouping.codes)


def _walsh_forms(
    x: FloatArray, grouping: Clusters, threshold: float, weights: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Return Σ v_s v_t w_s w_t h(x_s + x_t − threshold) of each column of x as a function of w.

    h is 1 above 0, ½ at 0 and 0 below; v are `weights` of tasks, of the shape of x, and w those of
    their clusters: rows of these give rows × columns of sums. NaN in `x` counts nothing.
    """
    columns = zip(x.T, weights.T, strict=True)
    if is_dense(grouping):
        dense = [_dense_form(column, grouping, threshold, v) for column, v in columns]
        return partial(_quadratic_forms, forms=np.array(dense))
    counted = [_counted_form(column, grouping, threshold, v) for column, v in columns]
    return lambda rows: np.column_stack([form(rows) for form in counted])


def _dense_form(
    x: FloatArray, grouping: Clusters, threshold: float, weights: FloatArray
) -> FloatArray:
    """Return K[i, k] = Σ v_s v_t h(x_s + x_t − threshold) over tasks s of cluster i and t of k."""
    order = np.argsort(x)
    first, last = (np.searchsorted(x[order], threshold - x, side) for side in _SIDES)
    total = grouping.sums(weights)
    form = np.outer(total, total)
    step = max(1, _DENSE_BLOCK // max(1, len(x)))
    for start in range(0, len(form), step):
        some = slice(start, start + step)
        # Weights up to each task in order, by cluster.
        below = np.zeros((len(x) + 1, form[:, some].shape[1]))
        codes = grouping.codes[order] - start
        (inside,) = np.nonzero((codes >= 0) & (codes < step))
        below[inside + 1, codes[inside]] = weights[order[inside]]
        np.cumsum(below, axis=0, out=below)
        form[:, some] -= grouping.sums(weights[:, None] * (below[first] + below[last]) / 2)
    return form


def _counted_form(
    x: FloatArray, grouping: Clusters, threshold: float, weights: FloatArray
) -> Callable[[FloatArray], FloatArray]:
    """Return w' K w as a function of w without K: N steps for each row of weights."""
    kept = np.flatnonzero(~np.isnan(x) & (weights != 0))
    order = kept[np.argsort(x[kept], kind="stable")]
    x, v, codes = x[order], weights[order], grouping.codes[order]
    # Half of everything above the last equal value, half of everything from the first on.
    first, last = (np.searchsorted(x, threshold - x, side) for side in _SIDES)
    places = [first] if np.array_equal(first, last) else [first, last]

    def form(rows: FloatArray) -> FloatArray:
        values = np.empty(len(rows))
        step = max(1, _COUNTED_BLOCK // max(1, len(x)))
        below = np.zeros((step, len(x) + 1))
        for start in range(0, len(rows), step):
            part = rows[start : start + step, codes] * v
            held = below[: len(part)]
            np.cumsum(part, axis=1, out=held[:, 1:])
            up_to = sum(np.einsum("bs,bs->b", part, held[:, place]) for place in places)
            values[start : start + step] = held[:, -1] ** 2 - up_to / len(places)
        return values

    return form


def _quadratic_forms(weights: FloatArray, forms: FloatArray) -> FloatArray:
    """Return w' K w for every row of weights and every symmetric matrix: rows × matrices."""
    m = forms.shape[1]
    if m > _SHARED_CLUSTERS:
        return np.column_stack([np.einsum("bi,bi->b", weights @ form, weights) for form in forms])
    # The products of weights are computed once for all matrices.
    first, second = np.triu_indices(m)
    folded = (forms[:, first, second] * np.where(first == second, 1.0, 2.0)).T
    values = np.empty((len(weights), len(forms)))
    for start in range(0, len(weights), _BLOCK):
        part = weights[start : start + _BLOCK]
        products = np.hstack([part[:, i : i + 1] * part[:, i:] for i in range(m)])
        values[start : start + _BLOCK] = products @ folded
    return values
