"""Coverage of the confidence intervals, by simulation with the cluster sizes of lenz2021.

Run by hand (some minutes on one core); the output is recorded in interval_coverage.md:

    python benchmarks/interval_coverage.py > interval_coverage_table.txt

Each simulated benchmark has the paper's 50 data sets (or the first m of them, shuffled once) with
their numbers of tasks. The difference of two algorithms on a task is the shift, plus an effect of
the data set, plus an effect of the task; both effects are normal, or both are skewed (centred
exponentials). The intraclass correlation is the data set's share of the variance. The true values
are known for the mean and, with symmetric effects, for the Hodges-Lehmann shift; the others are
computed from 6,000 data sets.
"""

import argparse
import os
import time
from dataclasses import dataclass

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from occstats import load_results
from occstats.stats import cluster_weights
from occstats.stats.bootstrap import bootstrap_means
from occstats.stats.effect_sizes import pair_effects
from occstats.stats.hodges_lehmann import hodges_lehmann_shift
from occstats.stats.kendall import kendall_tau
from occstats.stats.kendall_intervals import kendall_jackknife
from occstats.stats.ranks import mean_ranks, task_ranks

SHIFT = 0.3
POPULATION = 6_000
N_RESAMPLES = 999


@dataclass(frozen=True)
class Scenario:
    effects: str
    icc: float
    n_clusters: int


SCENARIOS = (
    Scenario("normal", 0.0, 50),
    Scenario("normal", 0.3, 50),
    Scenario("normal", 0.6, 50),
    Scenario("skewed", 0.3, 50),
    Scenario("normal", 0.3, 20),
    Scenario("skewed", 0.3, 20),
    Scenario("normal", 0.3, 10),
    Scenario("normal", 0.6, 10),
    Scenario("skewed", 0.3, 10),
    Scenario("normal", 0.3, 5),
)


def draw(
    scenario: Scenario, sizes: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of two algorithms (tasks × 2) and the data set of each task."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)

    def effect(n: int) -> np.ndarray:
        return rng.normal(size=n) if scenario.effects == "normal" else rng.exponential(size=n) - 1

    difference = (
        SHIFT
        + np.sqrt(scenario.icc) * effect(len(sizes))[clusters]
        + np.sqrt(1 - scenario.icc) * effect(len(clusters))
    )
    # How hard a task is for both also depends on its data set.
    difficulty = rng.normal(size=len(sizes))[clusters] + rng.normal(size=len(clusters))
    return np.column_stack([difficulty + difference, difficulty]), clusters


def truth(scenario: Scenario, sizes: np.ndarray, rng: np.random.Generator) -> dict[str, float]:
    scores, clusters = draw(scenario, np.resize(sizes, POPULATION // len(sizes) * len(sizes)), rng)
    x = scores[:, 0] - scores[:, 1]
    weights = cluster_weights(clusters)
    signed = np.sign(x) * rankdata(np.abs(x))
    by_cluster = np.bincount(clusters, weights=x * weights)
    shift = SHIFT
    if scenario.effects != "normal":
        shift = hodges_lehmann_shift(x, clusters, n_resamples=100, random_state=0).estimate
    return {
        "mean_difference": SHIFT,
        "hodges_lehmann": shift,
        "rank_biserial": signed.sum() / np.abs(signed).sum(),
        "prob_improvement_task": float(weights @ (x > 0)),
        "prob_improvement_dataset": float(np.mean(by_cluster > 0)),
        "mean_rank": float(mean_ranks(task_ranks(scores), weights)[0]),
        "tau": kendall_tau(scores[:, 0], scores[:, 1], clusters),
    }


def intervals(
    scores: np.ndarray, clusters: np.ndarray, seed: int
) -> dict[str, tuple[float, float]]:
    """The intervals that are shown, by the quantity."""
    x = scores[:, 0] - scores[:, 1]
    options = {"n_resamples": N_RESAMPLES, "random_state": seed}
    effects = pair_effects(scores, clusters, **options)
    shift = hodges_lehmann_shift(x, clusters, **options)
    rank = bootstrap_means(task_ranks(scores)[:, 0], clusters, method="studentised", **options)
    tau = kendall_jackknife(scores, clusters)
    shown = ("rank_biserial", "prob_improvement_task", "prob_improvement_dataset")
    pairs = {name: getattr(effects, name) for name in ("mean_difference", *shown)}
    return {
        **{name: (effect.low[0, 1], effect.high[0, 1]) for name, effect in pairs.items()},
        "hodges_lehmann": (shift.low, shift.high),
        "mean_rank": (rank.low[0], rank.high[0]),
        "tau": (tau.low[0, 1], tau.high[0, 1]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    paper = load_results("lenz2021")
    sizes = np.unique(paper.clusters, return_counts=True)[1]
    sizes = np.random.default_rng(1).permutation(sizes)
    columns = {}
    started = time.perf_counter()
    for number, scenario in enumerate(SCENARIOS):
        rng = np.random.default_rng([arguments.seed, number])
        true = truth(scenario, sizes[: scenario.n_clusters], rng)
        rows = []
        for simulation in range(arguments.simulations):
            scores, clusters = draw(scenario, sizes[: scenario.n_clusters], rng)
            rows.append(
                {
                    key: low <= true[key] <= high
                    for key, (low, high) in intervals(scores, clusters, simulation).items()
                }
            )
        label = f"{scenario.effects}, ICC {scenario.icc:g}, m = {scenario.n_clusters}"
        columns[label] = 100 * pd.DataFrame(rows).mean()
        print(columns[label].round(1).to_dict(), label, flush=True)
    table = pd.DataFrame(columns)
    print(table.round(1).to_string())
    print(f"{arguments.simulations} simulations, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
