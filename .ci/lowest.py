"""Print the lowest version of each library that pyproject.toml allows, as pip requirements.

usage: python .ci/lowest.py EXTRA_OR_GROUP ...
"""

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement


def lowest(requirement: Requirement) -> str:
    """Return the requirement with ``>=`` replaced by ``==``."""
    bounds = [each.version for each in requirement.specifier if each.operator == ">="]
    if len(bounds) != 1:
        raise SystemExit(f"{requirement}: declare exactly one lowest version, such as NAME>=1.2")
    return f"{requirement.name}=={bounds[0]}"


def main(names: list[str]) -> None:
    pyproject = Path(__file__).resolve().parents[1] / "pyproject.toml"
    document = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    project = document["project"]
    optional = project["optional-dependencies"] | document["dependency-groups"]
    declared = [*project["dependencies"], *(each for name in names for each in optional[name])]
    print("\n".join(sorted({lowest(Requirement(each)) for each in declared})))


if __name__ == "__main__":
    main(sys.argv[1:])
