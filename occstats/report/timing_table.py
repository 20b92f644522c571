"""Tabulate run times: seconds per descriptor at the largest size, and their growth."""

from __future__ import annotations

import numpy as np
import pandas as pd

from occstats._format import decimals, integer, significant, word
from occstats.report.formatted_table import Column, Table

__all__ = ["timing_table"]


def timing_table(times: pd.DataFrame) -> Table:
    r"""Return mean times at the largest size that was measured, and their growth.

    The growth is the slope :math:`c` of the least-squares line of log seconds over log n: the time
    is of order :math:`n^c` over the sizes measured.

    Parameters
    ----------
    times
        One row per measurement: ``descriptor, n, n_queries, fit_seconds, query_seconds``.

    Examples
    --------
    >>> times = pd.DataFrame({"descriptor": "NND", "n": [64, 128], "n_queries": 8,
    ...                       "fit_seconds": [0.001, 0.002], "query_seconds": [0.08, 0.16]})
    >>> timing_table(times).cells()
    [['NND', '128', '0.002', '1.00', '0.02', '1.00']]
    """
    measured = times[(times["fit_seconds"] > 0) | (times["query_seconds"] > 0)]
    rows = []
    for name in dict.fromkeys(measured["descriptor"]):
        own = measured[measured["descriptor"] == name].assign(
            query_seconds=lambda frame: frame["query_seconds"] / frame["n_queries"]
        )
        means = own.groupby("n")[["fit_seconds", "query_seconds"]].mean()
        rows.append(
            {
                "descriptor": name,
                "n": int(means.index[-1]),
                "fit_seconds": means["fit_seconds"].iloc[-1],
                "fit_growth": _slope(means["fit_seconds"]),
                "query_seconds": means["query_seconds"].iloc[-1],
                "query_growth": _slope(means["query_seconds"]),
            }
        )
    names = ["descriptor", "n", "fit_seconds", "fit_growth", "query_seconds", "query_growth"]
    return Table(
        name="times",
        title="Run times",
        explanation="Mean seconds of one thread at the largest size measured, to construct and per "
        "query, and the power of n with which they grow.",
        frame=pd.DataFrame(rows, columns=names),
        columns=(
            Column("descriptor", ("descriptor",), word, number=False),
            Column("n", ("n",), integer),
            Column("construction s", ("fit_seconds",), significant(3)),
            Column("grows as n^", ("fit_growth",), decimals(2)),
            Column("query s", ("query_seconds",), significant(3)),
            Column("grows as n^", ("query_growth",), decimals(2)),
        ),
    )


def _slope(seconds: pd.Series) -> float:
    positive = seconds[seconds > 0]
    if len(positive) < 2:
        return float("nan")
    n = np.log(positive.index.to_numpy(float))
    centred = n - n.mean()
    return float(centred @ np.log(positive.to_numpy(float)) / (centred @ centred))
