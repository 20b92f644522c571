"""Simulate the power of planned studies under the rule that decides about pairs.

Run ``python benchmarks/plan_power.py`` (a few minutes on one core), which writes
``plan_power.md``. For each number of datasets, the difference is the one that the plan says
is found with 80 % power. In the simulated benchmarks, the first of k algorithms is better than all
others by that difference; the effects of datasets and of the three tasks of each are normal.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

import numpy as np

import occstats
from occstats.comparison.study_plan import plan_study
from occstats.stats import mean_tests, typical_tests

SD_DATASET, SD_TASK, TASKS = 0.05, 0.04, 3
SAMPLES, RESAMPLES, SEED = 400, 499, 0
SIZES = (10, 20, 40, 80)
TESTS = {"typical": typical_tests, "mean": mean_tests}


def simulate(estimand: str, k: int, m: int) -> float:
    """Return the share of benchmarks in which the first algorithm is better than the second."""
    planned = plan_study(
        sd_dataset=SD_DATASET, sd_task=SD_TASK, difference=0.05, n_datasets=m, n_tasks=TASKS,
        n_algorithms=k, estimand=estimand,
    )  # fmt: skip
    rng = np.random.default_rng([SEED, k, m])
    codes, found = np.repeat(np.arange(m), TASKS), 0
    for seed in range(SAMPLES):
        # The difference of two algorithms has twice the variance of one.
        scores = rng.normal(0, SD_DATASET / np.sqrt(2), (m, k))[codes]
        scores += rng.normal(0, SD_TASK / np.sqrt(2), scores.shape)
        scores[:, 0] += planned.detectable
        tests = TESTS[estimand](scores, codes, n_resamples=RESAMPLES, random_state=seed)
        found += tests.p[0, 1] <= 0.05 and tests.difference[0, 1] > 0
    return 100 * found / SAMPLES


def main() -> None:
    rows = [
        f"| {estimand} | {k} | " + " | ".join(f"{simulate(estimand, k, m):.0f}" for m in SIZES)
        for estimand in TESTS
        for k in (2, 5)
    ]
    table = "\n".join(f"{row} |" for row in rows)
    heads = " | ".join(f"m = {m}" for m in SIZES)
    Path(__file__).with_suffix(".md").write_text(
        f"""# Power of planned studies

Made by `python benchmarks/plan_power.py`, which defines the simulated benchmarks: studies of m
datasets, with the difference that has a power of 80 % according to `occstats plan`. The table gives
the percentage of {SAMPLES} benchmarks in which the default procedure (max-T over all pairs of k
algorithms) found it; the Monte-Carlo standard error is 2.

| estimand | k | {heads} |
| --- | ---: |{" ---: |" * len(SIZES)}
{table}

Effects are normal, as `plan` assumes. With fewer than 60 datasets, the plan uses the critical value
that bootstrap-t tests have for normal samples; it varies between samples, most with 10 datasets.

occstats {occstats.__version__}, numpy {np.__version__}; seed {SEED}, {RESAMPLES} resamples.
""",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
