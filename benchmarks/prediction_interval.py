"""Simulate the coverage of the prediction for a new dataset, with the sizes of lenz2021.

Run ``python benchmarks/prediction_interval.py`` (about a minute on one core), which writes
``prediction_interval.md``. The benchmarks are those of ``interval_coverage.py``: the difference
on a task is 0.3, plus an effect of the dataset, plus an effect of the task. The true difference on
a new dataset is 0.3 plus its effect.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

import numpy as np
from scipy.special import ndtr, stdtrit

import occstats
from occstats.stats import cluster_effects, random_effects

SHIFT, SAMPLES, SEED = 0.3, 4_000, 0
SIZES = (5, 10, 20, 50)
SCENARIOS = (("normal", 0.1), ("normal", 0.3), ("normal", 0.6), ("normal", 0.9), ("skewed", 0.3))


def simulate(rng: np.random.Generator, effects: str, icc: float, m: int) -> list[float]:
    """Return the coverage of the two prediction intervals and of the probability, in percent."""
    sizes = np.unique(occstats.load_results("lenz2021").clusters, return_counts=True)[1]
    sizes = np.random.default_rng(1).permutation(sizes)[:m]
    codes = np.repeat(np.arange(m), sizes)

    def effect(n: int) -> np.ndarray:
        shape = n, SAMPLES
        return rng.normal(size=shape) if effects == "normal" else rng.exponential(size=shape) - 1

    of_datasets = SHIFT + np.sqrt(icc) * effect(m + 1)
    values = of_datasets[codes] + np.sqrt(1 - icc) * effect(len(codes))
    summary = cluster_effects(values, codes)
    found = random_effects(*summary)
    reach = stdtrit(m - 1, 0.975) * np.hypot(found.tau, found.standard_error)
    z = SHIFT / np.sqrt(icc)
    chance = ndtr(z) if effects == "normal" else np.exp(-max(1 - z, 0))
    new = of_datasets[m]
    ends = (
        (found.low, new, found.high),
        (found["mean"] - reach, new, found["mean"] + reach),  # Higgins et al. (2009)
        (found.probability_low, chance, found.probability_high),
    )
    return [100 * float(np.mean((low <= true) & (true <= high))) for low, true, high in ends]


def main() -> None:
    rows: dict[tuple[str, float], list[str]] = {scenario: [] for scenario in SCENARIOS}
    for number, (effects, icc) in enumerate(SCENARIOS):
        for m in SIZES:
            rng = np.random.default_rng([SEED, number, m])
            rows[effects, icc].append(
                "{:.1f} / {:.1f} / {:.1f}".format(*simulate(rng, effects, icc, m))
            )
    lines = [f"| {e}, ICC {icc:g} | {' | '.join(cells)} |" for (e, icc), cells in rows.items()]
    table = "\n".join(lines)
    heads = " | ".join(f"m = {m}" for m in SIZES)
    Path(__file__).with_suffix(".md").write_text(
        f"""# Coverage of the prediction for a new dataset

Made by `python benchmarks/prediction_interval.py`, which defines the simulated benchmarks. Each
cell has three percentages of {SAMPLES:,} benchmarks of m datasets: those in which the mean
difference on a new dataset lies in the 95 % prediction interval; those in which it lies in the
interval of Higgins et al. (2009), which occstats does not use; and those in which the 95 % CI
contains the probability that this difference is positive. The Monte-Carlo standard error of 95 %
is {100 * np.sqrt(0.95 * 0.05 / SAMPLES):.1f}.

| effects, intraclass correlation | {heads} |
| --- |{" ---: |" * len(SIZES)}
{table}

The prediction assumes normal effects of datasets. If these are skewed, the prediction interval
covers in 93 % of the benchmarks, but the probability is biased: with many datasets its interval is
too narrow.

occstats {occstats.__version__}, numpy {np.__version__}; seed {SEED}.
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
