"""Simulate the type I error of the regression of ranks on traits.

Run ``python benchmarks/regression_error.py`` (about five minutes on one core). Finished cells are
rows of ``regression_error.csv``, and ``regression_error.md`` is written from them. Each sample
takes m datasets of Lenz et al. (2021) at random, with their tasks and traits. Nine equal algorithms
have scores = difficulty + noise; both have an effect of the dataset (the noise one for each
algorithm), which makes two tasks of one dataset correlate by 0.3. The regressor `median_score` is
the median of these scores: of all algorithms (the default), or of the others. Neither a trait nor
the difficulty has an effect: every p ≤ 0.05 is an error.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import rankdata

import occstats
from occstats.stats import adjust, cluster_weights, weighted_regression

ALGORITHMS, ICC, ALPHA, SAMPLES, SEED = 9, 0.3, 0.05, 400, 2021
DATASETS, RATIOS, MEDIANS = (10, 20, 50), (0.5, 1.0, 2.0), ("all", "others")
#: The default, and that of Lenz et al. (2021).
INFERENCES = ("cr2", "cr1")
RECORD = Path(__file__).with_suffix(".csv")
KEYS = ["median of", "standard errors", "datasets", "difficulty sd / noise sd"]
PAPER = occstats.load_results("lenz2021").to_frame()
TASKS = PAPER.drop_duplicates(["dataset", "class"])[["dataset", "n", "m", "sparsity"]]


def correlated(rng: np.random.Generator, codes: np.ndarray, columns: int) -> np.ndarray:
    """Draw effects with variance 1, of which the dataset contributes the share ICC."""
    of_dataset = rng.normal(size=(codes.max() + 1, columns))[codes]
    return np.sqrt(ICC) * of_dataset + np.sqrt(1 - ICC) * rng.normal(size=(len(codes), columns))


def simulate(median: str, inference: str, m: int, ratio: float) -> dict[str, float]:
    """Return errors in percent: of single terms, and of any term of any algorithm after Holm."""
    rng = np.random.default_rng([SEED, m, round(10 * ratio)])
    found, any_error = [], 0
    for _ in range(SAMPLES):
        chosen = rng.choice(TASKS["dataset"].unique(), m, replace=False)
        tasks = TASKS[TASKS["dataset"].isin(chosen)]
        codes = pd.factorize(tasks["dataset"])[0]
        scores = ratio * correlated(rng, codes, 1) + correlated(rng, codes, ALGORITHMS)
        ranks = rankdata(-scores, axis=1)
        columns = range(ALGORITHMS)
        medians = [np.median(np.delete(scores, a, axis=1), axis=1) for a in columns]
        if median == "all":
            medians = [np.median(scores, axis=1)] * ALGORITHMS
        traits = {
            "log_n": np.log(tasks["n"]),
            "log_m": np.log(tasks["m"]),
            "sparsity": tasks["sparsity"],
        }
        p = []
        for own, difficulty in zip(ranks.T, medians, strict=True):
            columns = {"intercept": np.ones(len(tasks)), **traits, "median_score": difficulty}
            design, terms = np.column_stack(list(columns.values())), tuple(columns)
            options = {"clusters": codes, "weights": cluster_weights(codes)}
            fit = weighted_regression(own, design, terms, inference=inference, **options)
            p.append(fit.p[1:])
        found.append(np.mean(np.array(p) <= ALPHA, axis=0))
        any_error += (adjust(np.ravel(p), "holm") <= ALPHA).any()
    shares = dict(zip(terms[1:], 100 * np.mean(found, axis=0), strict=True))
    # Terms of nine algorithms are dependent: the error is that of the mean share of a sample.
    spread = 100 * np.std(found, axis=0).max() / np.sqrt(SAMPLES)
    return {**shares, "any of 36 (Holm)": 100 * any_error / SAMPLES, "largest SE": spread}


def report() -> str:
    frame = pd.read_csv(RECORD).sort_values(KEYS)
    lines = [f"| {' | '.join(frame.columns)} |", "| --- " * len(frame.columns) + "|"]
    for row in frame.itertuples(index=False):
        cells = [
            *(f"{value}" for value in row[: len(KEYS)]),
            *(f"{v:.1f}" for v in row[len(KEYS) :]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    table = "\n".join(lines)
    return f"""# Error of the regression of ranks

Made by `python benchmarks/regression_error.py`, which defines the samples; numbers in
`regression_error.csv`. Percent of the p-values ≤ {ALPHA:g} of a term that has no effect, over nine
equal algorithms and {SAMPLES:,} samples of datasets, tasks and traits of Lenz et al. (2021); then
the percent of samples in which any of the 36 p-values is ≤ {ALPHA:g} after Holm's correction, the
default, and the largest Monte-Carlo standard error of the terms.

`median_score` is the median of the simulated scores, of all algorithms (the default) or of the
others. CR2 is the default (with Satterthwaite's degrees of freedom); CR1, used by Lenz et al.
(2021), has one degree of freedom less than there are datasets.

{table}

occstats {occstats.__version__}, numpy {np.__version__}; seed {SEED}.
"""


def main() -> None:
    rows = pd.read_csv(RECORD).to_dict("records") if RECORD.exists() else []
    done = {tuple(row[key] for key in KEYS) for row in rows}
    for m in DATASETS:
        for ratio in RATIOS:
            for median in MEDIANS:
                for inference in INFERENCES:
                    cell = (median, inference.upper(), m, ratio)
                    if cell not in done and (inference == "cr2" or median == "all"):
                        found = simulate(median, inference, m, ratio)
                        rows.append({**dict(zip(KEYS, cell, strict=True)), **found})
                        pd.DataFrame(rows).to_csv(RECORD, index=False, float_format="%.4g")
    RECORD.with_suffix(".md").write_text(report(), encoding="utf-8")


if __name__ == "__main__":
    main()
