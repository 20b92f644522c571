"""How often a verdict claims a difference between algorithms that are equally good.

Run by hand: ``python benchmarks/verdict_error.py [simulations]`` (some minutes on one core); the
tables that it writes to ``verdict_error.md`` are the record.

The scores of all algorithms have the same distribution, with a random effect of algorithm and data
set that makes the differences of any two tasks of one data set correlate by 0.3; the numbers of
tasks are drawn from those of Lenz et al. (2021). "Any conclusion" is whether some pair is called
different; "verdict" whether the algorithm with the best mean rank is called better than another.
"""

import platform
import sys
import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import scipy

from occstats.stats import adjust_pairs, max_t, pairwise_tests, simultaneous_intervals
from occstats.stats.sample import Sample

ALPHA = 0.05
ALGORITHMS = (2, 3, 5, 9)
DATA_SETS = (5, 8, 10, 20, 50)
CORRELATION = 0.3
FLIPS = 499
SEED = 20210
KINDS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1,
    "heavy-tailed": lambda rng, shape: rng.standard_t(3, size=shape) / np.sqrt(3),
}


def paper_sizes() -> np.ndarray:
    with (files("occstats") / "data" / "lenz2021.csv").open() as source:
        return pd.read_csv(source, keep_default_na=False)["dataset"].value_counts().to_numpy()


def simulate(rng: np.random.Generator, m: int, k: int, kind: str = "normal") -> Sample:
    sizes = rng.choice(paper_sizes(), m)
    codes = np.repeat(np.arange(m), sizes)
    effects = KINDS[kind](rng, (m, k))[codes]
    noise = KINDS[kind](rng, (len(codes), k))
    scores = np.sqrt(CORRELATION) * effects + np.sqrt(1 - CORRELATION) * noise
    return Sample.of(scores, codes)


def judge(sample: Sample, seed: int) -> dict[str, bool]:
    """Every claim about one sample."""
    found = max_t(sample, n_resamples=FLIPS, random_state=seed)
    better = (found.p <= ALPHA) & (found.z > 0)
    best = int(np.argmin(sample.clusters.weights @ sample.ranks))
    one_sided = pairwise_tests(sample, alternative="greater").p
    rows = adjust_pairs(one_sided, "row", "holm", alternative="greater").clipped <= ALPHA
    two_sided = pairwise_tests(sample, alternative="two-sided").p
    holm = adjust_pairs(two_sided, "all", "holm", alternative="two-sided").clipped <= ALPHA
    limits = simultaneous_intervals(sample, n_resamples=FLIPS, random_state=seed)
    return {
        "any, max-T": bool(better.any()),
        "any, Holm over all pairs": bool(holm.any()),
        "verdict, max-T": bool(better[best].any()),
        "verdict, one-sided per row": bool(rows[best].any()),
        "interval misses": bool(((limits.low > 0) | (limits.high < 0)).any()),
    }


def shares(simulations: int, m: int, k: int, kind: str = "normal") -> pd.Series:
    rng = np.random.default_rng([SEED, m, k, len(kind)])
    rows = [judge(simulate(rng, m, k, kind), seed) for seed in range(simulations)]
    return pd.DataFrame(rows).mean() * 100


def markdown(frame: pd.DataFrame) -> str:
    lines = [" | ".join(["", *map(str, [*frame.index.names, *frame.columns]), ""]).strip()]
    lines.append("|" + " --- |" * (frame.index.nlevels + frame.shape[1]))
    for index, row in frame.iterrows():
        keys = index if isinstance(index, tuple) else (index,)
        lines.append("| " + " | ".join([*map(str, keys), *(f"{v:.1f}" for v in row)]) + " |")
    return "\n".join(lines)


def main() -> None:
    simulations = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    started = time.process_time()
    cells = [(k, m, "normal") for k in ALGORITHMS for m in DATA_SETS]
    cells += [(5, m, kind) for kind in ("skewed", "heavy-tailed") for m in (8, 20)]
    rows = {cell: shares(simulations, cell[1], cell[0], cell[2]) for cell in cells}
    frame = pd.DataFrame(rows).T.rename_axis(["algorithms", "data sets", "scores"])
    error = 100 * np.sqrt(ALPHA * (1 - ALPHA) / simulations)
    text = f"""# Error of the verdict

Percent of {simulations} samples of equally good algorithms in which a difference is claimed at
α = 0.05; the standard error of a share of 5 % is {error:.1f}. Intraclass correlation
{CORRELATION}; {FLIPS} flips or resamples. With five data sets max-T can claim nothing. "Interval
misses": some of the simultaneous intervals of all mean differences does not hold 0. Made by
`benchmarks/verdict_error.py`.

{markdown(frame)}

Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}; \
{time.process_time() - started:.0f} s of CPU time on one core; seed {SEED}.
"""
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
