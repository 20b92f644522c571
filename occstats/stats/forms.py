"""Statistics over pairs of tasks for many weights of their clusters.

The Bayesian signed-rank test sums a kernel over pairs of tasks (s, t). With weights that depend on
a task only through its cluster, the sum is the quadratic form c' K c, where K[i, k] is the kernel's
sum over the tasks of clusters i and k. K is computed once; each resample then costs m² instead of
N². Where K would be larger than the sample, pairs with x_s + x_t above a threshold are counted
for each resample, in N steps along the sorted differences.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from occstats.stats._arrays import FloatArray as Array
from occstats.stats.clusters import Clusters
from occstats.stats.signed_rank.ranking import count_matrix

# Rows of weights whose products are held at once: few enough to stay in the cache.
BLOCK = 512
# Beyond this many clusters the products of weights cost more than they save.
SHARED_CLUSTERS = 150
# Up to this many elements of K per task a product with K costs no more than counting.
DENSE_ELEMENTS = 128
# Weights of tasks that are held at once.
COUNTED_ELEMENTS = 500_000

Form = Callable[[Array], Array]


def is_dense(grouping: Clusters) -> bool:
    """Return whether a matrix of clusters × clusters is small relative to the sample."""
    m = grouping.n_clusters
    return m <= SHARED_CLUSTERS or m**2 <= DENSE_ELEMENTS * len(grouping.codes)


def walsh_forms(x: Array, grouping: Clusters, threshold: float, weights: Array) -> Form:
    """Return Σ v_s v_t w_s w_t h(x_s + x_t − threshold) of each column of x as a function of w.

    h is 1 above 0, ½ at 0 and 0 below; v are `weights` of tasks, of the shape of x, and w those of
    their clusters: rows of these give rows × columns of sums. NaN in `x` counts nothing.

    Examples
    --------
    >>> from occstats.stats.clusters import Clusters
    >>> x, one = np.array([[1.0], [-2.0], [3.0]]), np.ones((3, 1))
    >>> walsh_forms(x, Clusters.of(["a", "a", "b"]), 0.0, one)(np.array([[1.0, 1.0], [2.0, 0.0]]))
    array([[6.],
           [4.]])
    """
    columns = list(zip(x.T, weights.T, strict=True))
    if is_dense(grouping):
        forms = np.array([walsh_form(column, grouping, threshold, v) for column, v in columns])
        return lambda rows: quadratic_forms(rows, forms)
    counted = [counted_form(column, grouping, threshold, v) for column, v in columns]
    return lambda rows: np.column_stack([form(rows) for form in counted])


def counted_form(x: Array, grouping: Clusters, threshold: float, weights: Array) -> Form:
    """Return the form of `walsh_form` without its matrix: N steps for each row of weights."""
    kept = np.flatnonzero(~np.isnan(x) & (weights != 0))
    order = kept[np.argsort(x[kept], kind="stable")]
    ascending, v, codes = x[order], weights[order], grouping.codes[order]
    # Half of what lies above the last equal value, half of what lies from the first on.
    sides: tuple[Literal["left"], Literal["right"]] = ("left", "right")
    first, last = (np.searchsorted(ascending, threshold - ascending, side) for side in sides)
    places = [first] if np.array_equal(first, last) else [first, last]

    def form(rows: Array) -> Array:
        values = np.empty(len(rows))
        step = max(1, COUNTED_ELEMENTS // max(1, len(order)))
        below = np.zeros((step, len(order) + 1))
        for start in range(0, len(rows), step):
            part = rows[start : start + step, codes] * v
            held = below[: len(part)]
            np.cumsum(part, axis=1, out=held[:, 1:])
            up_to = sum(np.einsum("bs,bs->b", part, held[:, place]) for place in places)
            values[start : start + step] = held[:, -1] ** 2 - up_to / len(places)
        return values

    return form


def walsh_form(x: Array, grouping: Clusters, threshold: float, weights: Array) -> Array:
    r"""Return K[i, k] = Σ v_s v_t h(x_s + x_t − threshold) over tasks s of cluster i and t of k.

    h is 1 above 0, ½ at 0 and 0 below. NaN in `x` counts nothing.

    Examples
    --------
    >>> from occstats.stats.clusters import Clusters
    >>> x = np.array([1.0, -2.0, 3.0])
    >>> walsh_form(x, Clusters.of(["a", "a", "b"]), 0.0, np.ones(3))
    array([[1., 2.],
           [2., 1.]])
    """
    kept = np.flatnonzero(~np.isnan(x) & (weights != 0))
    # In order: neighbours are looked up faster one after the other.
    order = kept[np.argsort(x[kept])]
    x, v, codes = x[order], weights[order], grouping.codes[order]
    m = grouping.n_clusters
    return count_matrix(x - threshold, v, codes, -x, v, codes, (m, m))


def quadratic_forms(weights: Array, forms: Array) -> Array:
    """Return w' K w for every row of weights and every symmetric matrix: rows × matrices.

    Up to 150 clusters the products of weights are formed once and shared by all matrices.

    Examples
    --------
    >>> quadratic_forms(np.array([[1.0, 2.0]]), np.array([[[1.0, 0.5], [0.5, 3.0]]]))
    array([[15.]])
    """
    n_forms, m = forms.shape[:2]
    values = np.empty((len(weights), n_forms))
    if m > SHARED_CLUSTERS:
        # Half of a symmetric matrix, in columns that end at the diagonal.
        edges = range(0, m, BLOCK // 4)
        for position, form in enumerate(forms):
            found = np.zeros(len(weights))
            for start in edges:
                own = slice(start, min(start + BLOCK // 4, m))
                products = 2 * (weights[:, :start] @ form[:start, own])
                products += weights[:, own] @ form[own, own]
                found += np.einsum("bi,bi->b", products, weights[:, own])
            values[:, position] = found
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
