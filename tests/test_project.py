"""The project's own promises: its dependencies are used, its guide names files that exist."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = [*ROOT.glob("occstats/**/*.py"), *ROOT.glob("descriptors/**/*.py")]
# Where the module has another name than the distribution.
MODULES = {"scikit-learn": "sklearn"}


def dependencies():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = [re.match(r"[\w-]+", line)[0] for line in project["dependencies"]]
    return [MODULES.get(name, name.replace("-", "_")) for name in names]


def imported():
    """Top-level modules of every import, also those by name (`import_module`)."""
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module or "")
            elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                words = (part for part in ast.walk(node) if isinstance(part, ast.Constant))
                found |= {str(word.value) for word in words}
    return {name.partition(".")[0] for name in found}


def test_every_declared_dependency_is_imported_somewhere():
    assert set(dependencies()) - imported() == set()


def test_the_guide_names_files_that_exist():
    guide = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = re.findall(r"`((?:occstats|descriptors|tests)/[\w/.-]*)`", guide)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_version_is_the_same_wherever_it_is_written():
    import occstats

    written = {
        "CITATION.cff": r"^version: (.+)$",
        "packaging/conda/meta.yaml": r'set version = "(.+?)"',
    }
    for name, pattern in written.items():
        assert re.search(pattern, (ROOT / name).read_text("utf-8"), re.M)[1] == (
            occstats.__version__
        ), name


def test_the_conda_recipe_asks_for_what_the_package_asks_for():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    recipe = (ROOT / "packaging/conda/meta.yaml").read_text("utf-8").split("  run:")[1]
    asked = dict(re.findall(r"^    - ([\w-]+?)(?:-base)? (>=\S+)$", recipe, re.M))
    wanted = dict(
        re.fullmatch(r"([\w-]+)(>=.+)", each).groups() for each in project["dependencies"]
    )
    assert asked == wanted | {"python": project["requires-python"]}
