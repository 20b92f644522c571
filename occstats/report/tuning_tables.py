"""Report of a hyperparameter sweep: tables, figures and files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from occstats._format import decimals, integer, significant, word
from occstats.report.formatted_table import Column, Table

if TYPE_CHECKING:
    from occstats.tuning import Sweep

__all__ = ["choices_table", "defaults_table", "print_sweep", "write_sweep"]

# Axis labels of hyperparameters.
AXIS_LABELS = {
    "a": "a (k = a log n)",
    "b": "b (l = b log n)",
    "c": "c′ (c = c′ m)",
    "nu": "ν",
}


def _number(value: Any) -> str:
    if isinstance(value, str | bool):
        return str(value)
    return significant(4)(value)


def _range(low: Any, high: Any) -> str:
    if pd.isna(low) or pd.isna(high):
        return word(None)
    return f"{_number(low)} – {_number(high)}"


def defaults_table(sweep: Sweep) -> Table:
    """Return the table of the defaults and those of the paper."""
    return Table(
        name="defaults",
        title="Optimal default hyperparameters",
        explanation=(
            "The maximum of the smoothed mean AUROC (mean over the classes of a dataset, then "
            "over datasets; centred rolling mean with partial windows at the edges), rounded to "
            "the paper's steps. Flat: the range within 0.001 of the maximum. 95 % CI: from "
            "resamples of datasets."
        ),
        frame=sweep.defaults,
        columns=(
            Column("Descriptor", ("descriptor",), number=False),
            Column("Metric", ("metric",), number=False),
            Column("Hyperparameter", ("hyperparameter",), number=False),
            Column("Optimum", ("optimum",), _number),
            Column("Default", ("default",), _number),
            Column("Paper", ("paper",), _number),
            Column("Flat", ("flat_low", "flat_high"), _range),
            Column("95 % CI", ("ci_low", "ci_high"), _range),
            Column("AUROC", ("score",), decimals(4)),
            Column("Datasets", ("n_datasets",), integer),
        ),
        note=" ".join(sweep.notes),
        terminal_rows=30,
    )


def choices_table(sweep: Sweep) -> Table:
    """Return the table of the parameters for each dataset, chosen on the others."""
    frame = sweep.chosen
    names = [name for name in frame.columns if name not in {"descriptor", "dataset", "auroc"}]
    return Table(
        name="leave_one_dataset_out",
        title="Leave-one-dataset-out parameters",
        explanation=(
            "For each dataset the hyperparameters that maximise the smoothed mean AUROC over the "
            "other datasets, and its own mean AUROC with them."
        ),
        frame=frame,
        columns=(
            Column("Descriptor", ("descriptor",), number=False),
            Column("Dataset", ("dataset",), number=False),
            *(Column(name, (name,), _number) for name in names),
            Column("AUROC", ("auroc",), decimals(3)),
        ),
        terminal_rows=0,
    )


def write_sweep(
    sweep: Sweep, folder: str | Path, *, figure_formats: tuple[str, ...] = ("pdf", "svg")
) -> list[str]:
    """Write the tables, curves, choices, results and figures into the folder of the sweep.

    ``defaults`` and ``leave_one_dataset_out`` as CSV, Markdown and LaTeX, ``tuning.json``,
    ``curves.csv`` (what ``occstats figures --sweep`` draws), ``results.csv`` (what ``occstats
    compare`` takes; one file for each metric other than the usual), and the figure.

    Returns
    -------
    list of str
        Figures that could not be drawn, with the reason.
    """
    from occstats._files import write_folder

    write_folder(folder, _contents(sweep))
    return _draw(sweep, folder, figure_formats)


def _contents(sweep: Sweep) -> Iterator[tuple[str, str | bytes]]:
    from occstats.report.media import table_files

    tables = [defaults_table(sweep)]
    if len(sweep.chosen):
        tables.append(choices_table(sweep))
    for table in tables:
        yield from table_files(table, table.name)
    yield "tuning.json", json.dumps(sweep.to_dict(), indent=1, ensure_ascii=False) + "\n"
    yield "curves.csv", sweep.curves.to_csv(index=False, lineterminator="\n")
    for metric, results in sweep.results_by_metric.items():
        name = "results.csv" if metric is None else f"results_{metric}.csv"
        yield name, results.to_csv(index=False, lineterminator="\n")


def _draw(sweep: Sweep, folder: str | Path, kinds: tuple[str, ...]) -> list[str]:
    from occstats.figures import sweep as draw
    from occstats.figures.saving import save
    from occstats.figures.style import FigureError

    if sweep.curves.empty or not kinds:
        return []
    try:
        figure = draw(sweep.curves, axis_labels=AXIS_LABELS)
    except FigureError as error:
        return [f"The figure was not drawn: {error}."]
    save(figure, Path(folder) / "sweep", formats=kinds, title="Mean AUROC over hyperparameters")
    return []


def print_sweep(sweep: Sweep, *, file: Any = None) -> None:
    """Print the table of the defaults."""
    from occstats.report.terminal import make_console, print_table

    console = make_console(file)
    print_table(console, defaults_table(sweep))
