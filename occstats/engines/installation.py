"""R, its package clusrank and rpy2: find them, and say what is missing."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import occstats
from occstats.errors import EngineError

#: The end of every error message.
NATIVE_OFFER = "or use engine 'native', which needs no R and gives the same asymptotic p-values"

BRIDGE = "clusrank_bridge.R"
PROBE_SECONDS = 60
#: The oldest clusrank whose numbers were compared with the native ones.
LEAST_CLUSRANK = "0.6-2"

INSTALL_R = "install R 4.0 or later (Debian, Ubuntu: apt install r-base-dev; conda: r-base)"
MEND_R = "run it by hand to see why, or reinstall R"
INSTALL_RPY2 = "install it with pip install 'occstats[r]' (it is compiled, which needs r-base-dev)"
ANOTHER_RPY2 = (
    "install the version that matches your R (pip install 'occstats[r]' up to R 4.4, "
    "rpy2-rinterface 3.6.6 or later from R 4.5 on) or use engine 'rscript'"
)


@dataclass(frozen=True)
class Installation:
    """R as an engine finds it: program, versions (empty if missing), and a problem if any."""

    rscript: str = ""
    r: str = ""
    clusrank: str = ""
    rpy2: str = ""
    problem: str = ""
    remedy: str = ""


def r_file(name: str) -> Path:
    """Return an R script: next to the Python files when installed, in ``R/`` in a checkout."""
    package = Path(occstats.__file__).parent
    for folder in (package / "R", package.parent / "R"):
        path = folder / name
        if path.is_file():
            return path
    raise EngineError(
        f"the R side of occstats, R/{name}, is missing next to {package}: "
        f"reinstall occstats; {NATIVE_OFFER}"
    )


def install_clusrank() -> str:
    """Return the remedy for a missing clusrank."""
    return f"install clusrank with Rscript {shlex.quote(str(r_file('install.R')))}"


def clusrank_problem(r_version: str, clusrank: str) -> str:
    """Return why an installed clusrank cannot be used; empty if it can.

    Examples
    --------
    >>> clusrank_problem("4.2.2", "1.0.4"), clusrank_problem("4.2.2", "0.5.9")
    ('', 'the R package clusrank is too old: 0.5.9; 0.6-2 or later is needed')
    """
    if not clusrank:
        return f"the R package clusrank is not installed in R {r_version}"
    found, least = (
        [int(part) for part in re.split(r"[.-]", v)] for v in (clusrank, LEAST_CLUSRANK)
    )
    if found < least:
        return f"the R package clusrank is too old: {clusrank}; {LEAST_CLUSRANK} or later is needed"
    return ""


def find_rscript() -> str:
    """Return the ``Rscript`` of ``R_HOME`` if set, else the first on the path; empty if none."""
    home = os.environ.get("R_HOME")
    return shutil.which("Rscript", path=str(Path(home) / "bin") if home else None) or ""


_FOUND: dict[tuple[str, str], Installation] = {}


def probe(engine: str) -> Installation:
    """Find what the engine ``"rpy2"`` or ``"rscript"`` needs, in a new process.

    Missing software may be installed meanwhile, so only success is cached.
    """
    key = engine, find_rscript()
    if key not in _FOUND:
        found = _probe_rpy2() if engine == "rpy2" else _probe_rscript(key[1])
        if found.r and (problem := clusrank_problem(found.r, found.clusrank)):
            return replace(found, problem=problem, remedy=install_clusrank())
        if found.problem:
            return found
        _FOUND[key] = found
    return _FOUND[key]


def require(engine: str) -> Installation:
    """Return what an engine finds, or raise an error that names all that is missing."""
    found = probe(engine)
    if not found.problem:
        return found
    r = found if engine == "rscript" else probe("rscript")
    missing = [r] if r.problem else []
    # Without R even a good rpy2 fails.
    if engine == "rpy2" and (r.r or not found.rpy2):
        missing.append(found)
    # Both may report a missing clusrank.
    listed = dict.fromkeys(f"{each.problem}; {each.remedy}" for each in missing)
    raise EngineError(f"engine {engine!r}: {'; '.join(listed)}; {NATIVE_OFFER}")


def engine_versions(engine: str) -> dict[str, str]:
    """Return the engine and the versions of its parts, for the record of a comparison.

    Examples
    --------
    >>> engine_versions("rpy2")  # doctest: +SKIP
    {'engine': 'rpy2', 'R': '4.2.2', 'clusrank': '1.0.4', 'rpy2': '3.6.5'}
    """
    found = require(engine)
    parts = {"engine": engine, "R": found.r, "clusrank": found.clusrank, "rpy2": found.rpy2}
    return {name: part for name, part in parts.items() if part}


def _probe_rscript(rscript: str) -> Installation:
    if not rscript:
        home = os.environ.get("R_HOME", "")
        where = f"in R_HOME ({home})" if home else "on the PATH"
        problem = f"R is not installed: there is no Rscript {where}"
        return Installation(problem=problem, remedy=f"{INSTALL_R} and then {install_clusrank()}")
    bridge = r_file(BRIDGE).as_posix().replace("\\", "\\\\").replace("'", "\\'")
    expression = f"source('{bridge}'); cat('\\nversions', versions(), sep='\\t')"
    try:
        # Files of the current folder, such as an .Rprofile, are not code of ours.
        done = ask([rscript, "--vanilla", "-e", expression], PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        problem = f"{rscript} did not answer within {PROBE_SECONDS} seconds"
        return Installation(rscript, problem=problem, remedy=MEND_R)
    except OSError as error:
        return Installation(rscript, problem=f"{rscript} does not start: {error}", remedy=INSTALL_R)
    # R may print first.
    said = [line.split("\t") for line in done.stdout.splitlines() if line.startswith("versions\t")]
    if done.returncode != 0 or not said:
        reason = last_words(done.stderr) or last_words(done.stdout)
        problem = f"{rscript} fails: {reason or f'it ended with code {done.returncode}'}"
        return Installation(rscript, problem=problem, remedy=MEND_R)
    r, clusrank = [*said[-1][1:], ""][:2]
    return Installation(rscript, r, clusrank)


# Importing rpy2 can print, raise anything or crash, so a new process tries first.
_IMPORT_RPY2 = """
import json, os, sys
said = {}
os.environ["R_PROFILE_USER"] = os.environ["R_ENVIRON_USER"] = os.devnull
try:
    import rpy2.rinterface as rinterface
    rinterface.initr()
    source = rinterface.baseenv["source"]
    environment = rinterface.baseenv["new.env"]()
    source(sys.argv[1], local=environment)
    said["versions"] = list(environment["versions"]())
except ModuleNotFoundError as error:
    absent = (error.name or "").split(".")[0] == "rpy2"
    said["absent" if absent else "broken"] = str(error)
except BaseException as error:
    said["broken"] = f"{type(error).__name__}: {error}"
print("\\nrpy2 says " + json.dumps(said))
"""


def _probe_rpy2() -> Installation:
    command = [sys.executable, "-P", "-c", _IMPORT_RPY2, r_file(BRIDGE).as_posix()]
    installed = ""
    for distribution in ("rpy2", "rpy2-rinterface"):
        try:
            installed = version(distribution)
        except PackageNotFoundError:
            continue
    try:
        done = ask(command, PROBE_SECONDS)
        said = [line for line in done.stdout.splitlines() if line.startswith("rpy2 says ")]
        answer: dict[str, Any] = {"broken": f"it ends the process with code {done.returncode}"}
        if said:
            answer = json.loads(said[-1].removeprefix("rpy2 says "))
    except (subprocess.TimeoutExpired, OSError) as error:
        answer = {"broken": f"its import fails in a new process: {error}"}
    if "absent" in answer:
        return Installation(problem="rpy2 is not installed", remedy=INSTALL_RPY2)
    if "broken" in answer:
        how = " ".join(answer["broken"].split())[:300]
        problem = f"rpy2 {installed} is installed but cannot be used: {how}".replace("  ", " ")
        return Installation(rpy2=installed, problem=problem, remedy=ANOTHER_RPY2)
    r, clusrank = answer["versions"]
    return Installation(r=r, clusrank=clusrank, rpy2=installed)


def ask(command: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
    """Run a program without input and capture its output in any encoding."""
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        stdin=subprocess.DEVNULL,
        check=False,
    )


def last_words(output: str) -> str:
    """Return the last error message in the output of a program, as one short line."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    complaints = [line for line in lines if "error" in line.lower()]
    halted = "Execution halted"
    chosen = (complaints or [line for line in lines if line != halted] or lines or [""])[-1]
    return chosen[:300]
