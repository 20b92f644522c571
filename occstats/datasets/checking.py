"""Verify a folder of data sets against the catalogue."""

from dataclasses import dataclass
from pathlib import Path

from occstats.datasets.catalogue import catalogue, problems
from occstats.datasets.reading import data_files, read_dataset
from occstats.errors import DataError

__all__ = ["Finding", "check_folder"]


@dataclass(frozen=True)
class Finding:
    """What is to be said of one data set: ``ok``, ``missing``, ``differs``, ``unreadable``, or
    ``unknown`` (a file that is not of the paper)."""

    name: str
    status: str
    detail: str = ""


def check_folder(folder: str | Path, *, label: str = "class") -> list[Finding]:
    """Compare the files of a folder with the catalogue: attributes and class sizes.

    Returns
    -------
    list of Finding
        One per data set of the paper, and one per other file.
    """
    files = {path.name.removesuffix(".gz").rsplit(".", 1)[0]: path for path in data_files(folder)}
    findings = []
    for name, entry in catalogue().items():
        if name not in files:
            findings.append(Finding(name, "missing"))
            continue
        try:
            dataset = read_dataset(files[name], label=label, name=name)
        except DataError as error:
            findings.append(Finding(name, "unreadable", str(error)))
            continue
        wrong = problems(dataset, entry)
        rows = f"{entry.rows} rows, {entry.m} attributes, {len(entry.classes)} targets"
        findings.append(Finding(name, "differs" if wrong else "ok", "; ".join(wrong) or rows))
    others = [name for name in files if name not in catalogue()]
    return findings + [Finding(name, "unknown", "not a data set of the paper") for name in others]
