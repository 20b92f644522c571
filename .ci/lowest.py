"""Print the lowest version of each library that pyproject.toml allows, as pip requirements.

usage: python .ci/lowest.py [EXTRA ...]    (default: the extra ``test``)
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


def main(extras: list[str]) -> None:
    pyproject = Path(__file__).resolve().parents[1] / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    declared = list(project["dependencies"])
    for extra in extras:
        declared += project["optional-dependencies"][extra]
    print("\n".join(sorted({lowest(Requirement(each)) for each in declared})))


if __name__ == "__main__":
    main(sys.argv[1:] or ["test"])
