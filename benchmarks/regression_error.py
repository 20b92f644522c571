"""How often the regression of ranks finds an effect of a trait that has none, by data sets.

Run by hand: ``python benchmarks/regression_error.py`` (some minutes on one core) writes
``regression_error.md``. Each sample takes m data sets of Lenz et al. (2021) at random, with their
tasks and traits; the ranks of an algorithm among nine are those of equal scores, with a random
effect of algorithm and data set that makes two tasks of one data set correlate by the ICC. So no
trait has an effect, and every p-value below 0.05 is an error.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import platform
from pathlib import Path

import numpy as np
import pandas as pd
import statsmodels
from scipy.stats import rankdata

from occstats import load_results
from occstats.stats import cluster_weights, trait_design, weighted_regression

ALGORITHMS = 9
DATA_SETS = (7, 10, 20, 30, 50)
CORRELATIONS = (0.0, 0.3, 0.6)
INFERENCES = ("cr1", "cr2", "hc3")
SIMULATIONS = 2_000
ALPHA = 0.05
SEED = 2021


def sample(
    tasks: pd.DataFrame, m: int, icc: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...], np.ndarray]:
    """Ranks of one algorithm, design and its terms, and the data set of each task."""
    chosen = rng.choice(tasks["dataset"].unique(), m, replace=False)
    tasks = tasks[tasks["dataset"].isin(chosen)]
    codes = tasks["dataset"].astype("category").cat.remove_unused_categories().cat.codes.to_numpy()
    scores = np.sqrt(icc) * rng.normal(size=(m, ALGORITHMS))[codes]
    scores += np.sqrt(1 - icc) * rng.normal(size=(len(codes), ALGORITHMS))
    # The difficulty of a task is that of its data set in part, and the same for all algorithms.
    difficulty = rng.normal(size=m)[codes] + rng.normal(size=len(codes))
    # It stands for the median score, whose noise has to do with the rank, if little.
    design, terms = trait_design(tasks[["n", "m", "sparsity"]].to_dict("list"), difficulty)
    return rankdata(-scores, axis=1)[:, 0], design, terms, codes


def shares(tasks: pd.DataFrame, m: int, icc: float) -> list[dict[str, object]]:
    """Errors of every term in percent, a row for each kind of standard error."""
    rng = np.random.default_rng([SEED, m, int(10 * icc)])
    found: dict[str, list[np.ndarray]] = {inference: [] for inference in INFERENCES}
    terms: tuple[str, ...] = ()
    for _ in range(SIMULATIONS):
        ranks, design, terms, codes = sample(tasks, m, icc, rng)
        for inference in INFERENCES:
            fit = weighted_regression(
                ranks,
                design,
                terms,
                clusters=codes,
                weights=cluster_weights(codes),
                inference=inference,
            )
            found[inference].append(np.where(np.isnan(fit.p), np.nan, fit.p <= ALPHA))
    return [
        {
            "data sets": m,
            "ICC": icc,
            "standard errors": inference.upper(),
            **dict(zip(terms[1:], 100 * np.nanmean(found[inference], axis=0)[1:], strict=True)),
        }
        for inference in INFERENCES
    ]


def main() -> None:
    results = load_results("lenz2021").to_frame()
    tasks = results.drop_duplicates(["dataset", "class"])[["dataset", "n", "m", "sparsity"]]
    rows = [row for m in DATA_SETS for icc in CORRELATIONS for row in shares(tasks, m, icc)]
    frame = pd.DataFrame(rows)
    terms = list(frame.columns[3:])
    ranges = frame.groupby(["data sets", "standard errors"], sort=True)[terms].agg(["min", "max"])
    summary = pd.DataFrame(
        {
            kind: [
                f"{ranges.loc[(m, kind)].min():.1f}–{ranges.loc[(m, kind)].max():.1f}"
                for m in DATA_SETS
            ]
            for kind in frame["standard errors"].unique()
        },
        index=pd.Index(DATA_SETS, name="data sets"),
    )
    error = 100 * np.sqrt(ALPHA * (1 - ALPHA) / SIMULATIONS)
    versions = f"numpy {np.__version__}, statsmodels {statsmodels.__version__}"
    text = f"""# Error of the regression of ranks

Percent of {SIMULATIONS:,} samples in which a trait without any effect has p ≤ {ALPHA:g} (standard
error of 5 %: {error:.1f}). Made by `benchmarks/regression_error.py`, which says how the samples are
drawn: traits and tasks of data sets of Lenz et al. (2021), ranks of nine equal algorithms.

Smallest and largest share over the four traits and the three intraclass correlations:

{markdown(summary.reset_index())}

CR1 is the paper's (with Student's distribution, data sets − 1 degrees of freedom), CR2 the default
(with Satterthwaite's degrees of freedom), HC3 knows no data sets.

{markdown(frame)}

Python {platform.python_version()}, {versions}; seed {SEED}.
"""
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


def markdown(frame: pd.DataFrame) -> str:
    lines = [f"| {' | '.join(map(str, frame.columns))} |", "| --- " * len(frame.columns) + "|"]
    for row in frame.itertuples(index=False):
        shown = (f"{value:.1f}" if isinstance(value, float) else str(value) for value in row)
        lines.append(f"| {' | '.join(shown)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
