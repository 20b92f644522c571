"""Provenance of results: code of the estimators, package versions and machine."""

import hashlib
import inspect
import os
import platform
import sys
import sysconfig
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions, version
from pathlib import Path

from occstats import __version__

_packages_distributions = cache(packages_distributions)
PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "numba")


@cache
def provenance() -> dict[str, object]:
    """Return the versions of Python and of numerical packages, the processor, and its cores."""
    return {
        "python": platform.python_version(),
        "packages": {"occstats": __version__, **{each: version(each) for each in PACKAGES}},
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": _processor(),
        "cpu_count": os.cpu_count(),
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def code_of(origin: str) -> str:
    """Identify the code of an estimator: our version, and those of third-party base classes.

    An installed package is identified by the version of its distribution, other code (a script, a
    package under development) by a hash of the source of its module or whole package.
    """
    parts = [f"occstats {__version__}"]
    if ":" in origin:
        from occstats_descriptors.external import imported

        kind = imported(origin)
        bases = getattr(kind, "__mro__", (kind,))
        packages = dict.fromkeys(base.__module__ for base in bases)
        known = {"occstats", "occstats_descriptors", *sys.stdlib_module_names}
        parts += [_identity(module) for module in packages if module.partition(".")[0] not in known]
    return ", ".join(dict.fromkeys(parts))


def _identity(module: str) -> str:
    package = module.partition(".")[0]
    try:
        file = Path(inspect.getfile(import_module(module)))
    except (TypeError, ImportError):  # defined interactively: no source
        return module
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    distributions = _packages_distributions().get(package)
    if distributions and any(file.is_relative_to(folder) for folder in installed):
        return f"{distributions[0]} {version(distributions[0])}"
    top = Path(inspect.getfile(import_module(package)))
    files = sorted(top.parent.rglob("*.py")) if top.name == "__init__.py" else [file]
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    # The name of a module from a file depends on the folder.
    return f"{top.stem if package.startswith('_file_') else package} {digest.hexdigest()[:16]}"
