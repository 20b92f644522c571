"""The clustered signed-rank tests of R's package clusrank, embedded by rpy2 or run by Rscript.

The R side is ``R/clusrank_bridge.R``; all tests of a comparison are one call of R. Only the
asymptotic tests are used: the exact test of clusrank 1.0-4 is wrong for many samples, and its
permutation tests differ from the native ones.

Differences of clusrank 1.0-4 from the native tests, and how they are handled:

* ``ds`` assumes that rows are sorted by cluster: they are sorted before the call.
* There is no test where all signed ranks are equal and clusters differ in size: natively the
  intraclass correlation is 1 there, and ``reasons`` note the difference.
* Infinite differences (failures) are dropped: they are replaced by twice the largest finite one.
* The intraclass correlation is not reported: it is computed natively.

References
----------
.. [1] Y. Jiang, M.-L. T. Lee, X. He, B. Rosner, J. Yan (2020). Wilcoxon rank-based tests for
   clustered data with R package clusrank. Journal of Statistical Software 96(6).
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np

from occstats.engines.embedded_r import run_embedded
from occstats.engines.installation import NATIVE_OFFER, require
from occstats.engines.rscript import run_in_rscript
from occstats.errors import EngineError
from occstats.stats._arrays import FloatArray, IntArray, round_to_grid
from occstats.stats.sample import Sample
from occstats.stats.signed_rank.pairwise import Alternative, PairwiseTests, TestName, pairwise_tests

# Natively the intraclass correlation is 1 there; clusrank divides by a variance of zero.
EQUAL_RANKS = "clusrank has no test where all signed ranks are equal"


def clusrank_pairs(
    sample: Sample,
    *,
    test: TestName = "rgl",
    alternative: Alternative = "two-sided",
    engine: str = "rpy2",
    names: Sequence[str] | None = None,
) -> PairwiseTests:
    """Test all ordered pairs of columns with clusrank, in one call of R.

    The result is that of :func:`occstats.stats.pairwise_tests`, with its reasons for no test.
    `names` are those of the columns, for messages.
    """
    require(engine)
    native = pairwise_tests(sample, test=test, alternative=alternative)
    columns = names or [f"column {i}" for i in range(sample.n_algorithms)]
    samples: dict[tuple[int, int], tuple[FloatArray, IntArray]] = {}
    for pair in permutations(range(sample.n_algorithms), 2):
        differences = sample.pair_differences(*np.array(pair)[:, None])[:, 0]
        both = ~np.isnan(differences)
        rounded = round_to_grid(differences[both], sample.tie_tolerance)
        largest = 2 * np.abs(rounded[np.isfinite(rounded)]).max(initial=1.0)
        x, codes = np.clip(rounded, -largest, largest), sample.clusters.independent.codes[both]
        if pair not in native.reasons and x.any():
            samples[pair] = x, codes
    if not samples:
        return native
    lengths = [len(x) for x, _ in samples.values()]
    answers = (run_embedded if engine == "rpy2" else run_in_rscript)(
        np.concatenate([x for x, _ in samples.values()]),
        np.concatenate([codes for _, codes in samples.values()]).astype(np.int32),
        np.repeat(np.arange(len(lengths), dtype=np.int32), lengths),
        (test, alternative.replace("-", ".")),
    )
    reasons, numbers = dict(native.reasons), ("statistic", "z", "variance", "p")
    found = {name: getattr(native, name).copy() for name in numbers}
    rows: Any = answers.itertuples(index=False)
    for (pair, (x, _)), row in zip(samples.items(), rows, strict=True):
        if row.failure:
            raise EngineError(
                f"clusrank failed on {columns[pair[0]]} against {columns[pair[1]]}: "
                f"{' '.join(row.failure.split())[:300]}; {NATIVE_OFFER}"
            )
        given = native.n_observations[pair], native.n_clusters[pair]
        if (row.observations, row.clusters) != given:
            raise EngineError(
                "clusrank reports other numbers of observations or clusters than it was "
                f"given: its version is not supported; {NATIVE_OFFER}"
            )
        for name in numbers:
            found[name][pair] = getattr(row, name)
        if np.isnan(row.p) and np.ptp(x[x != 0]) == 0:
            reasons[pair] = EQUAL_RANKS
    return replace(native, **found, reasons=reasons)
