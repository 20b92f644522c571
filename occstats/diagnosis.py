"""What is installed, in which version, whether it works, and what to do where it does not."""

import os
import platform
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

__all__ = ["Diagnosis", "Finding", "diagnose"]

LIBRARIES = ("numpy", "scipy", "pandas", "scikit-learn", "statsmodels", "pyarrow", "matplotlib")
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Parameters
    ----------
    name
        What it is.
    status
        ``ok``, ``missing`` (not installed), ``broken`` (installed, but cannot be used) or
        ``unknown`` (cannot be found out, because something else is missing).
    version
        Empty if there is none.
    detail
        More about it, or what is wrong.
    remedy
        What to do; empty if nothing needs doing.
    optional
        Whether everything else works without it.
    """

    name: str
    status: Literal["ok", "missing", "broken", "unknown"]
    version: str = ""
    detail: str = ""
    remedy: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Diagnosis:
    """All findings, and which engines of the clustered tests can be used."""

    findings: tuple[Finding, ...]
    engines: dict[str, bool]

    @property
    def healthy(self) -> bool:
        """Whether everything works that is not optional."""
        return all(finding.optional or finding.status == "ok" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "healthy": self.healthy,
            "engines": self.engines,
            "findings": [asdict(finding) for finding in self.findings],
        }


def diagnose() -> Diagnosis:
    """Look at Python, the libraries, BLAS and its threads, numba, R, clusrank and rpy2.

    Examples
    --------
    >>> from occstats.diagnosis import diagnose
    >>> diagnose().engines["native"]  # doctest: +SKIP
    True
    """
    in_r = _r_findings()
    usable = {finding.name: finding.status == "ok" for finding in in_r}
    engines = {
        "native": True,
        "clusrank": usable["rpy2"] and usable["clusrank"],
        "rscript": usable["R"] and usable["clusrank"],
    }
    findings = (_python(), *map(_library, LIBRARIES), *_blas(), _numba(), *in_r)
    return Diagnosis(findings, engines)


def _python() -> Finding:
    where = f"{sys.executable}, {platform.platform()}, {os.cpu_count()} processors"
    return Finding("Python", "ok", platform.python_version(), where)


def _library(name: str) -> Finding:
    try:
        return Finding(name, "ok", version(name))
    except PackageNotFoundError:
        return Finding(name, "missing", remedy=f"pip install {name}")


def _blas() -> list[Finding]:
    # The libraries are only there to be asked after numpy and scipy have loaded them.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    given = [f"{name}={os.environ[name]}" for name in THREAD_VARIABLES if name in os.environ]
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    findings = []
    for pool in pools:
        threads = f"{pool['num_threads']} thread{'s' * (pool['num_threads'] != 1)}"
        built = pool.get("architecture")
        place = f"in {Path(pool['filepath']).parent.name}"
        detail = ", ".join([threads, place, *([f"for {built}"] if built else []), *given])
        name = f"BLAS ({pool['internal_api']})"
        findings.append(Finding(name, "ok", pool.get("version") or "", detail))
    # Some BLAS, such as Apple's Accelerate, does not tell its threads.
    return findings or [Finding("BLAS", "ok", detail=", ".join(["threads not known", *given]))]


def _numba() -> Finding:
    found = _library("numba")
    if found.status != "ok":
        return found
    try:
        import numba

        compiled: Any = numba.njit(_successor)
        works = compiled(1) == 2
    except Exception as error:  # whatever a mismatched LLVM or numpy raises
        return Finding(
            "numba",
            "broken",
            found.version,
            " ".join(f"{type(error).__name__}: {error}".split())[:300],
            "pip install --upgrade numba (it has to fit the installed numpy)",
        )
    status: Literal["ok", "broken"] = "ok" if works else "broken"
    return Finding("numba", status, found.version, f"{numba.get_num_threads()} threads, compiles")


def _successor(number: int) -> int:
    return number + 1


def _r_findings() -> list[Finding]:
    from occstats.backends.embedded_r import probe_rpy2
    from occstats.backends.rscript import INSTALL_CLUSRANK, probe_r

    r, rpy2 = probe_r(), probe_rpy2()
    if not r.version:
        status: Literal["missing", "broken"] = "broken" if r.rscript else "missing"
        in_r = [
            Finding("R", status, "", r.problem, r.remedy, optional=True),
            Finding("clusrank", "unknown", detail="needs R", optional=True),
        ]
    else:
        in_r = [Finding("R", "ok", r.version, r.rscript, optional=True)]
        if r.clusrank:
            in_r.append(Finding("clusrank", "ok", r.clusrank, "R package", optional=True))
        else:
            in_r.append(
                Finding("clusrank", "missing", "", r.problem, INSTALL_CLUSRANK, optional=True)
            )
    return [*in_r, _rpy2(rpy2.version, rpy2.r_version, rpy2.problem, rpy2.remedy, bool(r.version))]


def _rpy2(found: str, r_version: str, problem: str, remedy: str, has_r: bool) -> Finding:
    if not problem:
        return Finding("rpy2", "ok", found, f"embeds R {r_version}", optional=True)
    if not found:
        return Finding("rpy2", "missing", "", problem, remedy, optional=True)
    if not has_r:
        return Finding("rpy2", "unknown", found, "needs R", optional=True)
    return Finding("rpy2", "broken", found, problem, remedy, optional=True)
