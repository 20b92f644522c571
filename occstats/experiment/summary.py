"""What a run achieved, and what failed and why."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from occstats._format import printable
from occstats.experiment.experiment import Experiment

__all__ = ["RunSummary", "summarise"]

MOST_FAILURES_SHOWN = 10


@dataclass(frozen=True, eq=False)
class RunSummary:
    """The closing summary of a run.

    Attributes
    ----------
    planned, done : int
        Rows of the experiment, and how many of them are in the store.
    failures : list of dict
        Each fit without an answer, with its reason.
    undefined : int
        Folds whose test part lacks target or other rows.
    omitted_rows : dict
        Data set → rows left out because of missing values.
    """

    n_datasets: int
    n_tasks: int
    n_descriptors: int
    planned: int
    done: int
    undefined: int
    failures: list[dict[str, Any]]
    omitted_rows: dict[str, int]
    small_classes: dict[str, int]

    @property
    def complete(self) -> bool:
        """Whether all planned rows are there."""
        return self.done == self.planned

    def as_dict(self) -> dict[str, Any]:
        """The summary as plain values."""
        return {**self.__dict__, "complete": self.complete}

    def lines(self) -> list[str]:
        """The summary in words."""
        lines = [
            f"{self.n_tasks} tasks from {self.n_datasets} data sets, {self.n_descriptors} "
            f"descriptors: {self.done} of {self.planned} fits are there."
        ]
        if self.omitted_rows:
            listed = ", ".join(f"{printable(k)} {v}" for k, v in self.omitted_rows.items())
            lines.append(f"Rows with missing values, left out: {listed}.")
        if self.small_classes:
            listed = ", ".join(f"{printable(k)} {v}" for k, v in self.small_classes.items())
            lines.append(f"Classes with fewer than five rows, not used as targets: {listed}.")
        if self.undefined:
            lines.append(
                f"{self.undefined} folds have no AUROC: their test part lacks target or other rows."
            )
        if self.failures:
            lines.append(f"{len(self.failures)} fits failed:")
            for failure in self.failures[:MOST_FAILURES_SHOWN]:
                where = f"{failure['descriptor']} on {failure['dataset']}, class {failure['class']}"
                lines.append(
                    f"  {printable(where)}, fold {failure['fold']}: {printable(failure['error'])}"
                )
            if len(self.failures) > MOST_FAILURES_SHOWN:
                lines.append(f"  … and {len(self.failures) - MOST_FAILURES_SHOWN} more")
            lines.append("Try them again with --force failed.")
        return lines


def summarise(experiment: Experiment, table: pd.DataFrame) -> RunSummary:
    """Sum up the rows of an experiment."""
    columns = ["dataset", "class", "descriptor", "fold", "status", "error"]
    failed = table[table["status"].isin(["failed", "timeout"])] if len(table) else table
    omitted = (
        table.groupby("dataset", sort=False)["omitted_rows"].first() if len(table) else pd.Series()
    )
    return RunSummary(
        n_datasets=len(experiment.tasks),
        n_tasks=sum(len(tasks) for _, _, tasks in experiment.tasks),
        n_descriptors=len(experiment.recipes),
        planned=experiment.plan.n_rows,
        done=len(table),
        undefined=int((table["status"] == "undefined").sum()) if len(table) else 0,
        failures=[dict(zip(columns, row, strict=True)) for row in failed[columns].to_numpy()]
        if len(table)
        else [],
        omitted_rows={str(k): int(v) for k, v in omitted.items() if v},
        small_classes=dict(experiment.small_classes),
    )
