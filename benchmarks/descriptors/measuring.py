"""Measurements of CPU seconds, and the random data that they use."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

OURS = "occstats"
QUERIES = 1024


@dataclass(frozen=True)
class Row:
    """
    One case with all contenders.

    `seconds` holds CPU seconds per contender, ours under `OURS`; a contender in `extrapolated` was
    measured on a part of the work. The ratio of the fastest of the others (or of `against`) to ours
    should be at least `at_least`, and ideally `aim`.
    """

    goal: str
    case: str
    seconds: dict[str, float]
    at_least: float
    aim: float
    against: str | None = None
    extrapolated: frozenset[str] = field(default_factory=frozenset)
    note: str = ""

    @property
    def peer(self) -> str:
        others = {name: value for name, value in self.seconds.items() if name != OURS}
        return self.against or min(others, key=others.__getitem__)

    @property
    def ratio(self) -> float:
        return self.seconds[self.peer] / self.seconds[OURS]


Rows = Iterator[Row]


def best_seconds(contenders: dict[str, Callable[[], object]], repeats: int = 3) -> dict[str, float]:
    """
    Return CPU seconds, the best of several rounds.

    Rounds are interleaved, so that load affects all contenders equally; a contender that takes more
    than ten seconds is run once.
    """
    best: dict[str, float] = {}
    for _ in range(repeats):
        for name, run in contenders.items():
            if best.get(name, 0.0) > 10:
                continue
            start = time.process_time()
            run()
            best[name] = min(best.get(name, np.inf), time.process_time() - start)
    return best


def make_data(n: int, m: int, kind: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw n training rows and 1,024 queries: "gaussian", or "clustered" around 50 centres."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n + QUERIES, m))
    if kind == "clustered":
        spread = rng.gamma(2.0, 0.3, size=(n + QUERIES, 1))
        rows = rows * spread + 5 * rng.normal(size=(50, m))[rng.integers(0, 50, n + QUERIES)]
    return rows[:n], rows[n:]
