"""Exact Manhattan neighbours of 1,024 queries, k = round(6 log n), against every peer."""

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
    (10_000, 10, "gaussian"),
    (10_000, 10, "clustered"),
    (50_000, 28, "gaussian"),
    (50_000, 28, "clustered"),
    (194_000, 3, "clustered"),
    (194_000, 28, "gaussian"),
    (194_000, 28, "clustered"),
    (194_000, 50, "gaussian"),
    (2_000, 649, "gaussian"),
)
FEW = 64  # queries for which trees are measured where they take long
Search = Callable[[np.ndarray], object]


def peers(X: np.ndarray, k: int) -> dict[str, Search]:
    """Make the peers' indexes; those that are not installed are left out."""
    tree = NearestNeighbors(n_neighbors=k, metric="manhattan", algorithm="kd_tree").fit(X)
    brute = NearestNeighbors(n_neighbors=k, metric="manhattan", algorithm="brute").fit(X)
    scipy_tree = cKDTree(X)
    found: dict[str, Search] = {
        "sklearn kd": tree.kneighbors,
        "sklearn brute": brute.kneighbors,
        "cKDTree": lambda Y: scipy_tree.query(Y, k, p=1),
    }
    try:
        import pynanoflann
    except ImportError:
        pass
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # advises against trees where there are many attributes
            for leaf in (10, 32):
                nano = pynanoflann.KDTree(n_neighbors=k, metric="L1", leaf_size=leaf)
                nano.fit(X)
                found[f"nanoflann, leaf {leaf}"] = nano.kneighbors
    try:
        import faiss
    except ImportError:
        pass
    else:
        faiss.omp_set_num_threads(1)
        flat = faiss.IndexFlat(X.shape[1], faiss.METRIC_L1)
        flat.add(X.astype(np.float32))
        found["faiss L1, float32"] = lambda Y: flat.search(Y.astype(np.float32), k)
    return found


def measure(X: np.ndarray, Y: np.ndarray, slow: bool) -> tuple[dict[str, float], frozenset[str]]:
    """CPU seconds per contender, and those extrapolated from a few queries: trees, where `slow`."""
    k = round(6 * np.log(len(X)))
    search = NeighbourSearch(X, n_jobs=1)
    search.query(Y, k)  # builds what is built once, and compiles
    contenders = {OURS: lambda Y: search.query(Y, k)} | peers(X, k)
    trees = [name for name in contenders if slow and ("kd" in name.lower() or "nano" in name)]
    runs: dict[str, Callable[[], object]] = {}
    for name, run in contenders.items():
        queries = Y[:FEW] if name in trees else Y
        runs[name] = partial(run, queries)
    seconds = best_seconds(runs)
    for name in trees:
        seconds[name] *= QUERIES / FEW
    return seconds, frozenset(trees)


def rows(quick: bool) -> Rows:
    for n, m, kind in CASES[:2] if quick else CASES:
        X, Y = make_data(n, m, kind)
        seconds, marked = measure(X, Y, slow=kind == "gaussian" and n * m > 1_000_000)
        case = f"{n:,} × {m} {kind}"
        yield Row("k-NN against the best peer", case, seconds, 1.0, 2.0, extrapolated=marked)
        if n >= 10_000 and m >= 10 and (kind == "clustered" or m >= 28):
            goals = (1.5, 4.0) if kind == "clustered" else (6.0, 40.0)
            yield Row(
                "k-NN against scikit-learn's KD-tree", case, seconds, *goals, "sklearn kd", marked
            )
