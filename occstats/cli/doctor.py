"""``occstats doctor``: the state of the installation."""

from __future__ import annotations

import json
import os
import platform
import sys
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import click

from occstats._checks import require_descriptors
from occstats.cli.options import options

LIBRARIES = ("numpy", "scipy", "pandas", "statsmodels", "pyarrow", "matplotlib")
DESCRIPTORS = "pip install 'occstats[descriptors]'"
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
COLOURS = {"ok": "green", "missing": "yellow", "broken": "red", "unknown": "yellow"}


@dataclass(frozen=True)
class Finding:
    """A component of the installation; everything else works without an optional one."""

    name: str
    # Broken: installed, but it does not work; unknown: something that it needs is missing.
    status: Literal["ok", "missing", "broken", "unknown"]
    version: str = ""
    detail: str = ""
    remedy: str = ""
    optional: bool = False


@click.command(params=options("as_json", "compile_ahead"))
def doctor(as_json: bool, compile_ahead: bool) -> None:
    """Report what is installed and what is missing.

    Checks Python, the libraries, BLAS and its threads, and numba; for the engines in R, also R,
    its package clusrank, and rpy2. The exit code is 0 if everything required works, and 1
    otherwise.
    """
    from occstats import __version__
    from occstats._format import printable, terminal_width, wrap

    if compile_ahead:
        _compile()
    findings = diagnose()
    works = {finding.name: finding.status == "ok" for finding in findings}
    engines = {
        "native": True,
        "rpy2": works["rpy2"] and works["clusrank"],
        "rscript": works["R"] and works["clusrank"],
    }
    healthy = all(finding.optional or finding.status == "ok" for finding in findings)
    if as_json:
        document = {
            "occstats": __version__,
            "healthy": healthy,
            "engines": engines,
            "findings": [asdict(finding) for finding in findings],
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        click.echo(f"occstats {__version__}")
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            sign = f"{'BROKEN' if finding.status == 'broken' else finding.status:<8}"
            if not os.environ.get("NO_COLOR"):
                sign = click.style(sign, fg=COLOURS[finding.status])
            found = "  ".join(filter(None, (finding.version, finding.detail)))
            lines = wrap(printable(found), max(terminal_width() - width - 11, 20)) or [""]
            lines += [f"→ {finding.remedy}"] if finding.remedy else []
            click.echo(f"{finding.name:<{width}}  {sign} {lines[0]}".rstrip())
            for line in lines[1:]:
                click.echo(f"{'':<{width + 11}}{line}")
        usable = [name for name, works_ in engines.items() if works_]
        click.echo(f"Usable engines of the clustered tests: {', '.join(usable)}.")
        if len(usable) < len(engines):
            click.echo("The native engine needs no R and gives the same asymptotic p-values.")
    if not healthy:
        sys.exit(1)


def _compile() -> None:
    require_descriptors()
    from occstats.progress import track
    from occstats_descriptors.warm_up import cache_folder, compile_kernels, kernels_of

    for _ in track(compile_kernels(), "compiling", total=len(kernels_of())):
        pass
    folder = cache_folder()
    kept = f"cached in {folder}" if folder else "but cannot cache them: no folder is writable"
    click.echo(f"Compiled the kernels of the descriptors, {kept}.", err=True)


def diagnose() -> tuple[Finding, ...]:
    """Examine Python, the libraries, BLAS and its threads, numba, R, clusrank and rpy2."""
    where = f"{sys.executable}, {platform.platform()}, {os.cpu_count()} processors"
    python = Finding("Python", "ok", platform.python_version(), where)
    return (python, *map(_library, LIBRARIES), *_blas(), *_descriptors(), *_r())


def _library(name: str, remedy: str = "", *, optional: bool = False) -> Finding:
    try:
        return Finding(name, "ok", version(name), optional=optional)
    except PackageNotFoundError:
        return Finding(name, "missing", "", "", remedy or f"pip install {name}", optional)


def _blas() -> list[Finding]:
    # threadpoolctl sees the libraries only after numpy and scipy have loaded them.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    given = [f"{name}={os.environ[name]}" for name in THREAD_VARIABLES if name in os.environ]
    findings = []
    for pool in threadpool_info():
        if pool["user_api"] == "blas":
            threads = f"{pool['num_threads']} thread{'s' * (pool['num_threads'] != 1)}"
            built = [f"for {pool['architecture']}"] if pool.get("architecture") else []
            place = f"in {Path(pool['filepath']).parent.name}"
            detail = ", ".join([threads, place, *built, *given])
            name = f"BLAS ({pool['internal_api']})"
            findings.append(Finding(name, "ok", pool.get("version") or "", detail))
    # Some BLAS, such as Apple's Accelerate, does not report its threads.
    return findings or [Finding("BLAS", "ok", detail=", ".join(["threads unknown", *given]))]


def _descriptors() -> list[Finding]:
    """Examine what only the descriptors need."""
    sklearn = _library("scikit-learn", DESCRIPTORS, optional=True)
    compiler = _library("numba", DESCRIPTORS, optional=True)
    if compiler.status == "ok":
        try:
            import numba

            numba.njit(lambda number: number + 1)(1)
            threads = f"{numba.get_num_threads()} threads, compiles"
            compiler = replace(compiler, detail=threads)
        except Exception as error:  # whatever a mismatched LLVM or numpy raises
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            remedy = "pip install --upgrade numba (it must match the installed numpy)"
            compiler = Finding("numba", "broken", compiler.version, reason, remedy)
    return [sklearn, compiler]


def _r() -> list[Finding]:
    from occstats.engines.installation import probe

    def part(
        name: str, installed: str, version: str, detail: str, problem: str, remedy: str
    ) -> Finding:
        if not problem:
            return Finding(name, "ok", version, detail, optional=True)
        status: Literal["broken", "missing"] = "broken" if installed else "missing"
        return Finding(name, status, version, problem, remedy, optional=True)

    r, rpy2 = probe("rscript"), probe("rpy2")
    no_r = not r.r
    needs_r = Finding("clusrank", "unknown", detail="needs R", optional=True)
    clusrank = part("clusrank", r.clusrank, r.clusrank, "R package", r.problem, r.remedy)
    problem = "" if rpy2.r else rpy2.problem
    in_python = part("rpy2", rpy2.rpy2, rpy2.rpy2, f"embeds R {rpy2.r}", problem, rpy2.remedy)
    if no_r and rpy2.rpy2 and problem:
        in_python = replace(needs_r, name="rpy2", version=rpy2.rpy2)
    return [
        part("R", r.rscript, r.r, r.rscript, r.problem if no_r else "", r.remedy),
        needs_r if no_r else clusrank,
        in_python,
    ]
