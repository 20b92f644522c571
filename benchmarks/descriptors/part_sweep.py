"""ALP for all k, l up to 92 on one fold, against evaluating each combination separately."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from measuring import OURS, Row, Rows, best_seconds

from occstats.experiment.tasks import auroc
from occstats.tuning.fold_sweep import NeighbourSweep
from occstats_descriptors import ALP
from occstats_descriptors.neighbours import NeighbourSearch

# n = 10,000 targets and a, b up to 10: k and l up to 10 log n.
ROWS, QUERIES, ATTRIBUTES, LARGEST = 10_000, 3_000, 10, 92
COMBINATIONS = LARGEST**2
REUSED, PEER_REUSED = "ALP().score_neighbours each", "fuzzy-rough-learn, neighbours reused"
REFIT = "fuzzy-rough-learn, refitted"


def rows(quick: bool) -> Rows:
    """Measure one sweep, and a sample of the single evaluations."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, ATTRIBUTES))
    Y = rng.normal(size=(QUERIES, ATTRIBUTES)) * 1.1
    is_target = rng.random(QUERIES) < 0.3
    sizes = list(range(1, LARGEST + 1))
    sweep = NeighbourSweep(X, Y, is_target, metric="manhattan", largest=LARGEST)
    sweep.measures("ALP", [sizes[:3], sizes[:3]])  # compiles
    ours = best_seconds({OURS: lambda: sweep.measures("ALP", [sizes, sizes])})[OURS]
    whole = best_seconds(
        {OURS: lambda: NeighbourSweep(X, Y, is_target, metric="manhattan", largest=LARGEST)}, 2
    )[OURS]

    search = NeighbourSearch(X, n_jobs=1)
    search.training(LARGEST)
    near = search.query(Y, LARGEST)

    def reused(k: int, l: int) -> float | None:  # noqa: E741 - the paper's name
        alp = ALP(k=k, l=l, n_jobs=1).fit(X, neighbours=search)
        return auroc(is_target, alp.score_neighbours(near))

    found = sweep.measures("ALP", [[5, 60], [7, 80]])
    assert abs(found[1, 1, 0] - (reused(60, 80) or 0)) < 1e-9
    seconds = {OURS: ours, REUSED: extrapolated(reused, 10 if quick else 60)}
    case = f"{ROWS:,} × {ATTRIBUTES}, {QUERIES:,} queries, {COMBINATIONS:,} combinations"
    goal = "ALP sweep against reuse of neighbours / refits"
    yield Row(goal, f"{case}; neighbours given", seconds, 100, 300, REUSED, frozenset({REUSED}))
    try:
        from frlearn import data_descriptors
    except ImportError:
        return

    def refitted(k: int, l: int) -> float | None:  # noqa: E741
        model = data_descriptors.ALP(k=k, l=l, preprocessors=())(X)
        return auroc(is_target, model(Y))

    model = data_descriptors.ALP(k=LARGEST, l=LARGEST, preprocessors=())(X)
    neighbours, distances = model.nn_model(Y, LARGEST)
    widest = model.distances

    def peer_reused(k: int, l: int) -> float | None:  # noqa: E741
        model.k, model.l, model.distances = k, l, widest[:, :k]
        return auroc(is_target, model._query(neighbours[:, :l], distances[:, :k]))

    assert abs(found[1, 1, 0] - (peer_reused(60, 80) or 0)) < 1e-6
    seconds = {OURS: ours, PEER_REUSED: extrapolated(peer_reused, 6 if quick else 40)}
    yield Row(
        goal, f"{case}; neighbours given", seconds, 100, 300, PEER_REUSED, frozenset({PEER_REUSED})
    )
    seconds = {OURS: ours + whole, REFIT: extrapolated(refitted, 2 if quick else 6)}
    yield Row(goal, f"{case}; with the search", seconds, 800, 3000, REFIT, frozenset({REFIT}))


def extrapolated(evaluate: Callable[[int, int], object], sample: int) -> float:
    """Measure a random sample of the combinations, and extrapolate to all of them."""
    drawn = np.random.default_rng(1).integers(1, LARGEST + 1, size=(sample, 2))
    started = time.process_time()
    for k, l in drawn:  # noqa: E741
        evaluate(int(k), int(l))
    return (time.process_time() - started) / sample * COMBINATIONS
