"""Record of the measurements by kind of processor, and the page that shows it."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from measuring import OURS, Row

FOLDER = Path(__file__).parent
RECORD, PAGE, NOTES = FOLDER / "record.json", FOLDER / "README.md", FOLDER / "notes.md"
PACKAGES = (
    "occstats", "numpy", "scipy", "scikit-learn", "numba", "fuzzy-rough-learn", "pynanoflann",
    "faiss-cpu", "scikit-learn-intelex", "torch", "isotree", "eif", "pyod",
)  # fmt: skip
FIGURES = {
    "growth_neighbours": "Neighbours of 1,024 queries, k = 6 log n",
    "growth_descriptors": "The nine descriptors, 10 attributes",
}


@dataclass(frozen=True)
class Measured:
    """A row with the part that measured it, the day, the load and the packages."""

    part: str
    day: str
    load: float | None
    packages: str
    row: Row

    @classmethod
    def now(cls, part: str, row: Row) -> Measured:
        load = round(os.getloadavg()[0]) if hasattr(os, "getloadavg") else None
        return cls(part, f"{datetime.now(UTC):%Y-%m-%d}", load, packages(), row)

    @property
    def key(self) -> tuple[str, str, str | None]:
        return self.row.goal, self.row.case, self.row.against


def packages() -> str:
    """Return the names and versions of the installed packages."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)


def processor() -> str:
    """Return the kind of this processor: its name, and the vector instructions of NumPy."""
    from numpy._core._multiarray_umath import __cpu_features__ as features

    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    known = (("AVX512F", "AVX-512"), ("AVX2", "AVX2"), ("ASIMD", "ASIMD"))
    widest = next((said for feature, said in known if features.get(feature)), "no wide vectors")
    return f"{name} with {widest}"


def read() -> dict[str, list[Measured]]:
    """Return a mapping from the kind of processor to its measurements."""
    if not RECORD.exists():
        return {}
    kinds = json.loads(RECORD.read_text(encoding="utf-8"))
    return {kind: [_measured(entry) for entry in entries] for kind, entries in kinds.items()}


def _measured(entry: dict[str, Any]) -> Measured:
    row = entry["row"]
    return Measured(
        **entry | {"row": Row(**row | {"extrapolated": frozenset(row["extrapolated"])})}
    )


def merge(measured: Iterable[Measured]) -> None:
    """Replace the rows of the same cases on this kind of processor."""
    record = read()
    mine = {entry.key: entry for entry in record.get(processor(), [])}
    mine.update({entry.key: entry for entry in measured})
    record[processor()] = sorted(mine.values(), key=lambda entry: (entry.part, entry.row.goal))
    written = {kind: [asdict(entry) for entry in entries] for kind, entries in record.items()}
    text = json.dumps(written, indent=1, ensure_ascii=False, default=sorted)  # sets as lists
    RECORD.write_text(text + "\n", encoding="utf-8")


def write_page() -> None:
    """Write the page from the record and the notes."""
    lines = [
        "# The descriptors against their peers",
        "",
        "CPU seconds on one thread, best of several interleaved rounds, all contenders of a row in "
        "one run; ≈ was measured on a part of the work and extrapolated. Written by "
        "`python benchmarks/descriptors`, which replaces earlier measurements on the same kind of "
        "processor. Load is the number of runnable processes, on two cores.",
    ]
    for kind, entries in read().items():
        lines += ["", f"## {kind}", "", *table(entries), ""]
        with_packages: dict[str, list[str]] = {}
        for entry in entries:
            with_packages.setdefault(entry.packages, []).append(entry.part)
        lines += [
            f"- {', '.join(dict.fromkeys(parts))}: {used}" for used, parts in with_packages.items()
        ]
    lines += ["", NOTES.read_text(encoding="utf-8").rstrip()]
    for name, title in FIGURES.items():
        lines += ["", f"![{title}]({name}.png)", "", f"Numbers: [{name}.csv]({name}.csv)."]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def table(entries: Iterable[Measured]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [
        "| goal | case | ours | peers | ratio | at least | aim | | measured |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for entry in entries:
        row = entry.row
        others = sorted((n for n in row.seconds if n != OURS), key=row.seconds.__getitem__)
        reached = (
            "aim" if row.ratio >= row.aim else "yes" if row.ratio >= row.at_least else "**no**"
        )
        note = f" {row.note}" if row.note else ""
        load = "" if entry.load is None else f", load {entry.load:g}"
        lines.append(
            f"| {row.goal} | {row.case} | {row.seconds[OURS]:.3g} "
            f"| {', '.join(_time(row, name) for name in others)} "
            f"| {row.ratio:.2f}× {row.peer} | {row.at_least:g}× | {row.aim:g}× | {reached}{note} "
            f"| {entry.day}{load} |"
        )
    return lines


def _time(row: Row, name: str) -> str:
    mark = "≈ " if name in row.extrapolated else ""
    return f"{mark}{name} {row.seconds[name]:.3g}"
