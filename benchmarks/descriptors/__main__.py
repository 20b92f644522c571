"""The descriptors against their peers: every row of the goals, side by side in one run.

Run by hand on a quiet machine: ``python benchmarks/descriptors`` (peers:
``pip install '.[benchmarks]'``). The parts are the modules ``part_*.py`` beside this file, with a
function ``rows(quick)``; ``--only neighbours,alp`` runs some of them, ``--quick`` the small cases
only, ``--growth`` draws the growth with n too. A full run writes the table to ``README.md`` here.
"""

from __future__ import annotations

import argparse
import os
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# read when the numerical libraries are first imported
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from measuring import OURS, Row  # noqa: E402

FOLDER = Path(__file__).parent
PACKAGES = (
    "numpy", "scipy", "scikit-learn", "numba", "fuzzy-rough-learn", "pynanoflann", "faiss-cpu",
    "scikit-learn-intelex",    "torch", "isotree", "eif", "pyod",
)  # fmt: skip


def parts() -> list[str]:
    """Name the parts that are there."""
    return sorted(path.stem.removeprefix("part_") for path in FOLDER.glob("part_*.py"))


def machine() -> str:
    installed = []
    for package in PACKAGES:
        try:
            installed.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    processor = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{processor}, Python {platform.python_version()}, {', '.join(installed)}"


def time_cell(row: Row, name: str) -> str:
    mark = "≈ " if name in row.extrapolated else ""
    return f"{mark}{name} {row.seconds[name]:.3g}"


def table(rows: list[Row]) -> list[str]:
    lines = [
        "| goal | case | ours | peers | ratio | at least | aim | |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        others = sorted((n for n in row.seconds if n != OURS), key=row.seconds.__getitem__)
        reached = (
            "aim" if row.ratio >= row.aim else "yes" if row.ratio >= row.at_least else "**no**"
        )
        note = f" {row.note}" if row.note else ""
        lines.append(
            f"| {row.goal} | {row.case} | {row.seconds[OURS]:.3g} "
            f"| {', '.join(time_cell(row, name) for name in others)} "
            f"| {row.ratio:.2f}× {row.peer} | {row.at_least:g}× | {row.aim:g}× | {reached}{note} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="parts, separated by commas; by default all")
    parser.add_argument("--quick", action="store_true", help="small cases only; writes nothing")
    parser.add_argument("--growth", action="store_true", help="draw the growth with n too")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else parts()
    unknown = sorted(set(chosen) - set(parts()))
    if unknown:
        parser.error(f"unknown parts {', '.join(unknown)}; there are {', '.join(parts())}")
    rows: list[Row] = []
    for part in chosen:
        for row in import_module(f"part_{part}").rows(arguments.quick):
            rows.append(row)
            print(table([row])[-1], flush=True)
    lines = [
        "# The descriptors against their peers",
        "",
        "CPU seconds on one thread, best of several interleaved rounds, all in one run; ≈ was "
        "measured on a part of the work and extrapolated. Written by "
        "`python benchmarks/descriptors --growth`.",
        "",
        machine(),
        "",
        *table(rows),
        "",
        (FOLDER / "notes.md").read_text(encoding="utf-8"),
    ]
    if arguments.growth and not arguments.quick:
        lines += import_module("growth").write(FOLDER)
    if not arguments.quick and not arguments.only:
        (FOLDER / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
