"""Simulate error rates, interval coverage and power of the decisions of `compare`.

Run ``python benchmarks/verdict_error.py`` (about half an hour on one core). Each finished cell is a
row of ``verdict_error.csv`` and is not computed again; ``verdict_error.md`` is written at the end.
``python benchmarks/verdict_error.py check`` compares the simulated decisions with those of
`occstats.compare`.

A score is the difficulty of its task, plus an effect of algorithm and dataset (sd 0.03), plus
noise (sd 0.045), so that the differences of two tasks of one dataset correlate by 0.3. Sizes of
datasets are drawn from those of Lenz et al. (2021). `draw` defines the kinds of scores.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
import time
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import rankdata

import occstats
from occstats.stats import cluster_weights, mean_differences, mean_tests, typical_tests

ALPHA, RESAMPLES, SEED = 0.05, 999, 20210
EFFECT, NOISE = 0.03, 0.045
ALGORITHMS, DATASETS = (2, 4, 9), (5, 10, 20, 30, 50)
INTERCHANGEABLE = (
    "normal",
    "one dataset with 60 % of tasks",
    "log-normal spread",
    "spread proportional to size",
    "ties",
    "one task per dataset",
)
#: One algorithm differs from the others, but not in its mean.
EQUAL_MEANS = ("one noisier", "one skewed", "rare failures", "location goes with size")
#: Each difference is symmetric, but those of several pairs are not so jointly.
ALL_SKEWED = "all equally skewed"
#: The differences of each pair are symmetric about 0, the null hypothesis of `typical`.
SYMMETRIC = (*INTERCHANGEABLE, "one noisier", ALL_SKEWED)
SHIFTED = ("normal", "log-normal spread", "one dataset with 60 % of tasks", "one task per dataset")
KINDS = (*INTERCHANGEABLE, *EQUAL_MEANS, ALL_SKEWED)
SAMPLES = {"typical": {2: 800, 4: 500, 9: 200}, "mean": dict.fromkeys(ALGORITHMS, 1500)}
#: A cell that misses its aim is drawn again with this many times the samples; only these count.
AGAIN = 4
RECORD = Path(__file__).with_suffix(".csv")
KEYS = ["estimand", "algorithms differ", "scores", "algorithms", "datasets"]

with (resources.files("occstats") / "data" / "lenz2021.csv").open() as source:
    SIZES = pd.read_csv(source, keep_default_na=False)["dataset"].value_counts().to_numpy()


def draw(rng: np.random.Generator, kind: str, k: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores of algorithms with equal means (tasks × k), and the dataset of each task."""
    sizes = rng.choice(SIZES, m)
    if kind == "one task per dataset":
        sizes = np.ones(m, dtype=int)
    elif kind == "one dataset with 60 % of tasks":
        sizes = rng.integers(1, 5, m)
        sizes[0] = round(1.5 * sizes[1:].sum())
    codes = np.repeat(np.arange(m), sizes)
    effect = EFFECT * rng.normal(size=(m, k))
    noise = NOISE * rng.normal(size=(len(codes), k))
    scale = np.ones(m)
    if kind == "log-normal spread":
        scale = np.exp(rng.normal(size=m))
    elif kind == "spread proportional to size":
        scale = sizes / SIZES.mean()
    elif kind == "one noisier":
        effect[:, 0], noise[:, 0] = 6 * effect[:, 0], 6 * noise[:, 0]
    elif kind in ("one skewed", ALL_SKEWED):
        skewed = slice(1 if kind == "one skewed" else k)
        effect, noise = effect / 2, noise * 0.3
        effect[:, skewed] = 3 * EFFECT * (1 - rng.exponential(size=effect[:, skewed].shape))
    elif kind == "rare failures":
        effect[:, 1:], noise = effect[:, 1:] / 2, noise * 0.3
        effect[:, 0] += 0.03 - 0.3 * (rng.random(m) < 0.1)
    elif kind == "location goes with size":
        effect[:, 0] -= 0.06 * (np.log(sizes) - np.log(SIZES).mean())
    difficulty = 0.8 + 0.05 * rng.normal(size=m)[codes] + 0.03 * rng.normal(size=len(codes))
    scores = difficulty[:, None] + scale[codes, None] * (effect[codes] + noise)
    return (np.round(20 * scores) / 20 if kind == "ties" else scores), codes


def advantages(k: int, m: int) -> np.ndarray:
    """Return advantages of halves (thirds of nine), three standard errors of a difference apart."""
    step = 3 * np.sqrt(2 * (EFFECT**2 + NOISE**2 * np.mean(1 / SIZES)) / m)
    groups = 3 if k == 9 else 2
    return step * (groups - 1 - np.arange(k) * groups // k)


def decide(
    estimand: str, scores: np.ndarray, codes: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the matrices "better", low, high and statistic, as `compare` decides."""
    options = {"alpha": ALPHA, "n_resamples": RESAMPLES, "random_state": seed}
    if estimand == "typical":
        found = typical_tests(scores, codes, tie_tolerance=1e-9, **options)
    else:
        found = mean_tests(scores, codes, **options)
    with np.errstate(invalid="ignore"):
        better = (found.p <= ALPHA) & (found.statistic > 0)
    return better, found.low, found.high, found.statistic


def outcome(
    estimand: str, scores: np.ndarray, codes: np.ndarray, seed: int, truth: np.ndarray
) -> dict[str, float]:
    """Compare the decisions about one sample with the truth."""
    better, low, high, statistic = decide(estimand, scores, codes, seed)
    difference = truth[:, None] - truth
    found = {"any false better": bool((better & (difference <= 0)).any())}
    other = ~np.eye(len(truth), dtype=bool)
    tiny = 1e-9
    found["all intervals hold"] = bool(
        ((low <= difference + tiny) & (high >= difference - tiny))[other].all()
    )
    steps = difference[difference > tiny]
    if len(steps):
        found["found"] = better[np.abs(difference - steps.min()) < tiny].mean()
    if estimand == "typical":
        found["any reversed"] = bool((better & (mean_differences(scores, codes) < 0)).any())
        # The table of the paper: one-sided, Holm within the row of the best mean rank.
        best = np.argmin(cluster_weights(codes) @ rankdata(-scores.round(9), axis=1))
        p = ndtr(-np.nanmax(statistic[best])) * (len(truth) - 1)
        found["best row, one-sided"] = bool(p <= ALPHA)
    return found


def simulate(cell: tuple[str, bool, str, int, int], samples: int, again: bool) -> pd.Series:
    """Return the shares of one cell in percent."""
    estimand, differ, kind, k, m = cell
    rng = np.random.default_rng([SEED, differ, KINDS.index(kind), k, m, again])
    truth = advantages(k, m) if differ else np.zeros(k)
    rows = []
    for seed in range(samples):
        scores, codes = draw(rng, kind, k, m)
        rows.append(outcome(estimand, scores + truth, codes, seed, truth))
    return 100 * pd.DataFrame(rows).astype(float).mean()


def error(percent: float, samples: int) -> float:
    """Return the Monte-Carlo standard error of a share in percent."""
    return float(np.sqrt(percent * (100 - percent) / samples))


def aim(cell: tuple[str, bool, str, int, int], samples: int) -> float:
    """Return the largest share of errors that was aimed for; infinite where there is no aim."""
    estimand, _, kind, _, m = cell
    if estimand == "typical":
        return 5 + 2 * error(5, samples) if kind in SYMMETRIC else np.inf
    return 6 if m >= (30 if kind == "rare failures" else 20) else np.inf


def first_samples(cell: tuple[str, bool, str, int, int]) -> int:
    """Return the number of samples of a cell, fewer where nothing depends on the level."""
    estimand, differ, _, k, _ = cell
    n = SAMPLES[estimand][k]
    return n // 2 if aim(cell, n) == np.inf or (differ and estimand == "mean") else n


def cells() -> Iterator[tuple[str, bool, str, int, int]]:
    for k in ALGORITHMS:
        for m in DATASETS:
            for differ in (False, True):
                for kind in SHIFTED if differ else KINDS:
                    if m > 5:  # no p-value of a sign-flip test is below 0.06 with five
                        yield "typical", differ, kind, k, m
                    yield "mean", differ, kind, k, m


def record() -> None:
    rows = pd.read_csv(RECORD).to_dict("records") if RECORD.exists() else []
    done = {tuple(row[key] for key in KEYS) for row in rows}
    for cell in cells():
        if cell in done:
            continue
        start, n = time.process_time(), first_samples(cell)
        for again in (False, True):
            n *= AGAIN if again else 1
            found = simulate(cell, n, again)
            misses = max(found["any false better"], 100 - found["all intervals hold"])
            if misses <= aim(cell, n):
                break
        seconds = time.process_time() - start
        rows.append({**dict(zip(KEYS, cell, strict=True)), "samples": n, **found, "s": seconds})
        pd.DataFrame(rows).to_csv(RECORD, index=False, float_format="%.4g")
    RECORD.with_suffix(".md").write_text(f"{report()}\n{check()}", encoding="utf-8")


def table(frame: pd.DataFrame, column: str) -> str:
    """Tabulate a share with its error: k and m by the kind of scores."""
    kinds = [kind for kind in KINDS if (frame["scores"] == kind).any()]
    header = ["k", "datasets", *kinds]
    lines = [f"| {' | '.join(header)} |", "| ---: | ---: |" + " --- |" * len(kinds)]
    for (k, m), group in frame.groupby(["algorithms", "datasets"]):
        shown = group.set_index("scores")
        row = [str(k), str(m)]
        for kind in kinds:
            if kind not in shown.index:
                row.append("")
                continue
            share, n = shown.loc[kind, column], shown.loc[kind, "samples"]
            row.append(f"{share:.1f} ± {error(share, n):.1f}")
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


def pooled(frame: pd.DataFrame, column: str = "any false better") -> str:
    """Average the shares of all cells for each number of algorithms."""
    parts = []
    for k, cells_of_k in frame.groupby("algorithms"):
        share = np.average(cells_of_k[column], weights=cells_of_k["samples"])
        spread = error(share, cells_of_k["samples"].sum())
        parts.append(f"{share:.1f} ± {spread:.1f} % (k = {k})")
    return ", ".join(parts)


def missed(frame: pd.DataFrame) -> str:
    """Name the cells that miss their aim."""
    found, n, again = [], 0, 0
    for row in frame.to_dict("records"):
        cell = tuple(row[key] for key in KEYS)
        n += np.isfinite(aim(cell, row["samples"]))
        again += row["samples"] > first_samples(cell)
        share = max(row["any false better"], 100 - row["all intervals hold"])
        if share > aim(cell, row["samples"]):
            differ = ", algorithms differ" if cell[1] else ""
            found.append(f"{cell[2]}{differ}, k = {cell[3]}, {cell[4]} datasets: {share:.1f} %")
    names = f" ({'; '.join(found)})" if found else ""
    return f"{len(found)} of {n} cells{names}; {again} had to be drawn again"


def report() -> str:
    frame = pd.read_csv(RECORD)
    equal, differ = frame[~frame["algorithms differ"]], frame[frame["algorithms differ"]]
    typical, mean = (equal[equal["estimand"] == name] for name in ("typical", "mean"))
    symmetric = typical["scores"].isin(SYMMETRIC)
    most = typical.loc[symmetric, "any reversed"].max()
    parts = [
        f"""# Error, coverage and power of the decision about pairs

Made by `python benchmarks/verdict_error.py`, which defines the distributions of scores. All numbers
are in `verdict_error.csv`. Shares of samples in percent, ± one Monte-Carlo standard error;
α = 0.05, {RESAMPLES} sign flips or resamples per sample; corrected for all pairs of k algorithms
(max-T). A cell that misses its aim is drawn again with {AGAIN} times as many new samples, and only
these count. A 95 % CI excludes 0 exactly where p ≤ 0.05: where algorithms are equal, the intervals
of all pairs contain their true values in 100 % minus the share of false conclusions.

Aims: `typical` at most 5 % plus two standard errors where differences are symmetric; `mean` at most
6 % with at least 20 datasets, or 30 with rare failures. Missed in:

- `typical`: {missed(frame[frame["estimand"] == "typical"])}
- `mean`: {missed(frame[frame["estimand"] == "mean"])}

## `typical`, symmetric differences: any pair is called different

Nothing can be concluded from five datasets. "One noisier" has six times the standard deviation of
the others; in all other columns the algorithms are interchangeable. Where all are equally skewed,
the differences of several pairs are not jointly symmetric, so sign flips are approximate with three
or more algorithms. Averaged over all cells: {pooled(typical[symmetric])}.

{table(typical[symmetric], "any false better")}

## `typical`, equal means but asymmetric differences: any pair is called different

These samples are outside the null hypothesis of `typical`: one algorithm does score higher on most
datasets (one skewed, rare failures), so it is typically better, or it scores higher on small
datasets and lower on large ones. Rare failures are +0.03 on 90 % of the datasets and −0.27 on 10 %.

{table(typical[~symmetric], "any false better")}

Share of samples in which a pair is decided against the sign of its mean difference, which sets the
flag `reversed` (where differences are symmetric: in at most {most:.1f} %):

{table(typical[~symmetric], "any reversed")}

## `mean`: any pair is called different

All algorithms have the same mean over datasets. Averaged over the cells of symmetric differences:
{pooled(mean[mean["scores"].isin(SYMMETRIC)])}.

{table(mean, "any false better")}

## One-sided tests, Holm within the row with the best mean rank

The decision from one row of the table in Lenz et al. (2021), chosen after the fact.

{table(typical[symmetric], "best row, one-sided")}
"""
    ]
    for name in ("typical", "mean"):
        chosen = differ[differ["estimand"] == name]
        parts.append(f"""## `{name}`, algorithms differ

Halves (thirds of nine algorithms) are three standard errors of a mean difference apart. The
simultaneous 95 % CIs of all pairs contain the true differences (averaged over all cells:
{pooled(chosen, "all intervals hold")}):

{table(chosen, "all intervals hold")}

Share of samples in which an algorithm is called better than an equal or better one:

{table(chosen, "any false better")}

Power, the share of pairs one step apart that are found:

{table(chosen, "found")}
""")
    versions = f"occstats {occstats.__version__}, numpy {np.__version__}"
    parts.append(f"{frame['s'].sum() / 60:.0f} minutes on one core; {versions}; seed {SEED}.\n")
    return "\n".join(parts)


def check(samples: int = 3) -> str:
    """Compare `decide` with `occstats.compare` on samples of four algorithms."""
    names, same, total = list("ABCD"), 0, 0
    for number, kind in enumerate(KINDS):
        rng = np.random.default_rng([SEED, number])
        for seed in range(samples):
            scores, codes = draw(rng, kind, 4, 20)
            frame = pd.DataFrame(scores + advantages(4, 20), columns=names)
            frame.insert(0, "dataset", [f"d{code:02}" for code in codes])
            frame.insert(1, "class", np.arange(len(codes)))
            for estimand in ("typical", "mean"):
                comparison = occstats.compare(
                    frame, estimand=estimand, n_resamples=RESAMPLES, random_state=seed
                )
                shown = comparison.matrix("conclusion").loc[names, names].to_numpy() == "better"
                better = decide(estimand, frame[names].to_numpy(), codes, seed)[0]
                same += int((shown == better).sum()) - 4  # without the diagonal
                total += 12
    return f"`occstats.compare` decides as simulated here in {same} of {total} ordered pairs.\n"


if __name__ == "__main__":
    print(check()) if sys.argv[1:] == ["check"] else record()
