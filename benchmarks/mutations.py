"""Measure how many small random changes of the code the tests notice.

Each change (a reversed comparison, a swapped operator, another constant …) is made in a copy of the
committed tree and tried against the nearest tests of its package: the doctests of its module, then
at most 40 tests that run the changed line according to coverage.py, those of the test file with the
module's name first; or the whole of that file for a line that runs on import, in a compiled kernel
or in a worker process. A change that no test notices is equivalent, or a test is missing.

    python benchmarks/mutations.py --seed 1 --packages occstats/stats --out benchmarks/mutations.csv
    python benchmarks/mutations.py --summary benchmarks/mutations.csv

The first command takes minutes for a package, and needs coverage.py. It appends to its output file
and continues where it was interrupted. Set OCCSTATS_DATA to a folder of the paper's datasets to
include the tests that need them.
In the column `judged` of a survivor, note by hand "equivalent", "cosmetic" or "not noticed".
"""

import argparse
import ast
import csv
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from shutil import rmtree

ROOT = Path(__file__).parents[1]
# Package → its tests, and its number of changes. `occstats` stands for the modules at its top.
PACKAGES = {
    "occstats/stats": (["tests/stats", "occstats/stats"], 40),
    "occstats/backends": (["tests/backends"], 6),
    "occstats/results": (["tests/results", "occstats/results"], 26),
    "occstats/comparison": (["tests/comparison", "occstats/comparison"], 26),
    "occstats/report": (["tests/report"], 14),
    "occstats/figures": (["tests/figures"], 12),
    "occstats/cli": (["tests/cli"], 8),
    "occstats/experiment": (["tests/experiment"], 10),
    "occstats/tuning": (["tests/tuning"], 8),
    "occstats/datasets": (["tests/datasets"], 6),
    "occstats": (["tests/test_files.py", "tests/test_progress.py", "tests/cli"], 6),
    "descriptors": (["tests/descriptors", "descriptors"], 16),
}
COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.FloorDiv: ast.Mult, ast.And: ast.Or,
    ast.Or: ast.And,
}  # fmt: skip
COLUMNS = ["package", "file", "line", "was", "is", "noticed by", "judged"]
# Tests in a browser or with a scheduler take minutes and see little that others do not.
PYTEST = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", "not slow",
          "--ignore-glob=*browser*", "--ignore-glob=*test_cluster*"]  # fmt: skip
MOST_TESTS = 40
# Only a test that never ends takes this long, or this much longer than all tests of its package.
LEAST_SECONDS, FACTOR = 300, 3
# Imported once, and inherited by the processes that run tests.
IMPORTS = ("numpy", "pandas", "pytest", "scipy.stats", "matplotlib.figure")


def annotations(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of type annotations, which compute nothing."""
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                yield from ast.walk(getattr(node, field))


def changes(source: str) -> list[tuple[ast.AST, str]]:
    """Return every place that can be changed, with its new text."""
    tree = ast.parse(source)
    ignored = {id(node) for node in annotations(tree)}
    found = []
    for node in ast.walk(tree):
        if id(node) in ignored or not hasattr(node, "lineno"):
            continue
        match node:
            case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
                new: ast.AST = ast.Compare(node.left, [COMPARISONS[type(op)]()], node.comparators)
            case ast.BinOp(op=op) if type(op) in OPERATORS:
                new = ast.BinOp(node.left, OPERATORS[type(op)](), node.right)
            case ast.BoolOp(op=op):
                new = ast.BoolOp(OPERATORS[type(op)](), node.values)
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                new = node.operand
            case ast.Constant(value=bool(value)):
                new = ast.Constant(not value)
            case ast.Constant(value=int(value)):
                new = ast.Constant(value + 1)
            case ast.Constant(value=float(value)):
                new = ast.Constant(value * 1.5 + 0.1)
            case _:
                continue
        found.append((node, f"({ast.unparse(new)})"))
    return found


def changed(source: str, node: ast.AST, text: str) -> str:
    """Return the source with one node replaced."""
    whole = source.encode()
    starts = [0]
    for line in whole.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    place = vars(node)
    first = starts[place["lineno"] - 1] + place["col_offset"]
    last = starts[place["end_lineno"] - 1] + place["end_col_offset"]
    return (whole[:first] + text.encode() + whole[last:]).decode()


def copy_of_the_tree(folder: str) -> Path:
    """Unpack the committed tree."""
    tree = Path(folder).resolve()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x"], cwd=tree, input=archive.stdout, check=True)
    return tree


def _pytest(tree: Path, arguments: list[str], measured: str) -> int:
    import pytest
    from coverage import Coverage

    if not measured:
        return int(pytest.main([*PYTEST, *arguments]))
    rules = tree / "coveragerc"
    rules.write_text("[run]\ndynamic_context = test_function\n")
    coverage = Coverage(str(tree / ".coverage"), source=[measured], config_file=str(rules))
    with coverage.collect():
        code = int(pytest.main([*PYTEST, *arguments]))
    coverage.save()
    return code


def run(
    tree: Path, arguments: list[str], seconds: float = 7200.0, measured: str = ""
) -> tuple[int | None, str]:
    """Run pytest in a copy of this process; return its exit code, or None, and its output.

    `measured` is a folder for which to record the tests that run each line.
    """
    log = tree / "log"
    process = os.fork()
    if not process:
        try:
            os.setsid()
            os.chdir(tree)
            descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            sys.path[:0] = [str(tree), str(tree / "descriptors")]
            code = _pytest(tree, arguments, measured)
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
            code = 70
        os._exit(code)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status), log.read_text("utf-8", "replace")
        time.sleep(0.1)
    os.killpg(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None, log.read_text("utf-8", "replace")


class Tests:
    """The tests of a package, and the lines that each of them runs."""

    def __init__(self, tree: Path, package: str) -> None:
        from coverage import CoverageData

        self.tree, self.paths = tree, PACKAGES[package][0]
        start = time.monotonic()
        code, output = run(tree, self.paths, measured=str(tree / package))
        self.timeout = max(LEAST_SECONDS, FACTOR * (time.monotonic() - start))
        print(f"{package}: {output.splitlines()[-1]}", file=sys.stderr, flush=True)
        if code != 0:
            raise SystemExit(f"{package}: the tests fail before any change.\n{output[-3000:]}")
        data = CoverageData(str(tree / ".coverage"))
        data.read()
        self.lines = {
            Path(file): data.contexts_by_lineno(file) for file in sorted(data.measured_files())
        }

    def identity(self, context: str) -> str:
        """Return pytest's name of a test that coverage.py calls, say, tests.stats.test_x.test_y."""
        parts = context.split(".")
        for end in range(len(parts) - 1, 0, -1):
            file = self.tree.joinpath(*parts[:end]).with_suffix(".py")
            if file.exists() and parts[0] == "tests":
                return "::".join([str(file.relative_to(self.tree)), *parts[end:]])
        return ""

    def of(self, path: Path, line: int) -> list[str]:
        """Return the doctests of a module and the tests of a line, or of the module's test file."""
        own, name = [str(path.relative_to(self.tree))], f"test_{path.stem.lstrip('_')}.py"
        contexts = self.lines.get(path, {}).get(line, [])
        by_file: dict[str, list[str]] = {}
        for test in sorted(filter(None, map(self.identity, contexts))):
            by_file.setdefault(test.partition("::")[0], []).append(test)
        nearest = [test for file, found in by_file.items() if file.endswith(name) for test in found]
        # One of each file, then the second of each, and so on.
        turns = [test for turn in zip_longest(*by_file.values()) for test in turn if test]
        chosen = [*dict.fromkeys(nearest[: MOST_TESTS // 2] + turns)][:MOST_TESTS]
        if chosen:
            return own + chosen
        near = [
            str(file.relative_to(self.tree))
            for folder in self.paths
            for file in sorted((self.tree / folder).rglob(name))
        ]
        return own + (near or self.paths)

    def noticed(self, path: Path, line: int) -> str:
        """Return the first test that fails, "hang" if one does not end, or nothing."""
        code, output = run(self.tree, ["-x", *self.of(path, line)], self.timeout)
        if code is None:
            return "hang"
        if code in (0, 5):  # passed, or no test there
            return ""
        if "ERROR: not found" in output:
            raise SystemExit(output)
        failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0].split(" - ")[0].partition(" ")[2] if failed else "does not start"


def sites_of(tree: Path, package: str) -> list[tuple[Path, ast.AST, str]]:
    """Return all places of a package that can be changed."""
    files = (tree / package).glob("*.py" if package == "occstats" else "**/*.py")
    return [(path, *site) for path in sorted(files) for site in changes(path.read_text("utf-8"))]


def measure(seed: int, factor: float, packages: list[str], out: Path) -> None:
    """Make and try the changes that the output file does not have yet."""
    finished = set()
    if out.exists():
        with out.open(encoding="utf-8", newline="") as file:
            finished = {(row["file"], row["line"], row["was"]) for row in csv.DictReader(file)}
    with (
        out.open("a", encoding="utf-8", newline="") as file,
        tempfile.TemporaryDirectory() as folder,
    ):
        writer = csv.writer(file, lineterminator="\n")
        if not finished:
            writer.writerow(COLUMNS)
            file.flush()
        tree = copy_of_the_tree(folder)
        # Kernels are compiled, and processes import, in the copy.
        os.environ["NUMBA_CACHE_DIR"] = str(tree / "numba")
        os.environ["PYTHONPATH"] = f"{tree}{os.pathsep}{tree / 'descriptors'}"
        for name in IMPORTS:
            import_module(name)
        for package in packages:
            number = max(1, round(factor * PACKAGES[package][1]))
            sites = random.Random(f"{seed} {package}").sample(sites_of(tree, package), number)
            tests = Tests(tree, package)
            for path, node, text in sites:
                source, line = path.read_text("utf-8"), vars(node)["lineno"]
                was = " ".join((ast.get_source_segment(source, node) or "").split())
                name = path.relative_to(tree).as_posix()
                if (name, str(line), was) in finished:
                    continue
                path.write_text(changed(source, node, text), encoding="utf-8")
                if package == "descriptors":
                    # numba does not recompile kernels of other files that call the changed one.
                    rmtree(tree / "numba", ignore_errors=True)
                by = tests.noticed(path, line)
                path.write_text(source, encoding="utf-8")
                writer.writerow([package, name, line, was, text, by, "noticed" if by else ""])
                file.flush()


def summary(path: Path) -> str:
    """Return a Markdown table: for each package, the changes that were noticed and the others."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["package"], row["judged"] or "not judged") for row in csv.DictReader(file)]
    kinds = sorted({judged for _, judged in rows}, key=lambda kind: (kind != "noticed", kind))
    lines = [f"| package | {' | '.join(kinds)} |", f"| --- |{' ---: |' * len(kinds)}"]
    for package in [*dict.fromkeys(package for package, _ in rows), "all"]:
        counts = Counter(judged for each, judged in rows if package in (each, "all"))
        lines.append(f"| `{package}` | {' | '.join(str(counts[kind]) for kind in kinds)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--factor", type=float, default=1, help="multiplies all numbers of changes")
    parser.add_argument("--packages", default=",".join(PACKAGES), metavar="NAME,…")
    parser.add_argument("--out", type=Path, default=Path("mutations.csv"))
    parser.add_argument("--summary", type=Path, metavar="CSV", help="print a table of this file")
    arguments = parser.parse_args()
    if arguments.summary:
        print(summary(arguments.summary))
    else:
        names = arguments.packages.split(",")
        measure(arguments.seed, arguments.factor, names, arguments.out)


if __name__ == "__main__":
    main()
