"""Simulate the type I error and the power of each test of one pair.

Run ``python benchmarks/type_one_error.py`` (about four minutes on one core); it writes
``type_one_error.md``.

Datasets have the sizes of Lenz et al. (2021). Differences are normal, symmetric about zero, with a
random effect of the dataset that makes any two tasks of one dataset correlate by the stated
intraclass correlation (ICC); for the power they are shifted by a quarter of their standard
deviation. Tests are two-sided and asymptotic, except for the exact one.
"""

import platform
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
from scipy.stats import norm, wilcoxon

from occstats.progress import track
from occstats.stats import clustered_wilcoxon

SIMULATIONS = 20_000
POWER_SIMULATIONS = 4_000
SHIFT = 0.25
ALPHA = 0.05
CORRELATIONS = (0.0, 0.3, 0.6)
SEED = 20210


def paper_clusters() -> np.ndarray:
    with (files("occstats") / "data" / "lenz2021.csv").open() as source:
        return pd.read_csv(source, keep_default_na=False)["dataset"].to_numpy(dtype=str)


def simulate(rng: np.random.Generator, codes: np.ndarray, correlation: float) -> np.ndarray:
    effects = rng.normal(size=codes.max() + 1)[codes]
    noise = rng.normal(size=len(codes))
    return np.sqrt(correlation) * effects + np.sqrt(1 - correlation) * noise


def plain(x: np.ndarray) -> float:
    return float(wilcoxon(x, correction=False, method="asymptotic").pvalue)


TESTS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "Rosner-Glynn-Lee": lambda x, c: clustered_wilcoxon(x, c).pvalue,
    "Datta-Satten": lambda x, c: clustered_wilcoxon(x, c, test="ds").pvalue,
    "exact sign-flip": lambda x, c: clustered_wilcoxon(x, c, null="exact").pvalue,
    "Wilcoxon on dataset means": lambda x, c: plain(np.bincount(c, x) / np.bincount(c)),
    "Wilcoxon, ignoring datasets": lambda x, c: plain(x),
}


def wilson(rejected: int, n: int) -> tuple[float, float]:
    z = norm.ppf(0.975)
    share = rejected / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return middle - half, middle + half


def count_rejections(
    codes: np.ndarray, shift: float, simulations: int
) -> dict[tuple[str, float], int]:
    rejections = {(test, rho): 0 for test in TESTS for rho in CORRELATIONS}
    for rho in CORRELATIONS:
        rng = np.random.default_rng([SEED, round(100 * rho), round(100 * shift)])
        for _ in track(range(simulations), f"shift {shift}, intraclass correlation {rho}"):
            x = simulate(rng, codes, rho) + shift
            for name, test in TESTS.items():
                rejections[name, rho] += test(x, codes) <= ALPHA
    return rejections


def table(rejections: dict[tuple[str, float], int], simulations: int) -> list[str]:
    lines = [
        "| test | " + " | ".join(f"ICC {rho:g}" for rho in CORRELATIONS) + " |",
        "| --- |" + " --- |" * len(CORRELATIONS),
    ]
    for name in TESTS:
        cells = []
        for rho in CORRELATIONS:
            low, high = wilson(rejections[name, rho], simulations)
            share = rejections[name, rho] / simulations
            cells.append(f"{100 * share:.1f} ({100 * low:.1f}–{100 * high:.1f})")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    start = time.perf_counter()
    labels = paper_clusters()
    codes = np.unique(labels, return_inverse=True)[1]
    errors = count_rejections(codes, 0.0, SIMULATIONS)
    power = count_rejections(codes, SHIFT, POWER_SIMULATIONS)
    seconds = time.perf_counter() - start
    sizes = np.bincount(codes)
    text = "\n".join(
        [
            "# Type I error of the tests",
            "",
            f"Share of {SIMULATIONS:,} samples in which a true null hypothesis is rejected at "
            f"α = {ALPHA} (two-sided), in percent, with Wilson's 95 % interval: {len(labels)} "
            f"tasks in {len(sizes)} datasets, the sizes of Lenz et al. (2021) "
            f"({sizes.min()} to {sizes.max()} tasks). Made by `benchmarks/type_one_error.py`.",
            "",
            *table(errors, SIMULATIONS),
            "",
            "## Power",
            "",
            f"The same when the differences are shifted by {SHIFT} of their standard deviation, "
            f"in {POWER_SIMULATIONS:,} samples. The apparent power of the test that "
            "ignores datasets comes from the errors above.",
            "",
            *table(power, POWER_SIMULATIONS),
            "",
            f"Python {platform.python_version()}, numpy {np.__version__}, "
            f"scipy {scipy.__version__}; {seconds:.0f} s on one core; seed {SEED}.",
            "",
        ]
    )
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
