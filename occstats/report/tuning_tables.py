"""Report hyperparameter sweeps and run times: tables, figures and files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from occstats._format import decimals, integer, significant, word
from occstats.report.formatted_table import Table, frame_table, frame_to_csv

if TYPE_CHECKING:
    from occstats.tuning import Sweep

TIMES = ["descriptor", "n", "fit_seconds", "fit_growth", "query_seconds", "query_growth"]
# Axis labels of hyperparameters.
AXIS_LABELS = {
    "a": "a (k = a log n)",
    "b": "b (l = b log n)",
    "c": "c′ (c = c′ m)",
    "nu": "ν",
}


def _number(value: Any) -> str:
    return str(value) if isinstance(value, str | bool) else significant(4)(value)


def _range(low: Any, high: Any) -> str:
    if pd.isna(low) or pd.isna(high):
        return word(None)
    return f"{_number(low)} – {_number(high)}"


def defaults_table(sweep: Sweep) -> Table:
    """Return the optimal defaults and those of the paper."""
    return frame_table(
        sweep.defaults,
        ("Descriptor", "descriptor", word),
        ("Metric", "metric", word),
        ("Hyperparameter", "hyperparameter", word),
        ("Optimum", "optimum", _number),
        ("Default", "default", _number),
        ("Paper", "paper", _number),
        ("Flat", "flat_low", "flat_high", _range),
        ("95 % CI", "ci_low", "ci_high", _range),
        ("AUROC", "score", decimals(4)),
        ("Datasets", "n_datasets", integer),
        name="defaults",
        title="Optimal default hyperparameters",
        explanation="The maximum of the smoothed mean AUROC (mean over the classes of a dataset, "
        "then over datasets; centred rolling mean with partial windows at the edges), rounded to "
        "the paper's steps. Flat: the range within 0.001 of the maximum."
        + " 95 % CI: from resamples of datasets."
        * bool(sweep.defaults["ci_low"].notna().any()),
        note=" ".join(sweep.notes),
        terminal_rows=30,
    )


def sweep_files(kinds: Sequence[str]) -> list[str]:
    """Return the names of the files of a sweep but those of single metrics."""
    names = ["defaults.csv", "defaults.tex", "leave_one_dataset_out.csv", "tuning.json"]
    return [*names, "curves.csv", "results.csv", *(f"sweep.{kind}" for kind in kinds)]


def write_sweep(
    sweep: Sweep, folder: str | Path, *, figure_formats: Sequence[str] = ("pdf", "svg")
) -> list[str]:
    """Write the tables, curves, results and figure into the folder of the sweep.

    ``defaults.csv`` and ``defaults.tex``, ``leave_one_dataset_out.csv``, ``tuning.json``,
    ``curves.csv`` (drawn by ``occstats figures --sweep``), ``results.csv`` (read by ``occstats
    compare``; one file for each further metric), and the figure.

    Returns
    -------
    list of str
        Figures that could not be drawn, with the reason.
    """
    from occstats._files import write_folder
    from occstats.errors import FigureError
    from occstats.figures import sweep as draw
    from occstats.figures._style import render
    from occstats.report.markup import table_to_latex

    defaults = defaults_table(sweep)
    files: dict[str, str | bytes]
    files = {"defaults.csv": defaults.to_csv(), "defaults.tex": table_to_latex(defaults)}
    if len(sweep.chosen):
        files["leave_one_dataset_out.csv"] = frame_to_csv(sweep.chosen)
    files["tuning.json"] = json.dumps(sweep.to_dict(), indent=1, ensure_ascii=False) + "\n"
    files["curves.csv"] = sweep.curves.to_csv(index=False, lineterminator="\n")
    for metric, results in sweep.results_by_metric.items():
        name = "results.csv" if metric is None else f"results_{metric}.csv"
        files[name] = results.to_csv(index=False, lineterminator="\n")
    not_drawn = []
    if len(sweep.curves) and figure_formats:
        try:
            drawn = draw(sweep.curves, axis_labels=AXIS_LABELS)
            title = "Mean AUROC over hyperparameters"
            files |= render(drawn, "sweep", figure_formats, title=title)
        except FigureError as error:
            not_drawn = [f"The figure was not drawn: {error}."]
    write_folder(folder, files.items(), force=None)
    return not_drawn


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
    measured = measured.assign(query_seconds=measured["query_seconds"] / measured["n_queries"])
    rows = []
    for name, own in measured.groupby("descriptor", sort=False):
        means = own.groupby("n")[["fit_seconds", "query_seconds"]].mean()
        fit, query = means["fit_seconds"], means["query_seconds"]
        rows.append(
            (name, int(means.index[-1]), fit.iloc[-1], _slope(fit), query.iloc[-1], _slope(query))
        )
    return frame_table(
        pd.DataFrame(rows, columns=pd.Index(TIMES)),
        "descriptor",
        ("n", "n", integer),
        ("construction s", "fit_seconds", significant(3)),
        ("grows as n^", "fit_growth", decimals(2)),
        ("query s", "query_seconds", significant(3)),
        ("grows as n^", "query_growth", decimals(2)),
        name="times",
        title="Run times",
        explanation="Mean seconds on one thread at the largest size measured, for construction and "
        "per query, and the exponents of their growth with n.",
    )


def _slope(seconds: pd.Series) -> float:
    positive = seconds[seconds > 0]
    if len(positive) < 2:
        return float("nan")
    n = np.log(positive.index.to_numpy(float))
    centred = n - n.mean()
    return float(centred @ np.log(positive.to_numpy(float)) / (centred @ centred))
