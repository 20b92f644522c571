"""The clustered signed-rank tests of R's package clusrank, embedded by rpy2 or run by Rscript.

The native engine is the default and needs no R; this one puts the reference implementation itself
into the loop. This is the only file that knows rpy2, and nothing imports rpy2 until a test is asked
for. The R side is ``R/clusrank_bridge.R``; all tests of a comparison are one call of R.

What clusrank 1.0-4 does differently, and what is done about it here:

* ``ds`` reads the rows as if they were sorted by cluster: they are sorted before the call.
* ``exact`` and ``permutation`` stop with an error if a difference is zero: zeros are dropped
  before the call, as the test drops them anyway.
* The p-value ``greater`` of ``exact`` and ``permutation`` is P(T* > T), so that it is 0 for the
  most extreme sample: ``less`` of the mirrored differences is asked for instead, P(T* ≥ T).
* ``exact`` is wrong for many samples, without a warning: those are refused, see
  :func:`occstats.stats.clusrank_batch.exact_defect`.
* ``permutation`` with ``rgl`` flips whole clusters, but its statistic is the plain sum of signed
  ranks (the native engine's is Z), and its p-value is (b + 1/2) / (B + 1) (natively
  (b + 1) / (B + 1)): the two engines answer slightly different questions.
* ``permutation`` with ``ds`` flips each difference on its own, as if there were no clusters:
  refused.
* It does not report the intraclass correlation: that number is the native one.
"""

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from occstats.checks import check_choice
from occstats.errors import EngineError
from occstats.stats.arrays import as_scores, as_vector, cluster_codes, round_to_grid
from occstats.stats.clusrank_batch import (
    Answers,
    Batch,
    Samples,
    evaluate_in_r,
    native_offer,
    seed_for_r,
)
from occstats.stats.process_guards import interruptible, own_environment, quiet_start
from occstats.stats.rscript import (
    INSTALL_CLUSRANK,
    PROBE_SECONDS,
    bridge_path,
    find_rscript,
    refuse,
    require_r,
    run_in_rscript,
)
from occstats.stats.signed_rank import (
    METHODS,
    Alternative,
    ClusteredWilcoxonResult,
    Method,
    Null,
    as_result,
)
from occstats.stats.signed_rank_pairs import PairwiseTests, collect_pairs
from occstats.stats.tests.engine import Evaluation
from occstats.stats.tests.null import RandomState
from occstats.stats.tests.registry import check_test

__all__ = ["Rpy2Found", "clusrank_pairs", "clusrank_test", "engine_versions", "probe_rpy2"]

Way = Literal["rpy2", "rscript"]

INSTALL_RPY2 = "install it with pip install 'occstats[r]' (it is compiled, which needs r-base-dev)"
ANOTHER_RPY2 = (
    "install the version that fits your R (pip install 'occstats[r]' up to R 4.4, "
    "rpy2-rinterface 3.6.6 or later from R 4.5 on) or use engine 'rscript'"
)


def clusrank_test(
    x: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    mu: float = 0.0,
    method: Method = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
    through: Way = "rpy2",
) -> ClusteredWilcoxonResult:
    """Test one sample of clustered differences with R's ``clusrank::clusWilcox.test``.

    Parameters
    ----------
    x, clusters, mu, method, null, alternative, tie_tolerance, n_resamples, random_state
        As for :func:`occstats.stats.clustered_wilcoxon`; the seed is set in R.
    through : {"rpy2", "rscript"}
        R embedded in this process, or a process of its own.

    Returns
    -------
    ClusteredWilcoxonResult
        What clusrank says. What it does not say is native: the intraclass correlation, and why
        there is no test where there is none. `zstatistic` and `variance` are NaN for
        the nulls ``"exact"`` and ``"permutation"``, for which clusrank reports neither.

    Raises
    ------
    EngineError
        R, rpy2 or clusrank is missing or fails, or clusrank would give a wrong answer.

    References
    ----------
    .. [1] Y. Jiang, M.-L. T. Lee, X. He, B. Rosner, J. Yan (2020). Wilcoxon rank-based tests for
       clustered data with R package clusrank. Journal of Statistical Software 96(6).

    Examples
    --------
    >>> differences = [0.02, 0.05, 0.01, -0.01, 0.03, 0.04, 0.06, -0.02]
    >>> dataset = ["wine", "wine", "wine", "iris", "iris", "ecoli", "ecoli", "ecoli"]
    >>> clusrank_test(differences, dataset, alternative="greater").pvalue  # doctest: +SKIP
    0.0556...
    """
    values = as_vector("x", x) - float(mu)
    codes, _ = cluster_codes(clusters, len(values))
    sample = (round_to_grid(values, tie_tolerance), codes)
    found = _run(
        {"the test": sample}, method, null, alternative, n_resamples, random_state, through
    )
    return as_result(found["the test"], method=method, null=null, alternative=alternative)


def clusrank_pairs(
    scores: npt.ArrayLike,
    clusters: npt.ArrayLike,
    *,
    mu: float = 0.0,
    method: Method = "rgl",
    null: Null = "asymptotic",
    alternative: Alternative = "two-sided",
    tie_tolerance: float = 0.0,
    n_resamples: int = 10_000,
    random_state: RandomState = None,
    through: Way = "rpy2",
    names: Sequence[str] | None = None,
) -> PairwiseTests:
    """Test all ordered pairs of columns with clusrank, in one call of R.

    Parameters
    ----------
    scores : array_like of shape (n_tasks, k)
        Higher is better; NaN marks a missing score, and each pair uses the tasks both have.
    clusters, mu, method, null, alternative, tie_tolerance, n_resamples, random_state, through
        As for :func:`clusrank_test`; every pair starts from the same seed.
    names : sequence of str, optional
        Of the columns, for messages; all different.

    Returns
    -------
    PairwiseTests
        As from the native engine.

    Raises
    ------
    EngineError
        As for :func:`clusrank_test`; an error in a single pair refuses them all.

    Examples
    --------
    >>> scores = [[.9, .8, .7], [.8, .9, .6], [.7, .5, .6], [.9, .8, .8], [.6, .5, .2]]
    >>> clusrank_pairs(scores, [1, 1, 2, 2, 3]).p[0, 1]  # doctest: +SKIP
    0.2059...
    """
    table = as_scores("scores", scores, allow_nan=True)
    codes, _ = cluster_codes(clusters, len(table))
    columns = names or [f"column {i}" for i in range(table.shape[1])]
    samples: Samples = {}
    for a, b in permutations(range(table.shape[1]), 2):
        differences = table[:, a] - table[:, b]
        both = ~np.isnan(differences)
        rounded = round_to_grid(differences[both] - mu, tie_tolerance)
        label = f"{columns[a]} against {columns[b]}"
        # Names may contain the word.
        label += f" (columns {a} and {b})" * (label in samples)
        samples[label] = (rounded, codes[both])
    found = _run(samples, method, null, alternative, n_resamples, random_state, through)
    by_pair = dict(zip(permutations(range(table.shape[1]), 2), found.values(), strict=True))
    return collect_pairs(lambda a, b: by_pair[a, b], table.shape[1], alternative, mirrored=False)


def engine_versions(through: Way) -> dict[str, str]:
    """The engine and the versions of what it consists of, for the record of a comparison.

    Examples
    --------
    >>> engine_versions("rpy2")  # doctest: +SKIP
    {'engine': 'clusrank', 'R': '4.2.2', 'clusrank': '1.0.4', 'rpy2': '3.6.5'}
    """
    if through == "rscript":
        found = require_r("rscript")
        return {"engine": "rscript", "R": found.version, "clusrank": found.clusrank}
    embedded = _require_embedded()
    return {
        "engine": "clusrank",
        "R": embedded.r_version,
        "clusrank": embedded.clusrank,
        "rpy2": embedded.version,
    }


def _run(
    samples: Samples,
    method: str,
    null: str,
    alternative: str,
    n_resamples: int,
    random_state: RandomState,
    through: str,
) -> dict[str, Evaluation]:
    check_choice("method", method, METHODS)
    check_choice("through", through, ("rpy2", "rscript"))
    check_test(method, null, alternative, n_resamples)
    if through == "rpy2":
        _require_embedded()
    else:
        require_r("rscript")
    return evaluate_in_r(
        samples,
        run_embedded if through == "rpy2" else run_in_rscript,
        method=method,
        null=null,
        alternative=alternative,
        n_resamples=n_resamples,
        seed=seed_for_r(random_state),
    )


@dataclass(frozen=True)
class Rpy2Found:
    """What a fresh Python process says of rpy2.

    Parameters
    ----------
    version
        Of rpy2, empty if it is not installed.
    r_version, clusrank
        The versions of R and clusrank that it sees, empty if none.
    problem, remedy
        What is wrong and what to do about it; empty if rpy2 can be used.
    """

    version: str = ""
    r_version: str = ""
    clusrank: str = ""
    problem: str = ""
    remedy: str = ""


# Importing rpy2 can print, raise anything, or take the process with it, so a new one tries first.
_PROBE = """
import json, sys
said = {}
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


_FOUND: dict[str, Rpy2Found] = {}


def probe_rpy2() -> Rpy2Found:
    """Try in a new process whether rpy2 can embed R; what was found is tried once per process."""
    rscript = find_rscript()
    # What is missing may be installed meanwhile, so only success is remembered.
    if rscript not in _FOUND:
        found = _probe_rpy2()
        if found.problem or not found.clusrank:
            return found
        _FOUND[rscript] = found
    return _FOUND[rscript]


def _probe_rpy2() -> Rpy2Found:
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE, bridge_path().as_posix()],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError) as error:
        return _broken(f"a new process does not get through its import: {error}")
    said = [line for line in done.stdout.splitlines() if line.startswith("rpy2 says ")]
    if not said:
        return _broken(f"it ends the process with code {done.returncode}")
    answer = json.loads(said[-1].removeprefix("rpy2 says "))
    if "absent" in answer:
        return Rpy2Found(problem="rpy2 is not installed", remedy=INSTALL_RPY2)
    if "broken" in answer:
        return _broken(" ".join(answer["broken"].split())[:300])
    r_version, clusrank = answer["versions"]
    return Rpy2Found(_rpy2_version(), r_version, clusrank)


def _broken(how: str) -> Rpy2Found:
    version = _rpy2_version()
    problem = f"rpy2 {version} is installed but cannot be used: {how}".replace("  ", " ")
    return Rpy2Found(version, problem=problem, remedy=ANOTHER_RPY2)


def _rpy2_version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    for distribution in ("rpy2-rinterface", "rpy2"):
        try:
            return version(distribution)
        except PackageNotFoundError:
            continue
    return ""


def _require_embedded() -> Rpy2Found:
    if not find_rscript():
        require_r("clusrank")
    found = probe_rpy2()
    if found.problem:
        if found.version:
            require_r("clusrank")  # what is broken may be R
        refuse("clusrank", found.problem, found.remedy)
    if not found.clusrank:
        problem = f"the R package clusrank is not installed in R {found.r_version}"
        refuse("clusrank", problem, INSTALL_CLUSRANK)
    return found


def run_embedded(batch: Batch) -> Answers:
    """Run all tests of a batch in the R that lives in this process."""
    _require_embedded()
    rinterface, clusrank_batch = _start_r()
    with _quiet_r(), interruptible() as interrupted:
        try:
            table = clusrank_batch(
                rinterface.FloatSexpVector.from_memoryview(batch.x.data),
                rinterface.IntSexpVector.from_memoryview(batch.cluster.data),
                rinterface.IntSexpVector.from_memoryview(batch.test.data),
                *batch.settings,
                go_on=rinterface.rternalize(lambda: rinterface.BoolSexpVector([not interrupted()])),
            )
        except rinterface.embedded.RRuntimeError as error:
            said = " ".join(str(error).split())[:300]
            raise EngineError(f"engine 'clusrank': R failed: {said}; {native_offer()}") from None
        columns = dict(zip(table.names, table, strict=True))
        numbers = {name: np.array(columns[name], dtype=np.float64) for name in Answers.numeric()}
        return Answers(**numbers, failure=tuple(str(text) for text in columns["failure"]))


@cache
def _start_r() -> tuple[Any, Any]:
    with quiet_start():
        rinterface = importlib.import_module("rpy2.rinterface")
        with _quiet_r():
            with own_environment():
                rinterface.initr()
            environment = rinterface.baseenv["new.env"]()
            rinterface.baseenv["source"](bridge_path().as_posix(), local=environment)
            return rinterface, environment["clusrank_batch"]


@contextmanager
def _quiet_r() -> Iterator[None]:
    """Hold the lock of the embedded R and swallow what it writes to its console."""
    callbacks = importlib.import_module("rpy2.rinterface_lib.callbacks")
    lock = importlib.import_module("rpy2.rinterface_lib.openrlib").rlock
    with lock, ExitStack() as restored:
        for name in ("consolewrite_print", "consolewrite_warnerror", "showmessage"):
            restored.callback(setattr, callbacks, name, getattr(callbacks, name))
            setattr(callbacks, name, lambda _text: None)
        yield
