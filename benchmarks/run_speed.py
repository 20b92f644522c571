"""Measure CPU time, wall time and peak memory of `run` and `tune`.

The folder OCCSTATS_DATA has the paper's datasets. A run appends its rows to run_speed.csv under a
label, and writes run_speed.md from all of them:

    python benchmarks/run_speed.py --label now
    python benchmarks/run_speed.py --label 4ec1258 --tree ../another-worktree

CPU seconds are those of all processes. The minimum of the repeats counts, since other load on the
machine only adds to them.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).parent
TABLE = HERE / "run_speed.csv"
TEN = "iris,wine,seeds,haberman,glass,ecoli,new-thyroid,breasttissue,appendicitis,sonar"
ROWS = (500, 1_000, 2_000, 4_000)


def measured(tree: Path, folder: Path, *arguments: str) -> dict[str, float]:
    """Return CPU seconds, wall seconds and peak memory (MB) of a command and its children."""
    environment = os.environ | {
        "PYTHONPATH": f"{tree}{os.pathsep}{tree / 'descriptors'}",
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
    }
    with tempfile.TemporaryDirectory(dir=folder) as out:
        command = [sys.executable, "-m", "occstats", *arguments, "--out", f"{out}/r"]
        started = time.perf_counter()
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, cwd=tree)
        _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    wall = time.perf_counter() - started
    return {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "peak_mb": used.ru_maxrss / 1024}


def write_data(folder: Path) -> None:
    """Write datasets of two classes and five attributes, by number of rows."""
    folder.mkdir()
    for n in ROWS:
        classes = np.repeat(["a", "b"], n // 2)
        values = np.random.default_rng(n).normal(size=(n, 5)) + (classes == "b")[:, None]
        frame = pd.DataFrame(values, columns=list("vwxyz")).assign(**{"class": classes})
        frame.to_parquet(folder / f"rows{n}.parquet")


def cases(data: str, made: Path) -> dict[str, list[str]]:
    """Return the commands in the order of measurement; the first one compiles the kernels."""
    iris = ["run", "--data", data, "--datasets", "iris", "-j", "2"]
    ten = ["run", "--data", data, "--datasets", TEN]
    found = {"run iris -j 2, nothing compiled": iris, "run iris -j 2": iris}
    found["run iris -j 1, NND alone"] = [*iris[:-1], "1", "--descriptors", "NND"]
    found |= {f"run ten datasets -j {jobs}": [*ten, "-j", jobs] for jobs in ("1", "2")}
    for name in ("LOF", "ALP"):
        tune = ["tune", "--descriptors", name, "-j", "1", "--format", "none"]
        found[f"tune {name}, iris and wine"] = [*tune, "--data", data, "--datasets", "iris,wine"]
        for n in ROWS:
            datasets = ["--data", str(made), "--datasets", f"rows{n}"]
            found[f"tune {name}, {n:,} rows"] = [*tune, *datasets]
    return found


def report(table: pd.DataFrame) -> str:
    """Return the minimum of the repeats for each label, as Markdown."""
    least = table.groupby(["case", "label"], sort=False)[["cpu", "wall", "peak_mb"]].min()
    lines = [
        "# Cost of `run` and `tune`",
        "",
        "Nine descriptors on two cores: CPU seconds of all processes, wall seconds, and memory of "
        "the largest process; minimum of the repeats, all of which are in run_speed.csv. Other "
        "work shared the cores, so that wall seconds are not comparable; CPU seconds of the same "
        "command vary by about a fifth. Of the CPU seconds with NND alone, 1.3 are the imports of "
        "scikit-learn and pandas. Made by `python benchmarks/run_speed.py`.",
        "",
        "| case | version | CPU s | wall s | peak MB | repeats |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    repeats = table.groupby(["case", "label"]).size()
    for (case, label), row in least.iterrows():
        lines.append(
            f"| {case} | {label} | {row['cpu']:.1f} | {row['wall']:.1f} | {row['peak_mb']:.0f} | "
            f"{repeats[case, label]} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, append to the record and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--label", required=True)
    parser.add_argument("--tree", type=Path, default=HERE.parent)
    parser.add_argument("--only", default="", help="prefix of the cases to measure")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_data(folder / "made")
        for case, arguments in cases(os.environ["OCCSTATS_DATA"], folder / "made").items():
            if case.startswith(options.only):
                found = measured(options.tree.resolve(), folder, *arguments)
                rows.append({"label": options.label, "case": case, **found})
                print(rows[-1], flush=True)
    before = [pd.read_csv(TABLE)] if TABLE.exists() else []
    table = pd.concat([*before, pd.DataFrame(rows)], ignore_index=True).round(2)
    table.to_csv(TABLE, index=False)
    (HERE / "run_speed.md").write_text(report(table), encoding="utf-8")


if __name__ == "__main__":
    main()
