"""Imports go in one direction, from datasets to the command line."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import occstats
import occstats_descriptors

ROOT = Path(occstats.__file__).parent
# Package → packages that it may import, besides the modules at the top (errors, _format …)
ALLOWED = {
    "stats": set(),
    "engines": {"stats"},
    "results": set(),
    "datasets": set(),
    "descriptors": set(),
    "experiment": {"datasets", "descriptors", "stats"},
    "comparison": {"engines", "results", "stats"},
    "figures": {"comparison", "results", "stats"},
    "report": {"comparison", "figures", "results", "stats"},
}
# Imports inside functions, from a result to its figures and reports.
LAZY = {
    "comparison/comparison.py": {"figures", "report"},
    "comparison/families.py": {"figures", "report"},
}


def imported(tree: ast.AST, *, lazily: bool) -> Iterator[str]:
    """Yield the absolute names of imported modules, at the top or inside functions."""
    for node in ast.iter_child_nodes(tree):
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import) and not lazily:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not lazily:
            assert not node.level, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif inside and lazily:
            yield from imported(node, lazily=False)
        elif not inside:
            yield from imported(node, lazily=lazily)


def packages(path: Path, *, lazily: bool) -> set[str]:
    names = imported(ast.parse(path.read_text("utf-8")), lazily=lazily)
    parts = [name.split(".") for name in names]
    own = {part[1] for part in parts if part[0] == "occstats" and len(part) > 1}
    outside = {"descriptors" for part in parts if part[0] == "occstats_descriptors"}
    return {name for name in own if (ROOT / name).is_dir() or name in ALLOWED} | outside


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_from_its_left(package):
    files = sorted((ROOT / package).rglob("*.py"))
    assert files or (ROOT / f"{package}.py").exists()
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        allowed = ALLOWED[package] | {package}
        assert packages(path, lazily=False) <= allowed, name
        assert packages(path, lazily=True) <= allowed | LAZY.get(name, set()), name


def test_descriptors_do_not_import_occstats():
    for path in Path(occstats_descriptors.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        names = [*imported(tree, lazily=False), *imported(tree, lazily=True)]
        assert not [name for name in names if name.split(".")[0] == "occstats"], path.name
