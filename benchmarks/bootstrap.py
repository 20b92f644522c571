"""Measure the speed of tests and intervals on lenz2021, against plain loops and peers.

Run on one thread; the output is recorded in bootstrap.md:

    OMP_NUM_THREADS=1 python benchmarks/bootstrap.py > benchmarks/bootstrap.md

CPU seconds for 10,000 resamples of all 36 pairs (246 tasks, 50 datasets, 9 algorithms). A
contender marked ~ was measured on a part of the work and extrapolated.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from scipy import stats

from occstats import load_results
from occstats.stats import clustered_wilcoxon
from occstats.stats._arrays import upper_pairs
from occstats.stats.bayes import bayesian_signed_rank
from occstats.stats.bootstrap import bootstrap_means
from occstats.stats.clusters import Clusters
from occstats.stats.effect_sizes import pair_effects
from occstats.stats.kendall import kendall_jackknife
from occstats.stats.max_t import typical_tests
from occstats.stats.means import mean_tests
from occstats.stats.ranks import task_ranks
from occstats.stats.sample import Sample

RESAMPLES = 10_000
PAPER = load_results("lenz2021")
SCORES, CLUSTERS = PAPER.oriented, PAPER.clusters
DIFFERENCES = Sample.of(SCORES, CLUSTERS).differences
ROWS = {label: np.flatnonzero(label == CLUSTERS) for label in np.unique(CLUSTERS)}
LABELS = list(ROWS)


def seconds(run: Callable[[], object], repeats: int = 3) -> float:
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
        if best > 5:
            break
    return best


def resampled_rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the tasks of one resample of the datasets and their weights, as in a plain loop."""
    drawn = rng.integers(len(LABELS), size=len(LABELS))
    rows = [ROWS[LABELS[i]] for i in drawn]
    weights = np.concatenate([np.full(len(part), 1 / len(part)) for part in rows])
    return np.concatenate(rows), weights / weights.sum()


def plain_means(n: int) -> None:
    rng = np.random.default_rng(0)
    ranks = task_ranks(SCORES)
    for _ in range(n):
        rows, weights = resampled_rows(rng)
        weights @ SCORES[rows]
        weights @ ranks[rows]
        weights @ DIFFERENCES[rows]
        weights @ (DIFFERENCES[rows] > 0)


def our_means() -> None:
    wins = (DIFFERENCES > 0).astype(float)
    columns = np.hstack([SCORES, task_ranks(SCORES), DIFFERENCES, wins])
    bootstrap_means(columns, CLUSTERS, n_resamples=RESAMPLES, random_state=0)


def scipy_means() -> None:
    means = Clusters.of(CLUSTERS).means(
        np.hstack([SCORES, task_ranks(SCORES), DIFFERENCES, DIFFERENCES > 0])
    )
    stats.bootstrap((means,), np.mean, axis=0, n_resamples=RESAMPLES, method="BCa", batch=500)


def plain_rank_biserial(n: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(n):
        rows, _ = resampled_rows(rng)
        for x in DIFFERENCES.T:
            values = x[rows]
            values = values[values != 0]
            ranks = stats.rankdata(np.abs(values))
            (np.sign(values) * ranks).sum() / ranks.sum()


def plain_tau(n: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(n):
        rows, weights = resampled_rows(rng)
        weigher = weights.tolist().__getitem__
        order = np.arange(len(rows))
        for a, b in zip(*upper_pairs(9), strict=True):
            stats.weightedtau(
                SCORES[rows, a], SCORES[rows, b], rank=order, weigher=weigher, additive=False
            )


def plain_shift(n_pairs: int) -> None:
    """Invert the exact sign-flip test by bisection, one test at a time."""
    for x in DIFFERENCES.T[:n_pairs]:
        for alternative, start, end in (("greater", -1.0, 1.0), ("less", 1.0, -1.0)):
            low, high = start, end
            for _ in range(30):
                middle = (low + high) / 2
                test = clustered_wilcoxon(
                    x, CLUSTERS, mu=middle, null="exact", alternative=alternative
                )
                low, high = (middle, high) if test.pvalue <= 0.025 else (low, middle)


def baycomp_pair(n: int) -> None:
    import baycomp

    baycomp.SignedRankTest.sample(SCORES[:, 0], SCORES[:, 1], 0.01, nsamples=n)


def main() -> None:
    options = {"tie_tolerance": 1e-9, "n_resamples": RESAMPLES, "random_state": 0}
    effects = seconds(lambda: pair_effects(SCORES, CLUSTERS, tie_tolerance=1e-9))
    biserial = RESAMPLES / 5 * seconds(lambda: plain_rank_biserial(5))
    bayes = seconds(lambda: bayesian_signed_rank(SCORES, CLUSTERS, **options))
    baycomp = 36 * RESAMPLES / 200 * seconds(lambda: baycomp_pair(200), 1)
    plain = {"n_resamples": RESAMPLES, "random_state": 0}
    rows = [
        ("means, ranks and wins with BCa intervals", seconds(our_means)),
        ("~ a plain loop over resamples (no intervals)", 100 * seconds(lambda: plain_means(100))),
        ("scipy.stats.bootstrap on dataset means, BCa", seconds(scipy_means, 1)),
        ("all effect sizes with intervals (jackknife)", effects),
        ("~ a plain loop over resamples, rank-biserial only", biserial),
        (
            "Kendall's τ with intervals (jackknife)",
            seconds(lambda: kendall_jackknife(SCORES, CLUSTERS)),
        ),
        (
            "~ a loop of scipy.stats.weightedtau over resamples",
            RESAMPLES / 2 * seconds(lambda: plain_tau(2), 1),
        ),
        ("mean tests, all pairs", seconds(lambda: mean_tests(SCORES, CLUSTERS, **plain))),
        ("typical tests, all pairs", seconds(lambda: typical_tests(SCORES, CLUSTERS, **options))),
        (
            "~ bisection over the exact test, intervals only",
            36 * seconds(lambda: plain_shift(1), 1),
        ),
        ("Bayesian signed ranks", bayes),
        ("~ baycomp, 36 pairs", baycomp),
    ]
    print("# Speed of tests, intervals and posterior probabilities\n")
    print(
        "CPU seconds on one thread for 10,000 resamples of all 36 pairs of `lenz2021` (246 tasks, "
        "50 datasets, 9 algorithms). Contenders marked ~ were measured on a part of the work and "
        "extrapolated. Made by `benchmarks/bootstrap.py`.\n"
    )
    print("| | seconds | × ours |\n| --- | ---: | ---: |")
    ours = 1.0
    contenders = ("~", "scipy")
    for name, taken in rows:
        theirs = name.startswith(contenders)
        ours = ours if theirs else taken
        print(f"| {name} | {taken:.3g} | {f'{taken / ours:,.0f}' if theirs else ''} |")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "baycomp"))
    print(f"\nPython {platform.python_version()}, {packages}.")


if __name__ == "__main__":
    main()
