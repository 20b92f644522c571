"""Which wrong programs do the tests notice? Random small changes of the code, one at a time.

Each change (a turned comparison, a swapped operator, another constant, …) is made in a copy of the
committed tree. First all tests of a room run once, and coverage.py notes which of them run which
line. Then for each change those that run the changed line run, one of each file first, until one
fails; for a line that runs on import or is compiled, the doctests of its file and the tests that
name what it defines. A change that none notices survives: a test is missing, or the change means
the same.

    python benchmarks/mutations.py --seed 1 --number 160 > benchmarks/mutations.csv
"""

import argparse
import ast
import csv
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from shutil import rmtree

ROOT = Path(__file__).parents[1]
COMPARING = [
    "tests/test_compare.py",
    "tests/test_compare_properties.py",
    "tests/test_uncertainty.py",
]
# Those of a browser take minutes, and see what these see.
REPORTING = [
    "tests/report/test_html.py",
    "tests/report/test_notebook_views.py",
    "tests/report/test_paper_tables.py",
    "tests/report/test_tables.py",
    "tests/report/test_terminal.py",
    "tests/report/test_writer.py",
]
# Room → the tests that are its own, those behind them, and its share of the changes.
ROOMS = {
    "occstats/stats": (["tests/stats"], COMPARING, 50),
    "occstats/comparison": (
        [*COMPARING, "tests/test_few_data_sets.py", "tests/test_gate.py", "tests/test_verdict.py"],
        ["tests/test_cli_compare.py"],
        25,
    ),
    "occstats/results": (["tests/results"], ["tests/test_bad_input.py", *COMPARING[:1]], 30),
    "occstats/report": (REPORTING, [], 12),
    "occstats/figures": (["tests/figures"], [], 10),
    "occstats/experiment": (["tests/experiment"], [], 10),
    "occstats/tuning": (["tests/experiment"], [], 8),
    "descriptors": (["tests/descriptors"], [], 15),
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
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
NEAREST = 4
SECONDS = 600


def annotations(tree: ast.AST) -> Iterator[ast.AST]:
    """What says types and computes nothing."""
    for node in ast.walk(tree):
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                yield from ast.walk(getattr(node, field))


def changes(source: str) -> list[tuple[ast.AST, str]]:
    """Every place that can be changed, with its new text."""
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
    """The source with one place replaced."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    place = vars(node)
    first = starts[place["lineno"] - 1] + place["col_offset"]
    last = starts[place["end_lineno"] - 1] + place["end_col_offset"]
    whole = source.encode()
    return (whole[:first] + text.encode() + whole[last:]).decode()


def environment(tree: Path) -> dict[str, str]:
    """The copy's code, its compiled kernels apart from those of the project."""
    return os.environ | {
        "PYTHONPATH": f"{tree}{os.pathsep}{tree / 'descriptors'}",
        "NUMBA_CACHE_DIR": str(tree / "numba"),
        "COVERAGE_FILE": str(tree / ".coverage"),
    }


PYTEST = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow"]


def map_lines(tree: Path, room: str) -> dict[Path, dict[int, list[str]]]:
    """File → line → the tests that run it."""
    from coverage import CoverageData

    rules = tree / "coveragerc"
    rules.write_text(f"[run]\ndynamic_context = test_function\nsource = {tree / room}\n")
    command = [sys.executable, "-m", "coverage", "run", f"--rcfile={rules}", *PYTEST]
    command.remove("-x")
    done = subprocess.run(
        [*command, *(tests for part in ROOMS[room][:2] for tests in part)],
        cwd=tree,
        env=environment(tree),
        capture_output=True,
        text=True,
        check=False,
    )
    print(room, done.stdout.splitlines()[-1], file=sys.stderr, flush=True)
    data = CoverageData(str(tree / ".coverage"))
    data.read()
    return {
        Path(file): {
            line: sorted({identity(tree, context) for context in contexts if context})
            for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }


def identity(tree: Path, context: str) -> str:
    """The test of a context such as tests.stats.test_ranks.test_ties, as pytest names it."""
    parts = context.split(".")
    for end in range(len(parts) - 1, 0, -1):
        file = tree.joinpath(*parts[:end]).with_suffix(".py")
        if file.exists():
            return "::".join([str(file.relative_to(tree)), *parts[end:]])
    return ""


def noticed(tree: Path, tests: list[str]) -> str:
    """The test that fails, or nothing."""
    try:
        done = subprocess.run(
            [sys.executable, *PYTEST, *tests],
            cwd=tree,
            env=environment(tree),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode in (0, 5):  # passed, or no test there
        return ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0] if failed else "does not start"


def tests_of(tree: Path, path: Path, running: list[str]) -> list[str]:
    """The doctests of the file, then those that run the line, from as many files as there are."""
    own = [str(path.relative_to(tree))]
    by_file: dict[str, list[str]] = {}
    for test in filter(None, running):
        by_file.setdefault(test.partition("::")[0], []).append(test)
    turns = zip_longest(*by_file.values())
    chosen = [test for turn in turns for test in turn if test]
    if chosen:
        return own + chosen
    body = ast.parse(path.read_text()).body
    names = "|".join(node.name for node in body if isinstance(node, DEFINITIONS))
    spoken = re.compile(rf"\b({names})\b") if names else re.compile("(?!)")
    near = [
        test
        for test in sorted((tree / "tests").rglob("test_*.py"))
        if test.stem == f"test_{path.stem.lstrip('_')}" or spoken.search(test.read_text())
    ]
    return own + [str(file.relative_to(tree)) for file in near[:NEAREST]]


def main() -> None:
    """Make, try and list the changes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=160)
    parser.add_argument("--rooms", default=",".join(ROOMS))
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["file", "line", "was", "is", "noticed by"])
    total = sum(share for *_, share in ROOMS.values())
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        archive = subprocess.run(
            ["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True
        )
        subprocess.run(["tar", "-x"], cwd=tree, input=archive.stdout, check=True)
        for room in arguments.rooms.split(","):
            files = sorted((tree / room).rglob("*.py"))
            lines = map_lines(tree, room)
            sites = [(path, site) for path in files for site in changes(path.read_text())]
            for path, (node, text) in rng.sample(
                sites, round(arguments.number * ROOMS[room][2] / total)
            ):
                source = path.read_text()
                path.write_text(changed(source, node, text))
                running = lines.get(path, {}).get(vars(node)["lineno"], [])
                if room == "descriptors":
                    # Kernels of other files that call the changed one are not renewed by numba.
                    rmtree(tree / "numba", ignore_errors=True)
                by = noticed(tree, tests_of(tree, path, running))
                path.write_text(source)
                was = ast.get_source_segment(source, node) or ""
                writer.writerow(
                    [path.relative_to(tree), vars(node)["lineno"], " ".join(was.split()), text, by]
                )
                sys.stdout.flush()


if __name__ == "__main__":
    main()
