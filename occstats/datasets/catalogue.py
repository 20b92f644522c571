"""Catalogue of the paper's fifty datasets, and the check of a folder against it."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from occstats._format import did_you_mean
from occstats.datasets.dataset import Dataset, data_files, read_dataset, stem_of
from occstats.errors import DataError


@dataclass(frozen=True, eq=False)
class Entry:
    """One dataset of the catalogue: its origin, and the properties of the paper's copy.

    Attributes
    ----------
    page, address : str
        Addresses of its description and of its archive.
    files : list of str
        The files in the archive, in the order in which they are joined.
    classes, small_classes : dict
        Class → number of rows; small classes are not targets, but serve as other rows.
    omitted_rows : int
        Rows with missing values in the original.
    digests : dict
        The `digests` of the paper's copy, if known.
    preparation : dict
        How the files become a table; see `occstats.datasets.fetching.prepare_table`.
    """

    name: str
    repository: str
    page: str
    address: str
    files: list[str]
    m: int
    classes: dict[str, int]
    small_classes: dict[str, int]
    omitted_rows: int
    digests: dict[str, str]
    preparation: dict[str, Any]

    @property
    def rows(self) -> int:
        """Return the number of rows without missing values."""
        return sum(self.classes.values()) + sum(self.small_classes.values())


@cache
def catalogue() -> dict[str, Entry]:
    """Return the paper's datasets by name.

    Examples
    --------
    >>> len(catalogue()), catalogue()["wine"].classes
    (50, {'1': 59, '2': 71, '3': 48})
    """
    text = files("occstats").joinpath("data/catalogue.json").read_text(encoding="utf-8")
    known = {"repository", "page", "address", "files", "m", "classes"}
    return {
        name: Entry(
            name=name,
            **{key: fields.pop(key) for key in known},
            small_classes=fields.pop("small_classes", {}),
            omitted_rows=fields.pop("omitted_rows", 0),
            digests=fields.pop("digests", {}),
            preparation=fields,
        )
        for name, fields in json.loads(text).items()
    }


def entry_of(name: str) -> Entry:
    """Return the entry of a dataset, or raise an error that suggests a name."""
    entries = catalogue()
    if name not in entries:
        raise DataError(f"{name!r} is not one of the paper's datasets{did_you_mean(name, entries)}")
    return entries[name]


def problems(dataset: Dataset, entry: Entry) -> list[str]:
    """List the differences of a dataset from the catalogue.

    Examples
    --------
    >>> from occstats.datasets import load_builtin
    >>> problems(load_builtin("iris"), entry_of("iris"))
    ["lacks the classes 'Iris-setosa' (50 rows), 'Iris-versicolor' (50 rows), ..."]
    """
    found = []
    m = dataset.X.shape[1]
    if m != entry.m:
        found.append(f"has {m} attributes, the paper's {entry.m}")
    expected = {**entry.classes, **entry.small_classes}
    sizes = dataset.class_sizes
    if lacking := [name for name in expected if name not in sizes]:
        listed = ", ".join(f"{name!r} ({expected[name]} rows)" for name in lacking)
        found.append(f"lacks the classes {listed}")
    if unknown := [name for name in sizes if name not in expected]:
        listed = ", ".join(f"{name!r} ({sizes[name]} rows)" for name in unknown)
        found.append(f"has the unknown classes {listed}")
    found += [
        f"has {sizes[name]} rows of class {name!r}, the paper's {size}"
        for name, size in expected.items()
        if name in sizes and sizes[name] != size
    ]
    if found or not entry.digests:
        return found
    ours = digests(dataset)
    if ours["whole"] == entry.digests["whole"]:
        return []
    what = "has other values than the paper's"
    if ours["any_order_of_rows"] == entry.digests["any_order_of_rows"]:
        what = "has the paper's rows in another order, on which the folds depend"
    elif ours["any_order_of_columns"] == entry.digests["any_order_of_columns"]:
        what = "has the paper's attributes in another order, on which random descriptors depend"
    return [f"{what} (digest {ours['whole']}, the paper's {entry.digests['whole']})"]


def digests(dataset: Dataset) -> dict[str, str]:
    """Return hashes of a dataset: exact, for any order of rows, and for any order of attributes.

    Values are rounded to nine digits: a spreadsheet does not keep the last bits.

    Examples
    --------
    >>> from occstats.datasets import load_builtin
    >>> iris = load_builtin("iris")
    >>> turned = Dataset("iris", iris.X[::-1], iris.labels[::-1])
    >>> [ours == theirs for ours, theirs in zip(digests(iris).values(), digests(turned).values())]
    [False, True, False]
    """
    values, places = np.unique(dataset.X, return_inverse=True)
    # Rounding through text is the same on every machine.
    X = np.array([float(f"{value:.9g}") + 0.0 for value in values])[places.reshape(dataset.X.shape)]
    rows = sorted(
        hashlib.sha256(row.tobytes() + label.encode()).digest()
        for row, label in zip(X, dataset.labels.tolist(), strict=True)
    )
    columns = sorted(hashlib.sha256(column.tobytes()).digest() for column in X.T)
    labels = "\0".join(dataset.labels.tolist()).encode()
    return {
        "whole": _short(X.tobytes() + labels),
        "any_order_of_rows": _short(b"".join(rows)),
        "any_order_of_columns": _short(b"".join(columns) + labels),
    }


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


@dataclass(frozen=True)
class Finding:
    """The status of one dataset: ``ok``, ``missing``, ``differs``, ``unreadable`` or ``unknown``
    (a file that is not in the catalogue)."""

    name: str
    status: str
    detail: str = ""


def check_folder(folder: str | Path, *, label: str = "class") -> list[Finding]:
    """Compare the files of a folder with the catalogue: attributes, class sizes, order, values.

    There is one finding per dataset of the paper, and one per other file.
    """
    found = {stem_of(path): path for path in data_files(folder)}
    findings = []
    for name, entry in catalogue().items():
        if name not in found:
            findings.append(Finding(name, "missing"))
            continue
        try:
            dataset = read_dataset(found[name], label=label, name=name)
        except DataError as error:
            findings.append(Finding(name, "unreadable", str(error)))
            continue
        wrong = problems(dataset, entry)
        rows = f"{entry.rows} rows, {entry.m} attributes, {len(entry.classes)} targets"
        findings.append(Finding(name, "differs" if wrong else "ok", "; ".join(wrong) or rows))
    others = [name for name in found if name not in catalogue()]
    return findings + [Finding(name, "unknown", "not a dataset of the paper") for name in others]
