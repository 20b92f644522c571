"""Measure CPU time and peak memory of the first screen by tasks, algorithms and datasets.

Each case runs in a process of its own with one thread. A run appends its rows to
compare_size.csv under a label, and writes compare_size.md and the growth curves from all of them:

    python benchmarks/compare_size.py --label now usual many-datasets
    python benchmarks/compare_size.py --label now            # all cases
    python benchmarks/compare_size.py --profile usual        # where the time goes
    python benchmarks/compare_size.py --commands OLD/bin/python  # commands, beside version 0.2
    python benchmarks/compare_size.py --label now --reading  # load_results against pandas

The yardstick is a script without this package: Wilcoxon's test of each pair by SciPy and the ranks
of each task by pandas.
"""

import argparse
import io
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
TABLE = HERE / "compare_size.csv"
COMMANDS_TABLE = HERE / "compare_commands.csv"
READING_TABLE = HERE / "compare_reading.csv"
LIMIT_CPU_SECONDS = 240
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Case(NamedTuple):
    """Size of a results table, and the limit of CPU seconds that is aimed for."""

    tasks: int
    algorithms: int
    datasets: int
    aim: float | None = None
    from_file: bool = False


CASES = {
    "usual": Case(246, 9, 50, 0.5),
    "tasks-1k": Case(1_000, 9, 50),
    "tasks-10k": Case(10_000, 9, 50),
    "tasks-100k": Case(100_000, 9, 50, 10),
    "datasets-200": Case(10_000, 9, 200),
    "datasets-1k": Case(10_000, 9, 1_000, 5),
    "datasets-5k": Case(20_000, 9, 4_900),
    "singletons-2k": Case(2_000, 2, 2_000),
    "singletons-12k": Case(12_000, 2, 12_000),
    "singletons-100k": Case(100_000, 2, 100_000, 20),
    "algorithms-50": Case(246, 50, 50),
    "algorithms-100": Case(246, 100, 50),
    "algorithms-200": Case(246, 200, 50, 10),
    "algorithms-400": Case(246, 400, 50),
    "algorithms-1k": Case(246, 1_000, 50, 60),
    "few-tasks-200": Case(8, 200, 8, 2),
    "few-tasks-400": Case(8, 400, 8, 5),
    "few-tasks-1500": Case(8, 1_500, 8, 60),
    "rows-100k": Case(100_000, 3, 50, from_file=True),
    "rows-1m": Case(1_000_000, 3, 50, 20, from_file=True),
}
CURVES = {
    "tasks (9 algorithms, 50 datasets)": (
        "tasks",
        ["usual", "tasks-1k", "tasks-10k", "tasks-100k"],
    ),
    "datasets (9 algorithms, 10,000 to 20,000 tasks)": (
        "datasets",
        ["tasks-10k", "datasets-200", "datasets-1k", "datasets-5k"],
    ),
    "datasets of one task (2 algorithms)": (
        "datasets",
        ["singletons-2k", "singletons-12k", "singletons-100k"],
    ),
    "algorithms (246 tasks)": (
        "algorithms",
        [
            "usual",
            "algorithms-50",
            "algorithms-100",
            "algorithms-200",
            "algorithms-400",
            "algorithms-1k",
        ],
    ),
    "algorithms (8 tasks)": (
        "algorithms",
        ["few-tasks-200", "few-tasks-400", "few-tasks-1500"],
    ),
    "rows (3 algorithms, reading included)": ("tasks", ["rows-100k", "rows-1m"]),
}


def make_table(case: Case) -> pd.DataFrame:
    """Generate scores with a difficulty of each dataset, in datasets of unequal size."""
    rng = np.random.default_rng(0)
    n, k, m = case.tasks, case.algorithms, case.datasets
    dataset = np.concatenate([np.arange(m), rng.integers(m, size=n - m) ** 2 // m])
    scores = 0.7 + 0.1 * rng.normal(size=(m, 1))[dataset] + 0.02 * rng.normal(size=(m, k))[dataset]
    scores = (scores + 0.03 * rng.normal(size=(n, k)) + np.linspace(0.02, 0, k)).clip(0, 1).round(6)
    table = pd.DataFrame(scores, columns=[f"A{i:04d}" for i in range(k)])
    table.insert(0, "dataset", [f"d{i:06d}" for i in dataset])
    table.insert(1, "task", [f"t{i:07d}" for i in range(n)])
    return table


def peak_megabytes() -> float:
    """Return the peak memory of this process, without that of its parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def yardstick(table: pd.DataFrame) -> None:
    from scipy.stats import wilcoxon

    scores = table.iloc[:, 2:]
    scores.rank(axis=1, ascending=False).groupby(table["dataset"]).mean().mean()
    columns = scores.to_numpy().T
    for a in range(len(columns)):
        for b in range(a + 1, len(columns)):
            wilcoxon(columns[a], columns[b], method="approx")


def first_screen(comparison: object) -> None:
    """Print the first screen, with all that it needs."""
    from occstats.report.terminal import print_comparison

    print_comparison(comparison, file=io.StringIO())


def measure(case: Case, contender: str) -> dict[str, float]:
    """Return CPU seconds without imports, and peak memory (called in a child process)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.csv"
        table = make_table(case)
        if case.from_file:
            table.to_csv(path, index=False)
        if contender == "scipy":
            import scipy.stats  # noqa: F401

            start = time.process_time()
            yardstick(pd.read_csv(path) if case.from_file else table)
        else:
            import occstats

            columns = {"dataset": "dataset", "task": "task", "lower_is_better": False}
            first_screen(occstats.compare("lenz2021", n_resamples=100))  # imports
            if case.from_file:
                del table
                start = time.process_time()
                first_screen(occstats.compare(path, **columns))
            else:
                results = occstats.load_results(table, **columns)
                start = time.process_time()
                first_screen(occstats.compare(results))
        return {"seconds": time.process_time() - start, "megabytes": peak_megabytes()}


def profile(case: Case) -> None:
    import cProfile
    import pstats

    import occstats

    results = occstats.load_results(
        make_table(case), dataset="dataset", task="task", lower_is_better=False
    )
    occstats.compare("lenz2021", n_resamples=100)
    profiler = cProfile.Profile(time.process_time)
    comparison = profiler.runcall(occstats.compare, results)
    print(*comparison.notes, sep="\n")
    for order in ("cumulative", "tottime"):
        pstats.Stats(profiler).sort_stats(order).print_stats(45)


def run(name: str, contender: str) -> dict[str, object]:
    """Run one case in a new process; return NaN if it fails or does not finish."""
    command = [sys.executable, __file__, "--measure", name, contender]
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode == 0:
        found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return found
    print(f"{name}: {done.stderr[-500:] or f'beyond {LIMIT_CPU_SECONDS} s'}", file=sys.stderr)
    return {"seconds": np.nan, "megabytes": np.nan}


def record(label: str, names: list[str], contenders: list[str]) -> None:
    for name in names:
        for contender in contenders:
            found = run(name, contender)
            who = label if contender == "occstats" else contender
            load = os.getloadavg()[0]
            row = pd.DataFrame([{"label": who, "case": name, **found, "load": round(load, 1)}])
            print(row.to_string(index=False, header=False), flush=True)
            rows = pd.concat([pd.read_csv(TABLE), row]) if TABLE.exists() else row
            rows.round({"seconds": 3, "megabytes": 0}).to_csv(TABLE, index=False)


def commands(pythons: dict[str, str], rounds: int = 3) -> None:
    """Measure CPU seconds of whole processes by turns: the best of some rounds."""
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    occstats = ["-m", "occstats"]
    compare = [*occstats, "compare", "lenz2021"]
    lines = {
        "import pandas, scipy.stats": ["-c", "import pandas, scipy.stats"],
        "the plain script": [str(Path(__file__).resolve()), "--measure", "usual", "scipy"],
        "occstats compare lenz2021": compare,
        "occstats compare lenz2021 --out DIR": [*compare, "--out", "report"],
        "occstats figures lenz2021 --out DIR": [
            *compare[:2],
            "figures",
            *compare[3:],
            "--out",
            "f",
        ],
    }
    best = {(label, name): np.inf for label in pythons for name in lines}
    for number, (label, name) in product(range(rounds + 1), best):
        # An empty folder, so that no other version is imported from the current one.
        with tempfile.TemporaryDirectory() as folder:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [pythons[label], *lines[name]],
                stdout=subprocess.DEVNULL, env=environment, cwd=folder, check=True,
            )  # fmt: skip
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if number:  # the first round compiles
            best[label, name] = min(best[label, name], spent)
    rows = [(*key, seconds, os.getloadavg()[0]) for key, seconds in best.items()]
    found = pd.DataFrame(rows, columns=["label", "command", "seconds", "load"])
    found.round({"seconds": 2, "load": 1}).to_csv(COMMANDS_TABLE, index=False)


def commands_text() -> str:
    """Return a table of the commands: seconds, and multiples of the imports alone."""
    if not COMMANDS_TABLE.exists():
        return ""
    rows = pd.read_csv(COMMANDS_TABLE)
    seconds = rows.pivot(index="command", columns="label", values="seconds")
    seconds = seconds.loc[rows["command"].unique(), rows["label"].unique()]
    ratios = seconds / seconds.iloc[0]
    lines = [
        "## The commands",
        "",
        "CPU seconds of whole processes with imports, and in brackets the multiple of the imports "
        "that the plain script needs; all by turns, the least of three. The seconds depend on the "
        f"load, which was {rows['load'].max():g}.",
        "",
        "| command | " + " | ".join(seconds.columns) + " |",
        "|---" * (1 + len(seconds.columns)) + "|",
    ]
    for name in seconds.index:
        cells = zip(seconds.loc[name], ratios.loc[name], strict=True)
        cells = [f"{spent:.2f} ({ratio:.2f})" for spent, ratio in cells]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines) + "\n\n"


def measure_reading(label: str, rounds: int = 3) -> None:
    """Measure CPU seconds of reading 100,000 rows, as ratios to pandas in the same process."""
    import occstats

    rng = np.random.default_rng(0)
    number = np.arange(100_000)
    keys = {"dataset": [f"data{i}" for i in number // 200], "task": [f"t{i}" for i in number % 200]}
    long = {"dataset": [f"data{i}" for i in number // 200], "task": number // 50 % 4}
    long |= {"algorithm": [f"A{i}" for i in number // 5 % 10], "fold": number % 5}
    frames = {
        "long": pd.DataFrame(long | {"auroc": rng.random(100_000).round(6)}),
        "wide": pd.DataFrame(keys | {f"A{i}": rng.random(100_000).round(6) for i in range(8)}),
    }
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, frame in frames.items():
            for suffix in ("csv", "parquet"):
                path = Path(folder) / f"{name}.{suffix}"
                getattr(frame, f"to_{suffix}")(path, index=False)
                best = [np.inf, np.inf]
                for _ in range(rounds):
                    for place, read in enumerate(
                        (
                            getattr(pd, f"read_{suffix}"),
                            lambda path: occstats.load_results(path, score_name="auroc"),
                        )
                    ):
                        start = time.process_time()
                        read(path)
                        best[place] = min(best[place], time.process_time() - start)
                rows.append((label, f"{name} {suffix}", best[1] / best[0]))
    found = pd.DataFrame(rows, columns=["label", "file", "ratio"])
    rows = pd.concat([pd.read_csv(READING_TABLE), found]) if READING_TABLE.exists() else found
    rows = rows.drop_duplicates(["label", "file"], keep="last")
    rows.round({"ratio": 1}).to_csv(READING_TABLE, index=False)


def reading_text() -> str:
    """Return a table of the ratios of reading."""
    if not READING_TABLE.exists():
        return ""
    rows = pd.read_csv(READING_TABLE)
    ratios = rows.pivot(index="file", columns="label", values="ratio")
    ratios = ratios[rows["label"].unique()]
    lines = [
        "## Reading",
        "",
        "CPU time of `load_results` on 100,000 rows as a multiple of pandas, which only parses the "
        "cells, in one process.",
        "",
        "| file | " + " | ".join(ratios.columns) + " |",
        "|---" * (1 + len(ratios.columns)) + "|",
        *(
            f"| {name} | " + " | ".join(f"{r:g}" for r in row) + " |"
            for name, row in zip(ratios.index, ratios.to_numpy(), strict=True)
        ),
    ]
    return "\n".join(lines) + "\n\n"


def write() -> None:
    """Write the table and the curves of everything that was recorded."""
    rows = pd.read_csv(TABLE)
    labels = list(rows["label"].unique())
    # The minimum of the repeats counts, since other load only adds.
    least = rows.groupby(["case", "label"])[["seconds", "megabytes"]].min().unstack("label")
    seconds, memory = least["seconds"], least["megabytes"]
    lines = [
        "# `compare` by size, up to its first screen",
        "",
        f"CPU seconds and peak megabytes on one thread ({platform.processor() or 'x86_64'}, Python "
        f"{platform.python_version()}), made by `compare_size.py`, without imports and the "
        "generation of the table; reading is included where the case says so. *scipy* is "
        "Wilcoxon's test of each pair and the ranks by pandas. Minimum of the repeats in "
        "compare_size.csv, on a shared machine with a load of "
        f"{rows['load'].min():g} to {rows['load'].max():g} on {os.cpu_count()} processors.",
        "",
        "| case | tasks | algorithms | datasets | aim, s | "
        + " | ".join(f"{label}, s" for label in labels)
        + " | "
        + " | ".join(f"{label}, MB" for label in labels)
        + " |",
        "|---" * (5 + 2 * len(labels)) + "|",
    ]
    for name, case in CASES.items():
        if name not in seconds.index:
            continue
        numbers = [f"{seconds.loc[name, label]:.2f}" for label in labels]
        numbers += [f"{memory.loc[name, label]:.0f}" for label in labels]
        aim = "" if case.aim is None else f"{case.aim:g}"
        sizes = [f"{n:,}" for n in case[:3]]
        reading = ", read from a file" if case.from_file else ""
        lines.append("| " + " | ".join([name + reading, *sizes, aim, *numbers]) + " |")
    text = "\n".join(lines).replace("nan", "–")
    growth = "![growth](compare_size.png)\n"
    (HERE / "compare_size.md").write_text(f"{text}\n\n{commands_text()}{reading_text()}{growth}")
    draw(labels, seconds, memory)


def draw(labels: list[str], seconds: pd.DataFrame, memory: pd.DataFrame) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, len(CURVES), figsize=(4 * len(CURVES), 6), layout="constrained")
    for column, (title, (size, names)) in enumerate(CURVES.items()):
        at = [getattr(CASES[name], size) for name in names]
        for row, (values, unit) in enumerate([(seconds, "CPU seconds"), (memory, "peak MB")]):
            for label in labels:
                axes[row, column].loglog(at, values[label].reindex(names), "o-", label=label)
            axes[row, column].set(xlabel=title, ylabel=unit)
    axes[0, 0].legend()
    figure.savefig(HERE / "compare_size.png", dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", help=f"any of {', '.join(CASES)}; all by default")
    parser.add_argument("--label", default="now")
    parser.add_argument("--with-scipy", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--commands", metavar="PYTHON", help="that of an environment with 0.2")
    parser.add_argument("--reading", action="store_true")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.measure:
        limit = (LIMIT_CPU_SECONDS, LIMIT_CPU_SECONDS)
        resource.setrlimit(resource.RLIMIT_CPU, limit)
        print(json.dumps(measure(CASES[chosen.measure[0]], chosen.measure[1])))
    elif chosen.profile:
        profile(CASES[chosen.cases[0]])
    elif chosen.commands:
        commands({"0.2": chosen.commands, chosen.label: sys.executable})
        write()
    elif chosen.reading:
        measure_reading(chosen.label)
        write()
    else:
        contenders = ["occstats", "scipy"] if chosen.with_scipy else ["occstats"]
        record(chosen.label, chosen.cases or list(CASES), contenders)
        write()


if __name__ == "__main__":
    main()
