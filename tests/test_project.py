"""Conventions of the project: names of modules, dependencies, versions, files it speaks of."""

import ast
import importlib
import json
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import occstats

ROOT = Path(__file__).parents[1]
PACKAGE = [*ROOT.glob("occstats/**/*.py"), *ROOT.glob("descriptors/**/*.py")]
SCRIPTS = [*ROOT.glob("benchmarks/**/*.py"), *ROOT.glob("docs/*.py"), *ROOT.glob(".ci/*.py")]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# A recipe of conda has no extras.
REQUIRED = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["descriptors"]
# Where the module has another name than the distribution.
MODULES = {"scikit-learn": "sklearn"}


def module_of(requirement):
    name = re.match(r"[\w-]+", requirement)[0]
    return MODULES.get(name, name.replace("-", "_"))


def imports(tree):
    """Yield the module and the name of every import, including `import_module("…")`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            constants = (part for part in ast.walk(node) if isinstance(part, ast.Constant))
            yield from ((str(constant.value), None) for constant in constants)


def test_every_declared_dependency_is_imported_somewhere():
    found = {
        module.partition(".")[0]
        for path in PACKAGE
        for module, _ in imports(ast.parse(path.read_text("utf-8")))
    }
    assert {module_of(each) for each in REQUIRED} - found == set()


def test_the_licence_of_every_dependency_is_listed():
    page = (ROOT / "docs/reference/extras.md").read_text(encoding="utf-8").split("## Versions")[1]
    extras = sum(PROJECT["optional-dependencies"].values(), PROJECT["dependencies"])
    names = {re.split(r"[<>=\[]", each)[0] for each in extras} - {"occstats"}
    assert {line.split("|")[1].strip() for line in page.splitlines() if line.count("|") == 4} == {
        *names, "package", "---",
    }  # fmt: skip


@pytest.mark.parametrize("package", ["occstats", "descriptors"])
def test_no_two_modules_of_a_package_have_the_same_name(package):
    names = Counter(path.stem for path in (ROOT / package).rglob("*.py"))
    assert {name for name, count in names.items() if count > 1} <= {"__init__"}


def test_no_module_shadows_a_library():
    extras = PROJECT["optional-dependencies"].values()
    libraries = {module_of(each) for each in sum(extras, PROJECT["dependencies"])}
    shadowed = {path.stem for path in PACKAGE} & (libraries | set(sys.stdlib_module_names))
    assert shadowed - {"__init__", "__main__"} == set()


def outside_code():
    """Yield each file outside the package that imports from it, with its code."""
    for path in SCRIPTS:
        yield path.relative_to(ROOT), path.read_text("utf-8")
    for path in ROOT.glob("notebooks/*.ipynb"):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield path.relative_to(ROOT), "\n".join(code)


@pytest.mark.parametrize(
    ("path", "code"), [pytest.param(*each, id=str(each[0])) for each in outside_code()]
)
def test_scripts_and_notebooks_import_names_that_exist(path, code):
    for module, name in imports(ast.parse(code)):
        if module.partition(".")[0] in ("occstats", "occstats_descriptors"):
            loaded = importlib.import_module(module)
            if name is not None and not hasattr(loaded, name):
                importlib.import_module(f"{module}.{name}")


def test_the_contributing_guide_names_files_that_exist():
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:occstats|descriptors|tests|docs|benchmarks)/[\w/.-]*)`", guide)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_tests_that_ci_names_exist():
    for path in (path for path in ROOT.glob(".ci/*") if not path.suffix):
        named = re.findall(r"(?<![\w/.-])(?:tests|occstats)/[\w/.-]+", path.read_text("utf-8"))
        assert [name for name in named if not (ROOT / name).exists()] == [], path.name


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("CITATION.cff", r"^version: (.+)$"), ("packaging/conda/recipe.yaml", r'^  version: "(.+)"$')],
)
def test_the_version_is_the_same_everywhere(name, pattern):
    found = re.search(pattern, (ROOT / name).read_text("utf-8"), re.MULTILINE)
    assert found[1] == occstats.__version__


def test_the_conda_recipe_has_the_same_requirements():
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text("utf-8").split("  run:")[1]
    asked = dict(re.findall(r"^    - ([\w-]+?)(?:-base)? (>=\S+)$", recipe, re.MULTILINE))
    wanted = dict(re.fullmatch(r"([\w-]+)(>=.+)", each).groups() for each in REQUIRED)
    assert asked == wanted | {"python": PROJECT["requires-python"]}
