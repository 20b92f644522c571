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
    digest : str
        The `digest_of` the paper's copy, empty if unknown.
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
    digest: str
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
    required = {"repository", "page", "address", "files", "m", "classes"}
    return {
        name: Entry(
            name=name,
            **{key: fields.pop(key) for key in required},
            small_classes=fields.pop("small_classes", {}),
            omitted_rows=fields.pop("omitted_rows", 0),
            digest=fields.pop("digest", ""),
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
    >>> problems(load_builtin("wine"), entry_of("wine"))
    ["has other classes than the paper's: '1' (0 rows instead of 59), ..."]
    """
    found = []
    m = dataset.X.shape[1]
    if m != entry.m:
        found.append(f"has {m} attributes, the paper's {entry.m}")
    expected = {**entry.classes, **entry.small_classes}
    sizes = dataset.class_sizes
    if sizes != expected:
        listed = ", ".join(
            f"{name!r} ({sizes.get(name, 0)} rows instead of {expected.get(name, 0)})"
            for name in {**expected, **sizes}
            if sizes.get(name) != expected.get(name)
        )
        found.append(f"has other classes than the paper's: {listed}")
    if not found and entry.digest not in {"", digest := digest_of(dataset)}:
        found.append(
            "has other values than the paper's, or the same in another order, on which folds and"
            f" random descriptors depend (digest {digest}, the paper's {entry.digest})"
        )
    return found


def digest_of(dataset: Dataset) -> str:
    """Return a hash of a dataset, with values rounded to nine digits.

    A spreadsheet does not keep the last bits.

    Examples
    --------
    >>> from occstats.datasets import load_builtin
    >>> iris = load_builtin("iris")
    >>> backwards = Dataset("iris", iris.X[::-1], iris.labels[::-1])
    >>> digest_of(iris) == digest_of(backwards)
    False
    """
    values, places = np.unique(dataset.X, return_inverse=True)
    # Rounding through text is the same on every machine.
    X = np.array([float(f"{value:.9g}") + 0.0 for value in values])[places.reshape(dataset.X.shape)]
    labels = "\0".join(dataset.labels.tolist()).encode()
    return hashlib.sha256(X.tobytes() + labels).hexdigest()[:12]


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
