"""Compare the speed of the clustered signed-rank tests with SciPy's Wilcoxon test.

``python benchmarks/signed_rank.py`` writes ``signed_rank.md``. SciPy's ``wilcoxon`` ignores
clusters: it is a yardstick for speed, not an equivalent test.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
from scipy.stats import wilcoxon

from occstats.stats import kendall_matrix, pairwise_tests

TASKS, ALGORITHMS, CLUSTERS, REPEATS = 20_000, 9, 2_000, 7


def scipy_loop(scores: np.ndarray, clusters: np.ndarray) -> None:
    for a in range(scores.shape[1]):
        for b in range(a + 1, scores.shape[1]):
            wilcoxon(scores[:, a] - scores[:, b], alternative="greater")


def native(method: str, tie_tolerance: float) -> Callable[[np.ndarray, np.ndarray], object]:
    return lambda scores, clusters: pairwise_tests(
        scores, clusters, test=method, alternative="greater", tie_tolerance=tie_tolerance
    )


CONTENDERS = {
    "scipy.stats.wilcoxon, looped (36 tests)": scipy_loop,
    "pairwise_tests, rgl (72 tests)": native("rgl", 0.0),
    "pairwise_tests, rgl, tie_tolerance 1e-9": native("rgl", 1e-9),
    "pairwise_tests, ds": native("ds", 0.0),
    "kendall_matrix, product weights": kendall_matrix,
}


def best_times(scores: np.ndarray, clusters: np.ndarray) -> dict[str, float]:
    best = dict.fromkeys(CONTENDERS, np.inf)
    for _ in range(REPEATS):  # interleaved, so that other load affects all of them
        for name, run in CONTENDERS.items():
            start = time.process_time()
            run(scores, clusters)
            best[name] = min(best[name], time.process_time() - start)
    return best


def main() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(size=(TASKS, ALGORITHMS))
    clusters = rng.integers(0, CLUSTERS, TASKS)
    without_ties = best_times(scores, clusters)
    with_ties = best_times(scores.round(3), clusters)
    reference = next(iter(CONTENDERS))
    lines = [
        "# Speed of the signed-rank tests",
        "",
        f"All pairs of {ALGORITHMS} algorithms on {TASKS:,} tasks in {CLUSTERS:,} clusters; "
        f"CPU seconds, best of {REPEATS} interleaved runs on one thread, and the speed relative to "
        "SciPy. "
        "Made by `benchmarks/signed_rank.py`.",
        "",
        "| | no ties | × SciPy | scores to three decimals | × SciPy |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in CONTENDERS:
        cells = [
            f"{times[name]:.4f} | {times[reference] / times[name]:.2f}"
            for times in (without_ties, with_ties)
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        "",
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}.",
        "",
    ]
    text = "\n".join(lines)
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
