"""The descriptors against their peers: every row of the goals, side by side in one run.

Run by hand on a quiet machine: ``python benchmarks/descriptors`` (peers:
``pip install '.[benchmarks]'``). The parts are the modules ``part_*.py`` beside this file, with a
function ``rows(quick)``; ``--only neighbours,alp`` runs some of them, ``--quick`` the small cases
only, ``--growth`` draws the growth with n too. Each row that is measured takes the place of the one
of the same case and kind of processor in ``record.json``, from which ``README.md`` is written;
``--only none`` writes it from the record as it is.
"""

from __future__ import annotations

import argparse
import os
from importlib import import_module

# read when the numerical libraries are first imported
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from record import FOLDER, Measured, merge, table, write_page  # noqa: E402


def parts() -> list[str]:
    """Name the parts that are there."""
    return sorted(path.stem.removeprefix("part_") for path in FOLDER.glob("part_*.py"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="parts, separated by commas, or none; by default all")
    parser.add_argument("--quick", action="store_true", help="small cases only")
    parser.add_argument("--growth", action="store_true", help="draw the growth with n too")
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
            merge([measured])  # at once: what was measured stays when the run is stopped
    if arguments.growth:
        import_module("growth").write(FOLDER)
    write_page()


if __name__ == "__main__":
    main()
