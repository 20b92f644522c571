"""Measure how many small random changes of the code the tests notice.

Each change (a reversed comparison, a swapped operator, another constant …) is made in a copy of the
committed tree and tried against the nearest tests of its package: the doctests of its module, then
as many tests as fit into 20 seconds of those that run the changed line according to coverage.py,
those of the test file with the module's name first; or the whole of that file for a line that runs
on import, in a compiled kernel or in a worker process. A change that no test notices is equivalent,
or a test is missing.

    python benchmarks/mutations.py --seed 1 --packages occstats/stats --out benchmarks/mutations.csv
    python benchmarks/mutations.py --summary benchmarks/mutations.csv

The first command takes minutes for a package, on all cores, and needs coverage.py. It appends to
its output file and continues where it was interrupted. Set OCCSTATS_DATA to a folder of the paper's
datasets to include the tests that need them.
In the column `judged` of a survivor, note by hand "equivalent", "cosmetic" or "not noticed".
"""

import argparse
import ast
import contextlib
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from shutil import rmtree
from typing import Any

ROOT = Path(__file__).parents[1]
# Every number of whole comparisons.
RECORDED = "tests/comparison/test_recorded.py"
# Package → its tests, and its number of changes. `occstats` stands for the modules at its top.
PACKAGES = {
    "occstats/stats": (["tests/stats", RECORDED, "occstats/stats"], 40),
    "occstats/engines": (["tests/engines"], 6),
    "occstats/results": (["tests/results", RECORDED, "occstats/results"], 26),
    "occstats/comparison": (
        ["tests/comparison", "tests/report/test_terminal.py", "occstats/comparison"],
        26,
    ),
    "occstats/report": (["tests/report"], 14),
    "occstats/figures": (["tests/figures"], 12),
    "occstats/cli": (["tests/cli"], 8),
    "occstats/experiment": (["tests/experiment"], 10),
    "occstats/tuning": (["tests/tuning"], 8),
    "occstats/datasets": (["tests/datasets"], 6),
    "occstats": (
        [
            "tests/test_files.py",
            "tests/test_progress.py",
            "tests/cli",
            "tests/report/test_markup.py",
            "tests/report/test_terminal.py",
        ],
        6,
    ),
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
# The tests of a change take at most so long, as measured without it.
MOST_SECONDS = 20.0
# Only a test that never ends takes this long, or this much longer than without the change.
LEAST_SECONDS, FACTOR = 60.0, 5.0
# Imported once, and inherited by the processes that run tests.
IMPORTS = ("numpy", "pandas", "pytest", "scipy.stats", "sklearn.model_selection",
           "matplotlib.figure", "coverage")  # fmt: skip


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


def copy_of_the_tree(tree: Path) -> Path:
    """Unpack the committed tree."""
    tree.mkdir()
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x"], cwd=tree, input=archive.stdout, check=True)
    return tree.resolve()


def in_parallel(calls: list[Callable[[], object]]) -> None:
    """Make each call in a copy of this process; end if one of them fails."""
    processes = []
    for call in calls:
        processes.append(os.fork())
        if not processes[-1]:
            code = 1
            try:
                call()
                code = 0
            except SystemExit as error:
                print(error, file=sys.stderr, flush=True)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
    statuses = [os.waitpid(process, 0)[1] for process in processes]
    if any(statuses):
        raise SystemExit(1)


class Durations:
    """A plugin of pytest that adds up the seconds of each test function."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid.partition("[")[0]] += report.duration


def _pytest(tree: Path, package: str, arguments: list[str], measured: bool) -> int:
    import pytest
    from coverage import Coverage

    descriptors = tree if package == "descriptors" else ROOT
    # The kernels of the descriptors need not be compiled again, unless they change.
    paths = [str(tree), str(descriptors / "descriptors")]
    sys.path[:0] = paths
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    if package == "descriptors":
        os.environ["NUMBA_CACHE_DIR"] = str(tree / "numba")
    arguments = [*PYTEST, "-o", f"pythonpath={' '.join(paths)}", *arguments]
    if not measured:
        return int(pytest.main(arguments))
    rules = tree / "coveragerc"
    rules.write_text("[run]\ndynamic_context = test_function\n")
    coverage = Coverage(str(tree / ".coverage"), source=[str(tree / package)],
                        config_file=str(rules))  # fmt: skip
    durations = Durations()
    with coverage.collect():
        code = int(pytest.main(arguments, plugins=[durations]))
    coverage.save()
    (tree / "durations").write_text(json.dumps(durations.seconds))
    return code


def run(
    tree: Path, package: str, arguments: list[str], *, seconds: float, measured: bool = False
) -> tuple[int | None, str]:
    """Run pytest in a copy of this process; return its exit code, or None, and its output.

    If `measured`, record the tests that run each line of the package, and their seconds.
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
            code = _pytest(tree, package, arguments, measured)
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
            code = 70
        os._exit(code)
    found, status, end = 0, 0, time.monotonic() + seconds
    while not found and time.monotonic() < end:
        time.sleep(0.1)
        found, status = os.waitpid(process, os.WNOHANG)
    # Also what the tests have started.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    if not found:
        os.waitpid(process, 0)
    code_or_none = os.waitstatus_to_exitcode(status) if found else None
    return code_or_none, log.read_text("utf-8", "replace")


class Tests:
    """The tests of a package, the lines that each of them runs, and their seconds."""

    def __init__(self, trees: list[Path], package: str) -> None:
        from coverage import CoverageData

        self.package, self.paths = package, PACKAGES[package][0]
        files = [file for path in self.paths for file in self._files(trees[0], path)]
        files.sort(key=lambda file: -(trees[0] / file).stat().st_size)
        parts = [files[start :: len(trees)] for start in range(len(trees))]
        used = [(tree, part) for tree, part in zip(trees, parts, strict=True) if part]
        in_parallel([partial(self._run_unchanged, *each) for each in used])
        self.lines: dict[tuple[str, int], set[str]] = {}
        self.seconds: dict[str, float] = {}
        for tree, _ in used:
            self.seconds |= json.loads((tree / "durations").read_text())
            data = CoverageData(str(tree / ".coverage"))
            data.read()
            for file in data.measured_files():
                name = Path(file).relative_to(tree).as_posix()
                for line, contexts in data.contexts_by_lineno(file).items():
                    tests = filter(None, (self._identity(tree, each) for each in contexts))
                    self.lines.setdefault((name, line), set()).update(tests)

    @staticmethod
    def _files(tree: Path, path: str) -> list[str]:
        """Return the test files of a folder; a package has its doctests."""
        place = tree / path
        pattern = "**/test_*.py" if path.startswith("tests") else "**/*.py"
        found = [place] if place.is_file() else sorted(place.glob(pattern))
        return [file.relative_to(tree).as_posix() for file in found]

    def _run_unchanged(self, tree: Path, files: list[str]) -> None:
        code, output = run(tree, self.package, files, seconds=7200.0, measured=True)
        print(f"{self.package}: {output.splitlines()[-1]}", file=sys.stderr, flush=True)
        if code not in (0, 5):
            raise SystemExit(f"{self.package}: tests fail before any change.\n{output[-3000:]}")

    @staticmethod
    def _identity(tree: Path, context: str) -> str:
        """Return pytest's name of a test that coverage.py calls, say, tests.stats.test_x.test_y."""
        parts = context.split(".")
        for end in range(len(parts) - 1, 0, -1):
            file = tree.joinpath(*parts[:end]).with_suffix(".py")
            if file.exists() and parts[0] == "tests":
                return "::".join([str(file.relative_to(tree)), *parts[end:]])
        return ""

    def of(self, tree: Path, file: str, line: int) -> list[str]:
        """Return the doctests of a module and the tests of a line, or of the module's test file."""
        name = f"test_{Path(file).stem.lstrip('_')}.py"
        by_file: dict[str, list[str]] = {}
        for test in sorted(self.lines.get((file, line), ()), key=self._cost):
            by_file.setdefault(test.partition("::")[0], []).append(test)
        nearest = [test for path, found in by_file.items() if path.endswith(name) for test in found]
        # One of each file, then the second of each, and so on.
        turns = [test for turn in zip_longest(*by_file.values()) for test in turn if test]
        chosen: list[str] = []
        left = MOST_SECONDS
        for test in dict.fromkeys(nearest + turns):
            if not chosen or self._cost(test) <= left:
                chosen.append(test)
                left -= self._cost(test)
        near = [each for path in self.paths for each in self._files(tree, path)
                if each.endswith(name)]  # fmt: skip
        return [file, *(chosen or near or self.paths)]

    def _cost(self, test: str) -> float:
        return self.seconds.get(test, 0.0)

    def noticed(self, tree: Path, file: str, line: int) -> str:
        """Return the first test that fails, "hang" if one does not end, or nothing."""
        chosen = self.of(tree, file, line)
        usual = sum(s for test, s in self.seconds.items() if test.startswith(tuple(chosen)))
        limit = LEAST_SECONDS + FACTOR * usual
        code, output = run(tree, self.package, ["-x", *chosen], seconds=limit)
        if code is None:
            return "hang"
        if code in (0, 5):  # passed, or no test there
            return ""
        if "ERROR: not found" in output:
            raise SystemExit(output)
        failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return failed[0].split(" - ")[0].partition(" ")[2] if failed else "does not start"

    def try_changes(self, tree: Path, sites: list[tuple[str, ast.AST, str]], out: Path) -> None:
        """Make one change after the other, and append what the tests say."""
        for file, node, text in sites:
            path = tree / file
            source, line = path.read_text("utf-8"), vars(node)["lineno"]
            path.write_text(changed(source, node, text), encoding="utf-8")
            if self.package == "descriptors":
                # numba does not recompile kernels of other files that call the changed one.
                rmtree(tree / "numba", ignore_errors=True)
            by = self.noticed(tree, file, line)
            path.write_text(source, encoding="utf-8")
            row = [self.package, file, line, segment(source, node), text, by]
            with out.open("a", encoding="utf-8", newline="") as table:
                csv.writer(table, lineterminator="\n").writerow([*row, "noticed" if by else ""])


def segment(source: str, node: ast.AST) -> str:
    """Return the text of a node on one line."""
    return " ".join((ast.get_source_segment(source, node) or "").split())


def sites_of(tree: Path, package: str) -> list[tuple[str, ast.AST, str]]:
    """Return all places of a package that can be changed."""
    files = (tree / package).glob("*.py" if package == "occstats" else "**/*.py")
    return [
        (path.relative_to(tree).as_posix(), *site)
        for path in sorted(files)
        for site in changes(path.read_text("utf-8"))
    ]


def measure(seed: int, factor: float, packages: list[str], jobs: int, out: Path) -> None:
    """Make and try the changes that the output file does not have yet."""
    finished = set()
    if out.exists():
        with out.open(encoding="utf-8", newline="") as file:
            finished = {(row["file"], row["line"], row["was"]) for row in csv.DictReader(file)}
    else:
        out.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        trees = [copy_of_the_tree(Path(folder, str(number))) for number in range(jobs)]
        for name in IMPORTS:
            import_module(name)
        for package in packages:
            number = max(1, round(factor * PACKAGES[package][1]))
            sites = random.Random(f"{seed} {package}").sample(sites_of(trees[0], package), number)
            todo = [
                (file, node, text)
                for file, node, text in sites
                if (file, str(vars(node)["lineno"]), segment((trees[0] / file).read_text(), node))
                not in finished
            ]
            if todo:
                tests = Tests(trees, package)
                shares = [partial(tests.try_changes, tree, todo[start::jobs], out.resolve())
                          for start, tree in enumerate(trees)]  # fmt: skip
                in_parallel([*shares])


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
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=Path("mutations.csv"))
    parser.add_argument("--summary", type=Path, metavar="CSV", help="print a table of this file")
    arguments = parser.parse_args()
    if arguments.summary:
        print(summary(arguments.summary))
    else:
        names = arguments.packages.split(",")
        measure(arguments.seed, arguments.factor, names, arguments.jobs, arguments.out)


if __name__ == "__main__":
    main()
