"""R in a separate process: find it, query its versions, run the bridge on CSV files."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import occstats
from occstats.errors import EngineError

#: Numbers that R returns for each test, besides the message of a failure.
NUMBERS = ("statistic", "variance", "z", "p", "observations", "clusters")
#: The end of every error message.
NATIVE_OFFER = "or use engine 'native', which needs no R and gives the same asymptotic p-values"

BRIDGE = "clusrank_bridge.R"
PROBE_SECONDS = 60
RUN_SECONDS = 3600.0
TIMEOUT_VARIABLE = "OCCSTATS_R_TIMEOUT"

INSTALL_R = "install R 4.0 or later (Debian, Ubuntu: apt install r-base-dev; conda: r-base)"
MEND_R = "run it by hand to see why, or reinstall R"
#: The oldest clusrank whose numbers were compared with the native ones.
LEAST_CLUSRANK = "0.6-2"


@dataclass(frozen=True)
class RFound:
    """State of an ``Rscript``; strings are empty for what is missing and for no problem."""

    rscript: str = ""
    version: str = ""
    clusrank: str = ""
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
    ('', 'the R package clusrank is too old: 0.5.9, needed is 0.6-2 or later')
    """
    if not clusrank:
        return f"the R package clusrank is not installed in R {r_version}"
    found, least = (
        [int(part) for part in re.split(r"[.-]", v)] for v in (clusrank, LEAST_CLUSRANK)
    )
    if found < least:
        return f"the R package clusrank is too old: {clusrank}, needed is {LEAST_CLUSRANK} or later"
    return ""


def find_rscript() -> str:
    """Return the ``Rscript`` of ``R_HOME`` if set, else the first on the path; empty if none."""
    home = os.environ.get("R_HOME")
    if home:
        return shutil.which("Rscript", path=str(Path(home) / "bin")) or ""
    return shutil.which("Rscript") or ""


def probe_r() -> RFound:
    """Query the versions of R and clusrank; success is cached."""
    rscript = find_rscript()
    # Missing software may be installed meanwhile, so failures are not cached.
    if rscript not in _FOUND:
        found = _probe(rscript)
        if found.problem:
            return found
        _FOUND[rscript] = found
    return _FOUND[rscript]


_FOUND: dict[str, RFound] = {}


def _probe(rscript: str) -> RFound:
    if not rscript:
        home = os.environ.get("R_HOME", "")
        where = f"in R_HOME ({home})" if home else "on the PATH"
        problem = f"R is not installed: there is no Rscript {where}"
        return RFound(problem=problem, remedy=f"{INSTALL_R} and then {install_clusrank()}")
    expression = f"source({_r_string(r_file(BRIDGE))}); cat('\\nversions', versions(), sep='\\t')"
    try:
        # Files of the current folder, such as an .Rprofile, are not code of ours.
        done = ask([rscript, "--vanilla", "-e", expression], PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        problem = f"{rscript} did not answer within {PROBE_SECONDS} seconds"
        return RFound(rscript, problem=problem, remedy=MEND_R)
    except OSError as error:
        return RFound(rscript, problem=f"{rscript} does not start: {error}", remedy=INSTALL_R)
    # R may print first.
    said = [line.split("\t") for line in done.stdout.splitlines() if line.startswith("versions\t")]
    if done.returncode != 0 or not said:
        problem = f"{rscript} fails: {last_words(done.stderr) or last_words(done.stdout)}"
        return RFound(rscript, problem=problem, remedy=MEND_R)
    _, version, clusrank = (said[-1] + [""])[:3]
    problem = clusrank_problem(version, clusrank)
    return RFound(rscript, version, clusrank, problem, install_clusrank() if problem else "")


def run_in_rscript(
    x: NDArray[np.float64],
    cluster: NDArray[np.int32],
    test: NDArray[np.int32],
    settings: tuple[str | int, ...],
) -> pd.DataFrame:
    """Run all tests in one ``Rscript`` process, and return one row per test.

    `test` is the number of the test of each difference, and the settings are those of the R
    function: method, null, alternative, number of resamples and seed.
    """
    found = probe_r()
    seconds = _timeout()
    with tempfile.TemporaryDirectory(prefix="occstats-") as folder:
        differences, answers = Path(folder, "differences.csv"), Path(folder, "answers.csv")
        # Hexadecimal: R's reader of decimals can be off in the last bit, which breaks ties.
        rows = {"x": [value.hex() for value in x.tolist()], "cluster": cluster, "test": test}
        pd.DataFrame(rows).to_csv(differences, index=False)
        command = [found.rscript, "--vanilla", str(r_file(BRIDGE))]
        command += [str(differences), str(answers), *map(str, settings)]
        try:
            done = ask(command, seconds)
        except subprocess.TimeoutExpired:
            n_tests = int(test.max()) + 1
            raise EngineError(
                f"engine 'rscript': R did not finish {n_tests} test{'s' * (n_tests != 1)} within "
                f"{seconds:g} seconds; "
                f"set {TIMEOUT_VARIABLE} to more seconds, {NATIVE_OFFER}"
            ) from None
        except OSError as error:
            raise EngineError(
                f"engine 'rscript': {found.rscript} does not start: {error}; {INSTALL_R}, "
                f"{NATIVE_OFFER}"
            ) from None
        if done.returncode != 0 or not answers.is_file():
            raise EngineError(
                f"engine 'rscript': R ended with code {done.returncode}: "
                f"{last_words(done.stderr) or 'no message'}; {NATIVE_OFFER}"
            )
        table = pd.read_csv(answers, dtype=str, keep_default_na=False, encoding_errors="replace")
        # Converted as text, so that no bit is lost.
        numbers = {name: [_number(text) for text in table[name]] for name in NUMBERS}
        return table.assign(**numbers)


def _number(text: str) -> float:
    return np.nan if text == "NA" else float(text)


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


def _timeout() -> float:
    text = os.environ.get(TIMEOUT_VARIABLE, "")
    if not text:
        return RUN_SECONDS
    try:
        seconds = float(text)
    except ValueError:
        seconds = np.nan
    if not seconds > 0:
        raise EngineError(
            f"{TIMEOUT_VARIABLE} must be a number of seconds above 0; got {text!r}: change or "
            "unset it"
        )
    return min(seconds, threading.TIMEOUT_MAX)


def _r_string(path: Path) -> str:
    escaped = path.as_posix().replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
