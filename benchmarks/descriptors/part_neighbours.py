"""Exact Manhattan neighbours of 1,024 queries, k = round(6 log n), against other searches."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from measuring import OURS, QUERIES, Row, Rows, best_seconds, make_data
from scipy.spatial import cKDTree
from sklearn.neighbors import NearestNeighbors

from occstats_descriptors import NeighbourSearch

CASES = (
    (1_000, 4, "gaussian"),
    (10_000, 10, "gaussian"),
    (10_000, 10, "clustered"),
    (2_000, 649, "gaussian"),
    (194_000, 3, "clustered"),
    (50_000, 28, "gaussian"),
    (50_000, 28, "clustered"),
    (194_000, 28, "gaussian"),
    (194_000, 28, "clustered"),
    (194_000, 50, "gaussian"),
)
SMALL = 5  # number of small cases
FEW = 64  # queries for which slow trees are measured
Search = Callable[[np.ndarray], object]


def peers(X: np.ndarray, k: int) -> dict[str, Callable[[], Search]]:
    """Return the functions that build the indexes of the installed peers."""

    def scikit_learn(algorithm: str) -> Search:
        index = NearestNeighbors(n_neighbors=k, metric="manhattan", algorithm=algorithm)
        return index.fit(X).kneighbors  # type: ignore[no-any-return]

    def scipy_tree() -> Search:
        tree = cKDTree(X)
        return lambda Y: tree.query(Y, k, p=1)

    found: dict[str, Callable[[], Search]] = {
        "sklearn kd": partial(scikit_learn, "kd_tree"),
        "sklearn brute": partial(scikit_learn, "brute"),
        "cKDTree": scipy_tree,
    }
    single = X.astype(np.float32)  # the precision of some peers
    try:
        import pynanoflann
    except ImportError:
        pass
    else:

        def nanoflann(leaf: int) -> Search:
            tree = pynanoflann.KDTree(n_neighbors=k, metric="L1", leaf_size=leaf)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about trees with many attributes
                tree.fit(single)
            return lambda Y: tree.kneighbors(Y.astype(np.float32))

        for leaf in (10, 32):
            found[f"nanoflann, leaf {leaf}, float32"] = partial(nanoflann, leaf)
    try:
        import faiss
    except ImportError:
        pass
    else:
        faiss.omp_set_num_threads(1)

        def flat() -> Search:
            index = faiss.IndexFlat(X.shape[1], faiss.METRIC_L1)
            index.add(single)
            return lambda Y: index.search(Y.astype(np.float32), k)

        found["faiss L1, float32"] = flat
    try:
        from sklearnex.neighbors import NearestNeighbors as IntelNeighbors
    except ImportError:
        pass
    else:

        def intel() -> Search:
            index = IntelNeighbors(n_neighbors=k, metric="manhattan", algorithm="brute").fit(single)
            return lambda Y: index.kneighbors(Y.astype(np.float32))

        found["scikit-learn-intelex, float32"] = intel
    return found


def ours(X: np.ndarray, k: int) -> Search:
    """Return our search, which builds its index during the first query."""
    search = NeighbourSearch(X, n_jobs=1)
    return lambda Y: search.query(Y, k)


def measure(
    X: np.ndarray, Y: np.ndarray, slow: bool
) -> tuple[dict[str, float], dict[str, float], frozenset[str]]:
    """Return CPU seconds to search, to build and search, and the extrapolated contenders."""
    k = round(6 * np.log(len(X)))
    ours(X, k)(Y)  # compiles
    builders = {OURS: partial(ours, X, k)} | peers(X, k)
    trees = [name for name in builders if slow and ("kd" in name.lower() or "nano" in name)]
    queries = {name: Y[:FEW] if name in trees else Y for name in builders}
    indexes: dict[str, Search] = {}

    def build_and_search(name: str) -> None:
        indexes[name] = builders[name]()
        indexes[name](queries[name])

    both = best_seconds({name: partial(build_and_search, name) for name in builders})
    seconds = best_seconds({name: partial(index, queries[name]) for name, index in indexes.items()})
    for name in trees:
        both[name] += seconds[name] * (QUERIES / FEW - 1)
        seconds[name] *= QUERIES / FEW
    return seconds, both, frozenset(trees)


def rows(quick: bool) -> Rows:
    for n, m, kind in CASES[:SMALL] if quick else CASES:
        X, Y = make_data(n, m, kind)
        seconds, both, marked = measure(X, Y, slow=kind == "gaussian" and n * m > 1_000_000)
        case = f"{n:,} × {m} {kind}"
        yield Row("k-NN against the best peer", case, seconds, 1.0, 2.0, extrapolated=marked)
        yield Row("k-NN with the index built", case, both, 1.0, 2.0, extrapolated=marked)
        if n >= 10_000 and m >= 10 and (kind == "clustered" or m >= 28):
            goals = (1.5, 4.0) if kind == "clustered" else (6.0, 40.0)
            yield Row(
                "k-NN against scikit-learn's KD-tree", case, seconds, *goals, "sklearn kd", marked
            )
