"""Where results come from: versions, machine and configuration, for the metadata of results."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version

__all__ = ["provenance"]

PACKAGES = ("occstats", "numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "numba")


def provenance() -> dict[str, object]:
    """Versions of Python and of the packages that compute, the processor, and its cores.

    Examples
    --------
    >>> sorted(provenance())
    ['cpu', 'cpu_count', 'packages', 'platform', 'python']
    """
    return {
        "python": platform.python_version(),
        "packages": {package: _version(package) for package in PACKAGES},
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": _processor(),
        "cpu_count": os.cpu_count(),
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
