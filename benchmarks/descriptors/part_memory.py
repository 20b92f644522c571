"""Peak memory of fitting ALP to 200,000 × 50 rows in a separate process."""

from __future__ import annotations

import subprocess
import sys

from measuring import OURS, Row, Rows

LIMIT = 2.0  # gigabytes
SCRIPT = """
import resource, time
import numpy as np
from occstats_descriptors import ALP, NeighbourSearch
n, m = {n}, 50
X = np.random.default_rng(0).normal(size=(n, m))
start = time.perf_counter()
ALP().fit(X).score_samples(X[:1024])
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)
"""


def rows(quick: bool) -> Rows:
    n = 20_000 if quick else 200_000
    command = [sys.executable, "-c", SCRIPT.format(n=n)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, gigabytes = map(float, done.stdout.split())
    yield Row(
        "memory within 2 GB",
        f"ALP {n:,} × 50, fit + score",
        {OURS: gigabytes, "limit": LIMIT},
        1.0,
        1.0,
        note=f"gigabytes at the peak, not seconds; {seconds:.0f} s on two threads",
    )
