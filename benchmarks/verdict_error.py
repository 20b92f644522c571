"""How often a verdict claims a difference between algorithms that are equally good, and its power.

Run by hand: ``python benchmarks/verdict_error.py`` (half an hour on one free core). Each finished
cell is a row of ``verdict_error.csv``; cells that are there are not computed again, and
``verdict_error.md`` is written from them in the end, or by the argument ``report``. Several
processes share the work with the arguments ``0 3``, ``1 3``, ``2 3``.

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
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import numpy as np
import pandas as pd
import scipy
from scipy.special import ndtr
from scipy.stats import rankdata

from occstats.stats import adjust_pairs, max_t, pairwise_tests, simultaneous_intervals
from occstats.stats.arrays import round_to_grid
from occstats.stats.clusters import Clusters
from occstats.stats.sample import Sample
from occstats.stats.tests.engine import Prepared
from occstats.stats.tests.null import SAME_Z, all_signs
from occstats.stats.tests.registry import TESTS

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
#: For cells beyond a limit of error or coverage by the first samples: new ones, which count.
AGAIN = 10_000
COVERAGE = 94.0
TIES = 1e-9
FLIPS, POWER_FLIPS, RESAMPLES = 512, 999, 499
BATCH = 50
SEED = 20210
RECORD = Path(__file__).with_suffix(".csv")
KEYS = ["table", "algorithms", "data sets", "scores", "ICC"]


def paper_sizes() -> np.ndarray:
    with (resources.files("occstats") / "data" / "lenz2021.csv").open() as source:
        return pd.read_csv(source, keep_default_na=False)["dataset"].value_counts().to_numpy()


SIZES = paper_sizes()


def noise(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> np.ndarray:
    """Independent effects with mean 0 and variance 1."""
    if kind == "skewed":
        return rng.exponential(size=shape) - 1
    if kind == "heavy-tailed":
        return rng.standard_t(3, size=shape) / np.sqrt(3)
    return rng.normal(size=shape)


def draw(
    rng: np.random.Generator, m: int, k: int, kind: str, icc: float, batch: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of equal algorithms, tasks × samples × algorithms, and the data set of each task."""
    sizes = rng.choice(SIZES, m)
    codes = np.repeat(np.arange(m), sizes)
    scores = np.sqrt(icc) * noise(rng, kind, (m, batch, k))[codes]
    scores += np.sqrt(1 - icc) * noise(rng, kind, (len(codes), batch, k))
    if kind == "informative sizes":  # the more tasks, the larger the differences
        scores *= sizes[codes, None, None] / SIZES.mean()
    return (np.round(scores) if kind == "tied" else scores), codes


def holm(p: np.ndarray) -> np.ndarray:
    return adjust_pairs(p, "all", "holm", alternative="two-sided").clipped


def errors(
    rng: np.random.Generator, m: int, k: int, kind: str, icc: float, batch: int
) -> pd.DataFrame:
    """Every claim about some samples of equal algorithms, one row each.

    The samples of a batch have the same numbers of tasks, so that their pairs are prepared at once.
    Something is claimed about a sample where the largest statistic of all pairs is significant;
    only then is it tested step by step.
    """
    scores, codes = draw(rng, m, k, kind, icc, batch)
    clusters = Clusters.of(codes)
    first, second = np.triu_indices(k, 1)
    grid = round_to_grid((scores[:, :, first] - scores[:, :, second]), TIES)
    columns = grid.reshape(len(codes), -1)
    prepared = TESTS["rgl"].engine.sample(TIES * columns, columns, clusters, TIES)
    z = np.nan_to_num(prepared.observed.z).reshape(batch, -1)
    ranks = rankdata(-np.round(scores, 9), axis=2)
    best = np.einsum("t,tsa->sa", clusters.weights, ranks).argmin(axis=1)
    square = np.zeros((batch, k, k))
    square[:, first, second], square[:, second, first] = z, -z
    rows = []
    for sample in range(batch):
        limits = simultaneous_intervals(
            scores[:, sample], codes, n_resamples=RESAMPLES, random_state=sample
        )
        largest = np.abs(z[sample]).max()
        verdict = claim = claimed(prepared, sample * len(first), z[sample], m, rng)
        if claim:
            tested = Sample.of(scores[:, sample], codes, tie_tolerance=TIES)
            found = max_t(tested, n_resamples=4_999, random_state=sample)
            verdict = bool(((found.p <= ALPHA) & (found.z > 0))[best[sample]].any())
        rows.append(
            {
                "any claim, max-T": claim,
                "verdict, max-T": verdict,
                "any claim, Holm over all pairs": 2 * ndtr(-largest) * len(first) <= ALPHA,
                "verdict, one-sided per row": ndtr(-square[sample, best[sample]].max()) * (k - 1)
                <= ALPHA,
                "intervals hold": not ((limits.low > 0) | (limits.high < 0)).any(),
            }
        )
    return pd.DataFrame(rows)


def claimed(
    prepared: Prepared, start: int, z: np.ndarray, m: int, rng: np.random.Generator
) -> bool:
    """Whether the largest of a sample's statistics is significant by flips of its data sets."""
    if 2.0 ** (1 - m) > ALPHA:  # so few data sets can show nothing
        return False
    exact = 2 ** (m - 1) <= FLIPS
    signs = next(all_signs(m, 2**m)) if exact else rng.choice([-1.0, 1.0], (FLIPS, m))
    largest = np.zeros(len(signs))
    for pair in range(start, start + len(z)):
        own = prepared.units(pair)
        if z[pair - start]:
            flipped = np.abs(prepared.flipped(pair, signs[:, own]))
            largest = np.fmax(largest, np.where(np.isnan(flipped), np.inf, flipped))
    reached = np.count_nonzero(largest >= np.abs(z).max() - SAME_Z)
    p = reached / len(signs) if exact else (reached + 1) / (FLIPS + 1)
    return bool(p <= ALPHA)


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
    if table == "null":
        parts = [errors(rng, m, k, kind, icc, BATCH) for _ in range(simulations // BATCH)]
        return 100 * pd.concat(parts).astype(float).mean()
    shift, rows = clear_shift(m, icc), []
    for seed in range(simulations):
        scores, codes = draw(rng, m, k, kind, icc)
        scores[:, 0, : k // 2] += shift
        rows.append(power(Sample.of(scores[:, 0], codes, tie_tolerance=TIES), seed, shift))
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


def recorded() -> pd.DataFrame:
    """All cells that are known, also from processes that shared the work."""
    files = sorted(RECORD.parent.glob("verdict_error*.csv"))
    # "null" is a table of ours, not a missing value.
    found = [pd.read_csv(file, keep_default_na=False, na_values=[""]) for file in files]
    frame = pd.concat(found) if found else pd.DataFrame(columns=KEYS)
    return frame.drop_duplicates(KEYS)


def record(part: int, parts: int) -> None:
    """Compute what is not recorded, of every so-many-th cell."""
    path = RECORD if parts == 1 else RECORD.with_suffix(f".{part}.csv")
    known = recorded()
    done = set(known[KEYS].itertuples(index=False, name=None))
    rows = known.to_dict("records") if parts == 1 else []
    for cell in list(cells())[part::parts]:
        if cell in done:
            continue
        n = SIMULATIONS
        found = shares(*cell, n)
        claims = ["any claim, max-T", "verdict, max-T", "any false claim, max-T"]
        if found.reindex(claims).max() > limit(n) or found["intervals hold"] < COVERAGE:
            n = AGAIN
            found = shares(*cell, n)
        rows.append({**dict(zip(KEYS, cell, strict=True)), "samples": n, **found})
        pd.DataFrame(rows).to_csv(path, index=False, float_format="%.4g")


def square(frame: pd.DataFrame, column: str) -> str:
    """One quantity of all cells with equal algorithms: k and m by the kind of scores."""
    kinds = [f"{kind}, ICC {icc:g}" for kind, icc in SCORES]
    labels = frame["scores"] + frame["ICC"].map(", ICC {:g}".format)
    table = frame.assign(kind=labels).pivot(index=KEYS[1:3], columns="kind", values=column)
    return markdown(table.reindex(columns=[kind for kind in kinds if kind in table]))


def markdown(frame: pd.DataFrame) -> str:
    frame = frame.sort_index()
    header = [*frame.index.names, *frame.columns]
    lines = [f"| {' | '.join(map(str, header))} |", "|" + " --- |" * len(header)]
    for index, row in frame.iterrows():
        cells = ["" if np.isnan(value) else f"{value:.1f}" for value in row]
        lines.append(f"| {' | '.join([*map(str, index), *cells])} |")
    return "\n".join(lines)


def report() -> str:
    """The record in words and tables."""
    frame = recorded().sort_values(KEYS)
    for file in RECORD.parent.glob("verdict_error.*.csv"):
        file.unlink()
    frame.to_csv(RECORD, index=False, float_format="%.4g")
    null, differing = (frame[frame["table"] == table] for table in ("null", "power"))
    error = 100 * np.sqrt(ALPHA * (1 - ALPHA) / SIMULATIONS)
    columns = ["max-T", "Holm, the same flips", "Holm, normal", "any false claim, max-T"]
    columns += ["rank sets hold", "intervals hold"]
    claims = null[["any claim, max-T", "verdict, max-T"]]
    beyond = int(claims.gt(null["samples"].map(limit), axis=0).to_numpy().sum())
    least = frame["intervals hold"].min()
    return f"""# Error and power of the verdict

Percent of {SIMULATIONS:,} samples each (standard error of 5 %: {error:.1f}; a cell with an
error above 5 % and two standard errors, or intervals that hold in less than {COVERAGE:g} %, is
drawn again with {AGAIN:,} new samples, which count). Level 0.05; at most
{FLIPS} flips for the errors, {POWER_FLIPS} for the power; sizes of data sets from Lenz et al.
(2021). Made by `benchmarks/verdict_error.py`, which says how the samples are drawn; all numbers are
in `verdict_error.csv`. An empty cell was not drawn.

Of {len(null)} cells with equal algorithms, {beyond} shares of max-T are above 5 % and two standard
errors. The simultaneous intervals hold in at least {least:.1f} % of the samples of every cell.

## Equal algorithms: any pair is called different (max-T)

With three or five data sets max-T can claim nothing.

{square(null, "any claim, max-T")}

## Equal algorithms: the best-ranked is called better than another (max-T)

{square(null, "verdict, max-T")}

## The same by one-sided tests, Holm-corrected within its row

What a verdict from the table of the paper would say: the row is chosen after the fact.

{square(null, "verdict, one-sided per row")}

## Simultaneous intervals of all mean differences hold

{square(null, "intervals hold")}

## Half of the algorithms are better

By three standard errors of the mean of a difference; normal scores, ICC 0.3. Share of the true
differences that are found by max-T, by Holm over all pairs with p-values from the same flips, and
by Holm with normal p-values; share of samples with any false claim (about two equal algorithms, or
in the wrong direction); coverage of all rank sets together, and of all simultaneous intervals.

{markdown(differing.set_index(KEYS[1:3])[columns])}

Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}; seed {SEED}.
"""


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments != ["report"]:
        record(*map(int, arguments[:2] or ("0", "1")))
    if not arguments or arguments == ["report"]:
        RECORD.with_suffix(".md").write_text(report(), encoding="utf-8")
