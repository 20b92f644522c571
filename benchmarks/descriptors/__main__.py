"""Measure the descriptors and other implementations in the same run.

Run by hand on a quiet machine: ``python benchmarks/descriptors`` (other implementations:
``pip install --group benchmarks``). The parts are the modules ``part_*.py`` in this folder, with a
function ``rows(quick)``. ``--only neighbours,alp`` runs some parts, ``--quick`` only small cases,
and ``--growth`` also draws the growth with n. Each measured row replaces the row of the same case
and kind of processor in ``record.json``, from which ``README.md`` is written; ``--only none`` just
writes it.
"""

from __future__ import annotations

import argparse
import os
from importlib import import_module

# Numerical libraries read these when they are first imported.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from record import FOLDER, Measured, merge, table, write_page  # noqa: E402


def parts() -> list[str]:
    """Return the names of the parts."""
    return sorted(path.stem.removeprefix("part_") for path in FOLDER.glob("part_*.py"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="parts, separated by commas, or none; by default all")
    parser.add_argument("--quick", action="store_true", help="small cases only")
    parser.add_argument("--growth", action="store_true", help="also draw the growth with n")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else parts()
    if chosen == ["none"]:
        chosen = []
    unknown = sorted(set(chosen) - set(parts()))
    if unknown:
        parser.error(f"unknown parts {', '.join(unknown)}; there are {', '.join(parts())}")
    for part in chosen:
        for row in import_module(f"part_{part}").rows(arguments.quick):
            measured = Measured.now(part, row)
            print(table([measured])[-1], flush=True)
            merge([measured])  # after each row, so that an interrupted run loses none
    if arguments.growth:
        import_module("growth").write(FOLDER)
    write_page()


if __name__ == "__main__":
    main()
