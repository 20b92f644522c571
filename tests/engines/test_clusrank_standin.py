"""The bridge to R with a stand-in for clusrank, which returns sums that are easy to check."""

import json
import os
import signal
import subprocess
import sys

import pytest

from occstats.engines.installation import find_rscript, probe
from occstats.engines.sessions import own_environment

pytestmark = pytest.mark.skipif(not find_rscript(), reason="needs R: there is no Rscript")

STAND_IN = """
clusWilcox.test <- function(x, cluster, paired, method, alternative, exact) {
    cat("noise on stdout\\n")
    message("noise on stderr")
    warning("a warning")
    stopifnot(paired, !exact, is.integer(cluster), !is.unsorted(cluster))
    if (any(x == 99)) stop("boom \\u00e9\\n  and more")
    Sys.sleep(as.numeric(Sys.getenv("STAND_IN_SECONDS", "0")))
    kept <- if (method == "rgl") x != 0 else rep(TRUE, length(x))
    variance <- sum(tapply(x, cluster, sum)^2)
    answer <- list(statistic = c(Z = sum(x) / sqrt(variance)), p.value = 1 / 3, nobs = sum(kept),
                   nclus = length(unique(cluster[kept])))
    if (method == "ds") answer$vsrstat <- variance
    else answer[c("Rstat", "VRstat")] <- c(sum(x), variance)
    answer
}
"""

PROGRAM = """
import json, sys
from occstats.errors import EngineError
from occstats.engines.clusrank import clusrank_pairs
from occstats.stats import Sample
said = []
for x, clusters, options in json.loads(sys.argv[1]):
    try:
        found = clusrank_pairs(Sample.of([[value, 0] for value in x], clusters), **options)
        said.append([each[0, 1] for each in (found.statistic, found.variance, found.p)])
    except EngineError as error:
        said.append(str(error))
    except KeyboardInterrupt:
        said.append("interrupted")
print(json.dumps(said))
"""

SAMPLE = [1.0, 0.1, -3.0, 0.0, 0.7], ["b", "a", "b", "a", "c"]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A library of R in which clusrank is the stand-in."""
    folder = tmp_path_factory.mktemp("stand-in")
    source, installed = folder / "clusrank", folder / "library"
    (source / "R").mkdir(parents=True)
    installed.mkdir()
    (source / "DESCRIPTION").write_text(
        "Package: clusrank\nVersion: 9.0.1\nTitle: Stand-In\nDescription: Of the interface.\n"
        "License: MIT\nAuthor: occstats\nMaintainer: occstats <nobody@localhost>\n"
    )
    (source / "NAMESPACE").write_text("export(clusWilcox.test)\n")
    (source / "R" / "stand_in.R").write_text(STAND_IN)
    command = ["CMD", "INSTALL", "--no-docs", "--no-test-load", f"--library={installed}"]
    r = find_rscript().replace("Rscript", "R")
    done = subprocess.run([r, *command, str(source)], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"R cannot install a package here: {done.stderr.strip().splitlines()[-1]}")
    (folder / ".Rprofile").write_text('cat("the profile speaks\\n"); message("twice")\n')
    return installed


@pytest.fixture
def environment(library):
    profile = str(library.parent / ".Rprofile")
    return {**os.environ, "R_LIBS": str(library), "R_PROFILE_USER": profile}


@pytest.fixture(params=["rpy2", "rscript"])
def engine(request):
    if request.param == "rpy2" and not probe("rpy2").r:
        pytest.skip(f"needs rpy2: {probe('rpy2').problem}")
    return request.param


def start(environment, asked, engine):
    asked = [(*sample, {**options, "engine": engine}) for sample, options in asked]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, json.dumps(asked)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_numbers_come_back_and_noise_does_not(environment, engine):
    asked = [
        (SAMPLE, {}),
        (SAMPLE, {"test": "ds"}),
        (([1.0, 99.0, -2.0], [1, 2, 2]), {}),
        (SAMPLE, {}),
    ]
    output, errors = start(environment, asked, engine).communicate(timeout=120)
    rgl, ds, failed, after = json.loads(output)
    assert errors == ""
    total, variance = 1 + 0.1 - 3 + 0.7, 0.1**2 + (1 - 3) ** 2 + 0.7**2
    assert rgl == pytest.approx([total, variance, 1 / 3], rel=1e-15)
    assert ds == pytest.approx([total, variance, 1 / 3], rel=1e-14)
    assert failed.startswith(
        "clusrank failed on column 0 against column 1: boom é and more; or use engine 'native'"
    )
    assert after == rgl


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_an_embedded_r_can_be_interrupted(environment):
    if not probe("rpy2").r:
        pytest.skip(f"needs rpy2: {probe('rpy2').problem}")
    program = """
import numpy as np
from occstats.engines.clusrank import clusrank_pairs
from occstats.stats import Sample
sample = Sample.of([[1, 0], [-2, 0], [3, 0]], [1, 1, 2])
before = clusrank_pairs(sample).statistic[0, 1]
try:
    print("started", flush=True)
    clusrank_pairs(Sample.of(np.random.default_rng(0).random((8, 30)), np.arange(8)))
except KeyboardInterrupt:
    print("interrupted", clusrank_pairs(sample).statistic[0, 1] == before)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**environment, "STAND_IN_SECONDS": "0.05"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "started\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert (output, errors) == ("interrupted True\n", "")


def test_starting_r_restores_the_environment_except_its_own(monkeypatch):
    monkeypatch.setenv("OCCSTATS_KEPT", "mine")
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setenv("R_HOME", "nowhere")
    with own_environment():
        os.environ["LD_LIBRARY_PATH"] = "another Python's libraries"
        os.environ["OCCSTATS_KEPT"] = "theirs"
        os.environ["R_HOME"] = "where R is"
    assert "LD_LIBRARY_PATH" not in os.environ
    assert os.environ["OCCSTATS_KEPT"] == "mine"
    assert os.environ["R_HOME"] == "where R is"
