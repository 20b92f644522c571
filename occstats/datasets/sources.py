"""Where data sets come from: small values that travel to worker processes in place of data."""

import fnmatch
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from occstats.datasets.dataset import Dataset, from_frame
from occstats.datasets.reading import data_files, read_dataset
from occstats.errors import DataError

__all__ = ["BUILTIN", "Source", "fingerprint", "load_builtin", "open_source", "select", "spool"]

# our name → scikit-learn's loader
BUILTIN = {
    "iris": "load_iris",
    "wine": "load_wine",
    "wdbc": "load_breast_cancer",
    "digits": "load_digits",
}


def load_builtin(name: str) -> Dataset:
    """Load a data set that comes with scikit-learn.

    Examples
    --------
    >>> load_builtin("wine")
    Dataset('wine', 178 rows, 13 attributes, 3 classes)
    """
    if name not in BUILTIN:
        raise DataError(f"no built-in data set {name!r}; there are {', '.join(BUILTIN)}")
    from sklearn import datasets

    bunch = getattr(datasets, BUILTIN[name])()
    labels = np.asarray(bunch.target_names).astype(str)[bunch.target]
    return Dataset(name=name, X=np.asarray(bunch.data, dtype=np.float64), labels=labels)


@dataclass(frozen=True)
class Source:
    """One data set, not yet loaded: a file, or a name among the built-in ones."""

    name: str
    path: str | None = None
    label: str = "class"

    def load(self) -> Dataset:
        """Read the data set."""
        if self.path is None:
            return load_builtin(self.name)
        return read_dataset(self.path, label=self.label, name=self.name)


@lru_cache(maxsize=2)
def open_source(source: Source) -> Dataset:
    """Load a data set, or take it from the last ones loaded in this process."""
    return source.load()


def select(
    data: "str | Path | Sequence[str | Path]" = "builtin",
    *,
    datasets: Iterable[str] | None = None,
    label: str = "class",
) -> list[Source]:
    """Find the data sets that a user asks for.

    Parameters
    ----------
    data : path or sequence of paths
        A folder with one file per data set, single files, or ``"builtin"``.
    datasets : iterable of str, optional
        Names or globs (``"s*"``); all by default.
    label : str, default "class"
        The column with the class labels.

    Examples
    --------
    >>> [source.name for source in select("builtin", datasets=["w*"])]
    ['wine', 'wdbc']
    """
    places = [data] if isinstance(data, str | Path) else list(data)
    found: dict[str, Source] = {}
    for place in places:
        for source in _sources_of(place, label):
            if source.name in found and found[source.name] != source:
                raise DataError(
                    f"two data sets are called {source.name!r} ({found[source.name].path} and "
                    f"{source.path}); rename one file"
                )
            found[source.name] = source
    if not found:
        raise DataError(f"no data files in {', '.join(map(str, places))}")
    if datasets is None:
        return list(found.values())
    chosen: dict[str, Source] = {}
    for pattern in datasets:
        matching = fnmatch.filter(found, pattern)
        if not matching:
            raise DataError(
                f"no data set matches {pattern!r}; there are {', '.join(sorted(found))}"
            )
        chosen |= {name: found[name] for name in matching}
    return list(chosen.values())


def _sources_of(place: str | Path, label: str) -> list[Source]:
    if str(place) == "builtin":
        return [Source(name) for name in BUILTIN]
    path = Path(place)
    if not path.exists():
        raise DataError(f"{path}: no such file or folder (or 'builtin' for the built-in data sets)")
    files = data_files(path) if path.is_dir() else [path]
    return [Source(_name_of(file), path=str(file.resolve()), label=label) for file in files]


def _name_of(file: Path) -> str:
    return file.name.removesuffix(".gz").rsplit(".", 1)[0]


def spool(data: Mapping[str, pd.DataFrame], folder: Path, *, label: str = "class") -> list[Source]:
    """Write data sets that exist only in memory to files that worker processes can read."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = []
    for name, frame in data.items():
        from_frame(frame, name=name, label=label)  # refuse now, not in a worker
        # Any text may be a name, but not a file name.
        path = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:16]}.parquet"
        columns = [str(column) for column in frame.columns]
        frame.set_axis(columns, axis=1).to_parquet(path)
        sources.append(Source(name, path=str(path.resolve()), label=label))
    return sources


def fingerprint(dataset: Dataset) -> str:
    """A short hash of the data themselves, so that results of other data are told apart.

    Examples
    --------
    >>> len(fingerprint(load_builtin("iris")))
    16
    """
    digest = hashlib.sha256()
    digest.update(repr(dataset.X.shape).encode())
    digest.update(np.ascontiguousarray(dataset.X).tobytes())
    digest.update("\0".join(dataset.labels.tolist()).encode())
    return digest.hexdigest()[:16]
