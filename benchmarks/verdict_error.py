"""How often a verdict claims a difference between algorithms that are equally good, and its power.

Run by hand: ``python benchmarks/verdict_error.py`` (an hour on one busy core). Each finished cell
is a row of ``verdict_error.csv``; cells that are there are not computed again, and
``verdict_error.md`` is written from them.

The scores of all algorithms have the same distribution, with a random effect of algorithm and data
set that makes the differences of any two tasks of one data set correlate by the ICC; the numbers of
tasks are drawn from those of Lenz et al. (2021). "Any claim" is whether some pair is called
different; "verdict" whether the algorithm with the best mean rank is called better than another.
For the power, the first half of the algorithms is better by three standard errors of the mean of a
difference; a false claim is then one about two equal algorithms, or one in the wrong direction.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
import sys
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
from scipy.special import ndtr

from occstats.stats import adjust_pairs, max_t, pairwise_tests, simultaneous_intervals
from occstats.stats.sample import Sample

ALPHA = 0.05
ALGORITHMS = (2, 3, 5, 9)
DATA_SETS = (3, 5, 8, 10, 20, 50)
#: What the scores are like, and the intraclass correlation.
SCORES = (
    ("normal", 0.0),
    ("normal", 0.3),
    ("normal", 0.6),
    ("skewed", 0.3),
    ("heavy-tailed", 0.3),
    ("tied", 0.3),
    ("informative sizes", 0.3),
)
SIMULATIONS = 1_000
#: For cells whose share is above the limit by the first samples: new ones, which count.
AGAIN = 10_000
FLIPS, POWER_FLIPS, RESAMPLES = 299, 999, 999
SEED = 20210
RECORD = Path(__file__).with_suffix(".csv")
KEYS = ["table", "algorithms", "data sets", "scores", "ICC"]


def paper_sizes() -> np.ndarray:
    with (files("occstats") / "data" / "lenz2021.csv").open() as source:
        return pd.read_csv(source, keep_default_na=False)["dataset"].value_counts().to_numpy()


SIZES = paper_sizes()


def noise(rng: np.random.Generator, kind: str, shape: tuple[int, int]) -> np.ndarray:
    """Independent effects with mean 0 and variance 1."""
    if kind == "skewed":
        return rng.exponential(size=shape) - 1
    if kind == "heavy-tailed":
        return rng.standard_t(3, size=shape) / np.sqrt(3)
    return rng.normal(size=shape)


def simulate(
    rng: np.random.Generator, m: int, k: int, kind: str, icc: float, shift: float = 0.0
) -> Sample:
    sizes = rng.choice(SIZES, m)
    codes = np.repeat(np.arange(m), sizes)
    scores = np.sqrt(icc) * noise(rng, kind, (m, k))[codes]
    scores += np.sqrt(1 - icc) * noise(rng, kind, (len(codes), k))
    if kind == "informative sizes":  # the more tasks, the larger the differences
        scores *= sizes[codes, None] / SIZES.mean()
    if kind == "tied":
        scores = np.round(scores)
    scores[:, : k // 2] += shift
    return Sample.of(scores, codes, tie_tolerance=1e-9)


def holm(p: np.ndarray) -> np.ndarray:
    return adjust_pairs(p, "all", "holm", alternative="two-sided").clipped


def errors(sample: Sample, seed: int) -> dict[str, bool]:
    """Every claim about one sample of equal algorithms."""
    better = np.zeros((sample.n_algorithms, sample.n_algorithms), dtype=bool)
    if 2.0 ** (1 - sample.n_clusters) <= ALPHA:  # with fewer data sets nothing can be claimed
        found = max_t(sample, n_resamples=FLIPS, random_state=seed)
        better = (found.p <= ALPHA) & (found.z > 0)
    best = int(np.argmin(sample.clusters.weights @ sample.ranks))
    tests = pairwise_tests(sample, alternative="two-sided")
    rows = adjust_pairs(ndtr(-tests.z), "row", "holm", alternative="greater").clipped <= ALPHA
    limits = simultaneous_intervals(sample, n_resamples=RESAMPLES, random_state=seed)
    return {
        "any claim, max-T": bool(better.any()),
        "verdict, max-T": bool(better[best].any()),
        "any claim, Holm over all pairs": bool((holm(tests.p) <= ALPHA).any()),
        "verdict, one-sided per row": bool(rows[best].any()),
        "intervals hold": not ((limits.low > 0) | (limits.high < 0)).any(),
    }


def power(sample: Sample, seed: int, shift: float) -> dict[str, float]:
    """What is found of the differences, and what is claimed beside them."""
    k = sample.n_algorithms
    good = np.arange(k) < k // 2
    true = np.subtract.outer(good, good, dtype=float)
    found = max_t(sample, n_resamples=POWER_FLIPS, random_state=seed)
    flips = pairwise_tests(sample, null="permutation", n_resamples=POWER_FLIPS, random_state=seed)
    normal = pairwise_tests(sample)
    limits = simultaneous_intervals(sample, n_resamples=RESAMPLES, random_state=seed)
    claims = (found.p <= ALPHA) & (found.z > 0)
    return {
        "max-T": claims[true > 0].mean(),
        "Holm, the same flips": (holm(flips.p) <= ALPHA)[true > 0].mean(),
        "Holm, normal": (holm(normal.p) <= ALPHA)[true > 0].mean(),
        "any false claim, max-T": bool(claims[true <= 0].any()),
        # The rank of an algorithm is 1 + those truly better … k − those truly worse.
        "rank sets hold": bool(
            np.all(1 + claims.sum(axis=0) <= 1 + (true < 0).sum(axis=1))
            and np.all(k - claims.sum(axis=1) >= k - (true > 0).sum(axis=1))
        ),
        "intervals hold": not ((limits.low > shift * true) | (limits.high < shift * true))[
            ~np.eye(k, dtype=bool)
        ].any(),
    }


def clear_shift(m: int, icc: float) -> float:
    """Three standard errors of the mean of a difference."""
    return 3 * float(np.sqrt(2 * (icc + (1 - icc) * np.mean(1 / SIZES)) / m))


def shares(table: str, k: int, m: int, kind: str, icc: float, simulations: int) -> pd.Series:
    """Means of one cell, in percent, over samples that no other cell has."""
    rng = np.random.default_rng(
        [SEED, ["null", "power"].index(table), k, m, simulations, SCORES.index((kind, icc))]
    )
    shift = clear_shift(m, icc) if table == "power" else 0.0
    judge: Callable[[Sample, int], dict[str, float]] = (
        errors if table == "null" else lambda sample, seed: power(sample, seed, shift)
    )
    rows = [judge(simulate(rng, m, k, kind, icc, shift), seed) for seed in range(simulations)]
    return 100 * pd.DataFrame(rows).astype(float).mean()


def cells() -> Iterator[tuple[str, int, int, str, float]]:
    for m in (8, 10, 20, 50):
        for k in ALGORITHMS:
            yield "power", k, m, "normal", 0.3
    for k in (2, 5, 9, 3):
        for m in (10, 20, 8, 50, 5, 3):
            for kind, icc in SCORES:
                yield "null", k, m, kind, icc


def limit(simulations: int) -> float:
    """Five percent and two standard errors."""
    return 100 * (ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / simulations))


def record(part: int, parts: int) -> None:
    """Compute what is not recorded, of every so-many-th cell."""
    path = RECORD if parts == 1 else RECORD.with_suffix(f".{part}.csv")
    known = pd.concat(
        [pd.read_csv(file) for file in RECORD.parent.glob("verdict_error*.csv")]
        or [pd.DataFrame(columns=KEYS)]
    )
    done = set(known[KEYS].itertuples(index=False, name=None))
    rows = known.to_dict("records") if parts == 1 else []
    for cell in list(cells())[part::parts]:
        if cell in done:
            continue
        n = SIMULATIONS
        found = shares(*cell, n)
        claims = ["any claim, max-T", "verdict, max-T", "any false claim, max-T"]
        if found.reindex(claims).max() > limit(n):
            n = AGAIN
            found = shares(*cell, n)
        rows.append({**dict(zip(KEYS, cell, strict=True)), "samples": n, **found})
        pd.DataFrame(rows).to_csv(path, index=False, float_format="%.4g")


if __name__ == "__main__":
    record(*map(int, sys.argv[1:3] or ("0", "1")))
    print(platform.python_version(), np.__version__, scipy.__version__)
