"""Measure how many small random changes of the code the tests notice.

Each change (a reversed comparison, a swapped operator, another constant …) is made in a copy of the
committed tree and tried against the nearest tests of its package, until one fails or 20 seconds of
processor time are over: the doctests of its module, the test file with the module's name, files
that name the changed function, the recorded outputs, then the other files, small ones first. A
change that no test notices is equivalent, or a test is missing.

    python benchmarks/mutations.py --seed 1 --packages occstats/stats --out benchmarks/mutations.csv
    python benchmarks/mutations.py --summary benchmarks/mutations.csv

The first command takes minutes for a package, on all cores. It appends to its output file and
continues where it was interrupted. Set OCCSTATS_DATA to a folder of the paper's datasets to include
the tests that need them.
In the column `judged` of a survivor, note by hand "equivalent", "cosmetic" or "not noticed".
"""

import argparse
import ast
import contextlib
import csv
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from shutil import rmtree

ROOT = Path(__file__).parents[1]
# Every number of whole comparisons.
RECORDED = "tests/comparison/test_recorded*.py"
# Messages about arguments with the defaults of all functions, and what commands print.
REFUSALS = "tests/test_recorded_refusals.py"
SCREENS = "tests/cli/test_recorded_screens.py"
# Package → its tests, and its number of changes. `occstats` stands for the modules at its top.
PACKAGES = {
    "occstats/stats": (["tests/stats", RECORDED, REFUSALS], 12),
    "occstats/engines": (["tests/engines"], 2),
    "occstats/results": (["tests/results", RECORDED, REFUSALS], 12),
    "occstats/comparison": (
        ["tests/comparison", "tests/report/test_terminal.py", SCREENS, REFUSALS],
        10,
    ),
    "occstats/report": (["tests/report"], 7),
    "occstats/figures": (["tests/figures", REFUSALS], 10),
    "occstats/cli": (["tests/cli"], 5),
    "occstats/experiment": (["tests/experiment", REFUSALS], 5),
    "occstats/tuning": (["tests/tuning", REFUSALS], 4),
    "occstats/datasets": (["tests/datasets", REFUSALS], 2),
    "occstats": (
        [
            "tests/test_files.py",
            "tests/test_progress.py",
            "tests/cli",
            "tests/report/test_markup.py",
            "tests/report/test_terminal.py",
        ],
        3,
    ),
    "descriptors": (["tests/descriptors", REFUSALS], 8),
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
COLUMNS = ["package", "file", "line", "was", "is", "noticed by", "judged", "seed"]
# Tests in a browser or with a scheduler take minutes and see little that others do not.
PYTEST = ["-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", "not slow",
          "--ignore-glob=*browser*", "--ignore-glob=*test_cluster*",
          "-W", "ignore::pytest.PytestAssertRewriteWarning"]  # fmt: skip
# The tests of a change take at most so many seconds of processor time, and of waiting.
MOST_SECONDS, MOST_WAITING = 20, 300
# So many files are tried before the others are collected.
NEAREST = 4
# The exit code of a process in which pytest itself failed.
NOT_RUN = 70
# A name in more test files than that says little about where a change is noticed.
MOST_NAMING = 4
# Imported once, and inherited by the processes that run tests.
IMPORTS = ("numpy", "pandas", "pytest", "scipy.stats", "sklearn.ensemble", "sklearn.svm",
           "matplotlib.pyplot", "hypothesis.extra.numpy", "seaborn", "statsmodels.api", "jinja2",
           "openpyxl", "click.testing", "rich.table", "pyarrow.parquet")  # fmt: skip


def annotations(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of type annotations and dataclass decorators, which compute nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield from (part for each in node.decorator_list for part in ast.walk(each))
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


def run(tree: Path, package: str, arguments: list[str]) -> tuple[int, str]:
    """Run pytest in a copy of this process; return its exit code and its output."""
    log = tree / "log"
    process = os.fork()
    if not process:
        code = NOT_RUN
        try:
            os.setsid()
            os.chdir(tree)
            # Kernels are compiled for each change.
            seconds = MOST_SECONDS * (4 if package == "descriptors" else 1)
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            signal.alarm(MOST_WAITING)
            descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(descriptor, 1)
            os.dup2(descriptor, 2)
            code = _pytest(tree, package, arguments)
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
        os._exit(code)
    status = os.waitpid(process, 0)[1]
    # Also what the tests have started.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    return os.waitstatus_to_exitcode(status), log.read_text("utf-8", "replace")


def _pytest(tree: Path, package: str, arguments: list[str]) -> int:
    import pytest

    descriptors = tree if package == "descriptors" else ROOT
    # The kernels of the descriptors need not be compiled again, unless they change.
    paths = [str(tree), str(descriptors / "descriptors")]
    sys.path[:0] = paths
    os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    if package == "descriptors":
        os.environ.setdefault("NUMBA_CACHE_DIR", str(tree / "numba"))
    # Collected as a file first, `occstats/cli/main.py` would hide the command of its name.
    with contextlib.suppress(Exception):
        import_module("occstats.cli")
    options = [*PYTEST, "-o", f"pythonpath={' '.join(paths)}", "-x"]
    # Most changes are noticed before the other files are imported.
    code = 0
    for some in (arguments[:NEAREST], arguments[NEAREST:]):
        if some and code in (0, 5):
            code = int(pytest.main([*options, *some]))
    return code


class Tests:
    """The tests of a package."""

    def __init__(self, tree: Path, package: str) -> None:
        self.package = package
        self.files = [
            file
            for path in PACKAGES[package][0]
            for file in sorted(tree.glob(path if path.endswith(".py") else f"{path}/test_*.py"))
        ]
        self.texts = {file: file.read_text("utf-8") for file in self.files}

    def of(self, tree: Path, file: str, names: set[str]) -> list[str]:
        """Return a module and the test files, those first that name it, a part of it or a user."""
        stem = Path(file).stem.lstrip("_")
        words = [re.compile(rf"\b{each}\b") for each in (stem, *names)]
        naming = [[test for test in self.files if w.search(self.texts[test])] for w in words]
        near = {test.name for tests in naming if len(tests) <= MOST_NAMING for test in tests}
        users = [
            path.stem.lstrip("_")
            for path in (tree / self.package).rglob("*.py")
            if re.search(rf"\bimport\b.*\b{stem}\b|\b{stem} import\b", path.read_text("utf-8"))
        ]
        if len(users) <= MOST_NAMING:
            near |= {f"test_{user}.py" for user in users}

        def distance(test: Path) -> tuple[bool, bool, bool, int]:
            own, recorded = test.name == f"test_{stem}.py", "recorded" in test.name
            return not own, test.name not in near, not recorded, len(self.texts[test])

        ordered = sorted(self.files, key=distance)
        return [file, *(each.relative_to(tree).as_posix() for each in ordered)]

    def noticed(self, tree: Path, file: str, names: set[str]) -> str:
        """Return the first test that fails, or nothing."""
        code, output = run(tree, self.package, self.of(tree, file, names))
        if code == NOT_RUN:
            raise SystemExit(output)
        # Passed, no test there, or out of time: an endless loop is found by reading.
        if code in (0, 5, -signal.SIGXCPU, -signal.SIGKILL, -signal.SIGALRM):
            return ""
        failed = re.findall(r"^(?:FAILED|ERROR) (?:tests|occstats|descriptors)/.*", output, re.M)
        return failed[0].split(" - ")[0].partition(" ")[2] if failed else "does not start"

    def try_changes(
        self, tree: Path, sites: list[tuple[str, ast.AST, str]], out: Path, seed: int
    ) -> None:
        """Make one change after the other, and append what the tests say."""
        noticing = set[str]()
        for file, node, text in sites:
            path = tree / file
            source, line = path.read_text("utf-8"), vars(node)["lineno"]
            times = path.stat()
            path.write_text(changed(source, node, text), encoding="utf-8")
            if "_kernels" in file:
                # numba does not recompile kernels of other files that call the changed one.
                os.environ["NUMBA_CACHE_DIR"] = str(tree / "changed")
            by = self.noticed(tree, file, names_around(source, line))
            path.write_text(source, encoding="utf-8")
            os.utime(path, (times.st_atime, times.st_mtime))
            os.environ.pop("NUMBA_CACHE_DIR", None)
            rmtree(tree / "changed", ignore_errors=True)
            row = [self.package, file, line, segment(source, node), text, by]
            with out.open("a", encoding="utf-8", newline="") as table:
                judged = "noticed" if by else ""
                csv.writer(table, lineterminator="\n").writerow([*row, judged, seed])
            noticing.add(by)
        # The same tests must pass without a change.
        tests = sorted(noticing - {"", "does not start"})
        code, output = run(tree, self.package, tests) if tests else (0, "")
        if code == 1:
            raise SystemExit(f"{self.package}: tests fail before any change.\n{output}")


def names_around(source: str, line: int) -> set[str]:
    """Return the names of the functions and classes that contain a line."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, kinds) and node.lineno <= line <= (node.end_lineno or 0)
    }


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
                tests = Tests(trees[0], package)
                shares = [
                    partial(tests.try_changes, tree, todo[start::jobs], out.resolve(), seed)
                    for start, tree in enumerate(trees)
                ]
                in_parallel([*shares])


def summary(path: Path) -> str:
    """Return a Markdown table for each seed: how many changes of each package were noticed."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    tables = []
    for seed in dict.fromkeys(row["seed"] for row in rows):
        found = [
            (row["package"], row["judged"] or "not judged") for row in rows if row["seed"] == seed
        ]
        kinds = sorted({judged for _, judged in found}, key=lambda kind: (kind != "noticed", kind))
        lines = [f"| seed {seed} | {' | '.join(kinds)} |", f"| --- |{' ---: |' * len(kinds)}"]
        for package in [*dict.fromkeys(package for package, _ in found), "all"]:
            counts = Counter(judged for each, judged in found if package in (each, "all"))
            lines.append(f"| `{package}` | {' | '.join(str(counts[kind]) for kind in kinds)} |")
        tables.append("\n".join(lines))
    return "\n\n".join(tables)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--factor", type=float, default=1, help="multiplies all numbers of changes")
    parser.add_argument("--packages", default=",".join(PACKAGES), metavar="NAME,…")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--out", type=Path, default=Path("mutations.csv"))
    parser.add_argument("--summary", type=Path, metavar="CSV", help="print tables of this file")
    arguments = parser.parse_args()
    if arguments.summary:
        print(summary(arguments.summary))
    else:
        names = arguments.packages.split(",")
        measure(arguments.seed, arguments.factor, names, arguments.jobs, arguments.out)


if __name__ == "__main__":
    main()
