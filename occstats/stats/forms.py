"""Statistics over pairs of tasks, gathered into one small matrix per pair of clusters.

Kendall's τ, the rank-biserial correlation and the Bayesian signed-rank test all sum a kernel over
pairs of tasks (s, t). With weights that depend on a task only through its cluster, the sum is the
quadratic form c' K c, where K[i, k] is the kernel's sum over the tasks of clusters i and k. K is
computed once; each resample then costs m² instead of N².
"""

import numpy as np
from numpy.typing import NDArray

from occstats.stats.arrays import FloatArray as Array
from occstats.stats.clusters import Clusters
from occstats.stats.tests.ranking import count_matrix

# Rows of weights whose products are held at once: few enough to stay in the cache.
BLOCK = 512
# Beyond this many clusters the products of weights cost more than they save.
SHARED_CLUSTERS = 150


def walsh_form(x: Array, grouping: Clusters, threshold: float, weights: Array) -> Array:
    r"""Matrix K[i, k] = Σ v_s v_t h(x_s + x_t − threshold) over tasks s of cluster i and t of k.

    h is 1 above 0, ½ at 0 and 0 below. NaN in `x` counts nothing.

    Examples
    --------
    >>> from occstats.stats.clusters import Clusters
    >>> x = np.array([1.0, -2.0, 3.0])
    >>> walsh_form(x, Clusters.of(["a", "a", "b"]), 0.0, np.ones(3))
    array([[1., 2.],
           [2., 1.]])
    """
    kept = ~np.isnan(x) & (weights != 0)
    x, v, codes = x[kept], weights[kept], grouping.codes[kept]
    m = grouping.n_clusters
    return count_matrix(x - threshold, v, codes, -x, v, codes, (m, m))


def order_signs(x: Array, known: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Sign of x_s − x_t for every two tasks; 0 where one of them is not known.

    Examples
    --------
    >>> order_signs(np.array([1.0, 3.0]), np.array([True, True]))
    array([[ 0, -1],
           [ 1,  0]], dtype=int8)
    """
    filled = np.where(known, x, 0.0)
    above = (filled[:, None] > filled[None, :]).astype(np.int8)
    signs = above - above.T
    signs[~known] = 0
    signs[:, ~known] = 0
    return signs


def gather(kernel: NDArray[np.int8], grouping: Clusters, weights: Array, weighting: str) -> Array:
    """Sum a symmetric kernel over the tasks of every two clusters: clusters × clusters.

    A pair of tasks has the weight v_s·v_t ("product"), v_s + v_t ("sum") or 1 ("plain").
    """
    if weighting == "plain":
        return grouping.sums(grouping.sums(kernel).T)
    rows = grouping.sums(kernel * weights[:, None]).T
    if weighting == "product":
        return grouping.sums(rows * weights[:, None])
    one_sided = grouping.sums(rows)
    return one_sided + one_sided.T


def quadratic_forms(weights: Array, forms: Array) -> Array:
    """Values w' K w of every row of weights and every (symmetric) matrix: rows × matrices.

    Up to 150 clusters the products of weights are formed once and shared by all matrices.

    Examples
    --------
    >>> quadratic_forms(np.array([[1.0, 2.0]]), np.array([[[1.0, 0.5], [0.5, 3.0]]]))
    array([[15.]])
    """
    n_forms, m = forms.shape[:2]
    values = np.empty((len(weights), n_forms))
    if m > SHARED_CLUSTERS:
        for position, form in enumerate(forms):
            values[:, position] = np.einsum("bi,bi->b", weights @ form, weights)
        return values
    first, second = np.triu_indices(m)
    folded = forms[:, first, second] * np.where(first == second, 1.0, 2.0)
    starts = np.concatenate([[0], np.cumsum(np.arange(m, 0, -1))])
    products = np.empty((len(first), BLOCK))
    for start in range(0, len(weights), BLOCK):
        part = np.ascontiguousarray(weights[start : start + BLOCK].T)
        held = products[:, : part.shape[1]]
        for i in range(m):
            np.multiply(part[i], part[i:], out=held[starts[i] : starts[i + 1]])
        values[start : start + BLOCK] = (folded @ held).T
    return values
