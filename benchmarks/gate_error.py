"""Simulate how often `occstats gate` passes a candidate whose loss equals the margin.

Run ``python benchmarks/gate_error.py`` (two minutes on one core). Finished cells are rows of
``gate_error.csv`` and are not computed again; ``gate_error.md`` is written from them. The true mean
difference is −0.02 and so is the margin: except for equal algorithms, every exit code 0 is an
error. Scores are drawn as in ``verdict_error.py``.
"""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from verdict_error import ALPHA, EFFECT, RESAMPLES, SEED, draw, error

import occstats
from occstats.comparison.gate import judge
from occstats.stats import mean_tests

MARGIN, SAMPLES, DATASETS = 0.02, 4000, (10, 20, 30, 50)
SYMMETRIC = ("normal", "log-normal spread", "one dataset with 60 % of tasks")
#: Share of datasets that fail (by −0.25), and the difference on all others.
FAILURES = {"8 % of datasets fail": (0.08, 0.0), "+0.01, 12 % of datasets fail": (0.12, 0.01)}
EQUAL, SKEWED = "equal algorithms (power)", "exponential effects"
ROWS = (EQUAL, *SYMMETRIC, SKEWED, *FAILURES)


def draw_pair(rng: np.random.Generator, name: str, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw scores of candidate and baseline (tasks × 2), and the dataset of each task."""
    scores, codes = draw(rng, name if name in SYMMETRIC else "normal", 2, m)
    loss = np.full(m, -MARGIN if name in SYMMETRIC else 0.0)
    if name in FAILURES:
        share, elsewhere = FAILURES[name]
        loss = elsewhere - 0.25 * (rng.random(m) < share)
    if name in FAILURES or name == SKEWED:  # little noise, which would hide the shape
        scores = scores.mean(axis=1, keepdims=True) + 0.2 * (scores - scores.mean(axis=1)[:, None])
    if name == SKEWED:
        loss = 2 * EFFECT * (1 - rng.exponential(size=m)) - MARGIN
    scores[:, 0] += loss[codes]
    return scores, codes


def simulate(name: str, m: int) -> dict[str, float]:
    """Shares of outcomes in percent; `judge` decides by the same interval."""
    rng = np.random.default_rng([SEED, ROWS.index(name), m])
    low, high, unseen = np.empty((3, SAMPLES))
    for seed in range(SAMPLES):
        scores, codes = draw_pair(rng, name, m)
        found = mean_tests(scores, codes, alpha=ALPHA, n_resamples=RESAMPLES, random_state=seed)
        low[seed], high[seed] = found.low[0, 1], found.high[0, 1]
        unseen[seed] = name in FAILURES and (scores[:, 0] - scores[:, 1]).min() > -0.15
    passed = low > -MARGIN
    return {
        "exit 0": 100 * passed.mean(),
        "superior": 100 * (low > 0).mean(),
        "inferior": 100 * ((high < 0) & ~passed).mean(),
        "no failure in the sample": 100 * unseen.mean() if name in FAILURES else np.nan,
    }


def agreement(samples: int = 3) -> str:
    """Compare the outcomes with those of `judge` on some samples of each kind."""
    same = 0
    for number, name in enumerate(ROWS):
        rng = np.random.default_rng([SEED, number])
        for seed in range(samples):
            scores, codes = draw_pair(rng, name, 20)
            frame = pd.DataFrame(scores, columns=["new", "old"])
            frame.insert(0, "dataset", [f"d{code:02}" for code in codes])
            frame.insert(1, "class", np.arange(len(codes)))
            options = {"n_resamples": RESAMPLES, "random_state": seed}
            comparison = occstats.compare(frame, margin=MARGIN, **options)
            low = mean_tests(scores, codes, **options).low[0, 1]
            same += (judge(comparison, "new", "old").exit_code == 0) == (low > -MARGIN)
    return f"{same} of {samples * len(ROWS)}"


def main() -> None:
    record = Path(__file__).with_suffix(".csv")
    rows = pd.read_csv(record).to_dict("records") if record.exists() else []
    for name, m in list(product(ROWS, DATASETS))[len(rows) :]:
        rows.append({"differences": name, "datasets": m, **simulate(name, m)})
        pd.DataFrame(rows).to_csv(record, index=False, float_format="%.4g")
    frame = pd.DataFrame(rows)
    columns = list(frame.columns[2:])
    lines = [
        f"| differences | datasets | {' | '.join(columns)} |",
        "| --- | ---: |" + " ---: |" * len(columns),
    ]
    for row in rows:
        shares = [f"{row['exit 0']:.1f} ± {error(row['exit 0'], SAMPLES):.1f}"]
        shares += ["" if np.isnan(row[name]) else f"{row[name]:.1f}" for name in columns[1:]]
        lines.append(f"| {row['differences']} | {row['datasets']} | {' | '.join(shares)} |")
    table, limit = "\n".join(lines), 2.5 + 2 * error(2.5, SAMPLES)
    skewed = ~frame["differences"].isin([EQUAL, *SYMMETRIC]) & (frame["datasets"] >= 30)
    beyond = frame["differences"].isin(SYMMETRIC) & (frame["exit 0"] > limit)
    misses = frame[beyond | (skewed & (frame["exit 0"] > 5))]
    missed = "; ".join(
        f"{row['differences']}, {row['datasets']} datasets ({row['exit 0']:.1f} %)"
        for row in misses.to_dict("records")
    )
    text = f"""# Error of the gate at the margin

Made by `python benchmarks/gate_error.py`; all numbers are in `gate_error.csv`. The candidate's true
mean difference is −{MARGIN:g} and the margin is {MARGIN:g}, so exit code 0 is an error. In the rows
"{EQUAL}" the difference is 0, and exit code 0 is correct. The table gives the percentage
of {SAMPLES:,} samples, ± one Monte-Carlo standard error ({RESAMPLES} resamples, 95 % CI). The
gate itself gives the same outcome on {agreement()} samples.

The aim is at most 2.5 % (one-sided) plus two standard errors, {limit:.1f} %, where differences are
symmetric, and at most 5 % with 30 or more datasets where they are skewed. Missed:
{missed or "nowhere"}.

A sample without any failure cannot show that failures occur. If they affect fewer than about 3 in m
datasets, exit code 0 is as frequent as such samples (last column).

{table}

occstats {occstats.__version__}, numpy {np.__version__}; seed {SEED}.
"""
    record.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
